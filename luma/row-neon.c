/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* The rows for 64-bit ARM, all of which has NEON.  It takes pixels apart as it
 * loads them, into a vector for each of their bytes, and multiplies unsigned
 * 16-bit numbers.  Weights are in halves of 15 bits, as in row-simd.h: the
 * upper half of all three together, which a sample alone has, takes one more.
 * The saturation of vqshrun and vqmovn is the clamp. */

#include <arm_neon.h>

#include "rows.h"

#define V_BLOCK 16
#define V_NAME "neon"
#define V_ROWS luma_rows_neon

#define HALF_BITS 15
#define LOW_HALF ((1 << HALF_BITS) - 1)

/* By byte of the pixel, or by component of a planar one. */
typedef struct
{
  uint16_t hi[4], lo[4];
  uint32_t bias_hi, bias_lo;
  bool from_1;                  /* byte 0 weighs nothing */
} Weights;

static inline void
set_weight (Weights * w, unsigned i, uint32_t weight)
{
  w->hi[i] = (uint16_t) (weight >> HALF_BITS);
  w->lo[i] = (uint16_t) (weight & LOW_HALF);
}

static inline Weights
weights_of (const LumaPlan * plan)
{
  const uint32_t *weight = plan->fixed.weight;
  int64_t bias = plan->fixed.bias >> 2;
  Weights w = {
    .bias_hi = (uint32_t) (bias >> HALF_BITS),
    .bias_lo = (uint32_t) (bias & LOW_HALF),
  };

  if (luma_plan_is_single (plan)) {
    set_weight (&w, plan->component[0].offset,
        (weight[0] >> 2) + (weight[1] >> 2) + (weight[2] >> 2));
  } else {
    for (unsigned i = 0; i < 4; i++)
      set_weight (&w, i, weight[i] >> 2);
  }
  w.from_1 = w.hi[0] == 0;
  return w;
}

/* Adds the products of 16 samples with half a weight. */
static inline void
add_products (uint32x4_t sum[4], uint8x16_t samples, uint16_t half)
{
  uint16x8_t low = vmovl_u8 (vget_low_u8 (samples));
  uint16x8_t high = vmovl_high_u8 (samples);

  sum[0] = vmlal_n_u16 (sum[0], vget_low_u16 (low), half);
  sum[1] = vmlal_high_n_u16 (sum[1], low, half);
  sum[2] = vmlal_n_u16 (sum[2], vget_low_u16 (high), half);
  sum[3] = vmlal_high_n_u16 (sum[3], high, half);
}

static inline uint16x4_t
gray4 (uint32x4_t hi, uint32x4_t lo)
{
  hi = vsraq_n_u32 (hi, lo, HALF_BITS);
  return vqshrun_n_s32 (vreinterpretq_s32_u32 (hi), HALF_BITS);
}

static inline uint8x8_t
gray8 (const uint32x4_t hi[2], const uint32x4_t lo[2])
{
  return vqmovn_u16 (vcombine_u16 (gray4 (hi[0], lo[0]), gray4 (hi[1], lo[1])));
}

/* 16 gray values from bytes `from` to before `to` of the pixels. */
static inline void
store_gray (const Weights * w, const uint8x16_t * bytes, int from, int to,
    uint8_t * dst)
{
  uint32x4_t hi[4], lo[4];

  for (int i = 0; i < 4; i++) {
    hi[i] = vdupq_n_u32 (w->bias_hi);
    lo[i] = vdupq_n_u32 (w->bias_lo);
  }
  for (int i = from; i < to; i++) {
    add_products (hi, bytes[i], w->hi[i]);
    add_products (lo, bytes[i], w->lo[i]);
  }
  vst1q_u8 (dst, vcombine_u8 (gray8 (hi, lo), gray8 (hi + 2, lo + 2)));
}

static inline void
block_packed3 (const Weights * w, const uint8_t * const src[LUMA_COMPONENTS],
    size_t x, uint8_t * dst)
{
  uint8x16x3_t pixels = vld3q_u8 (src[0] + 3 * x);

  store_gray (w, pixels.val, 0, 3, dst + x);
}

static inline void
block_packed4 (const Weights * w, const uint8_t * const src[LUMA_COMPONENTS],
    size_t x, uint8_t * dst)
{
  uint8x16x4_t pixels = vld4q_u8 (src[0] + 4 * x);

  if (w->from_1)
    store_gray (w, pixels.val, 1, 4, dst + x);
  else
    store_gray (w, pixels.val, 0, 3, dst + x);
}

static inline void
block_planar (const Weights * w, const uint8_t * const src[LUMA_COMPONENTS],
    size_t x, uint8_t * dst)
{
  uint8x16_t samples[LUMA_COMPONENTS];

  for (int i = 0; i < LUMA_COMPONENTS; i++)
    samples[i] = vld1q_u8 (src[i] + x);
  store_gray (w, samples, 0, 3, dst + x);
}

static inline void
block_single1 (const Weights * w, const uint8_t * const src[LUMA_COMPONENTS],
    size_t x, uint8_t * dst)
{
  uint8x16_t samples = vld1q_u8 (src[0] + x);

  store_gray (w, &samples, 0, 1, dst + x);
}

static inline void
block_single2 (const Weights * w, const uint8_t * const src[LUMA_COMPONENTS],
    size_t x, uint8_t * dst)
{
  uint8x16x2_t pixels = vld2q_u8 (src[0] + 2 * x);

  if (w->from_1)
    store_gray (w, pixels.val, 1, 2, dst + x);
  else
    store_gray (w, pixels.val, 0, 1, dst + x);
}

static inline void
block_single4 (const Weights * w, const uint8_t * const src[LUMA_COMPONENTS],
    size_t x, uint8_t * dst)
{
  uint8x16x4_t pixels = vld4q_u8 (src[0] + 4 * x);

  store_gray (w, pixels.val, 0, 4, dst + x);
}

#include "row-blocks.h"
