/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Memory that changes its kind while frames flow, in several threads, through
 * flushes and ends of the stream: every frame is right. */

#include <gst/cuda/gstcudautils.h>

#include "line.h"
#include "pipe.h"
#include "play.h"

#define ON_GPU "(memory:CUDAMemory)"
#define SYSTEM_GRAY "video/x-raw,format=GRAY8"
#define CUDA_GRAY CUDA ",format=GRAY8"
#define CYCLES 20
#define FRAMES 40

/* Of a test's pipeline. */
typedef struct
{
  GstElement *pipeline, *gray, *filter;
  GstAppSrc *src;
  GRand *random;
} Change;

static void
change_init (Change * change, guint32 seed)
{
  GstContext *offer = gst_context_new_cuda_context (line_context);

  change->random = g_rand_new_with_seed (seed);
  change->pipeline = pipe_launch ("appsrc name=src format=time ! "
      "cudagray name=gray ! capsfilter name=filter caps=" SYSTEM_GRAY " ! "
      "appsink name=sink sync=false");
  gst_element_set_context (change->pipeline, offer);
  gst_context_unref (offer);
  change->gray = gst_bin_get_by_name (GST_BIN (change->pipeline), "gray");
  change->filter = gst_bin_get_by_name (GST_BIN (change->pipeline), "filter");
  change->src = GST_APP_SRC (gst_bin_get_by_name (GST_BIN (change->pipeline),
          "src"));
  gst_element_set_state (change->pipeline, GST_STATE_PLAYING);
}

static void
change_clear (Change * change)
{
  fail_unless_equals_int (gst_app_src_end_of_stream (change->src), GST_FLOW_OK);
  fail_unless (pipe_pull (change->pipeline, "sink") == NULL);
  fail_unless_equals_uint64 (pipe_stat (change->gray, "failovers"), 0);
  gst_object_unref (change->src);
  gst_object_unref (change->filter);
  gst_object_unref (change->gray);
  pipe_stop (change->pipeline, NULL);
  g_rand_free (change->random);
}

static GstBuffer *
new_frame (GstCaps * caps, gboolean cuda, guint32 seed)
{
  GstBufferPool *pool;
  GstBuffer *buffer;

  if (!cuda)
    return frames_new (caps, seed % 2, seed);
  pool = frames_pool (line_context, caps);
  buffer = frames_fill (frames_acquire (pool), seed);
  frames_pool_free (pool);
  return buffer;
}

/* A frame there and back. */
static void
change_run (Change * change, GstCaps * caps, gboolean from_cuda,
    gboolean to_cuda)
{
  GstBuffer *buffer = new_frame (caps, from_cuda,
      g_rand_int (change->random));
  GBytes *expected = frames_on_cpu (buffer, caps, NULL);
  GstSample *in = gst_sample_new (buffer, caps, NULL, NULL), *out;

  gst_buffer_unref (buffer);
  fail_unless_equals_int (gst_app_src_push_sample (change->src, in),
      GST_FLOW_OK);
  gst_sample_unref (in);
  out = pipe_pull (change->pipeline, "sink");
  fail_unless (out != NULL);
  fail_unless_equals_int (gst_is_cuda_memory (gst_buffer_peek_memory
          (gst_sample_get_buffer (out), 0)), to_cuda);
  frames_check (gst_sample_get_buffer (out), gst_sample_get_caps (out),
      expected);
  gst_sample_unref (out);
  g_bytes_unref (expected);
}

/* The filter asks for system memory, for the GPU's, or leaves it to the
 * element, which keeps the input's kind. */
static gboolean
change_filter (Change * change, gboolean from_cuda)
{
  static const gchar *filters[] = {
    SYSTEM_GRAY, CUDA_GRAY, SYSTEM_GRAY "; " CUDA_GRAY
  };
  gint which = g_rand_int_range (change->random, 0, 3);

  gst_util_set_object_arg (G_OBJECT (change->filter), "caps", filters[which]);
  return which == 2 ? from_cuda : which == 1;
}

/* From system memory to the GPU's and back in every cycle; the output, the
 * format (GRAY8 too, which may pass through) and the size by chance. */
