/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Whose CUDA context the element works in: the application's, its neighbours'
 * or one of its own, as with GStreamer's own CUDA elements. */

#include "flow.h"

#include <gst/base/gstbasetransform.h>

#include "pipe.h"

#define RGB "video/x-raw,format=RGB,width=320,height=48"
#define CUDA_GRAY8 CUDA ",format=GRAY8"
#define N_STRESS 200
/* Seconds; a context takes some tenths on a real GPU. */
#define SOON 10

static GstCudaContext *offered;
static gint stop_asking;

/* With those. */
static RigCounts before;

static void
make_offered (void)
{
  offered = gst_cuda_context_new (0);
  fail_unless (offered != NULL);
  before = rig_counts ();
}

static void
drop_offered (void)
{
  g_atomic_int_set (&stop_asking, TRUE);
  gst_clear_object (&offered);
}

/* The context that a flow's frames must be in, and that it must tell. */
static void
check_works_in (Flow * flow, FlowMemory memory, GstCudaContext * context)
{
  GstBuffer *out = flow_run (flow, flow_frame (memory & FLOW_CUDA_IN ? context :
          NULL, 1), 1);

  fail_unless (cuda_gray_cuda_memory_context (out) ==
      (memory & FLOW_CUDA_OUT ? context : NULL));
  gst_buffer_unref (out);
  fail_unless (flow_ask (flow->element, "sink") == context);
  fail_unless (flow_ask (flow->element, "src") == context);
  /* Ordinary memory takes a copy, on most machines. */
  if (memory & FLOW_CUDA_IN)
    fail_unless_equals_uint64 (flow_stat (flow, "frames-in-place"), 1);
  fail_unless_equals_uint64 (flow_stat (flow, "frames-cpu"), 0);
}

/* The application's context, given before the start: nobody is asked. */
GST_START_TEST (test_given)
{
  FlowMemory memory = (FlowMemory) (__i__ % FLOW_N_MEMORIES);
  Flow *flow = flow_new ("cuda", __i__ / FLOW_N_MEMORIES - 1);
  guint made = rig_contexts_made (0);

  if (memory == FLOW_SYSTEM)
    memory = FLOW_CUDA;
  flow_give_context (flow->element, offered);
  flow_start (flow, memory);
  check_works_in (flow, memory, offered);
  fail_unless_equals_int (flow->needed, 0);
  fail_unless_equals_int (flow->had, 0);
  flow_free (flow);
  fail_unless_equals_int (rig_contexts_made (0), made);
}

GST_END_TEST;

/* Given from the bus's sync handler, when the element asks for one. */
GST_START_TEST (test_asked_for)
{
  FlowMemory memory = (FlowMemory) (__i__ % FLOW_N_MEMORIES);
  Flow *flow = flow_new ("auto", __i__ / FLOW_N_MEMORIES - 1);
  guint made = rig_contexts_made (0);

  flow->answer = offered;
  flow_start (flow, memory);
  if (memory == FLOW_SYSTEM) {
    fail_unless_equals_int (flow->needed, 0);
  } else {
    fail_unless_equals_int (flow->needed, 1);
    check_works_in (flow, memory, offered);
  }
  fail_unless_equals_int (flow->had, 0);
  flow_free (flow);
  fail_unless_equals_int (rig_contexts_made (0), made);
}

GST_END_TEST;

/* Nobody has one: the element makes it, and says so. */
GST_START_TEST (test_made)
{
  FlowMemory memory = (FlowMemory) (__i__ + 1);
  guint made = rig_contexts_made (0);
  Flow *flow = flow_new_started ("cuda", -1, memory);

  fail_unless_equals_int (flow->needed, 1);
  fail_unless_equals_int (flow->had, 1);
  fail_unless (flow->made != NULL && flow->made != offered);
  check_works_in (flow, memory, flow->made);
  fail_unless_equals_int (flow->had, 1);
#ifdef SIMULATED
  fail_unless_equals_int (rig_contexts_made (0), made + 1);
#else
  fail_unless_equals_int (rig_contexts_made (0), made);
#endif
  flow_free (flow);
}

GST_END_TEST;

