/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Cases 35 and 53, of many: pipelines that several threads start, stop and flush
 * at random while others play.  Every frame is right, and in the end every
 * pipeline plays. */

#include "endure.h"

#define N_LINES 64
/* Of 33x17 in RGB a copy takes longer than the conversion, of 320x240 not. */
#define CAPS(format, size) \
    "video/x-raw,framerate=200/1,format=" format "," size

typedef struct
{
  GstElement *pipeline;
  GstBus *bus;
  PipeWatch *watch;
  GMutex control;               /* not both at once: a state and a seek */
} Line;

static const gchar *const caps[] = {
  CAPS ("RGB", "width=33,height=17"), CAPS ("BGRx", "width=320,height=240"),
  CAPS ("GBR", "width=64,height=48"), CAPS ("I420", "width=50,height=30"),
  CAPS ("RGB10A2_LE", "width=33,height=9"), CAPS ("GRAY8", "width=20,height=20")
};

static void
line_init (Line * line, guint i)
{
  line->pipeline = pipe_launch ("videotestsrc pattern=snow is-live=%s ! %s ! "
      "cudagray ! %sfakesink sync=true", i % 2 ? "true" : "false",
      caps[i % G_N_ELEMENTS (caps)], i % 3 ? "" : "queue ! ");
  line->bus = gst_element_get_bus (line->pipeline);
  line->watch = pipe_watch (line->pipeline);
  g_mutex_init (&line->control);
}

static gchar *
set_state (GRand * rand, Line * line)
{
  /* Mostly up, so that frames flow. */
  static const GstState states[] = {
    GST_STATE_PLAYING, GST_STATE_PLAYING, GST_STATE_PLAYING, GST_STATE_PAUSED,
    GST_STATE_READY, GST_STATE_NULL
  };
  GstState state = states[g_rand_int_range (rand, 0, G_N_ELEMENTS (states))];
  GstStateChangeReturn result;

  g_mutex_lock (&line->control);
  result = gst_element_set_state (line->pipeline, state);
  g_mutex_unlock (&line->control);
  return result != GST_STATE_CHANGE_FAILURE ? NULL :
      g_strdup ("a change of state failed");
}

/* Without the frames that were on their way, in any state.  GStreamer's own
 * source holds its streaming lock for that and asks for the state's, where a
 * start does the reverse. */
static gchar *
seek (Line * line)
{
  g_mutex_lock (&line->control);
  gst_element_seek_simple (line->pipeline, GST_FORMAT_TIME,
      GST_SEEK_FLAG_FLUSH, 0);
  g_mutex_unlock (&line->control);
  return NULL;
}

static gchar *
step (GRand * rand, gpointer data)
{
  Line *line = (Line *) data + g_rand_int_range (rand, 0, N_LINES);
  gint what = g_rand_int_range (rand, 0, 20);

  if (what > 10)
    return endure_meddle (rand, line->watch->element);
  if (what > 3)
    return set_state (rand, line);
  if (what > 2)
    return seek (line);
  if (what > 0)
    return endure_read_bus (line->bus);
  /* Frames have the time to themselves. */
  g_usleep (g_rand_int_range (rand, 0, 5000));
  return NULL;
}

/* It starts once more, as if nothing had been. */
static void
line_finish (Line * line)
{
  gchar *problem = endure_read_bus (line->bus);

  fail_unless (problem == NULL, "%s", problem);
  gst_object_unref (line->bus);
  gst_util_set_object_arg (G_OBJECT (line->watch->element), "backend",
      pipe_backend ());
  pipe_set_state (line->pipeline, GST_STATE_PLAYING);
  pipe_wait_for_more (line->watch, 3);
  pipe_stop (line->pipeline, line->watch);
  g_mutex_clear (&line->control);
}

GST_START_TEST (test_crowd)
{
  Line lines[N_LINES];
  guint64 frames = 0;

  for (guint i = 0; i < N_LINES; i++)
    line_init (&lines[i], i);
  endure_run (step, lines);
  for (guint i = 0; i < N_LINES; i++) {
    pipe_set_state (lines[i].pipeline, GST_STATE_NULL);
    frames += lines[i].watch->out;
    /* Of a frame that was on its way. */
    gst_clear_buffer (&lines[i].watch->input);
  }
  g_print ("%" G_GUINT64_FORMAT " frames\n", frames);
  fail_unless (frames > N_LINES);
  for (guint i = 0; i < N_LINES; i++)
    line_finish (&lines[i]);
}

GST_END_TEST;

static Suite *
crowd_suite (void)
{
  Suite *s = suite_create ("crowd");

  tcase_add_test (pipe_tcase (s, "crowd"), test_crowd);
  return s;
}

int
main (int argc, char **argv)
{
  return endure_main (argc, argv, crowd_suite);
}
