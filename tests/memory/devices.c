/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Several devices in one process: frames of one for an element on another, and
 * streams on both at a time. */

#include "flow.h"

#include <gst/app/app.h>
#include <stdio.h>
#include <stdlib.h>

#include "pipe.h"
#ifdef SIMULATED
#include "runtime.h"
#endif

#define RGB "video/x-raw,format=RGB,width=52,height=7"
#define N_FRAMES 4
#define N_THREADS 4
#define N_THREAD_FRAMES 50

static GstCudaContext *contexts[2];     /* one on each device */

/* With those. */
static RigCounts before;

static void
make_contexts (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (contexts); i++)
    contexts[i] = gst_cuda_context_new (i);
  before = rig_counts ();
}

static void
drop_contexts (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (contexts); i++)
    gst_clear_object (&contexts[i]);
}

static gint
device_of (GstCudaContext * context)
{
  guint id;

  g_object_get (context, "cuda-device-id", &id, NULL);
  return (gint) id;
}

/* Frames of one device to an element that stays on the other: read in place
 * where the devices are peers and the element has a GstCudaContext too. */
GST_START_TEST (test_other_device)
{
  FlowMemory memory = (FlowMemory) (__i__ / 2);
  gint device = __i__ % 2;
  Flow *flow = flow_new ("cuda", device);
  GstCudaContext *theirs = contexts[1 - device];
  gboolean peers = memory != FLOW_SYSTEM &&
      gst_cuda_context_can_access_peer (contexts[device], theirs);

  flow->answer = contexts[device];
  flow_start (flow, memory);
  for (guint n = 0; n < N_FRAMES; n++) {
    GstBuffer *out = flow_run (flow, flow_frame (theirs, n), n);

    fail_unless (cuda_gray_cuda_memory_context (out) ==
        (memory & FLOW_CUDA_OUT ? contexts[device] : NULL));
    gst_buffer_unref (out);
    fail_unless_equals_int (flow_device (flow->element), device);
  }
  fail_unless (flow_ask (flow->element, "src") == (memory == FLOW_SYSTEM ?
          NULL : contexts[device]));
  fail_unless_equals_uint64 (flow_stat (flow, peers ? "frames-in-place" :
          "frames-staged"), N_FRAMES);
  flow_free (flow);
}

GST_END_TEST;

/* A copy within the GPU's memory is one that may be under way when the frame
 * comes, in a context that the element does not work in. */
GST_START_TEST (test_late_frames)
{
  FlowMemory memory = (FlowMemory) (__i__ / 2);
  gint device = __i__ % 2;
  Flow *flow = flow_new ("cuda", device);

  flow->answer = contexts[device];
  flow_start (flow, memory);
  for (guint n = 0; n < N_FRAMES; n++) {
    GstBuffer *in = flow_frame (contexts[1 - device], n);
    GstBuffer *copy = gst_buffer_copy_deep (in);

    gst_buffer_unref (flow_run (flow, copy, n));
    /* Freeing memory would have waited for the copy. */
    gst_buffer_unref (in);
  }
  flow_free (flow);
}

GST_END_TEST;

static const gchar *const outputs[] = {
  "video/x-raw,format=GRAY8", CUDA ",format=GRAY8"
};

/* The same between GStreamer's upload and ours, which both make a context. */
GST_START_TEST (test_upload_to_other_device)
{
  gint device = __i__ % 2;
  GstElement *pipeline = pipe_launch ("videotestsrc num-buffers=5 pattern=snow"
      " ! " RGB " ! cudaupload cuda-device-id=%d ! " CUDA " ! cudagray "
      "backend=cuda cuda-device-id=%d name=gray ! %s ! fakesink", 1 - device,
      device, outputs[__i__ / 2]);
  PipeWatch *watch = pipe_watch (pipeline);

  pipe_play (pipeline, 10);
  fail_unless_equals_int (g_atomic_int_get (&watch->out), 5);
  fail_unless_equals_int (flow_device (watch->element), device);
  fail_unless_equals_int (device_of (flow_ask (watch->element, "src")), device);
  fail_unless_equals_uint64 (pipe_stat (watch->element, "frames-in-place") +
      pipe_stat (watch->element, "frames-staged"), 5);
  /* Not with the watch: the backend is not one that the environment names. */
  pipe_stop (pipeline, NULL);
  pipe_watch_free (watch);
  rig_expect_counts (&before);
}

