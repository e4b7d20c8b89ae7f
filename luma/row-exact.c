/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* The specification.  Written to be checked by eye against plan.h; every
 * other row and kernel is a claim that is tested against this one. */

#include "rows.h"

void
luma_row_exact (const LumaPlan * plan,
    const uint8_t * const src[LUMA_COMPONENTS], uint8_t * dst, size_t width)
{
  for (size_t x = 0; x < width; x++) {
    int64_t n = plan->bias, y;

    for (int i = 0; i < LUMA_COMPONENTS; i++) {
      const LumaComponent *c = &plan->component[i];
      const uint8_t *row = plan->layout == LUMA_LAYOUT_PLANAR ? src[i] : src[0];

      n += c->coef * row[c->offset + x * c->step];
    }
    y = n < 0 ? 0 : n / plan->divisor;
    dst[x] = (uint8_t) (y > plan->max ? plan->max : y);
  }
}
