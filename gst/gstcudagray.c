/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/**
 * SECTION:element-cudagray
 * @title: cudagray
 *
 * Converts RGB and YUV video to GRAY8 or GRAY16 on an NVIDIA GPU.  Where there
 * is no usable GPU, it gives the very same bytes from the CPU.
 *
 * ## Example launch line
 * |[
 * gst-launch-1.0 videotestsrc ! video/x-raw,format=RGB ! cudagray ! videoconvert ! autovideosink
 * ]|
 * Shows the test picture in gray.
 *
 * Of YUV the Y is read alone: the output has the input's matrix, and full range
 * unless the output caps ask for limited.  Where they ask for another matrix,
 * chroma is read as well, each sample for the pixels that share it, and the
 * output is the luma that the exact colour has in that matrix.
 *
 * From RGB the output is the luma of the matrix and range that the output caps
 * name, bt601 and full range if they name none, computed exactly and rounded
 * half up.  Limited-range RGB (range 2 in the input's colorimetry) is converted
 * to the output's range.  Alpha is ignored: colours are taken as they are, not
 * un-premultiplied or blended.  Gray input of the output's format and range
 * passes through untouched, and so does a Y plane that is the output as it is.
 *
 * A buffer that is too short for its frame is dropped, with one warning for
 * the first of a row; ten in a row are an error.
 *
 * With frames in the GPU's memory (memory:CUDAMemory) on one pad or on both, it
 * shares the CUDA context of the pipeline like GStreamer's own CUDA elements.
 *
 * |[
 * gst-launch-1.0 videotestsrc ! video/x-raw,format=RGB ! cudaupload ! cudagray ! video/x-raw,format=GRAY8 ! jpegenc ! fakesink
 * ]|
 * Converts on the GPU, where the frames are, and downloads the gray alone.
 *
 * The #GstCudaGray:stats property tells which backend is at work, and by which
 * path the frames went.
 *
 * Since: 0.1
 */

#include "config.h"

#include "gstcudagray-private.h"

#include "caps.h"
#include "gstcudagrayallocator.h"

GST_DEBUG_CATEGORY (gst_cuda_gray_debug);
#define GST_CAT_DEFAULT gst_cuda_gray_debug

enum
{
  PROP_0,
  PROP_BACKEND,
  PROP_CUDA_DEVICE_ID,
  PROP_STATS,
  N_PROPS
};

#define DEFAULT_BACKEND GST_CUDA_GRAY_BACKEND_AUTO
#define DEFAULT_CUDA_DEVICE_ID -1

static GParamSpec *props[N_PROPS];

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (CUDA_GRAY_SINK_CAPS));

static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS (CUDA_GRAY_SRC_CAPS));

G_DEFINE_TYPE_WITH_CODE (GstCudaGray, gst_cuda_gray, GST_TYPE_BASE_TRANSFORM,
    GST_DEBUG_CATEGORY_INIT (gst_cuda_gray_debug, "cudagray", 0,
        "RGB and YUV to gray conversion"));
GST_ELEMENT_REGISTER_DEFINE (cudagray, "cudagray", GST_RANK_NONE,
    GST_TYPE_CUDA_GRAY);

static void
gst_cuda_gray_set_property (GObject * object, guint id, const GValue * value,
    GParamSpec * pspec)
{
  GstCudaGray *self = GST_CUDA_GRAY (object);

  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_BACKEND:
      self->backend = g_value_get_enum (value);
      break;
    case PROP_CUDA_DEVICE_ID:
      self->device_id = g_value_get_int (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      break;
  }
  GST_OBJECT_UNLOCK (self);
}

static void
gst_cuda_gray_get_property (GObject * object, guint id, GValue * value,
    GParamSpec * pspec)
{
  GstCudaGray *self = GST_CUDA_GRAY (object);

  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_BACKEND:
      g_value_set_enum (value, self->backend);
      break;
    case PROP_CUDA_DEVICE_ID:
      g_value_set_int (value, self->device_id);
      break;
    case PROP_STATS:
      g_value_take_boxed (value, cuda_gray_stats_to_structure (&self->stats));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      break;
  }
  GST_OBJECT_UNLOCK (self);
}

