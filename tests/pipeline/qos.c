/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Case 29: frames that come too late are converted all the same, unless qos
 * says that they need not be. */

#include "pipe.h"

#define FRAMES 60

/* Frames that last 1 ms, and a sink that needs 10 for each: all but the first
 * are late. */
#define LINE "videotestsrc num-buffers=60 ! video/x-raw,format=RGB,width=33," \
    "height=17,framerate=1000/1 ! cudagray name=gray qos=%s ! " \
    "identity sleep-time=10000 ! fakesink qos=true sync=%s"

typedef struct
{
  guint messages;
  guint64 processed, dropped;   /* of the latest */
} Seen;

/* The QoS messages of cudagray, up to EOS. */
static Seen
messages_of (GstElement * pipeline, GstElement * gray)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  gboolean eos = FALSE;
  Seen seen = { 0 };

  while (!eos) {
    GstMessage *message = gst_bus_timed_pop_filtered (bus, 60 * GST_SECOND,
        GST_MESSAGE_QOS | GST_MESSAGE_EOS | GST_MESSAGE_ERROR);

    fail_unless (message != NULL &&
        GST_MESSAGE_TYPE (message) != GST_MESSAGE_ERROR, "no EOS");
    eos = GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS;
    if (!eos && GST_MESSAGE_SRC (message) == GST_OBJECT (gray)) {
      gst_message_parse_qos_stats (message, NULL, &seen.processed,
          &seen.dropped);
      seen.messages++;
    }
    gst_message_unref (message);
  }
  gst_object_unref (bus);
  return seen;
}

static const struct
{
  const gchar *qos, *sync;
  gboolean skips;
} rows[] = {
  {"false", "true", FALSE},
  {"true", "true", TRUE},
  {"true", "false", FALSE},     /* nothing is late where nobody waits */
};

GST_START_TEST (test_late_frames)
{
  GstElement *pipeline = pipe_launch (LINE, rows[__i__].qos, rows[__i__].sync);
  GstElement *gray = gst_bin_get_by_name (GST_BIN (pipeline), "gray");
  PipeWatch *watch = pipe_watch (pipeline);
  Seen seen;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  seen = messages_of (pipeline, gray);
  gst_object_unref (gray);
  fail_unless_equals_int (watch->in, FRAMES);
  fail_unless_equals_int (seen.messages, FRAMES - watch->out);
  if (rows[__i__].skips) {
    fail_unless (watch->out > 0 && watch->out < FRAMES, "%d", watch->out);
    fail_unless_equals_uint64 (seen.dropped, seen.messages);
  } else {
    fail_unless_equals_int (watch->out, FRAMES);
  }
  pipe_stop (pipeline, watch);
}

GST_END_TEST;

static Suite *
qos_suite (void)
{
  Suite *s = suite_create ("qos");
  TCase *tc = pipe_tcase (s, "qos");

  tcase_add_loop_test (tc, test_late_frames, 0, G_N_ELEMENTS (rows));
  return s;
}

int
main (int argc, char **argv)
{
  return pipe_main (argc, argv, qos_suite);
}
