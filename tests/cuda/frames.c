/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Frames through the element on a real GPU: the path that each kind of memory
 * takes, and that no frame leaves before the GPU has finished it. */

#include <gst/check/gstharness.h>
#include <string.h>

#include "calls.h"
#include "device.h"
#include "gpu-test.h"
#include "gstcudagrayallocator.h"
#include "rows.h"

#define WIDTH 1920
#define HEIGHT 1080
#define RGB_BYTES (3 * WIDTH * HEIGHT)
#define GRAY_BYTES (WIDTH * HEIGHT)

static LumaPlan plan;

static GstHarness *
harness_new (const gchar * backend)
{
  GstElement *element = gst_element_factory_make ("cudagray", NULL);
  const LumaComponent rgb[] = { {0, 0, 3, 0, 8}, {0, 1, 3, 0, 8},
  {0, 2, 3, 0, 8}
  };
  GstHarness *harness;

  gst_util_set_object_arg (G_OBJECT (element), "backend", backend);
  harness = gst_harness_new_with_element (element, "sink", "src");
  gst_object_unref (element);
  gst_harness_set_src_caps_str (harness,
      "video/x-raw,format=RGB,width=1920,height=1080,framerate=30/1");
  luma_plan_init (&plan, WIDTH, HEIGHT, rgb, LUMA_MATRIX_BT601,
      LUMA_RANGE_FULL, LUMA_RANGE_FULL);
  return harness;
}

static guint64
frames_by (GstHarness * harness, const gchar * path)
{
  GstStructure *stats;
  guint64 count;

  g_object_get (harness->element, "stats", &stats, NULL);
  fail_unless (gst_structure_get_uint64 (stats, path, &count));
  gst_structure_free (stats);
  return count;
}

/* A frame of its own for each seed, fast enough not to be the bottleneck. */
static void
draw (guint8 * rgb, guint64 seed)
{
  guint64 state = seed * 0x9e3779b97f4a7c15u + 1;

  for (gsize i = 0; i + 8 <= RGB_BYTES; i += 8) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    memcpy (rgb + i, &state, 8);
  }
}

static void
check_gray (GstBuffer * out, guint64 seed)
{
  static guint8 rgb[RGB_BYTES], gray[GRAY_BYTES];
  LumaSource src = { {rgb}, {3 * WIDTH} };
  LumaTarget dst = { gray, WIDTH };
  GstMapInfo map;

  draw (rgb, seed);
  luma_rows_convert (luma_rows (), &plan, &src, &dst);
  fail_unless (gst_buffer_map (out, &map, GST_MAP_READ));
  fail_unless_equals_uint64 (map.size, GRAY_BYTES);
  fail_unless (memcmp (map.data, gray, GRAY_BYTES) == 0,
      "frame %" G_GUINT64_FORMAT " is not the gray of its input", seed);
  gst_buffer_unmap (out, &map);
  gst_buffer_unref (out);
}

static GstBuffer *
fill (GstBuffer * buffer, guint64 seed)
{
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  draw (map.data, seed);
  gst_buffer_unmap (buffer, &map);
  return buffer;
}

static void
push (GstHarness * harness, GstBuffer * in)
{
  fail_unless_equals_int (gst_harness_push (harness, in), GST_FLOW_OK);
}

/* The table of CUDA calls with one of them replaced. */
static GpuCalls calls;

static cudaError_t
launch_late (const GpuFrame * frame, cudaStream_t stream)
{
  cudaError_t error = gpu_test_delay (g_random_int_range (0, 3000), stream);

  return error == cudaSuccess ? gpu_launch (frame, stream) : error;
}

static cudaError_t
register_refused (void *data, size_t size, unsigned flags)
{
  return cudaErrorMemoryAllocation;
}

static void
replace_calls (void)
{
  calls = gpu_cuda_calls;
  gpu_calls = &calls;
}

static void
restore_calls (void)
{
  gpu_calls = &gpu_cuda_calls;
}

/* Field case 19.  Some outputs are kept before they are looked at, so that a
 * buffer that is handed out again too early shows. */
