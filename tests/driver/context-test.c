/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* A backend in a context of the application's: what it reaches there, what it
 * comes after and before on the application's streams, and what is left of it.
 *
 * The driver does nothing sooner than it must.  Who forgets to wait for the
 * source finds junk in it, and who forgets to be waited for finds it
 * overwritten. */

#include "context-rig.h"

#include "runtime.h"

/* Of that context, of all contexts, and of none. */
GST_START_TEST (test_memory)
{
  guint8 *source = rig_new_memory (context, NULL);
  guint8 *target = rig_new_memory (context, NULL);
  GpuBlock *in = gpu_block_get (SIZE, TRUE), *out = gpu_block_get (SIZE, TRUE);

  fail_unless (in->pinned && out->pinned);
  for (guint layout = 0; layout < LUMA_LAYOUT_ANY; layout++) {
    rig_draw (layout);
    memcpy (source, drawn, SIZE);
    memcpy (in->data, drawn, SIZE);
    rig_convert (source, NULL, target, NULL, LUMA_PATH_IN_PLACE);
    rig_convert (in->data, NULL, target, NULL, LUMA_PATH_IN_PLACE);
    rig_convert (source, NULL, out->data, NULL, LUMA_PATH_IN_PLACE);
    rig_convert (drawn, NULL, target, NULL, LUMA_PATH_STAGED);
    rig_convert (source, NULL, host, NULL, LUMA_PATH_STAGED);
    rig_convert (drawn, NULL, host, NULL, LUMA_PATH_STAGED);
  }
  gpu_block_put (in);
  gpu_block_put (out);
}

GST_END_TEST;

/* Nobody waits for the frame.  What is put on its streams after it reads what
 * it wrote, and leaves alone what it read, whichever stream goes ahead. */
GST_START_TEST (test_order)
{
  guint8 *original = rig_new_memory (context, NULL);
  guint8 *source = rig_new_memory (context, NULL);
  guint8 *target = rig_new_memory (context, NULL);
  guint8 *copy = rig_new_memory (context, NULL);

  for (guint i = 0; i < 8; i++) {
    CUstream a = rig_new_stream (i & 1 ? CU_STREAM_DEFAULT :
        CU_STREAM_NON_BLOCKING);
    CUstream b = i & 2 ? rig_new_stream (CU_STREAM_NON_BLOCKING) : a;

    rig_draw (LUMA_LAYOUT_PACKED4);
    memcpy (original, drawn, SIZE);
    memset (source, JUNK, SIZE);
    rig_copy_later (source, original, SIZE, a);
    rig_start (source, a, target, b, LUMA_PATH_IN_PLACE);
    rig_overwrite_later (source, a);
    rig_copy_later (copy, target, PIXELS, b);
    rig_overwrite_later (target, b);
    fail_unless (driver_pending () >= 5);
    rig_finish (i & 4 ? a : b);
    rig_finish (i & 4 ? b : a);
    fail_unless (memcmp (copy, expected, PIXELS) == 0, "case %u", i);
    fail_unless_equals_int (source[0], JUNK);
    fail_unless_equals_int (target[0], JUNK);
    OK (cuStreamDestroy (a));
    if (b != a)
      OK (cuStreamDestroy (b));
  }
}

GST_END_TEST;

/* The same source again and again, and no wait at all. */
GST_START_TEST (test_many_under_way)
{
  CUstream a = rig_new_stream (CU_STREAM_NON_BLOCKING);
  CUstream b = rig_new_stream (CU_STREAM_NON_BLOCKING);
  guint8 *source = rig_new_memory (context, NULL);
  guint8 *original[20], *target[20], wanted[20][PIXELS];

  for (guint i = 0; i < 20; i++) {
    rig_draw (LUMA_LAYOUT_PLANAR);
    memcpy (wanted[i], expected, PIXELS);
    original[i] = rig_new_memory (context, drawn);
    target[i] = rig_new_memory (context, NULL);
    rig_copy_later (source, original[i], SIZE, a);
    rig_start (source, a, target[i], b, LUMA_PATH_IN_PLACE);
  }
  fail_unless_equals_int (driver_pending (), 40);
  rig_finish (b);
  for (guint i = 0; i < 20; i++)
    fail_unless (memcmp (target[i], wanted[i], PIXELS) == 0, "frame %u", i);
}

GST_END_TEST;

