/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#include "config.h"

#include "videoplan.h"

static LumaMatrix
matrix_of (const GstVideoInfo * info)
{
  switch (info->colorimetry.matrix) {
    case GST_VIDEO_COLOR_MATRIX_BT709:
      return LUMA_MATRIX_BT709;
    case GST_VIDEO_COLOR_MATRIX_BT2020:
      return LUMA_MATRIX_BT2020;
    case GST_VIDEO_COLOR_MATRIX_SMPTE240M:
      return LUMA_MATRIX_SMPTE240M;
    case GST_VIDEO_COLOR_MATRIX_FCC:
      return LUMA_MATRIX_FCC;
    default:
      return LUMA_MATRIX_BT601;
  }
}

static LumaRange
range_of (const GstVideoInfo * info)
{
  return info->colorimetry.range == GST_VIDEO_COLOR_RANGE_16_235 ?
      LUMA_RANGE_LIMITED : LUMA_RANGE_FULL;
}

#define NATIVE (G_BYTE_ORDER == G_BIG_ENDIAN)

/* Formats whose GstVideoFormatInfo does not tell where the samples are, or, of
 * VYUY, does not tell what GStreamer unpacks: the words, and where R, G, B, or
 * Y, U, V are. */
static const struct
{
  GstVideoFormat format;
  guint bytes;
  gboolean big_endian;
  guint offset[LUMA_COMPONENTS], shift[LUMA_COMPONENTS], per_word;
} special[] = {
  {GST_VIDEO_FORMAT_RGB16, 2, NATIVE, {0}, {11, 5, 0}, 1},
  {GST_VIDEO_FORMAT_BGR16, 2, NATIVE, {0}, {0, 5, 11}, 1},
  {GST_VIDEO_FORMAT_RGB15, 2, NATIVE, {0}, {10, 5, 0}, 1},
  {GST_VIDEO_FORMAT_BGR15, 2, NATIVE, {0}, {0, 5, 10}, 1},
  {GST_VIDEO_FORMAT_RGB10A2_LE, 4, FALSE, {0}, {0, 10, 20}, 1},
  {GST_VIDEO_FORMAT_BGR10A2_LE, 4, FALSE, {0}, {20, 10, 0}, 1},
  {GST_VIDEO_FORMAT_r210, 4, TRUE, {0}, {20, 10, 0}, 1},
  {GST_VIDEO_FORMAT_VYUY, 1, FALSE, {1, 2, 0}, {0}, 1},
  {GST_VIDEO_FORMAT_Y210, 2, FALSE, {0, 2, 6}, {6, 6, 6}, 1},
  {GST_VIDEO_FORMAT_Y212_LE, 2, FALSE, {0, 2, 6}, {4, 4, 4}, 1},
  {GST_VIDEO_FORMAT_Y212_BE, 2, TRUE, {0, 2, 6}, {4, 4, 4}, 1},
  {GST_VIDEO_FORMAT_Y410, 4, FALSE, {0}, {10, 0, 20}, 1},
  {GST_VIDEO_FORMAT_Y412_LE, 2, FALSE, {2, 0, 4}, {4, 4, 4}, 1},
  {GST_VIDEO_FORMAT_Y412_BE, 2, TRUE, {2, 0, 4}, {4, 4, 4}, 1},
  {GST_VIDEO_FORMAT_GRAY10_LE32, 4, FALSE, {0}, {0}, 3},
};

static void
apply_special (LumaComponent * component, GstVideoFormat format, guint c)
{
  for (guint i = 0; i < G_N_ELEMENTS (special); i++) {
    if (special[i].format != format)
      continue;
    component->bytes = special[i].bytes;
    component->big_endian = special[i].big_endian;
    component->offset = special[i].offset[c];
    component->shift = special[i].shift[c];
    component->per_word = special[i].per_word;
    if (component->per_word > 1)
      component->step = component->bytes;
  }
}

