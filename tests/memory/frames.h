/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Frames of random bytes, in the GPU's memory or not, and the gray rows that
 * they must become: those that the CPU makes of the same bytes. */

#pragma once

#include "rig.h"

/* Of GStreamer's CUDA elements and of cudagray, without gray; RGB of 8 bits
 * comes first. */
#define FRAMES_N_RGB 12
#define FRAMES_N_FORMATS 33
extern const gchar *const frames_formats[FRAMES_N_FORMATS];

/* Whether GStreamer's CUDA elements have a format: those of 1.22 lack some, and
 * its library ends the program where it is to allocate one. */
gboolean frames_have (const gchar * format);

/* Caps at 30/1, with features such as "(memory:CUDAMemory)" or "".  (transfer
 * full) */
GstCaps *frames_caps (const gchar * features, const gchar * format, gint width,
    gint height);

/* Fills all of a buffer, with what lies between the rows too.  Gives it
 * back. */
GstBuffer *frames_fill (GstBuffer * buffer, guint32 seed);

/* Random bytes in ordinary memory, in the layout that caps have; tight: with a
 * GstVideoMeta that has no padding between the rows.  (transfer full) */
GstBuffer *frames_new (GstCaps * caps, gboolean tight, guint32 seed);
void frames_tighten (GstBuffer * buffer, GstCaps * caps);

/* The same from the pool that the peer of a pad offers for caps, which it must.
 * The pool goes with the last of its buffers.  (transfer full) */
GstBuffer *frames_new_for (GstPad * pad, GstCaps * caps, guint32 seed);

/* A pool of the memory that caps name, gray too, in a context; active.
 * (transfer full) */
GstBufferPool *frames_pool (GstCudaContext * context, GstCaps * caps);
GstBuffer *frames_acquire (GstBufferPool * pool);
void frames_pool_free (GstBufferPool * pool);

/* The rows of a gray frame, or of the Y plane of another, as the CPU maps it.
 * (transfer full) */
GBytes *frames_rows (GstBuffer * buffer, GstCaps * caps);

/* The rows of a buffer in any memory by backend=cpu, under caps for system
 * memory, in GRAY8 or another format; colorimetry is the output's, or NULL.
 * (transfer full) */
GBytes *frames_on_cpu (GstBuffer * buffer, GstCaps * caps,
    const gchar * colorimetry);
GBytes *frames_on_cpu_as (GstBuffer * buffer, GstCaps * caps,
    const gchar * format, const gchar * colorimetry);

/* Fails unless a gray frame of these caps has just these rows.  One in the
 * GPU's memory is read twice: by a stream that waits for no other, which sees
 * what is not yet done, and as the CPU maps it. */
void frames_check (GstBuffer * buffer, GstCaps * caps, GBytes * expected);

/* The only memory of a buffer, which must be the GPU's.  (transfer none) */
GstCudaMemory *frames_memory (GstBuffer * buffer);
