/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Where the plan finds the samples of each format, against GStreamer's own way
 * to unpack it. */

#include <gst/check/gstcheck.h>
#include <gst/video/video.h>

#include "caps.h"
#include "videoplan.h"

#define WIDTH 37
#define HEIGHT 4

static guint
sample_at (const LumaComponent * c, const guint8 * row, guint x)
{
  const guint8 *p = row + c->offset + x * c->step;
  guint bytes = MAX (c->bytes, 1);
  guint32 word = 0;

  for (guint b = 0; b < bytes; b++)
    word |= (guint32) p[b] << 8 * (c->big_endian ? bytes - 1 - b : b);
  return word >> c->shift & ((1u << c->depth) - 1);
}

/* Component i of what GStreamer unpacks: after alpha, as 8 or 16 bits that
 * begin with the sample's. */
static guint
unpacked_at (const GstVideoInfo * info, const guint8 * line, guint x, guint i,
    guint depth)
{
  const GstVideoFormatInfo *unpacked =
      gst_video_format_get_info (info->finfo->unpack_format);
  guint component = 4 * x + 1 + (GST_VIDEO_INFO_IS_RGB (info) ? i : 0);

  if (GST_VIDEO_FORMAT_INFO_DEPTH (unpacked, 0) == 8)
    return line[component] >> (8 - MIN (depth, 8));
  return ((const guint16 *) line)[component] >> (16 - depth);
}

static void
check_format (const gchar * name)
{
  GstVideoInfo info, gray;
  GstVideoFrame frame;
  GstBuffer *buffer;
  LumaPlan plan;
  guint8 line[8 * WIDTH];
  GstMapInfo map;

  fail_unless (gst_video_info_set_format (&info,
          gst_video_format_from_string (name), WIDTH, HEIGHT), "%s", name);
  gst_video_info_set_format (&gray, GST_VIDEO_FORMAT_GRAY16_LE, WIDTH, HEIGHT);
  gray.colorimetry.matrix = info.colorimetry.matrix;
  fail_unless (cuda_gray_plan_init (&plan, &info, &gray), "%s", name);
  buffer = gst_buffer_new_allocate (NULL, info.size, NULL);
  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (gsize i = 0; i < map.size; i++)
    map.data[i] = (guint8) g_random_int ();
  gst_buffer_unmap (buffer, &map);
  fail_unless (gst_video_frame_map (&frame, &info, buffer, GST_MAP_READ));
  for (gint y = 0; y < HEIGHT; y++) {
    info.finfo->unpack_func (info.finfo, GST_VIDEO_PACK_FLAG_TRUNCATE_RANGE,
        line, frame.data, frame.info.stride, 0, y, WIDTH);
    for (guint x = 0; x < WIDTH; x++) {
      for (guint i = 0; i < LUMA_COMPONENTS; i++) {
        const LumaComponent *c = &plan.component[i];
        const guint8 *row = (guint8 *) frame.data[c->plane] +
            y * frame.info.stride[c->plane];
        guint expected = unpacked_at (&info, line, x, i, c->depth);
        guint got = sample_at (c, row, x);

        fail_unless (got == expected, "%s: component %u at %u,%d is %x, "
            "GStreamer's is %x", name, i, x, y, got, expected);
      }
    }
  }
  gst_video_frame_unmap (&frame);
  gst_buffer_unref (buffer);
}

GST_START_TEST (test_formats)
{
  GValue list = G_VALUE_INIT;

  g_value_init (&list, GST_TYPE_LIST);
  fail_unless (gst_value_deserialize (&list, CUDA_GRAY_SINK_FORMATS));
  for (guint i = 0; i < gst_value_list_get_size (&list); i++)
    check_format (g_value_get_string (gst_value_list_get_value (&list, i)));
  g_value_unset (&list);
}

GST_END_TEST;

static Suite *
mapping_suite (void)
{
  Suite *s = suite_create ("mapping");
  TCase *tc = tcase_create ("formats");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_formats);
  return s;
}

GST_CHECK_MAIN (mapping);
