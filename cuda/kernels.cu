/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* The kernels: packed 3-byte, packed 4-byte and planar.
 *
 * A thread makes the four gray pixels of one aligned 32-bit word of the
 * destination.  The source bytes of these pixels start at any address: the
 * thread reads the aligned words around them and shifts them into place, so
 * that no access is ever misaligned.  The words at a row's two ends, which may
 * hold bytes that are not the row's, are read and written byte by byte. */

#include "arith.h"
#include "kernels.h"

namespace
{

const unsigned threads = 128;
const size_t max_grid_y = 65535;

/* N words that start at any byte address, from aligned reads of exactly the
 * words that hold them. */
template <int N>
__device__ __forceinline__ void
load_words (const uint8_t * p, uint32_t (&out)[N])
{
  unsigned shift = (unsigned) ((uintptr_t) p & 3) * 8;
  const uint32_t *words = (const uint32_t *) ((uintptr_t) p & ~(uintptr_t) 3);
  uint32_t word[N + 1];

#pragma unroll
  for (int i = 0; i < N; i++)
    word[i] = words[i];
  word[N] = shift != 0 ? words[N] : 0;
#pragma unroll
  for (int i = 0; i < N; i++)
    out[i] = __funnelshift_r (word[i], word[i + 1], shift);
}

__device__ __forceinline__ uint32_t
byte_of (uint32_t word, int i)
{
  return (word >> 8 * i) & 0xff;
}

/* The rows that a block works on. */
struct Rows
{
  const uint8_t *src[LUMA_COMPONENTS];
  uint8_t *dst;
};

/* Four pixels from x on, as one word. */
template <LumaLayout LAYOUT>
__device__ __forceinline__ uint32_t
four_pixels (const LumaFixed & f, const Rows & rows, ptrdiff_t x)
{
  uint32_t y[4];

  if (LAYOUT == LUMA_LAYOUT_PACKED3) {
    uint32_t w[3];

    load_words (rows.src[0] + 3 * x, w);
#pragma unroll
    for (int i = 0; i < 4; i++)
      y[i] = luma_fixed (&f, byte_of (w[3 * i / 4], 3 * i % 4),
          byte_of (w[(3 * i + 1) / 4], (3 * i + 1) % 4),
          byte_of (w[(3 * i + 2) / 4], (3 * i + 2) % 4), 0);
  } else if (LAYOUT == LUMA_LAYOUT_PACKED4) {
    uint32_t w[4];

    load_words (rows.src[0] + 4 * x, w);
#pragma unroll
    for (int i = 0; i < 4; i++)
      y[i] = luma_fixed (&f, byte_of (w[i], 0), byte_of (w[i], 1),
          byte_of (w[i], 2), byte_of (w[i], 3));
  } else {
    uint32_t a[1], b[1], c[1];

    load_words (rows.src[0] + x, a);
    load_words (rows.src[1] + x, b);
    load_words (rows.src[2] + x, c);
#pragma unroll
    for (int i = 0; i < 4; i++)
      y[i] = luma_fixed (&f, byte_of (a[0], i), byte_of (b[0], i),
          byte_of (c[0], i), 0);
  }
  return __byte_perm (__byte_perm (y[0], y[1], 0x0040),
      __byte_perm (y[2], y[3], 0x0040), 0x5410);
}

template <LumaLayout LAYOUT>
__device__ __forceinline__ uint8_t
one_pixel (const LumaFixed & f, const Rows & rows, ptrdiff_t x)
{
  const uint8_t *p = rows.src[0];

  if (LAYOUT == LUMA_LAYOUT_PACKED3)
    return luma_fixed (&f, p[3 * x], p[3 * x + 1], p[3 * x + 2], 0);
  if (LAYOUT == LUMA_LAYOUT_PACKED4)
    return luma_fixed (&f, p[4 * x], p[4 * x + 1], p[4 * x + 2], p[4 * x + 3]);
  return luma_fixed (&f, p[x], rows.src[1][x], rows.src[2][x], 0);
}

template <LumaLayout LAYOUT>
__global__ void __launch_bounds__ (threads)
convert (const __grid_constant__ GpuFrame frame)
{
  for (size_t row = blockIdx.y; row < frame.height; row += gridDim.y) {
    Rows rows;
    ptrdiff_t x;

    for (int i = 0; i < LUMA_COMPONENTS; i++)
      rows.src[i] = frame.src[i] + (ptrdiff_t) row * frame.src_stride[i];
    rows.dst = frame.dst + (ptrdiff_t) row * frame.dst_stride;

    /* The word that holds the row's first byte may start before it. */
    x = 4 * ((ptrdiff_t) blockIdx.x * threads + threadIdx.x) -
        (ptrdiff_t) ((uintptr_t) rows.dst & 3);
    if (x >= 0 && x + 4 <= (ptrdiff_t) frame.width) {
      *(uint32_t *) (rows.dst + x) = four_pixels<LAYOUT> (frame.fixed, rows, x);
    } else {
      for (int i = 0; i < 4; i++) {
        if (x + i >= 0 && x + i < (ptrdiff_t) frame.width)
          rows.dst[x + i] = one_pixel<LAYOUT> (frame.fixed, rows, x + i);
      }
    }
  }
}

}

cudaError_t
gpu_launch (const GpuFrame * frame, cudaStream_t stream)
{
  /* A row of width bytes touches at most this many words. */
  size_t words = (frame->width + 6) / 4;
  dim3 grid ((unsigned) ((words + threads - 1) / threads),
      (unsigned) (frame->height < max_grid_y ? frame->height : max_grid_y));

  switch (frame->layout) {
    case LUMA_LAYOUT_PACKED3:
      convert<LUMA_LAYOUT_PACKED3> <<<grid, threads, 0, stream>>> (*frame);
      break;
    case LUMA_LAYOUT_PACKED4:
      convert<LUMA_LAYOUT_PACKED4> <<<grid, threads, 0, stream>>> (*frame);
      break;
    default:
      convert<LUMA_LAYOUT_PLANAR> <<<grid, threads, 0, stream>>> (*frame);
      break;
  }
  return cudaGetLastError ();
}
