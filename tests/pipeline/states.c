/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Seeks, flushes and state changes, at rest and while frames flow: none may
 * block, and what comes after them is right. */

#include "pipe.h"

#define RGB33 "video/x-raw,format=RGB,width=33,height=17"
#define TIMES 50

static void
seek (GstElement * pipeline, GstClockTime position)
{
  fail_unless (gst_element_seek_simple (pipeline, GST_FORMAT_TIME,
          GST_SEEK_FLAG_FLUSH, position));
}

static void
wait_for_state (GstElement * pipeline)
{
  fail_unless (gst_element_get_state (pipeline, NULL, NULL,
          60 * GST_SECOND) == GST_STATE_CHANGE_SUCCESS);
}

GST_START_TEST (test_seeks)
{
  GstState state = __i__ == 0 ? GST_STATE_PAUSED : GST_STATE_PLAYING;
  GstElement *pipeline = pipe_launch ("videotestsrc ! " RGB33 " ! cudagray ! "
      "fakesink sync=true");
  PipeWatch *watch = pipe_watch (pipeline);
  gint64 start = g_get_monotonic_time ();

  pipe_set_state (pipeline, state);
  for (gint i = 0; i < TIMES; i++) {
    gint before = g_atomic_int_get (&watch->out);

    seek (pipeline, i * GST_SECOND);
    wait_for_state (pipeline);
    pipe_wait_for_frames (watch, before + 1);
  }
  pipe_check_time (start, 5, "50 flushing seeks");
  pipe_stop (pipeline, watch);
}

GST_END_TEST;

static gpointer
seek_from_a_thread (gpointer pipeline)
{
  for (gint i = 0; i < TIMES; i++) {
    if (!gst_element_seek_simple (pipeline, GST_FORMAT_TIME,
            GST_SEEK_FLAG_FLUSH, i * GST_SECOND))
      return NULL;
    /* So that flushes fall at various points of a frame, which takes some
     * milliseconds. */
    g_usleep (i * 100);
  }
  return pipeline;
}

/* Flushes while frames are being converted, and while one waits for the sink:
 * with 1080p most of the time goes into the conversion. */
static const gchar *const flushed[] = {
  "appsink name=sink sync=false max-buffers=1 wait-on-eos=false",
  "fakesink name=sink sync=false",
  "queue ! fakesink name=sink sync=false",
};

GST_START_TEST (test_flush_from_another_thread)
{
  GstElement *pipeline = pipe_launch ("videotestsrc pattern=blue ! "
      "video/x-raw,format=RGB,width=1920,height=1080 ! cudagray ! %s",
      flushed[__i__]);
  PipeWatch *watch = pipe_watch (pipeline);
  gint64 start = g_get_monotonic_time ();
  GThread *thread;

  pipe_set_state (pipeline, GST_STATE_PLAYING);
  thread = g_thread_new ("flush", seek_from_a_thread, pipeline);
  fail_unless (g_thread_join (thread) == pipeline, "a seek failed");
  pipe_check_time (start, 10, "flushing");
  /* Frames flow again, or wait for the sink. */
  pipe_wait_for_more (watch, __i__ > 0);
  pipe_stop (pipeline, watch);
}

GST_END_TEST;

/* A flush of the element alone: it blocks neither while a frame is on its way
 * nor later, and a new segment's frames come through. */
GST_START_TEST (test_flush_of_the_element)
{
  GstElement *pipeline = pipe_launch ("appsrc name=src format=time caps="
      RGB33 ",framerate=0/1 ! cudagray ! appsink name=sink sync=false");
  PipeWatch *watch = pipe_watch (pipeline);
  GstElement *src = gst_bin_get_by_name (GST_BIN (pipeline), "src");
  gint64 start = g_get_monotonic_time ();

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  for (gint i = 0; i < TIMES; i++) {
    GstBuffer *buffer = gst_buffer_new_allocate (NULL, 100 * 17, NULL);
    GstSample *sample;

    gst_buffer_memset (buffer, 0, i * 5, 100 * 17);
    GST_BUFFER_PTS (buffer) = 0;
    fail_unless (gst_app_src_push_buffer (GST_APP_SRC (src), buffer) ==
        GST_FLOW_OK);
    sample = pipe_pull (pipeline, "sink");
    fail_unless (sample != NULL);
    gst_sample_unref (sample);
    /* The sink prerolls anew after a flush; it must be done with that. */
    wait_for_state (pipeline);
    fail_unless (gst_element_send_event (src, gst_event_new_flush_start ()));
    fail_unless (gst_element_send_event (src, gst_event_new_flush_stop (TRUE)));
  }
  pipe_check_time (start, 5, "50 flushes");
  fail_unless_equals_int (watch->out, TIMES);
  gst_object_unref (src);
  pipe_stop (pipeline, watch);
}

