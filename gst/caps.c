/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#include "config.h"

#include "caps.h"

static void
set_formats (GstStructure * structure, const gchar * formats)
{
  GValue list = G_VALUE_INIT;

  g_value_init (&list, GST_TYPE_LIST);
  if (gst_value_deserialize (&list, formats))
    gst_structure_set_value (structure, "format", &list);
  g_value_unset (&list);
}

GstCaps *
cuda_gray_caps_transform (GstPadDirection direction, GstCaps * caps)
{
  static GstStaticCaps sink_caps =
      GST_STATIC_CAPS (CUDA_GRAY_CAPS (CUDA_GRAY_SINK_FORMATS));
  static GstStaticCaps src_caps = GST_STATIC_CAPS (CUDA_GRAY_CAPS ("GRAY8"));
  GstCaps *own = gst_static_caps_get (direction == GST_PAD_SINK ?
      &sink_caps : &src_caps);
  GstCaps *result = gst_caps_intersect_full (caps, own,
      GST_CAPS_INTERSECT_FIRST);

  result = gst_caps_make_writable (result);
  for (guint i = 0; i < gst_caps_get_size (result); i++) {
    GstStructure *structure = gst_caps_get_structure (result, i);

    if (direction == GST_PAD_SINK)
      gst_structure_set (structure, "format", G_TYPE_STRING, "GRAY8", NULL);
    else
      set_formats (structure, CUDA_GRAY_SINK_FORMATS);
    gst_structure_remove_fields (structure, "colorimetry", "chroma-site", NULL);
  }
  gst_caps_unref (own);
  return result;
}

static gboolean
is_gray (const GstStructure * structure)
{
  return g_strcmp0 (gst_structure_get_string (structure, "format"),
      "GRAY8") == 0;
}

/* GRAY8's own range and matrix, for pixels that will be computed so. */
static gchar *
gray_colorimetry (const GstStructure * in)
{
  const gchar *name = gst_structure_get_string (in, "colorimetry");
  GstVideoColorimetry colorimetry;

  if (name == NULL || !gst_video_colorimetry_from_string (&colorimetry, name))
    return NULL;
  /* Gray keeps its own, unless it is mislabelled as RGB. */
  if (!is_gray (in) || colorimetry.matrix == GST_VIDEO_COLOR_MATRIX_RGB) {
    colorimetry.range = GST_VIDEO_COLOR_RANGE_0_255;
    colorimetry.matrix = GST_VIDEO_COLOR_MATRIX_BT601;
  }
  return gst_video_colorimetry_to_string (&colorimetry);
}

GstCaps *
cuda_gray_caps_fixate_output (const GstCaps * incaps, GstCaps * outcaps)
{
  const GstStructure *in = gst_caps_get_structure (incaps, 0);
  gchar *colorimetry = gray_colorimetry (in);
  GstStructure *out;

  outcaps = gst_caps_make_writable (gst_caps_truncate (outcaps));
  out = gst_caps_get_structure (outcaps, 0);
  if (colorimetry != NULL) {
    if (!gst_structure_has_field (out, "colorimetry"))
      gst_structure_set (out, "colorimetry", G_TYPE_STRING, colorimetry, NULL);
    else if (is_gray (in))
      gst_structure_fixate_field_string (out, "colorimetry", colorimetry);
    g_free (colorimetry);
  }
  return gst_caps_fixate (outcaps);
}
