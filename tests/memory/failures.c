/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Calls of CUDA that fail while frames are in the GPU's memory, and a GPU that
 * does not finish. */

#include "flow.h"

#include "faults.h"

#define N_FRAMES 6
#define FAILING 3               /* the frame, of these, from 0 */
#define ERROR_NAME "cudaErrorLaunchFailure"

static GstCudaContext *contexts[2];     /* both on one device */

static void
make_contexts (void)
{
  contexts[0] = gst_cuda_context_new (0);
  contexts[1] = gst_cuda_context_new (0);
}

static void
drop_contexts (void)
{
  gst_clear_object (&contexts[0]);
  gst_clear_object (&contexts[1]);
}

/* What opening the backend of another context goes through. */
static const struct
{
  FaultsCall call;
  guint after;
  gboolean again;               /* the next attempt too, which is soon */
} openings[] = {
  {FAULTS_STREAM_CREATE, 0, FALSE}, {FAULTS_STREAM_CREATE, 0, TRUE},
  {FAULTS_EVENT_CREATE, 0, FALSE}, {FAULTS_EVENT_CREATE, 0, TRUE},
  {FAULTS_LAUNCH, 0, FALSE}, {FAULTS_LAUNCH, 1, FALSE},
  {FAULTS_LAUNCH, 2, FALSE}, {FAULTS_STREAM_QUERY, 0, FALSE},
  {FAULTS_STREAM_QUERY, 2, FALSE},
};

static void
arm_opening (guint opening)
{
  faults_arm (openings[opening].call, openings[opening].after,
      openings[opening].again, cudaErrorLaunchFailure);
}

static Flow *
new_flow (const gchar * backend, FlowMemory memory)
{
  Flow *flow = flow_new (backend, -1);

  flow->answer = contexts[0];
  flow_start (flow, memory);
  return flow;
}

/* There are so many more backends than there were: each has an event. */
static void
check_backends (const RigCounts * before, gint more)
{
#ifdef SIMULATED
  fail_unless_equals_int (rig_counts ().events, before->events + more);
#endif
}

static void
check_gpu_made_all (Flow * flow, guint n)
{
  fail_unless_equals_uint64 (flow_stat (flow, "frames-cpu"), 0);
  fail_unless_equals_uint64 (flow_stat (flow, "frames-in-place") +
      flow_stat (flow, "frames-staged"), n);
  fail_unless_equals_uint64 (flow_stat (flow, "failovers"), 0);
  fail_unless_equals_int (flow_device (flow->element), 0);
}

/* Where the element can't work in the context of its frames, it converts them
 * from where it is. */
GST_START_TEST (test_opening)
{
  guint opening = __i__ / (2 * FLOW_N_MEMORIES);
  FlowMemory memory = (FlowMemory) (__i__ / 2 % FLOW_N_MEMORIES);
  Flow *flow = new_flow (__i__ % 2 ? "auto" : "cuda", memory);

  for (guint n = 0; n < N_FRAMES; n++) {
    GstBuffer *from = flow_frame (contexts[n / 2 % 2], n), *out;
    /* One that may still be under way. */
    GstBuffer *in = gst_buffer_copy_deep (from);
    RigCounts before = rig_counts ();

    if (n == FAILING - 1)
      arm_opening (opening);
    fail_unless_equals_int (gst_harness_push (flow->harness, in), GST_FLOW_OK);
    if (n == FAILING - 1)
      fail_unless (faults_disarm () > 0);
    check_backends (&before, 0);
    out = gst_harness_pull (flow->harness);
    flow_check (out, n);
    gst_buffer_unref (out);
    gst_buffer_unref (from);
  }
  check_gpu_made_all (flow, N_FRAMES);
  flow_free (flow);
}

GST_END_TEST;

/* The same with the first context, for which caps are enough. */
GST_START_TEST (test_opening_first)
{
  guint opening = __i__ / (FLOW_N_MEMORIES - 1);
  FlowMemory memory = (FlowMemory) (1 + __i__ % (FLOW_N_MEMORIES - 1));
  Flow *flow = flow_new ("cuda", -1);
  RigCounts before;

  flow->answer = contexts[0];
  flow_play (flow, memory);
  before = rig_counts ();
  arm_opening (opening);
  flow_set_caps (flow, memory);
  fail_unless (faults_disarm () > 0);
  check_backends (&before, 0);
  for (guint n = 0; n < N_FRAMES; n++)
    flow_run_in (flow, memory & FLOW_CUDA_IN ? contexts[0] : NULL, n);
  check_gpu_made_all (flow, N_FRAMES);
  flow_free (flow);
}

