/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* What cudamemory.h does in a build without gstreamer-cuda-1.0. */

#include "config.h"

#include "cudamemory.h"

gboolean
cuda_gray_cuda_memory_init (void)
{
  return FALSE;
}

GstCudaContext *
cuda_gray_cuda_memory_context (GstBuffer * buffer)
{
  return NULL;
}

const GstVideoInfo *
cuda_gray_cuda_memory_info (GstBuffer * buffer)
{
  return NULL;
}

gpointer
cuda_gray_cuda_memory_stream (GstBuffer * buffer, GstCudaContext * context)
{
  return NULL;
}

void
cuda_gray_cuda_memory_finish (GstCudaMemory * memory)
{
}

gpointer
cuda_gray_cuda_context_handle (GstCudaContext * context, gint * device)
{
  return NULL;
}

gboolean
cuda_gray_cuda_context_ensure (GstElement * element, gint device_id,
    GstCudaContext ** context)
{
  return FALSE;
}

void
cuda_gray_cuda_context_set (GstElement * element, GstContext * offered,
    gint device_id, GstCudaContext ** context)
{
}

gboolean
cuda_gray_cuda_context_query (GstElement * element, GstQuery * query,
    GstCudaContext * context)
{
  return FALSE;
}

gboolean
cuda_gray_cuda_has_streams (void)
{
  return FALSE;
}

GstMiniObject *
cuda_gray_cuda_stream_new (GstCudaContext * context)
{
  return NULL;
}

gboolean
cuda_gray_cuda_pool_has (GstVideoFormat format)
{
  return FALSE;
}

GstBufferPool *
cuda_gray_cuda_pool_new (GstCudaContext * context, GstMiniObject * stream,
    GstCaps * caps, guint min, guint * size)
{
  return NULL;
}
