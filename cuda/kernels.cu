/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* The kernels: packed 3-byte, packed 4-byte, planar, and one sample in every
 * 1, 2 or 4 bytes; kernel-any.cuh has the one for all else.
 *
 * A warp makes a tile of one row's gray pixels.  It reads the aligned 16-byte
 * words that hold the tile's source bytes, wherever these start, side by side
 * into shared memory.  From there each thread takes the words that hold its
 * pixels' bytes, shifts them into place and stores its gray pixels as one
 * aligned word.  No access to memory is misaligned, and all of them coalesce:
 * what PCIe and device memory both want.
 *
 * An aligned word that holds a byte of the row lies on a page of the row, so
 * that reading all of it is safe.  Writing is not: words at the row's ends,
 * which may hold bytes that are not the row's, are stored byte by byte. */

#include "kernels.h"

namespace
{

const int lanes = 32;
const int warps = 4;            /* of a block; they share nothing */
const int tile_pixels = lanes * 16;
const size_t max_grid_y = 65535;
/* Tiles start where the destination has a boundary of this many bytes. */
const int line = 128;

/* A multiprocessor of Turing holds 1024 threads. */
constexpr int
most_blocks (int wanted)
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ == 750
  return wanted < 8 ? wanted : 8;
#else
  return wanted;
#endif
}

/* pixels: what a thread takes at a time, as many as let a warp's reads of
 * shared memory meet no bank twice.  min_blocks, the blocks that a
 * multiprocessor must hold, bounds the registers of a thread; the numbers are
 * measured. */
template <LumaLayout LAYOUT> struct Shape;
template <> struct Shape<LUMA_LAYOUT_PACKED3>
{
  static const int planes = 1, step = 3, pixels = 16;
  static const int min_blocks = most_blocks (9);
};
template <> struct Shape<LUMA_LAYOUT_PACKED4>
{
  static const int planes = 1, step = 4, pixels = 4;
  static const int min_blocks = most_blocks (10);
};
template <> struct Shape<LUMA_LAYOUT_PLANAR>
{
  static const int planes = 3, step = 1, pixels = 16;
  static const int min_blocks = most_blocks (10);
};

template <> struct Shape<LUMA_LAYOUT_SINGLE1>
{
  static const int planes = 1, step = 1, pixels = 16;
  static const int min_blocks = most_blocks (10);
};
template <> struct Shape<LUMA_LAYOUT_SINGLE2>
{
  static const int planes = 1, step = 2, pixels = 8;
  static const int min_blocks = most_blocks (10);
};
template <> struct Shape<LUMA_LAYOUT_SINGLE4>
{
  static const int planes = 1, step = 4, pixels = 4;
  static const int min_blocks = most_blocks (10);
};

/* The source bytes of a tile, a plane.  They may start within a word, which
 * takes one more.  Before them there is room for the pixels that a thread
 * takes along, for it begins before the row does; what they hold is not
 * used. */
template <LumaLayout LAYOUT>
struct Tile
{
  static const int before = Shape<LAYOUT>::pixels * Shape<LAYOUT>::step / 16;
  static const int whole = tile_pixels * Shape<LAYOUT>::step / 16;
  uint4 word[Shape<LAYOUT>::planes][before + whole + 1];
};

/* Copies the words that hold size bytes from p on, to word[before] and on.
 * Returns the byte of the tile where they start. */
template <bool WHOLE, LumaLayout LAYOUT>
__device__ __forceinline__ int
load (Tile<LAYOUT> & tile, int plane, const uint8_t * p, int size, int lane)
{
  const int whole_rounds = WHOLE ? tile.whole / lanes : 0;
  const int rounds = tile.whole / lanes + 1;
  uint4 *to = tile.word[plane] + tile.before + lane;
  int lead = (int) ((uintptr_t) p & 15);
  const uint4 *from = (const uint4 *) (p - lead) + lane;
  int count = (lead + size + 15) / 16 - lane;
  uint4 held[rounds];

#pragma unroll
  for (int i = 0; i < rounds; i++) {
    if (i < whole_rounds || i * lanes < count)
      held[i] = from[i * lanes];
  }
#pragma unroll
  for (int i = 0; i < rounds; i++) {
    if (i < whole_rounds || i * lanes < count)
      to[i * lanes] = held[i];
  }
  return 16 * tile.before + lead;
}

