/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* What somebody else does to the GPU while the element plays, in the context
 * that both work in: a kernel that faults, one that goes on for seconds, memory
 * that is all taken, a device that is reset.  A context that has died is dead
 * for the rest of its process, so that the program starts itself once a case,
 * with the case's number. */

#include "gpu-test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "process.h"

/* Frames before it happens, and after it shows. */
#define BEFORE 10
#define AFTER 20
/* Outputs that are kept for so many frames before they are looked at. */
#define KEPT 30
/* Seconds for it to show, and for a process. */
#define SHOWS 15
#define HANG 60

typedef enum
{
  BY_GPU,                       /* as if nothing had happened */
  BY_CPU,                       /* from some frame on */
  ENDS                          /* with an error */
} Outcome;

#ifdef SIMULATED
#include "simulated.h"

static void
die (void)
{
  simulated.fault = (SimulatedFault) {
  SIM_StreamQuery, simulated.calls[SIM_StreamQuery] + 1,
        cudaErrorIllegalAddress, SIM_DEAD};
}

static void
hang (void)
{
  simulated.busy_us = -1;
}

static void
take_memory (void)
{
  simulated.fault = (SimulatedFault) {
  SIM_Malloc, simulated.calls[SIM_Malloc] + 1, cudaErrorMemoryAllocation,
        SIM_AGAIN};
}

static void
give_memory_back (void)
{
  simulated.fault.at = 0;
}

/* Its work ends when it is asked to, if ever. */
static void
finish (void)
{
}
#else
/* Blocks of GPU memory, a GiB at most. */
static void *taken[4096];
static guint n_taken;

static void
take_memory (void)
{
  for (gsize size = (gsize) 1 << 30; size >= 4096; size /= 2) {
    while (n_taken < G_N_ELEMENTS (taken) &&
        cudaMalloc (&taken[n_taken], size) == cudaSuccess)
      n_taken++;
  }
  cudaGetLastError ();
}

static void
give_memory_back (void)
{
  while (n_taken > 0)
    fail_unless_equals_int (cudaFree (taken[--n_taken]), cudaSuccess);
}

static void
write_to_nowhere (void)
{
  fail_unless_equals_int (gpu_test_write_to_nowhere (), cudaSuccess);
}

static void
stop_itself (void)
{
  fail_unless_equals_int (gpu_test_trap (), cudaSuccess);
}

static void
take_two_seconds (void)
{
  fail_unless_equals_int (gpu_test_occupy (2000000), cudaSuccess);
}

static void
take_eight_seconds (void)
{
  fail_unless_equals_int (gpu_test_occupy (8000000), cudaSuccess);
}

static void
reset (void)
{
  fail_unless_equals_int (cudaDeviceReset (), cudaSuccess);
}

/* What a hung kernel and those behind it have yet to write is written. */
static void
finish (void)
{
  cudaDeviceSynchronize ();
  cudaGetLastError ();
}
#endif

static const struct
{
  const gchar *name;
  void (*happen) (void);
  const gchar *backend;
  gboolean in_place;
  Outcome outcome;
  const gchar *words;
} cases[] = {
#ifdef SIMULATED
  {"dead context", die, "auto", TRUE, BY_CPU, "cudaErrorIllegalAddress"},
  {"dead context", die, "cuda", TRUE, ENDS, "cudaErrorIllegalAddress"},
  {"dead context", die, "cuda", FALSE, ENDS, "cudaErrorIllegalAddress"},
  {"hang", hang, "auto", TRUE, BY_CPU, "did not finish within 5 s"},
#else
  {"write to nowhere", write_to_nowhere, "auto", TRUE, BY_CPU,
      "cudaErrorIllegalAddress"},
  {"write to nowhere", write_to_nowhere, "cuda", TRUE, ENDS,
      "cudaErrorIllegalAddress"},
  {"write to nowhere", write_to_nowhere, "cuda", FALSE, ENDS,
      "cudaErrorIllegalAddress"},
  {"trap", stop_itself, "auto", TRUE, BY_CPU, "cudaErrorLaunchFailure"},
  {"trap", stop_itself, "cuda", FALSE, ENDS, "cudaErrorLaunchFailure"},
  {"2 s of work", take_two_seconds, "auto", TRUE, BY_GPU, NULL},
  {"2 s of work", take_two_seconds, "cuda", TRUE, BY_GPU, NULL},
  {"2 s of work", take_two_seconds, "cuda", FALSE, BY_GPU, NULL},
  {"8 s of work", take_eight_seconds, "auto", TRUE, BY_CPU,
      "did not finish within 5 s"},
  {"8 s of work", take_eight_seconds, "cuda", TRUE, ENDS,
      "did not finish within 5 s"},
  {"8 s of work", take_eight_seconds, "cuda", FALSE, ENDS,
      "did not finish within 5 s"},
  {"device reset", reset, "auto", TRUE, BY_GPU, NULL},
  {"device reset", reset, "cuda", TRUE, BY_GPU, NULL},
#endif
  {"no memory", take_memory, "cuda", FALSE, ENDS, "cudaErrorMemoryAllocation"},
  {"no memory", take_memory, "auto", FALSE, BY_GPU,
        "cudaErrorMemoryAllocation"},
};

