/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* The kernels: packed 3-byte, packed 4-byte and planar.
 *
 * A warp makes a tile of one row's gray pixels.  It reads the aligned 16-byte
 * words that hold the tile's source bytes, wherever these start, side by side
 * into shared memory.  From there each thread takes the bytes of four pixels,
 * shifts them into place and stores one aligned word of the destination.  No
 * access to memory is misaligned, and all of them coalesce: what PCIe and
 * device memory both want.
 *
 * An aligned word that holds a byte of the row lies on a page of the row, so
 * that reading all of it is safe.  Writing is not: words at the row's ends,
 * which may hold bytes that are not the row's, are stored byte by byte. */

#include "kernels.h"

namespace
{

const int lanes = 32;
const int warps = 4;            /* of a block; they share nothing */
const int words_per_lane = 4;
const int tile_pixels = lanes * words_per_lane * 4;
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

/* min_blocks, the blocks that a multiprocessor must hold, bounds the registers
 * of a thread; the numbers are measured. */
template <LumaLayout LAYOUT> struct Shape;
template <> struct Shape<LUMA_LAYOUT_PACKED3>
{
  static const int planes = 1, step = 3, min_blocks = most_blocks (10);
};
template <> struct Shape<LUMA_LAYOUT_PACKED4>
{
  static const int planes = 1, step = 4, min_blocks = most_blocks (8);
};
template <> struct Shape<LUMA_LAYOUT_PLANAR>
{
  static const int planes = 3, step = 1, min_blocks = most_blocks (8);
};

/* The source bytes of a tile.  They may start within a word, which takes one
 * more.  The words before and after them are read, for gray words that are
 * not wholly in the row, but what they hold is not used. */
template <LumaLayout LAYOUT>
struct Tile
{
  static const int words = tile_pixels * Shape<LAYOUT>::step / 16 + 3;
  uint4 word[Shape<LAYOUT>::planes][words];
};

/* Copies the words that hold size bytes from p on, to tile[1] and on.  Returns
 * the byte of the tile where they start. */
template <bool WHOLE, int WORDS>
__device__ __forceinline__ int
load (uint4 (&tile)[WORDS], const uint8_t * p, int size, int lane)
{
  const int whole_rounds = WHOLE ? (WORDS - 3) / lanes : 0;
  const int rounds = (WORDS - 2 + lanes - 1) / lanes;
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
      tile[1 + i * lanes + lane] = held[i];
  }
  return 16 + lead;
}

/* N words that start at any byte. */
template <int N>
__device__ __forceinline__ void
shifted (uint32_t (&out)[N], const uint4 * tile, int byte)
{
  const uint32_t *from = (const uint32_t *) tile + byte / 4;
  uint32_t word[N + 1];

#pragma unroll
  for (int i = 0; i <= N; i++)
    word[i] = from[i];
#pragma unroll
  for (int i = 0; i < N; i++)
    out[i] = __funnelshift_r (word[i], word[i + 1], byte % 4 * 8);
}

/* Four pixels, a word each with the bytes in the order of the weights; byte 3
 * has weight 0 where the layout has three. */
