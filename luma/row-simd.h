/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* The SIMD rows, written once.  A file for an instruction set defines, before
 * it includes this text,
 *
 *     V, V_PIXELS           a vector and its number of 32-bit lanes
 *     V_NAME, V_ROWS        the name and the table to define
 *     v_load (p)            a V of bytes
 *     v_load3 (p)           V_PIXELS pixels of 3 bytes; reads no other byte
 *     v_load1, v_load2 (p)  V_PIXELS words of 1 or 2 bytes, widened to lanes
 *     v_even3, v_odd3       their bytes (b0, b2) and (b1), widened to 16 bits
 *                           with 0, a pixel to a 32-bit lane
 *     v_low8, v_high8, v_low16, v_high16 (a, b)
 *                           interleave 8-bit or 16-bit lanes of the lower or
 *                           the upper half of each 128 bits
 *     v_set (i32), v_and, v_or, v_add, v_madd (pairs of 16-bit products),
 *     v_right8_16 (16-bit lanes), v_right (a, n) (arithmetic), v_left16 (a)
 *     v_store (p, y)        4 V of gray values, saturated to 4 x V_PIXELS bytes
 *     v_store_lanes (p, y)  the same where each 128 bits of y[0] .. y[3] hold
 *                           four pixels each of 16 that follow one another
 *
 * A pixel is a 32-bit lane of bytes b0 .. b3.  Its even bytes (b0, b2) and its
 * odd ones (b1, b3) are pairs of 16-bit numbers, and one multiply-add takes a
 * pair with its two weights: the sums of arith.h, but in halves of 15 bits, for
 * its 16-bit numbers are signed.  The saturation of v_store is the clamp.
 *
 * Where a pixel has no b3 the number ONE takes its place, with bias / ONE for
 * a weight, which saves adding the bias. */

#include "rows.h"

#define V_BLOCK (4 * V_PIXELS)
#define HALF_BITS 15
/* LUMA_BIAS_UNIT in 30 bits: bias / ONE fits a weight, which 1 would not. */
#define ONE 64

typedef struct
{
  V hi_even, hi_odd, lo_even, lo_odd, bias_hi, bias_lo;
  int shift;                    /* to a single sample in its word */
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
  int32_t hi3 = hi (w[3]), lo3 = lo (w[3]);

  if (plan->layout != LUMA_LAYOUT_PACKED4) {
    hi3 = (int32_t) (bias / ONE >> HALF_BITS);
    lo3 = (int32_t) (bias / ONE & ((1 << HALF_BITS) - 1));
  }
  return (Weights) {
    .hi_even = v_set (hi (w[0]) | hi (w[2]) << 16),
    .hi_odd = v_set (hi (w[1]) | (int32_t) ((uint32_t) hi3 << 16)),
    .lo_even = v_set (lo (w[0]) | lo (w[2]) << 16),
    .lo_odd = v_set (lo (w[1]) | lo3 << 16),
    .bias_hi = v_set ((int32_t) (bias >> HALF_BITS)),
    .bias_lo = v_set ((int32_t) (bias & ((1 << HALF_BITS) - 1))),
    .shift = 8 * (int) plan->component[0].offset,
  };
}

/* A bias of 0 costs nothing: compilers drop the addition. */
static inline V
luma_v (const Weights * w, V even, V odd, V bias_hi, V bias_lo)
{
  V lo = v_add (v_madd (even, w->lo_even), v_madd (odd, w->lo_odd));
  V hi = v_add (v_madd (even, w->hi_even), v_madd (odd, w->hi_odd));

  lo = v_right (v_add (lo, bias_lo), HALF_BITS);
  return v_right (v_add (v_add (hi, bias_hi), lo), HALF_BITS);
}

static inline V
luma_one (const Weights * w, V even, V odd)
{
  return luma_v (w, even, odd, v_set (0), v_set (0));
}

static inline V
luma_packed4 (const Weights * w, V pixels)
{
  return luma_v (w, v_and (pixels, v_set (0x00ff00ff)), v_right8_16 (pixels),
      w->bias_hi, w->bias_lo);
}

static inline void
block_packed3 (const Weights * w, const uint8_t * const src[LUMA_COMPONENTS],
    size_t x, uint8_t * dst)
{
  const V one = v_set (ONE << 16);
  V y[4];

  for (int i = 0; i < 4; i++) {
    V bytes = v_load3 (src[0] + 3 * (x + i * V_PIXELS));
    y[i] = luma_one (w, v_even3 (bytes), v_or (v_odd3 (bytes), one));
  }
  v_store (dst + x, y);
}

static inline void
block_packed4 (const Weights * w, const uint8_t * const src[LUMA_COMPONENTS],
    size_t x, uint8_t * dst)
{
  V y[4];

  for (int i = 0; i < 4; i++)
    y[i] = luma_packed4 (w, v_load (src[0] + 4 * (x + i * V_PIXELS)));
  v_store (dst + x, y);
}

static inline void
block_planar (const Weights * w, const uint8_t * const src[LUMA_COMPONENTS],
    size_t x, uint8_t * dst)
{
  const V zero = v_set (0), one = v_set (ONE | ONE << 16);
  V a = v_load (src[0] + x), b = v_load (src[1] + x), c = v_load (src[2] + x);
  V ac0 = v_low8 (a, c), ac1 = v_high8 (a, c);
  V b0 = v_low8 (b, zero), b1 = v_high8 (b, zero);
  V y[4];

  y[0] = luma_one (w, v_low8 (ac0, zero), v_low16 (b0, one));
  y[1] = luma_one (w, v_high8 (ac0, zero), v_high16 (b0, one));
  y[2] = luma_one (w, v_low8 (ac1, zero), v_low16 (b1, one));
  y[3] = luma_one (w, v_high8 (ac1, zero), v_high16 (b1, one));
  v_store_lanes (dst + x, y);
}

/* words: a lane of them for each pixel.  The sample stands for all three. */
static inline V
luma_single (const Weights * w, V words)
{
  V sample = v_and (v_right (words, w->shift), v_set (0xff));

  return luma_one (w, v_or (sample, v_left16 (sample)),
      v_or (sample, v_set (ONE << 16)));
}

static inline void
block_single1 (const Weights * w, const uint8_t * const src[LUMA_COMPONENTS],
    size_t x, uint8_t * dst)
{
  V y[4];

  for (int i = 0; i < 4; i++)
    y[i] = luma_single (w, v_load1 (src[0] + x + i * V_PIXELS));
  v_store (dst + x, y);
}

static inline void
block_single2 (const Weights * w, const uint8_t * const src[LUMA_COMPONENTS],
    size_t x, uint8_t * dst)
{
  V y[4];

  for (int i = 0; i < 4; i++)
    y[i] = luma_single (w, v_load2 (src[0] + 2 * (x + i * V_PIXELS)));
  v_store (dst + x, y);
}

static inline void
block_single4 (const Weights * w, const uint8_t * const src[LUMA_COMPONENTS],
    size_t x, uint8_t * dst)
{
  V y[4];

  for (int i = 0; i < 4; i++)
    y[i] = luma_single (w, v_load (src[0] + 4 * (x + i * V_PIXELS)));
  v_store (dst + x, y);
}

#include "row-blocks.h"
