/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* The one file that knows GStreamer's CUDA library, beside the pool's. */

#include "config.h"

#include "cudamemory.h"

#include <dlfcn.h>
#include <gst/cuda/gstcudabufferpool.h>
#include <gst/cuda/gstcudacontext.h>
#include <gst/cuda/gstcudaloader.h>
#include <gst/cuda/gstcudamemory.h>
#include <gst/cuda/gstcudautils.h>

#include "cudagraypool.h"

/* What came with 1.24, of the library that is loaded; all NULL or none.  Its
 * GstCudaStream is a GstMiniObject. */
static struct
{
  gpointer (*memory_get_stream) (GstCudaMemory * memory);
  void (*memory_sync) (GstCudaMemory * memory);
  GstMiniObject *(*stream_new) (GstCudaContext * context);
  CUstream (*stream_get_handle) (gpointer stream);
  void (*config_set_stream) (GstStructure * config, gpointer stream);
} streams;

static void
find_streams (void)
{
  static const struct
  {
    const gchar *symbol;
    gpointer *function;
  } wanted[] = {
    {"gst_cuda_memory_get_stream", (gpointer *) & streams.memory_get_stream},
    {"gst_cuda_memory_sync", (gpointer *) & streams.memory_sync},
    {"gst_cuda_stream_new", (gpointer *) & streams.stream_new},
    {"gst_cuda_stream_get_handle", (gpointer *) & streams.stream_get_handle},
    {"gst_buffer_pool_config_set_cuda_stream",
        (gpointer *) & streams.config_set_stream},
  };

  /* This library links to it, so that it is there and stays. */
  gpointer library = dlopen ("libgstcuda-1.0.so.0", RTLD_LAZY | RTLD_NOLOAD);

  for (guint i = 0; library != NULL && i < G_N_ELEMENTS (wanted); i++) {
    *wanted[i].function = dlsym (library, wanted[i].symbol);
    if (*wanted[i].function == NULL) {
      memset (&streams, 0, sizeof streams);
      break;
    }
  }
  if (library != NULL)
    dlclose (library);
}

gboolean
cuda_gray_cuda_memory_init (void)
{
  static gsize state = 0;       /* 1: there is none, 2: there is */

  if (g_once_init_enter (&state)) {
    gboolean loaded = gst_cuda_load_library ();

    if (loaded) {
      gst_cuda_memory_init_once ();
      find_streams ();
    }
    g_once_init_leave (&state, loaded ? 2 : 1);
  }
  return state == 2;
}

static GstCudaMemory *
the_memory (GstBuffer * buffer)
{
  GstMemory *memory;

  if (gst_buffer_n_memory (buffer) != 1)
    return NULL;
  memory = gst_buffer_peek_memory (buffer, 0);
  return gst_is_cuda_memory (memory) ? GST_CUDA_MEMORY_CAST (memory) : NULL;
}

GstCudaContext *
cuda_gray_cuda_memory_context (GstBuffer * buffer)
{
  GstCudaMemory *memory = the_memory (buffer);

  return memory != NULL ? memory->context : NULL;
}

const GstVideoInfo *
cuda_gray_cuda_memory_info (GstBuffer * buffer)
{
  GstCudaMemory *memory = the_memory (buffer);

  return memory != NULL ? &memory->info : NULL;
}

/* Before 1.24 the memory may still be the target of a copy within the GPU's
 * memory, which gst_memory_copy does not wait for, on the context's default
 * stream. */
void
cuda_gray_cuda_memory_finish (GstCudaMemory * memory)
{
  if (streams.memory_sync != NULL) {
    streams.memory_sync (memory);
  } else if (gst_cuda_context_push (memory->context)) {
    gst_cuda_result (CuStreamSynchronize (NULL));
    gst_cuda_context_pop (NULL);
  }
}

gpointer
cuda_gray_cuda_memory_stream (GstBuffer * buffer, GstCudaContext * context)
{
  GstCudaMemory *memory = the_memory (buffer);

  if (memory == NULL)
    return NULL;
  if (memory->context != context) {
    cuda_gray_cuda_memory_finish (memory);
    return NULL;
  }
  return streams.memory_get_stream != NULL ?
      streams.stream_get_handle (streams.memory_get_stream (memory)) : NULL;
}

gpointer
cuda_gray_cuda_context_handle (GstCudaContext * context, gint * device)
{
  guint id;

  g_object_get (context, "cuda-device-id", &id, NULL);
  *device = (gint) id;
  return gst_cuda_context_get_handle (context);
}

gboolean
cuda_gray_cuda_context_ensure (GstElement * element, gint device_id,
    GstCudaContext ** context)
{
  return cuda_gray_cuda_memory_init () &&
      gst_cuda_ensure_element_context (element, device_id, context);
}

void
cuda_gray_cuda_context_set (GstElement * element, GstContext * offered,
    gint device_id, GstCudaContext ** context)
{
  if (cuda_gray_cuda_memory_init ())
    gst_cuda_handle_set_context (element, offered, device_id, context);
}

gboolean
cuda_gray_cuda_context_query (GstElement * element, GstQuery * query,
    GstCudaContext * context)
{
  return gst_cuda_handle_context_query (element, query, context);
}

gboolean
cuda_gray_cuda_has_streams (void)
{
  return streams.stream_new != NULL;
}

GstMiniObject *
cuda_gray_cuda_stream_new (GstCudaContext * context)
{
  return cuda_gray_cuda_has_streams () ? streams.stream_new (context) : NULL;
}

gboolean
cuda_gray_cuda_pool_has (GstVideoFormat format)
{
  /* From 1.24 on a pool that lacks one says so. */
  if (cuda_gray_cuda_has_streams ())
    return TRUE;
  switch (format) {
    case GST_VIDEO_FORMAT_VUYA:
    case GST_VIDEO_FORMAT_P012_LE:
    case GST_VIDEO_FORMAT_I420_12LE:
    case GST_VIDEO_FORMAT_Y444_10LE:
    case GST_VIDEO_FORMAT_Y444_12LE:
      return FALSE;
    default:
      return TRUE;
  }
}

GstBufferPool *
cuda_gray_cuda_pool_new (GstCudaContext * context, GstMiniObject * stream,
    GstCaps * caps, guint min, guint * size)
{
  GstBufferPool *pool;
  GstStructure *config;
  GstVideoInfo info;
  gboolean done;

  if (!gst_video_info_from_caps (&info, caps) || info.size > G_MAXUINT)
    return NULL;
  /* GStreamer's has no GRAY8, and that of 1.22 aborts the process. */
  pool = GST_VIDEO_INFO_IS_GRAY (&info) ?
      cuda_gray_pool_new (context, stream) : gst_cuda_buffer_pool_new (context);
  config = gst_buffer_pool_get_config (pool);
  gst_buffer_pool_config_set_params (config, caps, info.size, min, 0);
  gst_buffer_pool_config_add_option (config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  if (stream != NULL && !GST_VIDEO_INFO_IS_GRAY (&info))
    streams.config_set_stream (config, stream);
  done = gst_buffer_pool_set_config (pool, config);
  if (!done) {
    gst_object_unref (pool);
    return NULL;
  }
  /* The pool has put its own size there, with the pitch of its rows. */
  config = gst_buffer_pool_get_config (pool);
  gst_buffer_pool_config_get_params (config, NULL, size, NULL, NULL);
  gst_structure_free (config);
  return pool;
}
