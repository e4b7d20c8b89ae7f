/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* The simulated driver by its own calls: what is done when, and which memory
 * is whose. */

#include <gst/check/gstcheck.h>

#include "driver.h"

#define SIZE 4096

#define OK(call) fail_unless_equals_int (call, CUDA_SUCCESS)
#define FAILS(error, call) fail_unless_equals_int (call, CUDA_ERROR_##error)

static CUcontext context;       /* current, on device 0 */
static guint8 host[SIZE];

static void
setup (void)
{
  OK (cuInit (0));
  OK (cuCtxCreate_v2 (&context, 0, 0));
}

static void
teardown (void)
{
  OK (cuCtxDestroy (context));
  fail_unless_equals_int (driver_depth (), 0);
  fail_unless_equals_int (driver_contexts (), 0);
  fail_unless_equals_int (driver_streams (), 0);
  fail_unless_equals_int (driver_events (), 0);
  fail_unless_equals_int (driver_allocations (), 0);
  fail_unless_equals_int (driver_registrations (), 0);
  fail_unless_equals_int (driver_pending (), 0);
}

static CUdeviceptr
new_memory (guint8 fill)
{
  CUdeviceptr data;

  OK (cuMemAlloc (&data, SIZE));
  memset ((void *) (gsize) data, fill, SIZE);
  return data;
}

static CUstream
new_stream (unsigned flags)
{
  CUstream stream;

  OK (cuStreamCreate (&stream, flags));
  return stream;
}

static guint8
byte_at (CUdeviceptr data, gsize at)
{
  return ((const guint8 *) (gsize) data)[at];
}

static gpointer
use_destroyed (gpointer to_push)
{
  CUdeviceptr data;

  OK (cuCtxPushCurrent (context));
  OK (cuCtxDestroy (context));
  fail_unless_equals_int (driver_depth (), 0);
  FAILS (INVALID_CONTEXT, cuMemAlloc (&data, 1));
  return NULL;
}

GST_START_TEST (test_contexts)
{
  unsigned before = driver_contexts_created (1);
  CUcontext outer = context, other, primary, again, popped = NULL;
  CUdeviceptr data;
  CUdevice device;

  OK (cuCtxCreate_v2 (&other, 0, 1));
  fail_unless_equals_int (driver_depth (), 2);
  OK (cuCtxGetDevice (&device));
  fail_unless_equals_int (device, 1);
  OK (cuCtxPushCurrent (outer));
  OK (cuCtxPopCurrent (&popped));
  fail_unless (popped == outer);
  OK (cuCtxPopCurrent (&popped));
  fail_unless (popped == other);
  fail_unless_equals_int (driver_contexts_created (1), before + 1);
  OK (cuCtxDestroy (other));
  FAILS (INVALID_CONTEXT, cuCtxPushCurrent (other));
  FAILS (INVALID_DEVICE, cuCtxCreate_v2 (&other, 0, 2));

  OK (cuDevicePrimaryCtxRetain (&primary, 1));
  OK (cuDevicePrimaryCtxRetain (&again, 1));
  fail_unless (primary == again);
  OK (cuDevicePrimaryCtxRelease (1));
  fail_unless_equals_int (driver_contexts (), 2);
  FAILS (INVALID_CONTEXT, cuCtxDestroy (primary));
  OK (cuDevicePrimaryCtxRelease (1));
  fail_unless_equals_int (driver_contexts (), 1);

  /* Destroyed by another thread, it stays on this one's stack. */
  g_thread_join (g_thread_new ("other", use_destroyed, NULL));
  FAILS (CONTEXT_IS_DESTROYED, cuMemAlloc (&data, 1));
  OK (cuCtxPopCurrent (NULL));
  FAILS (INVALID_CONTEXT, cuCtxPopCurrent (NULL));
  OK (cuCtxCreate_v2 (&context, 0, 0));
}

GST_END_TEST;

