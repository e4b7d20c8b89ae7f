/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* pipeline: a source that hands out recycled buffers ! the converter !
 * fakesink, RGB to GRAY8, with cudagray and with GStreamer's videoconvert on
 * one thread and on all.  The source draws each buffer of its pool once and
 * hands it out again as it is, so that the converter is what is timed.  CPU
 * time is the whole process's, for a frame. */

#include <gst/base/gstpushsrc.h>
#include <gst/gst.h>
#include <stdio.h>

#include "bench.h"
#include "gpu.h"
#include "gstcudagray.h"

#define WARM_UP 20
#define SAMPLES 5

/* A source whose buffers come from the pool that downstream proposes. */
typedef GstPushSrc BenchSrc;
typedef GstPushSrcClass BenchSrcClass;
static GType bench_src_get_type (void);
G_DEFINE_TYPE (BenchSrc, bench_src, GST_TYPE_PUSH_SRC);

static GstFlowReturn
bench_src_fill (GstPushSrc * src, GstBuffer * buffer)
{
  static GQuark drawn;
  GstMemory *memory = gst_buffer_peek_memory (buffer, 0);
  GstMapInfo map;

  if (drawn == 0)
    drawn = g_quark_from_static_string ("bench-drawn");
  if (gst_mini_object_get_qdata (GST_MINI_OBJECT (memory), drawn) != NULL)
    return GST_FLOW_OK;
  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (gsize i = 0; i < map.size; i++)
    map.data[i] = (guint8) (i * 2654435761u >> 13);
  gst_buffer_unmap (buffer, &map);
  gst_mini_object_set_qdata (GST_MINI_OBJECT (memory), drawn, &drawn, NULL);
  return GST_FLOW_OK;
}

static void
bench_src_class_init (BenchSrcClass * klass)
{
  static GstStaticPadTemplate src = GST_STATIC_PAD_TEMPLATE ("src",
      GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS ("video/x-raw"));

  gst_element_class_add_static_pad_template (GST_ELEMENT_CLASS (klass), &src);
  gst_element_class_set_static_metadata (GST_ELEMENT_CLASS (klass), "source",
      "Source", "Recycled buffers", "cudagray");
  klass->fill = bench_src_fill;
}

static void
bench_src_init (BenchSrc * src)
{
  gst_base_src_set_format (GST_BASE_SRC (src), GST_FORMAT_TIME);
}

/* What the sink's probe sees. */
typedef struct
{
  guint count, frames;          /* so far, and to be timed */
  gdouble begin, cpu_begin, end, cpu_end;
} Watch;

static GstPadProbeReturn
count_frame (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Watch *watch = data;

  watch->count++;
  if (watch->count == WARM_UP) {
    watch->begin = bench_now ();
    watch->cpu_begin = bench_process_cpu ();
  } else if (watch->count == WARM_UP + watch->frames) {
    watch->end = bench_now ();
    watch->cpu_end = bench_process_cpu ();
  }
  return GST_PAD_PROBE_OK;
}

static void
run (const gchar * converter, BenchSize size, Watch * watch)
{
  gchar *text = g_strdup_printf ("benchsrc name=src num-buffers=%u ! "
      "video/x-raw,format=RGB,width=%" G_GSIZE_FORMAT ",height=%"
      G_GSIZE_FORMAT ",framerate=30/1 ! %s ! video/x-raw,format=GRAY8 ! "
      "fakesink name=sink", WARM_UP + watch->frames + 1, size.width,
      size.height, converter);
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch (text, &error);
  GstElement *sink;
  GstMessage *message;
  GstBus *bus;
  GstPad *pad;

  if (pipeline == NULL)
    g_error ("%s: %s", text, error->message);
  g_clear_error (&error);
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  pad = gst_element_get_static_pad (sink, "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, count_frame, watch, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  bus = gst_element_get_bus (pipeline);
  message = gst_bus_timed_pop_filtered (bus,
      GST_CLOCK_TIME_NONE, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    g_error ("%s failed", text);
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
  gst_object_unref (pad);
  gst_object_unref (sink);
  gst_object_unref (pipeline);
  g_free (text);
}

static void
measure (const gchar * converter, const gchar * name, BenchSize size,
    guint frames)
{
  GArray *us = bench_samples_new ();
  gdouble cpu = 0;

  for (guint i = 0; i < SAMPLES; i++) {
    Watch watch = {.frames = frames };
    gdouble each;

    run (converter, size, &watch);
    each = (watch.end - watch.begin) / frames;
    g_array_append_val (us, each);
    cpu += (watch.cpu_end - watch.cpu_begin) / frames / SAMPLES;
  }
  bench_print ("pipeline", name, "RGB", size, 1, us, cpu,
      3.0 * size.width * size.height);
  g_array_unref (us);
}

int
main (int argc, char **argv)
{
  LumaBackend *backend;
  GpuStatus status;

  gst_init (&argc, &argv);
  gst_element_register (NULL, "benchsrc", GST_RANK_NONE,
      bench_src_get_type ());
  GST_ELEMENT_REGISTER (cudagray, NULL);
  backend = gpu_open (-1, &status);
  if (backend == NULL) {
    printf ("skipped: %s\n", status.text);
    return 77;
  }
  backend->klass->close (backend);
  bench_print_header ();
  for (guint s = BENCH_FIRST_VGA; s < BENCH_N_SIZES; s++) {
    guint fast = bench_sizes[s].height > 4000 ? 200 :
        bench_sizes[s].height > 1000 ? 500 : 2000;

    measure ("cudagray", "cudagray", bench_sizes[s], fast);
    measure ("cudagray backend=cpu", "cudagray-cpu", bench_sizes[s], fast / 4);
    measure ("videoconvert n-threads=1", "videoconvert-1", bench_sizes[s],
        fast / 10);
    measure ("videoconvert n-threads=0", "videoconvert-all", bench_sizes[s],
        fast / 5);
  }
  return 0;
}
