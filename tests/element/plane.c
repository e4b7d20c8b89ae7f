/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Y planes that are the answer already: handed on where downstream takes their
 * rows, and otherwise copied. */

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/video/video.h>

#include "gstcudagray.h"

#define WIDTH 37
#define HEIGHT 5

/* Where the rows of the input's first plane are. */
typedef struct
{
  gsize offset;
  gint stride;
} Rows;

static const struct
{
  const gchar *in, *out;        /* caps fields */
  gboolean strides;             /* downstream takes any */
  Rows rows;                    /* stride 0: as caps have it */
  gboolean handed_on;
} cases[] = {
  {"I420,colorimetry=1:4:0:1", "GRAY8", FALSE, {0, 0}, TRUE},
  {"I420,colorimetry=1:4:0:1", "GRAY8", TRUE, {0, 0}, TRUE},
  {"NV12,colorimetry=1:3:5:1", "GRAY8", TRUE, {64, 51}, TRUE},
  {"NV12,colorimetry=1:3:5:1", "GRAY8", FALSE, {64, 51}, FALSE},
  {"I420,colorimetry=1:4:0:1", "GRAY8", TRUE, {51 * 4, -51}, FALSE},
  {"I420,colorimetry=1:4:0:1", "GRAY8", TRUE, {0, 1}, FALSE},
  {"Y444,colorimetry=bt709", "GRAY8,colorimetry=bt709", TRUE, {0, 0}, TRUE},
  {"Y444,colorimetry=bt709", "GRAY8", TRUE, {0, 0}, FALSE},
  {"P016_LE,colorimetry=1:4:0:1", "GRAY16_LE", TRUE, {0, 0}, TRUE},
  {"P016_LE,colorimetry=1:4:0:1", "GRAY16_BE", TRUE, {0, 0}, FALSE},
  {"P010_10LE,colorimetry=1:4:0:1", "GRAY16_LE", TRUE, {0, 0}, FALSE},
  {"YUY2,colorimetry=1:4:0:1", "GRAY8", TRUE, {0, 0}, FALSE},
};

static GstHarness *
new_harness (gint i)
{
  GstElement *element = g_object_new (GST_TYPE_CUDA_GRAY, NULL);
  GstHarness *harness;
  gchar *caps;

  gst_util_set_object_arg (G_OBJECT (element), "backend", "cpu");
  harness = gst_harness_new_with_element (element, "sink", "src");
  gst_object_unref (element);
  if (cases[i].strides)
    gst_harness_add_propose_allocation_meta (harness, GST_VIDEO_META_API_TYPE,
        NULL);
  caps = g_strdup_printf ("video/x-raw,format=%s", cases[i].out);
  gst_harness_set_sink_caps_str (harness, caps);
  g_free (caps);
  caps = g_strdup_printf ("video/x-raw,format=%s,width=%d,height=%d,"
      "framerate=25/1", cases[i].in, WIDTH, HEIGHT);
  gst_harness_set_src_caps_str (harness, caps);
  g_free (caps);
  return harness;
}

static GstBuffer *
new_frame (GstHarness * harness, const Rows * rows)
{
  GstCaps *caps = gst_pad_get_current_caps (harness->srcpad);
  gsize offset[GST_VIDEO_MAX_PLANES];
  gint stride[GST_VIDEO_MAX_PLANES];
  GstVideoInfo info;
  GstBuffer *buffer;
  GstMapInfo map;

  gst_video_info_from_caps (&info, caps);
  gst_caps_unref (caps);
  buffer = gst_buffer_new_allocate (NULL, 4 * info.size + 512, NULL);
  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (gsize i = 0; i < map.size; i++)
    map.data[i] = (guint8) (i * 37 + i / 251);
  gst_buffer_unmap (buffer, &map);
  if (rows->stride == 0)
    return buffer;
  memcpy (offset, info.offset, sizeof offset);
  memcpy (stride, info.stride, sizeof stride);
  offset[0] = rows->offset;
  stride[0] = rows->stride;
  offset[1] = offset[2] = 2 * info.size;
  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_INFO_FORMAT (&info), WIDTH, HEIGHT,
      GST_VIDEO_INFO_N_PLANES (&info), offset, stride);
  return buffer;
}

static guint64
handed_on (GstHarness * harness)
{
  GstStructure *stats;
  guint64 frames;

  g_object_get (harness->element, "stats", &stats, NULL);
  fail_unless (gst_structure_get_uint64 (stats, "frames-passthrough", &frames));
  gst_structure_free (stats);
  return frames;
}