template <LumaLayout LAYOUT>
__device__ __forceinline__ void
four_pixels (uint32_t (&pixel)[4], const Tile<LAYOUT> & tile, const int *start,
    int at)
{
  const int planes = Shape<LAYOUT>::planes, step = Shape<LAYOUT>::step;
  uint32_t w[planes][step];

#pragma unroll
  for (int p = 0; p < planes; p++)
    shifted (w[p], tile.word[p], start[p] + step * at);
  if (LAYOUT == LUMA_LAYOUT_PACKED3) {
    pixel[0] = w[0][0];
    pixel[1] = __funnelshift_r (w[0][0], w[0][1 % step], 24);
    pixel[2] = __funnelshift_r (w[0][1 % step], w[0][2 % step], 16);
    pixel[3] = w[0][2 % step] >> 8;
  } else if (LAYOUT == LUMA_LAYOUT_PACKED4) {
#pragma unroll
    for (int i = 0; i < 4; i++)
      pixel[i] = w[0][i % step];
  } else {
    uint32_t ab01 = __byte_perm (w[0][0], w[1 % planes][0], 0x5140);
    uint32_t ab23 = __byte_perm (w[0][0], w[1 % planes][0], 0x7362);
    uint32_t c = w[2 % planes][0];

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

/* The tile from x on, all of it in the row. */
template <LumaLayout LAYOUT>
__device__ __forceinline__ void
convert_whole (const GpuFrame & frame, Tile<LAYOUT> & tile, size_t row,
    ptrdiff_t x, int lane)
{
  const int planes = Shape<LAYOUT>::planes, step = Shape<LAYOUT>::step;
  uint8_t *dst = frame.dst + (ptrdiff_t) row * frame.dst_stride + x;
  int start[planes];

#pragma unroll
  for (int p = 0; p < planes; p++)
    start[p] = load<true> (tile.word[p], frame.src[p] + (ptrdiff_t) row *
        frame.src_stride[p] + step * x, step * tile_pixels, lane);
  __syncwarp ();
#pragma unroll
  for (int i = 0; i < words_per_lane; i++) {
    int at = 4 * (i * lanes + lane);
    uint32_t pixel[4];

    four_pixels<LAYOUT> (pixel, tile, start, at);
    *(uint32_t *) (dst + at) = four_grays (frame, pixel);
  }
  __syncwarp ();
}

/* The tile from x on, of which the pixels within the row are stored. */
template <LumaLayout LAYOUT>
__device__ void
convert_part (const GpuFrame & frame, Tile<LAYOUT> & tile, size_t row,
    ptrdiff_t x, int lane)
{
  const int planes = Shape<LAYOUT>::planes, step = Shape<LAYOUT>::step;
  uint8_t *dst = frame.dst + (ptrdiff_t) row * frame.dst_stride + x;
  ptrdiff_t left = (ptrdiff_t) frame.width - x;
  int skip = x < 0 ? (int) -x : 0;
  int end = left < tile_pixels ? (int) left : tile_pixels;
  int start[planes];            /* of the tile's pixel 0 */

#pragma unroll
  for (int p = 0; p < planes; p++)
    start[p] = load<false> (tile.word[p], frame.src[p] + (ptrdiff_t) row *
        frame.src_stride[p] + step * (x + skip), step * (end - skip), lane) -
        step * skip;
  __syncwarp ();
#pragma unroll 1
  for (int at = 4 * lane; at < end; at += 4 * lanes) {
    uint32_t pixel[4], gray;

    if (at + 4 <= skip)
      continue;
    four_pixels<LAYOUT> (pixel, tile, start, at);
    gray = four_grays (frame, pixel);
    if (at >= skip && at + 4 <= end) {
      *(uint32_t *) (dst + at) = gray;
    } else {
      for (int j = max (skip - at, 0); j < 4 && at + j < end; j++)
        dst[at + j] = (uint8_t) (gray >> 8 * j);
    }
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

/* Rows without a gap between them are one long row. */
void
join_rows (GpuFrame * f)
{
  const size_t step = f->layout == LUMA_LAYOUT_PACKED3 ? 3 :
      f->layout == LUMA_LAYOUT_PACKED4 ? 4 : 1;

  if (f->dst_stride != (ptrdiff_t) f->width)
    return;
  for (int i = 0; i < LUMA_COMPONENTS; i++) {
    if (f->src_stride[i] != (ptrdiff_t) (step * f->width))
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
  columns = (f.width + line - 1 + block_pixels - 1) / block_pixels;
  grid.x = (unsigned) (columns < f.max_blocks ? columns : f.max_blocks);
  rows = f.max_blocks / grid.x;
  if (rows > max_grid_y)
    rows = max_grid_y;
  grid.y = (unsigned) (f.height < rows ? f.height : rows);

  switch (f.layout) {
    case LUMA_LAYOUT_PACKED3:
      convert<LUMA_LAYOUT_PACKED3> <<<grid, lanes * warps, 0, stream>>> (f);
      break;
    case LUMA_LAYOUT_PACKED4:
      convert<LUMA_LAYOUT_PACKED4> <<<grid, lanes * warps, 0, stream>>> (f);
      break;
    default:
      convert<LUMA_LAYOUT_PLANAR> <<<grid, lanes * warps, 0, stream>>> (f);
      break;
  }
  return cudaGetLastError ();
}