/* Of a child; the parent has none. */
static gint chosen = -1;

/* A frame's memory is kept for good. */
static gboolean set_aside;

typedef struct
{
  GstHarness *harness;
  GstBus *bus;
  GQueue kept;                  /* outputs not yet looked at */
  guint in, out, checked;
  GstFlowReturn flow;           /* of the last frame */
} Play;

static void
check_kept (Play * play, guint left)
{
  while (play->kept.length > left)
    gpu_test_check_gray (g_queue_pop_head (&play->kept), play->checked++);
}

static GstBuffer *
next_frame (Play * play)
{
  guint seed = play->in++;

  if (cases[chosen].in_place)
    return gpu_test_frame (play->harness, seed);
  return gpu_test_fill (gst_buffer_new_allocate (NULL, GPU_TEST_RGB_BYTES,
          NULL), seed);
}

/* Frames that are lost take no number, for none comes after. */
static void
push (Play * play)
{
  GstBuffer *out;

  play->flow = gst_harness_push (play->harness, next_frame (play));
  out = gst_harness_try_pull (play->harness);
  fail_unless ((out != NULL) == (play->flow == GST_FLOW_OK));
  if (out != NULL) {
    play->out++;
    g_queue_push_tail (&play->kept, out);
  }
  check_kept (play, KEPT);
}

static void
push_some (Play * play, guint n)
{
  for (guint i = 0; i < n && play->flow == GST_FLOW_OK; i++)
    push (play);
}

static gboolean
shows (Play * play)
{
  return play->flow != GST_FLOW_OK ||
      gpu_test_stat (play->harness, "failovers") > 0;
}

static void
push_until_it_shows (Play * play)
{
  gint64 end = g_get_monotonic_time () + SHOWS * G_USEC_PER_SEC;

  while (!shows (play)) {
    fail_unless (g_get_monotonic_time () < end, "nothing has failed");
    push (play);
  }
}

/* Fails unless just one such message is there, with these words; what it
 * says. */
static void
expect_message (Play * play, GstMessageType type, const gchar * words)
{
  GstMessage *message = gst_bus_pop_filtered (play->bus,
      GST_MESSAGE_WARNING | GST_MESSAGE_ERROR);
  GError *error = NULL;

  fail_unless (message != NULL && GST_MESSAGE_TYPE (message) == type);
  if (type == GST_MESSAGE_WARNING)
    gst_message_parse_warning (message, &error, NULL);
  else
    gst_message_parse_error (message, &error, NULL);
  g_print ("    %s: %s\n", GST_MESSAGE_TYPE_NAME (message), error->message);
  fail_unless (error->domain == GST_RESOURCE_ERROR);
  fail_unless (strstr (error->message, words) != NULL, "%s", error->message);
  g_error_free (error);
  gst_message_unref (message);
}

static void
expect_no_message (Play * play)
{
  fail_unless (gst_bus_pop_filtered (play->bus, GST_MESSAGE_WARNING |
          GST_MESSAGE_ERROR) == NULL);
}

static void
print_frames (Play * play)
{
  g_print ("%s, backend=%s, memory %s: %u frames in, %u out, %"
      G_GUINT64_FORMAT " in place, %" G_GUINT64_FORMAT " staged, %"
      G_GUINT64_FORMAT " by the CPU, %" G_GUINT64_FORMAT " set aside\n",
      cases[chosen].name, cases[chosen].backend,
      cases[chosen].in_place ? "in reach" : "out of reach", play->in, play->out,
      gpu_test_stat (play->harness, "frames-in-place"),
      gpu_test_stat (play->harness, "frames-staged"),
      gpu_test_stat (play->harness, "frames-cpu"),
      gpu_test_stat (play->harness, "frames-set-aside"));
}

