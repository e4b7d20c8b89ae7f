/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#include "deepframe.h"

#include <gst/check/gstcheck.h>
#include <string.h>

#define HOST_BE (G_BYTE_ORDER == G_BIG_ENDIAN)
#define ALL(n) {n, n, n}

/* Words of a pixel that hold three samples. */
#define PACKED(name, bytes, be, r, g, b, ...) \
    {name, 1, bytes, bytes, be, 3, FALSE, ALL (0), ALL (0), {r, g, b}, \
      __VA_ARGS__}
/* Four words of 16 bits. */
#define QUAD(name, be, r, g, b) \
    {name, 1, 8, 2, be, 3, FALSE, ALL (0), {r, g, b}, ALL (0), ALL (16)}
/* Green, blue, red, and perhaps alpha. */
#define GBR(name, planes, be, depth) \
    {name, planes, 2, 2, be, 3, FALSE, {2, 0, 1}, ALL (0), ALL (0), \
      ALL (depth)}
/* Y in a plane or among others. */
#define Y(name, planes, step, bytes, be, at, shift, depth) \
    {name, planes, step, bytes, be, 1, TRUE, {0}, {at}, {shift}, {depth}}
#define PLANAR(name, planes, be, depth) Y (name, planes, 2, 2, be, 0, 0, depth)

