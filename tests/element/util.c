/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#include "util.h"

#include <gst/check/gstcheck.h>
#include <string.h>

const Rule rule_default = { GST_VIDEO_COLOR_MATRIX_BT601, FALSE, FALSE };

void
rule_weights (GstVideoColorMatrix matrix, gint64 k[4])
{
  static const gint64 all[][4] = {
    {1000, 299, 587, 114}, {10000, 2126, 7152, 722},
    {10000, 2627, 6780, 593}, {1000, 212, 701, 87}, {100, 30, 59, 11},
  };
  static const GstVideoColorMatrix order[] = {
    GST_VIDEO_COLOR_MATRIX_BT601, GST_VIDEO_COLOR_MATRIX_BT709,
    GST_VIDEO_COLOR_MATRIX_BT2020, GST_VIDEO_COLOR_MATRIX_SMPTE240M,
    GST_VIDEO_COLOR_MATRIX_FCC,
  };

  for (guint i = 0; i < G_N_ELEMENTS (order); i++) {
    if (order[i] == matrix) {
      memcpy (k, all[i], sizeof all[i]);
      return;
    }
  }
  fail ("no weights for matrix %d", matrix);
}

guint8
rule_apply (const Rule * rule, const guint8 rgb[3])
{
  gint64 k[4], n, d, y;

  rule_weights (rule->matrix, k);
  d = k[0];
  n = k[1] * rgb[0] + k[2] * rgb[1] + k[3] * rgb[2];
  if (rule->to_limited && !rule->from_limited) {
    n = 16 * 255 * d + 219 * n;
    d *= 255;
  } else if (rule->from_limited && !rule->to_limited) {
    n = 255 * (n - 16 * d);
    d *= 219;
  }
  if (n < 0)
    return 0;
  y = (2 * n + d) / (2 * d);
  return (guint8) MIN (y, 255);
}

Rule
rule_from_labels (const gchar * in, const gchar * out)
{
  Rule rule = rule_default;
  GstVideoColorimetry c;

  if (in != NULL && gst_video_colorimetry_from_string (&c, in))
    rule.from_limited = c.range == GST_VIDEO_COLOR_RANGE_16_235;
  if (out != NULL && gst_video_colorimetry_from_string (&c, out) &&
      c.matrix != GST_VIDEO_COLOR_MATRIX_RGB) {
    rule.to_limited = c.range == GST_VIDEO_COLOR_RANGE_16_235;
    if (c.matrix != GST_VIDEO_COLOR_MATRIX_UNKNOWN)
      rule.matrix = c.matrix;
  }
  return rule;
}

const Pixels formats[N_FORMATS] = {
  {"RGB", 3, 1, {0, 1, 2}}, {"BGR", 3, 1, {2, 1, 0}},
  {"RGBx", 4, 1, {0, 1, 2}}, {"BGRx", 4, 1, {2, 1, 0}},
  {"xRGB", 4, 1, {1, 2, 3}}, {"xBGR", 4, 1, {3, 2, 1}},
  {"RGBA", 4, 1, {0, 1, 2}}, {"BGRA", 4, 1, {2, 1, 0}},
  {"ARGB", 4, 1, {1, 2, 3}}, {"ABGR", 4, 1, {3, 2, 1}},
  {"GBR", 1, 3, {2, 0, 1}}, {"GBRA", 1, 4, {2, 0, 1}},
  {"RGBP", 1, 3, {0, 1, 2}}, {"BGRP", 1, 3, {2, 1, 0}},
  {"GRAY8", 1, 1, {0, 0, 0}},
};

const Pixels *
pixels_find (const gchar * name)
{
  for (guint i = 0; i < N_FORMATS; i++) {
    if (g_str_equal (formats[i].name, name))
      return &formats[i];
  }
  fail ("no format %s", name);
  return NULL;
}

Picture *
picture_new (guint width, guint height, const guint8 * rgb)
{
  Picture *picture = g_new (Picture, 1);

  picture->width = width;
  picture->height = height;
  picture->rgb = g_malloc0 (3 * (gsize) width * height);
  if (rgb != NULL)
    memcpy (picture->rgb, rgb, 3 * (gsize) width * height);
  return picture;
}

Picture *
picture_new_random (guint width, guint height, guint32 seed)
{
  Picture *picture = picture_new (width, height, NULL);
  guint32 state = seed * 2654435761u + 1;

  for (gsize i = 0; i < 3 * (gsize) width * height; i++) {
    state = state * 1664525u + 1013904223u;
    picture->rgb[i] = state >> 24;
  }
  return picture;
}

/* The frame S5 of the field cases. */
Picture *
picture_new_s5 (void)
{
  Picture *picture = picture_new (S5_WIDTH, S5_HEIGHT, NULL);
  guint8 *rgb = picture->rgb;

  for (guint y = 0; y < S5_HEIGHT; y++) {
    for (guint x = 0; x < S5_WIDTH; x++) {
      *rgb++ = 50 * x;
      *rgb++ = 80 * y + 10;
      *rgb++ = 7 * x * y + 3;
    }
  }
  return picture;
}

void
picture_free (Picture * picture)
{
  g_free (picture->rgb);
  g_free (picture);
}