GST_END_TEST;

/* What a frame goes through.  EventRecord and StreamWaitEvent only where
 * GStreamer's memory names streams, from 1.24 on. */
static const struct
{
  FaultsCall call;
  guint after;
} steps[] = {
  {FAULTS_LAUNCH, 0}, {FAULTS_STREAM_QUERY, 0}, {FAULTS_STREAM_QUERY, 1},
  {FAULTS_EVENT_RECORD, 0}, {FAULTS_EVENT_RECORD, 1},
  {FAULTS_STREAM_WAIT_EVENT, 0}, {FAULTS_STREAM_WAIT_EVENT, 1},
};

/* Whether each frame comes by a step.  A real GPU may be done when it is asked
 * for the first time, and nobody waits for a frame with two streams. */
static gboolean
is_sure (guint step)
{
#ifdef SIMULATED
  guint queries = 2;
#else
  guint queries = 1;
#endif

  if (steps[step].call == FAULTS_LAUNCH)
    return TRUE;
  return !cuda_gray_cuda_has_streams () &&
      steps[step].call == FAULTS_STREAM_QUERY && steps[step].after < queries;
}

/* Pushes frame n, during which one step fails; gives what the push does.  A
 * backend that failed over is closed. */
static GstFlowReturn
push_failing (Flow * flow, guint step, guint n, gboolean * hit)
{
  GstBuffer *in = flow_frame (contexts[0], n);
  RigCounts before = rig_counts ();
  GstFlowReturn result;

  faults_arm (steps[step].call, steps[step].after, FALSE,
      cudaErrorLaunchFailure);
  result = gst_harness_push (flow->harness, in);
  *hit = faults_disarm () > 0;
  check_backends (&before, *hit && result == GST_FLOW_OK ? -1 : 0);
  return result;
}

static void
check_failed_over (Flow * flow, gboolean hit)
{
  if (!hit) {
    check_gpu_made_all (flow, N_FRAMES);
    return;
  }
  flow_expect (flow, GST_MESSAGE_WARNING, ERROR_NAME);
  fail_unless_equals_uint64 (flow_stat (flow, "failovers"), 1);
  fail_unless_equals_uint64 (flow_stat (flow, "frames-cpu"),
      N_FRAMES - FAILING);
  fail_unless_equals_uint64 (flow_stat (flow, "frames-set-aside"), 0);
  fail_unless_equals_int (flow_device (flow->element), -1);
}

/* With backend=auto no frame is lost, and none is wrong, on the device or
 * here. */
GST_START_TEST (test_auto)
{
  guint step = __i__ / FLOW_N_MEMORIES;
  FlowMemory memory = (FlowMemory) (__i__ % FLOW_N_MEMORIES);
  Flow *flow = new_flow ("auto", memory);
  GstBuffer *out[N_FRAMES];
  gboolean hit = FALSE;

  for (guint n = 0; n < N_FRAMES; n++) {
    if (n != FAILING) {
      out[n] = flow_run (flow, flow_frame (contexts[0], n), n);
      continue;
    }
    fail_unless_equals_int (push_failing (flow, step, n, &hit), GST_FLOW_OK);
    out[n] = gst_harness_pull (flow->harness);
  }
  for (guint n = 0; n < N_FRAMES; n++) {
    fail_unless (cuda_gray_cuda_memory_context (out[n]) ==
        (memory & FLOW_CUDA_OUT ? contexts[0] : NULL));
    flow_check (out[n], n);
    gst_buffer_unref (out[n]);
  }
  fail_unless (hit || !is_sure (step));
  check_failed_over (flow, hit);
  /* The next start finds the GPU again. */
  flow_restart (flow, memory);
  flow_run_in (flow, contexts[0], 0);
  check_gpu_made_all (flow, 1);
  flow_free (flow);
}

GST_END_TEST;

/* With backend=cuda it is one error, after which the element can be
 * stopped. */
