/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Frames that are in another context than the element's: it goes over to
 * theirs, as GStreamer's own CUDA elements do, and whatever it leaves lives as
 * long as it must and no longer. */

#include "flow.h"

#include <gst/app/app.h>
#include <stdio.h>

#include "pipe.h"

#define N_CONTEXTS 2

/* Contexts that come and go; the first of them warm up what CUDA keeps. */
#define WARM_UP 10
#define MANY 110
/* What 100 of them may add on a real GPU: one alone has some hundred MiB of
 * the GPU's memory, and CUDA keeps a little of the host's for each. */
#define MOST_DEVICE_MIB 64
#define MOST_HOST_MIB 32

static GstCudaContext *contexts[N_CONTEXTS];

/* With those. */
static RigCounts before;

static void
make_contexts (void)
{
  for (guint i = 0; i < N_CONTEXTS; i++)
    contexts[i] = gst_cuda_context_new (0);
  before = rig_counts ();
}

static void
drop_contexts (void)
{
  for (guint i = 0; i < N_CONTEXTS; i++)
    gst_clear_object (&contexts[i]);
}

/* A is contexts[0]; S are frames in system memory, under caps for these, as
 * cudadownload lets GstCudaMemory pass. */
static const struct
{
  FlowMemory memory;
  const gchar *frames;
} streams[] = {
  {FLOW_CUDA, "AABBABBA"},
  {FLOW_CUDA_IN, "AABBABBA"},
  {FLOW_SYSTEM, "AABBABBA"},
  {FLOW_CUDA_OUT, "AABBABBA"},
  {FLOW_SYSTEM, "SASBSSBA"},
  {FLOW_CUDA_OUT, "SASBSSBA"},
};

static GstCudaContext *
context_of (gchar name)
{
  return name == 'S' ? NULL : contexts[name - 'A'];
}

/* Only frames in system memory may be copied. */
static void
check_paths (Flow * flow, const gchar * frames)
{
  guint copies = 0;

  for (guint i = 0; frames[i] != '\0'; i++)
    copies += frames[i] == 'S';
  fail_unless (flow_stat (flow, "frames-in-place") >= strlen (frames) - copies);
  fail_unless_equals_uint64 (flow_stat (flow, "failovers"), 0);
  fail_unless_equals_int (flow_device (flow->element), 0);
}

/* All the way, each frame's context is the element's, and that of what comes
 * out.  What came out before stays as it was. */
static void
follow (const gchar * backend, gint device_id, guint stream)
{
  const gchar *frames = streams[stream].frames;
  gboolean cuda_out = (streams[stream].memory & FLOW_CUDA_OUT) != 0;
  Flow *flow = flow_new_started (backend, device_id, streams[stream].memory);
  GstCudaContext *now = flow->made;
  GstBuffer *out[8];

  for (guint n = 0; frames[n] != '\0'; n++) {
    GstCudaContext *context = context_of (frames[n]);

    now = context != NULL ? context : now;
    out[n] = flow_run (flow, flow_frame (context, n), n);
    fail_unless (cuda_gray_cuda_memory_context (out[n]) ==
        (cuda_out ? now : NULL), "frame %u", n);
    fail_unless (flow_ask (flow->element, "src") == now);
    fail_unless (flow_ask (flow->element, "sink") == now);
  }
  check_paths (flow, frames);
  for (guint n = 0; frames[n] != '\0'; n++) {
    flow_check (out[n], n);
    gst_buffer_unref (out[n]);
  }
  flow_free (flow);
}

GST_START_TEST (test_follow)
{
  follow (__i__ % 2 ? "auto" : "cuda", -1, __i__ / 2);
}

GST_END_TEST;

GST_START_TEST (test_follow_on_the_device)
{
  follow ("cuda", 0, __i__);
}

GST_END_TEST;

/* A context of the element's own is gone with the element and the last frame in
 * it. */
GST_START_TEST (test_leave_own)
{
  Flow *flow = flow_new_started ("cuda", -1, FLOW_CUDA);
  GstBuffer *out = flow_run (flow, flow_frame (flow->made, 1), 1);
  GstCudaContext *own = flow->made;

  g_object_add_weak_pointer (G_OBJECT (own), (gpointer *) & own);
  for (guint n = 0; n < 2; n++)
    flow_run_in (flow, contexts[0], n);
  flow_free (flow);
  fail_unless (own != NULL);
  flow_check (out, 1);
  gst_buffer_unref (out);
  fail_unless (own == NULL);
}

GST_END_TEST;

/* With the CPU for a backend nothing is taken up, and frames that are in the
 * GPU's memory all the same are mapped. */
