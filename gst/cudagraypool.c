/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#include "config.h"

#include "cudagraypool.h"

#include <gst/cuda/cuda-gst.h>
#include <gst/cuda/gstcudacontext.h>
#include <gst/cuda/gstcudamemory.h>

struct _CudaGrayPool
{
  GstBufferPool parent;
  GstAllocator *allocator;
  GstCudaContext *context;
  GstMiniObject *stream;
  GstVideoInfo info;            /* as caps have it */
};

G_DEFINE_TYPE (CudaGrayPool, cuda_gray_pool, GST_TYPE_BUFFER_POOL);

static guint
row_bytes (const GstVideoInfo * info)
{
  return info->width * GST_VIDEO_INFO_COMP_PSTRIDE (info, 0);
}

/* The allocator has no gray format in any release, but it has formats of 4
 * bytes a pixel: a quarter as many as the row has bytes hold it.  The frame is
 * described as what it is afterwards.
 *
 * 1.24 gave gst_cuda_allocator_alloc a stream, under the same name in the same
 * library: which one it is, is known at run time alone. */
static GstMemory *
alloc (GstAllocator * allocator, GstCudaContext * context, gpointer stream,
    const GstVideoInfo * info)
{
  typedef GstMemory *(*Alloc_1_22) (GstCudaAllocator *, GstCudaContext *,
      const GstVideoInfo *);
  typedef GstMemory *(*Alloc_1_24) (GstCudaAllocator *, GstCudaContext *,
      gpointer, const GstVideoInfo *);
  gpointer function = (gpointer) gst_cuda_allocator_alloc;
  GstVideoInfo carrier;
  GstCudaMemory *memory;

  gst_video_info_set_format (&carrier, GST_VIDEO_FORMAT_RGBx,
      (row_bytes (info) + 3) / 4, info->height);
  memory = (GstCudaMemory *) (cuda_gray_cuda_has_streams ()?
      ((Alloc_1_24) function) (GST_CUDA_ALLOCATOR_CAST (allocator), context,
          stream, &carrier) :
      ((Alloc_1_22) function) (GST_CUDA_ALLOCATOR_CAST (allocator), context,
          &carrier));
  if (memory != NULL) {
    carrier = memory->info;
    memory->info = *info;
    memory->info.stride[0] = carrier.stride[0];
    memory->info.size = carrier.size;
  }
  return GST_MEMORY_CAST (memory);
}

/* Both are of one size and pitch. */
static gboolean
copy_bytes (GstCudaMemory * from, GstCudaMemory * to)
{
  CUDA_MEMCPY2D copy = {
    .srcMemoryType = CU_MEMORYTYPE_DEVICE,
    .dstMemoryType = CU_MEMORYTYPE_DEVICE,
    .srcPitch = from->info.stride[0],
    .dstPitch = to->info.stride[0],
    .WidthInBytes = row_bytes (&from->info),
    .Height = from->info.height,
  };
  GstMapInfo in, out;
  gboolean done = FALSE;

  if (!gst_memory_map (GST_MEMORY_CAST (from), &in,
          GST_MAP_READ | CUDA_GRAY_MAP_CUDA))
    return FALSE;
  /* The map may have begun an upload. */
  cuda_gray_cuda_memory_finish (from);
  if (gst_memory_map (GST_MEMORY_CAST (to), &out,
          GST_MAP_WRITE | CUDA_GRAY_MAP_CUDA)) {
    copy.srcDevice = (CUdeviceptr) (guintptr) in.data;
    copy.dstDevice = (CUdeviceptr) (guintptr) out.data;
    if (gst_cuda_context_push (from->context)) {
      /* Within the device it need not wait by itself. */
      done = CuMemcpy2D (&copy) == CUDA_SUCCESS &&
          CuStreamSynchronize (NULL) == CUDA_SUCCESS;
      gst_cuda_context_pop (NULL);
    }
    gst_memory_unmap (GST_MEMORY_CAST (to), &out);
  }
  gst_memory_unmap (GST_MEMORY_CAST (from), &in);
  return done;
}

