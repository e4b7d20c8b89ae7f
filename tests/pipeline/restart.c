/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Case 16: hundreds of starts in one process; memory and open files stay what
 * they are after the first few. */

#include "pipe.h"

#include "gpu.h"
#include "process.h"

#define LINE "videotestsrc num-buffers=5 ! " \
    "video/x-raw,format=RGB,width=320,height=240 ! cudagray ! fakesink"
#define FIRST 20
#define TIMES 300
#define MAX_GROWTH (5 << 20)

typedef struct
{
  gssize resident;              /* bytes */
  guint files;
  GpuBlockUse blocks;
} Usage;

static void
take_usage (Usage * usage)
{
  usage->resident = process_resident ();
  usage->files = process_open_files ();
  gpu_blocks_use (&usage->blocks);
}

/* Sanitizers keep memory of their own, and what is freed for a while. */
static gssize
max_growth (void)
{
#if defined (__SANITIZE_ADDRESS__) || defined (__SANITIZE_THREAD__)
  return G_MAXSSIZE;
#else
  return MAX_GROWTH;
#endif
}

static void
check_usage (const Usage * before)
{
  Usage now;

  take_usage (&now);
  fail_unless (now.resident - before->resident < max_growth (),
      "%" G_GSSIZE_FORMAT " bytes more are resident",
      now.resident - before->resident);
  fail_unless_equals_int (now.files, before->files);
  fail_unless_equals_uint64 (now.blocks.used, before->blocks.used);
  fail_unless_equals_uint64 (now.blocks.free, before->blocks.free);
  fail_unless_equals_uint64 (now.blocks.pinned, before->blocks.pinned);
}

GST_START_TEST (test_one_pipeline)
{
  GstElement *pipeline = pipe_launch (LINE);
  PipeWatch *watch = pipe_watch (pipeline);
  Usage usage;

  for (gint i = 0; i < TIMES; i++) {
    if (i == FIRST)
      take_usage (&usage);
    pipe_play (pipeline, PIPE_SOON);
    fail_unless_equals_int (watch->out, (i + 1) * 5);
    pipe_set_state (pipeline, GST_STATE_NULL);
  }
  check_usage (&usage);
  pipe_stop (pipeline, watch);
}

GST_END_TEST;

GST_START_TEST (test_new_pipelines)
{
  Usage usage;

  for (gint i = 0; i < TIMES; i++) {
    GstElement *pipeline;

    if (i == FIRST)
      take_usage (&usage);
    pipeline = pipe_launch (LINE);
    pipe_play (pipeline, PIPE_SOON);
    pipe_stop (pipeline, NULL);
  }
  check_usage (&usage);
}

GST_END_TEST;

/* Elements that see no frame, up to a state. */
GST_START_TEST (test_new_elements)
{
  GstState state = __i__;
  Usage usage;

  for (gint i = 0; i < TIMES; i++) {
    GstElement *element;

    if (i == FIRST)
      take_usage (&usage);
    element = gst_element_factory_make ("cudagray", NULL);
    gst_util_set_object_arg (G_OBJECT (element), "backend", pipe_backend ());
    fail_unless (gst_element_set_state (element, state) ==
        GST_STATE_CHANGE_SUCCESS);
    gst_element_set_state (element, GST_STATE_NULL);
    gst_object_unref (element);
  }
  check_usage (&usage);
}

GST_END_TEST;

static Suite *
restart_suite (void)
{
  Suite *s = suite_create ("restart");
  TCase *tc = pipe_tcase (s, "restart");

  tcase_add_test (tc, test_one_pipeline);
  tcase_add_test (tc, test_new_pipelines);
  tcase_add_loop_test (tc, test_new_elements, GST_STATE_NULL,
      GST_STATE_PLAYING + 1);
  return s;
}

int
main (int argc, char **argv)
{
  return pipe_main (argc, argv, restart_suite);
}
