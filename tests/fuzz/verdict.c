/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* What must come of a shot, and whether it has. */

#include "shot.h"

/* Widens to what is read of a plane, in numbers that hold all of these. */
static void
add_extent (const DeepFrame * frame, guint plane, guint row_bytes, guint rows,
    __int128 * begin, __int128 * end)
{
  __int128 first = frame->layout.offset[plane];
  __int128 last = first + (__int128) (rows - 1) * frame->layout.stride[plane];

  *begin = MIN (*begin, MIN (first, last));
  *end = MAX (*end, MAX (first, last) + row_bytes);
}

void
shot_find_extent (const Shot * shot, gboolean chroma, __int128 * begin,
    __int128 * end)
{
  const DeepFrame *frame = &shot->frame;
  const GstVideoInfo *info = &shot->info;

  *begin = *end = 0;
  for (guint i = 0; i < frame->deep->samples; i++)
    add_extent (frame, frame->deep->plane[i], deep_row_bytes (frame->deep,
            frame->width), frame->height, begin, end);
  for (guint c = 1; chroma && c < 3; c++) {
    guint x = (frame->width - 1) >> info->finfo->w_sub[c];
    guint y = (frame->height - 1) >> info->finfo->h_sub[c];

    add_extent (frame, GST_VIDEO_INFO_COMP_PLANE (info, c),
        (x + 1) * GST_VIDEO_INFO_COMP_PSTRIDE (info, c), y + 1, begin, end);
  }
}

static gboolean
has_planes (const Shot * shot, gboolean chroma)
{
  for (guint i = 0; i < shot->frame.deep->samples; i++) {
    if (shot->frame.deep->plane[i] >= shot->n_planes)
      return FALSE;
  }
  return !chroma ||
      (GST_VIDEO_INFO_COMP_PLANE (&shot->info, 1) < shot->n_planes &&
      GST_VIDEO_INFO_COMP_PLANE (&shot->info, 2) < shot->n_planes);
}

/* What caps call a matrix need not be one of those that there are. */
static GstVideoColorMatrix
matrix_of (const GstVideoInfo * info)
{
  GstVideoColorMatrix matrix = info->colorimetry.matrix;

  switch (matrix) {
    case GST_VIDEO_COLOR_MATRIX_FCC:
    case GST_VIDEO_COLOR_MATRIX_BT709:
    case GST_VIDEO_COLOR_MATRIX_SMPTE240M:
    case GST_VIDEO_COLOR_MATRIX_BT2020:
      return matrix;
    default:
      return GST_VIDEO_COLOR_MATRIX_BT601;
  }
}

static gboolean
needs_chroma (const Shot * shot)
{
  return shot->frame.deep->yuv && matrix_of (&shot->info) != shot->rule.matrix;
}

void
shot_judge (Shot * shot, GstCaps * out_caps)
{
  __int128 begin, end;
  GstVideoInfo out;
  gboolean chroma;

  if (shot->frame.deep == NULL || out_caps == NULL ||
      !gst_video_info_from_caps (&out, out_caps))
    return;
  shot->rule.matrix = matrix_of (&out);
  shot->rule.from_limited =
      shot->info.colorimetry.range == GST_VIDEO_COLOR_RANGE_16_235;
  shot->rule.to_limited = out.colorimetry.range == GST_VIDEO_COLOR_RANGE_16_235;
  chroma = needs_chroma (shot);
  /* Whose rows the chroma is for, GStreamer has several answers. */
  shot->unsure = chroma && GST_VIDEO_INFO_IS_INTERLACED (&shot->info);
  shot_find_extent (shot, chroma, &begin, &end);
  shot->whole = begin >= 0 && end <= (__int128) shot->frame.layout.size &&
      (!shot->has_meta || shot->meta_fits) && has_planes (shot, chroma);
}