/* The CPU reads the target, after the wait; or writes the source. */
GST_START_TEST (test_one_stream)
{
  CUstream stream = rig_new_stream (CU_STREAM_NON_BLOCKING);
  guint8 *original = rig_new_memory (context, NULL);
  guint8 *source = rig_new_memory (context, NULL);
  guint8 *target = rig_new_memory (context, NULL);
  GpuBlock *block = gpu_block_get (SIZE, TRUE);
  guint8 *to[] = { block->data, host, target };

  for (guint i = 0; i < 3; i++) {
    rig_draw (LUMA_LAYOUT_PACKED3);
    memcpy (original, drawn, SIZE);
    memset (source, JUNK, SIZE);
    rig_copy_later (source, original, SIZE, stream);
    rig_convert (source, stream, to[i], NULL, to[i] == host ? LUMA_PATH_STAGED :
        LUMA_PATH_IN_PLACE);
    rig_overwrite_later (target, stream);
    rig_convert (drawn, NULL, target, stream, LUMA_PATH_STAGED);
    memcpy (block->data, drawn, SIZE);
    rig_overwrite_later (target, stream);
    rig_convert (block->data, NULL, target, stream, LUMA_PATH_IN_PLACE);
  }
  gpu_block_put (block);
}

GST_END_TEST;

/* Both have streams, but the target is the CPU's, which takes a wait. */
GST_START_TEST (test_two_streams_staged)
{
  CUstream a = rig_new_stream (CU_STREAM_NON_BLOCKING);
  CUstream b = rig_new_stream (CU_STREAM_NON_BLOCKING);
  guint8 *original = rig_new_memory (context, drawn);
  guint8 *source = rig_new_memory (context, NULL);

  memset (source, JUNK, SIZE);
  memset (host, 0, PIXELS);
  rig_copy_later (source, original, SIZE, a);
  rig_start (source, a, host, b, LUMA_PATH_STAGED);
  rig_overwrite_later (source, a);
  rig_finish (a);
  fail_unless_equals_int (rig_wait_for (backend), LUMA_DONE);
  fail_unless (memcmp (host, expected, PIXELS) == 0);
}

GST_END_TEST;

/* GStreamer copies within the device on the legacy stream and names none. */
GST_START_TEST (test_legacy_stream)
{
  CUstream blocking = rig_new_stream (CU_STREAM_DEFAULT);
  guint8 *original = rig_new_memory (context, drawn);
  guint8 *source = rig_new_memory (context, NULL);
  guint8 *target = rig_new_memory (context, NULL);
  guint8 *to[] = { target, host, target };

  for (guint i = 0; i < 3; i++) {
    memset (source, JUNK, SIZE);
    OK (cuCtxPushCurrent (context));
    OK (cuMemcpyDtoD ((CUdeviceptr) (gsize) source,
            (CUdeviceptr) (gsize) original, SIZE));
    OK (cuCtxPopCurrent (NULL));
    fail_unless_equals_int (driver_pending (), 1);
    rig_convert (source, NULL, to[i], i == 2 ? blocking : NULL, to[i] == host ?
        LUMA_PATH_STAGED : LUMA_PATH_IN_PLACE);
  }
}

GST_END_TEST;

