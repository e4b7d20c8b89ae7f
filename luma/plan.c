/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#include "arith.h"

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

/* L = the sum of weight / over x (s - begin) / length, over samples s. */
typedef struct
{
  int64_t over, weight[LUMA_COMPONENTS];
  int64_t begin[LUMA_COMPONENTS], length[LUMA_COMPONENTS];
} Linear;

static Linear
linear_of_rgb (const LumaComponent * rgb, LumaMatrix matrix, LumaRange range)
{
  const int *k = weights[matrix];
  Linear linear = { k[0], {k[1], k[2], k[3]}, {0}, {0} };

  for (int i = 0; i < LUMA_COMPONENTS; i++)
    range_of (range, rgb[i].depth, &linear.begin[i], &linear.length[i]);
  return linear;
}

/* With R, G and B put into L as plan.h has them, j and k over J and K,
 *
 *     L = v(Y) + (2 (J - jb) (kb jg - kg jb) v(U)
 *              +  2 (J - jr) (kr jg - kg jr) v(V)) / (J K jg) */
static Linear
linear_of_yuv (const LumaComponent * yuv, LumaMatrix from, LumaMatrix to,
    LumaRange range)
{
  const int64_t J = weights[from][0], jr = weights[from][1];
  const int64_t jg = weights[from][2], jb = weights[from][3];
  const int64_t K = weights[to][0], kr = weights[to][1];
  const int64_t kg = weights[to][2], kb = weights[to][3];
  int64_t u = 2 * (J - jb) * (kb * jg - kg * jb);
  int64_t v = 2 * (J - jr) * (kr * jg - kg * jr);
  int64_t over = J * K * jg, common = gcd (gcd (over, u), v);
  Linear linear = { over / common, {over / common, u / common, v / common},
  {0}, {0}
  };

  range_of (range, yuv[0].depth, &linear.begin[0], &linear.length[0]);
  for (int i = 1; i < LUMA_COMPONENTS; i++) {
    range_of (range, yuv[i].depth, &linear.begin[i], &linear.length[i]);
    if (linear.begin[i] != 0)
      linear.length[i] = linear.length[i] / 219 * 224;
    linear.begin[i] = (int64_t) 1 << (yuv[i].depth - 1);
  }
  return linear;
}

/* With O for what the gray values' range begins with and M for its length, and
 * Q for a common multiple of all lengths,
 *
 *     Y + 1/2 = O + M L + 1/2
 *
 * over the divisor 2 over Q, without O, which is the plan's zero.  All of it is
 * then brought to lowest terms.  No number here passes 2^60, and none that is
 * left 2^54: over and the weights stay below 2^14 and Q below 2^20 for RGB,
 * below 2^36 and 2^24 for YUV. */
static void
set_exact (LumaPlan * plan, const Linear * linear, LumaRange to,
    unsigned out_depth)
{
  int64_t q = 1, out_length, common;

  range_of (to, out_depth, &plan->zero, &out_length);
  for (int i = 0; i < LUMA_COMPONENTS; i++)
    q = q / gcd (q, linear->length[i]) * linear->length[i];
  plan->divisor = 2 * linear->over * q;
  plan->bias = linear->over * q;
  plan->max = ((int64_t) 1 << out_depth) - 1;
  common = plan->bias;
  for (int i = 0; i < LUMA_COMPONENTS; i++) {
    LumaComponent *c = &plan->component[i];

    c->coef = 2 * out_length * linear->weight[i] * (q / linear->length[i]);
    c->zero = (int32_t) linear->begin[i];
    common = gcd (common, c->coef);
  }
  plan->divisor /= common;
  plan->bias /= common;
  for (int i = 0; i < LUMA_COMPONENTS; i++)
    plan->component[i].coef /= common;
}

/* The same with 0 for every zero.  What comes of RGB, and of one sample alone,
 * then stays below 2^53: the divisor below 2^35, gray values below 2^16. */
static void
fold_zeros (LumaPlan * plan)
{
  plan->bias += plan->zero * plan->divisor;
  plan->zero = 0;
  for (int i = 0; i < LUMA_COMPONENTS; i++) {
    LumaComponent *c = &plan->component[i];

    plan->bias -= c->coef * c->zero;
    c->zero = 0;
  }
}

