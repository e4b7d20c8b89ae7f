/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Frames of samples of any depth, and the gray values of 8 or 16 bits that
 * they must become.  Like those of util.h, formats and rule are written down
 * once more. */

#pragma once

#include "util.h"

/* A sample is depth bits, above shift others, of a word of bytes bytes at an
 * offset of every step bytes of a plane. */
typedef struct
{
  const gchar *name;
  guint planes, step, bytes;
  gboolean big_endian;
  guint samples;                /* 3: R, G, B; 1: gray, or Y alone */
  gboolean yuv;
  guint plane[3], at[3], shift[3], depth[3];
  guint per_word;               /* samples, each above the last; 0 is 1 */
} Deep;

guint deep_row_bytes (const Deep * deep, guint width);

/* Of the pad templates, in their order, and of 8 bits some. */
#define N_DEEP_RGB 24
#define N_DEEP_YUV 33
#define N_DEEP_GRAY 3
#define N_SHALLOW 8
#define N_DEEP (N_DEEP_RGB + N_DEEP_YUV + N_DEEP_GRAY)

/* RGB, YUV, gray, and then the ones of 8 bits. */
extern const Deep deep_formats[N_DEEP + N_SHALLOW];

const Deep *deep_find (const gchar * name);

/* floor (Y' + 1/2), clamped, in whole numbers, as a gray value of so many
 * bits.  Only RGB has a matrix. */
guint deep_gray (const Deep * deep, const guint sample[3], const Rule * rule,
    guint depth);

/* The same of Y, U and V in the matrix from. */
guint deep_gray_of_yuv (const guint s[3], guint in_depth,
    GstVideoColorMatrix from, const Rule * rule, guint depth);

typedef struct
{
  const Deep *deep;
  guint width, height;
  Layout layout;
  guint8 *data;                 /* layout.size bytes */
} DeepFrame;

/* Random bytes, as caps lay them out, or with a shape: the planes in reverse,
 * so that the block ends with the Y of YUV and its tail. */
DeepFrame *deep_frame_new (const Deep * deep, guint width, guint height,
    const Shape * shape, guint32 seed);
void deep_frame_free (DeepFrame * frame);

/* Bytes from the start to the end of the last pixel that is read, in the layout
 * of caps. */
gsize deep_frame_needed (const DeepFrame * frame);

/* The first bytes, in a memory of just that size. */
GstBuffer *deep_frame_buffer (const DeepFrame * frame, gsize size);
void deep_frame_add_meta (const DeepFrame * frame, GstBuffer * buffer);

/* What a pixel must become, and what is in a row of gray. */
guint deep_frame_expected (const DeepFrame * frame, const Rule * rule, guint x,
    guint y, guint depth);
guint deep_gray_at (const GstVideoInfo * info, const guint8 * row, guint x);

/* Fails unless the frame of the buffer has these caps' format and size and is
 * what the rule makes of it. */
void deep_frame_check (const DeepFrame * frame, const Rule * rule,
    GstBuffer * buffer, GstCaps * caps);
