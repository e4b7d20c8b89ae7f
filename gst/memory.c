/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* The element and memory: whose CUDA context, and which pools. */

#include "config.h"

#include "gstcudagray-private.h"

#include "allocation.h"
#include "caps.h"

GST_DEBUG_CATEGORY_EXTERN (gst_cuda_gray_debug);
#define GST_CAT_DEFAULT gst_cuda_gray_debug

#define PARENT_CLASS \
    GST_BASE_TRANSFORM_CLASS (g_type_class_peek (GST_TYPE_BASE_TRANSFORM))

static gint
asked_device (GstCudaGray * self)
{
  gint device_id;

  GST_OBJECT_LOCK (self);
  device_id = self->device_id;
  GST_OBJECT_UNLOCK (self);
  return device_id;
}

/* With self->cuda_context as it is now. */
static void
enter_context (GstCudaGray * self)
{
  gst_clear_mini_object (&self->cuda_stream);
  self->cuda_stream = cuda_gray_cuda_stream_new (self->cuda_context);
  cuda_gray_converter_use_context (&self->converter, self->cuda_context);
  gst_cuda_gray_show_backend (self);
}

gboolean
gst_cuda_gray_use_cuda_memory (GstCudaGray * self)
{
  gint device_id = asked_device (self);
  gboolean had, done;

  g_rec_mutex_lock (&self->context_lock);
  had = self->cuda_context != NULL;
  done = self->started && cuda_gray_cuda_context_ensure (GST_ELEMENT (self),
      device_id, &self->cuda_context);
  if (done && (!had || self->converter.context != self->cuda_context))
    enter_context (self);
  if (self->started && !done)
    GST_ELEMENT_ERROR (self, RESOURCE, NOT_FOUND,
        ("No CUDA context for frames in the GPU's memory."),
        ("cuda-device-id=%d", device_id));
  g_rec_mutex_unlock (&self->context_lock);
  return done;
}

void
gst_cuda_gray_set_context (GstElement * element, GstContext * context)
{
  GstCudaGray *self = GST_CUDA_GRAY (element);

  g_rec_mutex_lock (&self->context_lock);
  cuda_gray_cuda_context_set (element, context, asked_device (self),
      &self->cuda_context);
  g_rec_mutex_unlock (&self->context_lock);
  GST_ELEMENT_CLASS (PARENT_CLASS)->set_context (element, context);
}

static gboolean
answer_context (GstCudaGray * self, GstQuery * query)
{
  GstCudaContext *context = NULL;
  gboolean answered;

  GST_OBJECT_LOCK (self);
  if (self->cuda_context != NULL)
    context = gst_object_ref (self->cuda_context);
  GST_OBJECT_UNLOCK (self);
  if (context == NULL)
    return FALSE;
  answered = cuda_gray_cuda_context_query (GST_ELEMENT (self), query, context);
  gst_object_unref (context);
  return answered;
}

/* What upstream is told: the base class goes by the order of the filter, with
 * which cudaupload asks for what it need not upload. */
static void
prefer_cuda (GstQuery * query)
{
  GstCaps *caps;

  gst_query_parse_caps_result (query, &caps);
  if (caps == NULL || gst_caps_get_size (caps) < 2)
    return;
  caps = cuda_gray_caps_cuda_first (caps);
  gst_query_set_caps_result (query, caps);
  gst_caps_unref (caps);
}

gboolean
gst_cuda_gray_query (GstBaseTransform * trans, GstPadDirection direction,
    GstQuery * query)
{
  if (GST_QUERY_TYPE (query) == GST_QUERY_CONTEXT &&
      answer_context (GST_CUDA_GRAY (trans), query))
    return TRUE;
  if (!PARENT_CLASS->query (trans, direction, query))
    return FALSE;
  if (GST_QUERY_TYPE (query) == GST_QUERY_CAPS && direction == GST_PAD_SINK)
    prefer_cuda (query);
  return TRUE;
}

/* As GStreamer's own CUDA elements: where the frames' context is another one
 * than ours, on a device that will do, theirs is ours from now on. */
void
gst_cuda_gray_before_transform (GstBaseTransform * trans, GstBuffer * buffer)
{
  GstCudaGray *self = GST_CUDA_GRAY (trans);
  GstCudaContext *context = self->converter.device >= 0 ?
      cuda_gray_cuda_memory_context (buffer) : NULL;
  GstCudaContext *old;
  gint wanted, device;

  if (context == NULL || context == self->cuda_context)
    return;
  wanted = asked_device (self);
  cuda_gray_cuda_context_handle (context, &device);
  if (wanted >= 0 && wanted != device)
    return;
  GST_INFO_OBJECT (self, "from %" GST_PTR_FORMAT " to %" GST_PTR_FORMAT,
      self->cuda_context, context);
  GST_OBJECT_LOCK (self);
  old = self->cuda_context;
  self->cuda_context = gst_object_ref (context);
  GST_OBJECT_UNLOCK (self);
  enter_context (self);
  gst_clear_object (&old);
  /* For a pool in that context. */
  gst_base_transform_reconfigure_src (trans);
}

