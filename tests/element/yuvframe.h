/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Frames of YUV, of which the Y alone is read, and what they must become.
 * Like those of util.h, formats and rule are written down once more. */

#pragma once

#include "util.h"

/* The Y of a pixel lies in plane 0, at this byte of every step bytes. */
typedef struct
{
  const gchar *name;
  guint planes, at, step;
} Yuv;

#define N_YUV_FORMATS 18

/* In the order of the pad templates. */
extern const Yuv yuv_formats[N_YUV_FORMATS];

const Yuv *yuv_find (const gchar * name);

/* floor (Y' + 1/2), clamped, in whole numbers. */
guint8 yuv_gray (guint8 y, gboolean from_limited, gboolean to_limited);

typedef struct
{
  const Yuv *yuv;
  guint width, height;
  Layout layout;
  guint8 *data;                 /* layout.size bytes */
} YuvFrame;

/* Random bytes, in all planes and wherever no sample lies.  Without a shape
 * they lie as caps say it; with one the planes lie in reverse, so that the
 * block ends with the last Y. */
YuvFrame *yuv_frame_new (const Yuv * yuv, guint width, guint height,
    const Shape * shape, guint32 seed);
void yuv_frame_free (YuvFrame * frame);

/* Bytes from the first Y's to the end of the last one's pixel; of a frame that
 * lies as caps say it, from the block's start. */
gsize yuv_frame_y_size (const YuvFrame * frame);

/* A copy, as one memory of just its size. */
GstBuffer *yuv_frame_buffer (const YuvFrame * frame);

void yuv_frame_add_meta (const YuvFrame * frame, GstBuffer * buffer);

/* What must come out, as a gray picture: rule_default leaves it as it is. */
Picture *yuv_frame_gray (const YuvFrame * frame, gboolean from_limited,
    gboolean to_limited);
