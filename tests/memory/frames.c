/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#include "frames.h"

#include <gst/check/gstharness.h>
#include <gst/cuda/gstcudabufferpool.h>
#include <string.h>

#include "calls.h"

const gchar *const frames_formats[FRAMES_N_FORMATS] = {
  "RGB", "BGR", "RGBx", "BGRx", "RGBA", "BGRA", "ARGB", "ABGR", "GBR", "GBRA",
  "RGBP", "BGRP",
  "RGB10A2_LE", "BGR10A2_LE",
  "I420", "YV12", "NV12", "NV21", "Y42B", "Y444", "YUY2", "UYVY", "VUYA",
  "P010_10LE", "P012_LE", "P016_LE", "I420_10LE", "I420_12LE", "I422_10LE",
  "I422_12LE", "Y444_10LE", "Y444_12LE", "Y444_16LE"
};

gboolean
frames_have (const gchar * format)
{
  GstElementFactory *factory = gst_element_factory_find ("cudaupload");
  GstCaps *caps = frames_caps ("(memory:CUDAMemory)", format, 5, 3);
  gboolean have = gst_element_factory_can_src_any_caps (factory, caps);

  gst_caps_unref (caps);
  gst_object_unref (factory);
  return have;
}

GstCaps *
frames_caps (const gchar * features, const gchar * format, gint width,
    gint height)
{
  gchar *text = g_strdup_printf ("video/x-raw%s, format=%s, width=%d, "
      "height=%d, framerate=30/1", features, format, width, height);
  GstCaps *caps = gst_caps_from_string (text);

  fail_unless (caps != NULL, "bad caps %s", text);
  g_free (text);
  return caps;
}

GstBuffer *
frames_fill (GstBuffer * buffer, guint32 seed)
{
  GRand *random = g_rand_new_with_seed (seed);
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  for (gsize i = 0; i < map.size; i += 4) {
    guint32 bytes = g_rand_int (random);

    memcpy (map.data + i, &bytes, MIN (4, map.size - i));
  }
  gst_buffer_unmap (buffer, &map);
  g_rand_free (random);
  return buffer;
}

void
frames_tighten (GstBuffer * buffer, GstCaps * caps)
{
  gsize offset[GST_VIDEO_MAX_PLANES] = { 0 }, at = 0;
  gint stride[GST_VIDEO_MAX_PLANES] = { 0 };
  GstVideoInfo info;

  fail_unless (gst_video_info_from_caps (&info, caps));
  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (&info); p++) {
    offset[p] = at;
    stride[p] = GST_VIDEO_INFO_WIDTH (&info) *
        GST_VIDEO_INFO_COMP_PSTRIDE (&info, p);
    at += (gsize) stride[p] * GST_VIDEO_INFO_HEIGHT (&info);
  }
  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_INFO_FORMAT (&info), GST_VIDEO_INFO_WIDTH (&info),
      GST_VIDEO_INFO_HEIGHT (&info), GST_VIDEO_INFO_N_PLANES (&info), offset,
      stride);
}

GstBuffer *
frames_new (GstCaps * caps, gboolean tight, guint32 seed)
{
  GstVideoInfo info;
  GstBuffer *buffer;

  fail_unless (gst_video_info_from_caps (&info, caps));
  buffer = frames_fill (gst_buffer_new_allocate (NULL, info.size, NULL), seed);
  if (tight)
    frames_tighten (buffer, caps);
  return buffer;
}

