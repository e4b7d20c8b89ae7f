/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#include "bench.h"

#include <stdio.h>
#include <time.h>

const BenchSize bench_sizes[BENCH_N_SIZES] = {
  {64, 64}, {160, 120}, {320, 240}, {640, 480}, {1280, 720}, {1920, 1080},
  {3840, 2160}, {7680, 4320}
};

static gdouble
clock_us (clockid_t clock)
{
  struct timespec t;

  clock_gettime (clock, &t);
  return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

gdouble
bench_now (void)
{
  return clock_us (CLOCK_MONOTONIC);
}

gdouble
bench_thread_cpu (void)
{
  return clock_us (CLOCK_THREAD_CPUTIME_ID);
}

gdouble
bench_process_cpu (void)
{
  return clock_us (CLOCK_PROCESS_CPUTIME_ID);
}

static gint
compare (gconstpointer a, gconstpointer b)
{
  gdouble x = *(const gdouble *) a, y = *(const gdouble *) b;

  return (x > y) - (x < y);
}

gdouble
bench_percentile (GArray * samples, gdouble share)
{
  g_array_sort (samples, compare);
  return g_array_index (samples, gdouble, (guint) (share * (samples->len - 1)));
}

void
bench_print_header (void)
{
  puts ("program,way,frames,width,height,streams,median_us,p10_us,p90_us,"
      "cpu_us,gb_s");
}

void
bench_print (const gchar * program, const gchar * way, const gchar * frames,
    BenchSize size, guint streams, GArray * us, gdouble cpu_us, gdouble bytes)
{
  gdouble median = bench_percentile (us, 0.5);

  printf ("%s,%s,%s,%" G_GSIZE_FORMAT ",%" G_GSIZE_FORMAT ",%u,%.2f,%.2f,"
      "%.2f,%.2f,%.2f\n", program, way, frames, size.width, size.height,
      streams, median, bench_percentile (us, 0.1), bench_percentile (us, 0.9),
      cpu_us, bytes / median / 1e3);
  fflush (stdout);
}
