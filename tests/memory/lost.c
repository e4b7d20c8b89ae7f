/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Work that is not done yet, memory that is not to be had, and a GPU that does
 * not finish. */

#include "flow.h"

#include <sys/resource.h>
#include <unistd.h>

#include "faults.h"
#ifdef SIMULATED
#include "driver.h"
#endif

#define N_FRAMES 5
/* AddressSanitizer ends the process. */
#ifdef __SANITIZE_ADDRESS__
#define NO_MEMORY_IS_FATAL TRUE
#else
#define NO_MEMORY_IS_FATAL FALSE
#endif
/* A large frame, and half as much. */
#define SIDE 16384
#define BLOCK ((gsize) SIDE * SIDE / 2)

static GstCudaContext *context;

/* What leaves no memory for more than a small frame. */
#ifdef SIMULATED
static struct rlimit unlimited;

/* The simulated driver's memory is this process's. */
static void
use_up_memory (void)
{
  struct rlimit limit;
  gchar *sizes;

  fail_unless (g_file_get_contents ("/proc/self/statm", &sizes, NULL, NULL));
  limit = unlimited;
  limit.rlim_cur = g_ascii_strtoull (sizes, NULL, 10) * getpagesize () + BLOCK;
  fail_unless_equals_int (setrlimit (RLIMIT_AS, &limit), 0);
  g_free (sizes);
}

static void
give_memory_back (void)
{
  fail_unless_equals_int (setrlimit (RLIMIT_AS, &unlimited), 0);
}
#else
static CUdeviceptr blocks[8192];
static guint n_blocks;

static void
use_up_memory (void)
{
  CUresult (*alloc) (CUdeviceptr *, gsize) = rig_driver ("cuMemAlloc_v2");

  fail_unless (gst_cuda_context_push (context));
  while (n_blocks < G_N_ELEMENTS (blocks) &&
      alloc (&blocks[n_blocks], BLOCK) == CUDA_SUCCESS)
    n_blocks++;
  fail_unless (gst_cuda_context_pop (NULL));
}

static void
give_memory_back (void)
{
  CUresult (*release) (CUdeviceptr) = rig_driver ("cuMemFree_v2");

  fail_unless (gst_cuda_context_push (context));
  while (n_blocks > 0)
    fail_unless_equals_int (release (blocks[--n_blocks]), CUDA_SUCCESS);
  fail_unless (gst_cuda_context_pop (NULL));
}
#endif

static void
make_context (void)
{
  context = gst_cuda_context_new (0);
#ifdef SIMULATED
  fail_unless_equals_int (getrlimit (RLIMIT_AS, &unlimited), 0);
#endif
}

static void
drop_context (void)
{
  give_memory_back ();
  gst_clear_object (&context);
}

static const gchar *const backends[] = { "auto", "cuda" };

#ifdef SIMULATED
static Flow *
new_flow (const gchar * backend, FlowMemory memory)
{
  Flow *flow = flow_new (backend, 0);

  flow->answer = context;
  flow_start (flow, memory);
  return flow;
}

/* Before GStreamer 1.24 no stream goes with a frame: whoever has it looks at
 * its address, and waits for nothing.  A frame that is a copy within the GPU's
 * memory is under way itself. */
GST_START_TEST (test_complete)
{
  FlowMemory memory = FLOW_CUDA_OUT | (__i__ & FLOW_CUDA_IN);
  Flow *flow;

  if (cuda_gray_cuda_has_streams ())
    return;
  flow = new_flow (backends[__i__ / 2 % 2], memory);
  for (guint n = 0; n < N_FRAMES; n++) {
    GstBuffer *in = flow_frame (context, n), *copy, *out;
    GstMapInfo map;

    copy = gst_buffer_copy_deep (in);
    fail_unless (driver_pending () > 0);
    fail_unless_equals_int (gst_harness_push (flow->harness, copy),
        GST_FLOW_OK);
    out = gst_harness_pull (flow->harness);
    fail_unless (gst_buffer_map (out, &map, GST_MAP_READ | GST_MAP_CUDA));
    fail_unless (flow_has_rows (map.data,
            gst_buffer_get_video_meta (out)->stride[0], n));
    fail_unless_equals_int (driver_pending (), 0);
    gst_buffer_unmap (out, &map);
    /* Freeing memory would have waited for the copy. */
    gst_buffer_unref (in);
    gst_buffer_unref (out);
  }
  flow_free (flow);
}

GST_END_TEST;
#endif

/* A large frame, when there is memory for a small one at most: before the
 * stream, and for the first frame. */
GST_START_TEST (test_no_memory)
{
  Flow *flow = flow_new (backends[__i__ % 2], 0);
  GstCaps *caps = frames_caps ("", "GRAY8", SIDE, SIDE);
  GstBuffer *in = gst_buffer_new_allocate (NULL, SIDE * SIDE, NULL);

  flow->answer = context;
  flow_play (flow, FLOW_CUDA_OUT);
  gst_harness_set_sink_caps_str (flow->harness, CUDA ",format=GRAY8");
  if (__i__ < 2) {
    use_up_memory ();
    flow_expect_refusal (flow, caps);
    gst_buffer_unref (in);
  } else {
    gst_harness_set_src_caps (flow->harness, caps);
    use_up_memory ();
    fail_unless_equals_int (gst_harness_push (flow->harness, in),
        GST_FLOW_ERROR);
    fail_unless_equals_int (flow_take_messages (flow, GST_MESSAGE_ERROR), 1);
  }
  give_memory_back ();
  flow_free (flow);
}

