/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#include "yuvframe.h"

#include <gst/check/gstcheck.h>

const Yuv yuv_formats[N_YUV_FORMATS] = {
  {"I420", 3, 0, 1}, {"YV12", 3, 0, 1}, {"NV12", 2, 0, 1}, {"NV21", 2, 0, 1},
  {"NV16", 2, 0, 1}, {"NV61", 2, 0, 1}, {"NV24", 2, 0, 1}, {"Y41B", 3, 0, 1},
  {"Y42B", 3, 0, 1}, {"Y444", 3, 0, 1}, {"YUV9", 3, 0, 1}, {"YVU9", 3, 0, 1},
  {"YUY2", 1, 0, 2}, {"UYVY", 1, 1, 2}, {"YVYU", 1, 0, 2}, {"VYUY", 1, 1, 2},
  {"AYUV", 1, 1, 4}, {"VUYA", 1, 2, 4},
};

const Yuv *
yuv_find (const gchar * name)
{
  for (guint i = 0; i < N_YUV_FORMATS; i++) {
    if (g_str_equal (yuv_formats[i].name, name))
      return &yuv_formats[i];
  }
  fail ("no format %s", name);
  return NULL;
}

guint8
yuv_gray (guint8 y, gboolean from_limited, gboolean to_limited)
{
  gint n, d;

  if (from_limited == to_limited)
    return y;
  n = from_limited ? 255 * (y - 16) : 16 * 255 + 219 * y;
  d = from_limited ? 219 : 255;
  if (2 * n + d < 0)
    return 0;
  return MIN ((2 * n + d) / (2 * d), 255);
}

/* The Y's plane is the first and its rows are whole words, in every format;
 * how much chroma follows is GStreamer's matter. */
static Layout
plain_layout (const Yuv * yuv, guint width, guint height)
{
  Layout layout = { 0 };
  GstVideoInfo info;

  fail_unless (gst_video_info_set_format (&info,
          gst_video_format_from_string (yuv->name), width, height));
  layout.stride[0] = (yuv->step * width + 3) / 4 * 4;
  layout.size = info.size;
  return layout;
}

/* Chroma gets as much room as the Y. */
static Layout
reversed_layout (const Yuv * yuv, guint width, guint height,
    const Shape * shape)
{
  guint row = yuv->step * width;
  gint stride = row + shape->pad;
  gsize above = (gsize) (height - 1) * stride;
  Layout layout = { 0 };

  for (guint p = yuv->planes; p-- > 0;) {
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

YuvFrame *
yuv_frame_new (const Yuv * yuv, guint width, guint height, const Shape * shape,
    guint32 seed)
{
  YuvFrame *frame = g_new (YuvFrame, 1);
  guint32 state = seed * 2654435761u + 1;

  frame->yuv = yuv;
  frame->width = width;
  frame->height = height;
  frame->layout = shape != NULL ?
      reversed_layout (yuv, width, height, shape) :
      plain_layout (yuv, width, height);
  frame->data = g_malloc (frame->layout.size);
  for (gsize i = 0; i < frame->layout.size; i++) {
    state = state * 1664525u + 1013904223u;
    frame->data[i] = state >> 24;
  }
  return frame;
}

void
yuv_frame_free (YuvFrame * frame)
{
  g_free (frame->data);
  g_free (frame);
}

gsize
yuv_frame_y_size (const YuvFrame * frame)
{
  return (gsize) (frame->height - 1) * ABS (frame->layout.stride[0]) +
      frame->width * frame->yuv->step;
}

GstBuffer *
yuv_frame_buffer (const YuvFrame * frame)
{
  GstBuffer *buffer = gst_buffer_new ();

  gst_buffer_append_memory (buffer, memory_new_copy (frame->data,
          frame->layout.size));
  return buffer;
}

void
yuv_frame_add_meta (const YuvFrame * frame, GstBuffer * buffer)
{
  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
      gst_video_format_from_string (frame->yuv->name), frame->width,
      frame->height, frame->yuv->planes, (gsize *) frame->layout.offset,
      (gint *) frame->layout.stride);
}

Picture *
yuv_frame_gray (const YuvFrame * frame, gboolean from_limited,
    gboolean to_limited)
{
  Picture *picture = picture_new (frame->width, frame->height, NULL);
  guint8 *rgb = picture->rgb;

  for (guint y = 0; y < frame->height; y++) {
    const guint8 *row = frame->data + frame->layout.offset[0] +
        (gssize) y * frame->layout.stride[0] + frame->yuv->at;

    for (guint x = 0; x < frame->width; x++, rgb += 3)
      memset (rgb, yuv_gray (row[x * frame->yuv->step], from_limited,
              to_limited), 3);
  }
  return picture;
}
