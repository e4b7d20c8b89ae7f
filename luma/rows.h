/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Row functions on the CPU, and the choice among them.
 *
 * What every row function may rely on: the plan comes from luma_plan_init,
 * source and destination do not overlap, width is at least 1.  What it must
 * keep: it reads the row's own bytes only, writes width bytes only, takes any
 * byte address, and gives the bytes that the rule in plan.h gives. */

#pragma once

#include "plan.h"

/* src: the start of the pixel row in src[0] for packed layouts; for planar
 * ones the start of the row of each component.  A single sample is at its
 * component's offset from there. */
typedef void (*LumaRowFunc) (const LumaPlan * plan,
    const uint8_t * const src[LUMA_COMPONENTS], uint8_t * dst, size_t width);

typedef struct
{
  const char *name;
  LumaRowFunc row[LUMA_N_LAYOUTS];
} LumaRows;

/* The specification: exact integers and a division, any layout. */
void luma_row_exact (const LumaPlan * plan,
    const uint8_t * const src[LUMA_COMPONENTS], uint8_t * dst, size_t width);

/* The rows for this process: the fastest that this CPU has, or those that the
 * environment variable CUDAGRAY_CPU names (exact, c, ssse3, avx2, avx512,
 * neon) where the CPU has them.  Chosen once; any thread. */
const LumaRows *luma_rows (void);

/* All rows that this build and this CPU have, slowest first, for i from 0;
 * NULL past the last. */
const LumaRows *luma_rows_nth (unsigned i);

/* Runs the rows over a whole frame. */
void luma_rows_convert (const LumaRows * rows, const LumaPlan * plan,
    const LumaSource * src, const LumaTarget * dst);