/* GStreamer's own allocates by the memory's info, and aborts the process for
 * gray; every sink copies its last frame when caps change.  Like that one it
 * copies all, whatever the part that is asked for. */
static GstMemory *
copy_memory (GstMemory * memory, gssize offset, gssize size)
{
  GstCudaMemory *from = (GstCudaMemory *) memory;
  GstMemory *to = alloc (memory->allocator, from->context, NULL, &from->info);

  if (to != NULL && !copy_bytes (from, (GstCudaMemory *) to))
    g_clear_pointer (&to, gst_memory_unref);
  return to;
}

static GstFlowReturn
cuda_gray_pool_alloc_buffer (GstBufferPool * pool, GstBuffer ** buffer,
    GstBufferPoolAcquireParams * params)
{
  CudaGrayPool *self = CUDA_GRAY_POOL (pool);
  GstMemory *memory = alloc (self->allocator, self->context, self->stream,
      &self->info);
  GstVideoInfo *info;

  if (memory == NULL) {
    GST_ERROR_OBJECT (self, "no CUDA memory for a frame of %dx%d",
        self->info.width, self->info.height);
    return GST_FLOW_ERROR;
  }
  info = &((GstCudaMemory *) memory)->info;
  *buffer = gst_buffer_new ();
  gst_buffer_append_memory (*buffer, memory);
  gst_buffer_add_video_meta_full (*buffer, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_INFO_FORMAT (info), info->width, info->height, 1, info->offset,
      info->stride);
  return GST_FLOW_OK;
}

/* The true size is known once there is a frame. */
static gboolean
cuda_gray_pool_set_config (GstBufferPool * pool, GstStructure * config)
{
  CudaGrayPool *self = CUDA_GRAY_POOL (pool);
  GstCaps *caps = NULL;
  GstMemory *probe;
  guint min, max;

  if (!gst_buffer_pool_config_get_params (config, &caps, NULL, &min, &max) ||
      caps == NULL || !gst_video_info_from_caps (&self->info, caps))
    return FALSE;
  probe = alloc (self->allocator, self->context, self->stream, &self->info);
  if (probe == NULL)
    return FALSE;
  gst_buffer_pool_config_set_params (config, caps, probe->size, min, max);
  gst_memory_unref (probe);
  return GST_BUFFER_POOL_CLASS (cuda_gray_pool_parent_class)
      ->set_config (pool, config);
}

static const gchar **
cuda_gray_pool_get_options (GstBufferPool * pool)
{
  static const gchar *options[] = { GST_BUFFER_POOL_OPTION_VIDEO_META, NULL };

  return options;
}

static void
cuda_gray_pool_finalize (GObject * object)
{
  CudaGrayPool *self = CUDA_GRAY_POOL (object);

  /* Before the context: the stream is destroyed in it. */
  gst_clear_mini_object (&self->stream);
  gst_clear_object (&self->context);
  gst_clear_object (&self->allocator);
  G_OBJECT_CLASS (cuda_gray_pool_parent_class)->finalize (object);
}

static void
cuda_gray_pool_class_init (CudaGrayPoolClass * klass)
{
  GstBufferPoolClass *pool_class = GST_BUFFER_POOL_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = cuda_gray_pool_finalize;
  pool_class->get_options = cuda_gray_pool_get_options;
  pool_class->set_config = cuda_gray_pool_set_config;
  pool_class->alloc_buffer = cuda_gray_pool_alloc_buffer;
}

static void
cuda_gray_pool_init (CudaGrayPool * self)
{
  /* One more of GStreamer's own kind, but for how it copies. */
  self->allocator = g_object_new (GST_TYPE_CUDA_ALLOCATOR, NULL);
  gst_object_ref_sink (self->allocator);
  self->allocator->mem_copy = copy_memory;
}

GstBufferPool *
cuda_gray_pool_new (GstCudaContext * context, GstMiniObject * stream)
{
  CudaGrayPool *self = g_object_new (GST_TYPE_CUDA_GRAY_POOL, NULL);

  gst_object_ref_sink (self);
  self->context = gst_object_ref (context);
  if (stream != NULL)
    self->stream = gst_mini_object_ref (stream);
  return GST_BUFFER_POOL (self);
}
