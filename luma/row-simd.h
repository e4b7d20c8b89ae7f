/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* The SIMD rows, written once.  A file for an instruction set defines, before
 * it includes this text,
 *
 *     V, V_PIXELS           a vector and its number of 32-bit lanes
 *     V_NAME, V_ROWS        the name and the table to define
 *     v_load4 (p)           V_PIXELS pixels of 4 bytes
 *     v_load3 (p)           V_PIXELS pixels of 3 bytes, each widened to 4 by a
 *                           byte of any value; reads 3 x V_PIXELS bytes
 *     v_load1 (p)           V_PIXELS bytes, each widened to 32 bits with 0
 *     v_set (i32), v_and, v_or, v_add, v_madd (pairs of 16-bit products),
 *     v_left16, v_right8_16 (shift 16-bit lanes), v_right (a, n) (arithmetic)
 *     v_store (p, y)        4 V of gray values, saturated to 4 x V_PIXELS bytes
 *
 * A pixel is a 32-bit lane of bytes b0 .. b3.  Its even bytes (b0, b2) and its
 * odd ones (b1, b3) are pairs of 16-bit numbers, and one multiply-add takes a
 * pair with its two weights: the sums of arith.h, but in halves of 15 bits, for
 * its 16-bit numbers are signed.  The saturation of v_store is the clamp. */

#include "row-tables.h"

#define V_BLOCK (4 * V_PIXELS)
#define HALF_BITS 15

typedef struct
{
  V hi_even, hi_odd, lo_even, lo_odd, bias_hi, bias_lo;
} Weights;

/* The two halves of a 30-bit weight. */
static inline int32_t
hi (uint32_t weight)
{
  return (int32_t) (weight >> (2 + HALF_BITS));
}

static inline int32_t
lo (uint32_t weight)
{
  return (int32_t) (weight >> 2 & ((1 << HALF_BITS) - 1));
}

static inline Weights
weights_of (const LumaPlan * plan)
{
  const uint32_t *w = plan->fixed.weight;
  int64_t bias = plan->fixed.bias >> 2;

  return (Weights) {
    .hi_even = v_set (hi (w[0]) | hi (w[2]) << 16),
    .hi_odd = v_set (hi (w[1]) | hi (w[3]) << 16),
    .lo_even = v_set (lo (w[0]) | lo (w[2]) << 16),
    .lo_odd = v_set (lo (w[1]) | lo (w[3]) << 16),
    .bias_hi = v_set ((int32_t) (bias >> HALF_BITS)),
    .bias_lo = v_set ((int32_t) (bias & ((1 << HALF_BITS) - 1))),
  };
}

static inline V
luma_v (const Weights * w, V even, V odd)
{
  V lo = v_add (v_madd (even, w->lo_even), v_madd (odd, w->lo_odd));
  V hi = v_add (v_madd (even, w->hi_even), v_madd (odd, w->hi_odd));

  lo = v_right (v_add (lo, w->bias_lo), HALF_BITS);
  return v_right (v_add (v_add (hi, w->bias_hi), lo), HALF_BITS);
}

static inline V
luma_packed (const Weights * w, V pixels)
{
  return luma_v (w, v_and (pixels, v_set (0x00ff00ff)), v_right8_16 (pixels));
}

static inline void
block_packed3 (const Weights * w, const uint8_t * const src[LUMA_COMPONENTS],
    size_t x, uint8_t * dst)
{
  V y[4];

  for (int i = 0; i < 4; i++)
    y[i] = luma_packed (w, v_load3 (src[0] + 3 * (x + i * V_PIXELS)));
  v_store (dst + x, y);
}

static inline void
block_packed4 (const Weights * w, const uint8_t * const src[LUMA_COMPONENTS],
    size_t x, uint8_t * dst)
{
  V y[4];

  for (int i = 0; i < 4; i++)
    y[i] = luma_packed (w, v_load4 (src[0] + 4 * (x + i * V_PIXELS)));
  v_store (dst + x, y);
}

static inline void
block_planar (const Weights * w, const uint8_t * const src[LUMA_COMPONENTS],
    size_t x, uint8_t * dst)
{
  V y[4];

  for (int i = 0; i < 4; i++) {
    V a = v_load1 (src[0] + x + i * V_PIXELS);
    V b = v_load1 (src[1] + x + i * V_PIXELS);
    V c = v_load1 (src[2] + x + i * V_PIXELS);
    y[i] = luma_v (w, v_or (a, v_left16 (c)), b);
  }
  v_store (dst + x, y);
}

typedef void (*BlockFunc) (const Weights * w,
    const uint8_t * const src[LUMA_COMPONENTS], size_t x, uint8_t * dst);

/* Whole blocks, then one more that ends with the row and does some pixels a
 * second time: no byte outside the row is touched. */
static inline void
run (BlockFunc block, LumaLayout layout, const LumaPlan * plan,
    const uint8_t * const src[LUMA_COMPONENTS], uint8_t * dst, size_t width)
{
  const Weights w = weights_of (plan);
  size_t x;

  if (width < V_BLOCK) {
    luma_rows_c.row[layout] (plan, src, dst, width);
    return;
  }
  for (x = 0; x + V_BLOCK <= width; x += V_BLOCK)
    block (&w, src, x, dst);
  if (x < width)
    block (&w, src, width - V_BLOCK, dst);
}

static void
packed3 (const LumaPlan * plan, const uint8_t * const src[LUMA_COMPONENTS],
    uint8_t * dst, size_t width)
{
  run (block_packed3, LUMA_LAYOUT_PACKED3, plan, src, dst, width);
}

static void
packed4 (const LumaPlan * plan, const uint8_t * const src[LUMA_COMPONENTS],
    uint8_t * dst, size_t width)
{
  run (block_packed4, LUMA_LAYOUT_PACKED4, plan, src, dst, width);
}

static void
planar (const LumaPlan * plan, const uint8_t * const src[LUMA_COMPONENTS],
    uint8_t * dst, size_t width)
{
  run (block_planar, LUMA_LAYOUT_PLANAR, plan, src, dst, width);
}

const LumaRows V_ROWS = {
  V_NAME, {packed3, packed4, planar}
};
