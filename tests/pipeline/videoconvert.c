/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Beside a peer, in one pipeline, on the same frames.  videoconvert truncates
 * its 8-bit weights: for full-range RGB and default output it gives what we
 * give or one less.  Another cudagray gives the same bytes. */

#include "pipe.h"

#include <string.h>

/* All colours, each once. */
#define SIDE 4096
/* Of these, those for which videoconvert 1.22 gives one less. */
#define ONE_LESS 8364231

typedef struct
{
  guint64 pixels, one_less, frames;
} Difference;

static void
compare_frames (const GstVideoFrame * ours, const GstVideoFrame * theirs,
    const GstVideoInfo * info, Difference * sum)
{
  for (gint y = 0; y < info->height; y++) {
    const guint8 *a = (const guint8 *) ours->data[0] +
        (gssize) y * GST_VIDEO_FRAME_PLANE_STRIDE (ours, 0);
    const guint8 *b = (const guint8 *) theirs->data[0] +
        (gssize) y * GST_VIDEO_FRAME_PLANE_STRIDE (theirs, 0);
    guint less = 0, other = 0;

    for (gint x = 0; x < info->width; x++) {
      less += b[x] + 1 == a[x];
      other += b[x] != a[x] && b[x] + 1 != a[x];
    }
    fail_unless (other == 0, "frame %" G_GUINT64_FORMAT ", row %d: %u pixels "
        "differ by more", sum->frames, y, other);
    sum->one_less += less;
  }
  sum->pixels += (guint64) info->width * info->height;
  sum->frames++;
}

static void
compare_samples (GstSample * ours, GstSample * theirs, Difference * sum)
{
  GstCaps *caps = gst_sample_get_caps (ours);
  GstVideoFrame a, b;
  GstVideoInfo info;

  /* Negotiation is the peer's too: size, framerate, colorimetry, ... */
  fail_unless (gst_caps_is_equal (caps, gst_sample_get_caps (theirs)),
      "%s is not %s", gst_caps_to_string (caps),
      gst_caps_to_string (gst_sample_get_caps (theirs)));
  fail_unless (gst_video_info_from_caps (&info, caps));
  fail_unless_equals_uint64 (GST_BUFFER_PTS (gst_sample_get_buffer (ours)),
      GST_BUFFER_PTS (gst_sample_get_buffer (theirs)));
  fail_unless (gst_video_frame_map (&a, &info, gst_sample_get_buffer (ours),
          GST_MAP_READ));
  fail_unless (gst_video_frame_map (&b, &info, gst_sample_get_buffer (theirs),
          GST_MAP_READ));
  compare_frames (&a, &b, &info, sum);
  gst_video_frame_unmap (&a);
  gst_video_frame_unmap (&b);
}

/* Frames to an appsrc "src": all colours, in a packed format. */
static void
push_all_colours (GstElement * pipeline, GstVideoFormat format)
{
  GstElement *src = gst_bin_get_by_name (GST_BIN (pipeline), "src");
  GstVideoInfo info;
  GstBuffer *buffer;
  GstMapInfo map;
  GstCaps *caps;
  guint step;

  gst_video_info_set_format (&info, format, SIDE, SIDE);
  step = GST_VIDEO_INFO_COMP_PSTRIDE (&info, 0);
  buffer = gst_buffer_new_allocate (NULL, info.size, NULL);
  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  memset (map.data, 0xa5, map.size);    /* the padding of a pixel, too */
  for (gsize i = 0; i < (gsize) SIDE * SIDE; i++)
    for (guint c = 0; c < 3; c++)
      map.data[i * step + GST_VIDEO_INFO_COMP_OFFSET (&info, c)] = i >> 8 * c;
  gst_buffer_unmap (buffer, &map);
  caps = gst_video_info_to_caps (&info);
  gst_app_src_set_caps (GST_APP_SRC (src), caps);
  gst_caps_unref (caps);
  gst_app_src_push_buffer (GST_APP_SRC (src), buffer);
  gst_app_src_end_of_stream (GST_APP_SRC (src));
  gst_object_unref (src);
}

/* The source ends in RGB; all_colours: it is an appsrc. */
static Difference
beside (const gchar * peer, GstVideoFormat all_colours, const gchar * source)
{
  /* Queues that hold any frame: a second of them, or one that is larger. */
  GstElement *pipeline = pipe_launch ("%s ! tee name=t  "
      "t. ! queue max-size-bytes=0 ! cudagray ! appsink name=ours sync=false  "
      "t. ! queue max-size-bytes=0 ! %s ! video/x-raw,format=GRAY8 ! "
      "appsink name=theirs sync=false", source, peer);
  Difference sum = { 0, 0, 0 };
  GstSample *ours, *theirs;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  if (all_colours != GST_VIDEO_FORMAT_UNKNOWN)
    push_all_colours (pipeline, all_colours);
  while ((ours = pipe_pull (pipeline, "ours")) != NULL) {
    theirs = pipe_pull (pipeline, "theirs");
    fail_unless (theirs != NULL);
    compare_samples (ours, theirs, &sum);
    gst_sample_unref (ours);
    gst_sample_unref (theirs);
  }
  fail_unless (pipe_pull (pipeline, "theirs") == NULL);
  fail_unless (sum.frames > 0);
  pipe_stop (pipeline, NULL);
  return sum;
}