__device__ __forceinline__ void
unpack (uint32_t * to, const uint4 & word)
{
  to[0] = word.x;
  to[1] = word.y;
  to[2] = word.z;
  to[3] = word.w;
}

/* N words from any byte on, which may lie before the tile's first.  All lanes
 * have the same byte modulo 16, so that none of these branches diverges. */
template <int N>
__device__ __forceinline__ void
take (uint32_t (&out)[N], const uint4 * tile, int byte)
{
  const uint4 *from = tile + (byte >> 4);
  uint32_t w[N + 4];

#pragma unroll
  for (int i = 0; i < N; i += 4)
    unpack (w + i, from[i / 4]);
  if (byte % 16 == 0) {
#pragma unroll
    for (int i = 0; i < N; i++)
      out[i] = w[i];
    return;
  }
  unpack (w + N, from[N / 4]);
  if (byte & 8) {
#pragma unroll
    for (int i = 0; i < N + 2; i++)
      w[i] = w[i + 2];
  }
  if (byte & 4) {
#pragma unroll
    for (int i = 0; i < N + 1; i++)
      w[i] = w[i + 1];
  }
#pragma unroll
  for (int i = 0; i < N; i++)
    out[i] = __funnelshift_r (w[i], w[i + 1], (byte & 3) * 8);
}

/* The i-th four pixels of a thread, a word each with the bytes in the order of
 * the weights; byte 3 has weight 0 where the layout has three. */
template <LumaLayout LAYOUT, int N>
__device__ __forceinline__ void
four_pixels (uint32_t (&pixel)[4], const uint32_t (&words)[Shape<LAYOUT>::
        planes][N], int i, unsigned offset)
{
  const int planes = Shape<LAYOUT>::planes, step = Shape<LAYOUT>::step;

  if (LAYOUT == LUMA_LAYOUT_PACKED3) {
    const uint32_t *w = words[0] + step * i;

    pixel[0] = w[0];
    pixel[1] = __funnelshift_r (w[0], w[1], 24);
    pixel[2] = __funnelshift_r (w[1], w[2], 16);
    pixel[3] = w[2] >> 8;
  } else if (LAYOUT == LUMA_LAYOUT_PACKED4) {
#pragma unroll
    for (int j = 0; j < 4; j++)
      pixel[j] = words[0][step * i + j];
  } else if (LAYOUT != LUMA_LAYOUT_PLANAR) {
    /* The sample stands for all three components. */
#pragma unroll
    for (int j = 0; j < 4; j++)
      pixel[j] = __byte_perm (words[0][step * i + step * j / 4], 0, 0x4000 |
          0x111 * (step * j % 4 + offset));
  } else {
    uint32_t ab01 = __byte_perm (words[0][i], words[1 % planes][i], 0x5140);
    uint32_t ab23 = __byte_perm (words[0][i], words[1 % planes][i], 0x7362);
    uint32_t c = words[2 % planes][i];

    pixel[0] = __byte_perm (ab01, c, 0x4410);
    pixel[1] = __byte_perm (ab01, c, 0x5532);
    pixel[2] = __byte_perm (ab23, c, 0x6610);
    pixel[3] = __byte_perm (ab23, c, 0x7732);
  }
}

/* Their gray values, as one word. */
__device__ __forceinline__ uint32_t
four_grays (const GpuFrame & frame, const uint32_t (&pixel)[4])
{
  uint32_t y[4];

#pragma unroll
  for (int i = 0; i < 4; i++)
    y[i] = luma_shifted (&frame.halves, pixel[i]);
  if (frame.clamps) {
#pragma unroll
    for (int i = 0; i < 4; i++)
      y[i] = luma_clamped (y[i]);
  }
  return __byte_perm (__byte_perm (y[0], y[1], 0x0062),
      __byte_perm (y[2], y[3], 0x0062), 0x5410);
}