Layout
layout_shaped (const Pixels * pixels, guint width, guint height,
    const Shape * shape)
{
  guint row = pixels->step * width;
  gint stride = row + shape->pad;
  Layout layout = { 0 };

  for (guint p = 0; p < pixels->planes; p++) {
    layout.offset[p] = layout.size + shape->lead;
    layout.size = layout.offset[p] + (gsize) (height - 1) * stride + row;
    layout.stride[p] = stride;
    if (shape->bottom_up) {
      layout.offset[p] += (gsize) (height - 1) * stride;
      layout.stride[p] = -stride;
    }
  }
  layout.size += shape->tail;
  return layout;
}

/* All of these formats have rows of whole words and planes without a gap. */
Layout
layout_default (const Pixels * pixels, guint width, guint height)
{
  guint stride = (pixels->step * width + 3) / 4 * 4;
  Layout layout = { 0 };

  for (guint p = 0; p < pixels->planes; p++) {
    layout.offset[p] = layout.size;
    layout.stride[p] = stride;
    layout.size += (gsize) stride *height;
  }
  return layout;
}

/* The plane and the byte of it that hold a sample. */
static gsize
sample_at (const Pixels * pixels, const Layout * layout, guint x, guint y,
    guint c)
{
  guint plane = pixels->step == 1 ? pixels->at[c] : 0;
  guint byte = pixels->step == 1 ? 0 : pixels->at[c];

  return layout->offset[plane] + (gssize) y *layout->stride[plane] +
      x * pixels->step + byte;
}

guint8 *
picture_draw (const Picture * picture, const Pixels * pixels,
    const Layout * layout)
{
  guint8 *data = g_malloc (MAX (layout->size, 1));
  const guint8 *rgb = picture->rgb;

  for (gsize i = 0; i < layout->size; i++)
    data[i] = 0xA5 ^ (i * 37);
  for (guint y = 0; y < picture->height; y++) {
    for (guint x = 0; x < picture->width; x++, rgb += 3) {
      for (guint c = 3; c-- > 0;)
        data[sample_at (pixels, layout, x, y, c)] = rgb[c];
    }
  }
  return data;
}

GstMemory *
memory_new_copy (const guint8 * data, gsize size)
{
  guint8 *copy = g_memdup2 (data, size);

  return gst_memory_new_wrapped (0, copy, size, 0, size, copy, g_free);
}

void
layout_add_meta (const Layout * layout, GstBuffer * buffer,
    const Pixels * pixels, guint width, guint height)
{
  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
      gst_video_format_from_string (pixels->name), width, height,
      pixels->planes, (gsize *) layout->offset, (gint *) layout->stride);
}

GstBuffer *
picture_buffer (const Picture * picture, const Pixels * pixels,
    const Layout * layout)
{
  GstBuffer *buffer = gst_buffer_new_wrapped (picture_draw (picture, pixels,
          layout), layout->size);

  layout_add_meta (layout, buffer, pixels, picture->width, picture->height);
  return buffer;
}

GstBuffer *
picture_plain_buffer (const Picture * picture, const Pixels * pixels)
{
  Layout layout = layout_default (pixels, picture->width, picture->height);

  return gst_buffer_new_wrapped (picture_draw (picture, pixels, &layout),
      layout.size);
}

GstCaps *
caps_new (const gchar * format, guint width, guint height, const gchar * extra)
{
  gchar *text = g_strdup_printf ("video/x-raw, format=%s, width=%u, "
      "height=%u, framerate=30/1%s%s", format, width, height,
      extra ? ", " : "", extra ? extra : "");
  GstCaps *caps = gst_caps_from_string (text);

  fail_unless (caps != NULL, "bad caps %s", text);
  g_free (text);
  return caps;
}

static gchar *
hex (const guint8 * bytes, guint n)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < MIN (n, 40); i++)
    g_string_append_printf (text, "%02x ", bytes[i]);
  return g_string_free (text, FALSE);
}

static void
assert_row (const Picture * picture, const Rule * rule, guint y,
    const guint8 * row)
{
  const guint8 *rgb = picture->rgb + 3 * (gsize) picture->width * y;
  guint8 *expected = g_malloc (picture->width);

  for (guint x = 0; x < picture->width; x++)
    expected[x] = rule_apply (rule, rgb + 3 * x);
  if (memcmp (row, expected, picture->width) != 0) {
    gchar *got = hex (row, picture->width);
    gchar *want = hex (expected, picture->width);

    fail ("row %u of %ux%u\n  is     %s\n  not    %s", y, picture->width,
        picture->height, got, want);
  }
  g_free (expected);
}

void
assert_gray (const Picture * picture, const Rule * rule, GstBuffer * buffer,
    GstCaps * caps)
{
  GstVideoMeta *meta = gst_buffer_get_video_meta (buffer);
  GstVideoInfo info;
  GstMapInfo map;
  gsize offset;
  gint stride;

  fail_unless (gst_video_info_from_caps (&info, caps));
  fail_unless_equals_int (info.finfo->format, GST_VIDEO_FORMAT_GRAY8);
  fail_unless_equals_int (info.width, picture->width);
  fail_unless_equals_int (GST_VIDEO_INFO_FIELD_HEIGHT (&info), picture->height);
  offset = meta ? meta->offset[0] : info.offset[0];
  stride = meta ? meta->stride[0] : info.stride[0];
  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  for (guint y = 0; y < picture->height; y++) {
    gssize at = (gssize) offset + (gssize) y * stride;

    fail_unless (at >= 0 && (gsize) at + picture->width <= map.size,
        "row %u lies at %" G_GSSIZE_FORMAT " of %" G_GSIZE_FORMAT " bytes", y,
        at, map.size);
    assert_row (picture, rule, y, map.data + at);
  }
  gst_buffer_unmap (buffer, &map);
}
