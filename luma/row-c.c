/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Portable rows in fixed point: what runs where there are no SIMD rows, and
 * what the SIMD rows call for rows shorter than a vector. */

#include "arith.h"
#include "row-any.h"
#include "row-tables.h"

static inline uint8_t
gray (const LumaHalves * h, uint32_t b0, uint32_t b1, uint32_t b2, uint32_t b3)
{
  return luma_clamped (luma_shifted (h, b0 | b1 << 8 | b2 << 16 | b3 << 24))
      >> 16;
}

static void
packed3_c (const LumaPlan * plan, const uint8_t * const src[LUMA_COMPONENTS],
    uint8_t * dst, size_t width)
{
  const LumaHalves h = luma_halves (&plan->fixed);
  const uint8_t *p = src[0];

  for (size_t x = 0; x < width; x++)
    dst[x] = gray (&h, p[3 * x], p[3 * x + 1], p[3 * x + 2], 0);
}

static void
packed4_c (const LumaPlan * plan, const uint8_t * const src[LUMA_COMPONENTS],
    uint8_t * dst, size_t width)
{
  const LumaHalves h = luma_halves (&plan->fixed);
  const uint8_t *p = src[0];

  for (size_t x = 0; x < width; x++)
    dst[x] = gray (&h, p[4 * x], p[4 * x + 1], p[4 * x + 2], p[4 * x + 3]);
}

static void
planar_c (const LumaPlan * plan, const uint8_t * const src[LUMA_COMPONENTS],
    uint8_t * dst, size_t width)
{
  const LumaHalves h = luma_halves (&plan->fixed);
  const uint8_t *a = src[0], *b = src[1], *c = src[2];

  for (size_t x = 0; x < width; x++)
    dst[x] = gray (&h, a[x], b[x], c[x], 0);
}

static void
single_c (const LumaPlan * plan, const uint8_t * const src[LUMA_COMPONENTS],
    uint8_t * dst, size_t width)
{
  const LumaHalves h = luma_halves (&plan->fixed);
  const uint8_t *p = src[0] + plan->component[0].offset;
  const size_t step = plan->component[0].step;

  for (size_t x = 0; x < width; x++)
    dst[x] = gray (&h, p[step * x], p[step * x], p[step * x], 0);
}

const LumaRows luma_rows_c = {
  "c", {packed3_c, packed4_c, planar_c, single_c, single_c, single_c,
      any_row}
};
