/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* What the element leaves of the application's own CUDA: the context that was
 * current on the calling thread, the device that the runtime would choose, and
 * no error for the next to ask.  GstHarness pushes on the caller's thread, so
 * that the element works on the application's own. */

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>

#include "gpu-test.h"
#include "gstcudagray.h"

/* The driver, found as the backend finds it; these are the calls of CUDA 11.0,
 * whatever the toolkit: cuCtxCreate has had other arguments since. */
static CUresult (*ctx_create) (CUcontext *, unsigned, CUdevice);
static CUresult (*ctx_destroy) (CUcontext);
static CUresult (*ctx_get_current) (CUcontext *);
static CUresult (*ctx_set_current) (CUcontext);
static CUresult (*device_get) (CUdevice *, int);
static CUresult (*mem_alloc) (CUdeviceptr *, size_t);
static CUresult (*mem_free) (CUdeviceptr);
static CUresult (*memset_d8) (CUdeviceptr, unsigned char, size_t);
static CUresult (*memcpy_dtoh) (void *, CUdeviceptr, size_t);

static void
load_driver (void)
{
  static const struct
  {
    const char *name;
    void *function;
  } wanted[] = {
    {"cuCtxCreate", &ctx_create}, {"cuCtxDestroy", &ctx_destroy},
    {"cuCtxGetCurrent", &ctx_get_current},
    {"cuCtxSetCurrent", &ctx_set_current}, {"cuDeviceGet", &device_get},
    {"cuMemAlloc", &mem_alloc}, {"cuMemFree", &mem_free},
    {"cuMemsetD8", &memset_d8}, {"cuMemcpyDtoH", &memcpy_dtoh},
  };
  enum cudaDriverEntryPointQueryResult found;

  for (guint i = 0; i < G_N_ELEMENTS (wanted); i++) {
#if CUDART_VERSION >= 12050
    fail_unless_equals_int (cudaGetDriverEntryPointByVersion (wanted[i].name,
            wanted[i].function, 11000, cudaEnableDefault, &found), cudaSuccess);
#else
    fail_unless_equals_int (cudaGetDriverEntryPoint (wanted[i].name,
            wanted[i].function, cudaEnableDefault, &found), cudaSuccess);
#endif
    fail_unless_equals_int (found, cudaDriverEntryPointSuccess);
  }
}

static void
check_untouched (CUcontext expected, int device)
{
  CUcontext current;
  int now = -1;

  fail_unless_equals_int (ctx_get_current (&current), CUDA_SUCCESS);
  fail_unless (current == expected, "context %p, was %p", current, expected);
  fail_unless_equals_int (cudaPeekAtLastError (), cudaSuccess);
  if (expected != NULL) {
    fail_unless_equals_int (cudaGetDevice (&now), cudaSuccess);
    fail_unless_equals_int (now, device);
  }
}

/* A whole life of the element, with the context looked at after each step. */
static void
live (CUcontext expected)
{
  GstElement *element = g_object_new (GST_TYPE_CUDA_GRAY, NULL);
  GstHarness *harness;
  GstStructure *stats;

  check_untouched (expected, 0);
  gst_util_set_object_arg (G_OBJECT (element), "backend", "cuda");
  harness = gst_harness_new_with_element (element, "sink", "src");
  check_untouched (expected, 0);
  gst_harness_set_src_caps_str (harness,
      "video/x-raw,format=RGB,width=320,height=240,framerate=30/1");
  check_untouched (expected, 0);
  for (int i = 0; i < 5; i++) {
    GstBuffer *in = i % 2 ? gst_harness_create_buffer (harness, 320 * 240 * 3) :
        gst_buffer_new_allocate (NULL, 320 * 240 * 3, NULL);

    gst_buffer_memset (in, 0, 100, -1);
    fail_unless_equals_int (gst_harness_push (harness, in), GST_FLOW_OK);
    check_untouched (expected, 0);
  }
  g_object_get (element, "stats", &stats, NULL);
  fail_unless_equals_string (gst_structure_get_string (stats, "backend"),
      "cuda");
  gst_structure_free (stats);
  gst_harness_teardown (harness);
  check_untouched (expected, 0);
  gst_object_unref (element);
  check_untouched (expected, 0);
}

GST_START_TEST (test_no_context)
{
  load_driver ();
  fail_unless_equals_int (ctx_set_current (NULL), CUDA_SUCCESS);
  live (NULL);
}

GST_END_TEST;

GST_START_TEST (test_own_context)
{
  guint8 bytes[64];
  CUdeviceptr data;
  CUcontext own;
  CUdevice device;

  load_driver ();
  fail_unless_equals_int (device_get (&device, 0), CUDA_SUCCESS);
  fail_unless_equals_int (ctx_create (&own, 0, device), CUDA_SUCCESS);
  fail_unless_equals_int (mem_alloc (&data, sizeof bytes), CUDA_SUCCESS);
  live (own);

  /* What the application had in its context is still there and works. */
  fail_unless_equals_int (memset_d8 (data, 7, sizeof bytes), CUDA_SUCCESS);
  fail_unless_equals_int (memcpy_dtoh (bytes, data, sizeof bytes),
      CUDA_SUCCESS);
  for (guint i = 0; i < sizeof bytes; i++)
    fail_unless_equals_int (bytes[i], 7);
  fail_unless_equals_int (mem_free (data), CUDA_SUCCESS);
  fail_unless_equals_int (ctx_destroy (own), CUDA_SUCCESS);
}

GST_END_TEST;

GST_START_TEST (test_runtime_context)
{
  CUcontext primary;
  void *data;

  load_driver ();
  fail_unless_equals_int (cudaSetDevice (0), cudaSuccess);
  fail_unless_equals_int (cudaMalloc (&data, 64), cudaSuccess);
  fail_unless_equals_int (ctx_get_current (&primary), CUDA_SUCCESS);
  live (primary);
  fail_unless_equals_int (cudaMemset (data, 1, 64), cudaSuccess);
  fail_unless_equals_int (cudaFree (data), cudaSuccess);
}

GST_END_TEST;

static Suite *
context_suite (void)
{
  Suite *suite = suite_create ("context");
  TCase *tcase = tcase_create ("context");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_no_context);
  tcase_add_test (tcase, test_own_context);
  tcase_add_test (tcase, test_runtime_context);
  return suite;
}

int
main (int argc, char **argv)
{
  return gpu_test_main (argc, argv, context_suite);
}
