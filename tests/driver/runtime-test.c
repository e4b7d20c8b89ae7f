/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* The project's own GPU code on the simulated driver. */

#include <gst/check/gstcheck.h>

#include "driver.h"
#include "gpu.h"
#include "rows.h"
#include "runtime.h"

#define WIDTH 77
#define HEIGHT 5
#define SIZE (3 * WIDTH * HEIGHT)

#define OK(call) fail_unless_equals_int (call, 0)

static guint8 source[SIZE], expected[WIDTH * HEIGHT];
static LumaPlan plan;

static void
setup (void)
{
  static const LumaComponent rgb[LUMA_COMPONENTS] = {
    {0, 0, 3, 0, 8, 0}, {0, 1, 3, 0, 8, 0}, {0, 2, 3, 0, 8, 0}
  };

  gpu_calls = &driver_calls;
  fail_unless (luma_plan_init (&plan, WIDTH, HEIGHT, rgb, LUMA_MATRIX_BT2020,
          LUMA_RANGE_LIMITED, LUMA_RANGE_FULL));
  for (gsize i = 0; i < SIZE; i++)
    source[i] = (guint8) (i * 37 + i / 7);
  for (gsize y = 0; y < HEIGHT; y++) {
    const guint8 *row[LUMA_COMPONENTS];

    row[0] = row[1] = row[2] = source + 3 * WIDTH * y;
    luma_row_exact (&plan, row, expected + WIDTH * y, WIDTH);
  }
}

static void
teardown (void)
{
  fail_unless_equals_int (driver_depth (), 0);
  fail_unless_equals_int (driver_streams (), 0);
  fail_unless_equals_int (driver_events (), 0);
  fail_unless_equals_int (driver_allocations (), 0);
  fail_unless_equals_int (driver_registrations (), 0);
  OK (gpu_calls->GetLastError ());
}

static LumaPath
convert (LumaBackend * backend, const guint8 * from, guint8 * to)
{
  LumaSource src = {.data = {from},.stride = {3 * WIDTH} };
  LumaTarget dst = { to, WIDTH };
  LumaPath path;

  fail_unless_equals_int (backend->klass->submit (backend, &plan, &src, &dst,
          true, &path), LUMA_DONE);
  fail_unless (driver_pending () > 0);
  fail_unless (memcmp (to, expected, sizeof expected) != 0);
  fail_unless_equals_int (backend->klass->wait (backend, 1000000), LUMA_DONE);
  fail_unless (memcmp (to, expected, sizeof expected) == 0);
  memset (to, 0, sizeof expected);
  return path;
}

/* From pinned memory, from plain memory, and from the device's. */
GST_START_TEST (test_backend)
{
  GpuStatus status;
  LumaBackend *backend = gpu_open (-1, &status);
  GpuBlock *in, *out;
  CUcontext context;
  CUdeviceptr data;

  fail_unless (backend != NULL, "%s", status.text);
  fail_unless_equals_string (status.text, "Simulated 0");
  in = gpu_block_get (SIZE, true);
  out = gpu_block_get (sizeof expected, true);
  memcpy (in->data, source, SIZE);
  fail_unless_equals_int (convert (backend, in->data, out->data),
      LUMA_PATH_IN_PLACE);
  fail_unless_equals_int (convert (backend, source, out->data),
      LUMA_PATH_STAGED);

  OK (cuCtxCreate_v2 (&context, 0, 0));
  OK (cuMemAlloc (&data, SIZE));
  OK (cuMemcpyHtoD (data, source, SIZE));
  OK (cuCtxPopCurrent (NULL));
  fail_unless_equals_int (convert (backend, (guint8 *) (gsize) data,
          out->data), LUMA_PATH_IN_PLACE);
  OK (cuCtxDestroy (context));
  gpu_block_put (in);
  gpu_block_put (out);
  backend->klass->close (backend);
}

GST_END_TEST;

static GpuFrame
frame_of (const guint8 * from, guint8 * to)
{
  GpuFrame frame = gpu_frame (&plan);

  frame.src[0] = from;
  frame.src_stride[0] = 3 * WIDTH;
  frame.dst = to;
  frame.dst_stride = WIDTH;
  frame.max_blocks = 1;

  return frame;
}

/* A kernel that leaves its memory takes the context with it. */
GST_START_TEST (test_illegal_address)
{
  cudaStream_t stream;
  CUcontext context;
  GpuFrame frame;
  void *from, *to, *more;

  OK (cuInit (0));
  OK (cuCtxCreate_v2 (&context, 0, 1));
  OK (gpu_calls->StreamCreate (&stream, cudaStreamNonBlocking));
  OK (gpu_calls->Malloc (&from, SIZE));
  OK (gpu_calls->Malloc (&to, sizeof expected));
  OK (gpu_calls->MemcpyAsync (from, source, SIZE, cudaMemcpyDefault, stream));
  frame = frame_of (from, to);
  OK (gpu_calls->Launch (&frame, stream));
  fail_unless_equals_int (gpu_calls->StreamQuery (stream), cudaErrorNotReady);
  OK (gpu_calls->StreamQuery (stream));
  fail_unless (memcmp (to, expected, sizeof expected) == 0);

  frame = frame_of (source, to);
  OK (gpu_calls->Launch (&frame, stream));
  fail_unless_equals_int (gpu_calls->StreamQuery (stream), cudaErrorNotReady);
  for (int i = 0; i < 2; i++)
    fail_unless_equals_int (gpu_calls->StreamQuery (stream),
        cudaErrorIllegalAddress);
  fail_unless_equals_int (gpu_calls->Malloc (&more, 1),
      cudaErrorIllegalAddress);
  fail_unless_equals_int (gpu_calls->GetLastError (), cudaErrorIllegalAddress);
  OK (cuCtxDestroy (context));
}

GST_END_TEST;

/* Names with and without a version, and calls without a context. */
GST_START_TEST (test_entries)
{
  void *function, *more;
  const char *name = NULL;

  OK (gpu_calls->DriverEntryPoint ("cuMemAlloc", &function));
  fail_unless (function == (void *) cuMemAlloc);
  OK (gpu_calls->DriverEntryPoint ("cuDeviceGet", &function));
  fail_unless (function == (void *) cuDeviceGet);
  fail_unless_equals_int (gpu_calls->DriverEntryPoint ("cuNothing", &function),
      cudaErrorSymbolNotFound);
  fail_unless_equals_int (gpu_calls->Malloc (&more, 1),
      cudaErrorDeviceUninitialized);
  fail_unless (more == NULL);
  fail_unless_equals_int (gpu_calls->GetLastError (),
      cudaErrorDeviceUninitialized);
  OK (gpu_calls->GetErrorName (CUDA_ERROR_ILLEGAL_ADDRESS, &name));
  fail_unless_equals_string (name, "CUDA_ERROR_ILLEGAL_ADDRESS");
}

GST_END_TEST;

static Suite *
runtime_suite (void)
{
  Suite *suite = suite_create ("runtime");
  TCase *tests = tcase_create ("runtime");

  tcase_add_checked_fixture (tests, setup, teardown);
  tcase_add_test (tests, test_backend);
  tcase_add_test (tests, test_illegal_address);
  tcase_add_test (tests, test_entries);
  suite_add_tcase (suite, tests);
  return suite;
}

GST_CHECK_MAIN (runtime);