const Deep deep_formats[N_DEEP + N_SHALLOW] = {
  PACKED ("RGB16", 2, HOST_BE, 11, 5, 0, {5, 6, 5}),
  PACKED ("BGR16", 2, HOST_BE, 0, 5, 11, {5, 6, 5}),
  PACKED ("RGB15", 2, HOST_BE, 10, 5, 0, ALL (5)),
  PACKED ("BGR15", 2, HOST_BE, 0, 5, 10, ALL (5)),
  PACKED ("RGB10A2_LE", 4, FALSE, 0, 10, 20, ALL (10)),
  PACKED ("BGR10A2_LE", 4, FALSE, 20, 10, 0, ALL (10)),
  PACKED ("r210", 4, TRUE, 20, 10, 0, ALL (10)),
  GBR ("GBR_10LE", 3, FALSE, 10), GBR ("GBR_10BE", 3, TRUE, 10),
  GBR ("GBRA_10LE", 4, FALSE, 10), GBR ("GBRA_10BE", 4, TRUE, 10),
  GBR ("GBR_12LE", 3, FALSE, 12), GBR ("GBR_12BE", 3, TRUE, 12),
  GBR ("GBRA_12LE", 4, FALSE, 12), GBR ("GBRA_12BE", 4, TRUE, 12),
  QUAD ("ARGB64", HOST_BE, 2, 4, 6), QUAD ("ARGB64_LE", FALSE, 2, 4, 6),
  QUAD ("ARGB64_BE", TRUE, 2, 4, 6), QUAD ("RGBA64_LE", FALSE, 0, 2, 4),
  QUAD ("RGBA64_BE", TRUE, 0, 2, 4), QUAD ("BGRA64_LE", FALSE, 4, 2, 0),
  QUAD ("BGRA64_BE", TRUE, 4, 2, 0), QUAD ("ABGR64_LE", FALSE, 6, 4, 2),
  QUAD ("ABGR64_BE", TRUE, 6, 4, 2),

  Y ("P010_10LE", 2, 2, 2, FALSE, 0, 6, 10),
  Y ("P010_10BE", 2, 2, 2, TRUE, 0, 6, 10),
  Y ("P012_LE", 2, 2, 2, FALSE, 0, 4, 12),
  Y ("P012_BE", 2, 2, 2, TRUE, 0, 4, 12),
  PLANAR ("P016_LE", 2, FALSE, 16), PLANAR ("P016_BE", 2, TRUE, 16),
  PLANAR ("I420_10LE", 3, FALSE, 10), PLANAR ("I420_10BE", 3, TRUE, 10),
  PLANAR ("I420_12LE", 3, FALSE, 12), PLANAR ("I420_12BE", 3, TRUE, 12),
  PLANAR ("I422_10LE", 3, FALSE, 10), PLANAR ("I422_10BE", 3, TRUE, 10),
  PLANAR ("I422_12LE", 3, FALSE, 12), PLANAR ("I422_12BE", 3, TRUE, 12),
  PLANAR ("Y444_10LE", 3, FALSE, 10), PLANAR ("Y444_10BE", 3, TRUE, 10),
  PLANAR ("Y444_12LE", 3, FALSE, 12), PLANAR ("Y444_12BE", 3, TRUE, 12),
  PLANAR ("Y444_16LE", 3, FALSE, 16), PLANAR ("Y444_16BE", 3, TRUE, 16),
  PLANAR ("A420_10LE", 4, FALSE, 10), PLANAR ("A420_10BE", 4, TRUE, 10),
  PLANAR ("A422_10LE", 4, FALSE, 10), PLANAR ("A422_10BE", 4, TRUE, 10),
  PLANAR ("A444_10LE", 4, FALSE, 10), PLANAR ("A444_10BE", 4, TRUE, 10),
  Y ("AYUV64", 1, 8, 2, HOST_BE, 2, 0, 16),
  Y ("Y210", 1, 4, 2, FALSE, 0, 6, 10),
  Y ("Y410", 1, 4, 4, FALSE, 0, 10, 10),
  Y ("Y212_LE", 1, 4, 2, FALSE, 0, 4, 12),
  Y ("Y212_BE", 1, 4, 2, TRUE, 0, 4, 12),
  Y ("Y412_LE", 1, 8, 2, FALSE, 2, 4, 12),
  Y ("Y412_BE", 1, 8, 2, TRUE, 2, 4, 12),

  {"GRAY10_LE32", 1, 4, 4, FALSE, 1, FALSE, {0}, {0}, {0}, {10}, 3},
  {"GRAY16_LE", 1, 2, 2, FALSE, 1, FALSE, {0}, {0}, {0}, {16}},
  {"GRAY16_BE", 1, 2, 2, TRUE, 1, FALSE, {0}, {0}, {0}, {16}},

  {"RGB", 1, 3, 1, FALSE, 3, FALSE, ALL (0), {0, 1, 2}, ALL (0), ALL (8)},
  {"xBGR", 1, 4, 1, FALSE, 3, FALSE, ALL (0), {3, 2, 1}, ALL (0), ALL (8)},
  {"GBR", 3, 1, 1, FALSE, 3, FALSE, {2, 0, 1}, ALL (0), ALL (0), ALL (8)},
  {"GRAY8", 1, 1, 1, FALSE, 1, FALSE, {0}, {0}, {0}, {8}},
  Y ("I420", 3, 1, 1, FALSE, 0, 0, 8), Y ("NV12", 2, 1, 1, FALSE, 0, 0, 8),
  Y ("UYVY", 1, 2, 1, FALSE, 1, 0, 8), Y ("VUYA", 1, 4, 1, FALSE, 2, 0, 8),
};

const Deep *
deep_find (const gchar * name)
{
  for (guint i = 0; i < G_N_ELEMENTS (deep_formats); i++) {
    if (g_str_equal (deep_formats[i].name, name))
      return &deep_formats[i];
  }
  fail ("no format %s", name);
  return NULL;
}

guint
deep_row_bytes (const Deep * deep, guint width)
{
  guint per_word = MAX (deep->per_word, 1);

  return (width + per_word - 1) / per_word * deep->step;
}

/* A range of fewer than 8 bits is always full. */
guint
deep_gray (const Deep * deep, const guint sample[3], const Rule * rule,
    guint depth)
{
  gint64 k[4] = { 1, 1, 0, 0 };
  /* Y' is n / d. */
  __int128 n = 0, d = 1, max = ((__int128) 1 << depth) - 1, gray;

  if (deep->samples > 1)
    rule_weights (rule->matrix, k);
  for (guint i = 0; i < deep->samples; i++) {
    gboolean limited = rule->from_limited && deep->depth[i] >= 8;
    gint64 black = limited ? 16 << (deep->depth[i] - 8) : 0;
    gint64 span = limited ? 219 << (deep->depth[i] - 8) :
        (1 << deep->depth[i]) - 1;

    n = n * span + k[1 + i] * (sample[i] - black) * d;
    d *= span;
  }
  d *= k[0];
  n = rule->to_limited ? (219 * n + 16 * d) * (1 << (depth - 8)) : max * n;
  if (2 * n + d < 0)
    return 0;
  gray = (2 * n + d) / (2 * d);
  return gray > max ? max : gray;
}