/* Given to an element that never starts. */
GST_START_TEST (test_given_for_nothing)
{
  Flow *flow = flow_new ("cuda", -1);

  flow_give_context (flow->element, offered);
  flow_free (flow);
  fail_unless_equals_int (GST_OBJECT_REFCOUNT_VALUE (offered), 1);
}

GST_END_TEST;

/* Told while it runs, not before and not after; and the next run starts
 * afresh. */
GST_START_TEST (test_told_while_running)
{
  Flow *flow = flow_new ("cuda", 0);

  fail_unless (flow_ask (flow->element, "sink") == NULL);
  fail_unless (flow_ask (flow->element, "src") == NULL);
  for (guint run = 0; run < 3; run++) {
    flow->answer = run == 1 ? NULL : offered;
    if (run == 0)
      flow_start (flow, FLOW_CUDA);
    else
      flow_restart (flow, FLOW_CUDA);
    fail_unless_equals_int (flow->needed, run + 1);
    check_works_in (flow, FLOW_CUDA, run == 1 ? flow->made : offered);
    gst_element_set_state (flow->element, GST_STATE_NULL);
    fail_unless (flow_ask (flow->element, "sink") == NULL);
    fail_unless (flow_ask (flow->element, "src") == NULL);
  }
  fail_unless_equals_int (flow->had, 1);
  flow_free (flow);
}

GST_END_TEST;

/* A context that comes later does not replace the one that frames are in. */
GST_START_TEST (test_given_while_running)
{
  Flow *flow = flow_new_started ("cuda", -1, FLOW_CUDA_OUT);
  GstBuffer *out;

  flow_give_context (flow->element, offered);
  fail_unless (flow_ask (flow->element, "src") == flow->made);
  for (guint n = 0; n < 3; n++) {
    out = flow_run (flow, flow_frame (NULL, n), n);
    fail_unless (frames_memory (out)->context == flow->made);
    gst_buffer_unref (out);
    flow_set_caps (flow, FLOW_CUDA_OUT);
  }
  flow_free (flow);
}

GST_END_TEST;

/* Frames in system memory need no GstCudaContext, whatever converts them. */
GST_START_TEST (test_system_makes_none)
{
  static const gchar *const backends[] = { "auto", "cuda", "cpu" };
  guint made = rig_contexts_made (0);
  Flow *flow = flow_new_started (backends[__i__], -1, FLOW_SYSTEM);
  GstElement *pipeline;

  for (guint n = 0; n < 3; n++)
    flow_run_in (flow, NULL, n);
  fail_unless (flow_ask (flow->element, "src") == NULL);
  fail_unless_equals_int (flow->needed + flow->had, 0);
  flow_free (flow);

  pipeline = pipe_launch ("videotestsrc num-buffers=3 ! " RGB
      " ! cudagray backend=%s ! video/x-raw,format=GRAY8 ! cudagray ! "
      "fakesink", backends[__i__]);
  pipe_play (pipeline, SOON);
  pipe_stop (pipeline, NULL);
  fail_unless_equals_int (rig_contexts_made (0), made);
  rig_expect_counts (&before);
}

GST_END_TEST;

/* The contexts of all frames that come by, with a reference each, so that no
 * two have the same address. */
typedef struct
{
  GMutex lock;
  GHashTable *contexts;
  guint frames;
} Seen;

static GstPadProbeReturn
note_context (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Seen *seen = data;
  GstCudaContext *context =
      cuda_gray_cuda_memory_context (GST_PAD_PROBE_INFO_BUFFER (info));

  if (context != NULL) {
    g_mutex_lock (&seen->lock);
    g_hash_table_add (seen->contexts, gst_object_ref (context));
    seen->frames++;
    g_mutex_unlock (&seen->lock);
  }
  return GST_PAD_PROBE_OK;
}

static void
probe_pads (const GValue * item, gpointer seen)
{
  GstElement *element = g_value_get_object (item);

  for (GList * pads = element->srcpads; pads != NULL; pads = pads->next)
    gst_pad_add_probe (pads->data, GST_PAD_PROBE_TYPE_BUFFER, note_context,
        seen, NULL);
}

/* Each cudagray of a pipeline tells the context, which item becomes. */
static void
check_tells (const GValue * item, gpointer context)
{
  fail_unless (flow_ask (g_value_get_object (item), "sink") == context);
  fail_unless (flow_ask (g_value_get_object (item), "src") == context);
}