GST_START_TEST (test_deferred)
{
  CUstream stream = new_stream (CU_STREAM_NON_BLOCKING);
  CUdeviceptr data = new_memory (1);

  OK (cuMemsetD8Async (data, 2, SIZE, stream));
  memset (host, 0, sizeof host);
  OK (cuMemcpyDtoHAsync (host, data, SIZE, stream));
  fail_unless_equals_int (driver_pending (), 2);
  fail_unless_equals_int (byte_at (data, 0), 1);
  FAILS (NOT_READY, cuStreamQuery (stream));
  fail_unless_equals_int (host[SIZE - 1], 0);
  OK (cuStreamQuery (stream));
  fail_unless_equals_int (host[SIZE - 1], 2);
  fail_unless_equals_int (byte_at (data, 0), 2);
  OK (cuStreamQuery (stream));

  OK (cuMemsetD8Async (data, 3, SIZE, stream));
  OK (cuStreamSynchronize (stream));
  fail_unless_equals_int (byte_at (data, 0), 3);
  OK (cuMemsetD8Async (data, 4, SIZE, stream));
  OK (cuCtxSynchronize ());
  fail_unless_equals_int (byte_at (data, 0), 4);
  memset (host, 0, sizeof host);
  OK (cuMemcpyDtoHAsync (host, data, SIZE, stream));
  OK (cuStreamDestroy (stream));
  fail_unless_equals_int (host[0], 4);
  FAILS (INVALID_HANDLE, cuStreamQuery (stream));
}

GST_END_TEST;

/* Which streams a copy that waits takes along. */
GST_START_TEST (test_legacy)
{
  CUstream blocking = new_stream (CU_STREAM_DEFAULT);
  CUstream apart = new_stream (CU_STREAM_NON_BLOCKING);
  CUdeviceptr a = new_memory (1), b = new_memory (1), c = new_memory (1);

  OK (cuMemsetD8Async (a, 2, SIZE, blocking));
  OK (cuMemsetD8Async (b, 2, SIZE, apart));
  OK (cuMemcpyHtoD (c, host, 1));
  fail_unless_equals_int (byte_at (a, 0), 2);
  fail_unless_equals_int (byte_at (b, 0), 1);

  /* Within device memory it is done later, in order with blocking streams. */
  OK (cuMemcpyDtoD (c, a, SIZE));
  fail_unless_equals_int (byte_at (c, SIZE - 1), 1);
  OK (cuMemsetD8Async (a, 3, SIZE, blocking));
  OK (cuMemsetD8Async (c, 3, 1, blocking));
  OK (cuMemcpyDtoDAsync (b, c, SIZE, apart));
  OK (cuStreamSynchronize (apart));
  fail_unless_equals_int (byte_at (b, SIZE - 1), 1);
  OK (cuStreamSynchronize (blocking));
  fail_unless_equals_int (byte_at (c, 0), 3);
  fail_unless_equals_int (byte_at (c, SIZE - 1), 2);

  OK (cuMemsetD8Async (a, 4, SIZE, blocking));
  FAILS (NOT_READY, cuStreamQuery (NULL));
  OK (cuStreamQuery (NULL));
  fail_unless_equals_int (byte_at (a, 0), 4);
}

GST_END_TEST;

/* A reader and a writer with streams in contexts of their own. */
GST_START_TEST (test_events)
{
  CUstream writer = new_stream (CU_STREAM_NON_BLOCKING), reader;
  CUdeviceptr data = new_memory (1), more = new_memory (1);
  CUcontext other;
  CUevent written, unused;

  OK (cuEventCreate (&written, CU_EVENT_DISABLE_TIMING));
  OK (cuEventCreate (&unused, CU_EVENT_DISABLE_TIMING));
  OK (cuMemsetD8Async (data, 2, SIZE, writer));
  OK (cuEventRecord (written, writer));
  OK (cuMemsetD8Async (more, 2, SIZE, writer));

  OK (cuCtxCreate_v2 (&other, 0, 0));
  FAILS (INVALID_HANDLE, cuEventRecord (written, NULL));
  reader = new_stream (CU_STREAM_NON_BLOCKING);
  memset (host, 0, sizeof host);
  /* Without the event it reads too early. */
  OK (cuMemcpyDtoHAsync (host, data, 1, reader));
  OK (cuStreamSynchronize (reader));
  fail_unless_equals_int (host[0], 1);
  OK (cuStreamWaitEvent (reader, unused, 0));
  OK (cuStreamWaitEvent (reader, written, 0));
  OK (cuMemcpyDtoHAsync (host, data, 1, reader));
  FAILS (NOT_READY, cuEventQuery (written));
  OK (cuStreamSynchronize (reader));
  fail_unless_equals_int (host[0], 2);
  fail_unless_equals_int (byte_at (more, 0), 1);
  OK (cuEventQuery (written));
  OK (cuCtxDestroy (other));

  OK (cuEventRecord (written, writer));
  OK (cuEventSynchronize (written));
  fail_unless_equals_int (byte_at (more, 0), 2);

  /* The legacy stream's events stand for the blocking streams too. */
  reader = new_stream (CU_STREAM_DEFAULT);
  OK (cuMemsetD8Async (data, 3, SIZE, reader));
  OK (cuEventRecord (written, NULL));
  OK (cuEventSynchronize (written));
  fail_unless_equals_int (byte_at (data, 0), 3);
  OK (cuEventDestroy (written));
  FAILS (INVALID_HANDLE, cuEventSynchronize (written));
}

