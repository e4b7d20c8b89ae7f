/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* GStreamer's CUDA library and elements on the simulated driver. */

#include <gst/app/gstappsink.h>
#include <gst/check/gstcheck.h>
#include <gst/cuda/gstcudabufferpool.h>
#include <gst/cuda/gstcudaloader.h>

#include "driver.h"

/* Rows are without padding in host memory. */
#define WIDTH 52
#define HEIGHT 8

/* GStreamer 1.22's plugin pushes a context for each codec, and leaves those
 * where the codec has no decoder. */
static unsigned depth;

static void
setup (void)
{
  fail_unless (gst_cuda_load_library ());
  gst_cuda_memory_init_once ();
  depth = driver_depth ();
}

static void
teardown (void)
{
  fail_unless_equals_int (driver_depth (), depth);
  fail_unless_equals_int (driver_contexts (), 0);
  fail_unless_equals_int (driver_allocations (), 0);
}

static GstBufferPool *
new_pool (GstCudaContext * context)
{
  GstBufferPool *pool = gst_cuda_buffer_pool_new (context);
  GstStructure *config = gst_buffer_pool_get_config (pool);
  GstCaps *caps = gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING,
      "RGB", "width", G_TYPE_INT, WIDTH, "height", G_TYPE_INT, HEIGHT, NULL);
  GstVideoInfo info;

  gst_caps_set_features (caps, 0,
      gst_caps_features_new (GST_CAPS_FEATURE_MEMORY_CUDA_MEMORY, NULL));
  fail_unless (gst_video_info_from_caps (&info, caps));
  gst_buffer_pool_config_set_params (config, caps, info.size, 1, 0);
  fail_unless (gst_buffer_pool_set_config (pool, config));
  fail_unless (gst_buffer_pool_set_active (pool, TRUE));
  gst_caps_unref (caps);
  return pool;
}

static GstBuffer *
get_buffer (GstBufferPool * pool)
{
  GstBuffer *buffer = NULL;

  fail_unless_equals_int (gst_buffer_pool_acquire_buffer (pool, &buffer, NULL),
      GST_FLOW_OK);
  return buffer;
}

static void
put_buffer (GstBufferPool * pool, GstBuffer * buffer)
{
  gst_buffer_unref (buffer);
  fail_unless (gst_buffer_pool_set_active (pool, FALSE));
  gst_object_unref (pool);
}

/* Written by the CPU, read where the device has it. */
GST_START_TEST (test_pool)
{
  GstCudaContext *context = gst_cuda_context_new (0);
  GstBufferPool *pool = new_pool (context);
  GstBuffer *buffer = get_buffer (pool);
  GstMemory *memory = gst_buffer_peek_memory (buffer, 0);
  GstMapInfo map;

  fail_unless (gst_is_cuda_memory (memory));
  fail_unless_equals_int (GST_CUDA_MEMORY_CAST (memory)->info.stride[0], 512);
  fail_unless (gst_memory_map (memory, &map, GST_MAP_WRITE));
  fail_unless_equals_int (map.size, 512 * HEIGHT);
  for (gsize i = 0; i < map.size; i++)
    map.data[i] = (guint8) (i * 7);
  gst_memory_unmap (memory, &map);

  fail_unless (gst_memory_map (memory, &map, GST_MAP_READ | GST_MAP_CUDA));
  fail_unless (driver_reaches (gst_cuda_context_get_handle (context), map.data,
          map.size));
  for (gsize y = 0; y < HEIGHT; y++) {
    for (gsize x = 0; x < 3 * WIDTH; x++)
      fail_unless_equals_int (map.data[512 * y + x],
          (guint8) ((512 * y + x) * 7));
  }
  gst_memory_unmap (memory, &map);
  put_buffer (pool, buffer);
  gst_object_unref (context);
}

GST_END_TEST;

/* GStreamer copies within the device by a call that need not have finished:
 * who reads the copy has to wait for its context. */