/* Y, U and V over span x reach, then R, G and B over that and J jg, then L over
 * that and K. */
guint
deep_gray_of_yuv (const guint s[3], guint in_depth, GstVideoColorMatrix from,
    const Rule * rule, guint depth)
{
  const guint up = in_depth - 8;
  const gint top = (1 << in_depth) - 1;
  const __int128 span = rule->from_limited ? 219 << up : top;
  const __int128 reach = rule->from_limited ? 224 << up : top;
  const __int128 max = ((__int128) 1 << depth) - 1;
  __int128 y = ((gint) s[0] - (rule->from_limited ? 16 << up : 0)) * reach;
  __int128 u = ((gint) s[1] - (128 << up)) * span;
  __int128 v = ((gint) s[2] - (128 << up)) * span;
  __int128 r, g, b, n, d;
  gint64 j[4], k[4];

  rule_weights (from, j);
  rule_weights (rule->matrix, k);
  r = j[2] * (j[0] * y + 2 * (j[0] - j[1]) * v);
  b = j[2] * (j[0] * y + 2 * (j[0] - j[3]) * u);
  g = j[0] * (__int128) j[0] * y - (j[1] * r + j[3] * b) / j[2];
  n = k[1] * r + k[2] * g + k[3] * b;
  d = span * reach * j[0] * j[2] * k[0];
  n = rule->to_limited ? (219 * n + 16 * d) * (1 << (depth - 8)) : max * n;
  if (2 * n + d < 0)
    return 0;
  n = (2 * n + d) / (2 * d);
  return n > max ? max : n;
}

static Layout
plain_layout (const Deep * deep, guint width, guint height)
{
  Layout layout = { 0 };
  GstVideoInfo info;

  fail_unless (gst_video_info_set_format (&info,
          gst_video_format_from_string (deep->name), width, height));
  for (guint p = 0; p < deep->planes; p++) {
    layout.offset[p] = info.offset[p];
    layout.stride[p] = info.stride[p];
  }
  layout.size = info.size;
  return layout;
}

/* Chroma gets as much room as the Y. */
static Layout
reversed_layout (const Deep * deep, guint width, guint height,
    const Shape * shape)
{
  guint row = deep_row_bytes (deep, width);
  gint stride = row + shape->pad;
  gsize above = (gsize) (height - 1) * stride;
  Layout layout = { 0 };

  for (guint p = deep->planes; p-- > 0;) {
    layout.offset[p] = layout.size + shape->lead;
    layout.size = layout.offset[p] + above + row;
    layout.stride[p] = stride;
    if (shape->bottom_up) {
      layout.offset[p] += above;
      layout.stride[p] = -stride;
    }
  }
  layout.size += shape->tail;
  return layout;
}

DeepFrame *
deep_frame_new (const Deep * deep, guint width, guint height,
    const Shape * shape, guint32 seed)
{
  DeepFrame *frame = g_new (DeepFrame, 1);
  guint32 state = seed * 2654435761u + 1;

  frame->deep = deep;
  frame->width = width;
  frame->height = height;
  frame->layout = shape != NULL ? reversed_layout (deep, width, height, shape) :
      plain_layout (deep, width, height);
  frame->data = g_malloc (frame->layout.size);
  for (gsize i = 0; i < frame->layout.size; i++) {
    state = state * 1664525u + 1013904223u;
    frame->data[i] = state >> 24;
  }
  return frame;
}

void
deep_frame_free (DeepFrame * frame)
{
  g_free (frame->data);
  g_free (frame);
}

gsize
deep_frame_needed (const DeepFrame * frame)
{
  gsize needed = 0;

  for (guint i = 0; i < frame->deep->samples; i++) {
    guint p = frame->deep->plane[i];

    needed = MAX (needed, frame->layout.offset[p] +
        (gsize) (frame->height - 1) * frame->layout.stride[p] +
        deep_row_bytes (frame->deep, frame->width));
  }
  return needed;
}