static void
activate (GstBufferPool * pool, GstCaps * caps, guint size)
{
  GstStructure *config = gst_buffer_pool_get_config (pool);

  gst_buffer_pool_config_set_params (config, caps, size, 0, 0);
  gst_buffer_pool_config_add_option (config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  fail_unless (gst_buffer_pool_set_config (pool, config));
  fail_unless (gst_buffer_pool_set_active (pool, TRUE));
}

GstBuffer *
frames_acquire (GstBufferPool * pool)
{
  GstBuffer *buffer = NULL;

  fail_unless_equals_int (gst_buffer_pool_acquire_buffer (pool, &buffer, NULL),
      GST_FLOW_OK);
  return buffer;
}

void
frames_pool_free (GstBufferPool * pool)
{
  fail_unless (gst_buffer_pool_set_active (pool, FALSE));
  gst_object_unref (pool);
}

GstBuffer *
frames_new_for (GstPad * pad, GstCaps * caps, guint32 seed)
{
  GstQuery *query = gst_query_new_allocation (caps, TRUE);
  GstBufferPool *pool = NULL;
  GstBuffer *buffer;
  guint size;

  fail_unless (gst_pad_peer_query (pad, query));
  fail_unless (gst_query_get_n_allocation_pools (query) > 0);
  gst_query_parse_nth_allocation_pool (query, 0, &pool, &size, NULL, NULL);
  fail_unless (pool != NULL);
  gst_query_unref (query);
  activate (pool, caps, size);
  buffer = frames_fill (frames_acquire (pool), seed);
  frames_pool_free (pool);
  return buffer;
}

GstBufferPool *
frames_pool (GstCudaContext * context, GstCaps * caps)
{
  GstBufferPool *pool;
  GstVideoInfo info;
  guint size;

  fail_unless (gst_video_info_from_caps (&info, caps));
  if (GST_VIDEO_INFO_IS_GRAY (&info)) {
    pool = cuda_gray_cuda_pool_new (context, NULL, caps, 0, &size);
    fail_unless (gst_buffer_pool_set_active (pool, TRUE));
  } else {
    pool = gst_cuda_buffer_pool_new (context);
    activate (pool, caps, info.size);
  }
  return pool;
}

GBytes *
frames_rows (GstBuffer * buffer, GstCaps * caps)
{
  GstVideoFrame frame;
  GstVideoInfo info;
  guint8 *rows;
  gsize size;

  fail_unless (gst_video_info_from_caps (&info, caps));
  fail_unless_equals_int (GST_VIDEO_INFO_COMP_POFFSET (&info, 0), 0);
  fail_unless (gst_video_frame_map (&frame, &info, buffer, GST_MAP_READ));
  size = (gsize) info.width * GST_VIDEO_INFO_COMP_PSTRIDE (&info, 0);
  rows = g_malloc (size * info.height);
  for (gint y = 0; y < info.height; y++)
    memcpy (rows + y * size,
        (guint8 *) GST_VIDEO_FRAME_PLANE_DATA (&frame, 0) +
        (gssize) y * GST_VIDEO_FRAME_PLANE_STRIDE (&frame, 0), size);
  gst_video_frame_unmap (&frame);
  return g_bytes_new_take (rows, size * info.height);
}

GBytes *
frames_on_cpu (GstBuffer * buffer, GstCaps * caps, const gchar * colorimetry)
{
  return frames_on_cpu_as (buffer, caps, "GRAY8", colorimetry);
}

GBytes *
frames_on_cpu_as (GstBuffer * buffer, GstCaps * caps, const gchar * format,
    const gchar * colorimetry)
{
  GstHarness *harness = gst_harness_new_parse ("cudagray backend=cpu");
  gchar *filter = g_strdup_printf ("video/x-raw, format=%s%s%s", format,
      colorimetry != NULL ? ", colorimetry=(string)" : "",
      colorimetry != NULL ? colorimetry : "");
  GstCaps *system = gst_caps_copy (caps), *gray;
  GstBuffer *out;
  GBytes *rows;

  gst_caps_set_features (system, 0, NULL);
  gst_harness_set_sink_caps_str (harness, filter);
  gst_harness_set_src_caps (harness, system);
  fail_unless_equals_int (gst_harness_push (harness, gst_buffer_ref (buffer)),
      GST_FLOW_OK);
  out = gst_harness_pull (harness);
  gray = gst_pad_get_current_caps (harness->sinkpad);
  rows = frames_rows (out, gray);
  gst_caps_unref (gray);
  gst_buffer_unref (out);
  gst_harness_teardown (harness);
  g_free (filter);
  return rows;
}

GstCudaMemory *
frames_memory (GstBuffer * buffer)
{
  GstMemory *memory = gst_buffer_peek_memory (buffer, 0);

  fail_unless_equals_int (gst_buffer_n_memory (buffer), 1);
  fail_unless (gst_is_cuda_memory (memory), "memory of %s",
      memory->allocator->mem_type);
  return GST_CUDA_MEMORY_CAST (memory);
}

/* From GStreamer 1.24 on work may be under way on the memory's own stream;
 * before, what is not finished is to be seen. */
static void
end_work (GstCudaMemory * memory)
{
  if (cuda_gray_cuda_has_streams ())
    cuda_gray_cuda_memory_finish (memory);
}

/* Through a stream that waits for no other of its context. */
static GBytes *
on_device (GstBuffer * buffer)
{
  GstCudaMemory *memory = frames_memory (buffer);
  const GstVideoMeta *meta = gst_buffer_get_video_meta (buffer);
  gsize offset = meta != NULL ? meta->offset[0] : memory->info.offset[0];
  gint stride = meta != NULL ? meta->stride[0] : memory->info.stride[0];
  gsize width = (meta != NULL ? meta->width : (guint) memory->info.width) *
      GST_VIDEO_INFO_COMP_PSTRIDE (&memory->info, 0);
  gsize height = meta != NULL ? meta->height : (guint) memory->info.height;
  guint8 *rows = g_malloc0 (width * height);
  cudaStream_t stream;
  cudaError_t error;
  GstMapInfo map;

  end_work (memory);
  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ | GST_MAP_CUDA));
  /* From 1.24 on this may begin an upload. */
  end_work (memory);
  fail_unless (gst_cuda_context_push (memory->context));
  fail_unless_equals_int (gpu_calls->StreamCreate (&stream,
          cudaStreamNonBlocking), cudaSuccess);
  fail_unless_equals_int (gpu_calls->Memcpy2DAsync (rows, width,
          map.data + offset, stride, width, height, cudaMemcpyDefault, stream),
      cudaSuccess);
  while ((error = gpu_calls->StreamQuery (stream)) == cudaErrorNotReady);
  fail_unless_equals_int (error, cudaSuccess);
  fail_unless_equals_int (gpu_calls->StreamDestroy (stream), cudaSuccess);
  fail_unless (gst_cuda_context_pop (NULL));
  gst_buffer_unmap (buffer, &map);
  return g_bytes_new_take (rows, width * height);
}

