/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#include <glib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "contract.h"
#include "job.h"
#include "random.h"

static const char *const layouts[LUMA_LAYOUT_ANY] = {
  "RGB", "BGRx", "GBR", "Y", "UYVY", "AYUV"
};

/* A page of memory between two that can't be touched. */
static uint8_t *
fenced_page (size_t page)
{
  uint8_t *fence = mmap (NULL, 3 * page, PROT_NONE,
      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  if (fence == MAP_FAILED ||
      mprotect (fence + page, page, PROT_READ | PROT_WRITE) != 0)
    g_error ("no memory");
  return fence + page;
}

/* One row whose source and target each start where memory starts, or end
 * where it ends. */
static void
check_fenced (const Variant * variant, const Job * job,
    uint8_t * pages[LUMA_PLANES], size_t page, bool src_end, bool dst_end)
{
  size_t row_bytes = job->width * job->format->step;
  LumaSource src = { 0 };
  LumaTarget dst = { pages[LUMA_PLANES - 1], 0 };
  const uint8_t *rows[LUMA_COMPONENTS];
  Frame got = {.size = job->width }, expected = got;
  LumaPlan plan;

  for (unsigned p = 0; p < job->format->n_planes; p++)
    src.data[p] = pages[p] + (src_end ? page - row_bytes : 0);
  if (dst_end)
    dst.data += page - job->width;
  job_plan (job, &plan);
  for (int i = 0; i < LUMA_COMPONENTS; i++)
    rows[i] = src.data[plan.component[i].plane];
  expected.bytes = g_malloc (job->width);
  luma_row_exact (&plan, rows, expected.bytes, job->width);
  luma_rows_convert (variant->rows, &plan, &src, &dst);
  got.bytes = dst.data;
  job_compare (job, variant, &got, &expected);
  g_free (expected.bytes);
}

static void
test_fences (const Variant * variant)
{
  size_t page = (size_t) sysconf (_SC_PAGESIZE);
  uint8_t *pages[LUMA_PLANES];

  for (int p = 0; p < LUMA_PLANES; p++) {
    pages[p] = fenced_page (page);
    random_fill (pages[p], page);
  }
  for (int l = 0; l < LUMA_LAYOUT_ANY; l++) {
    for (size_t width = 1; width <= 200; width++) {
      Job job = { format_named (layouts[l]), &cases[width % N_CASES], width, 1,
        {0}, {0}
      };

      for (int ends = 0; ends < 4; ends++)
        check_fenced (variant, &job, pages, page, ends & 1, ends & 2);
    }
  }
  for (int p = 0; p < LUMA_PLANES; p++)
    munmap (pages[p] - page, 3 * page);
}

/* More rows than a grid of a GPU has blocks in y. */
static void
test_tall (const Variant * variant)
{
  for (int l = 0; l < LUMA_LAYOUT_ANY; l++) {
    Job job = { format_named (layouts[l]), &cases[l], 3, 70001,
      {.offset = 1,.gap = 3}, {.offset = 2,.gap = 1,.guard = 64}
    };

    job_check (&job, variant);
    job.width = 5;
    job.in.upside_down = true;
    job_check (&job, variant);
    job.out.upside_down = true;
    job_check (&job, variant);
  }
}

/* Pixels of a row give the same one below the other in a single column. */
static void
check_column (const Variant * variant, const Format * format, const Case * c)
{
  const size_t n = 333;
  Job wide = { format, c, n, 1, {0}, {0} }, tall = { format, c, 1, n, {0}, {0}
  };
  Frame row, row_gray, column, column_gray;
  LumaPlan plan;

  frame_init (&row, format->n_planes, n * format->step, 1, wide.in);
  frame_init (&row_gray, 1, n, 1, wide.out);
  job_plan (&wide, &plan);
  variant_convert (variant, &plan, &row, &row_gray);

  column = row;
  column_gray = frame_copy (&row_gray);
  for (unsigned p = 0; p < format->n_planes; p++)
    column.stride[p] = (ptrdiff_t) format->step;
  column_gray.stride[0] = 1;
  random_fill (column_gray.bytes, n);
  job_plan (&tall, &plan);
  variant_convert (variant, &plan, &column, &column_gray);
  job_compare (&tall, variant, &column_gray, &row_gray);

  frame_clear (&row);
  frame_clear (&row_gray);
  frame_clear (&column_gray);
}

void
test_edges (const Variant * variant)
{
  if (variant->rows != NULL)
    test_fences (variant);
  test_tall (variant);
  for (int f = 0; f < N_FORMATS; f++) {
    for (int c = 0; c < N_CASES; c++)
      check_column (variant, &formats[f], &cases[c]);
  }
}
