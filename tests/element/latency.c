/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Case 28: the element adds no latency, says so, and is ready before the
 * first frame. */

#include "rig.h"

typedef struct
{
  gboolean live;
  GstClockTime min, max;
} Latency;

static const Latency latencies[] = {
  {FALSE, 0, GST_CLOCK_TIME_NONE}, {TRUE, 0, GST_CLOCK_TIME_NONE},
  {TRUE, 33333333, 66666666}, {TRUE, GST_SECOND, GST_SECOND},
  {FALSE, 5 * GST_MSECOND, 7 * GST_MSECOND},
};

/* Upstream, in the harness's place. */
static GstPadProbeReturn
answer_latency (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (info);
  const Latency *latency = data;

  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY)
    return GST_PAD_PROBE_OK;
  gst_query_set_latency (query, latency->live, latency->min, latency->max);
  return GST_PAD_PROBE_HANDLED;
}

static void
assert_latency (Rig * rig, const Latency * expected)
{
  GstQuery *query = gst_query_new_latency ();
  Latency got;

  fail_unless (gst_pad_peer_query (rig->harness->sinkpad, query));
  gst_query_parse_latency (query, &got.live, &got.min, &got.max);
  gst_query_unref (query);
  fail_unless_equals_int (got.live, expected->live);
  fail_unless_equals_uint64 (got.min, expected->min);
  fail_unless_equals_uint64 (got.max, expected->max);
  fail_unless_equals_uint64 (gst_harness_query_latency (rig->harness),
      expected->min);
}

/* Before there are caps, with frames that are converted, and with such as
 * pass through. */
GST_START_TEST (test_query)
{
  static const gchar *const names[] = { "RGB", "GBRA", "GRAY8" };
  const Latency *latency = &latencies[__i__];
  Picture *picture = picture_new_s5 ();
  Rig *rig = rig_new ();

  gst_pad_add_probe (rig->harness->srcpad, GST_PAD_PROBE_TYPE_QUERY_UPSTREAM,
      answer_latency, (gpointer) latency, NULL);
  assert_latency (rig, latency);
  for (guint f = 0; f < G_N_ELEMENTS (names); f++) {
    rig_set_format (rig, names[f], S5_WIDTH, S5_HEIGHT, NULL);
    assert_latency (rig, latency);
    gst_buffer_unref (rig_run (rig, picture_plain_buffer (picture,
                pixels_find (names[f]))));
    assert_latency (rig, latency);
  }
  picture_free (picture);
  rig_free (rig);
}

GST_END_TEST;

/* What the answer rests on: no frame waits for the next. */
GST_START_TEST (test_nothing_is_held)
{
  Picture *picture = picture_new_s5 ();
  Rig *rig = rig_new ();

  rig_set_format (rig, "RGB", S5_WIDTH, S5_HEIGHT, NULL);
  for (guint i = 1; i <= 10; i++) {
    fail_unless_equals_int (gst_harness_push (rig->harness,
            picture_plain_buffer (picture, pixels_find ("RGB"))), GST_FLOW_OK);
    fail_unless_equals_int (gst_harness_buffers_received (rig->harness), i);
  }
  picture_free (picture);
  rig_free (rig);
}

GST_END_TEST;

static void
assert_backend (GstElement * element, const gchar * expected)
{
  gchar *name = stat_backend (element);

  fail_unless_equals_string (name, expected);
  g_free (name);
  fail_unless_equals_int (stat_device (element) >= 0,
      g_str_equal (expected, "cuda"));
}

/* The real one is open once the element is paused, whether it goes on to
 * playing or not. */
GST_START_TEST (test_open_when_paused)
{
  GstBus *bus;
  GstElement *element = rig_element (NULL, &bus);

  assert_backend (element, "none");
  gst_element_set_state (element, GST_STATE_READY);
  assert_backend (element, "none");
  gst_element_set_state (element, GST_STATE_PAUSED);
  assert_backend (element, rig_backend ());
  gst_element_set_state (element, GST_STATE_NULL);
  bus_expect_nothing (bus);
  gst_element_set_bus (element, NULL);
  gst_object_unref (element);
  gst_object_unref (bus);
}

GST_END_TEST;

static gint64
time_first_frame (const Picture * picture)
{
  GstBuffer *in = picture_plain_buffer (picture, pixels_find ("RGB"));
  Rig *rig = rig_new ();
  gint64 start;

  rig_set_format (rig, "RGB", picture->width, picture->height, NULL);
  start = g_get_monotonic_time ();
  gst_buffer_unref (rig_run (rig, in));
  start = g_get_monotonic_time () - start;
  rig_free (rig);
  return start;
}

/* A first frame, with the pool that it makes, takes less than a frame of 30 a
 * second.  The best of a few elements, on a machine that has more to do. */
GST_START_TEST (test_first_frame)
{
  Picture *picture = picture_new_random (640, 480, 1);
  gint64 best = G_MAXINT64;

  for (guint i = 0; i < 5; i++)
    best = MIN (best, time_first_frame (picture));
  fail_unless (best < 33333, "%" G_GINT64_FORMAT " us", best);
  picture_free (picture);
}

GST_END_TEST;

static void
add_tests (TCase * tests)
{
  tcase_add_loop_test (tests, test_query, 0, G_N_ELEMENTS (latencies));
  tcase_add_test (tests, test_nothing_is_held);
  tcase_add_test (tests, test_open_when_paused);
  tcase_add_test (tests, test_first_frame);
}

int
main (int argc, char **argv)
{
  return rig_main (argc, argv, "element-latency", add_tests);
}