/* The rows of a frame that map makes, as the buffer's meta or caps have them. */
static const guint8 *
map_rows (GstBuffer * buffer, GstPad * pad, GstVideoFrame * frame)
{
  GstCaps *caps = gst_pad_get_current_caps (pad);
  GstVideoInfo info;

  gst_video_info_from_caps (&info, caps);
  gst_caps_unref (caps);
  fail_unless (gst_video_frame_map (frame, &info, buffer, GST_MAP_READ));
  return frame->data[0];
}

GST_START_TEST (test_plane)
{
  GstHarness *harness = new_harness (__i__);
  GstBuffer *in = new_frame (harness, &cases[__i__].rows), *out;
  GstVideoFrame from, to;
  const guint8 *in_rows, *out_rows;

  GST_BUFFER_PTS (in) = 7 * GST_SECOND;
  fail_unless_equals_int (gst_harness_push (harness, gst_buffer_ref (in)),
      GST_FLOW_OK);
  out = gst_harness_pull (harness);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (out), 7 * GST_SECOND);
  fail_unless_equals_uint64 (handed_on (harness), cases[__i__].handed_on);
  in_rows = map_rows (in, harness->srcpad, &from);
  out_rows = map_rows (out, harness->sinkpad, &to);
  if (cases[__i__].handed_on) {
    fail_unless (in_rows == out_rows);
    fail_unless_equals_int (GST_VIDEO_FRAME_PLANE_STRIDE (&to, 0),
        GST_VIDEO_FRAME_PLANE_STRIDE (&from, 0));
    /* The frame must not go back to where it came from. */
    fail_unless (gst_buffer_get_parent_buffer_meta (out)->buffer == in);
  } else {
    fail_unless (in_rows != out_rows);
  }
  gst_video_frame_unmap (&from);
  gst_video_frame_unmap (&to);
  gst_buffer_unref (in);
  gst_buffer_unref (out);
  gst_harness_teardown (harness);
}

GST_END_TEST;

/* Fields, whose caps have the height of both. */
GST_START_TEST (test_field)
{
  GstHarness *harness = gst_harness_new ("cudagray");
  GstVideoFrame from, to;
  GstBuffer *in, *out;

  gst_util_set_object_arg (G_OBJECT (harness->element), "backend", "cpu");
  if (__i__ == 0)
    gst_harness_add_propose_allocation_meta (harness, GST_VIDEO_META_API_TYPE,
        NULL);
  gst_harness_set_src_caps_str (harness, "video/x-raw(format:Interlaced),"
      "format=I420,width=37,height=10,interlace-mode=alternate,"
      "colorimetry=(string)1:4:0:1,framerate=25/1");
  in = new_frame (harness, &cases[0].rows);
  GST_BUFFER_FLAG_SET (in, GST_VIDEO_BUFFER_FLAG_TOP_FIELD);
  fail_unless_equals_int (gst_harness_push (harness, gst_buffer_ref (in)),
      GST_FLOW_OK);
  out = gst_harness_pull (harness);
  fail_unless (map_rows (in, harness->srcpad, &from) ==
      map_rows (out, harness->sinkpad, &to));
  gst_video_frame_unmap (&from);
  gst_video_frame_unmap (&to);
  gst_buffer_unref (in);
  gst_buffer_unref (out);
  gst_harness_teardown (harness);
}

GST_END_TEST;

/* A frame without all of its Y is no plane to hand on. */
GST_START_TEST (test_short)
{
  GstHarness *harness = new_harness (0);

  fail_unless_equals_int (gst_harness_push (harness,
          gst_buffer_new_allocate (NULL, 40 * HEIGHT - 4, NULL)), GST_FLOW_OK);
  fail_unless (gst_harness_try_pull (harness) == NULL);
  fail_unless_equals_uint64 (handed_on (harness), 0);
  gst_harness_teardown (harness);
}

GST_END_TEST;

static Suite *
plane_suite (void)
{
  Suite *s = suite_create ("plane");
  TCase *tc = tcase_create ("plane");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_plane, 0, G_N_ELEMENTS (cases));
  tcase_add_loop_test (tc, test_field, 0, 2);
  tcase_add_test (tc, test_short);
  return s;
}

int
main (int argc, char **argv)
{
  gst_check_init (&argc, &argv);
  GST_ELEMENT_REGISTER (cudagray, NULL);
  return gst_check_run_suite (plane_suite (), "plane", __FILE__);
}