/* What a thread makes of the tile's pixels from at on.  start is the byte of
 * each plane where pixel 0 is. */
template <LumaLayout LAYOUT>
struct Grays
{
  static const int pixels = Shape<LAYOUT>::pixels;
  uint32_t word[pixels / 4];

  __device__ __forceinline__
  Grays (const GpuFrame & frame, const Tile<LAYOUT> & tile, const int *start,
      int at)
  {
    const int planes = Shape<LAYOUT>::planes, step = Shape<LAYOUT>::step;
    uint32_t words[planes][step * pixels / 4], pixel[4];

#pragma unroll
    for (int p = 0; p < planes; p++)
      take (words[p], tile.word[p], start[p] + step * at);
#pragma unroll
    for (int i = 0; i < pixels / 4; i++) {
      four_pixels<LAYOUT> (pixel, words, i, frame.component[0].offset);
      word[i] = four_grays (frame, pixel);
    }
  }

  __device__ __forceinline__ void
  store (uint8_t * to) const
  {
    if (pixels == 16)
      *(uint4 *) to = make_uint4 (word[0], word[1 % (pixels / 4)],
          word[2 % (pixels / 4)], word[3 % (pixels / 4)]);
    else if (pixels == 8)
      *(uint2 *) to = make_uint2 (word[0], word[1 % (pixels / 4)]);
    else
      *(uint32_t *) to = word[0];
  }

  /* Those pixels alone that are begin or later, and before end. */
  __device__ __forceinline__ void
  store_part (uint8_t * to, int begin, int end) const
  {
    if (begin <= 0 && pixels <= end) {
      store (to);
      return;
    }
#pragma unroll
    for (int i = 0; i < pixels; i += 4) {
      if (begin <= i && i + 4 <= end) {
        *(uint32_t *) (to + i) = word[i / 4];
      } else {
        for (int j = i; j < i + 4; j++) {
          if (begin <= j && j < end)
            to[j] = (uint8_t) (word[i / 4] >> 8 * (j - i));
        }
      }
    }
  }
};

/* The tile from x on, all of it in the row. */
template <LumaLayout LAYOUT>
__device__ __forceinline__ void
convert_whole (const GpuFrame & frame, Tile<LAYOUT> & tile, size_t row,
    ptrdiff_t x, int lane)
{
  const int planes = Shape<LAYOUT>::planes, step = Shape<LAYOUT>::step;
  const int pixels = Shape<LAYOUT>::pixels;
  uint8_t *dst = frame.dst + (ptrdiff_t) row * frame.dst_stride + x;
  int start[planes];

#pragma unroll
  for (int p = 0; p < planes; p++)
    start[p] = load<true> (tile, p, frame.src[p] + (ptrdiff_t) row *
        frame.src_stride[p] + step * x, step * tile_pixels, lane);
  __syncwarp ();
#pragma unroll
  for (int at = pixels * lane; at < tile_pixels; at += pixels * lanes)
    Grays<LAYOUT> (frame, tile, start, at).store (dst + at);
  __syncwarp ();
}

/* The tile from x on, of which the pixels within the row are stored. */
template <LumaLayout LAYOUT>
__device__ void
convert_part (const GpuFrame & frame, Tile<LAYOUT> & tile, size_t row,
    ptrdiff_t x, int lane)
{
  const int planes = Shape<LAYOUT>::planes, step = Shape<LAYOUT>::step;
  const int pixels = Shape<LAYOUT>::pixels;
  uint8_t *dst = frame.dst + (ptrdiff_t) row * frame.dst_stride + x;
  ptrdiff_t left = (ptrdiff_t) frame.width - x;
  int skip = x < 0 ? (int) -x : 0;
  int end = left < tile_pixels ? (int) left : tile_pixels;
  int start[planes];            /* of the tile's pixel 0 */

#pragma unroll
  for (int p = 0; p < planes; p++)
    start[p] = load<false> (tile, p, frame.src[p] + (ptrdiff_t) row *
        frame.src_stride[p] + step * (x + skip), step * (end - skip), lane) -
        step * skip;
  __syncwarp ();
#pragma unroll 1
  for (int at = pixels * lane; at < end; at += pixels * lanes) {
    if (at + pixels > skip)
      Grays<LAYOUT> (frame, tile, start, at).store_part (dst + at, skip - at,
          end - at);
  }
  __syncwarp ();
}

