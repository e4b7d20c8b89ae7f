/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#include "bench.h"

#include <gst/gst.h>
#include <stdio.h>
#include <time.h>

#include "gpu.h"

#define SAMPLES 5

const BenchSize bench_sizes[BENCH_N_SIZES] = {
  {64, 64}, {160, 120}, {320, 240}, {640, 480}, {1280, 720}, {1920, 1080},
  {3840, 2160}, {7680, 4320}
};

gboolean
bench_find_gpu (void)
{
  GpuStatus status;
  LumaBackend *backend = gpu_open (-1, &status);

  if (backend == NULL) {
    printf ("skipped: %s\n", status.text);
    return FALSE;
  }
  backend->klass->close (backend);
  return TRUE;
}

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

static GstElement *
launch (const gchar * text)
{
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch (text, &error);

  if (pipeline == NULL || error != NULL)
    g_error ("%s: %s", text, error->message);
  return pipeline;
}

/* Takes pipeline. */
static void
play (GstElement * pipeline, const gchar * text)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
      GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    g_error ("%s failed", text);
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
  gst_object_unref (pipeline);
}

void
bench_play (const gchar * text)
{
  play (launch (text), text);
}

/* What the sink's probe sees. */
typedef struct
{
  guint count, n;               /* so far, and to be timed */
  gdouble begin, cpu_begin, end, cpu_end;
} Watch;

static GstPadProbeReturn
count_frame (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Watch *watch = data;

  watch->count++;
  if (watch->count == BENCH_WARM_UP) {
    watch->begin = bench_now ();
    watch->cpu_begin = bench_process_cpu ();
  } else if (watch->count == BENCH_WARM_UP + watch->n) {
    watch->end = bench_now ();
    watch->cpu_end = bench_process_cpu ();
  }
  return GST_PAD_PROBE_OK;
}

static void
watch_frames (const gchar * text, Watch * watch)
{
  GstElement *pipeline = launch (text);
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  GstPad *pad = gst_element_get_static_pad (sink, "sink");

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, count_frame, watch, NULL);
  gst_object_unref (pad);
  gst_object_unref (sink);
  play (pipeline, text);
  if (watch->count <= BENCH_WARM_UP + watch->n)
    g_error ("%s: %u frames", text, watch->count);
}

void
bench_pipeline (const gchar * program, const gchar * way,
    const gchar * frames, BenchSize size, const gchar * text, guint n,
    gdouble bytes)
{
  GArray *us = bench_samples_new ();
  gdouble cpu = 0;

  for (guint i = 0; i < SAMPLES; i++) {
    Watch watch = {.n = n };
    gdouble each;

    watch_frames (text, &watch);
    each = (watch.end - watch.begin) / n;
    g_array_append_val (us, each);
    cpu += (watch.cpu_end - watch.cpu_begin) / n / SAMPLES;
  }
  bench_print (program, way, frames, size, 1, us, cpu, bytes);
  g_array_unref (us);
}
