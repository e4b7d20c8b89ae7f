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

/* A list of formats by the string that caps.h has; made once. */
static const GValue *
formats (gboolean sink, gboolean cuda)
{
  static const gchar *const names[2][2] = {
    {CUDA_GRAY_SRC_FORMATS, CUDA_GRAY_SRC_FORMATS},
    {CUDA_GRAY_SINK_FORMATS, CUDA_GRAY_CUDA_FORMATS}
  };
  static GValue lists[2][2];
  static gsize made = 0;

  if (g_once_init_enter (&made)) {
    for (guint i = 0; i < 4; i++) {
      g_value_init (&lists[i / 2][i % 2], GST_TYPE_LIST);
      gst_value_deserialize (&lists[i / 2][i % 2], names[i / 2][i % 2]);
    }
    g_once_init_leave (&made, 1);
  }
  return &lists[sink ? 1 : 0][cuda ? 1 : 0];
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
  gst_structure_set_value (opposite, "format",
      formats (direction == GST_PAD_SRC, cuda));
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

/* Whether another structure has all that this one has. */
static gboolean
is_covered (GstCaps * caps, guint index)
{
  GstStructure *structure = gst_caps_get_structure (caps, index);

  for (guint i = 0; i < gst_caps_get_size (caps); i++) {
    GstStructure *other = gst_caps_get_structure (caps, i);

    if (i != index && gst_caps_features_is_equal (gst_caps_get_features (caps,
                i), gst_caps_get_features (caps, index)) &&
        gst_structure_is_subset (structure, other) &&
        !gst_structure_is_subset (other, structure))
      return TRUE;
  }
  return FALSE;
}

GstCaps *
cuda_gray_caps_for_upstream (GstCaps * caps)
{
  GstCaps *sorted = gst_caps_new_empty ();

  for (guint pass = 0; pass < 2; pass++) {
    for (guint i = 0; i < gst_caps_get_size (caps); i++) {
      if (cuda_gray_caps_is_cuda (caps, i) == (pass == 0) &&
          !is_covered (caps, i))
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

/* What the input's caps say or, for YUV, imply; FALSE where they say nothing.
 * Of YUV it is what GStreamer makes of them: it has its default where they name
 * no matrix that YUV can have. */
static gboolean
input_colorimetry (const GstCaps * incaps, const GstVideoInfo * in,
    GstVideoColorimetry * colorimetry)
{
  const gchar *name = gst_structure_get_string (gst_caps_get_structure
      (incaps, 0), "colorimetry");

  *colorimetry = in->colorimetry;
  if (GST_VIDEO_INFO_IS_YUV (in))
    return name != NULL || colorimetry->matrix != GST_VIDEO_COLOR_MATRIX_BT601;
  return name != NULL && gst_video_colorimetry_from_string (colorimetry, name);
}

/* GRAY8's own range and matrix, for pixels that will be computed so.  NULL
 * where the output need not say anything. */
static gchar *
gray_colorimetry (const GstCaps * incaps, const GstVideoInfo * in)
{
  GstVideoColorimetry colorimetry;

  if (!input_colorimetry (incaps, in, &colorimetry))
    return NULL;
  /* Gray keeps its own, unless it is mislabelled as RGB. */
  if (!GST_VIDEO_INFO_IS_GRAY (in) ||
      colorimetry.matrix == GST_VIDEO_COLOR_MATRIX_RGB)
    colorimetry.range = GST_VIDEO_COLOR_RANGE_0_255;
  if (GST_VIDEO_INFO_IS_RGB (in) ||
      colorimetry.matrix == GST_VIDEO_COLOR_MATRIX_RGB)
    colorimetry.matrix = GST_VIDEO_COLOR_MATRIX_BT601;
  return gst_video_colorimetry_to_string (&colorimetry);
}

/* Of a string or a list, the first that names a matrix; NULL if none does. */
static const gchar *
find_matrix (const GValue * names, GstVideoColorMatrix matrix)
{
  gboolean list = GST_VALUE_HOLDS_LIST (names);
  guint n = list ? gst_value_list_get_size (names) : 1;

  for (guint i = 0; i < n; i++) {
    const GValue *name = list ? gst_value_list_get_value (names, i) : names;
    GstVideoColorimetry colorimetry;

    if (G_VALUE_HOLDS_STRING (name) &&
        gst_video_colorimetry_from_string (&colorimetry,
            g_value_get_string (name)) && colorimetry.matrix == matrix)
      return g_value_get_string (name);
  }
  return NULL;
}

/* Of caps with a choice, those that allow YUV's matrix; all if none does. */
static GstCaps *
choose_matrix (GstCaps * caps, const GstVideoInfo * in)
{
  GstCaps *chosen = gst_caps_new_empty ();

  for (guint i = 0; i < gst_caps_get_size (caps); i++) {
    const GValue *names = gst_structure_get_value (gst_caps_get_structure (caps,
            i), "colorimetry");

    if (names == NULL || find_matrix (names, in->colorimetry.matrix) != NULL)
      gst_caps_append (chosen, gst_caps_copy_nth (caps, i));
  }
  if (gst_caps_is_empty (chosen)) {
    gst_caps_unref (chosen);
    return caps;
  }
  gst_caps_unref (caps);
  return chosen;
}

/* The same within a list. */
static void
fixate_matrix (GstStructure * out, const GstVideoInfo * in)
{
  const GValue *names = gst_structure_get_value (out, "colorimetry");
  const gchar *name = find_matrix (names, in->colorimetry.matrix);

  if (name != NULL)
    gst_structure_fixate_field_string (out, "colorimetry", name);
}

GstCaps *
cuda_gray_caps_fixate_output (const GstCaps * incaps, GstCaps * outcaps)
{
  gchar *colorimetry;
  GstStructure *out;
  GstVideoInfo in;

  if (!gst_video_info_from_caps (&in, incaps))
    return gst_caps_fixate (outcaps);
  if (GST_VIDEO_INFO_IS_YUV (&in))
    outcaps = choose_matrix (outcaps, &in);
  outcaps = gst_caps_make_writable (choose_memory (outcaps,
          cuda_gray_caps_is_cuda (incaps, 0)));
  out = gst_caps_get_structure (outcaps, 0);
  colorimetry = gray_colorimetry (incaps, &in);
  if (colorimetry != NULL && !gst_structure_has_field (out, "colorimetry"))
    gst_structure_set (out, "colorimetry", G_TYPE_STRING, colorimetry, NULL);
  else if (colorimetry != NULL && GST_VIDEO_INFO_IS_GRAY (&in))
    gst_structure_fixate_field_string (out, "colorimetry", colorimetry);
  else if (GST_VIDEO_INFO_IS_YUV (&in) &&
      gst_structure_has_field (out, "colorimetry"))
    fixate_matrix (out, &in);
  g_free (colorimetry);
  /* The peer's order is not a wish for 16 bits. */
  gst_structure_fixate_field_string (out, "format", "GRAY8");
  return gst_caps_fixate (outcaps);
}
