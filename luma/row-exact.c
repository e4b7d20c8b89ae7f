/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* The specification.  Written to be checked by eye against plan.h; every
 * other row and kernel is a claim that is tested against this one. */

#include "rows.h"

/* The sample of a row's pixel x, less what stands for 0. */
static int64_t
sample_at (const LumaComponent * c, const uint8_t * row, size_t x)
{
  size_t sample = x >> c->sub_x;
  const uint8_t *p = row + c->offset + sample / c->per_word * c->step;
  uint32_t word = 0;

  for (unsigned b = 0; b < c->bytes; b++)
    word |= (uint32_t) p[b] << 8 * (c->big_endian ? c->bytes - 1 - b : b);
  word >>= c->shift + sample % c->per_word * c->depth;
  return (int64_t) (word & ((1u << c->depth) - 1)) - c->zero;
}

static int64_t
division (const LumaPlan * plan, const int64_t s[LUMA_COMPONENTS])
{
  int64_t n = plan->bias;

  for (int i = 0; i < LUMA_COMPONENTS; i++)
    n += plan->component[i].coef * s[i];
  return n / plan->divisor - (n % plan->divisor < 0);
}

/* floor (n / divisor) with n made bit by bit of the samples, of 17 bits with
 * their sign, from the highest on: so no number passes 64 bits where n does. */
static int64_t
long_division (const LumaPlan * plan, const int64_t s[LUMA_COMPONENTS])
{
  int64_t q = 0, rest = 0;

  for (int bit = 16; bit >= 0; bit--) {
    q *= 2;
    rest *= 2;
    for (int i = 0; i < LUMA_COMPONENTS; i++) {
      int64_t size = s[i] < 0 ? -s[i] : s[i];

      if (size >> bit & 1)
        rest += s[i] < 0 ? -plan->component[i].coef : plan->component[i].coef;
    }
    if (bit == 0)
      rest += plan->bias;
    q += rest / plan->divisor;
    rest %= plan->divisor;
  }
  return rest < 0 ? q - 1 : q;
}

void
luma_row_exact (const LumaPlan * plan,
    const uint8_t * const src[LUMA_COMPONENTS], uint8_t * dst, size_t width)
{
  for (size_t x = 0; x < width; x++) {
    int64_t s[LUMA_COMPONENTS], y;

    for (int i = 0; i < LUMA_COMPONENTS; i++)
      s[i] = sample_at (&plan->component[i], src[i], x);
    y = plan->zero + (plan->wide ? long_division (plan, s) :
        division (plan, s));
    y = y < 0 ? 0 : y > plan->max ? plan->max : y;
    if (plan->out_bytes == 2) {
      dst[2 * x] = (uint8_t) (plan->out_big_endian ? y >> 8 : y);
      dst[2 * x + 1] = (uint8_t) (plan->out_big_endian ? y : y >> 8);
    } else {
      dst[x] = (uint8_t) y;
    }
  }
}