static gboolean
is_cuda_query (GstQuery * query)
{
  GstCaps *caps;

  gst_query_parse_allocation (query, &caps, NULL);
  return caps != NULL && cuda_gray_caps_is_cuda (caps, 0);
}

/* Where the flow alone would end, nobody would know why. */
static void
report_no_memory (GstCudaGray * self)
{
  GST_ELEMENT_ERROR (self, RESOURCE, NO_SPACE_LEFT,
      ("No memory for the frames."), (NULL));
}

GstFlowReturn
gst_cuda_gray_prepare_output_buffer (GstBaseTransform * trans,
    GstBuffer * inbuf, GstBuffer ** outbuf)
{
  GstFlowReturn result = PARENT_CLASS->prepare_output_buffer (trans, inbuf,
      outbuf);

  if (result == GST_FLOW_ERROR)
    report_no_memory (GST_CUDA_GRAY (trans));
  return result;
}

static GstBufferPool *
new_cuda_pool (GstCudaGray * self, GstQuery * query, guint min, guint * size)
{
  GstBufferPool *pool = NULL;
  GstCaps *caps;

  gst_query_parse_allocation (query, &caps, NULL);
  g_rec_mutex_lock (&self->context_lock);
  if (gst_cuda_gray_use_cuda_memory (self)) {
    pool = cuda_gray_cuda_pool_new (self->cuda_context, self->cuda_stream, caps,
        min, size);
    if (pool == NULL)
      report_no_memory (self);
  }
  g_rec_mutex_unlock (&self->context_lock);
  return pool;
}

static gboolean
propose_cuda (GstCudaGray * self, GstQuery * query)
{
  guint size = 0;
  GstBufferPool *pool = new_cuda_pool (self, query, 0, &size);

  if (pool == NULL)
    return FALSE;
  gst_query_add_allocation_pool (query, pool, size, 0, 0);
  gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
  gst_object_unref (pool);
  return TRUE;
}

/* Downstream's pool, if it has one, is not asked: GStreamer has none for
 * GRAY8. */
static gboolean
decide_cuda (GstCudaGray * self, GstQuery * query)
{
  gboolean offered = gst_query_get_n_allocation_pools (query) > 0;
  guint size = 0, min = 0;
  GstBufferPool *pool;

  if (offered)
    gst_query_parse_nth_allocation_pool (query, 0, NULL, NULL, &min, NULL);
  pool = new_cuda_pool (self, query, min, &size);
  if (pool == NULL)
    return FALSE;
  if (offered)
    gst_query_set_nth_allocation_pool (query, 0, pool, size, min, 0);
  else
    gst_query_add_allocation_pool (query, pool, size, min, 0);
  gst_object_unref (pool);
  return TRUE;
}

/* NULL where the element is stopped: an ALLOCATION query of that moment is still
 * answered, and the base class would keep what it decides for good. */
static GstAllocator *
gst_cuda_gray_ref_allocator (GstCudaGray * self)
{
  GstAllocator *allocator;

  GST_OBJECT_LOCK (self);
  allocator = self->allocator ? gst_object_ref (self->allocator) : NULL;
  GST_OBJECT_UNLOCK (self);
  return allocator;
}

gboolean
gst_cuda_gray_propose_allocation (GstBaseTransform * trans,
    GstQuery * decide_query, GstQuery * query)
{
  GstAllocator *allocator;
  gboolean done;

  if (!PARENT_CLASS->propose_allocation (trans, decide_query, query))
    return FALSE;
  /* In passthrough downstream has answered. */
  if (decide_query == NULL)
    return TRUE;
  if (is_cuda_query (query))
    return propose_cuda (GST_CUDA_GRAY (trans), query);
  allocator = gst_cuda_gray_ref_allocator (GST_CUDA_GRAY (trans));
  done = allocator != NULL && cuda_gray_allocation_propose (query, allocator);
  gst_clear_object (&allocator);
  return done;
}

gboolean
gst_cuda_gray_decide_allocation (GstBaseTransform * trans, GstQuery * query)
{
  GstAllocator *allocator;
  gboolean done;

  if (is_cuda_query (query))
    return decide_cuda (GST_CUDA_GRAY (trans), query) &&
        PARENT_CLASS->decide_allocation (trans, query);
  allocator = gst_cuda_gray_ref_allocator (GST_CUDA_GRAY (trans));
  done = allocator != NULL && cuda_gray_allocation_decide (query, allocator) &&
      PARENT_CLASS->decide_allocation (trans, query);
  gst_clear_object (&allocator);
  return done;
}
