/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Frames that other branches hold too: read, never written, moved or copied.
 * A write map of such a frame is a critical, which ends the program. */

#include "pipe.h"

#include <string.h>

#define FRAMES 30

typedef struct
{
  GMutex lock;
  GPtrArray *memories;          /* of the source's frames, in their order */
} Source;

static GstPadProbeReturn
note_memory (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  Source *source = data;

  g_mutex_lock (&source->lock);
  /* Held, so that no later frame can have the same address. */
  g_ptr_array_add (source->memories, gst_buffer_get_memory (buffer, 0));
  g_mutex_unlock (&source->lock);
  return GST_PAD_PROBE_OK;
}

static void
note_memories (GstElement * pipeline, Source * source)
{
  GstElement *src = gst_bin_get_by_name (GST_BIN (pipeline), "src");
  GstPad *pad = gst_element_get_static_pad (src, "src");

  g_mutex_init (&source->lock);
  source->memories = g_ptr_array_new_with_free_func ((GDestroyNotify)
      gst_memory_unref);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, note_memory, source, NULL);
  gst_object_unref (pad);
  gst_object_unref (src);
}

static void
forget_memories (Source * source)
{
  g_ptr_array_unref (source->memories);
  g_mutex_clear (&source->lock);
}

/* The visible bytes of a packed format with bytes bytes a pixel. */
static GBytes *
visible_bytes (GstSample * sample)
{
  GByteArray *bytes = g_byte_array_new ();
  GstVideoFrame frame;
  GstVideoInfo info;
  guint row;

  fail_unless (gst_video_info_from_caps (&info, gst_sample_get_caps (sample)));
  fail_unless (gst_video_frame_map (&frame, &info,
          gst_sample_get_buffer (sample), GST_MAP_READ));
  row = info.width * GST_VIDEO_INFO_COMP_PSTRIDE (&info, 0);
  for (gint y = 0; y < info.height; y++)
    g_byte_array_append (bytes, (guint8 *) frame.data[0] +
        (gssize) y * GST_VIDEO_FRAME_PLANE_STRIDE (&frame, 0), row);
  gst_video_frame_unmap (&frame);
  return g_byte_array_free_to_bytes (bytes);
}

/* Every frame's memory and bytes at an appsink. */
static GPtrArray *
collect (GstElement * pipeline, const gchar * appsink, Source * source)
{
  GPtrArray *frames = g_ptr_array_new_with_free_func ((GDestroyNotify)
      g_bytes_unref);
  GstSample *sample;

  while ((sample = pipe_pull (pipeline, appsink)) != NULL) {
    GstMemory *memory = gst_buffer_peek_memory (gst_sample_get_buffer (sample),
        0);

    g_mutex_lock (&source->lock);
    fail_unless (memory == g_ptr_array_index (source->memories, frames->len),
        "frame %u was copied", frames->len);
    g_mutex_unlock (&source->lock);
    g_ptr_array_add (frames, visible_bytes (sample));
    gst_sample_unref (sample);
  }
  return frames;
}

static GPtrArray *
run_alone (const gchar * caps)
{
  GstElement *pipeline = pipe_launch ("videotestsrc name=src num-buffers=%d "
      "pattern=ball ! %s ! tee name=t ! queue ! appsink name=other sync=false",
      FRAMES, caps);
  GPtrArray *frames;
  Source source;

  note_memories (pipeline, &source);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  frames = collect (pipeline, "other", &source);
  forget_memories (&source);
  pipe_stop (pipeline, NULL);
  return frames;
}

static void
check_beside (const gchar * caps, const gchar * branch, gint kept)
{
  GPtrArray *expected = run_alone (caps), *frames;
  GstElement *pipeline = pipe_launch ("videotestsrc name=src num-buffers=%d "
      "pattern=ball ! %s ! tee name=t  t. ! %s  "
      "t. ! queue ! appsink name=other wait-on-eos=false sync=false", FRAMES,
      caps, branch);
  PipeWatch *watch = pipe_watch (pipeline);
  Source source;

  note_memories (pipeline, &source);
  pipe_play (pipeline, 10);
  frames = collect (pipeline, "other", &source);
  forget_memories (&source);
  fail_unless_equals_int (frames->len, FRAMES);
  fail_unless_equals_int (expected->len, FRAMES);
  for (guint i = 0; i < FRAMES; i++)
    fail_unless (g_bytes_equal (g_ptr_array_index (frames, i),
            g_ptr_array_index (expected, i)), "frame %u was changed", i);
  fail_unless_equals_int (watch->out, FRAMES);
  fail_unless_equals_int (watch->kept, kept);
  g_ptr_array_unref (frames);
  g_ptr_array_unref (expected);
  pipe_stop (pipeline, watch);
}

static const gchar *const branches[] = {
  "queue ! cudagray ! appsink wait-on-eos=false sync=false",
  "cudagray ! queue ! appsink wait-on-eos=false sync=false",
  "queue ! cudagray ! queue ! fakesink",
};

static const struct
{
  const gchar *caps;
  gint kept;
} inputs[] = {
  {"video/x-raw,format=RGB,width=33,height=17", 0},
  {"video/x-raw,format=BGRx,width=33,height=17", 0},
  {"video/x-raw,format=GRAY8,width=33,height=17", FRAMES},
};

GST_START_TEST (test_tee)
{
  guint input = __i__ / G_N_ELEMENTS (branches);

  check_beside (inputs[input].caps, branches[__i__ % G_N_ELEMENTS (branches)],
      inputs[input].kept);
}

GST_END_TEST;

/* Both branches convert the same frames at the same time. */
GST_START_TEST (test_two_beside)
{
  GstElement *pipeline = pipe_launch ("videotestsrc num-buffers=%d pattern=ball"
      " ! video/x-raw,format=RGB,width=641,height=480 ! tee name=t  "
      "t. ! queue ! cudagray ! queue ! appsink name=a sync=false  "
      "t. ! queue ! cudagray ! queue ! appsink name=b sync=false", FRAMES);
  GstSample *a, *b;
  guint frames = 0;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while ((a = pipe_pull (pipeline, "a")) != NULL) {
    GBytes *of_a = visible_bytes (a), *of_b;

    b = pipe_pull (pipeline, "b");
    fail_unless (b != NULL);
    of_b = visible_bytes (b);
    fail_unless (g_bytes_equal (of_a, of_b), "frame %u differs", frames);
    g_bytes_unref (of_a);
    g_bytes_unref (of_b);
    gst_sample_unref (a);
    gst_sample_unref (b);
    frames++;
  }
  fail_unless_equals_int (frames, FRAMES);
  pipe_stop (pipeline, NULL);
}

GST_END_TEST;

static Suite *
tee_suite (void)
{
  Suite *s = suite_create ("tee");
  TCase *tc = pipe_tcase (s, "tee");

  tcase_add_loop_test (tc, test_tee, 0,
      G_N_ELEMENTS (inputs) * G_N_ELEMENTS (branches));
  tcase_add_test (tc, test_two_beside);
  return s;
}

int
main (int argc, char **argv)
{
  return pipe_main (argc, argv, tee_suite);
}
