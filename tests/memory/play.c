/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#include "play.h"

#include "frames.h"
#include "pipe.h"

#define SEEKS 20
/* Containers round times. */
#define ROUNDING (5 * GST_MSECOND)

GPtrArray *
play_rows (GstElement * pipeline)
{
  GPtrArray *frames = g_ptr_array_new_with_free_func ((GDestroyNotify)
      g_bytes_unref);
  GstSample *sample;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while ((sample = pipe_pull (pipeline, "a")) != NULL) {
    g_ptr_array_add (frames, frames_rows (gst_sample_get_buffer (sample),
            gst_sample_get_caps (sample)));
    gst_sample_unref (sample);
  }
  return frames;
}

/* Frames wait in short queues, so that memory is used again all the time. */
static void
shorten (GstElement * pipeline)
{
  GstIterator *all = gst_bin_iterate_elements (GST_BIN (pipeline));
  GValue item = G_VALUE_INIT;

  while (gst_iterator_next (all, &item) == GST_ITERATOR_OK) {
    GObject *element = g_value_get_object (&item);

    if (g_object_class_find_property (G_OBJECT_GET_CLASS (element),
            "max-size-buffers") != NULL)
      g_object_set (element, "max-size-buffers", 2, NULL);
    if (GST_IS_APP_SINK (element))
      g_object_set (element, "max-buffers", 2, "sync", FALSE, NULL);
    g_value_unset (&item);
  }
  gst_iterator_free (all);
}

static void
check_sample (GstSample * sample, gboolean cuda, GBytes * expected)
{
  GstBuffer *buffer = gst_sample_get_buffer (sample);

  fail_unless_equals_int (gst_is_cuda_memory (gst_buffer_peek_memory (buffer,
              0)), cuda);
  frames_check (buffer, gst_sample_get_caps (sample), expected);
  gst_sample_unref (sample);
}

void
play_check (GstElement * pipeline, guint sinks, const gboolean cuda[],
    GPtrArray * expected)
{
  static const gchar *const names[] = { "a", "b" };

  shorten (pipeline);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  for (guint i = 0; i < expected->len; i++) {
    for (guint s = 0; s < sinks; s++) {
      GstSample *sample = pipe_pull (pipeline, names[s]);

      fail_unless (sample != NULL, "%u frames, not %u", i, expected->len);
      check_sample (sample, cuda[s], g_ptr_array_index (expected, i));
    }
  }
  for (guint s = 0; s < sinks; s++)
    fail_unless (pipe_pull (pipeline, names[s]) == NULL);
}

/* From the middle of a frame on, so that rounding leads to no other. */
static void
seek_to (GstElement * pipeline, guint frame, guint end)
{
  fail_unless (gst_element_seek (pipeline, 1, GST_FORMAT_TIME,
          GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE, GST_SEEK_TYPE_SET,
          gst_util_uint64_scale (2 * frame + 1, GST_SECOND, 60),
          GST_SEEK_TYPE_SET, gst_util_uint64_scale (end, GST_SECOND, 30)));
}

/* The next frame is whichever its time says.  FALSE at the end. */
static gboolean
check_by_time (GstElement * pipeline, gboolean cuda, GPtrArray * expected)
{
  GstSample *sample = pipe_pull (pipeline, "a");
  guint64 frame;

  if (sample == NULL)
    return FALSE;
  frame = gst_util_uint64_scale (GST_BUFFER_PTS (gst_sample_get_buffer
          (sample)) + ROUNDING, 30, GST_SECOND);
  fail_unless (frame < expected->len);
  check_sample (sample, cuda, g_ptr_array_index (expected, frame));
  return TRUE;
}

void
play_flush (GstElement * pipeline, gboolean cuda, GPtrArray * expected,
    guint32 seed)
{
  GRand *random = g_rand_new_with_seed (seed);

  shorten (pipeline);
  pipe_set_state (pipeline, GST_STATE_PAUSED);
  seek_to (pipeline, 0, expected->len);
  pipe_set_state (pipeline, GST_STATE_PLAYING);
  for (guint i = 0; i < SEEKS; i++) {
    gint frames = g_rand_int_range (random, 0, 5);

    for (gint n = 0; n < frames; n++)
      fail_unless (check_by_time (pipeline, cuda, expected));
    if (i % 7 == 3)
      while (check_by_time (pipeline, cuda, expected));
    seek_to (pipeline, g_rand_int_range (random, 0, expected->len - 5),
        expected->len);
  }
  while (check_by_time (pipeline, cuda, expected));
  seek_to (pipeline, 0, expected->len);
  fail_unless (check_by_time (pipeline, cuda, expected));
  g_rand_free (random);
}