/* Takes got. */
static void
compare (GBytes * got, GBytes * expected, GstCaps * caps, const gchar * how)
{
  const guint8 *is = g_bytes_get_data (got, NULL);
  const guint8 *want = g_bytes_get_data (expected, NULL);
  gsize size = g_bytes_get_size (expected);
  GstVideoInfo info;
  gint width;

  fail_unless_equals_uint64 (g_bytes_get_size (got), size);
  fail_unless (gst_video_info_from_caps (&info, caps));
  width = info.width * GST_VIDEO_INFO_COMP_PSTRIDE (&info, 0);
  for (gsize at = 0; at < size; at += width) {
    gsize x = 0;

    while (x + 1 < (gsize) width && is[at + x] == want[at + x])
      x++;
    fail_unless (is[at + x] == want[at + x], "%s, row %zu of %zu, byte %zu of "
        "%d: 0x%02x, not 0x%02x", how, at / width, size / width, x, width,
        is[at + x], want[at + x]);
  }
  g_bytes_unref (got);
}

void
frames_check (GstBuffer * buffer, GstCaps * caps, GBytes * expected)
{
  GstMemory *memory = gst_buffer_peek_memory (buffer, 0);

  if (gst_is_cuda_memory (memory))
    compare (on_device (buffer), expected, caps, "on the device");
  compare (frames_rows (buffer, caps), expected, caps, "mapped");
}