GST_END_TEST;

static void
check_sample (GstElement * pipeline, const gchar * name, GstSample * rgb,
    gint device, gboolean cuda)
{
  GstSample *gray = pipe_pull (pipeline, name);
  GstCudaContext *context =
      cuda_gray_cuda_memory_context (gst_sample_get_buffer (gray));
  gchar *problem = pipe_compare (gst_sample_get_caps (rgb),
      gst_sample_get_buffer (rgb), gst_sample_get_caps (gray),
      gst_sample_get_buffer (gray));

  fail_unless (problem == NULL, "%s: %s", name, problem);
  fail_unless (cuda == (context != NULL));
  if (cuda)
    fail_unless_equals_int (device_of (context), device);
  gst_sample_unref (gray);
}

static const gchar *const sources[] = {
  "", "! cudaupload cuda-device-id=0 ! " CUDA,
  "! cudaupload cuda-device-id=1 ! " CUDA
};

#define N_TEES (G_N_ELEMENTS (sources) * G_N_ELEMENTS (outputs) * \
    G_N_ELEMENTS (outputs))

/* One pipeline on both devices. */
GST_START_TEST (test_tee)
{
  guint way[2] = { __i__ % 2, __i__ / 2 % 2 };
  GstElement *pipeline = pipe_launch ("videotestsrc num-buffers=%d pattern=snow"
      " ! " RGB " %s ! tee name=t ! queue ! appsink name=rgb sync=false "
      "t. ! queue ! cudagray cuda-device-id=0 name=gray0 backend=cuda ! %s ! "
      "appsink name=0 sync=false "
      "t. ! queue ! cudagray cuda-device-id=1 name=gray1 backend=cuda ! %s ! "
      "appsink name=1 sync=false", N_FRAMES, sources[__i__ / 4],
      outputs[way[0]], outputs[way[1]]);

  pipe_set_state (pipeline, GST_STATE_PLAYING);
  for (guint n = 0; n < N_FRAMES; n++) {
    GstSample *rgb = pipe_pull (pipeline, "rgb");

    check_sample (pipeline, "0", rgb, 0, way[0]);
    check_sample (pipeline, "1", rgb, 1, way[1]);
    gst_sample_unref (rgb);
  }
  for (guint i = 0; i < 2; i++) {
    GstElement *gray = gst_bin_get_by_name (GST_BIN (pipeline),
        i == 0 ? "gray0" : "gray1");

    fail_unless_equals_int (flow_device (gray), i);
    gst_object_unref (gray);
  }
  pipe_stop (pipeline, NULL);
  rig_expect_counts (&before);
}

GST_END_TEST;

/* An element on one device makes no context on the other. */
GST_START_TEST (test_alone)
{
  FlowMemory memory = (FlowMemory) (__i__ / 2);
  gint device = __i__ % 2;
  guint other = rig_contexts_made (1 - device);
  Flow *flow = flow_new_started ("cuda", device, memory);

  for (guint n = 0; n < N_FRAMES; n++)
    flow_run_in (flow, memory & FLOW_CUDA_IN ? contexts[device] : NULL, n);
  fail_unless_equals_int (flow_device (flow->element), device);
  fail_unless_equals_int (flow->had, memory == FLOW_SYSTEM ? 0 : 1);
  if (flow->made != NULL)
    fail_unless_equals_int (device_of (flow->made), device);
  flow_free (flow);
  fail_unless_equals_int (rig_contexts_made (1 - device), other);
}

GST_END_TEST;

/* A context on another device than the one that was asked for is not taken, by
 * whichever way it comes. */
GST_START_TEST (test_refused_context)
{
  gint device = __i__ % 2;
  Flow *flow = flow_new ("cuda", device);
  GstBuffer *out;

  if (__i__ < 2)
    flow_give_context (flow->element, contexts[1 - device]);
  else
    flow->answer = contexts[1 - device];
  flow_start (flow, FLOW_CUDA_OUT);
  fail_unless_equals_int (flow->needed, 1);
  fail_unless_equals_int (flow->had, 1);
  out = flow_run (flow, flow_frame (NULL, 1), 1);
  fail_unless (frames_memory (out)->context == flow->made);
  fail_unless_equals_int (device_of (flow->made), device);
  fail_unless_equals_int (flow_device (flow->element), device);
  gst_buffer_unref (out);
  flow_free (flow);
}