GST_END_TEST;

/* The same element again and again, with another format each time. */
GST_START_TEST (test_null_and_playing)
{
  static const gchar *const formats[] = { "RGB", "BGRx", "GBR", "GRAY8" };
  GstElement *pipeline = pipe_launch ("videotestsrc ! capsfilter name=filter ! "
      "cudagray ! fakesink");
  PipeWatch *watch = pipe_watch (pipeline);
  GstElement *filter = gst_bin_get_by_name (GST_BIN (pipeline), "filter");

  for (gint i = 0; i < TIMES; i++) {
    gchar *caps = g_strdup_printf ("video/x-raw,format=%s,width=%d,height=17",
        formats[i % G_N_ELEMENTS (formats)], 30 + i);
    gint64 start = g_get_monotonic_time ();

    gst_util_set_object_arg (G_OBJECT (filter), "caps", caps);
    g_free (caps);
    pipe_set_state (pipeline, GST_STATE_PLAYING);
    pipe_wait_for_more (watch, 1);
    pipe_set_state (pipeline, GST_STATE_NULL);
    pipe_check_time (start, PIPE_SOON, "NULL, PLAYING, NULL");
  }
  gst_object_unref (filter);
  pipe_stop (pipeline, watch);
}

GST_END_TEST;

GST_START_TEST (test_ready_and_paused)
{
  GstElement *pipeline = pipe_launch ("videotestsrc ! " RGB33 " ! cudagray ! "
      "fakesink");
  PipeWatch *watch = pipe_watch (pipeline);

  for (gint i = 0; i < TIMES; i++) {
    gint before = g_atomic_int_get (&watch->out);

    pipe_set_state (pipeline, GST_STATE_PAUSED);
    fail_unless (g_atomic_int_get (&watch->out) > before);
    pipe_set_state (pipeline, GST_STATE_READY);
  }
  pipe_stop (pipeline, watch);
}

GST_END_TEST;

/* At various points of a frame: see above. */
GST_START_TEST (test_teardown_while_data_flows)
{
  for (gint i = 0; i < 20; i++) {
    GstElement *pipeline = pipe_launch ("videotestsrc pattern=blue ! "
        "video/x-raw,format=RGB,width=1280,height=720 ! cudagray ! %sfakesink",
        i % 2 == 0 ? "" : "queue ! ");
    PipeWatch *watch = pipe_watch (pipeline);

    pipe_set_state (pipeline, GST_STATE_PLAYING);
    pipe_wait_for_frames (watch, 1);
    g_usleep (i * 500);
    pipe_stop (pipeline, watch);
  }
}

GST_END_TEST;

/* A sink that nobody pulls from keeps every frame, or blocks the stream; 300
 * frames of the live source take 0.3 s. */
GST_START_TEST (test_live_and_never_pulled)
{
  GstElement *pipeline = pipe_launch ("videotestsrc is-live=true ! "
      RGB33 ",framerate=1000/1 ! cudagray ! "
      "appsink drop=false sync=false max-buffers=%d", __i__ == 0 ? 0 : 3);
  PipeWatch *watch = pipe_watch (pipeline);

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  pipe_wait_for_frames (watch, __i__ == 0 ? 300 : 4);
  g_usleep (__i__ == 0 ? 0 : 300 * 1000);
  fail_unless (__i__ == 0 || watch->out == 4, "the sink did not block");
  pipe_stop (pipeline, watch);
}

GST_END_TEST;

static Suite *
states_suite (void)
{
  Suite *s = suite_create ("states");
  TCase *tc = pipe_tcase (s, "states");

  tcase_add_loop_test (tc, test_seeks, 0, 2);
  tcase_add_loop_test (tc, test_flush_from_another_thread, 0,
      G_N_ELEMENTS (flushed));
  tcase_add_test (tc, test_flush_of_the_element);
  tcase_add_test (tc, test_null_and_playing);
  tcase_add_test (tc, test_ready_and_paused);
  tcase_add_test (tc, test_teardown_while_data_flows);
  tcase_add_loop_test (tc, test_live_and_never_pulled, 0, 2);
  return s;
}

int
main (int argc, char **argv)
{
  return pipe_main (argc, argv, states_suite);
}
