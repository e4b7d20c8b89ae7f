/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* GstCudaMemory, the memory of GStreamer's own CUDA elements, for one source
 * that is right from GStreamer 1.22 on.
 *
 * From 1.24 on, work may be under way on a memory, on the stream that it
 * names; before, it arrives finished and names none.  Which it is is found at
 * run time: a build against 1.22 also runs with the library of later releases.
 *
 * A build without gstreamer-cuda-1.0 has the same functions, which find no such
 * memory. */

#pragma once

#include <gst/video/video.h>

G_BEGIN_DECLS

typedef struct _GstCudaContext GstCudaContext;
typedef struct _GstCudaMemory GstCudaMemory;

/* gst_memory_map's flag for the address on the device. */
#define CUDA_GRAY_MAP_CUDA ((GstMapFlags) (GST_MAP_FLAG_LAST << 1))

/* Whether this build and this machine have such memory at all. */
gboolean cuda_gray_cuda_memory_init (void);

/* The context of a buffer in one GstCudaMemory, or NULL for any other buffer,
 * whatever its caps say.  (transfer none) */
GstCudaContext *cuda_gray_cuda_memory_context (GstBuffer * buffer);

/* Where the planes lie in such a buffer, for one without GstVideoMeta. */
const GstVideoInfo *cuda_gray_cuda_memory_info (GstBuffer * buffer);

/* The stream of work on such a buffer, for those who work in the context; for
 * others it is NULL, and that work has ended. */
gpointer cuda_gray_cuda_memory_stream (GstBuffer * buffer,
    GstCudaContext * context);

/* Waits for what is under way on a memory. */
void cuda_gray_cuda_memory_finish (GstCudaMemory * memory);

/* The CUcontext, and the device that it is on. */
gpointer cuda_gray_cuda_context_handle (GstCudaContext * context,
    gint * device);

/* As GStreamer's own CUDA elements share their contexts: sets *context where
 * it is not set yet, from the peers, from the application, or to a new one;
 * takes it from a GST_MESSAGE_NEED_CONTEXT's answer; answers a CONTEXT query
 * with it. */
gboolean cuda_gray_cuda_context_ensure (GstElement * element, gint device_id,
    GstCudaContext ** context);
void cuda_gray_cuda_context_set (GstElement * element, GstContext * offered,
    gint device_id, GstCudaContext ** context);
gboolean cuda_gray_cuda_context_query (GstElement * element, GstQuery * query,
    GstCudaContext * context);

/* Whether memory names streams: the library is that of 1.24 or later. */
gboolean cuda_gray_cuda_has_streams (void);

/* A stream of the context for the pools of one element, or NULL before 1.24.
 * (transfer full) */
GstMiniObject *cuda_gray_cuda_stream_new (GstCudaContext * context);

/* Whether a pool of such frames may be asked for.  GStreamer's own aborts the
 * process, in 1.22, for formats that only later releases have. */
gboolean cuda_gray_cuda_pool_has (GstVideoFormat format);

/* A pool of frames in the context's memory, configured for caps (which may be
 * GRAY8, unlike those of GStreamer's own pool), with *size the size of its
 * buffers.  Their GstVideoMeta tells where the rows lie.  (transfer full) */
GstBufferPool *cuda_gray_cuda_pool_new (GstCudaContext * context,
    GstMiniObject * stream, GstCaps * caps, guint min, guint * size);

G_END_DECLS
