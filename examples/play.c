/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#include "play.h"

GstElement *
play_parse (const gchar * format, ...)
{
  GstElement *pipeline;
  GError *error = NULL;
  gchar *description;
  va_list args;

  va_start (args, format);
  description = g_strdup_vprintf (format, args);
  va_end (args);
  pipeline = gst_parse_launch_full (description, NULL,
      GST_PARSE_FLAG_FATAL_ERRORS, &error);
  if (error != NULL)
    g_printerr ("error: %s\n", error->message);
  g_clear_error (&error);
  g_free (description);
  return pipeline;
}

static void
print_message (GstMessage * message)
{
  gboolean is_error = GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR;
  gchar *debug = NULL;
  GError *error = NULL;

  if (is_error)
    gst_message_parse_error (message, &error, &debug);
  else
    gst_message_parse_warning (message, &error, &debug);
  g_printerr ("%s: %s: %s\n%s%s", is_error ? "error" : "warning",
      GST_MESSAGE_SRC_NAME (message), error->message, debug ? debug : "",
      debug ? "\n" : "");
  g_error_free (error);
  g_free (debug);
}

int
play (GstElement * pipeline)
{
  GstStateChangeReturn start = gst_element_set_state (pipeline,
      GST_STATE_PLAYING);
  /* An element that can't start says why, and nothing more is to come. */
  GstClockTime patience = start == GST_STATE_CHANGE_FAILURE ? 0 :
      GST_CLOCK_TIME_NONE;
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessageType type;

  do {
    GstMessage *message = gst_bus_timed_pop_filtered (bus, patience,
        GST_MESSAGE_EOS | GST_MESSAGE_ERROR | GST_MESSAGE_WARNING);

    type = message != NULL ? GST_MESSAGE_TYPE (message) : GST_MESSAGE_ERROR;
    if (message == NULL)
      g_printerr ("error: the pipeline does not start\n");
    else if (type != GST_MESSAGE_EOS)
      print_message (message);
    gst_clear_message (&message);
  } while (type == GST_MESSAGE_WARNING);
  gst_object_unref (bus);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  return type == GST_MESSAGE_EOS ? 0 : 1;
}

void
play_print_stats (GstElement * pipeline)
{
  GstElement *gray = gst_bin_get_by_name (GST_BIN (pipeline), "gray");
  guint64 in_place, staged, cpu;
  const gchar *backend;
  GstStructure *stats;

  g_object_get (gray, "stats", &stats, NULL);
  backend = gst_structure_get_string (stats, "backend");
  gst_structure_get (stats, "frames-in-place", G_TYPE_UINT64, &in_place,
      "frames-staged", G_TYPE_UINT64, &staged, "frames-cpu", G_TYPE_UINT64,
      &cpu, NULL);
  g_print ("backend %s; frames in place %" G_GUINT64_FORMAT ", staged %"
      G_GUINT64_FORMAT ", by the CPU %" G_GUINT64_FORMAT "\n", backend,
      in_place, staged, cpu);
  gst_structure_free (stats);
  gst_object_unref (gray);
}