/* What comes of a row with its chroma.  GStreamer tells the samples. */
static void
expect_mixed (const Shot * shot, guint y, guint depth, guint * expected)
{
  const GstVideoInfo *info = &shot->info;
  const guint in_depth = GST_VIDEO_INFO_COMP_DEPTH (info, 0);
  guint8 *line = g_malloc (8 * (gsize) shot->frame.width + 64);
  gint stride[GST_VIDEO_MAX_PLANES];
  gpointer data[GST_VIDEO_MAX_PLANES];

  /* Alpha, which need not be there, is taken from the Y. */
  for (guint p = 0; p < GST_VIDEO_MAX_PLANES; p++) {
    guint from = p < 3 && p < GST_VIDEO_INFO_N_PLANES (info) ? p : 0;

    data[p] = shot->frame.data + shot->frame.layout.offset[from];
    stride[p] = shot->frame.layout.stride[from];
  }
  info->finfo->unpack_func (info->finfo, GST_VIDEO_PACK_FLAG_TRUNCATE_RANGE,
      line, data, stride, 0, y, shot->frame.width);
  for (guint x = 0; x < shot->frame.width; x++) {
    guint s[3];

    for (guint i = 0; i < 3; i++)
      s[i] = in_depth == 8 ? line[4 * x + 1 + i] :
          ((guint16 *) line)[4 * x + 1 + i] >> (16 - in_depth);
    expected[x] = deep_gray_of_yuv (s, in_depth, matrix_of (info),
        &shot->rule, depth);
  }
  g_free (line);
}

/* GStreamer swaps U and V of the last pixel there. */
static gboolean
is_odd_end_of_vyuy (const Shot * shot, guint x)
{
  return GST_VIDEO_INFO_FORMAT (&shot->info) == GST_VIDEO_FORMAT_VYUY &&
      x % 2 == 0 && x + 1 == shot->frame.width;
}

static void
check_row (const Shot * shot, const GstVideoInfo * out, const guint8 * row,
    guint y)
{
  guint depth = GST_VIDEO_INFO_COMP_DEPTH (out, 0);
  gboolean chroma = needs_chroma (shot);
  guint *expected = g_new (guint, shot->frame.width);

  if (chroma)
    expect_mixed (shot, y, depth, expected);
  for (guint x = 0; x < shot->frame.width; x++) {
    guint got = deep_gray_at (out, row, x);

    if (!chroma)
      expected[x] = deep_frame_expected (&shot->frame, &shot->rule, x, y,
          depth);
    MUST (got == expected[x] || (chroma && is_odd_end_of_vyuy (shot, x)),
        "%s to %s, %u,%u of %ux%u: 0x%x, not 0x%x", shot->frame.deep->name,
        GST_VIDEO_INFO_NAME (out), x, y, shot->frame.width,
        shot->frame.height, got, expected[x]);
  }
  g_free (expected);
}

gboolean
shot_check (const Shot * shot, GstBuffer * buffer, GstCaps * caps)
{
  GstVideoMeta *meta = gst_buffer_get_video_meta (buffer);
  GstVideoInfo out;
  GstMapInfo map;

  MUST (gst_video_info_from_caps (&out, caps) && GST_VIDEO_INFO_IS_GRAY (&out),
      "not gray");
  MUST ((guint) GST_VIDEO_INFO_WIDTH (&out) == shot->frame.width &&
      (guint) GST_VIDEO_INFO_FIELD_HEIGHT (&out) == shot->frame.height,
      "%dx%d", GST_VIDEO_INFO_WIDTH (&out), GST_VIDEO_INFO_HEIGHT (&out));
  MUST (gst_buffer_map (buffer, &map, GST_MAP_READ), "can't be mapped");
  for (guint y = 0; y < shot->frame.height; y++) {
    gssize at = (gssize) (meta ? meta->offset[0] : out.offset[0]) +
        (gssize) y * (meta ? meta->stride[0] : out.stride[0]);

    MUST (at >= 0 && (gsize) at + shot->frame.width *
        GST_VIDEO_INFO_COMP_PSTRIDE (&out, 0) <= map.size,
        "row %u is at %" G_GSSIZE_FORMAT " of %" G_GSIZE_FORMAT, y, at,
        map.size);
    if (!shot->unsure)
      check_row (shot, &out, map.data + at, y);
  }
  gst_buffer_unmap (buffer, &map);
  return !shot->unsure;
}