GST_END_TEST;

/* Without a device asked for, one on any device is taken. */
GST_START_TEST (test_accepted_context)
{
  Flow *flow = flow_new ("auto", -1);
  GstBuffer *out;

  flow_give_context (flow->element, contexts[__i__]);
  flow_start (flow, FLOW_CUDA_OUT);
  fail_unless_equals_int (flow->needed, 0);
  out = flow_run (flow, flow_frame (NULL, 1), 1);
  fail_unless (frames_memory (out)->context == contexts[__i__]);
  fail_unless_equals_int (flow_device (flow->element), __i__);
  gst_buffer_unref (out);
  flow_free (flow);
}

GST_END_TEST;

/* The error names all that there are. */
GST_START_TEST (test_no_such_device)
{
  static const gchar *const backends[] = { "auto", "cuda" };
  gint n = rig_devices ();
  Flow *flow = flow_new (backends[__i__ % 2], n + __i__ / 2);
  GString *words = g_string_new (NULL);

  g_string_printf (words, "there is no CUDA device %d; there are only 0",
      n + __i__ / 2);
  for (gint i = 1; i < n; i++)
    g_string_append_printf (words, ", %d", i);
  g_string_append_c (words, '.');
  fail_unless_equals_int (gst_element_set_state (flow->element,
          GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  flow_expect (flow, GST_MESSAGE_ERROR, words->str);
  g_string_free (words, TRUE);
  flow_free (flow);
}

GST_END_TEST;

/* Without a device asked for, the element follows its frames from one to the
 * other and back; with one it stays. */
GST_START_TEST (test_follow)
{
  static const guint order[] = { 0, 1, 1, 0, 1, 0, 0 };
  FlowMemory memory = (FlowMemory) (__i__ % FLOW_N_MEMORIES);
  gint asked = __i__ / FLOW_N_MEMORIES - 1;
  Flow *flow = flow_new_started ("cuda", asked, memory);

  for (guint n = 0; n < G_N_ELEMENTS (order); n++) {
    GstCudaContext *theirs = contexts[order[n]];
    gint device = asked >= 0 ? asked : (gint) order[n];
    GstBuffer *out = flow_run (flow, flow_frame (theirs, n), n);
    GstCudaContext *context = cuda_gray_cuda_memory_context (out);

    fail_unless_equals_int (flow_device (flow->element), device);
    if (memory & FLOW_CUDA_OUT)
      fail_unless_equals_int (device_of (context), device);
    if (device == (gint) order[n])
      fail_unless (flow_ask (flow->element, "sink") == theirs);
    gst_buffer_unref (out);
  }
  fail_unless_equals_uint64 (flow_stat (flow, "frames-cpu"), 0);
  flow_free (flow);
}

GST_END_TEST;

/* One stream, pushed from a thread of its own. */
typedef struct
{
  Flow *flow;
  GThread *thread;
  guint first;
  GstBuffer *in[N_THREAD_FRAMES];
  guint right;
} Stream;

static gpointer
push_all (gpointer data)
{
  Stream *stream = data;

  for (guint n = 0; n < N_THREAD_FRAMES; n++) {
    GstBuffer *out;

    if (gst_harness_push (stream->flow->harness, stream->in[n]) != GST_FLOW_OK)
      break;
    out = gst_harness_try_pull (stream->flow->harness);
    if (out == NULL)
      break;
    stream->right += flow_is_gray (out, stream->first + n);
    gst_buffer_unref (out);
  }
  return NULL;
}

/* Streams on both devices at a time; every second frame is the other
 * device's. */
GST_START_TEST (test_threads)
{
  static Stream streams[N_THREADS];

  for (guint i = 0; i < N_THREADS; i++) {
    FlowMemory memory = (FlowMemory) ((i + __i__) % FLOW_N_MEMORIES);

    streams[i].flow = flow_new_started ("cuda", i % 2, memory);
    streams[i].first = i * N_THREAD_FRAMES;
    streams[i].right = 0;
    for (guint n = 0; n < N_THREAD_FRAMES; n++)
      streams[i].in[n] = flow_frame (memory & FLOW_CUDA_IN ?
          contexts[(i + n) % 2] : NULL, streams[i].first + n);
  }
  for (guint i = 0; i < N_THREADS; i++)
    streams[i].thread = g_thread_new ("stream", push_all, &streams[i]);
  for (guint i = 0; i < N_THREADS; i++)
    g_thread_join (streams[i].thread);
  for (guint i = 0; i < N_THREADS; i++) {
    fail_unless_equals_int (streams[i].right, N_THREAD_FRAMES);
    fail_unless_equals_int (flow_device (streams[i].flow->element), i % 2);
    flow_free (streams[i].flow);
  }
}

GST_END_TEST;

/* What the first stream of the process, on the second device alone, made on
 * the first. */
static guint made_by_second;

GST_START_TEST (test_second_alone)
{
  fail_unless_equals_int (made_by_second, 0);
}

GST_END_TEST;

#ifdef SIMULATED
/* Before check runs: what a device is opened for stays open. */
static void
use_second_alone (void)
{
  gpu_calls = &driver_calls;
  gst_init (NULL, NULL);
  GST_ELEMENT_REGISTER (cudagray, NULL);
  for (guint i = 0; i < 2 && rig_devices () > 1; i++) {
    GstHarness *harness = gst_harness_new_parse ("cudagray backend=cuda "
        "cuda-device-id=1");
    GstCaps *caps = gst_caps_from_string (RGB);
    GstVideoInfo info;

    gst_video_info_from_caps (&info, caps);
    gst_harness_set_sink_caps_str (harness, outputs[i]);
    gst_harness_set_src_caps (harness, caps);
    gst_harness_push (harness, gst_buffer_new_allocate (NULL, info.size, NULL));
    gst_harness_teardown (harness);
  }
  made_by_second = rig_contexts_made (0);
}
#endif

/* What a device's first use leaves for good is no leak. */
static void
open_devices (void)
{
  GpuStatus status;

  for (gint i = 0; i < 2; i++) {
    LumaBackend *backend = gpu_open (i, &status);

    backend->klass->close (backend);
  }
}

static Suite *
devices_suite (void)
{
  Suite *suite = suite_create ("devices");
  TCase *tests = tcase_create ("elements");
  TCase *pipelines = pipe_tcase (suite, "pipelines");

  if (rig_devices () < 2) {
    printf ("skipped: there is one CUDA device, and two are needed\n");
    exit (77);
  }
  open_devices ();
  suite_add_tcase (suite, tests);
  rig_check_leaks (tests);
  tcase_add_checked_fixture (tests, make_contexts, drop_contexts);
  tcase_add_checked_fixture (pipelines, make_contexts, drop_contexts);
  tcase_add_loop_test (tests, test_other_device, 0, 2 * FLOW_N_MEMORIES);
  tcase_add_loop_test (tests, test_late_frames, 0, 2 * FLOW_N_MEMORIES);
  tcase_add_loop_test (pipelines, test_upload_to_other_device, 0,
      2 * G_N_ELEMENTS (outputs));
  tcase_add_loop_test (pipelines, test_tee, 0, N_TEES);
  tcase_add_loop_test (tests, test_alone, 0, 2 * FLOW_N_MEMORIES);
  tcase_add_test (tests, test_second_alone);
  tcase_add_loop_test (tests, test_refused_context, 0, 4);
  tcase_add_loop_test (tests, test_accepted_context, 0, 2);
  tcase_add_loop_test (tests, test_no_such_device, 0, 4);
  tcase_add_loop_test (tests, test_follow, 0, 3 * FLOW_N_MEMORIES);
  tcase_add_loop_test (tests, test_threads, 0, FLOW_N_MEMORIES);
  return suite;
}

int
main (int argc, char **argv)
{
#ifdef SIMULATED
  use_second_alone ();
#endif
  return rig_gpu_main (argc, argv, devices_suite);
}
