/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* A context that somebody else's kernel has killed, and with it the memory that
 * frames are in.  On a real GPU that may be the end of CUDA in the process, so
 * that the program starts itself once a case, with the case's number. */

#include "flow.h"

#include <stdlib.h>
#include <unistd.h>

#include "process.h"

/* Seconds that a process has. */
#define HANG 60

static const gchar *const backends[] = { "auto", "cuda" };

static GstCudaContext *context;

#ifdef SIMULATED
#include "driver.h"

static CUresult
fault (CUcontext handle, void *data)
{
  return CUDA_ERROR_ILLEGAL_ADDRESS;
}

static void
queue_fault (void)
{
  fail_unless_equals_int (driver_queue (NULL, fault, NULL), CUDA_SUCCESS);
}
#else
#include "gpu-test.h"

static void
queue_fault (void)
{
  fail_unless_equals_int (gpu_test_write_to_nowhere (), cudaSuccess);
}
#endif

static void
kill_context (void)
{
  CUresult (*synchronize) (void) = rig_driver ("cuCtxSynchronize");

  fail_unless (gst_cuda_context_push (context));
  queue_fault ();
  fail_unless_equals_int (synchronize (), CUDA_ERROR_ILLEGAL_ADDRESS);
  fail_unless (gst_cuda_context_pop (NULL));
}

static Flow *
new_flow (guint backend, FlowMemory memory)
{
  Flow *flow = flow_new (backends[backend], 0);

  flow->answer = context;
  flow_play (flow, memory);
  return flow;
}

/* With its context's memory frames are lost too: the stream ends with an error
 * that says so. */
static void
die_in_the_middle (FlowMemory memory, guint backend, gboolean keep)
{
  GstCudaContext *from = memory == FLOW_CUDA_OUT ? NULL : context;
  GstBuffer *in = flow_frame (from, 1), *out;
  Flow *flow = new_flow (backend, memory);

  flow_set_caps (flow, memory);
  out = flow_run (flow, flow_frame (from, 0), 0);
  /* If it is kept the pool has no frame left. */
  if (!keep)
    gst_clear_buffer (&out);
  kill_context ();
  fail_unless_equals_int (gst_harness_push (flow->harness, in), GST_FLOW_ERROR);
  fail_unless (gst_harness_try_pull (flow->harness) == NULL);
  fail_unless_equals_int (flow_take_messages (flow, GST_MESSAGE_ERROR), 1);
  fail_unless (flow_take_messages (flow, GST_MESSAGE_WARNING) <= 1);
  gst_clear_buffer (&out);
  flow_free (flow);
}

/* A context that is dead before it is used has no memory either. */
static void
be_dead_from_the_start (guint backend)
{
  Flow *flow = new_flow (backend, FLOW_CUDA_OUT);

  kill_context ();
  flow_expect_refusal (flow, frames_caps ("", "RGB", 52, 7));
  flow_free (flow);
}

#define IN_THE_MIDDLE (4 * FLOW_N_MEMORIES)
#define CASES (IN_THE_MIDDLE + 2)

/* Of a child; the parent has none. */
static gint chosen = -1;

GST_START_TEST (test_case)
{
  context = gst_cuda_context_new (0);
  if (chosen < IN_THE_MIDDLE)
    die_in_the_middle ((FlowMemory) (chosen / 4), chosen % 2, chosen / 2 % 2);
  else
    be_dead_from_the_start (chosen % 2);
  gst_clear_object (&context);
}

GST_END_TEST;

GST_START_TEST (test_in_a_process)
{
  fail_unless_equals_int (process_run_case (__i__), 0);
}

GST_END_TEST;

static Suite *
dead_suite (void)
{
  Suite *suite = suite_create ("dead");
  TCase *tests = tcase_create ("dead");

  suite_add_tcase (suite, tests);
  rig_check_leaks (tests);
  if (chosen >= 0)
    tcase_add_test (tests, test_case);
  else
    tcase_add_loop_test (tests, test_in_a_process, 0, CASES);
  return suite;
}

int
main (int argc, char **argv)
{
  if (argc > 1) {
    chosen = CLAMP (atoi (argv[1]), 0, CASES - 1);
    alarm (HANG);
  }
  return rig_gpu_main (1, argv, dead_suite);
}
