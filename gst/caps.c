/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#include "config.h"

#include "caps.h"

gboolean
cuda_gray_caps_is_cuda (const GstCaps * caps, guint index)
{
  return gst_caps_features_contains (gst_caps_get_features (caps, index),
      CUDA_GRAY_FEATURE_CUDA);
}

static void
set_formats (GstStructure * structure, const gchar * formats)
{
  GValue list = G_VALUE_INIT;

  g_value_init (&list, GST_TYPE_LIST);
  if (gst_value_deserialize (&list, formats))
    gst_structure_set_value (structure, "format", &list);
  g_value_unset (&list);
}

/* Appends to the caps of the pad opposite to direction what goes with a
 * structure of direction's, in one kind of memory. */
static void
append_opposite (GstCaps * result, GstPadDirection direction,
    const GstStructure * structure, const GstCapsFeatures * features,
    gboolean cuda)
{
  GstStructure *opposite = gst_structure_copy (structure);
  GstCapsFeatures *memory = gst_caps_features_copy (features), *named;

  gst_caps_features_remove (memory, cuda ? GST_CAPS_FEATURE_MEMORY_SYSTEM_MEMORY
      : CUDA_GRAY_FEATURE_CUDA);
  if (cuda && !gst_caps_features_contains (memory, CUDA_GRAY_FEATURE_CUDA))
    gst_caps_features_add (memory, CUDA_GRAY_FEATURE_CUDA);
  if (direction == GST_PAD_SINK)
    gst_structure_set (opposite, "format", G_TYPE_STRING, "GRAY8", NULL);
  else
    set_formats (opposite, cuda ? CUDA_GRAY_CUDA_FORMATS :
        CUDA_GRAY_SINK_FORMATS);
  gst_structure_remove_fields (opposite, "colorimetry", "chroma-site", NULL);
  /* Beside other features some name system memory, and some do not. */
  if (!cuda && gst_caps_features_get_size (memory) > 0 &&
      gst_caps_features_contains (features, CUDA_GRAY_FEATURE_CUDA)) {
    named = gst_caps_features_copy (memory);
    gst_caps_features_add (named, GST_CAPS_FEATURE_MEMORY_SYSTEM_MEMORY);
    gst_caps_append_structure_full (result, gst_structure_copy (opposite),
        named);
  }
  gst_caps_append_structure_full (result, opposite, memory);
}

GstCaps *
cuda_gray_caps_transform (GstPadDirection direction, GstCaps * caps,
    gboolean cuda)
{
  static GstStaticCaps sink_caps = GST_STATIC_CAPS (CUDA_GRAY_SINK_CAPS);
  static GstStaticCaps src_caps = GST_STATIC_CAPS (CUDA_GRAY_SRC_CAPS);
  gboolean sink = direction == GST_PAD_SINK;
  GstCaps *own = gst_static_caps_get (sink ? &sink_caps : &src_caps);
  GstCaps *other = gst_static_caps_get (sink ? &src_caps : &sink_caps);
  GstCaps *mine = gst_caps_intersect_full (caps, own, GST_CAPS_INTERSECT_FIRST);
  GstCaps *all = gst_caps_new_empty (), *result;

  for (guint pass = 0; pass < 2; pass++) {
    for (guint i = 0; i < gst_caps_get_size (mine); i++) {
      gboolean is_cuda = cuda_gray_caps_is_cuda (mine, i);
      gboolean to_cuda = pass == 0 ? is_cuda : !is_cuda;

      if (cuda || (!is_cuda && !to_cuda))
        append_opposite (all, direction, gst_caps_get_structure (mine, i),
            gst_caps_get_features (mine, i), to_cuda);
    }
  }
  /* Some kinds of frames are in system memory alone. */
  result = gst_caps_intersect_full (all, other, GST_CAPS_INTERSECT_FIRST);
  gst_caps_unref (all);
  gst_caps_unref (mine);
  gst_caps_unref (other);
  gst_caps_unref (own);
  return result;
}

GstCaps *
cuda_gray_caps_cuda_first (GstCaps * caps)
{
  GstCaps *sorted = gst_caps_new_empty ();

  for (guint pass = 0; pass < 2; pass++) {
    for (guint i = 0; i < gst_caps_get_size (caps); i++) {
      if (cuda_gray_caps_is_cuda (caps, i) == (pass == 0))
        gst_caps_append (sorted, gst_caps_copy_nth (caps, i));
    }
  }
  return sorted;
}

/* Of caps with a choice, one structure. */
static GstCaps *
choose_memory (GstCaps * caps, gboolean cuda)
{
  GstCaps *chosen;
  guint i = 0;

  while (i < gst_caps_get_size (caps) &&
      cuda_gray_caps_is_cuda (caps, i) != cuda)
    i++;
  if (i == 0 || i == gst_caps_get_size (caps))
    return gst_caps_truncate (caps);
  chosen = gst_caps_copy_nth (caps, i);
  gst_caps_unref (caps);
  return chosen;
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

  outcaps = gst_caps_make_writable (choose_memory (outcaps,
          cuda_gray_caps_is_cuda (incaps, 0)));
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