static void
many_frames (gboolean late, guint n)
{
  GstHarness *harness = harness_new ("cuda");
  guint checked = 0;

  replace_calls ();
  if (late)
    calls.Launch = launch_late;
  for (guint i = 0; i < n; i++) {
    push (harness, fill (gst_harness_create_buffer (harness, RGB_BYTES), i));
    for (; i - checked >= 5; checked++)
      check_gray (gst_harness_pull (harness), checked);
  }
  for (; checked < n; checked++)
    check_gray (gst_harness_pull (harness), checked);
  fail_unless_equals_uint64 (frames_by (harness, "frames-in-place"), n);
  restore_calls ();
  gst_harness_teardown (harness);
}

GST_START_TEST (test_many_frames)
{
  many_frames (FALSE, 500);
}

GST_END_TEST;

GST_START_TEST (test_many_late_frames)
{
  many_frames (TRUE, 500);
}

GST_END_TEST;

static void
free_pinned (gpointer data)
{
  fail_unless_equals_int (cudaFreeHost (data), cudaSuccess);
}

static GstBuffer *
pinned_by_application (void)
{
  void *data;

  fail_unless_equals_int (cudaHostAlloc (&data, RGB_BYTES,
          cudaHostAllocPortable), cudaSuccess);
  return gst_buffer_new_wrapped_full (0, data, RGB_BYTES, 0, RGB_BYTES, data,
      free_pinned);
}

static GstBuffer *
out_of_reach (void)
{
  return gst_buffer_new_allocate (NULL, RGB_BYTES, NULL);
}

/* Which memory goes which way with which backend; field case 50 for what the
 * application has pinned. */
static const struct
{
  const gchar *backend;
  GstBuffer *(*make) (void);
  const gchar *path;
} ways[] = {
  {"cuda", pinned_by_application, "frames-in-place"},
  {"auto", pinned_by_application, "frames-in-place"},
  {"cuda", out_of_reach, "frames-staged"},
  /* The CPU and the GPU in turn: the first and the third frame are these. */
  {"auto", out_of_reach, "frames-cpu"},
};

GST_START_TEST (test_way)
{
  GstHarness *harness = harness_new (ways[__i__].backend);

  for (guint i = 0; i < 3; i++) {
    push (harness, fill (ways[__i__].make (), i));
    check_gray (gst_harness_pull (harness), i);
  }
  fail_unless_equals_uint64 (frames_by (harness, ways[__i__].path),
      g_str_equal (ways[__i__].path, "frames-cpu") ? 2 : 3);
  gst_harness_teardown (harness);
}

GST_END_TEST;

/* With auto a small frame is the CPU's, in whatever memory. */
GST_START_TEST (test_small_frames)
{
  GstHarness *harness = harness_new ("auto");

  gst_harness_set_src_caps_str (harness,
      "video/x-raw,format=RGB,width=64,height=64,framerate=30/1");
  for (guint i = 0; i < 3; i++) {
    GstBuffer *in = gst_harness_create_buffer (harness, 3 * 64 * 64);

    gst_buffer_memset (in, 0, 9, -1);
    push (harness, in);
    gst_buffer_unref (gst_harness_pull (harness));
  }
  fail_unless_equals_uint64 (frames_by (harness, "frames-cpu"), 3);
  gst_harness_teardown (harness);
}

GST_END_TEST;

/* Field case 41: no memory can be pinned.  The same pixels, through copies, and
 * with auto by the CPU in turn. */
GST_START_TEST (test_pinning_refused)
{
  static const gchar *const backends[] = { "auto", "cuda" };
  static const guint64 staged[] = { 1, 3 };
  GstHarness *harness;

  replace_calls ();
  calls.HostRegister = register_refused;
  harness = harness_new (backends[__i__]);
  for (guint i = 0; i < 3; i++) {
    push (harness, fill (gst_harness_create_buffer (harness, RGB_BYTES), i));
    check_gray (gst_harness_pull (harness), i);
  }
  fail_unless_equals_uint64 (frames_by (harness, "frames-staged"),
      staged[__i__]);
  fail_unless_equals_uint64 (frames_by (harness, "frames-in-place"), 0);
  fail_unless_equals_int (cudaPeekAtLastError (), cudaSuccess);
  gst_harness_teardown (harness);
  restore_calls ();
}

