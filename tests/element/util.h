/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Pictures, buffers of any layout, and what they must become.
 *
 * The rule, the formats and the layouts are written down here once more: an
 * oracle that shared a table with the element would share its mistakes. */

#pragma once

#include <gst/video/video.h>

#define S5_WIDTH 5
#define S5_HEIGHT 3

/* The pixel contract: the matrix, and whether code values are 16..235. */
typedef struct
{
  GstVideoColorMatrix matrix;
  gboolean from_limited, to_limited;
} Rule;

extern const Rule rule_default;

/* kr, kg, kb over the first number. */
void rule_weights (GstVideoColorMatrix matrix, gint64 k[4]);

/* floor (Y + 1/2), clamped, in whole numbers. */
guint8 rule_apply (const Rule * rule, const guint8 rgb[3]);

/* The rule that colorimetry on input and output caps ask for; NULL is none.
 * The matrix of what is no matrix for gray is bt601. */
Rule rule_from_labels (const gchar * in, const gchar * out);

/* Where a format keeps its samples: in bytes of a pixel for packed ones, in
 * planes for planar ones (step 1). */
typedef struct
{
  const gchar *name;
  guint step, planes, at[3];
} Pixels;

#define N_RGB_FORMATS 14
#define N_FORMATS 15

/* The RGB formats, and GRAY8 as the last. */
extern const Pixels formats[N_FORMATS];

const Pixels *pixels_find (const gchar * name);

typedef struct
{
  guint width, height;
  guint8 *rgb;                  /* 3 bytes a pixel, rows without padding */
} Picture;

Picture *picture_new (guint width, guint height, const guint8 * rgb);
Picture *picture_new_random (guint width, guint height, guint32 seed);
Picture *picture_new_s5 (void);
void picture_free (Picture * picture);

typedef struct
{
  gsize size, offset[GST_VIDEO_MAX_PLANES];
  gint stride[GST_VIDEO_MAX_PLANES];
} Layout;

/* What a layout adds to tight rows, in bytes. */
typedef struct
{
  guint lead;                   /* before each plane */
  guint pad;                    /* after each row but a plane's last */
  guint tail;                   /* after the last row of all */
  gboolean bottom_up;           /* the top row lies last */
} Shape;

/* As caps say it. */
Layout layout_default (const Pixels * pixels, guint width, guint height);
Layout layout_shaped (const Pixels * pixels, guint width, guint height,
    const Shape * shape);

/* The picture in a block of exactly layout->size bytes, junk where no sample
 * lies.  (transfer full) */
guint8 *picture_draw (const Picture * picture, const Pixels * pixels,
    const Layout * layout);

/* The same as a buffer of one memory, with a GstVideoMeta. */
GstBuffer *picture_buffer (const Picture * picture, const Pixels * pixels,
    const Layout * layout);

/* In the default layout and without a meta. */
GstBuffer *picture_plain_buffer (const Picture * picture,
    const Pixels * pixels);

/* A copy of bytes in a block of just their size. */
GstMemory *memory_new_copy (const guint8 * data, gsize size);

void layout_add_meta (const Layout * layout, GstBuffer * buffer,
    const Pixels * pixels, guint width, guint height);

/* video/x-raw of a size at 30/1, with more fields if extra is not NULL. */
GstCaps *caps_new (const gchar * format, guint width, guint height,
    const gchar * extra);

/* Fails unless the visible bytes of a GRAY8 buffer are the picture under the
 * rule. */
void assert_gray (const Picture * picture, const Rule * rule,
    GstBuffer * buffer, GstCaps * caps);
