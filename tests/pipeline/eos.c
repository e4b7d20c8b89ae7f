/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* As many frames out as went in, and then EOS. */

#include "pipe.h"

static const gint counts[] = { 0, 1, 2, 7, 100 };

static const gchar *const lines[] = {
  "video/x-raw,format=RGB,width=16,height=16 ! cudagray ! fakesink",
  "video/x-raw,format=BGRx,width=33,height=17 ! queue ! cudagray ! queue ! "
      "fakesink",
  "video/x-raw,format=GBR,width=5,height=3 ! cudagray ! cudagray ! "
      "appsink wait-on-eos=false sync=false",
  "video/x-raw,format=GRAY8,width=16,height=16 ! cudagray ! fakesink",
};

static GstPadProbeReturn
count_buffer (GstPad * pad, GstPadProbeInfo * info, gpointer n)
{
  g_atomic_int_inc ((gint *) n);
  return GST_PAD_PROBE_OK;
}

static void
count_at_sinks (GstElement * pipeline, gint * n)
{
  GstIterator *sinks = gst_bin_iterate_sinks (GST_BIN (pipeline));
  GValue item = G_VALUE_INIT;

  while (gst_iterator_next (sinks, &item) == GST_ITERATOR_OK) {
    GstPad *pad = gst_element_get_static_pad (g_value_get_object (&item),
        "sink");

    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, count_buffer, n, NULL);
    gst_object_unref (pad);
    g_value_reset (&item);
  }
  g_value_unset (&item);
  gst_iterator_free (sinks);
}

GST_START_TEST (test_frame_counts)
{
  gint count = counts[__i__ % G_N_ELEMENTS (counts)], arrived = 0;
  const gchar *line = lines[__i__ / G_N_ELEMENTS (counts)];
  GstElement *pipeline;

  pipeline = pipe_launch ("videotestsrc num-buffers=%d ! %s", count, line);
  count_at_sinks (pipeline, &arrived);
  pipe_play (pipeline, PIPE_SOON);
  fail_unless_equals_int (arrived, count);
  pipe_stop (pipeline, NULL);
}

GST_END_TEST;

/* An empty stream that has neither caps nor a segment. */
GST_START_TEST (test_eos_alone)
{
  GstElement *pipeline = pipe_launch ("appsrc name=src ! cudagray ! fakesink");
  PipeWatch *watch = pipe_watch (pipeline);
  GstElement *src = gst_bin_get_by_name (GST_BIN (pipeline), "src");

  gst_app_src_end_of_stream (GST_APP_SRC (src));
  gst_object_unref (src);
  pipe_play (pipeline, PIPE_SOON);
  fail_unless_equals_int (watch->out, 0);
  pipe_stop (pipeline, watch);
}

GST_END_TEST;

/* After the error of another element, NULL is reached as soon as ever. */
GST_START_TEST (test_error_upstream)
{
  GstElement *pipeline = pipe_launch ("videotestsrc ! video/x-raw,format=RGB ! "
      "identity error-after=4 ! cudagray ! fakesink");
  PipeWatch *watch = pipe_watch (pipeline);
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, 10 * GST_SECOND,
      GST_MESSAGE_ERROR);
  fail_unless (message != NULL);
  fail_unless (g_str_has_prefix (GST_MESSAGE_SRC_NAME (message), "identity"));
  gst_message_unref (message);
  gst_bus_set_flushing (bus, TRUE);
  gst_object_unref (bus);
  fail_unless_equals_int (watch->out, 3);
  pipe_stop (pipeline, watch);
}

GST_END_TEST;

static Suite *
eos_suite (void)
{
  Suite *s = suite_create ("eos");
  TCase *tc = pipe_tcase (s, "eos");

  tcase_add_loop_test (tc, test_frame_counts, 0,
      G_N_ELEMENTS (counts) * G_N_ELEMENTS (lines));
  tcase_add_test (tc, test_eos_alone);
  tcase_add_test (tc, test_error_upstream);
  return s;
}

int
main (int argc, char **argv)
{
  return pipe_main (argc, argv, eos_suite);
}
