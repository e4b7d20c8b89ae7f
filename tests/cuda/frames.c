/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Frames through the element on a real GPU: the path that each kind of memory
 * takes, and that no frame leaves before the GPU has finished it. */

#include "calls.h"
#include "device.h"
#include "gpu-test.h"
#include "gstcudagrayallocator.h"

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
  GstHarness *harness = gpu_test_harness ("cuda");
  guint checked = 0;

  replace_calls ();
  if (late)
    calls.Launch = launch_late;
  for (guint i = 0; i < n; i++) {
    push (harness, gpu_test_frame (harness, i));
    for (; i - checked >= 5; checked++)
      gpu_test_check_gray (gst_harness_pull (harness), checked);
  }
  for (; checked < n; checked++)
    gpu_test_check_gray (gst_harness_pull (harness), checked);
  fail_unless_equals_uint64 (gpu_test_stat (harness, "frames-in-place"), n);
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

  fail_unless_equals_int (cudaHostAlloc (&data, GPU_TEST_RGB_BYTES,
          cudaHostAllocPortable), cudaSuccess);
  return gst_buffer_new_wrapped_full (0, data, GPU_TEST_RGB_BYTES, 0,
      GPU_TEST_RGB_BYTES, data, free_pinned);
}

static GstBuffer *
out_of_reach (void)
{
  return gst_buffer_new_allocate (NULL, GPU_TEST_RGB_BYTES, NULL);
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
  GstHarness *harness = gpu_test_harness (ways[__i__].backend);

  for (guint i = 0; i < 3; i++) {
    push (harness, gpu_test_fill (ways[__i__].make (), i));
    gpu_test_check_gray (gst_harness_pull (harness), i);
  }
  fail_unless_equals_uint64 (gpu_test_stat (harness, ways[__i__].path),
      g_str_equal (ways[__i__].path, "frames-cpu") ? 2 : 3);
  gst_harness_teardown (harness);
}

GST_END_TEST;

/* With auto a small frame is the CPU's, in whatever memory. */
GST_START_TEST (test_small_frames)
{
  GstHarness *harness = gpu_test_harness ("auto");

  gst_harness_set_src_caps_str (harness,
      "video/x-raw,format=RGB,width=64,height=64,framerate=30/1");
  for (guint i = 0; i < 3; i++) {
    GstBuffer *in = gst_harness_create_buffer (harness, 3 * 64 * 64);

    gst_buffer_memset (in, 0, 9, -1);
    push (harness, in);
    gst_buffer_unref (gst_harness_pull (harness));
  }
  fail_unless_equals_uint64 (gpu_test_stat (harness, "frames-cpu"), 3);
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
  harness = gpu_test_harness (backends[__i__]);
  for (guint i = 0; i < 3; i++) {
    push (harness, gpu_test_frame (harness, i));
    gpu_test_check_gray (gst_harness_pull (harness), i);
  }
  fail_unless_equals_uint64 (gpu_test_stat (harness, "frames-staged"),
      staged[__i__]);
  fail_unless_equals_uint64 (gpu_test_stat (harness, "frames-in-place"), 0);
  fail_unless_equals_int (cudaPeekAtLastError (), cudaSuccess);
  gst_harness_teardown (harness);
  restore_calls ();
}

GST_END_TEST;

/* Field case 15: outputs that nobody takes stay within the budget, past which
 * memory is plain; the test's environment sets one of 256 MiB. */
GST_START_TEST (test_budget)
{
  GstHarness *harness = gpu_test_harness ("cuda");
  const guint n = 150;
  GpuBlockUse use;

  for (guint i = 0; i < n; i++) {
    push (harness, gpu_test_frame (harness, i));
    gpu_blocks_use (&use);
    fail_unless_equals_uint64 (use.budget, (guint64) 256 << 20);
    fail_unless (use.pinned <= use.budget);
  }
  fail_unless (gpu_test_stat (harness, "frames-in-place") > n / 2);
  fail_unless (gpu_test_stat (harness, "frames-staged") > 0);
  for (guint i = 0; i < n; i++)
    gpu_test_check_gray (gst_harness_pull (harness), i);
  gst_harness_teardown (harness);
  gpu_blocks_use (&use);
  fail_unless_equals_uint64 (use.used, 0);
}

GST_END_TEST;

/* Field case 47: the application keeps the legacy default stream busy. */
GST_START_TEST (test_busy_default_stream)
{
  GstHarness *harness = gpu_test_harness ("cuda");
  gint64 start;

  push (harness, gpu_test_frame (harness, 0));
  gpu_test_check_gray (gst_harness_pull (harness), 0);
  fail_unless_equals_int (cudaSetDevice (0), cudaSuccess);
  fail_unless_equals_int (gpu_test_delay (300000, cudaStreamLegacy),
      cudaSuccess);
  start = g_get_monotonic_time ();
  push (harness, gpu_test_frame (harness, 1));
  fail_unless (g_get_monotonic_time () - start < 150000,
      "the frame waited for another stream");
  fail_unless_equals_int (cudaStreamQuery (cudaStreamLegacy),
      cudaErrorNotReady);
  gpu_test_check_gray (gst_harness_pull (harness), 1);
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
    harness[h] = gpu_test_harness ("cuda");
    push (harness[h], gpu_test_frame (harness[h], h));
    gpu_test_check_gray (gst_harness_pull (harness[h]), h);
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