static void
for_each (GstElement * pipeline, const gchar * factory,
    GstIteratorForeachFunction function, gpointer data)
{
  GstIterator *all = factory != NULL ?
      gst_bin_iterate_all_by_element_factory_name (GST_BIN (pipeline),
      factory) : gst_bin_iterate_elements (GST_BIN (pipeline));

  fail_unless_equals_int (gst_iterator_foreach (all, function, data),
      GST_ITERATOR_DONE);
  gst_iterator_free (all);
}

static const struct
{
  const gchar *line;
  guint frames;                 /* in the GPU's memory, on all links, of each
                                   frame */
} lines[] = {
  {"cudaupload ! cudagray ! video/x-raw,format=GRAY8 ! fakesink", 1},
  {"cudaupload ! " CUDA " ! cudagray ! " CUDA_GRAY8 " ! fakesink", 4},
  {"cudagray ! " CUDA_GRAY8 " ! cudagray ! " CUDA " ! fakesink", 4},
  {"cudagray ! " CUDA_GRAY8 " ! identity ! cudagray ! video/x-raw ! fakesink",
      3},
  {"cudagray ! " CUDA_GRAY8 " ! queue ! cudagray ! video/x-raw ! fakesink", 3},
  {"cudaupload ! " CUDA " ! queue ! cudagray ! " CUDA " ! queue ! cudagray ! "
        "video/x-raw ! cudagray ! " CUDA " ! fakesink", 8},
  {"cudaupload ! " CUDA ",format=RGB ! tee name=t ! queue ! cudagray ! " CUDA
        " ! fakesink t. ! queue ! cudagray ! " CUDA " ! fakesink", 10},
};

/* All of a pipeline's elements share one. */
GST_START_TEST (test_neighbours)
{
  guint made = rig_contexts_made (0);
  Seen seen = {.contexts = g_hash_table_new_full (NULL, NULL, gst_object_unref,
        NULL)
  };
  GstElement *pipeline = pipe_launch ("videotestsrc num-buffers=5 ! " RGB
      " ! %s", lines[__i__].line);
  GHashTableIter all;
  gpointer context;

  g_mutex_init (&seen.lock);
  for_each (pipeline, NULL, probe_pads, &seen);
  pipe_play (pipeline, SOON);
  fail_unless_equals_int (g_hash_table_size (seen.contexts), 1);
  fail_unless_equals_int (seen.frames, 5 * lines[__i__].frames);
  g_hash_table_iter_init (&all, seen.contexts);
  fail_unless (g_hash_table_iter_next (&all, &context, NULL));
  for_each (pipeline, "cudagray", check_tells, context);
  pipe_stop (pipeline, NULL);
  g_hash_table_unref (seen.contexts);
  g_mutex_clear (&seen.lock);
  fail_unless (rig_contexts_made (0) <= made + 1);
  rig_expect_counts (&before);
}

GST_END_TEST;

/* The bin that has the pipeline's context gives it to all. */
GST_START_TEST (test_pipeline_context)
{
  guint made = rig_contexts_made (0);
  GstElement *pipeline = pipe_launch ("videotestsrc num-buffers=3 ! " RGB
      " ! cudagray ! " CUDA_GRAY8 " ! fakesink name=sink");

  flow_give_context (pipeline, offered);
  pipe_play (pipeline, SOON);
  for_each (pipeline, "cudagray", check_tells, offered);
  pipe_stop (pipeline, NULL);
  fail_unless_equals_int (rig_contexts_made (0), made);
  rig_expect_counts (&before);
}

GST_END_TEST;

/* Who asks too late: with new caps downstream, or just for a pool. */
typedef struct
{
  GstCaps *caps;
  gboolean again, asked;
} Late;

static void
ask_late (GstElement * element, GParamSpec * pspec, gpointer data)
{
  Late *late = data;
  GstPad *pad = gst_element_get_static_pad (element, "sink");
  GstQuery *query = gst_query_new_allocation (late->caps, TRUE);

  if (late->again)
    gst_base_transform_reconfigure_src (GST_BASE_TRANSFORM (element));
  late->asked = TRUE;
  gst_pad_query (pad, query);
  gst_query_unref (query);
  gst_object_unref (pad);
}

/* An ALLOCATION query that comes while the element stops, as one on another
 * thread can: a stopped element must not take up a context again. */
