/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Beside GStreamer's own converter, on random frames of every format.  It
 * computes with 8 bits of a matrix: what it gives is off by 6 of 255 at most,
 * or by as much of 65535, and by more for some of UYVY. */

#include "caps.h"
#include "rig.h"

#define WIDTH 322
#define HEIGHT 8
#define OFF 6

static GstBuffer *
random_frame (const GstVideoInfo * info)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, info->size, NULL);
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  for (gsize i = 0; i < map.size; i++)
    map.data[i] = (guint8) g_random_int ();
  gst_buffer_unmap (buffer, &map);
  return buffer;
}

static GstBuffer *
convert (GstBuffer * in, const GstVideoInfo * from, const GstVideoInfo * to)
{
  GstVideoConverter *converter = gst_video_converter_new (from, to,
      gst_structure_new ("options", GST_VIDEO_CONVERTER_OPT_DITHER_METHOD,
          GST_TYPE_VIDEO_DITHER_METHOD, GST_VIDEO_DITHER_NONE,
          GST_VIDEO_CONVERTER_OPT_CHROMA_MODE, GST_TYPE_VIDEO_CHROMA_MODE,
          GST_VIDEO_CHROMA_MODE_NONE, NULL));
  GstBuffer *out = gst_buffer_new_allocate (NULL, to->size, NULL);
  GstVideoFrame a, b;

  fail_unless (converter != NULL);
  fail_unless (gst_video_frame_map (&a, from, in, GST_MAP_READ));
  fail_unless (gst_video_frame_map (&b, to, out, GST_MAP_WRITE));
  gst_video_converter_frame (converter, &a, &b);
  gst_video_frame_unmap (&a);
  gst_video_frame_unmap (&b);
  gst_video_converter_free (converter);
  return out;
}

static guint
gray_at (const GstVideoFrame * frame, guint x, guint y)
{
  const guint8 *row = (guint8 *) frame->data[0] +
      y * GST_VIDEO_FRAME_PLANE_STRIDE (frame, 0);

  return GST_VIDEO_FRAME_COMP_DEPTH (frame, 0) == 8 ? row[x] :
      GST_READ_UINT16_LE (row + 2 * x);
}

static void
compare (const GstVideoInfo * from, const GstVideoInfo * to, GstBuffer * ours,
    GstBuffer * theirs)
{
  gint off = GST_VIDEO_INFO_COMP_DEPTH (to, 0) == 8 ? OFF : OFF * 257;
  GstVideoFrame a, b;

  fail_unless (gst_video_frame_map (&a, to, ours, GST_MAP_READ));
  fail_unless (gst_video_frame_map (&b, to, theirs, GST_MAP_READ));
  for (guint y = 0; y < HEIGHT; y++) {
    for (guint x = 0; x < WIDTH; x++) {
      gint is = gray_at (&a, x, y), peer = gray_at (&b, x, y);

      if (ABS (is - peer) > off)
        fail ("%s to %s at %u,%u: %d, GStreamer has %d", from->finfo->name,
            to->finfo->name, x, y, is, peer);
    }
  }
  gst_video_frame_unmap (&a);
  gst_video_frame_unmap (&b);
}

static void
check_format (const gchar * name, GstVideoFormat gray)
{
  GstVideoInfo from, to;
  GstBuffer *in, *ours, *theirs;
  Rig *rig = rig_new ();

  gst_video_info_set_format (&from, gst_video_format_from_string (name), WIDTH,
      HEIGHT);
  gst_video_info_set_format (&to, gray, WIDTH, HEIGHT);
  from.fps_n = to.fps_n = 25;
  from.fps_d = to.fps_d = 1;
  /* In one matrix it leaves the range as it is. */
  if (GST_VIDEO_INFO_IS_YUV (&from))
    gst_video_colorimetry_from_string (&from.colorimetry, "bt601");
  gst_video_colorimetry_from_string (&to.colorimetry, "1:3:5:1");
  in = random_frame (&from);
  theirs = convert (in, &from, &to);
  gst_harness_set_sink_caps (rig->harness, gst_video_info_to_caps (&to));
  rig_set_caps (rig, gst_video_info_to_caps (&from));
  ours = rig_run (rig, in);
  compare (&from, &to, ours, theirs);
  gst_buffer_unref (ours);
  gst_buffer_unref (theirs);
  rig_free (rig);
}

GST_START_TEST (test_formats)
{
  static const GstVideoFormat grays[] = {
    GST_VIDEO_FORMAT_GRAY8, GST_VIDEO_FORMAT_GRAY16_LE
  };
  GValue list = G_VALUE_INIT;

  g_random_set_seed (1);
  g_value_init (&list, GST_TYPE_LIST);
  fail_unless (gst_value_deserialize (&list, CUDA_GRAY_SINK_FORMATS));
  for (guint i = 0; i < gst_value_list_get_size (&list); i++) {
    const gchar *name = g_value_get_string (gst_value_list_get_value (&list,
            i));

    if (grays[__i__] != GST_VIDEO_FORMAT_GRAY8 || !g_str_equal (name, "UYVY"))
      check_format (name, grays[__i__]);
  }
  g_value_unset (&list);
}

GST_END_TEST;

static void
add_tests (TCase * tests)
{
  tcase_add_loop_test (tests, test_formats, 0, 2);
}

int
main (int argc, char **argv)
{
  return rig_main (argc, argv, "element-peer", add_tests);
}
