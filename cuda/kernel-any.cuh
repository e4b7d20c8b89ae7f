/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* The kernel for LUMA_LAYOUT_ANY: samples wherever the components say, gray
 * values of one or two bytes.
 *
 * It reads as the others do: a warp brings the aligned 16-byte words that hold
 * a tile's source bytes into shared memory, side by side.  From there it takes
 * samples byte by byte, for four pixels at a time, whose gray values it stores
 * as one word where that lies in the row and is aligned. */

namespace
{

const int any_pixels = 128;     /* of a tile */
const int any_words = any_pixels * LUMA_MAX_STEP / 16 + 2;

struct AnyTile
{
  uint4 word[LUMA_COMPONENTS][any_words];
};

/* Brings size bytes from p on; returns the byte of the tile where they
 * start. */
__device__ __forceinline__ int
load_any (uint4 * tile, const uint8_t * p, int size, int lane)
{
  int lead = (int) ((uintptr_t) p & 15);
  const uint4 *from = (const uint4 *) (p - lead);

  for (int i = lane; i < (lead + size + 15) / 16; i += lanes)
    tile[i] = from[i];
  return lead;
}

__device__ __forceinline__ int32_t
sample_at (const GpuComponent & c, const uint8_t * p)
{
  uint32_t word = p[0];

  if (c.bytes == 2) {
    word = c.big_endian ? word << 8 | p[1] : word | p[1] << 8;
  } else if (c.bytes == 4) {
    word |= p[1] << 8 | p[2] << 16 | (uint32_t) p[3] << 24;
    word = c.big_endian ? __byte_perm (word, 0, 0x0123) : word;
  }
  return (int32_t) (word >> c.shift & c.mask);
}

/* The gray values of four pixels, as bytes of one word or of two. */
__device__ __forceinline__ uint2
any_grays (const GpuFrame & frame, const uint8_t * const *sample, int at,
    int end)
{
  uint32_t gray[4];

#pragma unroll
  for (int j = 0; j < 4; j++) {
    int x = min (at + j, end - 1) * (int) frame.step;

    gray[j] = (uint32_t) luma_exact_gray (&frame.exact,
        sample_at (frame.component[0], sample[0] + x),
        sample_at (frame.component[1], sample[1] + x),
        sample_at (frame.component[2], sample[2] + x));
  }
  if (frame.out_bytes == 1)
    return make_uint2 (gray[0] | gray[1] << 8 | gray[2] << 16 | gray[3] << 24,
        0);
  if (frame.out_big_endian) {
    for (int j = 0; j < 4; j++)
      gray[j] = __byte_perm (gray[j], 0, 0x4401);
  }
  return make_uint2 (gray[0] | gray[1] << 16, gray[2] | gray[3] << 16);
}

/* n gray values, 4 at most. */
__device__ __forceinline__ void
store_any (uint8_t * to, uint2 grays, int n, int out_bytes)
{
  if (n == 4 && (uintptr_t) to % (4 * out_bytes) == 0) {
    if (out_bytes == 1)
      *(uint32_t *) to = grays.x;
    else
      *(uint2 *) to = grays;
    return;
  }
  for (int i = 0; i < n * out_bytes; i++)
    to[i] = (uint8_t) ((i < 4 ? grays.x : grays.y) >> i % 4 * 8);
}

__global__ void __launch_bounds__ (lanes * warps)
convert_any (const __grid_constant__ GpuFrame frame)
{
  __shared__ AnyTile tiles[warps];
  const int lane = threadIdx.x % lanes, warp = threadIdx.x / lanes;
  AnyTile & tile = tiles[warp];

  for (size_t row = blockIdx.y; row < frame.height; row += gridDim.y) {
    uint8_t *dst = frame.dst + (ptrdiff_t) row * frame.dst_stride;
    size_t x = ((size_t) blockIdx.x * warps + warp) * any_pixels;

    for (; x < frame.width; x += (size_t) gridDim.x * warps * any_pixels) {
      int n = (int) min (frame.width - x, (size_t) any_pixels);
      const uint8_t *sample[LUMA_COMPONENTS];

      for (int i = 0; i < LUMA_COMPONENTS; i++) {
        int shared = frame.src[i] == frame.src[0] &&
            frame.src_stride[i] == frame.src_stride[0] ? 0 : i;

        if (shared == i)
          sample[i] = (const uint8_t *) tile.word[i] + load_any (tile.word[i],
              frame.src[i] + (ptrdiff_t) row * frame.src_stride[i] +
              frame.step * x, frame.step * n, lane);
        else
          sample[i] = sample[0];
      }
      for (int i = 0; i < LUMA_COMPONENTS; i++)
        sample[i] += frame.component[i].offset;
      __syncwarp ();
      for (int at = 4 * lane; at < n; at += 4 * lanes)
        store_any (dst + (x + at) * frame.out_bytes,
            any_grays (frame, sample, at, n), min (n - at, 4),
            frame.out_bytes);
      __syncwarp ();
    }
  }
}

}