GST_END_TEST;

/* What a GPU may still be at work on, and whether it is alive.  Static, so that
 * it is no leak. */
static struct
{
  GstMiniObject *object;
  gboolean alive;
} kept[4];

static guint n_kept;

static void
is_gone (gpointer alive, GstMiniObject * object)
{
  *(gboolean *) alive = FALSE;
}

static void
watch (gpointer object)
{
  g_assert (n_kept < G_N_ELEMENTS (kept));
  kept[n_kept].object = object;
  kept[n_kept].alive = TRUE;
  gst_mini_object_weak_ref (object, is_gone, &kept[n_kept++].alive);
}

/* The work that would not end does, and everything that it needs is there. */
static void
finish_late (GstCudaContext * lost)
{
  CUresult (*synchronize) (void) = rig_driver ("cuCtxSynchronize");

  for (guint i = 0; i < n_kept; i++)
    fail_unless (kept[i].alive);
  fail_unless (gst_cuda_context_push (lost));
  fail_unless_equals_int (synchronize (), CUDA_SUCCESS);
  fail_unless (gst_cuda_context_pop (NULL));
}

/* One frame that does not end within the element's 5 s. */
static void
lose (Flow * flow, GstBuffer * in)
{
  gint64 start = g_get_monotonic_time ();

  fail_unless_equals_int (gst_harness_push (flow->harness, in), GST_FLOW_ERROR);
  fail_unless (g_get_monotonic_time () - start >= 5 * G_USEC_PER_SEC);
  flow_expect (flow, GST_MESSAGE_ERROR, "did not finish within 5 s");
  fail_unless_equals_uint64 (flow_stat (flow, "frames-set-aside"), 1);
  fail_unless_equals_uint64 (flow_stat (flow, "failovers"), 0);
}

/* Nobody waits for it again, neither for the next frame nor for stopping. */
static void
check_goes_on (Flow * flow, GstBuffer * next)
{
  gint64 start = g_get_monotonic_time ();

  if (next != NULL) {
    fail_unless_equals_int (gst_harness_push (flow->harness, next),
        GST_FLOW_ERROR);
    flow_expect (flow, GST_MESSAGE_ERROR, "The GPU was lost");
  }
  gst_element_set_state (flow->element, GST_STATE_NULL);
  fail_unless (g_get_monotonic_time () - start < G_USEC_PER_SEC);
#ifdef SIMULATED
  /* Of memory that is freed the driver waits for all work. */
  fail_unless (next != NULL || driver_pending () > 0);
#endif
}

/* Another element does not start on that device. */
static void
check_refuses (gint device)
{
  Flow *flow = flow_new ("cuda", device);

  fail_unless_equals_int (gst_element_set_state (flow->element,
          GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  flow_expect (flow, GST_MESSAGE_ERROR, "has not finished");
  flow_free (flow);
}

/* There is no going on without the memory that a GPU has gone with, whatever
 * the backend.  One device is lost after the other, each for the rest of the
 * process. */
GST_START_TEST (test_never_finishes)
{
  FlowMemory memory = __i__ == 0 ? FLOW_CUDA : FLOW_CUDA_OUT;
  GstCudaContext *lost;
  GstBuffer *in, *out;
  Flow *flow;

  if (__i__ >= rig_devices ())
    return;
  lost = gst_cuda_context_new (__i__);
  flow = flow_new (backends[1 - __i__], __i__);
  flow->answer = lost;
  flow_start (flow, memory);
  out = flow_run (flow, flow_frame (lost, 0), 0);
  /* The pool gives it out again. */
  watch (gst_buffer_peek_memory (out, 0));
  gst_buffer_unref (out);
  in = flow_frame (lost, 1);
  watch (in);
  out = __i__ == 0 ? flow_frame (lost, 2) : NULL;
  faults_arm (FAULTS_STREAM_QUERY, 0, TRUE, cudaErrorNotReady);
  lose (flow, in);
  check_goes_on (flow, out);
  faults_disarm ();
  check_refuses (__i__);
  flow_free (flow);
  finish_late (lost);
  gst_object_unref (lost);
}

GST_END_TEST;

static Suite *
lost_suite (void)
{
  Suite *suite = suite_create ("lost");
  TCase *tests = tcase_create ("lost"), *last = tcase_create ("for good");

  suite_add_tcase (suite, tests);
  rig_check_leaks (tests);
  faults_add (tests);
  tcase_add_checked_fixture (tests, make_context, drop_context);
#ifdef SIMULATED
  tcase_add_loop_test (tests, test_complete, 0, 4);
#endif
  if (!NO_MEMORY_IS_FATAL)
    tcase_add_loop_test (tests, test_no_memory, 0, 4);
  suite_add_tcase (suite, last);
  faults_add (last);
  tcase_add_loop_test (last, test_never_finishes, 0, 2);
  return suite;
}

int
main (int argc, char **argv)
{
  return rig_gpu_main (argc, argv, lost_suite);
}
