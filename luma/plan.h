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
 * and, of YUV in another matrix j than the output's k, with 2^(d-1) for the
 * zero of U and V, and 224 for 219,
 *
 *     R    = v(Y) + 2 (1 - jr) v(V)
 *     B    = v(Y) + 2 (1 - jb) v(U)
 *     G    = (v(Y) - jr R - jb B) / jg
 *     L    = kr R + kg G + kb B                     neither rounded nor clamped
 *
 * A plan holds this as integers: out = clamp (zero + floor (n / divisor), 0,
 * max) with n = bias + the sum of coef x (sample - its zero).  For 8 bits on
 * both sides it holds beside it the same function in fixed point, for the fast
 * rows and the kernels.  luma_plan_init proves that both agree for every sample
 * before it returns a plan.
 *
 * Weights: ITU-R BT.601-7, BT.709-6, BT.2020-2, SMPTE 240M, FCC 73.682. */

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LUMA_COMPONENTS 3
#define LUMA_PLANES 4
/* The most bytes from a word to the next, and the most that sub_x and sub_y can
 * be. */
#define LUMA_MAX_STEP 8
#define LUMA_MAX_SUB 3
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
  unsigned offset;              /* bytes from the row's start to its word 0 */
  unsigned step;                /* bytes from a word to the next */
  unsigned shift, depth;        /* sample = (word >> shift) & (2^depth - 1) */
  int64_t coef;                 /* exact weight, over LumaPlan.divisor */
  unsigned bytes;               /* of the word, 1, 2 or 4; 0 counts as 1 */
  bool big_endian;
  /* Samples in a word, each depth bits above the last; 0 counts as 1. */
  unsigned per_word;
  /* A sample stands for 2^sub_x pixels of a row, and for 2^sub_y rows, of one
   * field where two take turns. */
  unsigned sub_x, sub_y;
  bool two_fields;
  int32_t zero;
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
  int64_t bias, divisor, zero, max;
  /* n may take more than 64 bits, and no zero is 0: luma/arith.h. */
  bool wide;
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
 * False, with plan undefined: a size of 0, rows of more bytes than a size_t
 * counts, samples that are not 8 bits in a
 * byte, an arrangement that none of the layouts for these is, or a matrix or
 * range that is none of the enums. */
bool luma_plan_init (LumaPlan * plan, size_t width, size_t height,
    const LumaComponent rgb[LUMA_COMPONENTS], LumaMatrix matrix,
    LumaRange from, LumaRange to);

/* The same for samples of 1 to 16 bits in words of any kind, and gray values of
 * 8 or 16 bits.  A range of fewer than 8 bits is always full. */
bool luma_plan_init_deep (LumaPlan * plan, size_t width, size_t height,
    const LumaComponent rgb[LUMA_COMPONENTS], LumaMatrix matrix,
    LumaRange from, LumaRange to, unsigned out_depth, bool out_big_endian);

/* The same for the Y, U and V of YUV in one matrix, to gray in another, or in
 * the same, for which the Y is enough.  U and V are as deep as Y. */
bool luma_plan_init_yuv (LumaPlan * plan, size_t width, size_t height,
    const LumaComponent yuv[LUMA_COMPONENTS], LumaMatrix from_matrix,
    LumaMatrix to_matrix, LumaRange from, LumaRange to, unsigned out_depth,
    bool out_big_endian);

/* What is read of a plane, or written of one: rows, and bytes of each from the
 * first byte of its first pixel to the last of its last.  Both are 0 for a
 * plane that no component lies in. */
typedef struct
{
  size_t row_bytes, rows;
} LumaExtent;

LumaExtent luma_plan_extent (const LumaPlan * plan, unsigned plane);
LumaExtent luma_plan_out_extent (const LumaPlan * plan);

/* Whether one sample is in the place of all three, and need be taken once. */
bool luma_plan_is_single (const LumaPlan * plan);
