/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* The specification.  Written to be checked by eye against plan.h; every
 * other row and kernel is a claim that is tested against this one. */

#include "rows.h"

static int64_t
sample_at (const LumaComponent * c, const uint8_t * p)
{
  unsigned bytes = c->bytes == 0 ? 1 : c->bytes;
  uint32_t word = 0;

  for (unsigned b = 0; b < bytes; b++)
    word |= (uint32_t) p[b] << 8 * (c->big_endian ? bytes - 1 - b : b);
  return word >> c->shift & ((1u << c->depth) - 1);
}

void
luma_row_exact (const LumaPlan * plan,
    const uint8_t * const src[LUMA_COMPONENTS], uint8_t * dst, size_t width)
{
  for (size_t x = 0; x < width; x++) {
    int64_t n = plan->bias, y;

    for (int i = 0; i < LUMA_COMPONENTS; i++) {
      const LumaComponent *c = &plan->component[i];

      n += c->coef * sample_at (c, src[i] + c->offset + x * c->step);
    }
    y = n < 0 ? 0 : n / plan->divisor;
    y = y > plan->max ? plan->max : y;
    if (plan->out_bytes == 2) {
      dst[2 * x] = (uint8_t) (plan->out_big_endian ? y >> 8 : y);
      dst[2 * x + 1] = (uint8_t) (plan->out_big_endian ? y : y >> 8);
    } else {
      dst[x] = (uint8_t) y;
    }
  }
}
