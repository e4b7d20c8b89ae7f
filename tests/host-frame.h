/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* What gpu_launch makes of a frame, on the CPU, for tests that simulate it. */

#pragma once

#include "kernels.h"

/* The row of a component that has its samples of row y, and its bytes. */
static inline const uint8_t *
host_frame_source (const GpuFrame * frame, int i, size_t y, size_t * bytes)
{
  const LumaComponent *c = &frame->component[i];

  *bytes = (((frame->width - 1) >> c->sub_x) / c->per_word + 1) * c->step;
  return frame->src[i] + (ptrdiff_t) luma_plane_row (c, y) *
      frame->src_stride[i];
}

static inline int32_t
host_frame_sample (const LumaComponent * c, const uint8_t * row, size_t x)
{
  size_t i = x >> c->sub_x;
  const uint8_t *p = row + i / c->per_word * c->step + c->offset;
  uint32_t word = 0;

  for (unsigned b = 0; b < c->bytes; b++)
    word |= (uint32_t) p[b] << 8 * (c->big_endian ? c->bytes - 1 - b : b);
  word >>= c->shift + i % c->per_word * c->depth;
  return (int32_t) (word & ((1u << c->depth) - 1));
}

static inline uint32_t
host_frame_pixel (const GpuFrame * frame, const uint8_t * const row[], size_t x)
{
  const LumaComponent *c = &frame->component[0];
  uint32_t pixel = 0;

  if (frame->layout == LUMA_LAYOUT_PLANAR)
    return row[0][x] | (uint32_t) row[1][x] << 8 | (uint32_t) row[2][x] << 16;
  if (frame->layout >= LUMA_LAYOUT_SINGLE1)
    return 0x10101u * row[0][x * c->step + c->offset];
  for (unsigned i = 0; i < c->step; i++)
    pixel |= (uint32_t) row[0][x * c->step + i] << 8 * i;
  return pixel;
}

/* Converts row y. */
static inline void
host_frame_row (const GpuFrame * frame, size_t y)
{
  uint8_t *dst = frame->dst + (ptrdiff_t) y * frame->dst_stride;
  const uint8_t *row[LUMA_COMPONENTS] = { 0 };
  size_t bytes;

  for (int i = 0; i < LUMA_COMPONENTS; i++) {
    if (frame->src[i] != NULL)
      row[i] = host_frame_source (frame, i, y, &bytes);
  }
  for (size_t x = 0; x < frame->width; x++) {
    if (frame->layout == LUMA_LAYOUT_ANY) {
      int32_t s[LUMA_COMPONENTS], gray;

      for (int i = 0; i < LUMA_COMPONENTS; i++)
        s[i] = host_frame_sample (&frame->component[i], row[i], x);
      gray = frame->wide ?
          luma_wide_gray (&frame->when_wide, s[0], s[1], s[2]) :
          luma_exact_gray (&frame->exact, s[0], s[1], s[2]);
      for (unsigned b = 0; b < frame->out_bytes; b++)
        dst[x * frame->out_bytes + b] = (uint8_t) (gray >> 8 *
            (frame->out_big_endian ? frame->out_bytes - 1 - b : b));
    } else {
      uint32_t gray = luma_shifted (&frame->halves,
          host_frame_pixel (frame, row, x));

      dst[x] = (uint8_t) ((frame->clamps ? luma_clamped (gray) : gray) >> 16);
    }
  }
}