GST_START_TEST (test_cpu)
{
  Flow *flow = flow_new_started ("cpu", -1, FLOW_SYSTEM);

  for (guint n = 0; n < 4; n++) {
    flow_run_in (flow, contexts[n / 2], n);
    fail_unless (flow_ask (flow->element, "src") == NULL);
  }
  fail_unless_equals_uint64 (flow_stat (flow, "frames-cpu"), 4);
  flow_free (flow);
}

GST_END_TEST;

/* A whole life of the element, with the application's context looked at after
 * each step: GstHarness pushes on this thread. */
static void
live (FlowMemory memory)
{
  RigCurrent mine = rig_current ();
  Flow *flow = flow_new ("cuda", -1);

  rig_expect_current (&mine);
  flow_start (flow, memory);
  rig_expect_current (&mine);
  for (guint n = 0; n < 6; n++) {
    GstBuffer *in = flow_frame (memory & FLOW_CUDA_IN || n % 3 ? contexts[n %
            N_CONTEXTS] : NULL, n);
    GstBuffer *out;

    rig_expect_current (&mine);
    fail_unless_equals_int (gst_harness_push (flow->harness, in), GST_FLOW_OK);
    rig_expect_current (&mine);
    out = gst_harness_pull (flow->harness);
    flow_check (out, n);
    gst_buffer_unref (out);
    rig_expect_current (&mine);
  }
  gst_element_set_state (flow->element, GST_STATE_PAUSED);
  rig_expect_current (&mine);
  gst_element_set_state (flow->element, GST_STATE_READY);
  rig_expect_current (&mine);
  gst_element_set_state (flow->element, GST_STATE_NULL);
  rig_expect_current (&mine);
  flow_free (flow);
  rig_expect_current (&mine);
}

/* Without a context of the application's, and with one. */
GST_START_TEST (test_current_context)
{
  CUresult (*set_current) (CUcontext) = rig_driver ("cuCtxSetCurrent");
  CUresult (*create) (CUcontext *, unsigned, CUdevice) =
      rig_driver ("cuCtxCreate_v2");
  CUresult (*destroy) (CUcontext) = rig_driver ("cuCtxDestroy_v2");
  FlowMemory memory = (FlowMemory) (__i__ % FLOW_N_MEMORIES);
  CUcontext own;

  if (__i__ < FLOW_N_MEMORIES) {
    fail_unless_equals_int (set_current (NULL), CUDA_SUCCESS);
    live (memory);
  } else {
    fail_unless_equals_int (create (&own, 0, 0), CUDA_SUCCESS);
    live (memory);
    fail_unless (rig_current ().context == own);
    fail_unless_equals_int (destroy (own), CUDA_SUCCESS);
  }
}

GST_END_TEST;

/* Frames live longer than the element, and longer than anybody else's
 * reference to their context. */
GST_START_TEST (test_outlive)
{
  FlowMemory memory = (FlowMemory) __i__;
  Flow *flow = flow_new_started ("cuda", -1, memory);
  GstBuffer *in[4], *out[4];
  GstMapInfo map;

  for (guint n = 0; n < 4; n++) {
    in[n] = flow_frame (contexts[n / 2], n);
    out[n] = flow_run (flow, gst_buffer_ref (in[n]), n);
  }
  flow_free (flow);
  drop_contexts ();
  for (guint n = 0; n < 4; n++) {
    flow_check (out[n], n);
    fail_unless (gst_buffer_map (in[n], &map, GST_MAP_READ | GST_MAP_CUDA));
    gst_buffer_unmap (in[n], &map);
    fail_unless (gst_buffer_map (in[n], &map, GST_MAP_READ));
    gst_buffer_unmap (in[n], &map);
    gst_buffer_unref (out[n]);
    gst_buffer_unref (in[n]);
  }
}

GST_END_TEST;

static const gchar *const lines[] = {
  "cudaupload ! " CUDA " ! cudagray ! " CUDA,
  "cudagray ! " CUDA " ! cudagray ! " CUDA,
};

/* The same of a pipeline's. */
GST_START_TEST (test_outlive_pipeline)
{
  GstElement *pipeline = pipe_launch ("videotestsrc num-buffers=3 pattern=snow "
      "! video/x-raw,format=RGB,width=52,height=7 ! tee name=t ! queue ! %s,"
      "format=GRAY8 ! appsink name=gray sync=false t. ! queue ! "
      "appsink name=rgb sync=false", lines[__i__]);
  GstSample *gray[3], *rgb[3];

  pipe_set_state (pipeline, GST_STATE_PLAYING);
  for (guint i = 0; i < 3; i++) {
    gray[i] = pipe_pull (pipeline, "gray");
    rgb[i] = pipe_pull (pipeline, "rgb");
  }
  pipe_stop (pipeline, NULL);
  for (guint i = 0; i < 3; i++) {
    gchar *problem = pipe_compare (gst_sample_get_caps (rgb[i]),
        gst_sample_get_buffer (rgb[i]), gst_sample_get_caps (gray[i]),
        gst_sample_get_buffer (gray[i]));

    fail_unless (problem == NULL, "%s", problem);
    gst_sample_unref (rgb[i]);
    gst_sample_unref (gray[i]);
  }
  rig_expect_counts (&before);
}

