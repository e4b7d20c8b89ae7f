/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* The plan: what a conversion is, described once when caps are known and
 * only executed per frame.  With code values c of d bits,
 *
 *     v    = c / (2^d - 1)                          full range
 *     v    = (c - 16 x 2^(d-8)) / (219 x 2^(d-8))   limited range
 *     L    = kr v(R) + kg v(G) + kb v(B)
 *     Y    = (2^D - 1) L                            full range, D bits
 *     Y    = (16 + 219 L) x 2^(D-8)                 limited range
 *     out  = clamp (floor (Y + 1/2), 0, 2^D - 1)    exact, round half up
 *
 * A plan holds this as integers: out = clamp (floor (n / divisor), 0, max)
 * with n = bias + the sum of coef x sample.  For 8 bits on both sides it holds
 * beside it the same function in fixed point, for the fast rows and the
 * kernels.  luma_plan_init proves that both agree for every sample before it
 * returns a plan.
 *
 * Weights: ITU-R BT.601-7, BT.709-6, BT.2020-2, SMPTE 240M, FCC 73.682. */

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LUMA_COMPONENTS 3
#define LUMA_PLANES 4
/* The most bytes from a sample to the next. */
#define LUMA_MAX_STEP 8
/* LumaFixed.bias is a multiple of this. */
#define LUMA_BIAS_UNIT 256

typedef enum
{
  LUMA_MATRIX_BT601,
  LUMA_MATRIX_BT709,
  LUMA_MATRIX_BT2020,
  LUMA_MATRIX_SMPTE240M,
  LUMA_MATRIX_FCC,
  LUMA_N_MATRICES
} LumaMatrix;

typedef enum
{
  LUMA_RANGE_FULL,
  LUMA_RANGE_LIMITED,
  LUMA_N_RANGES
} LumaRange;

/* How samples lie in memory; one row function and one kernel each. */
typedef enum
{
  LUMA_LAYOUT_PACKED3,          /* three samples in every 3 bytes */
  LUMA_LAYOUT_PACKED4,          /* three samples and padding in every 4 */
  LUMA_LAYOUT_PLANAR,           /* a plane for each component */
  /* One sample alone, that of gray or of the Y of YUV, in every so many
   * bytes. */
  LUMA_LAYOUT_SINGLE1,
  LUMA_LAYOUT_SINGLE2,
  LUMA_LAYOUT_SINGLE4,
  /* Whatever the components say, from exact numbers. */
  LUMA_LAYOUT_ANY,
  LUMA_N_LAYOUTS
} LumaLayout;

typedef struct
{
  unsigned plane;               /* index into LumaSource.data */
  unsigned offset;              /* bytes from the row's start to its sample 0 */
  unsigned step;                /* bytes from a sample to the next */
  unsigned shift, depth;        /* sample = (word >> shift) & (2^depth - 1) */
  int64_t coef;                 /* exact weight, over LumaPlan.divisor */
  unsigned bytes;               /* of the word, 1, 2 or 4; 0 counts as 1 */
  bool big_endian;
} LumaComponent;

/* The same function in fixed point: y = floor ((bias + the sum of weight x
 * sample) / 2^32), clamped.  Weights are in memory order: by byte of the pixel
 * for packed layouts (padding has weight 0), by component for the others.
 * They are multiples of 4, so that each also splits into two halves of 15
 * bits, which the signed 16-bit multipliers of SIMD units take. */
typedef struct
{
  uint32_t weight[4];
  int64_t bias;
  bool clamps;                  /* some colours leave 0 .. 255 */
} LumaFixed;

typedef struct
{
  size_t width, height;         /* pixels */
  LumaLayout layout;
  LumaComponent component[LUMA_COMPONENTS];     /* red, green, blue */
  int64_t bias, divisor, max;
  unsigned out_bytes;           /* of a gray value, 1 or 2 */
  bool out_big_endian;
  LumaFixed fixed;              /* not of LUMA_LAYOUT_ANY */
} LumaPlan;

/* One frame.  data points to the first sample row of each plane at any byte
 * address; stride is the signed distance in bytes from a row to the next.
 * stream is NULL, or, for a GPU's memory that work may be under way on, the
 * stream that orders such work, in the context of the backend. */
typedef struct
{
  const uint8_t *data[LUMA_PLANES];
  ptrdiff_t stride[LUMA_PLANES];
  void *stream;
} LumaSource;

typedef struct
{
  uint8_t *data;
  ptrdiff_t stride;
  void *stream;
} LumaTarget;

/* Makes the plan for frames of width x height pixels whose red, green and
 * blue samples lie as rgb says (its coef fields are not read).  Gray input, and
 * the Y of YUV in the matrix of the output, is three components in one place:
 * the weights add up to one.
 *
 * False, with plan undefined: a size of 0, samples that are not 8 bits in a
 * byte, an arrangement that none of the layouts for these is, or a matrix or
 * range that is none of the enums. */
bool luma_plan_init (LumaPlan * plan, size_t width, size_t height,
    const LumaComponent rgb[LUMA_COMPONENTS], LumaMatrix matrix,
    LumaRange from, LumaRange to);

/* The same for samples of 1 to 16 bits in words of their own kind, all at the
 * same step, and gray values of 8 or 16 bits.  A range of fewer than 8 bits is always full. */
bool luma_plan_init_deep (LumaPlan * plan, size_t width, size_t height,
    const LumaComponent rgb[LUMA_COMPONENTS], LumaMatrix matrix,
    LumaRange from, LumaRange to, unsigned out_depth, bool out_big_endian);

/* Bytes of one row of a plane, from the first byte of the first pixel to the
 * last of the last; 0 for a plane that no component lies in. */
size_t luma_plan_row_bytes (const LumaPlan * plan, unsigned plane);

/* Whether one sample is in the place of all three, and need be taken once. */
bool luma_plan_is_single (const LumaPlan * plan);

/* Bytes of one row of gray values. */
size_t luma_plan_out_bytes (const LumaPlan * plan);
