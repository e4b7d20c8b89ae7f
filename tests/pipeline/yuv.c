/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* YUV as sources and decoders give it, with nothing between.  The watch
 * compares each frame with the rule. */

#include "pipe.h"

#define FRAMES 5

static const gchar *const formats[] = {
  "I420", "YV12", "NV12", "NV21", "NV16", "NV61", "NV24", "Y41B", "Y42B",
  "Y444", "YUV9", "YVU9", "YUY2", "UYVY", "YVYU", "VYUY", "AYUV", "VUYA"
};

/* Plays a pipeline of so many frames, of which some pass through as they are,
 * and some as their first plane. */
static void
check_planes (const gchar * description, gint frames, const gchar * caps,
    gint passed, gint planes)
{
  GstElement *pipeline = pipe_launch ("%s", description);
  PipeWatch *watch = pipe_watch (pipeline);

  pipe_play (pipeline, 20);
  fail_unless_equals_int (watch->in, frames);
  fail_unless_equals_int (watch->out, frames);
  fail_unless_equals_int (watch->kept, passed);
  /* A source may give its rows a stride that fakesink can't be told of. */
  if (planes == 0 || pipe_stat (watch->element, "frames-passthrough") != 0)
    fail_unless_equals_uint64 (pipe_stat (watch->element,
            "frames-passthrough"), passed + planes);
  fail_unless_equals_string (watch->seen->str, caps);
  pipe_stop (pipeline, watch);
}

static void
check (const gchar * description, gint frames, const gchar * caps, gint passed)
{
  check_planes (description, frames, caps, passed, 0);
}

static const struct
{
  const gchar *pattern, *colorimetry;
  gint width, height;
} pictures[] = {
  {"snow", "", 321, 243},
  {"smpte", ",colorimetry=bt709", 640, 480},
  {"gradient", ",colorimetry=(string)1:4:0:0", 33, 17},
  {"colors", "", 1280, 720},
  {"white", ",colorimetry=bt2020", 1, 1},
};

static gboolean
is_planar (const gchar * format)
{
  const GstVideoFormatInfo *info =
      gst_video_format_get_info (gst_video_format_from_string (format));

  return GST_VIDEO_FORMAT_INFO_PSTRIDE (info, 0) == 1;
}

GST_START_TEST (test_formats)
{
  for (guint i = 0; i < G_N_ELEMENTS (pictures); i++) {
    gchar *description = g_strdup_printf ("videotestsrc num-buffers=%d "
        "pattern=%s ! video/x-raw,format=%s,width=%d,height=%d%s ! cudagray ! "
        "fakesink", FRAMES, pictures[i].pattern, formats[__i__],
        pictures[i].width, pictures[i].height, pictures[i].colorimetry);
    gchar *caps = g_strdup_printf ("%s %dx%d, ", formats[__i__],
        pictures[i].width, pictures[i].height);

    check_planes (description, FRAMES, caps, 0, is_planar (formats[__i__]) &&
        strstr (pictures[i].colorimetry, "1:4:") ? FRAMES : 0);
    g_free (caps);
    g_free (description);
  }
}

GST_END_TEST;

/* What the source likes best, which for videotestsrc is a colour: that gray
 * could pass through does not put it first. */
GST_START_TEST (test_source_decides)
{
  GstElement *pipeline = pipe_launch ("videotestsrc num-buffers=%d ! "
      "cudagray ! fakesink", FRAMES);
  PipeWatch *watch = pipe_watch (pipeline);

  pipe_play (pipeline, 10);
  fail_unless_equals_int (watch->out, FRAMES);
  fail_unless_equals_int (watch->kept, 0);
  fail_unless_equals_uint64 (pipe_stat (watch->element, "frames-passthrough"),
      0);
  fail_if (g_str_has_prefix (watch->seen->str, "GRAY8"), "%s",
      watch->seen->str);
  pipe_stop (pipeline, watch);
}

GST_END_TEST;

static const struct
{
  const gchar *formats, *caps;
  gint passed;
} choices[] = {
  {"GRAY8", "GRAY8 33x17, ", FRAMES},
  {"v210,GRAY8,NV12_10LE40", "GRAY8 33x17, ", FRAMES},
  /* Gray values of 8 bits, so that nothing passes through; the source has its
   * own order. */
  {"GRAY16_LE", "GRAY16_LE 33x17, ", 0},
  {"GRAY8,GRAY16_LE", "GRAY16_LE 33x17, ", 0},
  {"GRAY16_BE,GRAY8", "GRAY16_BE 33x17, ", 0},
  {"Y444_10LE,GRAY8,GRAY16_LE", "Y444_10LE 33x17, ", 0},
  {"GRAY8,NV12", "NV12 33x17, ", 0},
  {"v210,VUYA,GRAY16_LE", "VUYA 33x17, ", 0},
  {"RGB10A2_LE,VUYA", "RGB10A2_LE 33x17, ", 0},
};

