/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Caps that change while frames flow: each frame by its own caps, and memory
 * that does not grow. */

#include "pipe.h"

#include <stdio.h>
#include <string.h>

#include "gpu.h"

#define CYCLES 20
/* Sizes settle in so many cycles: pools take a buffer more where the source
 * was ahead of the sink. */
#define SETTLED 5
#define BIG_WIDTH 3840
#define BIG_HEIGHT 2160
/* One frame in and one out: what may be in flight more than it was before.  A
 * frame lost in each of the other cycles is many times that. */
#define SLACK ((gsize) BIG_WIDTH * BIG_HEIGHT * 4 + (4 << 20))

static const struct
{
  const gchar *description;
  gint frames, kept;
  const gchar *caps;
} changes[] = {
  {"concat name=c ! cudagray ! video/x-raw,format=GRAY8 ! fakesink  "
        "videotestsrc num-buffers=3 ! video/x-raw,format=RGB,width=5,height=3 "
        "! c.  videotestsrc num-buffers=3 ! "
        "video/x-raw,format=BGRx,width=64,height=48 ! c.  videotestsrc "
        "num-buffers=2 ! video/x-raw,format=RGB,width=1,height=1 ! c.",
      8, 0, "RGB 5x3, BGRx 64x48, RGB 1x1, "},
  /* The layout alone, at one size. */
  {"concat name=c ! cudagray ! queue ! fakesink  "
        "videotestsrc num-buffers=3 ! video/x-raw,format=RGB,width=33,height=17"
        " ! c.  videotestsrc num-buffers=3 ! "
        "video/x-raw,format=BGR,width=33,height=17 ! c.  videotestsrc "
        "num-buffers=3 ! video/x-raw,format=GBR,width=33,height=17 ! c.  "
        "videotestsrc num-buffers=3 ! "
        "video/x-raw,format=ARGB,width=33,height=17 ! c.",
      12, 0, "RGB 33x17, BGR 33x17, GBR 33x17, ARGB 33x17, "},
  /* Into passthrough and out of it. */
  {"concat name=c ! cudagray ! fakesink  "
        "videotestsrc num-buffers=3 ! video/x-raw,format=RGB,width=17,height=9 "
        "! c.  videotestsrc num-buffers=4 ! "
        "video/x-raw,format=GRAY8,width=17,height=9 ! c.  videotestsrc "
        "num-buffers=3 ! video/x-raw,format=RGBA,width=17,height=9 ! c.",
      10, 4, "RGB 17x9, GRAY8 17x9, RGBA 17x9, "},
};

GST_START_TEST (test_changes)
{
  GstElement *pipeline = pipe_launch ("%s", changes[__i__].description);
  PipeWatch *watch = pipe_watch (pipeline);

  pipe_play (pipeline, 10);
  fail_unless_equals_int (watch->out, changes[__i__].frames);
  fail_unless_equals_int (watch->kept, changes[__i__].kept);
  fail_unless_equals_string (watch->seen->str, changes[__i__].caps);
  pipe_stop (pipeline, watch);
}

GST_END_TEST;

typedef struct
{
  gsize blocks, resident;
} Memory;

static gsize
resident_bytes (void)
{
  unsigned long pages = 0;
  FILE *f = fopen ("/proc/self/statm", "r");

  fail_unless (f != NULL);
  fail_unless_equals_int (fscanf (f, "%*s %lu", &pages), 1);
  fclose (f);
  return pages * 4096;
}

static void
grow_to_current (Memory * memory)
{
  GpuBlockUse use;

  gpu_blocks_use (&use);
  memory->blocks = MAX (memory->blocks, use.used + use.free);
  memory->resident = MAX (memory->resident, resident_bytes ());
}

/* Asks for a size, and pulls until three frames of it have come. */
static void
change_size (GstElement * pipeline, GstElement * filter, gint width,
    gint height)
{
  gchar *caps = g_strdup_printf ("video/x-raw,format=RGB,width=%d,height=%d",
      width, height);
  gint frames = 0, got;

  gst_util_set_object_arg (G_OBJECT (filter), "caps", caps);
  g_free (caps);
  for (gint i = 0; frames < 3; i++) {
    GstSample *sample = pipe_pull (pipeline, "sink");

    fail_unless (sample != NULL && i < 100);
    gst_structure_get_int (gst_caps_get_structure (gst_sample_get_caps
            (sample), 0), "width", &got);
    frames += got == width;
    gst_sample_unref (sample);
  }
}

/* videotestsrc's frames are in our memory too: its pool is ours.  The filter still
 * takes the caps from before a change that it is told of while the source is
 * negotiating. */
GST_START_TEST (test_memory_is_flat)
{
  GstElement *pipeline = pipe_launch ("videotestsrc pattern=blue ! "
      "capsfilter name=filter caps-change-mode=delayed ! cudagray ! "
      "appsink name=sink sync=false max-buffers=1");
  PipeWatch *watch = pipe_watch (pipeline);
  GstElement *filter = gst_bin_get_by_name (GST_BIN (pipeline), "filter");
  Memory settled = { 0, 0 }, last = { 0, 0 };

  gst_util_set_object_arg (G_OBJECT (filter), "caps",
      "video/x-raw,format=RGB,width=40,height=30");
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  for (gint cycle = 0; cycle < CYCLES; cycle++) {
    change_size (pipeline, filter, BIG_WIDTH, BIG_HEIGHT);
    grow_to_current (cycle < SETTLED ? &settled : &last);
    change_size (pipeline, filter, 40, 30);
    grow_to_current (cycle < SETTLED ? &settled : &last);
  }
  fail_unless (settled.blocks > (gsize) BIG_WIDTH * BIG_HEIGHT * 4);
  fail_unless (last.blocks <= settled.blocks + SLACK,
      "%zu bytes in blocks, %zu before", last.blocks, settled.blocks);
  /* Sanitizers keep freed memory. */
#if !defined (__SANITIZE_ADDRESS__) && !defined (__SANITIZE_THREAD__)
  fail_unless (last.resident <= settled.resident + SLACK,
      "%zu bytes resident, %zu before", last.resident, settled.resident);
#endif
  gst_object_unref (filter);
  pipe_stop (pipeline, watch);
}

GST_END_TEST;

static Suite *
renegotiate_suite (void)
{
  Suite *s = suite_create ("renegotiate");
  TCase *tc = pipe_tcase (s, "renegotiate");

  tcase_add_loop_test (tc, test_changes, 0, G_N_ELEMENTS (changes));
  tcase_add_test (tc, test_memory_is_flat);
  return s;
}

int
main (int argc, char **argv)
{
  return pipe_main (argc, argv, renegotiate_suite);
}
