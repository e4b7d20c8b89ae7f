/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* The element, for the files that it consists of: gstcudagray.c up to
 * negotiation, memory.c for contexts and allocation, transform.c frame by
 * frame. */

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
  /* Whether frames can be in the GPU's memory; until it is known, as if they
   * could.  Under the object lock. */
  gboolean cuda_memory;
  /* Of such frames; NULL while there are none.  The stream is NULL before
   * GStreamer 1.24. */
  GstCudaContext *cuda_context;
  GstMiniObject *cuda_stream;
  GRecMutex context_lock;       /* around changes of these, and of started */
  /* The same as cuda_context, for those who must not wait for that lock: who
   * holds it may be asking them.  Under the object lock. */
  GstCudaContext *shown_context;
  gboolean started;
  GstVideoInfo in_info, out_info;
  LumaPlan plan;
  /* The output's rows are a plane of the input's, and downstream takes them
   * where they lie. */
  gboolean is_plane, takes_strides;
  gboolean handed_on;           /* this frame's are */
  guint bad_frames;             /* in a row */
  gboolean warned_colorimetry;
};

/* Shows in stats which backend is in use, and notifies. */
void gst_cuda_gray_show_backend (GstCudaGray * self);

/* With the context lock held: makes shown_context what cuda_context is. */
void gst_cuda_gray_show_context (GstCudaGray * self);

/* Has a CUDA context, for caps with memory:CUDAMemory.  FALSE after an element
 * error, and where the element is stopped. */
gboolean gst_cuda_gray_use_cuda_memory (GstCudaGray * self);

/* GstBaseTransform's, of caps. */
GstCaps *gst_cuda_gray_transform_caps (GstBaseTransform * trans,
    GstPadDirection direction, GstCaps * caps, GstCaps * filter);
GstCaps *gst_cuda_gray_fixate_caps (GstBaseTransform * trans,
    GstPadDirection direction, GstCaps * caps, GstCaps * othercaps);
gboolean gst_cuda_gray_get_unit_size (GstBaseTransform * trans, GstCaps * caps,
    gsize * size);
gboolean gst_cuda_gray_set_caps (GstBaseTransform * trans, GstCaps * incaps,
    GstCaps * outcaps);

/* GstElement's and GstBaseTransform's, of memory. */
void gst_cuda_gray_set_context (GstElement * element, GstContext * context);
gboolean gst_cuda_gray_query (GstBaseTransform * trans,
    GstPadDirection direction, GstQuery * query);
void gst_cuda_gray_before_transform (GstBaseTransform * trans,
    GstBuffer * buffer);
gboolean gst_cuda_gray_propose_allocation (GstBaseTransform * trans,
    GstQuery * decide_query, GstQuery * query);
gboolean gst_cuda_gray_decide_allocation (GstBaseTransform * trans,
    GstQuery * query);

GstFlowReturn gst_cuda_gray_prepare_output_buffer (GstBaseTransform * trans,
    GstBuffer * inbuf, GstBuffer ** outbuf);

/* GstBaseTransform's: for gray that passes through, and for all else. */
GstFlowReturn gst_cuda_gray_transform_ip (GstBaseTransform * trans,
    GstBuffer * buffer);
GstFlowReturn gst_cuda_gray_transform (GstBaseTransform * trans,
    GstBuffer * inbuf, GstBuffer * outbuf);

G_END_DECLS
