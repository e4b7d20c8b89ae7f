/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* What gpu_launch makes of a frame, on the CPU, for tests that simulate it. */

#pragma once

#include "kernels.h"

static inline int32_t
host_frame_sample (const GpuComponent * c, const uint8_t * p)
{
  uint32_t word = 0;

  for (unsigned b = 0; b < c->bytes; b++)
    word |= (uint32_t) p[b] << 8 * (c->big_endian ? c->bytes - 1 - b : b);
  return (int32_t) (word >> c->shift & c->mask);
}

static inline uint32_t
host_frame_pixel (const GpuFrame * frame, const uint8_t * const row[], size_t x)
{
  uint32_t pixel = 0;

  if (frame->layout == LUMA_LAYOUT_PLANAR)
    return row[0][x] | (uint32_t) row[1][x] << 8 | (uint32_t) row[2][x] << 16;
  if (frame->layout >= LUMA_LAYOUT_SINGLE1)
    return 0x10101u * row[0][x * frame->step + frame->offset];
  for (unsigned i = 0; i < frame->step; i++)
    pixel |= (uint32_t) row[0][x * frame->step + i] << 8 * i;
  return pixel;
}

/* Converts row y. */
static inline void
host_frame_row (const GpuFrame * frame, size_t y)
{
  uint8_t *dst = frame->dst + (ptrdiff_t) y * frame->dst_stride;
  const uint8_t *row[LUMA_COMPONENTS] = { 0 };

  for (int i = 0; i < LUMA_COMPONENTS; i++) {
    if (frame->src[i] != NULL)
      row[i] = frame->src[i] + (ptrdiff_t) y * frame->src_stride[i];
  }
  for (size_t x = 0; x < frame->width; x++) {
    if (frame->layout == LUMA_LAYOUT_ANY) {
      int32_t s[LUMA_COMPONENTS], gray;

      for (int i = 0; i < LUMA_COMPONENTS; i++)
        s[i] = host_frame_sample (&frame->component[i],
            row[i] + x * frame->step + frame->component[i].offset);
      gray = luma_exact_gray (&frame->exact, s[0], s[1], s[2]);
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