static gboolean
gst_cuda_gray_start (GstBaseTransform * trans)
{
  GstCudaGray *self = GST_CUDA_GRAY (trans);
  GstCudaGrayBackend backend;
  gint device_id;

  GST_OBJECT_LOCK (self);
  backend = self->backend;
  device_id = self->device_id;
  cuda_gray_stats_init (&self->stats);
  GST_OBJECT_UNLOCK (self);

  if (!cuda_gray_converter_open (&self->converter, GST_ELEMENT (self), backend,
          device_id))
    return FALSE;
  GST_OBJECT_LOCK (self);
  self->allocator = gst_cuda_gray_allocator_new (self->converter.device >= 0);
  self->cuda_memory = self->converter.device >= 0 &&
      cuda_gray_cuda_memory_init ();
  GST_OBJECT_UNLOCK (self);
  g_rec_mutex_lock (&self->context_lock);
  self->started = TRUE;
  g_rec_mutex_unlock (&self->context_lock);
  self->bad_frames = 0;
  self->warned_colorimetry = FALSE;
  gst_cuda_gray_show_backend (self);
  return TRUE;
}

static gboolean
gst_cuda_gray_stop (GstBaseTransform * trans)
{
  GstCudaGray *self = GST_CUDA_GRAY (trans);
  GstStructure *stats;

  /* An ALLOCATION query on another thread may be about to use the context. */
  g_rec_mutex_lock (&self->context_lock);
  self->started = FALSE;
  cuda_gray_converter_close (&self->converter);
  gst_clear_mini_object (&self->cuda_stream);
  gst_clear_object (&self->cuda_context);
  gst_cuda_gray_show_context (self);
  GST_OBJECT_LOCK (self);
  gst_clear_object (&self->allocator);
  self->cuda_memory = TRUE;
  stats = cuda_gray_stats_to_structure (&self->stats);
  GST_OBJECT_UNLOCK (self);
  g_rec_mutex_unlock (&self->context_lock);
  /* The counts of the run that has ended stay to be read. */
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_STATS]);
  GST_INFO_OBJECT (self, "%" GST_PTR_FORMAT, stats);
  gst_structure_free (stats);
  return TRUE;
}

/* Free blocks of memory are kept for the next stream while an element may have
 * one.  On the way down pools have let go of theirs by then. */
static GstStateChangeReturn
gst_cuda_gray_change_state (GstElement * element, GstStateChange transition)
{
  GstStateChangeReturn result;

  if (transition == GST_STATE_CHANGE_NULL_TO_READY)
    gpu_blocks_keep ();
  result = GST_ELEMENT_CLASS (gst_cuda_gray_parent_class)
      ->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_READY_TO_NULL ||
      (transition == GST_STATE_CHANGE_NULL_TO_READY &&
          result == GST_STATE_CHANGE_FAILURE))
    gpu_blocks_release ();
  return result;
}

/* The counts of a stream that ends; gst-launch -v listens no longer when the
 * element stops. */
static gboolean
gst_cuda_gray_sink_event (GstBaseTransform * trans, GstEvent * event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS)
    g_object_notify_by_pspec (G_OBJECT (trans), props[PROP_STATS]);
  return GST_BASE_TRANSFORM_CLASS (gst_cuda_gray_parent_class)
      ->sink_event (trans, event);
}

/* All that downstream supports may reach upstream, but crop: the whole frame
 * is converted. */
static gboolean
gst_cuda_gray_filter_meta (GstBaseTransform * trans, GstQuery * query,
    GType api, const GstStructure * params)
{
  return api != GST_VIDEO_CROP_META_API_TYPE;
}

/* The picture keeps its size and orientation, so that metas about these stay
 * true; those about colours may not. */
static gboolean
gst_cuda_gray_transform_meta (GstBaseTransform * trans, GstBuffer * outbuf,
    GstMeta * meta, GstBuffer * inbuf)
{
  const gchar *const *tags = gst_meta_api_type_get_tags (meta->info->api);

  for (; tags != NULL && *tags != NULL; tags++) {
    if (g_strcmp0 (*tags, GST_META_TAG_VIDEO_STR) != 0 &&
        g_strcmp0 (*tags, GST_META_TAG_VIDEO_SIZE_STR) != 0 &&
        g_strcmp0 (*tags, GST_META_TAG_VIDEO_ORIENTATION_STR) != 0)
      return FALSE;
  }
  return TRUE;
}

/* Given a context, an element need not have been started. */
static void
gst_cuda_gray_finalize (GObject * object)
{
  GstCudaGray *self = GST_CUDA_GRAY (object);

  gst_clear_object (&self->shown_context);
  gst_clear_object (&self->cuda_context);
  g_rec_mutex_clear (&self->context_lock);
  G_OBJECT_CLASS (gst_cuda_gray_parent_class)->finalize (object);
}

