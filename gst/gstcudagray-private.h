/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* The element, for the two files that it consists of: gstcudagray.c up to
 * negotiation and allocation, transform.c frame by frame. */

#pragma once

#include "gstcudagray.h"

#include "convert.h"
#include "stats.h"

G_BEGIN_DECLS

struct _GstCudaGray
{
  GstBaseTransform parent;

  /* Properties, and stats: under the object lock. */
  GstCudaGrayBackend backend;
  gint device_id;
  CudaGrayStats stats;

  /* From start to stop; the streaming thread's. */
  CudaGrayConverter converter;
  GstAllocator *allocator;      /* under the object lock */
  GstVideoInfo in_info, out_info;
  LumaPlan plan;
  guint bad_frames;             /* in a row */
  gboolean warned_colorimetry;
};

/* Shows in stats which backend is in use, and notifies. */
void gst_cuda_gray_show_backend (GstCudaGray * self);

/* GstBaseTransform's: for gray that passes through, and for all else. */
GstFlowReturn gst_cuda_gray_transform_ip (GstBaseTransform * trans,
    GstBuffer * buffer);
GstFlowReturn gst_cuda_gray_transform (GstBaseTransform * trans,
    GstBuffer * inbuf, GstBuffer * outbuf);

G_END_DECLS
