/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Where the plan finds the samples of each format, against GStreamer's own way
 * to unpack it. */

#include <gst/check/gstcheck.h>
#include <gst/video/video.h>

#include "arith.h"
#include "caps.h"
#include "videoplan.h"

/* Even, for GStreamer swaps the chroma of a last odd pixel of VYUY. */
#define WIDTH 38
#define HEIGHT 4

static guint
sample_at (const LumaComponent * c, const GstVideoFrame * frame, guint x,
    guint y)
{
  guint sample = x >> c->sub_x;
  const guint8 *p = (guint8 *) frame->data[c->plane] +
      luma_plane_row (c, y) * frame->info.stride[c->plane] + c->offset +
      sample / c->per_word * c->step;
  guint32 word = 0;

  for (guint b = 0; b < c->bytes; b++)
    word |= (guint32) p[b] << 8 * (c->big_endian ? c->bytes - 1 - b : b);
  word >>= c->shift + sample % c->per_word * c->depth;
  return word & ((1u << c->depth) - 1);
}

/* Component i of what GStreamer unpacks: after alpha, as 8 or 16 bits that
 * begin with the sample's. */
static guint
unpacked_at (const GstVideoInfo * info, const guint8 * line, guint x, guint i,
    guint depth)
{
  const GstVideoFormatInfo *unpacked =
      gst_video_format_get_info (info->finfo->unpack_format);
  guint component = 4 * x + 1 + i;

  if (GST_VIDEO_FORMAT_INFO_DEPTH (unpacked, 0) == 8)
    return line[component] >> (8 - MIN (depth, 8));
  return ((const guint16 *) line)[component] >> (16 - depth);
}

static void
check_frame (const GstVideoInfo * info, const LumaPlan * plan,
    GstBuffer * buffer)
{
  /* Y alone, unless the plan reads chroma. */
  gboolean three = GST_VIDEO_INFO_IS_RGB (info) || plan->wide;
  guint8 line[8 * WIDTH];
  GstVideoFrame frame;

  fail_unless (gst_video_frame_map (&frame, info, buffer, GST_MAP_READ));
  for (gint y = 0; y < HEIGHT; y++) {
    info->finfo->unpack_func (info->finfo, GST_VIDEO_PACK_FLAG_TRUNCATE_RANGE,
        line, frame.data, frame.info.stride, 0, y, WIDTH);
    for (guint x = 0; x < WIDTH; x++) {
      for (guint i = 0; i < LUMA_COMPONENTS; i++) {
        const LumaComponent *c = &plan->component[i];
        guint expected = unpacked_at (info, line, x, three ? i : 0, c->depth);
        guint got = sample_at (c, &frame, x, y);

        fail_unless (got == expected, "%s: component %u at %u,%d is %x, "
            "GStreamer's is %x", info->finfo->name, i, x, y, got, expected);
      }
    }
  }
  gst_video_frame_unmap (&frame);
}

/* To the input's own matrix, and to another, for which YUV's chroma is read. */
static void
check_format (const gchar * name)
{
  static const GstVideoColorMatrix matrices[] = {
    GST_VIDEO_COLOR_MATRIX_BT601, GST_VIDEO_COLOR_MATRIX_FCC
  };
  GstVideoInfo info, gray;
  GstBuffer *buffer;
  GstMapInfo map;

  fail_unless (gst_video_info_set_format (&info,
          gst_video_format_from_string (name), WIDTH, HEIGHT), "%s", name);
  gst_video_info_set_format (&gray, GST_VIDEO_FORMAT_GRAY16_LE, WIDTH, HEIGHT);
  info.colorimetry.matrix = matrices[0];
  buffer = gst_buffer_new_allocate (NULL, info.size, NULL);
  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (gsize i = 0; i < map.size; i++)
    map.data[i] = (guint8) g_random_int ();
  gst_buffer_unmap (buffer, &map);
  for (guint i = 0; i < G_N_ELEMENTS (matrices); i++) {
    LumaPlan plan;

    gray.colorimetry.matrix = matrices[i];
    fail_unless (cuda_gray_plan_init (&plan, &info, &gray), "%s", name);
    fail_unless (plan.wide == (GST_VIDEO_INFO_IS_YUV (&info) && i == 1));
    check_frame (&info, &plan, buffer);
  }
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
