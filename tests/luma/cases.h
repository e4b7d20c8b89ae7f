/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* The formats and the conversions that the tests go through. */

#pragma once

#include "plan.h"

typedef struct
{
  const char *name;
  unsigned n_planes, step;
  /* Of red, green and blue. */
  unsigned plane[LUMA_COMPONENTS], offset[LUMA_COMPONENTS];
} Format;

#define N_FORMATS 19
/* The first of those with one sample a pixel. */
#define FIRST_SINGLE 14
extern const Format formats[N_FORMATS];

const Format *format_named (const char *name);

typedef struct
{
  LumaMatrix matrix;
  LumaRange from, to;
  /* SHA-256 of the gray values of all 2^24 colours, red the fastest. */
  const char *hash;
} Case;

#define N_CASES 20
extern const Case cases[N_CASES];

/* kr, kg, kb over the first number.  The tests have these once more: an oracle
 * that took luma/'s would share its mistakes. */
extern const int matrix_weights[LUMA_N_MATRICES][4];

const char *case_name (const Case * c);

/* What luma_plan_init takes for a format. */
void format_components (const Format * format,
    LumaComponent rgb[LUMA_COMPONENTS]);
