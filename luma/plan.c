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

/* What a range of so many bits begins with, and how long it is. */
static void
range_of (LumaRange range, unsigned depth, int64_t * from, int64_t * length)
{
  bool limited = range == LUMA_RANGE_LIMITED && depth >= 8;

  *from = limited ? (int64_t) 16 << (depth - 8) : 0;
  *length = limited ? (int64_t) 219 << (depth - 8) : ((int64_t) 1 << depth) - 1;
}

/* With s for samples, o for what their range begins with and m for its length,
 * O and M for the same of the gray values, D for the denominator of the weights
 * k, and Q for a common multiple of all m,
 *
 *     Y + 1/2 = O + M (the sum of k/D (s - o) / m) + 1/2
 *
 * over the divisor 2 D Q.  All of it is then brought to lowest terms; what is
 * left is far below 2^53 for samples and gray values of 16 bits. */
static void
set_exact (LumaPlan * plan, LumaMatrix matrix, LumaRange from, LumaRange to,
    unsigned out_depth)
{
  const int *k = weights[matrix];
  int64_t begin[LUMA_COMPONENTS], length[LUMA_COMPONENTS], q = 1;
  int64_t out_begin, out_length, common;

  range_of (to, out_depth, &out_begin, &out_length);
  for (int i = 0; i < LUMA_COMPONENTS; i++) {
    range_of (from, plan->component[i].depth, &begin[i], &length[i]);
    q = q / gcd (q, length[i]) * length[i];
  }
  plan->divisor = 2 * k[0] * q;
  plan->bias = (2 * out_begin + 1) * k[0] * q;
  plan->max = ((int64_t) 1 << out_depth) - 1;
  for (int i = 0; i < LUMA_COMPONENTS; i++) {
    LumaComponent *c = &plan->component[i];

    c->coef = 2 * out_length * k[1 + i] * (q / length[i]);
    plan->bias -= c->coef * begin[i];
  }
  common = gcd (plan->divisor, plan->bias);
  for (int i = 0; i < LUMA_COMPONENTS; i++)
    common = gcd (common, plan->component[i].coef);
  plan->divisor /= common;
  plan->bias /= common;
  for (int i = 0; i < LUMA_COMPONENTS; i++)
    plan->component[i].coef /= common;
}

bool
luma_plan_is_single (const LumaPlan * plan)
{
  const LumaComponent *c = plan->component;

  for (int i = 1; i < LUMA_COMPONENTS; i++) {
    if (c[i].plane != c[0].plane || c[i].offset != c[0].offset ||
        c[i].shift != c[0].shift)
      return false;
  }
  return true;
}

static bool
set_single_layout (LumaPlan * plan)
{
  const LumaComponent *c = plan->component;

  if (c->step != 1 && c->step != 2 && c->step != 4)
    return false;
  plan->layout = c->step == 1 ? LUMA_LAYOUT_SINGLE1 :
      c->step == 2 ? LUMA_LAYOUT_SINGLE2 : LUMA_LAYOUT_SINGLE4;
  return c->offset < c->step;
}

static bool
set_layout (LumaPlan * plan)
{
  const LumaComponent *c = plan->component;
  unsigned step = c[0].step, seen = 0;

  if (step > 4)
    return false;
  for (int i = 0; i < LUMA_COMPONENTS; i++) {
    if (c[i].depth != 8 || c[i].shift != 0 || c[i].step != step ||
        c[i].bytes > 1)
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
  if (luma_plan_is_single (plan))
    return set_single_layout (plan);
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

    f->weight[plan->layout == LUMA_LAYOUT_PACKED3 ||
        plan->layout == LUMA_LAYOUT_PACKED4 ? c->offset : i] =
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

/* Samples of 16 bits at most, in words of 4 bytes at most. */
static bool
fits_any (const LumaComponent * c)
{
  unsigned bytes = c->bytes == 0 ? 1 : c->bytes;

  return c->plane < LUMA_PLANES && (bytes == 1 || bytes == 2 || bytes == 4) &&
      c->depth >= 1 && c->depth <= 16 && c->shift + c->depth <= 8 * bytes &&
      c->offset + bytes <= c->step && c->step <= LUMA_MAX_STEP;
}

bool
luma_plan_init_deep (LumaPlan * plan, size_t width, size_t height,
    const LumaComponent rgb[LUMA_COMPONENTS], LumaMatrix matrix,
    LumaRange from, LumaRange to, unsigned out_depth, bool out_big_endian)
{
  if (width == 0 || height == 0 || matrix >= LUMA_N_MATRICES ||
      from >= LUMA_N_RANGES || to >= LUMA_N_RANGES)
    return false;
  if (out_depth != 8 && out_depth != 16)
    return false;
  memset (plan, 0, sizeof *plan);
  plan->width = width;
  plan->height = height;
  plan->out_bytes = out_depth / 8;
  plan->out_big_endian = out_big_endian;
  for (int i = 0; i < LUMA_COMPONENTS; i++)
    plan->component[i] = rgb[i];
  if (out_depth == 8 && set_layout (plan)) {
    set_exact (plan, matrix, from, to, 8);
    return set_fixed (plan);
  }
  plan->layout = LUMA_LAYOUT_ANY;
  for (int i = 0; i < LUMA_COMPONENTS; i++) {
    if (!fits_any (&rgb[i]) || rgb[i].step != rgb[0].step)
      return false;
    if (plan->component[i].bytes == 0)
      plan->component[i].bytes = 1;
  }
  set_exact (plan, matrix, from, to, out_depth);
  return true;
}

bool
luma_plan_init (LumaPlan * plan, size_t width, size_t height,
    const LumaComponent rgb[LUMA_COMPONENTS], LumaMatrix matrix,
    LumaRange from, LumaRange to)
{
  return luma_plan_init_deep (plan, width, height, rgb, matrix, from, to, 8,
      false) && plan->layout != LUMA_LAYOUT_ANY;
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

size_t
luma_plan_out_bytes (const LumaPlan * plan)
{
  return plan->width * plan->out_bytes;
}
