/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#include "plan.h"

#include <string.h>

/* 1 in the precision of the weights, whose two lowest bits are 0. */
#define ONE ((int64_t) 1 << 30)

/* kr, kg, kb over the first number. */
static const int weights[LUMA_N_MATRICES][4] = {
  [LUMA_MATRIX_BT601] = {1000, 299, 587, 114},
  [LUMA_MATRIX_BT709] = {10000, 2126, 7152, 722},
  [LUMA_MATRIX_BT2020] = {10000, 2627, 6780, 593},
  [LUMA_MATRIX_SMPTE240M] = {1000, 212, 701, 87},
  [LUMA_MATRIX_FCC] = {100, 30, 59, 11},
};

static int64_t
gcd (int64_t a, int64_t b)
{
  while (b != 0) {
    int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a < 0 ? -a : a;
}

static int64_t
floor_div (int64_t n, int64_t d)
{
  return n / d - (n % d < 0);
}

/* Y + 1/2 = (p/q) L + offset + 1/2, brought over the divisor 2 q D, where D
 * is the denominator of the weights: p/q is 73/85 = 219/255 from full to
 * limited range, its inverse back, and 1 for equal ranges. */
static void
set_exact (LumaPlan * plan, LumaMatrix matrix, LumaRange from, LumaRange to)
{
  const int *k = weights[matrix];
  int64_t p = 1, q = 1, offset = 0;     /* offset x q */

  if (from < to) {
    p = 73, q = 85;
    offset = 16 * q;
  } else if (from > to) {
    p = 85, q = 73;
    offset = -16 * p;
  }
  plan->divisor = 2 * q * k[0];
  plan->bias = (2 * offset + q) * k[0];
  plan->max = 255;
  for (int i = 0; i < LUMA_COMPONENTS; i++)
    plan->component[i].coef = 2 * p * k[1 + i];
}

static bool
set_layout (LumaPlan * plan)
{
  const LumaComponent *c = plan->component;
  unsigned step = c[0].step, seen = 0;

  if (step > 4)
    return false;
  for (int i = 0; i < LUMA_COMPONENTS; i++) {
    if (c[i].depth != 8 || c[i].shift != 0 || c[i].step != step)
      return false;
    if (c[i].plane >= LUMA_PLANES)
      return false;
    if (step == 1) {
      if (c[i].offset != 0)
        return false;
    } else {
      if (c[i].offset >= step || c[i].plane != c[0].plane)
        return false;
      seen |= 1u << c[i].offset;
    }
  }
  if (step == 1)
    plan->layout = LUMA_LAYOUT_PLANAR;
  else if (step == 3 && seen == 7)
    plan->layout = LUMA_LAYOUT_PACKED3;
  else if (step == 4 && (seen == 7 || seen == 14))
    plan->layout = LUMA_LAYOUT_PACKED4;
  else
    return false;
  return true;
}

/* The fixed-point form, and the proof that it is exact.
 *
 * Each weight is rounded to 30 fraction bits, which puts the sum off by an
 * error between low and high, over all samples.  The bias is raised until
 * low is not below 0, to a multiple of LUMA_BIAS_UNIT, so that the sum is
 * never too small.  It is never too large either where the greatest error
 * stays under one step of the exact value: n / divisor moves in steps of
 * gcd / divisor, so below an integer it is at least that far away.  Errors are
 * in units of 1 / (divisor 2^30). */
static bool
set_fixed (LumaPlan * plan)
{
  LumaFixed *f = &plan->fixed;
  int64_t d = plan->divisor, step = gcd (d, plan->bias), low = 0, high = 0;
  const int64_t unit = LUMA_BIAS_UNIT / 4;
  int64_t bias, brightest = plan->bias;

  for (unsigned i = 0; i < LUMA_COMPONENTS; i++) {
    const LumaComponent *c = &plan->component[i];
    int64_t weight = floor_div (2 * c->coef * ONE + d, 2 * d);
    int64_t top = (1 << c->depth) - 1;
    int64_t error = (weight * d - c->coef * ONE) * top;

    f->weight[plan->layout == LUMA_LAYOUT_PLANAR ? i : c->offset] =
        (uint32_t) (weight * 4);
    step = gcd (step, c->coef);
    brightest += c->coef * top;
    if (error < 0)
      low += error;
    else
      high += error;
  }
  bias = -floor_div (low - plan->bias * ONE, d * unit) * unit;
  f->bias = bias * 4;
  f->clamps = plan->bias < 0 || brightest / d > plan->max;
  return bias * d - plan->bias * ONE + high < step * ONE;
}

bool
luma_plan_init (LumaPlan * plan, size_t width, size_t height,
    const LumaComponent rgb[LUMA_COMPONENTS], LumaMatrix matrix,
    LumaRange from, LumaRange to)
{
  if (width == 0 || height == 0 || matrix >= LUMA_N_MATRICES ||
      from >= LUMA_N_RANGES || to >= LUMA_N_RANGES)
    return false;
  memset (plan, 0, sizeof *plan);
  plan->width = width;
  plan->height = height;
  for (int i = 0; i < LUMA_COMPONENTS; i++)
    plan->component[i] = rgb[i];
  if (!set_layout (plan))
    return false;
  set_exact (plan, matrix, from, to);
  return set_fixed (plan);
}

size_t
luma_plan_row_bytes (const LumaPlan * plan, unsigned plane)
{
  for (int i = 0; i < LUMA_COMPONENTS; i++) {
    if (plan->component[i].plane == plane)
      return plan->width * plan->component[i].step;
  }
  return 0;
}