static void
check_outcome (Play * play)
{
  Outcome outcome = cases[chosen].outcome;

  print_frames (play);
  set_aside = gpu_test_stat (play->harness, "frames-set-aside") > 0;
  fail_unless_equals_int (play->out, play->in - (outcome == ENDS));
  fail_unless_equals_int (play->checked, play->out);
  fail_unless_equals_uint64 (gpu_test_stat (play->harness, "failovers"),
      cases[chosen].words != NULL && outcome != ENDS);
  if (cases[chosen].words != NULL)
    expect_message (play, outcome == ENDS ? GST_MESSAGE_ERROR :
        GST_MESSAGE_WARNING, cases[chosen].words);
  expect_no_message (play);
  if (outcome == BY_CPU)
    fail_unless (gpu_test_stat (play->harness, "frames-cpu") >= AFTER);
}

/* With auto it plays again, wherever. */
static void
check_restarts (Play * play)
{
  GstElement *element = play->harness->element;
  gint64 start = g_get_monotonic_time ();

  gst_element_set_state (element, GST_STATE_NULL);
  fail_unless (g_get_monotonic_time () - start < G_USEC_PER_SEC);
  gst_util_set_object_arg (G_OBJECT (element), "backend", "auto");
  fail_unless_equals_int (gst_element_set_state (element, GST_STATE_PLAYING),
      GST_STATE_CHANGE_SUCCESS);
  gst_harness_push_event (play->harness, gst_event_new_stream_start ("again"));
  gpu_test_set_caps (play->harness);
  play->flow = GST_FLOW_OK;
  play->in = play->out = play->checked = 0;
  push_some (play, AFTER);
  check_kept (play, 0);
  fail_unless_equals_int (play->out, AFTER);
  g_print ("    again: %" G_GUINT64_FORMAT " frames by the CPU\n",
      gpu_test_stat (play->harness, "frames-cpu"));
}

/* Frames that take a copy, by the CPU meanwhile, and then by the GPU again. */
static void
outlast_shortage (Play * play)
{
  push_until_it_shows (play);
  push_some (play, AFTER);
  fail_unless_equals_uint64 (gpu_test_stat (play->harness, "frames-staged"), 0);
  give_memory_back ();
  g_usleep (1.1 * G_USEC_PER_SEC);
  push_some (play, AFTER);
  fail_unless (gpu_test_stat (play->harness, "frames-staged") > 0);
}

GST_START_TEST (test_case)
{
  Play play = {.harness = gpu_test_harness (cases[chosen].backend),
    .bus = gst_bus_new ()
  };
  gboolean short_of_memory = cases[chosen].happen == take_memory;

  gst_element_set_bus (play.harness->element, play.bus);
  /* A copy's memory stays for the next. */
  push_some (&play, short_of_memory ? 0 : BEFORE);
  cases[chosen].happen ();
  if (cases[chosen].outcome != BY_GPU)
    push_until_it_shows (&play);
  else if (short_of_memory)
    outlast_shortage (&play);
  push_some (&play, AFTER);
  finish ();
  check_kept (&play, 0);
  check_outcome (&play);
  if (short_of_memory)
    give_memory_back ();
  check_restarts (&play);
  gst_element_set_bus (play.harness->element, NULL);
  gst_harness_teardown (play.harness);
  gst_bus_set_flushing (play.bus, TRUE);
  gst_object_unref (play.bus);
}

GST_END_TEST;

GST_START_TEST (test_in_a_process)
{
  fail_unless_equals_int (process_run_case (__i__), 0);
}

GST_END_TEST;

static Suite *
survive_suite (void)
{
  Suite *suite = suite_create ("survive");
  TCase *tcase = tcase_create ("survive");

  suite_add_tcase (suite, tcase);
  if (chosen >= 0)
    tcase_add_test (tcase, test_case);
  else
    tcase_add_loop_test (tcase, test_in_a_process, 0, G_N_ELEMENTS (cases));
  return suite;
}

int
main (int argc, char **argv)
{
  int rc;

  if (argc > 1) {
    chosen = CLAMP (atoi (argv[1]), 0, (gint) G_N_ELEMENTS (cases) - 1);
    alarm (HANG);
  }
#ifdef SIMULATED
  simulated_install ();
#endif
  rc = gpu_test_main (argc, argv, survive_suite);
  /* Before anybody looks for leaks. */
  if (set_aside && fflush (NULL) == 0)
    _exit (rc);
  return rc;
}