GstBuffer *
deep_frame_buffer (const DeepFrame * frame, gsize size)
{
  GstBuffer *buffer = gst_buffer_new ();

  gst_buffer_append_memory (buffer, memory_new_copy (frame->data, size));
  return buffer;
}

void
deep_frame_add_meta (const DeepFrame * frame, GstBuffer * buffer)
{
  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
      gst_video_format_from_string (frame->deep->name), frame->width,
      frame->height, frame->deep->planes, (gsize *) frame->layout.offset,
      (gint *) frame->layout.stride);
}

static guint
sample_at (const DeepFrame * frame, guint i, guint x, guint y)
{
  const Deep *deep = frame->deep;
  const guint per_word = MAX (deep->per_word, 1);
  const guint8 *p = frame->data + frame->layout.offset[deep->plane[i]] +
      (gssize) y * frame->layout.stride[deep->plane[i]] +
      x / per_word * deep->step + deep->at[i];
  guint64 word = 0;

  for (guint b = 0; b < deep->bytes; b++)
    word |= (guint64) p[b] << 8 * (deep->big_endian ? deep->bytes - 1 - b : b);
  word >>= x % per_word * deep->depth[i];
  return word >> deep->shift[i] & ((1u << deep->depth[i]) - 1);
}

guint
deep_frame_expected (const DeepFrame * frame, const Rule * rule, guint x,
    guint y, guint depth)
{
  guint sample[3] = { 0 };

  for (guint i = 0; i < frame->deep->samples; i++)
    sample[i] = sample_at (frame, i, x, y);
  return deep_gray (frame->deep, sample, rule, depth);
}

guint
deep_gray_at (const GstVideoInfo * info, const guint8 * row, guint x)
{
  /* At any address, which GStreamer's macros do not take. */
  switch (GST_VIDEO_INFO_FORMAT (info)) {
    case GST_VIDEO_FORMAT_GRAY16_LE:
      return row[2 * x] | row[2 * x + 1] << 8;
    case GST_VIDEO_FORMAT_GRAY16_BE:
      return row[2 * x] << 8 | row[2 * x + 1];
    default:
      return row[x];
  }
}

/* fail_unless takes notes each time. */
static void
check_row (const DeepFrame * frame, const Rule * rule,
    const GstVideoInfo * info, const guint8 * row, guint y)
{
  guint depth = GST_VIDEO_INFO_COMP_DEPTH (info, 0);

  for (guint x = 0; x < frame->width; x++) {
    guint got = deep_gray_at (info, row, x);
    guint expected = deep_frame_expected (frame, rule, x, y, depth);

    if (got != expected)
      fail ("%s to %s, %u,%u of %ux%u is 0x%x, not 0x%x", frame->deep->name,
          GST_VIDEO_INFO_NAME (info), x, y, frame->width, frame->height, got,
          expected);
  }
}

void
deep_frame_check (const DeepFrame * frame, const Rule * rule,
    GstBuffer * buffer, GstCaps * caps)
{
  GstVideoMeta *meta = gst_buffer_get_video_meta (buffer);
  GstVideoInfo info;
  GstMapInfo map;
  gsize row;

  fail_unless (gst_video_info_from_caps (&info, caps));
  fail_unless (GST_VIDEO_INFO_IS_GRAY (&info));
  fail_unless_equals_int (info.width, frame->width);
  fail_unless_equals_int (info.height, frame->height);
  row = (gsize) frame->width * GST_VIDEO_INFO_COMP_PSTRIDE (&info, 0);
  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  for (guint y = 0; y < frame->height; y++) {
    gssize at = (gssize) (meta ? meta->offset[0] : info.offset[0]) +
        (gssize) y * (meta ? meta->stride[0] : info.stride[0]);

    fail_unless (at >= 0 && at + row <= map.size, "row %u lies at %"
        G_GSSIZE_FORMAT " of %" G_GSIZE_FORMAT " bytes", y, at, map.size);
    check_row (frame, rule, &info, map.data + at, y);
  }
  gst_buffer_unmap (buffer, &map);
}