template <LumaLayout LAYOUT>
__global__ void __launch_bounds__ (lanes * warps, Shape<LAYOUT>::min_blocks)
convert (const __grid_constant__ GpuFrame frame)
{
  __shared__ Tile<LAYOUT> tiles[warps];
  const int lane = threadIdx.x % lanes, warp = threadIdx.x / lanes;

  for (size_t row = blockIdx.y; row < frame.height; row += gridDim.y) {
    ptrdiff_t lead = (ptrdiff_t) ((uintptr_t) (frame.dst +
            (ptrdiff_t) row * frame.dst_stride) % line);
    ptrdiff_t x = ((ptrdiff_t) blockIdx.x * warps + warp) * tile_pixels - lead;

    for (; x < (ptrdiff_t) frame.width;
        x += (ptrdiff_t) gridDim.x * warps * tile_pixels) {
      if (x >= 0 && x + tile_pixels <= (ptrdiff_t) frame.width)
        convert_whole (frame, tiles[warp], row, x, lane);
      else
        convert_part (frame, tiles[warp], row, x, lane);
    }
  }
}

}

#include "kernel-any.cuh"

namespace
{

template <LumaLayout LAYOUT>
void
launch (const GpuFrame & frame, dim3 grid, cudaStream_t stream)
{
  convert<LAYOUT> <<<grid, lanes * warps, 0, stream>>> (frame);
}

/* Rows without a gap between them are one long row, where each pixel has
 * samples of its own. */
void
join_rows (GpuFrame * f)
{
  if (f->dst_stride != (ptrdiff_t) (f->out_bytes * f->width))
    return;
  for (int i = 0; i < LUMA_COMPONENTS; i++) {
    const LumaComponent *c = &f->component[i];

    if (f->src_stride[i] != (ptrdiff_t) (c->step * f->width) ||
        c->sub_x > 0 || c->sub_y > 0 || c->per_word > 1)
      return;
  }
  f->width *= f->height;
  f->height = 1;
}

}

cudaError_t
gpu_launch (const GpuFrame * frame, cudaStream_t stream)
{
  const size_t block_pixels = warps * tile_pixels;
  GpuFrame f = *frame;
  size_t columns, rows;
  dim3 grid;

  join_rows (&f);
  /* A row may start anywhere in a line of the destination. */
  if (f.layout != LUMA_LAYOUT_ANY)
    columns = (f.width + line - 1 + block_pixels - 1) / block_pixels;
  else
    columns = (f.width + warps * any_pixels - 1) / (warps * any_pixels);
  grid.x = (unsigned) (columns < f.max_blocks ? columns : f.max_blocks);
  rows = f.max_blocks / grid.x;
  if (rows > max_grid_y)
    rows = max_grid_y;
  grid.y = (unsigned) (f.height < rows ? f.height : rows);

  switch (f.layout) {
    case LUMA_LAYOUT_PACKED3:
      launch<LUMA_LAYOUT_PACKED3> (f, grid, stream);
      break;
    case LUMA_LAYOUT_PACKED4:
      launch<LUMA_LAYOUT_PACKED4> (f, grid, stream);
      break;
    case LUMA_LAYOUT_PLANAR:
      launch<LUMA_LAYOUT_PLANAR> (f, grid, stream);
      break;
    case LUMA_LAYOUT_SINGLE1:
      launch<LUMA_LAYOUT_SINGLE1> (f, grid, stream);
      break;
    case LUMA_LAYOUT_SINGLE2:
      launch<LUMA_LAYOUT_SINGLE2> (f, grid, stream);
      break;
    case LUMA_LAYOUT_SINGLE4:
      launch<LUMA_LAYOUT_SINGLE4> (f, grid, stream);
      break;
    default:
      convert_any <<<grid, lanes * warps, 0, stream>>> (f);
      break;
  }
  return cudaGetLastError ();
}