/* In place where the application has the device reach it. */
GST_START_TEST (test_other_device)
{
  guint8 *source = rig_new_memory (context, drawn);
  guint8 *target = rig_new_memory (context, NULL);
  guint8 *far_source = rig_new_memory (bystander, drawn);
  guint8 *far_target = rig_new_memory (bystander, NULL);
  CUstream stream = rig_new_stream (CU_STREAM_NON_BLOCKING);
  LumaPath path = LUMA_PATH_STAGED;
  int can = -1;

  OK (cuDeviceCanAccessPeer (&can, 0, 1));
  for (guint i = 0; i < 2; i++) {
    rig_convert (far_source, NULL, target, NULL, path);
    rig_convert (far_source, NULL, target, stream, path);
    rig_convert (source, NULL, far_target, NULL, path);
    rig_convert (source, stream, far_target, stream, path);
    rig_convert (far_source, NULL, far_target, NULL, path);
    rig_convert (far_source, NULL, host, NULL, LUMA_PATH_STAGED);
    rig_convert (drawn, NULL, far_target, NULL, LUMA_PATH_STAGED);
    OK (cuCtxPushCurrent (context));
    fail_unless_equals_int (cuCtxEnablePeerAccess (bystander, 0), !can ?
        CUDA_ERROR_PEER_ACCESS_UNSUPPORTED : i == 0 ? CUDA_SUCCESS :
        CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
    OK (cuCtxPopCurrent (NULL));
    path = can ? LUMA_PATH_IN_PLACE : LUMA_PATH_STAGED;
  }
}

GST_END_TEST;

/* Of the same device: there is one address space. */
GST_START_TEST (test_other_context)
{
  CUcontext other = rig_new_context (0);
  guint8 *source = rig_new_memory (other, drawn);
  guint8 *target = rig_new_memory (context, NULL);

  rig_convert (source, NULL, target, NULL, LUMA_PATH_IN_PLACE);
  OK (cuCtxDestroy (other));
}

GST_END_TEST;

/* Whoever has no context current has none afterwards. */
static gpointer
live_in_thread (gpointer data)
{
  CUcontext mine = rig_new_context (0), current = context;
  guint8 *source = rig_new_memory (mine, drawn);
  LumaBackend *other = rig_open_in (mine, 0);
  LumaSource src = rig_source_at (source, NULL);
  LumaTarget dst = { host, WIDTH, NULL };
  LumaPath path;

  fail_unless_equals_int (other->klass->submit (other, &plan, &src, &dst,
          TRUE, &path), LUMA_DONE);
  rig_expect_current ();
  fail_unless_equals_int (rig_wait_for (other), LUMA_DONE);
  fail_unless (memcmp (host, expected, PIXELS) == 0);
  rig_close_backend (other);
  OK (cuCtxGetCurrent (&current));
  fail_unless (current == NULL);
  OK (cuCtxDestroy (mine));
  return NULL;
}

GST_START_TEST (test_no_context)
{
  CUcontext mine = bystander;

  bystander = NULL;
  g_thread_join (g_thread_new ("none", live_in_thread, NULL));
  bystander = mine;
  rig_expect_current ();
}

GST_END_TEST;

/* What a context's counts were before. */
GST_START_TEST (test_open_and_close)
{
  guint8 *source = rig_new_memory (context, drawn);
  guint8 *target = rig_new_memory (context, NULL);
  unsigned contexts = driver_contexts (), streams = driver_streams ();
  unsigned events = driver_events (), allocations = driver_allocations ();

  for (guint i = 0; i < 100; i++) {
    LumaBackend *first = backend;
    CUcontext mine = rig_new_context (0);

    backend = rig_open_in (i % 2 ? mine : context, 0);
    rig_convert (source, NULL, target, NULL, LUMA_PATH_IN_PLACE);
    rig_convert (drawn, NULL, host, NULL, LUMA_PATH_STAGED);
    rig_close_backend (backend);
    backend = first;
    fail_unless_equals_int (driver_streams (), streams);
    fail_unless_equals_int (driver_events (), events);
    fail_unless_equals_int (driver_allocations (), allocations);
    fail_unless_equals_int (driver_contexts (), contexts + 1);
    OK (cuCtxDestroy (mine));
  }
  rig_convert (source, NULL, target, NULL, LUMA_PATH_IN_PLACE);
}

GST_END_TEST;

/* Frames that nobody has waited for are done all the same. */
GST_START_TEST (test_close_under_way)
{
  CUstream stream = rig_new_stream (CU_STREAM_NON_BLOCKING);
  guint8 *source = rig_new_memory (context, drawn);
  guint8 *target = rig_new_memory (context, NULL);

  rig_start (source, stream, target, stream, LUMA_PATH_IN_PLACE);
  rig_close_backend (backend);
  backend = NULL;
  rig_finish (stream);
  fail_unless (memcmp (target, expected, PIXELS) == 0);
}

GST_END_TEST;

static void
expect_failure (LumaBackend * which, const LumaSource * src, CUstream stream,
    const gchar * says)
{
  LumaBackend *first = backend;
  LumaPath path;

  backend = which;
  fail_unless_equals_int (rig_submit (src, host, stream, TRUE, &path),
      LUMA_FAILED);
  fail_unless (strstr (which->klass->error (which), says), "%s",
      which->klass->error (which));
  backend = first;
}

/* No other context's stream will do, and nothing comes of it. */
GST_START_TEST (test_stream_of_others)
{
  guint8 *source = rig_new_memory (context, drawn);
  LumaSource src = rig_source_at (source, NULL);
  CUstream stream;

  OK (cuStreamCreate (&stream, CU_STREAM_NON_BLOCKING));
  expect_failure (backend, &src, stream, "cudaErrorInvalidResourceHandle");
  src.stream = stream;
  expect_failure (backend, &src, NULL,
      "cudaEventRecord: cudaErrorInvalidResourceHandle");
  fail_unless_equals_int (driver_pending (), 0);
  rig_convert (source, NULL, host, NULL, LUMA_PATH_STAGED);
}

GST_END_TEST;

static CUresult
fail_as_kernel (CUcontext where, void *data)
{
  return CUDA_ERROR_ILLEGAL_ADDRESS;
}

/* The application's own kernel takes the context with it, and no other. */
GST_START_TEST (test_dead_context)
{
  guint8 *source = rig_new_memory (context, drawn);
  guint8 *target = rig_new_memory (context, NULL);
  LumaSource src = rig_source_at (drawn, NULL);
  LumaBackend *primary;
  GpuStatus status;

  primary = gpu_open (0, &status);
  rig_expect_current ();
  OK (cuCtxPushCurrent (context));
  OK (driver_queue (NULL, fail_as_kernel, NULL));
  OK (cuCtxPopCurrent (NULL));
  rig_start (source, NULL, target, NULL, LUMA_PATH_IN_PLACE);
  fail_unless_equals_int (rig_wait_for (backend), LUMA_FAILED);
  expect_failure (backend, &src, NULL, "cudaErrorIllegalAddress");
  fail_unless (gpu_open_in (context, 0, &status) == NULL);
  rig_expect_current ();
  fail_unless (status.state == GPU_REFUSED &&
      strstr (status.text, "cudaErrorIllegalAddress"), "%s", status.text);
  rig_close_backend (backend);

  backend = primary;
  rig_convert (drawn, NULL, host, NULL, LUMA_PATH_STAGED);
}

GST_END_TEST;

static cudaError_t
never_ready (cudaStream_t stream)
{
  return cudaErrorNotReady;
}

/* Of what is lost nothing is asked any more, in no context of the device.  It
 * stays lost, so that this comes last. */
GST_START_TEST (test_lost)
{
  GpuCalls hanging = driver_calls;
  LumaBackend *other, *primary;
  CUcontext again = rig_new_context (0);
  LumaSource src = rig_source_at (drawn, NULL);
  unsigned streams, events;
  GpuStatus status;
  LumaPath path;

  other = rig_open_in (again, 0);
  primary = gpu_open (0, &status);
  streams = driver_streams ();
  events = driver_events ();
  fail_unless_equals_int (rig_submit (&src, host, NULL, TRUE, &path),
      LUMA_DONE);
  hanging.StreamQuery = never_ready;
  gpu_calls = &hanging;
  fail_unless_equals_int (backend->klass->wait (backend, 1000), LUMA_UNKNOWN);
  rig_expect_current ();
  gpu_calls = &driver_calls;

  expect_failure (other, &src, NULL, "has not finished");
  expect_failure (primary, &src, NULL, "has not finished");
  fail_unless (gpu_open_in (again, 0, &status) == NULL);
  rig_expect_current ();
  fail_unless (strstr (status.text, "has not finished"), "%s", status.text);
  rig_close_backend (other);
  rig_close_backend (primary);
  rig_close_backend (backend);
  backend = NULL;
  fail_unless_equals_int (driver_streams (), streams);
  fail_unless_equals_int (driver_events (), events);
  OK (cuCtxDestroy (again));
  /* The primary context, which takes what is left there. */
  OK (cuDevicePrimaryCtxRelease (0));
}

GST_END_TEST;

static Suite *
context_suite (void)
{
  Suite *suite = suite_create ("context");
  TCase *tests = tcase_create ("context");

  tcase_add_checked_fixture (tests, rig_setup, rig_teardown);
  tcase_add_test (tests, test_memory);
  tcase_add_test (tests, test_order);
  tcase_add_test (tests, test_many_under_way);
  tcase_add_test (tests, test_one_stream);
  tcase_add_test (tests, test_two_streams_staged);
  tcase_add_test (tests, test_legacy_stream);
  tcase_add_test (tests, test_other_device);
  tcase_add_test (tests, test_other_context);
  tcase_add_test (tests, test_no_context);
  tcase_add_test (tests, test_open_and_close);
  tcase_add_test (tests, test_close_under_way);
  tcase_add_test (tests, test_stream_of_others);
  tcase_add_test (tests, test_dead_context);
  tcase_add_test (tests, test_lost);
  suite_add_tcase (suite, tests);
  return suite;
}

GST_CHECK_MAIN (context);