GST_END_TEST;

/* What a real GPU and this process have in use. */
typedef struct
{
  gint64 device_mib, host_mib;
} Use;

static Use
use_now (GstCudaContext * context)
{
  Use use = { 0, 0 };
#ifndef SIMULATED
  CUresult (*info) (gsize *, gsize *) = rig_driver ("cuMemGetInfo_v2");
  gsize left, all;
  gchar *status, *line;

  fail_unless (gst_cuda_context_push (context));
  fail_unless_equals_int (info (&left, &all), CUDA_SUCCESS);
  fail_unless (gst_cuda_context_pop (NULL));
  fail_unless (g_file_get_contents ("/proc/self/status", &status, NULL, NULL));
  line = strstr (status, "VmRSS:");
  fail_unless (line != NULL);
  use.device_mib = (all - left) >> 20;
  use.host_mib = g_ascii_strtoll (line + strlen ("VmRSS:"), NULL, 10) >> 10;
  g_free (status);
#endif
  return use;
}

static void
run_pipeline_in (GstCudaContext * context)
{
  GstElement *pipeline = pipe_launch ("videotestsrc num-buffers=2 ! "
      "video/x-raw,format=RGB,width=64,height=32 ! cudagray ! " CUDA
      ",format=GRAY8 ! cudagray ! video/x-raw ! fakesink");

  flow_give_context (pipeline, context);
  pipe_play (pipeline, 10);
  pipe_stop (pipeline, NULL);
}

/* Contexts that come and go around an element that goes on. */
GST_START_TEST (test_many)
{
  Flow *lasting = flow_new_started ("cuda", -1, FLOW_CUDA);
  RigCounts now = before;
  Use first = { 0, 0 }, last;

  for (guint i = 0; i < MANY; i++) {
    GstCudaContext *context = gst_cuda_context_new (0);
    Flow *passing = flow_new ("cuda", 0);

    flow_give_context (passing->element, context);
    flow_start (passing, FLOW_CUDA_OUT);
    flow_run_in (passing, NULL, i);
    flow_run_in (lasting, context, i);
    run_pipeline_in (context);
    flow_free (passing);
    gst_object_unref (context);
    /* The pool of the element that lasts has a frame from its first on. */
    if (i == 0)
      now = rig_counts ();
    rig_expect_counts (&now);
    if (i == WARM_UP - 1)
      first = use_now (contexts[0]);
  }
  last = use_now (contexts[0]);
  printf ("%u contexts: %+" G_GINT64_FORMAT " MiB on the device, %+"
      G_GINT64_FORMAT " MiB here\n", MANY - WARM_UP, last.device_mib -
      first.device_mib, last.host_mib - first.host_mib);
  fail_unless (last.device_mib - first.device_mib <= MOST_DEVICE_MIB);
  fail_unless (last.host_mib - first.host_mib <= MOST_HOST_MIB);
  flow_free (lasting);
  rig_expect_counts (&before);
}

GST_END_TEST;

static Suite *
adoption_suite (void)
{
  Suite *suite = suite_create ("adoption");
  TCase *tests = tcase_create ("elements");
  TCase *pipelines = pipe_tcase (suite, "pipelines");

  suite_add_tcase (suite, tests);
  rig_check_leaks (tests);
  tcase_add_checked_fixture (tests, make_contexts, drop_contexts);
  tcase_add_checked_fixture (pipelines, make_contexts, drop_contexts);
  tcase_add_loop_test (tests, test_follow, 0, 2 * G_N_ELEMENTS (streams));
  tcase_add_loop_test (tests, test_follow_on_the_device, 0,
      G_N_ELEMENTS (streams));
  tcase_add_test (tests, test_leave_own);
  tcase_add_test (tests, test_cpu);
  tcase_add_loop_test (tests, test_current_context, 0, 2 * FLOW_N_MEMORIES);
  tcase_add_loop_test (tests, test_outlive, 0, FLOW_N_MEMORIES);
  tcase_add_loop_test (pipelines, test_outlive_pipeline, 0,
      G_N_ELEMENTS (lines));
  tcase_add_test (pipelines, test_many);
  return suite;
}

int
main (int argc, char **argv)
{
  return rig_gpu_main (argc, argv, adoption_suite);
}
