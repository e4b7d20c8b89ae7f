/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Frames to push, of any size and layout and in any memory, and what must
 * come out. */

#pragma once

#include "deepframe.h"
#include "input.h"
#include "yuvframe.h"

typedef struct
{
  DeepFrame frame;              /* deep is NULL where nothing is known */
  GstVideoInfo info;
  GstBuffer *buffer;
  gboolean has_meta, meta_fits;
  guint n_planes;               /* that the meta, or else the caps, has */
  /* Once the output's caps are known: what it must become, and whether the
   * buffer holds all that is read for that, or nobody knows. */
  Rule rule;
  gboolean whole, unsure;
  gboolean mappable;
  GstMemory *held;              /* mapped for writing until it is pushed */
  GstMapInfo map;
} Shot;

/* The formats of the pad templates. */
#define N_SHOT_FORMATS (N_DEEP + N_YUV_FORMATS + N_FORMATS)
const gchar *shot_format_name (guint i);
void shot_formats_init (void);

/* Bytes in a block of their own, counted as long as they live. */
GstMemory *shot_memory (const guint8 * data, gsize size, GstMemoryFlags flags);
extern gint shot_live;

/* A frame for caps, or, where caps is NULL, any buffer.  pool may be NULL. */
void shot_init (Shot * shot, Input * input, GstCaps * caps,
    GstBufferPool * pool);
/* The buffer was pushed, and has its owner. */
void shot_pushed (Shot * shot);
void shot_clear (Shot * shot);

/* Where what is read begins and ends, from the buffer's start, in numbers that
 * hold all of these.  With chroma of YUV, or the Y alone. */
void shot_find_extent (const Shot * shot, gboolean chroma, __int128 * begin,
    __int128 * end);

/* Finds rule, whole and unsure for the output caps, which may be NULL. */
void shot_judge (Shot * shot, GstCaps * out_caps);

/* Ends the process unless out is what became of the shot under caps.  FALSE
 * where only its size could be checked. */
gboolean shot_check (const Shot * shot, GstBuffer * out, GstCaps * caps);