GST_START_TEST (test_cuda)
{
  guint step = __i__ / FLOW_N_MEMORIES;
  FlowMemory memory = (FlowMemory) (__i__ % FLOW_N_MEMORIES);
  Flow *flow = new_flow ("cuda", memory);
  GstFlowReturn result;
  gboolean hit;

  for (guint n = 0; n < FAILING; n++)
    flow_run_in (flow, contexts[0], n);
  result = push_failing (flow, step, FAILING, &hit);
  fail_unless (hit || !is_sure (step));
  fail_unless_equals_int (result, hit ? GST_FLOW_ERROR : GST_FLOW_OK);
  if (hit) {
    flow_expect (flow, GST_MESSAGE_ERROR, ERROR_NAME);
    fail_unless (gst_harness_try_pull (flow->harness) == NULL);
    fail_unless_equals_uint64 (flow_stat (flow, "frames-in-place"), FAILING);
  }
  fail_unless_equals_uint64 (flow_stat (flow, "failovers"), 0);
  flow_restart (flow, memory);
  if (!hit)
    gst_buffer_unref (gst_harness_pull (flow->harness));
  flow_run_in (flow, contexts[0], 0);
  flow_free (flow);
}

GST_END_TEST;

/* Memory whose address CUDA says nothing about takes a copy. */
GST_START_TEST (test_unknown_address)
{
  FlowMemory memory = (FlowMemory) __i__;
  Flow *flow = new_flow ("cuda", memory);

  for (guint n = 0; n < N_FRAMES; n++) {
    GstBuffer *in = flow_frame (contexts[0], n), *out;

    faults_arm (FAULTS_POINTER_GET_ATTRIBUTES, 0, TRUE, cudaSuccess);
    fail_unless_equals_int (gst_harness_push (flow->harness, in), GST_FLOW_OK);
    fail_unless (faults_disarm () > 0);
    out = gst_harness_pull (flow->harness);
    flow_check (out, n);
    gst_buffer_unref (out);
  }
  fail_unless_equals_uint64 (flow_stat (flow, "frames-staged"), N_FRAMES);
  flow_free (flow);
}

GST_END_TEST;

/* And where there is no memory for the copy, the CPU does it meanwhile. */
GST_START_TEST (test_no_memory_for_copies)
{
  Flow *flow = new_flow ("auto", FLOW_CUDA_OUT);

  faults_arm (FAULTS_MALLOC, 0, TRUE, cudaErrorMemoryAllocation);
  for (guint n = 0; n < N_FRAMES; n++)
    flow_run_in (flow, NULL, n);
  fail_unless (faults_disarm () > 0);
  fail_unless_equals_uint64 (flow_stat (flow, "frames-cpu"), N_FRAMES);
  flow_expect (flow, GST_MESSAGE_WARNING, "cudaErrorMemoryAllocation");
  fail_unless_equals_int (flow_device (flow->element), 0);
  g_usleep (1.1 * G_USEC_PER_SEC);
  flow_run_in (flow, NULL, N_FRAMES);
  fail_unless_equals_uint64 (flow_stat (flow, "frames-staged"), 1);
  fail_unless_equals_uint64 (flow_stat (flow, "failovers"), 1);
  flow_free (flow);
}

GST_END_TEST;

static Suite *
failures_suite (void)
{
  Suite *suite = suite_create ("failures");
  TCase *tests = tcase_create ("failures");

  suite_add_tcase (suite, tests);
  rig_check_leaks (tests);
  faults_add (tests);
  tcase_add_checked_fixture (tests, make_contexts, drop_contexts);
  tcase_add_loop_test (tests, test_opening, 0,
      2 * FLOW_N_MEMORIES * G_N_ELEMENTS (openings));
  tcase_add_loop_test (tests, test_opening_first, 0,
      (FLOW_N_MEMORIES - 1) * G_N_ELEMENTS (openings));
  tcase_add_loop_test (tests, test_auto, 0,
      FLOW_N_MEMORIES * G_N_ELEMENTS (steps));
  tcase_add_loop_test (tests, test_cuda, 0,
      FLOW_N_MEMORIES * G_N_ELEMENTS (steps));
  tcase_add_loop_test (tests, test_unknown_address, 0, FLOW_N_MEMORIES);
  tcase_add_test (tests, test_no_memory_for_copies);
  return suite;
}

int
main (int argc, char **argv)
{
  return rig_gpu_main (argc, argv, failures_suite);
}