GST_END_TEST;

/* Field case 15: outputs that nobody takes stay within the budget, past which
 * memory is plain; the test's environment sets one of 256 MiB. */
GST_START_TEST (test_budget)
{
  GstHarness *harness = harness_new ("cuda");
  const guint n = 150;
  GpuBlockUse use;

  for (guint i = 0; i < n; i++) {
    push (harness, fill (gst_harness_create_buffer (harness, RGB_BYTES), i));
    gpu_blocks_use (&use);
    fail_unless_equals_uint64 (use.budget, (guint64) 256 << 20);
    fail_unless (use.pinned <= use.budget);
  }
  fail_unless (frames_by (harness, "frames-in-place") > n / 2);
  fail_unless (frames_by (harness, "frames-staged") > 0);
  for (guint i = 0; i < n; i++)
    check_gray (gst_harness_pull (harness), i);
  gst_harness_teardown (harness);
  gpu_blocks_use (&use);
  fail_unless_equals_uint64 (use.used, 0);
}

GST_END_TEST;

/* Field case 47: the application keeps the legacy default stream busy. */
GST_START_TEST (test_busy_default_stream)
{
  GstHarness *harness = harness_new ("cuda");
  gint64 start;

  push (harness, fill (gst_harness_create_buffer (harness, RGB_BYTES), 0));
  check_gray (gst_harness_pull (harness), 0);
  fail_unless_equals_int (cudaSetDevice (0), cudaSuccess);
  fail_unless_equals_int (gpu_test_delay (300000, cudaStreamLegacy),
      cudaSuccess);
  start = g_get_monotonic_time ();
  push (harness, fill (gst_harness_create_buffer (harness, RGB_BYTES), 1));
  fail_unless (g_get_monotonic_time () - start < 150000,
      "the frame waited for another stream");
  fail_unless_equals_int (cudaStreamQuery (cudaStreamLegacy),
      cudaErrorNotReady);
  check_gray (gst_harness_pull (harness), 1);
  fail_unless_equals_int (cudaDeviceSynchronize (), cudaSuccess);
  gst_harness_teardown (harness);
}

GST_END_TEST;

static gsize
device_memory_used (void)
{
  size_t free, total;

  fail_unless_equals_int (cudaMemGetInfo (&free, &total), cudaSuccess);
  return total - free;
}

/* Field case 46: one context for all, and no more memory than frames need. */
GST_START_TEST (test_memory_of_many)
{
  GstHarness *harness[16];
  gsize before = 0;

  for (guint h = 0; h < G_N_ELEMENTS (harness); h++) {
    harness[h] = harness_new ("cuda");
    push (harness[h], fill (gst_harness_create_buffer (harness[h],
                RGB_BYTES), h));
    check_gray (gst_harness_pull (harness[h]), h);
    if (h == 0)
      before = device_memory_used ();
  }
  fail_unless (device_memory_used () < before + ((gsize) 64 << 20));
  for (guint h = 0; h < G_N_ELEMENTS (harness); h++)
    gst_harness_teardown (harness[h]);
}

GST_END_TEST;

static Suite *
frames_suite (void)
{
  Suite *suite = suite_create ("frames");
  TCase *tcase = tcase_create ("frames");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_many_frames);
  tcase_add_test (tcase, test_many_late_frames);
  tcase_add_loop_test (tcase, test_way, 0, G_N_ELEMENTS (ways));
  tcase_add_test (tcase, test_small_frames);
  tcase_add_loop_test (tcase, test_pinning_refused, 0, 2);
  tcase_add_test (tcase, test_budget);
  tcase_add_test (tcase, test_busy_default_stream);
  tcase_add_test (tcase, test_memory_of_many);
  return suite;
}

int
main (int argc, char **argv)
{
  return gpu_test_main (argc, argv, frames_suite);
}
