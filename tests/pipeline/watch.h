/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* A watch over one cudagray, which compares every frame with the exact answer.
 *
 * Failing is for the main thread alone: what a streaming thread sees is kept
 * in the watch until pipe_stop. */

#pragma once

#include <gst/check/gstcheck.h>
#include <gst/video/video.h>

/* Full-range bt601, rounded half up. */
#define PIPE_EXACT(r, g, b) ((299 * (r) + 587 * (g) + 114 * (b) + 500) / 1000)
/* The Y of YUV, from limited range to full. */
#define PIPE_FULL(y) CLAMP ((510 * ((y) - 16) + 219) / 438, 0, 255)

/* One cudagray: both pads are probed.  Counts are atomic. */
typedef struct
{
  GstElement *element;          /* not owned */
  gint in, out;                 /* frames */
  gint in_ours, out_ours;       /* of these, in the allocator's memory */
  gint kept;                    /* that left in the memory they came in */
  GMutex lock;
  GString *seen;                /* "RGB 5x3, ": the input's, at each change */
  gchar *problem;               /* the first wrong frame, under the lock */
  /* The streaming thread's. */
  GstCaps *in_caps, *gray_caps;
  GstBuffer *input;
} PipeWatch;

/* Watches an element, and the only cudagray of a pipeline. */
PipeWatch *pipe_watch_element (GstElement * cudagray);
PipeWatch *pipe_watch (GstElement * pipeline);

/* Once no frame flows: gives what was wrong, or NULL.  (transfer full) */
gchar *pipe_watch_end (PipeWatch * watch);

/* The same, which fails where a frame was wrong.  For pipe_stop. */
void pipe_watch_free (PipeWatch * watch);

gboolean pipe_is_ours (GstBuffer * buffer);

/* NULL, or what is wrong with gray as the output for in. (transfer full) */
gchar *pipe_compare (GstCaps * in_caps, GstBuffer * in, GstCaps * gray_caps,
    GstBuffer * gray);
