/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Timing and output that the benchmarks of a GPU host share: one CSV line a
 * case, which tools/bench gathers. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  gsize width, height;
} BenchSize;

/* Small ones, and VGA to 8K. */
#define BENCH_N_SIZES 8
#define BENCH_FIRST_VGA 3
extern const BenchSize bench_sizes[BENCH_N_SIZES];

/* Whether there is a GPU; says why where there is none. */
gboolean bench_find_gpu (void);

/* Wall time, and CPU time of this thread and of the process, in us. */
gdouble bench_now (void);
gdouble bench_thread_cpu (void);
gdouble bench_process_cpu (void);

/* Samples of one case; frees with g_array_unref. */
#define bench_samples_new() g_array_new (FALSE, FALSE, sizeof (gdouble))

/* The sample below which the given share lies; sorts them. */
gdouble bench_percentile (GArray * samples, gdouble share);

/* Prints the line that names the columns. */
void bench_print_header (void);

/* One case: how, which frames (its name, the size and the number of streams),
 * time a frame in us, CPU time a frame in us (or -1), and the bytes that the
 * rate counts for a frame. */
void bench_print (const gchar * program, const gchar * way,
    const gchar * frames, BenchSize size, guint streams, GArray * us,
    gdouble cpu_us, gdouble bytes);

/* Plays to its end what gst-launch would. */
void bench_play (const gchar * text);

/* Prints the case of a pipeline whose element called sink gets n frames after
 * those that warm up, and a few more: what each of them takes, and the CPU time
 * of the process. */
#define BENCH_WARM_UP 20
void bench_pipeline (const gchar * program, const gchar * way,
    const gchar * frames, BenchSize size, const gchar * text, guint n,
    gdouble bytes);

G_END_DECLS