GST_END_TEST;

/* Frames that go to and fro between two streams, all done at the end. */
GST_START_TEST (test_events_to_and_fro)
{
  CUstream stream[2] = { new_stream (CU_STREAM_NON_BLOCKING),
    new_stream (CU_STREAM_NON_BLOCKING)
  };
  CUdeviceptr data = new_memory (0);
  CUevent event;

  OK (cuEventCreate (&event, CU_EVENT_DISABLE_TIMING));
  for (guint i = 0; i < 200; i++) {
    OK (cuMemsetD8Async (data + i, i, SIZE - i, stream[i % 2]));
    OK (cuEventRecord (event, stream[i % 2]));
    OK (cuStreamWaitEvent (stream[(i + 1) % 2], event, 0));
  }
  fail_unless_equals_int (driver_pending (), 200);
  OK (cuStreamSynchronize (stream[1]));
  for (guint i = 0; i < 200; i++)
    fail_unless_equals_int (byte_at (data, i), i);
}

GST_END_TEST;

typedef struct
{
  unsigned type;
  CUdeviceptr device, start;
  size_t size;
  CUcontext context;
} Attributes;

static Attributes
get_attributes (CUdeviceptr data)
{
  CUpointer_attribute which[] = {
    CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
    CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, CU_POINTER_ATTRIBUTE_RANGE_SIZE,
    CU_POINTER_ATTRIBUTE_CONTEXT
  };
  Attributes a;
  void *where[] = { &a.type, &a.device, &a.start, &a.size, &a.context };

  OK (cuPointerGetAttributes (5, which, where, data));
  return a;
}

GST_START_TEST (test_memory)
{
  CUdeviceptr data, mine = (CUdeviceptr) (gsize) host;
  Attributes a;
  void *pinned;
  size_t pitch;

  OK (cuMemAllocPitch (&data, &pitch, 700, 3, 16));
  fail_unless_equals_int (pitch, 1024);
  fail_unless_equals_int (data % 512, 0);
  a = get_attributes (data + 2000);
  fail_unless (a.type == CU_MEMORYTYPE_DEVICE && a.device == data + 2000 &&
      a.start == data && a.size == 3 * pitch && a.context == context);
  FAILS (INVALID_VALUE, cuMemsetD8Async (data, 0, 3 * pitch + 1, NULL));
  FAILS (INVALID_VALUE, cuMemcpyHtoD (mine, host, 1));
  FAILS (INVALID_VALUE, cuMemcpyHtoD (data, (void *) (gsize) data, 1));
  FAILS (INVALID_VALUE, cuMemFree (data + 1));
  OK (cuMemsetD8Async (data, 0, 1, NULL));
  OK (cuMemFree (data));
  fail_unless_equals_int (driver_pending (), 0);
  FAILS (INVALID_VALUE, cuMemFree (data));

  OK (cuMemAllocHost (&pinned, SIZE));
  a = get_attributes ((CUdeviceptr) (gsize) pinned);
  fail_unless (a.type == CU_MEMORYTYPE_HOST && a.size == SIZE);
  FAILS (INVALID_VALUE, cuMemFree ((CUdeviceptr) (gsize) pinned));
  OK (cuMemFreeHost (pinned));

  fail_unless (get_attributes (mine).type == 0);
  OK (cuMemHostRegister (host, SIZE, CU_MEMHOSTREGISTER_PORTABLE));
  FAILS (HOST_MEMORY_ALREADY_REGISTERED, cuMemHostRegister (host + 100, 1, 0));
  a = get_attributes (mine + 1);
  fail_unless (a.type == CU_MEMORYTYPE_HOST && a.device == mine + 1 &&
      a.start == mine);
  fail_unless (driver_reaches (context, host, SIZE));
  fail_if (driver_reaches (context, host, SIZE + 1));
  OK (cuMemHostUnregister (host));
  FAILS (HOST_MEMORY_NOT_REGISTERED, cuMemHostUnregister (host));
}

