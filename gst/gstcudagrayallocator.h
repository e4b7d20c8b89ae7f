/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* An allocator of system memory that a GPU reads and writes in place.
 *
 * Its memory is page-aligned, always mapped, and pinned where that is
 * possible; without a GPU it is ordinary memory.  Getting a new size takes
 * milliseconds, so use it through a pool.  A copy of such a memory, and a
 * sub-memory's copy, is plain memory. */

#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_CUDA_GRAY_MEMORY_TYPE "CudaGrayMemory"

#define GST_TYPE_CUDA_GRAY_ALLOCATOR (gst_cuda_gray_allocator_get_type ())
G_DECLARE_FINAL_TYPE (GstCudaGrayAllocator, gst_cuda_gray_allocator,
    GST, CUDA_GRAY_ALLOCATOR, GstAllocator)

/* pin: register the memory with the GPU, which must be open by then.
 * (transfer full) */
GstAllocator *gst_cuda_gray_allocator_new (gboolean pin);

G_END_DECLS
