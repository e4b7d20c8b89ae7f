/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* The element and memory: whose CUDA context, and which pools. */

#include "config.h"

#include "gstcudagray-private.h"

#include "allocation.h"
#include "caps.h"
#include "frame.h"

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

/* GStreamer's functions set cuda_context without the object lock. */
void
gst_cuda_gray_show_context (GstCudaGray * self)
{
  GstCudaContext *old;

  GST_OBJECT_LOCK (self);
  old = self->shown_context;
  self->shown_context = self->cuda_context != NULL ?
      gst_object_ref (self->cuda_context) : NULL;
  GST_OBJECT_UNLOCK (self);
  gst_clear_object (&old);
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
  /* A GPU that hangs is asked for nothing more. */
  done = self->started && !self->converter.lost &&
      cuda_gray_cuda_context_ensure (GST_ELEMENT (self), device_id,
      &self->cuda_context);
  gst_cuda_gray_show_context (self);
  if (done && (!had || (self->converter.device >= 0 &&
              self->converter.context != self->cuda_context)))
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
  gst_cuda_gray_show_context (self);
  g_rec_mutex_unlock (&self->context_lock);
  GST_ELEMENT_CLASS (PARENT_CLASS)->set_context (element, context);
}

static gboolean
answer_context (GstCudaGray * self, GstQuery * query)
{
  GstCudaContext *context = NULL;
  gboolean answered;

  GST_OBJECT_LOCK (self);
  if (self->shown_context != NULL)
    context = gst_object_ref (self->shown_context);
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
sort_answer (GstQuery * query)
{
  GstCaps *caps;

  gst_query_parse_caps_result (query, &caps);
  if (caps == NULL || gst_caps_get_size (caps) < 2)
    return;
  caps = cuda_gray_caps_for_upstream (caps);
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
    sort_answer (query);
  return TRUE;
}

static gboolean
is_shown (GstCudaGray * self, GstCudaContext * context)
{
  gboolean is;

  GST_OBJECT_LOCK (self);
  is = context == self->shown_context;
  GST_OBJECT_UNLOCK (self);
  return is;
}

/* As GStreamer's own CUDA elements: where the frames' context is another one
 * than ours, on a device that will do, theirs is ours from now on. */
void
gst_cuda_gray_before_transform (GstBaseTransform * trans, GstBuffer * buffer)
{
  GstCudaGray *self = GST_CUDA_GRAY (trans);
  GstCudaContext *context = self->converter.device >= 0 ?
      cuda_gray_cuda_memory_context (buffer) : NULL;
  gint wanted, device;

  if (context == NULL || is_shown (self, context))
    return;
  wanted = asked_device (self);
  cuda_gray_cuda_context_handle (context, &device);
  if (wanted >= 0 && wanted != device)
    return;
  g_rec_mutex_lock (&self->context_lock);
  GST_INFO_OBJECT (self, "from %" GST_PTR_FORMAT " to %" GST_PTR_FORMAT,
      self->cuda_context, context);
  gst_object_replace ((GstObject **) & self->cuda_context,
      GST_OBJECT (context));
  gst_cuda_gray_show_context (self);
  enter_context (self);
  g_rec_mutex_unlock (&self->context_lock);
  /* For a pool in that context. */
  gst_base_transform_reconfigure_src (trans);
}

static gboolean
is_cuda_query (GstQuery * query)
{
  GstCaps *caps;

  gst_query_parse_allocation (query, &caps, NULL);
  return caps != NULL && gst_caps_is_fixed (caps) &&
      cuda_gray_caps_is_cuda (caps, 0);
}

/* Where the flow alone would end, nobody would know why. */
static void
report_no_memory (GstCudaGray * self)
{
  GST_ELEMENT_ERROR (self, RESOURCE, NO_SPACE_LEFT,
      ("No memory for the frames."), (NULL));
}

/* The first plane of a frame as a buffer of its own, without a byte touched;
 * NULL where the plane does not lie in the buffer as it should, or upside
 * down, or its rows overlap, or lie otherwise than downstream must expect.  The
 * frame stays with it, so that its pool does not use it again. */
static GstBuffer *
hand_on (GstCudaGray * self, GstBuffer * frame)
{
  const LumaExtent extent[LUMA_PLANES] = { luma_plan_out_extent (&self->plan) };
  const GstVideoMeta *meta = gst_buffer_get_video_meta (frame);
  gsize begin = meta != NULL ? meta->offset[0] : self->in_info.offset[0];
  gint stride[GST_VIDEO_MAX_PLANES] = {
    meta != NULL ? meta->stride[0] : self->in_info.stride[0]
  };
  gsize offset[GST_VIDEO_MAX_PLANES] = { 0 };
  gsize size = (gsize) MAX (stride[0], 0) * self->plan.height;
  gsize rest = gst_buffer_get_size (frame) - MIN (begin,
      gst_buffer_get_size (frame));
  gchar *problem = NULL;
  GstBuffer *plane;

  if (!self->takes_strides && (stride[0] != self->out_info.stride[0] ||
          size != self->out_info.size || rest < size))
    return NULL;
  if (stride[0] < 0 || (gsize) stride[0] < extent[0].row_bytes ||
      !cuda_gray_frame_check (frame, &self->in_info, extent, &problem)) {
    g_free (problem);
    return NULL;
  }
  plane = gst_buffer_copy_region (frame, GST_BUFFER_COPY_MEMORY, begin,
      MIN (size, rest));
  if (plane == NULL)
    return NULL;
  /* As caps have it: a field's meta has the height of the frame. */
  gst_buffer_add_video_meta_full (plane, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_INFO_FORMAT (&self->out_info), self->plan.width,
      GST_VIDEO_INFO_HEIGHT (&self->out_info), 1, offset, stride);
  gst_buffer_add_parent_buffer_meta (plane, frame);
  return plane;
}

GstFlowReturn
gst_cuda_gray_prepare_output_buffer (GstBaseTransform * trans,
    GstBuffer * inbuf, GstBuffer ** outbuf)
{
  GstCudaGray *self = GST_CUDA_GRAY (trans);
  GstFlowReturn result;

  /* Memory of a GPU that hangs could not be freed again. */
  if (self->converter.lost)
    return cuda_gray_converter_refuse (&self->converter);
  self->handed_on = FALSE;
  if (self->is_plane && cuda_gray_cuda_memory_context (inbuf) == NULL) {
    *outbuf = hand_on (self, inbuf);
    self->handed_on = *outbuf != NULL;
  }
  if (self->handed_on) {
    PARENT_CLASS->copy_metadata (trans, inbuf, *outbuf);
    return GST_FLOW_OK;
  }
  result = PARENT_CLASS->prepare_output_buffer (trans, inbuf, outbuf);
  if (result == GST_FLOW_ERROR)
    report_no_memory (self);
  return result;
}

static GstBufferPool *
new_cuda_pool (GstCudaGray * self, GstQuery * query, guint min, guint * size)
{
  GstBufferPool *pool = NULL;
  GstCaps *caps;

  gst_query_parse_allocation (query, &caps, NULL);
  g_rec_mutex_lock (&self->context_lock);
  if (gst_cuda_gray_use_cuda_memory (self))
    pool = cuda_gray_cuda_pool_new (self->cuda_context, self->cuda_stream, caps,
        min, size);
  g_rec_mutex_unlock (&self->context_lock);
  return pool;
}

static gboolean
propose_cuda (GstCudaGray * self, GstQuery * query)
{
  GstBufferPool *pool;
  GstVideoInfo info;
  GstCaps *caps;
  guint size = 0;

  gst_query_parse_allocation (query, &caps, NULL);
  gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
  if (!gst_video_info_from_caps (&info, caps))
    return FALSE;
  if (!cuda_gray_cuda_pool_has (GST_VIDEO_INFO_FORMAT (&info)))
    return TRUE;
  pool = new_cuda_pool (self, query, 0, &size);
  if (pool != NULL)
    gst_query_add_allocation_pool (query, pool, size, 0, 0);
  gst_clear_object (&pool);
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
  if (pool == NULL) {
    report_no_memory (self);
    return FALSE;
  }
  if (offered)
    gst_query_set_nth_allocation_pool (query, 0, pool, size, min, 0);
  else
    gst_query_add_allocation_pool (query, pool, size, min, 0);
  gst_object_unref (pool);
  return TRUE;
}

/* NULL where the element is stopped: an ALLOCATION query of that moment is
 * still answered, and the base class would keep what it decides for good. */
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
  GstCudaGray *self = GST_CUDA_GRAY (trans);
  GstAllocator *allocator;
  guint min = 0;
  gboolean done;

  if (!PARENT_CLASS->propose_allocation (trans, decide_query, query))
    return FALSE;
  /* In passthrough downstream has answered. */
  if (decide_query == NULL)
    return TRUE;
  if (is_cuda_query (query))
    return propose_cuda (self, query);
  /* What downstream holds of frames that are handed on, it holds of these. */
  if (self->is_plane && gst_query_get_n_allocation_pools (decide_query) > 0)
    gst_query_parse_nth_allocation_pool (decide_query, 0, NULL, NULL, &min,
        NULL);
  allocator = gst_cuda_gray_ref_allocator (self);
  done = allocator != NULL &&
      cuda_gray_allocation_propose (query, allocator, min);
  gst_clear_object (&allocator);
  return done;
}

gboolean
gst_cuda_gray_decide_allocation (GstBaseTransform * trans, GstQuery * query)
{
  GstCudaGray *self = GST_CUDA_GRAY (trans);
  GstAllocator *allocator;
  gboolean done;

  self->takes_strides = gst_query_find_allocation_meta (query,
      GST_VIDEO_META_API_TYPE, NULL);
  if (is_cuda_query (query))
    return decide_cuda (self, query) &&
        PARENT_CLASS->decide_allocation (trans, query);
  allocator = gst_cuda_gray_ref_allocator (self);
  done = allocator != NULL && cuda_gray_allocation_decide (query, allocator) &&
      PARENT_CLASS->decide_allocation (trans, query);
  gst_clear_object (&allocator);
  return done;
}