GST_START_TEST (test_asked_while_stopping)
{
  FlowMemory memory = (FlowMemory) (1 + __i__ / 2);
  guint made = rig_contexts_made (0);
  Flow *flow = flow_new ("cuda", -1);
  Late late = { NULL, __i__ % 2, FALSE };

  flow->answer = offered;
  flow_start (flow, memory);
  flow_run_in (flow, memory & FLOW_CUDA_IN ? offered : NULL, 1);
  late.caps = gst_pad_get_current_caps (GST_BASE_TRANSFORM_SINK_PAD
      (flow->element));
  g_signal_connect (flow->element, "notify::stats", G_CALLBACK (ask_late),
      &late);
  gst_element_set_state (flow->element, GST_STATE_NULL);
  fail_unless (late.asked);
  fail_unless (flow_ask (flow->element, "src") == NULL);
  fail_unless_equals_int (flow->needed, 1);
  /* The base class says that it could not negotiate. */
  flow_take_messages (flow, GST_MESSAGE_WARNING);
  flow_free (flow);
  fail_unless_equals_int (rig_contexts_made (0), made);
  gst_caps_unref (late.caps);
}

GST_END_TEST;

static gpointer
ask_on (gpointer data)
{
  Flow *flow = data;
  guint answers = 0;

  while (!g_atomic_int_get (&stop_asking)) {
    answers += flow_ask (flow->element, "sink") != NULL;
    answers += flow_ask (flow->element, "src") != NULL;
  }
  return GUINT_TO_POINTER (answers);
}

static gpointer
give_on (gpointer data)
{
  Flow *flow = data;

  while (!g_atomic_int_get (&stop_asking))
    flow_give_context (flow->element, offered);
  return NULL;
}

/* Asked from another thread, and given one from a third, all the time, while it
 * changes contexts, starts and stops. */
GST_START_TEST (test_asked_all_the_time)
{
  GstCudaContext *other = gst_cuda_context_new (0);
  Flow *flow = flow_new_started ("cuda", -1, FLOW_CUDA);
  GThread *asks, *gives;

  g_atomic_int_set (&stop_asking, FALSE);
  asks = g_thread_new ("ask", ask_on, flow);
  gives = g_thread_new ("give", give_on, flow);
  for (guint n = 0; n < N_STRESS; n++) {
    flow_run_in (flow, n % 2 ? offered : other, n);
    if (n % 4 == 3)
      flow_restart (flow, FLOW_CUDA);
  }
  g_atomic_int_set (&stop_asking, TRUE);
  fail_unless (GPOINTER_TO_UINT (g_thread_join (asks)) > 0);
  g_thread_join (gives);
  flow_free (flow);
  gst_object_unref (other);
}

GST_END_TEST;

static Suite *
contexts_suite (void)
{
  Suite *suite = suite_create ("contexts");
  TCase *tests = tcase_create ("elements");
  TCase *pipelines = pipe_tcase (suite, "pipelines");

  suite_add_tcase (suite, tests);
  rig_check_leaks (tests);
  tcase_add_checked_fixture (tests, make_offered, drop_offered);
  tcase_add_checked_fixture (pipelines, make_offered, drop_offered);
  tcase_add_loop_test (tests, test_given, 0, 2 * FLOW_N_MEMORIES);
  tcase_add_loop_test (tests, test_asked_for, 0, 2 * FLOW_N_MEMORIES);
  tcase_add_loop_test (tests, test_made, 0, FLOW_N_MEMORIES - 1);
  tcase_add_test (tests, test_given_for_nothing);
  tcase_add_test (tests, test_told_while_running);
  tcase_add_test (tests, test_given_while_running);
  tcase_add_loop_test (pipelines, test_system_makes_none, 0, 3);
  tcase_add_loop_test (pipelines, test_neighbours, 0, G_N_ELEMENTS (lines));
  tcase_add_test (pipelines, test_pipeline_context);
  tcase_add_loop_test (tests, test_asked_while_stopping, 0,
      2 * (FLOW_N_MEMORIES - 1));
  tcase_add_test (tests, test_asked_all_the_time);
  return suite;
}

int
main (int argc, char **argv)
{
  return rig_gpu_main (argc, argv, contexts_suite);
}
