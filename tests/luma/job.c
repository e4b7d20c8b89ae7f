/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#include "job.h"

#include <glib.h>
#include <string.h>

unsigned job_count;

void
job_plan (const Job * job, LumaPlan * plan)
{
  LumaComponent rgb[LUMA_COMPONENTS];

  format_components (job->format, rgb);
  if (!luma_plan_init (plan, job->width, job->height, rgb, job->kase->matrix,
          job->kase->from, job->kase->to))
    g_error ("no plan for %s, %s", job->format->name, case_name (job->kase));
}

/* The specification, row by row.  It finds the rows for itself, not through
 * luma_rows_convert, which is under test too. */
static void
expect_rows (const LumaPlan * plan, const Format * format, const Frame * in,
    const Frame * gray)
{
  for (size_t y = 0; y < plan->height; y++) {
    const uint8_t *src[LUMA_COMPONENTS];

    for (int i = 0; i < LUMA_COMPONENTS; i++) {
      unsigned p = format->plane[i];
      src[i] = in->bytes + in->start[p] + (ptrdiff_t) y *in->stride[p];
    }
    luma_row_exact (plan, src, gray->bytes + gray->start[0] +
        (ptrdiff_t) y * gray->stride[0], plan->width);
  }
}

void
job_compare (const Job * job, const Variant * variant, const Frame * got,
    const Frame * expected)
{
  size_t i = 0;

  job_count++;
  if (memcmp (got->bytes, expected->bytes, expected->size) == 0)
    return;
  while (got->bytes[i] == expected->bytes[i])
    i++;
  g_error ("%s: %s, %s, %" G_GSIZE_FORMAT " x %" G_GSIZE_FORMAT
      ", source at %" G_GSIZE_FORMAT " gap %" G_GSIZE_FORMAT "%s, target at %"
      G_GSIZE_FORMAT " gap %" G_GSIZE_FORMAT "%s: byte %" G_GSSIZE_FORMAT
      " from the target's row 0 is %d instead of %d", variant->name,
      job->format->name, case_name (job->kase), job->width, job->height,
      job->in.offset, job->in.gap, job->in.upside_down ? " upside down" : "",
      job->out.offset, job->out.gap, job->out.upside_down ? " upside down" : "",
      (gssize) (i - expected->start[0]), got->bytes[i], expected->bytes[i]);
}

void
job_check (const Job * job, const Variant * variant)
{
  LumaPlan plan;
  Frame in, got, expected;

  job_plan (job, &plan);
  frame_init (&in, job->format->n_planes, job->width * job->format->step,
      job->height, job->in);
  frame_init (&expected, 1, job->width, job->height, job->out);
  got = frame_copy (&expected);

  expect_rows (&plan, job->format, &in, &expected);
  variant_convert (variant, &plan, &in, &got);
  job_compare (job, variant, &got, &expected);

  frame_clear (&in);
  frame_clear (&got);
  frame_clear (&expected);
}
