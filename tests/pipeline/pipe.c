/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#include "pipe.h"

#include <gmodule.h>
#include <stdio.h>

#include "gpu.h"
#include "gstcudagray.h"

/* A test that hangs fails after so long; nothing here takes that long. */
#define HANG 60

static GList *pipelines;        /* of the running test */

const gchar *
pipe_backend (void)
{
  const gchar *name = g_getenv ("CUDAGRAY_TEST_BACKEND");

  return name != NULL ? name : "cpu";
}

/* Once opened, the device's context stays for the element. */
static gboolean
have_gpu (void)
{
  GpuStatus status;
  LumaBackend *gpu = gpu_open (-1, &status);

  if (gpu == NULL) {
    printf ("skipped, no GPU: %s\n", status.text);
    return FALSE;
  }
  gpu->klass->close (gpu);
  return TRUE;
}

int
pipe_main (int argc, char **argv, Suite * (*suite) (void))
{
  /* A CUDA context does not survive fork. */
  g_setenv ("CK_FORK", "no", TRUE);
  gst_check_init (&argc, &argv);
  GST_ELEMENT_REGISTER (cudagray, NULL);
  if (g_str_equal (pipe_backend (), "cuda") && !have_gpu ())
    return 77;
  return gst_check_run_suite (suite (), argv[0], argv[0]);
}

static void
stop_leftovers (void)
{
  while (pipelines != NULL) {
    gst_element_set_state (pipelines->data, GST_STATE_NULL);
    pipelines = g_list_delete_link (pipelines, pipelines);
  }
}

void
pipe_stop_leftovers (TCase * tc)
{
  tcase_add_checked_fixture (tc, NULL, stop_leftovers);
}

TCase *
pipe_tcase (Suite * suite, const gchar * name)
{
  TCase *tc = tcase_create (name);

  pipe_stop_leftovers (tc);
  suite_add_tcase (suite, tc);
  return tc;
}

gboolean
pipe_have (const gchar * factories)
{
  gchar **names = g_strsplit (factories, " ", -1);
  gboolean all = TRUE;

  for (guint i = 0; names[i] != NULL; i++) {
    GstElementFactory *factory = gst_element_factory_find (names[i]);

    all = all && (factory != NULL || names[i][0] == '\0');
    gst_clear_object (&factory);
  }
  g_strfreev (names);
  return all;
}

static gdouble
stretch (gdouble seconds)
{
  const gchar *factor = g_getenv ("CK_TIMEOUT_MULTIPLIER");

  return factor != NULL ? seconds * g_ascii_strtod (factor, NULL) : seconds;
}

void
pipe_check_time (gint64 start, gdouble seconds, const gchar * what)
{
  gdouble took = (g_get_monotonic_time () - start) / (gdouble) G_USEC_PER_SEC;

  fail_unless (took < stretch (seconds), "%s took %.2f s, not %.1f", what, took,
      seconds);
}

void
pipe_wait_for_frames (PipeWatch * watch, gint frames)
{
  gint64 start = g_get_monotonic_time ();

  while (g_atomic_int_get (&watch->out) < frames) {
    pipe_check_time (start, PIPE_HANGS, "a frame");
    g_usleep (200);
  }
}

void
pipe_wait_for_more (PipeWatch * watch, gint frames)
{
  pipe_wait_for_frames (watch, g_atomic_int_get (&watch->out) + frames);
}

static void
set_backend (const GValue * item, gpointer data)
{
  GstElement *element = g_value_get_object (item);
  gint backend;

  g_object_get (element, "backend", &backend, NULL);
  if (backend == 0)
    gst_util_set_object_arg (G_OBJECT (element), "backend", pipe_backend ());
}

GstElement *
pipe_launch (const gchar * format, ...)
{
  GError *error = NULL;
  GstElement *pipeline;
  gchar *description;
  GstIterator *all;
  va_list args;

  va_start (args, format);
  description = g_strdup_vprintf (format, args);
  va_end (args);
  pipeline = gst_parse_launch (description, &error);
  fail_unless (pipeline != NULL && error == NULL, "%s: %s", description,
      error != NULL ? error->message : "no pipeline");
  g_free (description);
  all = gst_bin_iterate_all_by_element_factory_name (GST_BIN (pipeline),
      "cudagray");
  gst_iterator_foreach (all, set_backend, NULL);
  gst_iterator_free (all);
  pipelines = g_list_prepend (pipelines, pipeline);
  return pipeline;
}

static void
check_message (GstMessage * message)
{
  gboolean error = GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR;
  gchar *debug = NULL;
  GError *e = NULL;

  if (error)
    gst_message_parse_error (message, &e, &debug);
  else
    gst_message_parse_warning (message, &e, &debug);
  /* Others may warn, say about a corrupt picture; we have no reason to. */
  fail_if (error || g_str_has_prefix (GST_MESSAGE_SRC_NAME (message),
          "cudagray"), "%s of %s: %s (%s)", error ? "error" : "warning",
      GST_MESSAGE_SRC_NAME (message), e->message, debug);
  g_error_free (e);
  g_free (debug);
}

