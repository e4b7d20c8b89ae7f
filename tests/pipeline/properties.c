/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Case 53: properties that change while frames flow mean the next start, and
 * stats are whole whenever they are read. */

#include "pipe.h"

#define WIDTH 64
#define HEIGHT 48
#define LINE "videotestsrc pattern=ball ! video/x-raw,format=RGB,width=64," \
    "height=48 ! cudagray ! fakesink"
#define TIMES 1000

/* No machine has so many. */
#define NO_DEVICE 1000000

/* What a thread found wrong; failing is for the main thread. */
typedef struct
{
  GstElement *element;
  gint stop;
  gchar *problem;
  guint reads;
  guint64 frames;
  gint device;
} Reader;

static gpointer
toggle (gpointer element)
{
  for (gint i = 0; i < TIMES; i++) {
    gint backend, device;

    g_object_set (element, "backend", i % 3, "cuda-device-id", i % 7 - 1, NULL);
    g_object_get (element, "backend", &backend, "cuda-device-id", &device,
        NULL);
    if (backend != i % 3 || device != i % 7 - 1)
      return NULL;
    g_usleep (50);
  }
  return element;
}

static guint64
count (const GstStructure * stats, const gchar * field)
{
  guint64 value = G_MAXUINT64;

  gst_structure_get_uint64 (stats, field, &value);
  return value;
}

static gboolean
is_consistent (Reader * reader, const GstStructure * stats)
{
  guint64 frames = count (stats, "frames-cpu") +
      count (stats, "frames-in-place") + count (stats, "frames-staged");
  gboolean grew = frames >= reader->frames;
  gint device = -2;

  reader->frames = frames;
  return grew && gst_structure_get_int (stats, "device", &device) &&
      device == reader->device &&
      g_strcmp0 (gst_structure_get_string (stats, "backend"),
      pipe_backend ()) == 0 &&
      count (stats, "bytes-out") == frames * WIDTH * HEIGHT &&
      count (stats, "bytes-in") == frames * WIDTH * HEIGHT * 3;
}

static gpointer
read_stats (gpointer data)
{
  Reader *reader = data;

  while (!g_atomic_int_get (&reader->stop) && reader->problem == NULL) {
    GstStructure *stats;

    g_object_get (reader->element, "stats", &stats, NULL);
    if (!is_consistent (reader, stats))
      reader->problem = gst_structure_to_string (stats);
    gst_structure_free (stats);
    reader->reads++;
  }
  return NULL;
}

/* The pipeline is to be playing. */
static gint
device_in_use (GstElement * element)
{
  GstStructure *stats;
  gint device = -2;

  g_object_get (element, "stats", &stats, NULL);
  fail_unless (gst_structure_get_int (stats, "device", &device));
  gst_structure_free (stats);
  return device;
}

GST_START_TEST (test_toggled_while_playing)
{
  GstElement *pipeline = pipe_launch (LINE);
  PipeWatch *watch = pipe_watch (pipeline);
  Reader reader = { watch->element };
  GThread *toggler, *thread;

  pipe_set_state (pipeline, GST_STATE_PLAYING);
  reader.device = device_in_use (watch->element);
  thread = g_thread_new ("stats", read_stats, &reader);
  toggler = g_thread_new ("toggle", toggle, watch->element);
  pipe_wait_for_more (watch, 50);
  fail_unless (g_thread_join (toggler) == watch->element, "not as it was set");
  pipe_wait_for_more (watch, 5);
  g_atomic_int_set (&reader.stop, TRUE);
  g_thread_join (thread);
  fail_unless (reader.problem == NULL, "%s", reader.problem);
  fail_unless (reader.reads >= 10 && reader.frames > 50);
  pipe_stop (pipeline, watch);
}

GST_END_TEST;

static void
expect_failed_start (GstElement * pipeline)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;

  fail_unless (gst_element_set_state (pipeline, GST_STATE_PAUSED) ==
      GST_STATE_CHANGE_FAILURE);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  fail_unless (message != NULL);
  fail_unless (g_str_has_prefix (GST_MESSAGE_SRC_NAME (message), "cudagray"));
  gst_message_unref (message);
  gst_object_unref (bus);
}

/* What was set is harmless until the next start, and it is for that one. */
GST_START_TEST (test_next_start)
{
  GstElement *pipeline = pipe_launch (LINE);
  PipeWatch *watch = pipe_watch (pipeline);

  pipe_set_state (pipeline, GST_STATE_PLAYING);
  gst_util_set_object_arg (G_OBJECT (watch->element), "backend", "cuda");
  g_object_set (watch->element, "cuda-device-id", NO_DEVICE, NULL);
  pipe_wait_for_more (watch, 5);
  pipe_set_state (pipeline, GST_STATE_PAUSED);
  pipe_set_state (pipeline, GST_STATE_PLAYING);
  pipe_wait_for_more (watch, 5);
  pipe_check_bus (pipeline);

  pipe_set_state (pipeline, GST_STATE_READY);
  expect_failed_start (pipeline);
  pipe_set_state (pipeline, GST_STATE_NULL);

  gst_util_set_object_arg (G_OBJECT (watch->element), "backend",
      pipe_backend ());
  g_object_set (watch->element, "cuda-device-id", -1, NULL);
  pipe_set_state (pipeline, GST_STATE_PLAYING);
  pipe_wait_for_more (watch, 5);
  pipe_stop (pipeline, watch);
}

GST_END_TEST;

static Suite *
properties_suite (void)
{
  Suite *s = suite_create ("properties");
  TCase *tc = pipe_tcase (s, "properties");

  tcase_add_test (tc, test_toggled_while_playing);
  tcase_add_test (tc, test_next_start);
  return s;
}

int
main (int argc, char **argv)
{
  return pipe_main (argc, argv, properties_suite);
}
