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

/* What of a component is in the tile: its sample of the tile's pixel 0 is the
 * phase-th from at on. */
struct Samples
{
  const uint8_t *at;
  int phase;
};

__device__ __forceinline__ int32_t
sample_of (const LumaComponent & c, const Samples & samples, int pixel)
{
  int i = samples.phase + (pixel >> c.sub_x), shift = c.shift;
  const uint8_t *p = samples.at;
  uint32_t word;

  if (c.per_word > 1) {
    shift += i % (int) c.per_word * (int) c.depth;
    i /= (int) c.per_word;
  }
  p += i * (int) c.step;
  word = p[0];
  if (c.bytes == 2) {
    word = c.big_endian ? word << 8 | p[1] : word | p[1] << 8;
  } else if (c.bytes == 4) {
    word |= p[1] << 8 | p[2] << 16 | (uint32_t) p[3] << 24;
    word = c.big_endian ? __byte_perm (word, 0, 0x0123) : word;
  }
  return (int32_t) (word >> shift & ((1u << c.depth) - 1));
}

/* The gray values of four pixels, as bytes of one word or of two. */
__device__ __forceinline__ uint2
any_grays (const GpuFrame & frame, const Samples * samples, int at, int end)
{
  uint32_t gray[4];

#pragma unroll
  for (int j = 0; j < 4; j++) {
    int32_t s[LUMA_COMPONENTS];

#pragma unroll
    for (int i = 0; i < LUMA_COMPONENTS; i++)
      s[i] = sample_of (frame.component[i], samples[i], min (at + j, end - 1));
    gray[j] = (uint32_t) (frame.wide ?
        luma_wide_gray (&frame.when_wide, s[0], s[1], s[2]) :
        luma_exact_gray (&frame.exact, s[0], s[1], s[2]));
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

/* Brings a component's samples of n pixels from x on, unless a component before
 * it has brought the same bytes. */
__device__ __forceinline__ void
load_samples (const GpuFrame & frame, AnyTile & tile, Samples * samples,
    const uint8_t ** from, int i, size_t row, size_t x, int n, int lane)
{
  const LumaComponent & c = frame.component[i];
  size_t first = x >> c.sub_x;
  int phase = 0, words, before = 0;

  if (c.per_word > 1) {
    phase = (int) (first % c.per_word);
    first /= c.per_word;
  }
  words = (phase + ((n - 1) >> c.sub_x)) / (int) c.per_word + 1;
  from[i] = frame.src[i] + (ptrdiff_t) luma_plane_row (&c, row) *
      frame.src_stride[i] + first * c.step;
  while (from[before] != from[i] ||
      frame.component[before].sub_x != c.sub_x ||
      frame.component[before].step != c.step)
    before++;
  samples[i].phase = phase;
  if (before == i)
    samples[i].at = (const uint8_t *) tile.word[i] + load_any (tile.word[i],
        from[i], words * (int) c.step, lane);
  else
    samples[i].at = samples[before].at - frame.component[before].offset;
  samples[i].at += c.offset;
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
      const uint8_t *from[LUMA_COMPONENTS];
      Samples samples[LUMA_COMPONENTS];

#pragma unroll
      for (int i = 0; i < LUMA_COMPONENTS; i++)
        load_samples (frame, tile, samples, from, i, row, x, n, lane);
      __syncwarp ();
      for (int at = 4 * lane; at < n; at += 4 * lanes)
        store_any (dst + (x + at) * frame.out_bytes,
            any_grays (frame, samples, at, n), min (n - at, 4),
            frame.out_bytes);
      __syncwarp ();
    }
  }
}

}
