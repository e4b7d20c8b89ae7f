/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#include <glib.h>

#include "contract.h"
#include "job.h"
#include "random.h"

#define GUARD 64

static const size_t gaps[] = { 0, 1, 3, 13 };
static const size_t heights[] = { 1, 2, 3, 17 };
/* Around the vectors, the words and the tiles of rows and kernels. */
static const size_t large_widths[] = {
  127, 128, 129, 255, 257, 1000, 1921, 2047, 2048, 2049, 4099
};

static Place
random_place (size_t guard)
{
  return (Place) {
  .offset = random_below (64),.gap =
        gaps[random_below (G_N_ELEMENTS (gaps))],.upside_down =
        random_below (4) == 0,.guard = guard};
}

/* The target's guard starts on an odd multiple of 64 as often as on an even
 * one, so that all addresses modulo 128 come up. */
static Job
random_job (const Format * format, size_t width, size_t height)
{
  return (Job) {
    .format = format,
    .kase = &cases[random_below (N_CASES)],
    .width = width,
    .height = height,
    .in = random_place (0),
    .out = random_place (GUARD + GUARD * random_below (2)),
  };
}

static void
check_width (const Variant * variant, const Format * format, size_t width)
{
  for (size_t h = 0; h < G_N_ELEMENTS (heights); h++) {
    Job job = random_job (format, width, heights[h]);

    job_check (&job, variant);
    /* Launches take their time; the CPU goes through every stride. */
    for (size_t g = 0; variant->rows != NULL && g < 2 * G_N_ELEMENTS (gaps);
        g++) {
      job = random_job (format, width, heights[h]);
      job.in.gap = gaps[g / 2];
      job.in.upside_down = g % 2;
      job_check (&job, variant);
      job = random_job (format, width, heights[h]);
      job.out.gap = gaps[g / 2];
      job.out.upside_down = g % 2;
      job_check (&job, variant);
    }
  }
}

static void
check_sizes (const Variant * variant, const Format * format)
{
  for (size_t width = 1; width <= 67; width++)
    check_width (variant, format, width);
  for (size_t i = 0; i < G_N_ELEMENTS (large_widths); i++)
    check_width (variant, format, large_widths[i]);
}

/* Every pair of a source offset and a target offset below unit. */
static void
check_offsets (const Variant * variant, const Format * format, size_t width,
    size_t unit)
{
  for (size_t i = 0; i < unit * unit; i++) {
    Job job = random_job (format, width, 2);

    job.in.offset = i / unit + random_below (64 / unit) * unit;
    job.out.offset = i % unit + random_below (64 / unit) * unit;
    job_check (&job, variant);
  }
}

void
test_sweep (const Variant * variant)
{
  static const size_t widths[] = { 5, 37, 66, 131 };
  size_t unit = variant->rows != NULL ? 64 : 16;

  for (int f = 0; f < N_FORMATS; f++) {
    check_sizes (variant, &formats[f]);
    for (size_t i = 0; i < G_N_ELEMENTS (widths); i++)
      check_offsets (variant, &formats[f], widths[i], unit);
  }
}
