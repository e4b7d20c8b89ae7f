/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#define _GNU_SOURCE             /* secure_getenv */
#include "luma-config.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "arith.h"
#include "row-tables.h"

static const LumaRows rows_exact = {
  "exact", {luma_row_exact, luma_row_exact, luma_row_exact, luma_row_exact,
      luma_row_exact, luma_row_exact, luma_row_exact}
};

static const LumaRows *available[5];
static unsigned n_available;
static const LumaRows *chosen;

static void
fill_table (void)
{
  const char *wanted = secure_getenv ("CUDAGRAY_CPU");

  available[n_available++] = &rows_exact;
  available[n_available++] = &luma_rows_c;
#ifdef LUMA_X86
  if (__builtin_cpu_supports ("ssse3"))
    available[n_available++] = &luma_rows_ssse3;
  if (__builtin_cpu_supports ("avx2"))
    available[n_available++] = &luma_rows_avx2;
  if (__builtin_cpu_supports ("avx512bw") &&
      __builtin_cpu_supports ("avx512vl"))
    available[n_available++] = &luma_rows_avx512;
#endif
#ifdef LUMA_NEON
  available[n_available++] = &luma_rows_neon;
#endif
  chosen = available[n_available - 1];
  for (unsigned i = 0; wanted != NULL && i < n_available; i++) {
    if (strcmp (wanted, available[i]->name) == 0)
      chosen = available[i];
  }
}

static void
fill_table_once (void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;

  pthread_once (&once, fill_table);
}

const LumaRows *
luma_rows (void)
{
  fill_table_once ();
  return chosen;
}

const LumaRows *
luma_rows_nth (unsigned i)
{
  fill_table_once ();
  return i < n_available ? available[i] : NULL;
}

void
luma_rows_convert (const LumaRows * rows, const LumaPlan * plan,
    const LumaSource * src, const LumaTarget * dst)
{
  LumaRowFunc row = rows->row[plan->layout];

  for (size_t y = 0; y < plan->height; y++) {
    const uint8_t *line[LUMA_COMPONENTS];

    for (int i = 0; i < LUMA_COMPONENTS; i++) {
      const LumaComponent *c = &plan->component[i];

      line[i] = src->data[c->plane] +
          (ptrdiff_t) luma_plane_row (c, y) * src->stride[c->plane];
    }
    row (plan, line, dst->data + (ptrdiff_t) y * dst->stride, plan->width);
  }
}
