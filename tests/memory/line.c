/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#include "line.h"

#include <gst/cuda/gstcudautils.h>

#include "pipe.h"

GstCudaContext *line_context;

static void
make_context (void)
{
  line_context = gst_cuda_context_new (0);
  fail_unless (line_context != NULL);
}

static void
drop_context (void)
{
  gst_clear_object (&line_context);
}

void
line_make_context (TCase * tests)
{
  tcase_add_checked_fixture (tests, make_context, drop_context);
}

Line *
line_new (GstCudaContext * context, const gchar * elements,
    const gchar * out_caps)
{
  Line *line = g_new0 (Line, 1);
  GError *error = NULL;
  GstElement *bin = gst_parse_bin_from_description (elements, TRUE, &error);

  fail_unless (bin != NULL && error == NULL, "%s", elements);
  gst_object_ref_sink (bin);
  line->gray = gst_bin_get_by_name (GST_BIN (bin), "gray");
  line->bus = gst_bus_new ();
  gst_element_set_bus (bin, line->bus);
  if (context != NULL) {
    GstContext *offer = gst_context_new_cuda_context (context);

    gst_element_set_context (bin, offer);
    gst_context_unref (offer);
  }
  line->harness = gst_harness_new_with_element (bin, "sink", "src");
  gst_harness_add_propose_allocation_meta (line->harness,
      GST_VIDEO_META_API_TYPE, NULL);
  gst_harness_set_sink_caps_str (line->harness, out_caps);
  gst_object_unref (bin);
  return line;
}

static void
expect_message (Line * line, const GError * expected)
{
  GstMessage *message = gst_bus_pop_filtered (line->bus,
      GST_MESSAGE_WARNING | GST_MESSAGE_ERROR);
  GError *error = NULL;

  if (message == NULL) {
    fail_unless (expected == NULL, "no message on the bus");
    return;
  }
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, NULL);
  else
    gst_message_parse_warning (message, &error, NULL);
  fail_unless (expected != NULL && g_error_matches (error, expected->domain,
          expected->code), "%s", error->message);
  g_error_free (error);
  gst_message_unref (message);
}

void
line_free (Line * line)
{
  GstElement *bin = gst_object_ref (line->harness->element);

  expect_message (line, NULL);
  gst_object_unref (line->gray);
  gst_harness_teardown (line->harness);
  gst_element_set_bus (bin, NULL);
  gst_object_unref (bin);
  gst_object_unref (line->bus);
  g_free (line);
}

void
line_set_caps (Line * line, GstCaps * caps)
{
  gst_harness_set_src_caps (line->harness, caps);
}

GstBuffer *
line_run (Line * line, GstBuffer * buffer)
{
  GstBuffer *out;

  fail_unless_equals_int (gst_harness_push (line->harness, buffer),
      GST_FLOW_OK);
  out = gst_harness_try_pull (line->harness);
  fail_unless (out != NULL, "nothing came out");
  return out;
}

GstCaps *
line_output_caps (Line * line)
{
  GstCaps *caps = gst_pad_get_current_caps (line->harness->sinkpad);

  fail_unless (caps != NULL);
  return caps;
}

void
line_check (Line * line, GstBuffer * out, GBytes * expected)
{
  GstCaps *caps = line_output_caps (line);

  frames_check (out, caps, expected);
  gst_caps_unref (caps);
  gst_buffer_unref (out);
}

void
line_run_dropped (Line * line, GstBuffer * buffer)
{
  GError warning = { GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, NULL };

  fail_unless_equals_int (gst_harness_push (line->harness, buffer),
      GST_FLOW_OK);
  fail_unless (gst_harness_try_pull (line->harness) == NULL);
  expect_message (line, &warning);
  expect_message (line, NULL);
}

guint64
line_count (Line * line, const gchar * stat)
{
  return pipe_stat (line->gray, stat);
}

void
line_check_in_place (Line * line, guint frames)
{
  fail_unless_equals_uint64 (line_count (line, "frames-in-place"), frames);
  fail_unless_equals_uint64 (line_count (line, "frames-staged"), 0);
  fail_unless_equals_uint64 (line_count (line, "frames-cpu"), 0);
  fail_unless_equals_uint64 (line_count (line, "failovers"), 0);
}