void
pipe_check_bus (GstElement * pipeline)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;

  while ((message = gst_bus_pop_filtered (bus,
              GST_MESSAGE_ERROR | GST_MESSAGE_WARNING)) != NULL) {
    check_message (message);
    gst_message_unref (message);
  }
  gst_object_unref (bus);
}

void
pipe_expect_errors (GstElement * pipeline, GstElement * of)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message = gst_bus_timed_pop_filtered (bus,
      stretch (HANG) * GST_SECOND, GST_MESSAGE_ERROR);

  fail_unless (message != NULL, "no error of %s", GST_OBJECT_NAME (of));
  do {
    if (GST_MESSAGE_SRC (message) != GST_OBJECT (of))
      check_message (message);
    gst_message_unref (message);
  } while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR)) != NULL);
  gst_object_unref (bus);
}

void
pipe_set_state (GstElement * pipeline, GstState state)
{
  GstStateChangeReturn result = gst_element_set_state (pipeline, state);

  if (result == GST_STATE_CHANGE_ASYNC)
    result = gst_element_get_state (pipeline, NULL, NULL,
        stretch (HANG) * GST_SECOND);
  if (result == GST_STATE_CHANGE_FAILURE)
    pipe_check_bus (pipeline);
  fail_if (result == GST_STATE_CHANGE_FAILURE ||
      result == GST_STATE_CHANGE_ASYNC, "change to %s: %s",
      gst_element_state_get_name (state),
      gst_element_state_change_return_get_name (result));
}

void
pipe_play (GstElement * pipeline, gdouble seconds)
{
  GstClockTime left = stretch (seconds) * GST_SECOND;
  GstBus *bus = gst_element_get_bus (pipeline);
  gboolean eos = FALSE;
  GstMessage *message;

  fail_if (gst_element_set_state (pipeline, GST_STATE_PLAYING) ==
      GST_STATE_CHANGE_FAILURE);
  while (!eos) {
    message = gst_bus_timed_pop_filtered (bus, left, GST_MESSAGE_EOS |
        GST_MESSAGE_ERROR | GST_MESSAGE_WARNING);
    fail_if (message == NULL, "no EOS in %g s", seconds);
    eos = GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS;
    if (!eos)
      check_message (message);
    gst_message_unref (message);
  }
  gst_object_unref (bus);
}

GstSample *
pipe_pull (GstElement * pipeline, const gchar * appsink)
{
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), appsink);
  GstSample *sample = gst_app_sink_try_pull_sample (GST_APP_SINK (sink),
      stretch (HANG) * GST_SECOND);

  if (sample == NULL) {
    pipe_check_bus (pipeline);
    fail_unless (gst_app_sink_is_eos (GST_APP_SINK (sink)), "no sample");
  }
  gst_object_unref (sink);
  return sample;
}

guint64
pipe_stat (GstElement * cudagray, const gchar * field)
{
  GstStructure *stats;
  guint64 value = 0;

  g_object_get (cudagray, "stats", &stats, NULL);
  fail_unless (gst_structure_get_uint64 (stats, field, &value), "no %s", field);
  gst_structure_free (stats);
  return value;
}

static void
check_backend (GstElement * cudagray)
{
  GstStructure *stats;

  g_object_get (cudagray, "stats", &stats, NULL);
  fail_unless_equals_string (gst_structure_get_string (stats, "backend"),
      pipe_backend ());
  gst_structure_free (stats);
  fail_unless_equals_uint64 (pipe_stat (cudagray, "failovers"), 0);
  fail_unless_equals_uint64 (pipe_stat (cudagray, "frames-dropped"), 0);
  if (g_str_equal (pipe_backend (), "cuda"))
    fail_unless_equals_uint64 (pipe_stat (cudagray, "frames-cpu"), 0);
}

void
pipe_stop (GstElement * pipeline, PipeWatch * watch)
{
  gint64 start = g_get_monotonic_time ();
  GpuBlockUse use;

  pipe_check_bus (pipeline);
  if (watch != NULL)
    check_backend (watch->element);
  pipe_set_state (pipeline, GST_STATE_NULL);
  pipe_check_time (start, PIPE_SOON, "the way to NULL");
  pipelines = g_list_remove (pipelines, pipeline);
  /* A thread of the last state change may just be leaving. */
  while (GST_OBJECT_REFCOUNT_VALUE (pipeline) > 1) {
    pipe_check_time (start, PIPE_SOON, "the last reference");
    g_usleep (200);
  }
  gst_object_unref (pipeline);
  if (watch != NULL)
    pipe_watch_free (watch);
  gpu_blocks_use (&use);
  fail_unless_equals_uint64 (use.used, 0);
}