/* Where a format's component lies. */
static LumaComponent
component_of (const GstVideoInfo * info, guint c)
{
  GstVideoFormat format = GST_VIDEO_INFO_FORMAT (info);
  LumaComponent component = {
    .plane = GST_VIDEO_INFO_COMP_PLANE (info, c),
    .offset = GST_VIDEO_INFO_COMP_POFFSET (info, c),
    .step = GST_VIDEO_INFO_COMP_PSTRIDE (info, c),
    .shift = info->finfo->shift[c],
    .depth = GST_VIDEO_INFO_COMP_DEPTH (info, c),
    .per_word = 1,
    .sub_x = GST_VIDEO_FORMAT_INFO_W_SUB (info->finfo, c),
    .sub_y = GST_VIDEO_FORMAT_INFO_H_SUB (info->finfo, c),
    .two_fields = GST_VIDEO_INFO_INTERLACE_MODE (info) ==
        GST_VIDEO_INTERLACE_MODE_INTERLEAVED,
  };

  component.bytes = component.shift + component.depth > 8 ? 2 : 1;
  if (component.bytes == 2) {
    component.big_endian = format == GST_VIDEO_FORMAT_ARGB64 ||
        format == GST_VIDEO_FORMAT_AYUV64 ? NATIVE :
        !GST_VIDEO_FORMAT_INFO_IS_LE (info->finfo);
    /* That of P010's V and its kin counts samples. */
    component.offset = GST_ROUND_UP_2 (component.offset);
  }
  apply_special (&component, format, c);
  return component;
}

/* Whether each frame alone tells which rows its chroma is for. */
static gboolean
rows_vary (const GstVideoInfo * info)
{
  return GST_VIDEO_FORMAT_INFO_H_SUB (info->finfo, GST_VIDEO_COMP_U) > 0 &&
      (GST_VIDEO_INFO_INTERLACE_MODE (info) == GST_VIDEO_INTERLACE_MODE_MIXED ||
      GST_VIDEO_INFO_INTERLACE_MODE (info) == GST_VIDEO_INTERLACE_MODE_FIELDS);
}

/* GStreamer gives P010 of two fields a row of chroma too few, at a height of 4
 * n + 1 or 2. */
static gboolean
lies_within (const LumaPlan * plan, const GstVideoInfo * info)
{
  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (info); p++) {
    LumaExtent extent = luma_plan_extent (plan, p);

    if (extent.rows > 0 && info->offset[p] + (extent.rows - 1) *
        info->stride[p] + extent.row_bytes > info->size)
      return FALSE;
  }
  return TRUE;
}

gboolean
cuda_gray_plan_init (LumaPlan * plan, const GstVideoInfo * in,
    const GstVideoInfo * out)
{
  gsize width = GST_VIDEO_INFO_WIDTH (out);
  gsize height = GST_VIDEO_INFO_FIELD_HEIGHT (out);
  guint depth = GST_VIDEO_INFO_COMP_DEPTH (out, 0);
  gboolean big_endian = GST_VIDEO_INFO_FORMAT (out) ==
      GST_VIDEO_FORMAT_GRAY16_BE;
  LumaComponent component[LUMA_COMPONENTS];

  /* Caps may have the feature format:Interlaced and no interlace-mode; the
   * output has both, and the rows of a field. */
  if (GST_VIDEO_INFO_FIELD_HEIGHT (in) != (gint) height)
    return FALSE;
  /* Gray stands for all three: the weights add up to one. */
  for (guint i = 0; i < LUMA_COMPONENTS; i++)
    component[i] = component_of (in, GST_VIDEO_INFO_IS_GRAY (in) ? 0 : i);
  if (!GST_VIDEO_INFO_IS_YUV (in))
    return luma_plan_init_deep (plan, width, height, component,
        matrix_of (out), range_of (in), range_of (out), depth, big_endian);
  if (matrix_of (in) != matrix_of (out) && rows_vary (in))
    return FALSE;
  return luma_plan_init_yuv (plan, width, height, component, matrix_of (in),
      matrix_of (out), range_of (in), range_of (out), depth, big_endian) &&
      lies_within (plan, in);
}

gboolean
cuda_gray_plan_is_copy (const GstVideoInfo * in, const GstVideoInfo * out)
{
  return GST_VIDEO_INFO_FORMAT (in) == GST_VIDEO_INFO_FORMAT (out) &&
      range_of (in) == range_of (out);
}

gboolean
cuda_gray_plan_is_plane (const GstVideoInfo * in, const GstVideoInfo * out)
{
  LumaComponent from = component_of (in, 0), to = component_of (out, 0);

  return GST_VIDEO_INFO_IS_YUV (in) && range_of (in) == range_of (out) &&
      matrix_of (in) == matrix_of (out) && from.plane == 0 && from.offset == 0
      && from.step == to.step && from.shift == 0 && from.depth == to.depth
      && from.big_endian == to.big_endian;
}