GST_START_TEST (test_copy_is_late)
{
  GstCudaContext *context = gst_cuda_context_new (0);
  GstBufferPool *pool = new_pool (context);
  GstBuffer *buffer = get_buffer (pool);
  GstMemory *copy;
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  memset (map.data, 42, map.size);
  gst_buffer_unmap (buffer, &map);
  copy = gst_memory_copy (gst_buffer_peek_memory (buffer, 0), 0, -1);
  fail_unless (gst_memory_map (copy, &map, GST_MAP_READ | GST_MAP_CUDA));
  if (driver_pending () > 0)
    fail_unless (map.data[0] != 42);
  fail_unless (gst_cuda_context_push (context));
  fail_unless_equals_int (cuCtxSynchronize (), CUDA_SUCCESS);
  fail_unless (gst_cuda_context_pop (NULL));
  fail_unless_equals_int (map.data[0], 42);
  gst_memory_unmap (copy, &map);
  gst_memory_unref (copy);
  put_buffer (pool, buffer);
  gst_object_unref (context);
}

GST_END_TEST;

GST_START_TEST (test_many_contexts)
{
  unsigned before = driver_contexts_created (1);

  for (int i = 0; i < 20; i++) {
    GstCudaContext *context = gst_cuda_context_new (1);
    GstBufferPool *pool = new_pool (context);

    put_buffer (pool, get_buffer (pool));
    gst_object_unref (context);
    fail_unless_equals_int (driver_allocations (), 0);
  }
  fail_unless_equals_int (driver_contexts_created (1), before + 20);
}

GST_END_TEST;

/* All bytes of a short stream through the elements between the two. */
static GBytes *
run_pipeline (const gchar * between)
{
  gchar *description = g_strdup_printf ("videotestsrc num-buffers=3 "
      "pattern=smpte ! video/x-raw,format=RGB,width=%d,height=%d %s ! "
      "appsink name=sink sync=false", WIDTH, HEIGHT, between);
  GstElement *pipeline = gst_parse_launch (description, NULL);
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  GByteArray *all = g_byte_array_new ();
  GstSample *sample;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while ((sample = gst_app_sink_pull_sample (GST_APP_SINK (sink))) != NULL) {
    GstMapInfo map;

    fail_unless (gst_buffer_map (gst_sample_get_buffer (sample), &map,
            GST_MAP_READ));
    g_byte_array_append (all, map.data, map.size);
    gst_buffer_unmap (gst_sample_get_buffer (sample), &map);
    gst_sample_unref (sample);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (sink);
  gst_object_unref (pipeline);
  g_free (description);
  return g_byte_array_free_to_bytes (all);
}

GST_START_TEST (test_elements)
{
  unsigned before = driver_contexts_created (0);
  GBytes *plain = run_pipeline ("");
  GBytes *there_and_back = run_pipeline ("! cudaupload ! "
      "video/x-raw(memory:CUDAMemory) ! cudadownload ! video/x-raw");

  fail_unless_equals_int (g_bytes_get_size (plain), 3 * HEIGHT * 3 * WIDTH);
  fail_unless (driver_contexts_created (0) > before);
  fail_unless (g_bytes_equal (plain, there_and_back));
  /* There are no decoders, which a test might get in place of its own. */
  fail_unless (gst_element_factory_find ("nvh264dec") == NULL);
  g_bytes_unref (plain);
  g_bytes_unref (there_and_back);
}

GST_END_TEST;

static gboolean
have_plugin (void)
{
  GstPlugin *plugin = gst_plugin_load_by_name ("nvcodec");
  gboolean have = plugin != NULL;

  if (!have)
    g_print ("no plugin nvcodec: test_elements is left out\n");
  gst_clear_object (&plugin);
  return have;
}

static Suite *
gstcuda_suite (void)
{
  Suite *suite = suite_create ("gstcuda");
  TCase *tests = tcase_create ("gstcuda");

  tcase_add_checked_fixture (tests, setup, teardown);
  tcase_add_test (tests, test_pool);
  tcase_add_test (tests, test_copy_is_late);
  tcase_add_test (tests, test_many_contexts);
  if (have_plugin ())
    tcase_add_test (tests, test_elements);
  suite_add_tcase (suite, tests);
  return suite;
}

GST_CHECK_MAIN (gstcuda);