GST_START_TEST (test_choices)
{
  gchar *description = g_strdup_printf ("videotestsrc num-buffers=%d ! "
      "video/x-raw,format=(string){%s},width=33,height=17 ! cudagray ! "
      "fakesink", FRAMES, choices[__i__].formats);

  check (description, FRAMES, choices[__i__].caps, choices[__i__].passed);
  g_free (description);
}

GST_END_TEST;

/* A JPEG's subsampling is its decoder's format. */
static const struct
{
  const gchar *source;
  gboolean gray;
} jpegs[] = { {"I420"}, {"Y42B"}, {"Y444"}, {"YUY2"}, {"GRAY8", TRUE} };

GST_START_TEST (test_jpeg)
{
  GstElement *pipeline;
  PipeWatch *watch;

  if (!pipe_have ("jpegenc jpegdec"))
    return;
  pipeline = pipe_launch ("videotestsrc num-buffers=%d pattern=ball ! "
      "video/x-raw,format=%s,width=321,height=243 ! jpegenc ! jpegdec ! "
      "cudagray ! fakesink", FRAMES, jpegs[__i__].source);
  watch = pipe_watch (pipeline);
  pipe_play (pipeline, 10);
  fail_unless_equals_int (watch->out, FRAMES);
  fail_unless_equals_int (watch->kept, jpegs[__i__].gray ? FRAMES : 0);
  fail_unless (g_str_has_prefix (watch->seen->str, "GRAY8") ==
      jpegs[__i__].gray, "%s", watch->seen->str);
  pipe_stop (pipeline, watch);
}

GST_END_TEST;

/* The clip among the files that the build knew of; NULL without it. */
static gchar *
find_clip (void)
{
  const gchar *media = g_getenv ("CUDAGRAY_TEST_MEDIA");
  gchar **files = g_strsplit (media != NULL ? media : "", ":", -1);
  gchar *clip = NULL;

  for (guint i = 0; files[i] != NULL; i++) {
    if (clip == NULL && g_str_has_suffix (files[i], "bunny.webm"))
      clip = g_strdup (files[i]);
  }
  g_strfreev (files);
  return clip;
}

GST_START_TEST (test_vp8)
{
  gchar *clip = find_clip (), *description;

  if (clip == NULL || !pipe_have ("matroskademux vp8dec")) {
    g_free (clip);
    return;
  }
  description = g_strdup_printf ("filesrc location=%s ! matroskademux ! "
      "vp8dec ! cudagray ! fakesink", clip);
  check (description, 77, "I420 321x181, ", 0);
  g_free (description);
  g_free (clip);
}

GST_END_TEST;

/* Kinds of frames in turn, each by its own caps. */
GST_START_TEST (test_changes)
{
  check ("concat name=c ! cudagray ! queue ! fakesink  "
      "videotestsrc num-buffers=2 ! video/x-raw,format=I420,width=33,height=17 "
      "! c.  videotestsrc num-buffers=2 ! "
      "video/x-raw,format=YUY2,width=64,height=720 ! c.  videotestsrc "
      "num-buffers=2 ! video/x-raw,format=GRAY8,width=33,height=17 ! c.  "
      "videotestsrc num-buffers=2 ! video/x-raw,format=RGB,width=33,height=17 "
      "! c.  videotestsrc num-buffers=2 ! "
      "video/x-raw,format=AYUV,width=33,height=17 ! c.", 10,
      "I420 33x17, YUY2 64x720, GRAY8 33x17, RGB 33x17, AYUV 33x17, ", 2);
}

GST_END_TEST;

static Suite *
yuv_suite (void)
{
  Suite *s = suite_create ("yuv");
  TCase *tc = pipe_tcase (s, "yuv");

  tcase_add_loop_test (tc, test_formats, 0, G_N_ELEMENTS (formats));
  tcase_add_test (tc, test_source_decides);
  tcase_add_loop_test (tc, test_choices, 0, G_N_ELEMENTS (choices));
  tcase_add_loop_test (tc, test_jpeg, 0, G_N_ELEMENTS (jpegs));
  tcase_add_test (tc, test_vp8);
  tcase_add_test (tc, test_changes);
  return s;
}

int
main (int argc, char **argv)
{
  return pipe_main (argc, argv, yuv_suite);
}
