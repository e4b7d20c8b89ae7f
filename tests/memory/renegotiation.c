/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Memory that changes its kind while frames flow, in several threads, through
 * flushes and ends of the stream: every frame is right. */

#include <gst/cuda/gstcudautils.h>

#include "line.h"
#include "pipe.h"

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
  GPtrArray *frames = g_ptr_array_new_with_free_func ((GDestroyNotify)
      g_bytes_unref);
  GstElement *pipeline = pipe_launch (SOURCE "cudagray backend=cpu ! "
      "appsink name=sink sync=false", FRAMES);
  GstSample *sample;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while ((sample = pipe_pull (pipeline, "sink")) != NULL) {
    g_ptr_array_add (frames, frames_rows (gst_sample_get_buffer (sample),
            gst_sample_get_caps (sample)));
    gst_sample_unref (sample);
  }
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

static void
check_branch (GstElement * pipeline, const gchar * name, gboolean cuda,
    GBytes * expected)
{
  GstSample *sample = pipe_pull (pipeline, name);
  GstBuffer *buffer;

  fail_unless (sample != NULL);
  buffer = gst_sample_get_buffer (sample);
  fail_unless_equals_int (gst_is_cuda_memory (gst_buffer_peek_memory (buffer,
              0)), cuda);
  frames_check (buffer, gst_sample_get_caps (sample), expected);
  gst_sample_unref (sample);
}

/* Frames wait in short queues, so that memory is used again all the time. */
static void
shorten (GstElement * pipeline)
{
  GstIterator *all = gst_bin_iterate_elements (GST_BIN (pipeline));
  GValue item = G_VALUE_INIT;

  while (gst_iterator_next (all, &item) == GST_ITERATOR_OK) {
    GObject *element = g_value_get_object (&item);

    if (g_object_class_find_property (G_OBJECT_GET_CLASS (element),
            "max-size-buffers") != NULL)
      g_object_set (element, "max-size-buffers", 2, NULL);
    if (GST_IS_APP_SINK (element))
      g_object_set (element, "max-buffers", 2, "sync", FALSE, NULL);
    g_value_unset (&item);
  }
  gst_iterator_free (all);
}

GST_START_TEST (test_branches)
{
  GPtrArray *expected = expected_frames ();
  GstElement *pipeline = pipe_launch (SOURCE "%s", FRAMES,
      branches[__i__].elements);

  shorten (pipeline);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  for (guint i = 0; i < FRAMES; i++) {
    for (guint s = 0; s < branches[__i__].sinks; s++)
      check_branch (pipeline, s == 0 ? "a" : "b", branches[__i__].cuda[s],
          g_ptr_array_index (expected, i));
  }
  for (guint s = 0; s < branches[__i__].sinks; s++)
    fail_unless (pipe_pull (pipeline, s == 0 ? "a" : "b") == NULL);
  pipe_stop (pipeline, NULL);
  g_ptr_array_unref (expected);
}

GST_END_TEST;

/* From the middle of a frame on, so that rounding leads to no other. */
static void
seek_to (GstElement * pipeline, guint frame)
{
  fail_unless (gst_element_seek (pipeline, 1, GST_FORMAT_TIME,
          GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE, GST_SEEK_TYPE_SET,
          gst_util_uint64_scale (2 * frame + 1, GST_SECOND, 60),
          GST_SEEK_TYPE_SET, gst_util_uint64_scale (FRAMES, GST_SECOND, 30)));
}

/* The next frame is whichever its time says.  FALSE at the end. */
static gboolean
check_by_time (GstElement * pipeline, gboolean cuda, GPtrArray * expected)
{
  GstSample *sample = pipe_pull (pipeline, "sink");
  GstBuffer *buffer;
  guint64 frame;

  if (sample == NULL)
    return FALSE;
  buffer = gst_sample_get_buffer (sample);
  frame = gst_util_uint64_scale_round (GST_BUFFER_PTS (buffer), 30, GST_SECOND);
  fail_unless (frame < FRAMES);
  fail_unless_equals_int (gst_is_cuda_memory (gst_buffer_peek_memory (buffer,
              0)), cuda);
  frames_check (buffer, gst_sample_get_caps (sample),
      g_ptr_array_index (expected, frame));
  gst_sample_unref (sample);
  return TRUE;
}

static const gchar *const flushed[] = {
  "cudaupload ! queue ! cudagray ! " CUDA " ! queue",
  "cudaupload ! queue ! cudagray ! " SYSTEM_GRAY " ! queue",
  "queue ! cudagray ! " CUDA " ! queue"
};

/* Flushes at any moment, and after the end of the stream. */
GST_START_TEST (test_flush)
{
  GPtrArray *expected = expected_frames ();
  GRand *random = g_rand_new_with_seed (__i__);
  GstElement *pipeline = pipe_launch (SOURCE "%s ! appsink name=sink", -1,
      flushed[__i__]);

  shorten (pipeline);
  pipe_set_state (pipeline, GST_STATE_PAUSED);
  seek_to (pipeline, 0);
  pipe_set_state (pipeline, GST_STATE_PLAYING);
  for (guint i = 0; i < CYCLES; i++) {
    gint frames = g_rand_int_range (random, 0, 5);

    for (gint n = 0; n < frames; n++)
      fail_unless (check_by_time (pipeline, __i__ != 1, expected));
    if (i % 7 == 3)
      while (check_by_time (pipeline, __i__ != 1, expected));
    seek_to (pipeline, g_rand_int_range (random, 0, FRAMES - 5));
  }
  while (check_by_time (pipeline, __i__ != 1, expected));
  pipe_stop (pipeline, NULL);
  g_rand_free (random);
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
  return rig_main (argc, argv, renegotiation_suite);
}