GST_END_TEST;

GST_START_TEST (test_peers)
{
  CUdeviceptr data = new_memory (0);
  CUcontext same, far;
  int can = -1;

  OK (cuCtxCreate_v2 (&same, 0, 0));
  fail_unless (get_attributes (data).device == data);
  FAILS (PEER_ACCESS_UNSUPPORTED, cuCtxEnablePeerAccess (context, 0));
  OK (cuCtxCreate_v2 (&far, 0, 1));
  fail_unless (get_attributes (data).device == 0);
  fail_unless (get_attributes (data).context == context);
  fail_if (driver_reaches (far, (void *) (gsize) data, 1));

  g_setenv ("CUDAGRAY_SIMULATED_PEERS", "0", TRUE);
  OK (cuDeviceCanAccessPeer (&can, 1, 0));
  fail_unless_equals_int (can, 0);
  FAILS (PEER_ACCESS_UNSUPPORTED, cuCtxEnablePeerAccess (context, 0));
  g_unsetenv ("CUDAGRAY_SIMULATED_PEERS");
  OK (cuDeviceCanAccessPeer (&can, 1, 0));
  fail_unless_equals_int (can, 1);
  OK (cuCtxEnablePeerAccess (context, 0));
  FAILS (PEER_ACCESS_ALREADY_ENABLED, cuCtxEnablePeerAccess (context, 0));
  fail_unless (get_attributes (data).device == data);
  fail_unless (driver_reaches (far, (void *) (gsize) data, SIZE));
  OK (cuCtxDisablePeerAccess (context));
  FAILS (PEER_ACCESS_NOT_ENABLED, cuCtxDisablePeerAccess (context));
  fail_unless (get_attributes (data).device == 0);
  OK (cuCtxDestroy (far));
  OK (cuCtxDestroy (same));
}

GST_END_TEST;

/* What a context takes with it, and what becomes of work that needed it. */
GST_START_TEST (test_destroyed)
{
  CUcontext other;
  CUstream stream, reader = new_stream (CU_STREAM_NON_BLOCKING);
  CUdeviceptr data, mine;
  CUevent event;

  OK (cuCtxCreate_v2 (&other, 0, 0));
  stream = new_stream (CU_STREAM_NON_BLOCKING);
  data = new_memory (1);
  OK (cuEventCreate (&event, 0));
  OK (cuMemsetD8Async (data, 2, SIZE, stream));
  OK (cuEventRecord (event, stream));
  OK (cuCtxPopCurrent (NULL));
  OK (cuStreamWaitEvent (reader, event, 0));
  OK (cuMemcpyDtoHAsync (host, data, SIZE, reader));
  OK (cuCtxDestroy (other));
  FAILS (INVALID_HANDLE, cuStreamSynchronize (stream));
  FAILS (INVALID_HANDLE, cuEventSynchronize (event));
  FAILS (INVALID_VALUE, cuMemFree (data));

  /* The copy comes too late, and its context is done for. */
  FAILS (ILLEGAL_ADDRESS, cuStreamSynchronize (reader));
  FAILS (ILLEGAL_ADDRESS, cuMemAlloc (&mine, 1));
  FAILS (ILLEGAL_ADDRESS, cuStreamQuery (reader));
}

GST_END_TEST;

static Suite *
driver_suite (void)
{
  Suite *suite = suite_create ("driver");
  TCase *tests = tcase_create ("calls");

  tcase_add_checked_fixture (tests, setup, teardown);
  tcase_add_test (tests, test_contexts);
  tcase_add_test (tests, test_deferred);
  tcase_add_test (tests, test_legacy);
  tcase_add_test (tests, test_events);
  tcase_add_test (tests, test_events_to_and_fro);
  tcase_add_test (tests, test_memory);
  tcase_add_test (tests, test_peers);
  tcase_add_test (tests, test_destroyed);
  suite_add_tcase (suite, tests);
  return suite;
}

GST_CHECK_MAIN (driver);