GST_START_TEST (test_changes)
{
  Change change;

  change_init (&change, __i__);
  for (guint i = 0; i < 2 * CYCLES; i++) {
    gboolean from_cuda = i % 2, to_cuda = change_filter (&change, from_cuda);
    gint format = g_rand_int_range (change.random, 0, FRAMES_N_FORMATS + 3);
    gboolean resize = g_rand_boolean (change.random);
    GstCaps *caps = frames_caps (from_cuda ? ON_GPU : "",
        format < FRAMES_N_FORMATS && frames_have (frames_formats[format]) ?
        frames_formats[format] : "GRAY8",
        resize ? g_rand_int_range (change.random, 1, 700) : 53,
        resize ? g_rand_int_range (change.random, 1, 40) : 7);

    for (guint n = 0; n < 2; n++)
      change_run (&change, caps, from_cuda, to_cuda);
    /* The output alone changes. */
    to_cuda = change_filter (&change, from_cuda);
    for (guint n = 0; n < 2; n++)
      change_run (&change, caps, from_cuda, to_cuda);
    gst_caps_unref (caps);
  }
  change_clear (&change);
}

GST_END_TEST;

#define SOURCE "videotestsrc pattern=ball num-buffers=%d ! " \
    "video/x-raw,format=RGB,width=641,height=48,framerate=30/1 ! "

/* What comes from the source, in gray. */
static GPtrArray *
expected_frames (void)
{
  GstElement *pipeline = pipe_launch (SOURCE "cudagray backend=cpu ! "
      "appsink name=a sync=false", FRAMES);
  GPtrArray *frames = play_rows (pipeline);

  pipe_stop (pipeline, NULL);
  fail_unless_equals_int (frames->len, FRAMES);
  return frames;
}

/* The appsinks a and, where there is one, b. */
static const struct
{
  const gchar *elements;
  guint sinks;
  gboolean cuda[2];
} branches[] = {
  {"cudaupload ! queue ! cudagray ! queue ! " CUDA " ! appsink name=a", 1,
      {TRUE}},
  {"queue ! cudagray ! queue ! " CUDA " ! queue ! cudagray ! " SYSTEM_GRAY
        " ! queue ! appsink name=a", 1, {FALSE}},
  {"cudaupload ! " CUDA " ! tee name=t  "
        "t. ! queue ! cudagray ! " SYSTEM_GRAY " ! appsink name=a  "
        "t. ! queue ! cudagray ! " CUDA " ! appsink name=b", 2, {FALSE, TRUE}},
  {"cudaupload ! " CUDA " ! tee name=t  "
        "t. ! queue ! cudadownload ! video/x-raw ! cudagray ! appsink name=a  "
        "t. ! queue ! cudagray ! " CUDA " ! queue ! appsink name=b", 2,
      {FALSE, TRUE}},
  {"cudaupload ! cudagray ! " CUDA " ! tee name=t  "
        "t. ! queue ! cudagray ! " SYSTEM_GRAY " ! appsink name=a  "
        "t. ! queue ! appsink name=b", 2, {FALSE, TRUE}},
  {"cudaupload ! queue ! cudagray ! " CUDA " ! tee name=t  "
        "t. ! queue ! appsink name=a  t. ! queue ! appsink name=b", 2,
      {TRUE, TRUE}},
};

GST_START_TEST (test_branches)
{
  GPtrArray *expected = expected_frames ();
  GstElement *pipeline = pipe_launch (SOURCE "%s", FRAMES,
      branches[__i__].elements);

  play_check (pipeline, branches[__i__].sinks, branches[__i__].cuda, expected);
  pipe_stop (pipeline, NULL);
  g_ptr_array_unref (expected);
}

GST_END_TEST;

static const gchar *const flushed[] = {
  "cudaupload ! queue ! cudagray ! " CUDA " ! queue",
  "cudaupload ! queue ! cudagray ! " SYSTEM_GRAY " ! queue",
  "queue ! cudagray ! " CUDA " ! queue"
};

GST_START_TEST (test_flush)
{
  GPtrArray *expected = expected_frames ();
  GstElement *pipeline = pipe_launch (SOURCE "%s ! appsink name=a", -1,
      flushed[__i__]);

  play_flush (pipeline, __i__ != 1, expected, __i__);
  pipe_stop (pipeline, NULL);
  g_ptr_array_unref (expected);
}

GST_END_TEST;

static Suite *
renegotiation_suite (void)
{
  Suite *suite = suite_create ("renegotiation");
  TCase *tests = tcase_create ("renegotiation");

  rig_check_leaks (tests);
  line_make_context (tests);
  pipe_stop_leftovers (tests);
  tcase_add_loop_test (tests, test_changes, 0, 2);
  tcase_add_loop_test (tests, test_branches, 0, G_N_ELEMENTS (branches));
  tcase_add_loop_test (tests, test_flush, 0, G_N_ELEMENTS (flushed));
  suite_add_tcase (suite, tests);
  return suite;
}

int
main (int argc, char **argv)
{
  return rig_gpu_main (argc, argv, renegotiation_suite);
}