static void
gst_cuda_gray_class_init (GstCudaGrayClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);

  object_class->set_property = gst_cuda_gray_set_property;
  object_class->get_property = gst_cuda_gray_get_property;
  object_class->finalize = gst_cuda_gray_finalize;

  /**
   * GstCudaGray:backend:
   *
   * Where frames are converted.  With auto, a GPU that is missing or that
   * fails is replaced by the CPU, which also takes what it is better at: small
   * frames, and frames that the GPU can't reach.  With cuda the GPU does them
   * all, and its failure is an error.
   */
  props[PROP_BACKEND] = g_param_spec_enum ("backend", "Backend",
      "Where frames are converted", GST_TYPE_CUDA_GRAY_BACKEND,
      DEFAULT_BACKEND, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
      GST_PARAM_MUTABLE_READY);
  /**
   * GstCudaGray:cuda-device-id:
   *
   * The CUDA device to use.  -1 is the first one or, with frames in the GPU's
   * memory, theirs.  A device that does not exist where others do is an error,
   * with backend=auto too.
   */
  props[PROP_CUDA_DEVICE_ID] = g_param_spec_int ("cuda-device-id",
      "CUDA device ID", "The CUDA device to use (-1 = automatic: the first, or "
      "that of frames in the GPU's memory)", -1,
      G_MAXINT, DEFAULT_CUDA_DEVICE_ID, G_PARAM_READWRITE |
      G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY);
  /**
   * GstCudaGray:stats:
   *
   * Frames by path, bytes, failures, and the backend and device in use, since
   * the element was started.  Notified when the backend is opened or changes,
   * at the end of the stream, and when the element stops.
   */
  props[PROP_STATS] = g_param_spec_boxed ("stats", "Statistics",
      "Frames by path, bytes, failovers, backend and device in use",
      GST_TYPE_STRUCTURE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, props);

  gst_element_class_set_static_metadata (element_class,
      "CUDA video to gray converter",
      "Filter/Converter/Video/Colorspace/Hardware",
      "Converts RGB and YUV video to gray on an NVIDIA GPU, or on the CPU with "
      "the same bytes", "the cudagray authors");
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_type_mark_as_plugin_api (GST_TYPE_CUDA_GRAY_BACKEND, 0);

  element_class->change_state = GST_DEBUG_FUNCPTR (gst_cuda_gray_change_state);
  element_class->set_context = GST_DEBUG_FUNCPTR (gst_cuda_gray_set_context);
  trans_class->passthrough_on_same_caps = FALSE;
  trans_class->transform_ip_on_passthrough = TRUE;
  trans_class->start = GST_DEBUG_FUNCPTR (gst_cuda_gray_start);
  trans_class->stop = GST_DEBUG_FUNCPTR (gst_cuda_gray_stop);
  trans_class->sink_event = GST_DEBUG_FUNCPTR (gst_cuda_gray_sink_event);
  trans_class->query = GST_DEBUG_FUNCPTR (gst_cuda_gray_query);
  trans_class->before_transform =
      GST_DEBUG_FUNCPTR (gst_cuda_gray_before_transform);
  trans_class->transform_caps =
      GST_DEBUG_FUNCPTR (gst_cuda_gray_transform_caps);
  trans_class->fixate_caps = GST_DEBUG_FUNCPTR (gst_cuda_gray_fixate_caps);
  trans_class->get_unit_size = GST_DEBUG_FUNCPTR (gst_cuda_gray_get_unit_size);
  trans_class->set_caps = GST_DEBUG_FUNCPTR (gst_cuda_gray_set_caps);
  trans_class->propose_allocation =
      GST_DEBUG_FUNCPTR (gst_cuda_gray_propose_allocation);
  trans_class->decide_allocation =
      GST_DEBUG_FUNCPTR (gst_cuda_gray_decide_allocation);
  trans_class->filter_meta = GST_DEBUG_FUNCPTR (gst_cuda_gray_filter_meta);
  trans_class->transform_meta =
      GST_DEBUG_FUNCPTR (gst_cuda_gray_transform_meta);
  trans_class->transform_ip = GST_DEBUG_FUNCPTR (gst_cuda_gray_transform_ip);
  trans_class->prepare_output_buffer =
      GST_DEBUG_FUNCPTR (gst_cuda_gray_prepare_output_buffer);
  trans_class->transform = GST_DEBUG_FUNCPTR (gst_cuda_gray_transform);
}

static void
gst_cuda_gray_init (GstCudaGray * self)
{
  self->backend = DEFAULT_BACKEND;
  self->device_id = DEFAULT_CUDA_DEVICE_ID;
  self->cuda_memory = TRUE;
  g_rec_mutex_init (&self->context_lock);
  cuda_gray_stats_init (&self->stats);
  gst_base_transform_set_in_place (GST_BASE_TRANSFORM (self), FALSE);
  gst_base_transform_set_gap_aware (GST_BASE_TRANSFORM (self), TRUE);
}
