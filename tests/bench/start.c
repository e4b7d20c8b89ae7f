/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* start: what a stream's start costs at 1080p.  `first` is the process's
 * first: it creates the context and loads the kernels. */

#include <gst/check/gstharness.h>
#include <stdio.h>

#include "bench.h"
#include "gstcudagray.h"

#define AGAIN 20

static const BenchSize size = { 1920, 1080 };

enum
{ PAUSED, FRAME_1, FRAME_2, N_STEPS };

static const gchar *const names[N_STEPS] = {
  "READY to PAUSED", "frame 1", "frame 2"
};

/* One life of an element; buffers are drawn before time is taken. */
static gboolean
live (gdouble us[N_STEPS])
{
  GstElement *element = g_object_new (GST_TYPE_CUDA_GRAY, NULL);
  GstBuffer *in[2];
  GstHarness *harness;
  gdouble start;

  gst_util_set_object_arg (G_OBJECT (element), "backend", "cuda");
  gst_element_set_state (element, GST_STATE_READY);
  start = bench_now ();
  if (gst_element_set_state (element, GST_STATE_PAUSED) ==
      GST_STATE_CHANGE_FAILURE) {
    gst_object_unref (element);
    return FALSE;
  }
  us[PAUSED] = bench_now () - start;
  harness = gst_harness_new_with_element (element, "sink", "src");
  gst_harness_set_src_caps_str (harness,
      "video/x-raw,format=RGB,width=1920,height=1080,framerate=30/1");
  for (guint i = 0; i < 2; i++) {
    in[i] = gst_harness_create_buffer (harness, 3 * size.width * size.height);
    gst_buffer_memset (in[i], 0, i + 1, -1);
  }
  for (guint i = 0; i < 2; i++) {
    start = bench_now ();
    gst_harness_push (harness, in[i]);
    us[FRAME_1 + i] = bench_now () - start;
    gst_buffer_unref (gst_harness_pull (harness));
  }
  gst_harness_teardown (harness);
  gst_object_unref (element);
  return TRUE;
}

static void
print (const gchar * frames, GArray * us[N_STEPS])
{
  for (guint s = 0; s < N_STEPS; s++) {
    bench_print ("start", names[s], frames, size, 1, us[s], -1,
        3.0 * size.width * size.height);
    g_array_set_size (us[s], 0);
  }
}

int
main (int argc, char **argv)
{
  GArray *us[N_STEPS];
  gdouble took[N_STEPS];

  gst_init (&argc, &argv);
  for (guint s = 0; s < N_STEPS; s++)
    us[s] = bench_samples_new ();
  for (guint i = 0; i <= AGAIN; i++) {
    if (!live (took)) {
      puts ("skipped: no usable GPU");
      return 77;
    }
    for (guint s = 0; s < N_STEPS; s++)
      g_array_append_val (us[s], took[s]);
    if (i == 0) {
      bench_print_header ();
      print ("first", us);
    }
  }
  print ("again", us);
  return 0;
}
