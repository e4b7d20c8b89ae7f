/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* The tables of row functions, one for each instruction set.  For the files
 * of luma/ only: callers go through rows.h, which knows what the CPU has. */

#pragma once

#include "rows.h"

extern const LumaRows luma_rows_c;
extern const LumaRows luma_rows_ssse3;
extern const LumaRows luma_rows_avx2;
extern const LumaRows luma_rows_avx512;
extern const LumaRows luma_rows_neon;
