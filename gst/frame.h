/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Mapping a buffer as the rows that a plan works on, after checking that
 * every row lies inside it. */

#pragma once

#include <gst/video/video.h>

#include "plan.h"

G_BEGIN_DECLS

typedef struct
{
  GstBuffer *buffer;            /* not owned */
  GstMapInfo map[LUMA_PLANES];
  guint n_maps;
  guint8 *data[LUMA_PLANES];    /* row 0 of each plane that was asked for */
  gint stride[LUMA_PLANES];
  gboolean on_device;           /* data are addresses on the GPU */
  gpointer stream;              /* for the mapper's use; NULL at first */
} CudaGrayFrame;

typedef enum
{
  CUDA_GRAY_FRAME_OK,
  CUDA_GRAY_FRAME_BAD,          /* the buffer does not hold such a frame */
  CUDA_GRAY_FRAME_UNMAPPABLE
} CudaGrayFrameResult;

/* Maps the rows of a buffer: of plane p, extent[p], which may be none.  They
 * lie where the buffer's GstVideoMeta says, or else where info does; strides
 * may be negative, and planes may lie in several memories.  flags is
 * GST_MAP_READ or WRITE, with CUDA_GRAY_MAP_CUDA for the addresses on the GPU
 * of a buffer that has a cuda_gray_cuda_memory_context.
 *
 * On BAD nothing was mapped or read, and *problem says what was got and what
 * was needed (transfer full).  OK needs cuda_gray_frame_unmap. */
CudaGrayFrameResult cuda_gray_frame_map (CudaGrayFrame * frame,
    GstBuffer * buffer, const GstVideoInfo * info,
    const LumaExtent extent[LUMA_PLANES], GstMapFlags flags,
    gchar ** problem);

/* The check of cuda_gray_frame_map alone: TRUE, or *problem. */
gboolean cuda_gray_frame_check (GstBuffer * buffer, const GstVideoInfo * info,
    const LumaExtent extent[LUMA_PLANES], gchar ** problem);

void cuda_gray_frame_unmap (CudaGrayFrame * frame);

G_END_DECLS