bool
luma_plan_is_single (const LumaPlan * plan)
{
  const LumaComponent *c = plan->component;

  for (int i = 1; i < LUMA_COMPONENTS; i++) {
    if (c[i].plane != c[0].plane || c[i].offset != c[0].offset ||
        c[i].step != c[0].step || c[i].shift != c[0].shift ||
        c[i].depth != c[0].depth || c[i].bytes != c[0].bytes ||
        c[i].big_endian != c[0].big_endian ||
        c[i].per_word != c[0].per_word || c[i].sub_x != c[0].sub_x ||
        c[i].sub_y != c[0].sub_y || c[i].two_fields != c[0].two_fields)
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
  return true;
}

/* What fits_any has let through, where a layout is for it. */
static bool
set_layout (LumaPlan * plan)
{
  const LumaComponent *c = plan->component;
  unsigned step = c[0].step, seen = 0;

  if (step > 4)
    return false;
  for (int i = 0; i < LUMA_COMPONENTS; i++) {
    if (c[i].depth != 8 || c[i].shift != 0 || c[i].step != step ||
        c[i].bytes > 1 || c[i].per_word > 1 || c[i].sub_x != 0 ||
        c[i].sub_y != 0)
      return false;
    if (step != 1 && c[i].plane != c[0].plane)
      return false;
    seen |= 1u << c[i].offset;
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
  return c->plane < LUMA_PLANES &&
      (c->bytes == 1 || c->bytes == 2 || c->bytes == 4) &&
      c->depth >= 1 && c->depth <= 16 && c->per_word <= 32 &&
      c->shift <= 32 && c->shift + c->depth * c->per_word <= 8 * c->bytes &&
      c->step <= LUMA_MAX_STEP && c->offset <= LUMA_MAX_STEP &&
      c->offset + c->bytes <= c->step &&
      c->sub_x <= LUMA_MAX_SUB && c->sub_y <= LUMA_MAX_SUB;
}

/* One depth for all, or none above 8 bits: the common multiple of the ranges'
 * lengths then stays below 2^20. */
static bool
depths_agree (const LumaComponent * c)
{
  return (c[0].depth == c[1].depth && c[0].depth == c[2].depth) ||
      (c[0].depth <= 8 && c[1].depth <= 8 && c[2].depth <= 8);
}

/* All but the numbers; false for an arrangement that no layout is for. */
static bool
init_layout (LumaPlan * plan, size_t width, size_t height,
    const LumaComponent * component, unsigned out_depth, bool out_big_endian)
{
  /* The bytes of a row then fit a size_t. */
  if (width == 0 || width > SIZE_MAX / LUMA_MAX_STEP || height == 0)
    return false;
  if (out_depth != 8 && out_depth != 16)
    return false;
  memset (plan, 0, sizeof *plan);
  plan->width = width;
  plan->height = height;
  plan->layout = LUMA_LAYOUT_ANY;
  plan->out_bytes = out_depth / 8;
  plan->out_big_endian = out_big_endian;
  for (int i = 0; i < LUMA_COMPONENTS; i++) {
    LumaComponent *c = &plan->component[i];

    *c = component[i];
    c->bytes = c->bytes == 0 ? 1 : c->bytes;
    c->per_word = c->per_word == 0 ? 1 : c->per_word;
    if (!fits_any (c))
      return false;
  }
  return depths_agree (plan->component);
}

bool
luma_plan_init_deep (LumaPlan * plan, size_t width, size_t height,
    const LumaComponent rgb[LUMA_COMPONENTS], LumaMatrix matrix,
    LumaRange from, LumaRange to, unsigned out_depth, bool out_big_endian)
{
  Linear linear;

  if (matrix >= LUMA_N_MATRICES || from >= LUMA_N_RANGES ||
      to >= LUMA_N_RANGES ||
      !init_layout (plan, width, height, rgb, out_depth, out_big_endian))
    return false;
  linear = linear_of_rgb (rgb, matrix, from);
  set_exact (plan, &linear, to, out_depth);
  fold_zeros (plan);
  return out_depth != 8 || !set_layout (plan) || set_fixed (plan);
}

bool
luma_plan_init_yuv (LumaPlan * plan, size_t width, size_t height,
    const LumaComponent yuv[LUMA_COMPONENTS], LumaMatrix from_matrix,
    LumaMatrix to_matrix, LumaRange from, LumaRange to, unsigned out_depth,
    bool out_big_endian)
{
  const LumaComponent y[LUMA_COMPONENTS] = { yuv[0], yuv[0], yuv[0] };
  Linear linear;

  if (from_matrix == to_matrix)
    return luma_plan_init_deep (plan, width, height, y, to_matrix, from, to,
        out_depth, out_big_endian);
  if (from_matrix >= LUMA_N_MATRICES || to_matrix >= LUMA_N_MATRICES ||
      from >= LUMA_N_RANGES || to >= LUMA_N_RANGES || yuv[0].depth < 8 ||
      yuv[1].depth != yuv[0].depth || yuv[2].depth != yuv[0].depth ||
      !init_layout (plan, width, height, yuv, out_depth, out_big_endian))
    return false;
  linear = linear_of_yuv (yuv, from_matrix, to_matrix, from);
  set_exact (plan, &linear, to, out_depth);
  plan->wide = true;
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

LumaExtent
luma_plan_extent (const LumaPlan * plan, unsigned plane)
{
  LumaExtent extent = { 0, 0 };

  for (int i = 0; i < LUMA_COMPONENTS; i++) {
    const LumaComponent *c = &plan->component[i];
    size_t words = ((plan->width - 1) >> c->sub_x) / c->per_word + 1;
    size_t rows = luma_plane_row (c, plan->height - 1) + 1;

    if (c->plane != plane)
      continue;
    if (words * c->step > extent.row_bytes)
      extent.row_bytes = words * c->step;
    /* The last row need not be that of the last field. */
    if (plan->height > 1 && luma_plane_row (c, plan->height - 2) >= rows)
      rows = luma_plane_row (c, plan->height - 2) + 1;
    if (rows > extent.rows)
      extent.rows = rows;
  }
  return extent;
}

LumaExtent
luma_plan_out_extent (const LumaPlan * plan)
{
  return (LumaExtent) {
  plan->width * plan->out_bytes, plan->height};
}
