/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Case 43: a process that exits while a pipeline plays does so quietly.  The
 * program starts itself, with the number of a way to exit. */

#include "pipe.h"

#include <stdlib.h>
#include <unistd.h>

#include "gstcudagray.h"
#include "process.h"

#define TIMES 3

/* A process that does not end is ended, in seconds. */
#define HANG 30

static const struct
{
  const gchar *line;
  GstState state;
  gboolean from_stream;         /* exit is called by the streaming thread */
} ways[] = {
  {"videotestsrc pattern=blue ! video/x-raw,format=RGB,width=1920,height=1080 "
        "! cudagray ! fakesink", GST_STATE_PLAYING, FALSE},
  {"videotestsrc ! video/x-raw,format=BGRx ! queue ! cudagray ! queue ! "
        "appsink sync=false max-buffers=3", GST_STATE_PLAYING, FALSE},
  {"videotestsrc ! video/x-raw,format=RGB ! cudagray ! fakesink",
      GST_STATE_PLAYING, TRUE},
  {"videotestsrc is-live=true ! video/x-raw,format=RGB ! tee ! cudagray ! "
        "fakesink", GST_STATE_PLAYING, FALSE},
  {"videotestsrc ! video/x-raw,format=RGB ! cudagray ! fakesink",
      GST_STATE_PAUSED, FALSE},
};

static GstPadProbeReturn
count_or_exit (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  static gint frames;
  gint way = GPOINTER_TO_INT (data);

  if (g_atomic_int_add (&frames, 1) == 3 && ways[way].from_stream)
    exit (EXIT_SUCCESS);
  return GST_PAD_PROBE_OK;
}

/* Never returns.  The later the round, the later in a frame.  Check's macros
 * are for the parent. */
static void
play_and_exit (gint way, gint round)
{
  GstElement *pipeline, *gray;
  GstPad *pad;

  alarm (HANG);
  gst_init (NULL, NULL);
  GST_ELEMENT_REGISTER (cudagray, NULL);
  pipeline = gst_parse_launch (ways[way].line, NULL);
  gray = gst_bin_get_by_name (GST_BIN (pipeline), "cudagray0");
  gst_util_set_object_arg (G_OBJECT (gray), "backend", pipe_backend ());
  pad = gst_element_get_static_pad (gray, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, count_or_exit,
      GINT_TO_POINTER (way), NULL);
  gst_element_set_state (pipeline, ways[way].state);
  if (gst_element_get_state (pipeline, NULL, NULL, GST_CLOCK_TIME_NONE) ==
      GST_STATE_CHANGE_FAILURE)
    exit (EXIT_FAILURE);
  while (ways[way].from_stream)
    pause ();
  g_usleep (500 + round * 700);
  exit (EXIT_SUCCESS);
}

/* Without what asks for output.  What a frame under way holds is no leak. */
static gchar **
quiet_environment (void)
{
  gchar **env = g_get_environ ();
  const gchar *options = g_environ_getenv (env, "ASAN_OPTIONS");
  gchar *quiet = g_strdup_printf ("%s:detect_leaks=0", options ? options : "");

  env = g_environ_setenv (env, "ASAN_OPTIONS", quiet, TRUE);
  g_free (quiet);
  env = g_environ_unsetenv (env, "GST_DEBUG");
  return g_environ_unsetenv (env, "G_MESSAGES_DEBUG");
}

GST_START_TEST (test_exit)
{
  gchar *way = g_strdup_printf ("%d", __i__ / TIMES);
  gchar *round = g_strdup_printf ("%d", __i__ % TIMES);
  const gchar *arguments[] = { way, round, NULL };
  gchar **argv = process_line (arguments), **env = quiet_environment ();
  gchar *out = NULL, *err = NULL;
  gint status;

  fail_unless (g_spawn_sync (NULL, argv, env, G_SPAWN_SEARCH_PATH, NULL, NULL,
          &out, &err, &status, NULL));
  fail_unless_equals_string (err, "");
  fail_unless_equals_string (out, "");
  fail_unless (g_spawn_check_wait_status (status, NULL), "status %d", status);
  g_strfreev (argv);
  g_strfreev (env);
  g_free (way);
  g_free (round);
  g_free (out);
  g_free (err);
}

GST_END_TEST;

static Suite *
exit_suite (void)
{
  Suite *s = suite_create ("exit");
  TCase *tc = pipe_tcase (s, "exit");

  tcase_add_loop_test (tc, test_exit, 0, G_N_ELEMENTS (ways) * TIMES);
  return s;
}

int
main (int argc, char **argv)
{
  if (argc == 3)
    play_and_exit (atoi (argv[1]), atoi (argv[2]));
  return pipe_main (argc, argv, exit_suite);
}
