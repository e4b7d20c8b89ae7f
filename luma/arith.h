/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* The luma arithmetic in fixed point: one text for the C row and for the CUDA
 * kernels.  plan.c proves it equal to the exact rule.  Any thread. */

#pragma once

#include "plan.h"

#ifdef __CUDACC__
#define LUMA_INLINE __device__ __forceinline__
#else
#define LUMA_INLINE static inline
#endif

/* b0 .. b3: the bytes of a packed pixel, or the samples of three planes and
 * 0.  Returns the gray value, 0 .. 255. */
LUMA_INLINE uint32_t
luma_fixed (const LumaFixed * f, uint32_t b0, uint32_t b1, uint32_t b2,
    uint32_t b3)
{
  /* No sum leaves 32 bits: weights are under 2^15 in each half and add up to
   * at most 1.2 x 2^15 in hi, samples are under 2^8. */
  int32_t lo = f->bias_lo + f->lo[0] * (int32_t) b0 +
      f->lo[1] * (int32_t) b1 + f->lo[2] * (int32_t) b2 +
      f->lo[3] * (int32_t) b3;
  int32_t hi = f->bias_hi + f->hi[0] * (int32_t) b0 +
      f->hi[1] * (int32_t) b1 + f->hi[2] * (int32_t) b2 +
      f->hi[3] * (int32_t) b3;
  int32_t y = (hi + (lo >> LUMA_HALF_BITS)) >> LUMA_HALF_BITS;

  return y < 0 ? 0 : y > 255 ? 255 : (uint32_t) y;
}
