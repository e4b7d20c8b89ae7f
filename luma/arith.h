/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* The luma arithmetic: one text for the C rows and for the CUDA kernels.
 * plan.c proves what is in fixed point equal to the exact rule.  Any thread. */

#pragma once

#include "plan.h"

#ifdef __CUDACC__
#define LUMA_INLINE __host__ __device__ __forceinline__
#else
#define LUMA_INLINE static inline
#endif

/* The row of its plane that has a component's samples for pixel row y. */
LUMA_INLINE size_t
luma_plane_row (const LumaComponent * c, size_t y)
{
  return c->two_fields && c->sub_y > 0 ?
      (y >> (1 + c->sub_y)) * 2 + (y & 1) : y >> c->sub_y;
}

/* LumaFixed, split into 16-bit halves, two to a word. */
typedef struct
{
  uint32_t hi01, hi23, lo01, lo23;
  uint32_t bias_hi, bias_lo;
} LumaHalves;

LUMA_INLINE LumaHalves
luma_halves (const LumaFixed * f)
{
  LumaHalves h;

  h.hi01 = f->weight[0] >> 16 | (f->weight[1] & 0xffff0000);
  h.hi23 = f->weight[2] >> 16 | (f->weight[3] & 0xffff0000);
  h.lo01 = (f->weight[0] & 0xffff) | f->weight[1] << 16;
  h.lo23 = (f->weight[2] & 0xffff) | f->weight[3] << 16;
  h.bias_hi = (uint32_t) (f->bias >> 16);
  h.bias_lo = (uint32_t) (f->bias & 0xffff);
  return h;
}

/* sum + the products of the pixel's bytes with four 16-bit weights, modulo
 * 2^32; byte 0 is the lowest. */
LUMA_INLINE uint32_t
luma_dot (uint32_t pixel, uint32_t w01, uint32_t w23, uint32_t sum)
{
#ifdef __CUDA_ARCH__
  return __dp2a_hi (w23, pixel, __dp2a_lo (w01, pixel, sum));
#else
  return sum + (w01 & 0xffff) * (pixel & 0xff) +
      (w01 >> 16) * (pixel >> 8 & 0xff) +
      (w23 & 0xffff) * (pixel >> 16 & 0xff) + (w23 >> 16) * (pixel >> 24);
#endif
}

/* The gray value of a pixel, its bytes or the samples of three planes from
 * the lowest byte on, in bits 16 to 23, before clamping: it is negative for
 * some colours, as a signed number, and over 255 for others, where
 * LumaFixed.clamps says so.  No half sum leaves 32 bits: the weights of a half
 * add up to at most 1.2 x 2^16 for hi and 3 x 2^16 for lo. */
LUMA_INLINE uint32_t
luma_shifted (const LumaHalves * h, uint32_t pixel)
{
  return luma_dot (pixel, h->hi01, h->hi23, h->bias_hi) +
      (luma_dot (pixel, h->lo01, h->lo23, h->bias_lo) >> 16);
}

LUMA_INLINE uint32_t
luma_clamped (uint32_t shifted)
{
  int32_t y = (int32_t) shifted;

  return y < 0 ? 0 : y > 0xffffff ? 0xffffff : (uint32_t) y;
}

/* The exact numbers of a plan for LUMA_LAYOUT_ANY.  They are integers: those
 * that come up, n and the product of a quotient and the divisor, stay below
 * 2^53, so that a double holds each of them as it is. */
typedef struct
{
  double coef[LUMA_COMPONENTS], bias, divisor, inverse, max;
} LumaExact;

LUMA_INLINE LumaExact
luma_exact (const LumaPlan * plan)
{
  LumaExact e;

  for (int i = 0; i < LUMA_COMPONENTS; i++)
    e.coef[i] = (double) plan->component[i].coef;
  e.bias = (double) plan->bias;
  e.divisor = (double) plan->divisor;
  e.inverse = 1 / e.divisor;
  e.max = (double) plan->max;
  return e;
}

/* The gray value.  The product with the inverse may miss the quotient by one;
 * the rest, which is exact, tells. */
LUMA_INLINE int32_t
luma_exact_gray (const LumaExact * e, int32_t s0, int32_t s1, int32_t s2)
{
  double n = e->bias + e->coef[0] * s0 + e->coef[1] * s1 + e->coef[2] * s2;
  double q, rest;

  n = n < 0 ? 0 : n;
  q = (double) (int32_t) (n * e->inverse);
  rest = n - q * e->divisor;
  q = rest < 0 ? q - 1 : q;
  q = rest >= e->divisor ? q + 1 : q;
  return (int32_t) (q > e->max ? e->max : q);
}

/* The same where LumaPlan.wide says that n may not fit. */
typedef struct
{
  double ratio[LUMA_COMPONENTS];        /* of coef to divisor */
  int64_t coef[LUMA_COMPONENTS], bias, divisor;
  int32_t from[LUMA_COMPONENTS], zero, max;
} LumaWide;

LUMA_INLINE LumaWide
luma_wide (const LumaPlan * plan)
{
  LumaWide w;

  for (int i = 0; i < LUMA_COMPONENTS; i++) {
    w.ratio[i] = (double) plan->component[i].coef / (double) plan->divisor;
    w.coef[i] = plan->component[i].coef;
    w.from[i] = plan->component[i].zero;
  }
  w.bias = plan->bias;
  w.divisor = plan->divisor;
  w.zero = (int32_t) plan->zero;
  w.max = (int32_t) plan->max;
  return w;
}

/* Doubles give the quotient, or one beside it.  The rest of the division lies
 * between -divisor and 2 divisor then, so that it is exact modulo 2^64,
 * whatever n is. */
LUMA_INLINE int32_t
luma_wide_gray (const LumaWide * w, int32_t s0, int32_t s1, int32_t s2)
{
  const int32_t d0 = s0 - w->from[0], d1 = s1 - w->from[1];
  const int32_t d2 = s2 - w->from[2];
  double about = 0.5 + w->ratio[0] * d0 + w->ratio[1] * d1 + w->ratio[2] * d2;
  int32_t q = (int32_t) about;
  int64_t rest;

  q -= about < q;
  rest = (int64_t) ((uint64_t) w->bias +
      (uint64_t) w->coef[0] * (uint64_t) (int64_t) d0 +
      (uint64_t) w->coef[1] * (uint64_t) (int64_t) d1 +
      (uint64_t) w->coef[2] * (uint64_t) (int64_t) d2 -
      (uint64_t) (int64_t) q * (uint64_t) w->divisor);
  q += w->zero + (rest >= w->divisor) - (rest < 0);
  return q < 0 ? 0 : q > w->max ? w->max : q;
}
