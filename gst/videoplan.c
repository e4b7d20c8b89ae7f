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

/* Formats whose GstVideoFormatInfo does not tell where the samples are: the
 * words, and in them R, G, B, or Y alone. */
static const struct
{
  GstVideoFormat format;
  guint bytes;
  gboolean big_endian;
  guint offset, shift[LUMA_COMPONENTS];
} special[] = {
  {GST_VIDEO_FORMAT_RGB16, 2, NATIVE, 0, {11, 5, 0}},
  {GST_VIDEO_FORMAT_BGR16, 2, NATIVE, 0, {0, 5, 11}},
  {GST_VIDEO_FORMAT_RGB15, 2, NATIVE, 0, {10, 5, 0}},
  {GST_VIDEO_FORMAT_BGR15, 2, NATIVE, 0, {0, 5, 10}},
  {GST_VIDEO_FORMAT_RGB10A2_LE, 4, FALSE, 0, {0, 10, 20}},
  {GST_VIDEO_FORMAT_BGR10A2_LE, 4, FALSE, 0, {20, 10, 0}},
  {GST_VIDEO_FORMAT_r210, 4, TRUE, 0, {20, 10, 0}},
  {GST_VIDEO_FORMAT_Y210, 2, FALSE, 0, {6}},
  {GST_VIDEO_FORMAT_Y410, 4, FALSE, 0, {10}},
  {GST_VIDEO_FORMAT_Y412_LE, 2, FALSE, 2, {4}},
  {GST_VIDEO_FORMAT_Y412_BE, 2, TRUE, 2, {4}},
};

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
  };

  component.bytes = component.shift + component.depth > 8 ? 2 : 1;
  if (component.bytes == 2)
    component.big_endian = format == GST_VIDEO_FORMAT_ARGB64 ||
        format == GST_VIDEO_FORMAT_AYUV64 ? NATIVE :
        !GST_VIDEO_FORMAT_INFO_IS_LE (info->finfo);
  for (guint i = 0; i < G_N_ELEMENTS (special); i++) {
    if (special[i].format != format)
      continue;
    component.bytes = special[i].bytes;
    component.big_endian = special[i].big_endian;
    component.offset = special[i].offset;
    component.shift = special[i].shift[c];
  }
  return component;
}

gboolean
cuda_gray_plan_init (LumaPlan * plan, const GstVideoInfo * in,
    const GstVideoInfo * out)
{
  LumaComponent rgb[LUMA_COMPONENTS];

  /* Y of one matrix is not that of another. */
  if (GST_VIDEO_INFO_IS_YUV (in) && matrix_of (in) != matrix_of (out))
    return FALSE;
  /* Gray, or Y, stands for all three: the weights add up to one. */
  for (guint i = 0; i < LUMA_COMPONENTS; i++)
    rgb[i] = component_of (in, GST_VIDEO_INFO_IS_RGB (in) ? i : 0);
  return luma_plan_init_deep (plan, GST_VIDEO_INFO_WIDTH (out),
      GST_VIDEO_INFO_FIELD_HEIGHT (out), rgb, matrix_of (out), range_of (in),
      range_of (out), GST_VIDEO_INFO_COMP_DEPTH (out, 0),
      GST_VIDEO_INFO_FORMAT (out) == GST_VIDEO_FORMAT_GRAY16_BE);
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
      from.plane == 0 && from.offset == 0 && from.step == to.step &&
      from.shift == 0 && from.depth == to.depth &&
      from.big_endian == to.big_endian;
}
