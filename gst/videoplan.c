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

gboolean
cuda_gray_plan_init (LumaPlan * plan, const GstVideoInfo * in,
    const GstVideoInfo * out)
{
  LumaComponent rgb[LUMA_COMPONENTS];

  for (guint i = 0; i < LUMA_COMPONENTS; i++) {
    /* Gray stands for all three: the weights add up to one. */
    guint c = GST_VIDEO_INFO_IS_GRAY (in) ? 0 : i;

    rgb[i].plane = GST_VIDEO_INFO_COMP_PLANE (in, c);
    rgb[i].offset = GST_VIDEO_INFO_COMP_POFFSET (in, c);
    rgb[i].step = GST_VIDEO_INFO_COMP_PSTRIDE (in, c);
    rgb[i].shift = in->finfo->shift[c];
    rgb[i].depth = GST_VIDEO_INFO_COMP_DEPTH (in, c);
  }
  return luma_plan_init (plan, GST_VIDEO_INFO_WIDTH (out),
      GST_VIDEO_INFO_FIELD_HEIGHT (out), rgb, matrix_of (out), range_of (in),
      range_of (out));
}

gboolean
cuda_gray_plan_is_copy (const GstVideoInfo * in, const GstVideoInfo * out)
{
  return GST_VIDEO_INFO_IS_GRAY (in) && range_of (in) == range_of (out);
}
