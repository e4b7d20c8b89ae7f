/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#include <glib.h>

#include "contract.h"
#include "job.h"

#define SIDE 4096
#define N_COLOURS (SIDE * SIDE)

/* An oracle of its own, straight from the formula: Y as a fraction that is
 * first built in full and then rounded. */
static uint8_t
oracle (const Case * c, int r, int g, int b)
{
  const int *m = matrix_weights[c->matrix];
  int64_t luma = m[1] * r + m[2] * g + m[3] * b, over = m[0], y, d, rounded;

  if (c->from == c->to)
    y = luma, d = over;
  else if (c->to == LUMA_RANGE_LIMITED)
    y = 16 * 255 * over + 219 * luma, d = 255 * over;
  else
    y = 255 * (luma - 16 * over), d = 219 * over;
  /* floor (y / d + 1/2), where C's division rounds towards 0. */
  rounded = (2 * y + d) / (2 * d);
  if ((2 * y + d) % (2 * d) < 0)
    rounded--;
  return (uint8_t) CLAMP (rounded, 0, 255);
}

/* Pixel i is (i & 255, i >> 8 & 255, i >> 16); padding stays random. */
static void
set_colours (const Frame * frame, const Format * format)
{
  for (int c = 0; c < LUMA_COMPONENTS; c++) {
    uint8_t *sample = frame->bytes + frame->start[format->plane[c]] +
        format->offset[c];

    for (size_t i = 0; i < N_COLOURS; i++)
      sample[i * format->step] = (uint8_t) (i >> 8 * c);
  }
}

static void
set_expected (const Variant * variant, const LumaPlan * plan,
    const Case * c, const Frame * in, uint8_t * gray)
{
  LumaSource src = frame_source (in, in->bytes);
  const uint8_t *rows[LUMA_COMPONENTS];

  for (int i = 0; i < LUMA_COMPONENTS; i++)
    rows[i] = src.data[plan->component[i].plane];
  if (variant->rows == NULL || variant->rows->row[0] != luma_row_exact) {
    luma_row_exact (plan, rows, gray, N_COLOURS);
    return;
  }
  for (int i = 0; i < N_COLOURS; i++)
    gray[i] = oracle (c, i & 255, i >> 8 & 255, i >> 16);
}

static void
check_case (const Variant * variant, const Job * job, const Frame * in,
    Frame * expected, Frame * got)
{
  LumaPlan plan;
  char *hash;

  job_plan (job, &plan);
  set_expected (variant, &plan, job->kase, in, expected->bytes);
  variant_convert (variant, &plan, in, got);
  job_compare (job, variant, got, expected);
  hash = g_compute_checksum_for_data (G_CHECKSUM_SHA256, got->bytes, got->size);
  if (!g_str_equal (hash, job->kase->hash))
    g_error ("%s: %s, %s: SHA-256 is %s", variant->name, job->format->name,
        case_name (job->kase), hash);
  g_free (hash);
}

/* All cases, or every third, which come by all matrices and ranges. */
static void
check_format (const Variant * variant, const char *format, bool all)
{
  Job job = { format_named (format), NULL, SIDE, SIDE, {0}, {0} };
  Frame in, expected, got;

  frame_init (&in, job.format->n_planes, SIDE * job.format->step, SIDE, job.in);
  frame_init (&expected, 1, SIDE, SIDE, job.out);
  got = frame_copy (&expected);
  set_colours (&in, job.format);
  for (int i = 0; i < N_CASES; i++) {
    job.kase = &cases[i];
    if (all || i % 3 == 0)
      check_case (variant, &job, &in, &expected, &got);
  }
  frame_clear (&in);
  frame_clear (&expected);
  frame_clear (&got);
}

/* All values of a format with one sample a pixel, as many times as to come by
 * every place of a vector or tile. */
static void
check_single (const Variant * variant, const Format * format, const Case * c)
{
  const size_t n = 256 * 257;
  Job job = { format, c, n, 1, {0}, {0} };
  Frame in, expected, got;
  LumaPlan plan;

  frame_init (&in, 1, n * format->step, 1, job.in);
  frame_init (&expected, 1, n, 1, job.out);
  got = frame_copy (&expected);
  for (size_t i = 0; i < n; i++) {
    uint8_t value = (uint8_t) (i + i / 256);

    in.bytes[in.start[0] + i * format->step + format->offset[0]] = value;
    expected.bytes[expected.start[0] + i] = oracle (c, value, value, value);
  }
  job_plan (&job, &plan);
  variant_convert (variant, &plan, &in, &got);
  job_compare (&job, variant, &got, &expected);
  frame_clear (&in);
  frame_clear (&expected);
  frame_clear (&got);
}

void
test_hashes (const Variant * variant)
{
  for (int f = FIRST_SINGLE; f < N_FORMATS; f++) {
    for (int i = 0; i < N_CASES; i++)
      check_single (variant, &formats[f], &cases[i]);
  }

  check_format (variant, "RGB", true);
  check_format (variant, "BGRx", false);
  check_format (variant, "ARGB", false);
  check_format (variant, "GBRA", false);
}
