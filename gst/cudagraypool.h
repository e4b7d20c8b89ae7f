/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* A pool of GRAY8 and GRAY16 frames in GstCudaMemory, which GStreamer's own
 * pool does not make.  Part of the builds with gstreamer-cuda-1.0 alone. */

#pragma once

#include "cudamemory.h"

G_BEGIN_DECLS

#define GST_TYPE_CUDA_GRAY_POOL (cuda_gray_pool_get_type ())
G_DECLARE_FINAL_TYPE (CudaGrayPool, cuda_gray_pool, CUDA_GRAY, POOL,
    GstBufferPool);

/* Buffers name the stream, if it is not NULL, as that of the work on them.
 * The config's caps are gray; set_config puts the true size there, and a
 * GstVideoMeta is on every buffer.  (transfer full) */
GstBufferPool *cuda_gray_pool_new (GstCudaContext * context,
    GstMiniObject * stream);

G_END_DECLS