static const GstVideoFormat packed[] = {
  GST_VIDEO_FORMAT_RGB, GST_VIDEO_FORMAT_BGRx
};

static const gchar *const patterns[] = {
  "smpte", "snow", "gradient", "zone-plate kx2=20 ky2=20 kt=1", "pinwheel",
  "spokes", "colors", "smpte100", "chroma-zone-plate kx2=10 ky2=10", "ball"
};

static const gchar *const yuv[] = {
  "I420", "YV12", "NV12", "NV21", "NV16", "NV61", "NV24", "Y41B", "Y42B",
  "Y444", "YUV9", "YVU9", "YUY2", "UYVY", "YVYU", "VYUY", "AYUV", "VUYA"
};

#define ALL_COLOURS "appsrc name=src format=time"
#define PATTERN "videotestsrc num-buffers=5 pattern=%s ! " \
    "video/x-raw,format=%s,width=321,height=243%s"

static gchar *
pattern_source (gint i)
{
  static const gchar *const formats[] = { "RGB", "BGRx", "GBR", "ABGR" };
  static const gchar *const colorimetries[] = {
    "", ",colorimetry=sRGB", ",colorimetry=(string)1:1:5:1"
  };

  return g_strdup_printf (PATTERN, patterns[i],
      formats[i % G_N_ELEMENTS (formats)],
      colorimetries[i % G_N_ELEMENTS (colorimetries)]);
}

GST_START_TEST (test_all_colours)
{
  Difference sum = beside ("videoconvert", packed[__i__], ALL_COLOURS);

  fail_unless_equals_uint64 (sum.pixels, (guint64) SIDE * SIDE);
  fail_unless_equals_uint64 (sum.one_less, ONE_LESS);
}

GST_END_TEST;

GST_START_TEST (test_patterns)
{
  gchar *source = pattern_source (__i__);
  Difference sum = beside ("videoconvert", GST_VIDEO_FORMAT_UNKNOWN, source);

  fail_unless_equals_uint64 (sum.frames, 5);
  g_free (source);
}

GST_END_TEST;

/* Of YUV in equal ranges videoconvert copies the Y, and so do we.  In others
 * it does so, too, whatever its caps say, and we do not. */
GST_START_TEST (test_yuv)
{
  gchar *source = g_strdup_printf (PATTERN, patterns[__i__ %
          G_N_ELEMENTS (patterns)], yuv[__i__], ",colorimetry=(string)1:4:0:0");
  Difference sum = beside ("videoconvert", GST_VIDEO_FORMAT_UNKNOWN, source);

  fail_unless_equals_uint64 (sum.frames, 5);
  fail_unless_equals_uint64 (sum.one_less, 0);
  g_free (source);
}

GST_END_TEST;

/* The pictures and clips that the build knew of. */
GST_START_TEST (test_media)
{
  const gchar *media = g_getenv ("CUDAGRAY_TEST_MEDIA");
  gchar **files = g_strsplit (media != NULL ? media : "", ":", -1);

  for (guint i = 0; files[i] != NULL; i++) {
    gchar *source = g_strdup_printf ("filesrc location=%s ! decodebin ! "
        "videoconvert ! video/x-raw,format=RGB", files[i]);
    Difference sum = beside ("videoconvert", GST_VIDEO_FORMAT_UNKNOWN, source);

    /* Pictures from life have about as many of one as of the other. */
    fail_unless (sum.one_less > sum.pixels / 4);
    fail_unless (sum.one_less < sum.pixels / 4 * 3);
    g_free (source);
  }
  g_strfreev (files);
}

GST_END_TEST;

#define ON_CPU "cudagray backend=cpu"

GST_START_TEST (test_gpu_and_cpu_all_colours)
{
  Difference sum = beside (ON_CPU, packed[__i__], ALL_COLOURS);

  fail_unless_equals_uint64 (sum.pixels, (guint64) SIDE * SIDE);
  fail_unless_equals_uint64 (sum.one_less, 0);
}

GST_END_TEST;

GST_START_TEST (test_gpu_and_cpu_patterns)
{
  gchar *source = pattern_source (__i__);
  Difference sum = beside (ON_CPU, GST_VIDEO_FORMAT_UNKNOWN, source);

  fail_unless_equals_uint64 (sum.one_less, 0);
  g_free (source);
}

GST_END_TEST;

static Suite *
videoconvert_suite (void)
{
  Suite *s = suite_create ("videoconvert");
  TCase *tc = pipe_tcase (s, "videoconvert");

  tcase_add_loop_test (tc, test_all_colours, 0, G_N_ELEMENTS (packed));
  tcase_add_loop_test (tc, test_patterns, 0, G_N_ELEMENTS (patterns));
  tcase_add_loop_test (tc, test_yuv, 0, G_N_ELEMENTS (yuv));
  tcase_add_test (tc, test_media);
  if (g_str_equal (pipe_backend (), "cuda")) {
    tcase_add_loop_test (tc, test_gpu_and_cpu_all_colours, 0,
        G_N_ELEMENTS (packed));
    tcase_add_loop_test (tc, test_gpu_and_cpu_patterns, 0,
        G_N_ELEMENTS (patterns));
  }
  return s;
}

int
main (int argc, char **argv)
{
  return pipe_main (argc, argv, videoconvert_suite);
}
