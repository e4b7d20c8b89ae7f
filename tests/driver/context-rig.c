/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#include "context-rig.h"

#include "rows.h"
#include "runtime.h"

CUcontext bystander, context;
LumaBackend *backend;
LumaPlan plan;
guint8 drawn[SIZE], expected[PIXELS], host[PIXELS];

void
rig_expect_current (void)
{
  CUcontext now = NULL;

  OK (cuCtxGetCurrent (&now));
  fail_unless (now == bystander);
  fail_unless_equals_int (driver_depth (), bystander != NULL);
  OK (gpu_calls->GetLastError ());
}

CUcontext
rig_new_context (CUdevice device)
{
  CUcontext made;

  OK (cuCtxCreate_v2 (&made, 0, device));
  OK (cuCtxPopCurrent (NULL));
  return made;
}

LumaBackend *
rig_open_in (CUcontext where, int device)
{
  GpuStatus status;
  LumaBackend *opened = gpu_open_in (where, device, &status);

  rig_expect_current ();
  fail_unless (opened != NULL, "%s", status.text);
  fail_unless_equals_int (status.state, GPU_READY);
  fail_unless_equals_int (status.device, device);
  return opened;
}

void
rig_close_backend (LumaBackend * which)
{
  which->klass->close (which);
  rig_expect_current ();
}

static void
expect_nothing (void)
{
  fail_unless_equals_int (driver_streams (), 0);
  fail_unless_equals_int (driver_events (), 0);
  fail_unless_equals_int (driver_allocations (), 0);
  fail_unless_equals_int (driver_registrations (), 0);
}

LumaSource
rig_source_at (const guint8 * base, CUstream stream)
{
  gboolean planar = plan.layout == LUMA_LAYOUT_PLANAR;
  LumaSource src = {.stream = stream };

  for (guint p = 0; p < (planar ? LUMA_COMPONENTS : 1); p++) {
    src.data[p] = base + PIXELS * p;
    src.stride[p] = luma_plan_extent (&plan, p).row_bytes;
  }
  return src;
}

void
rig_draw (LumaLayout layout)
{
  static guint32 state = 1;
  LumaComponent rgb[LUMA_COMPONENTS] = { 0 };
  LumaSource src;

  for (guint i = 0; i < LUMA_COMPONENTS; i++) {
    static const guint steps[LUMA_LAYOUT_ANY] = { 3, 4, 1, 1, 2, 4 };

    rgb[i].plane = layout == LUMA_LAYOUT_PLANAR ? i : 0;
    rgb[i].offset = layout == LUMA_LAYOUT_PACKED3 ||
        layout == LUMA_LAYOUT_PACKED4 ? i : steps[layout] / 2;
    if (steps[layout] == 1)
      rgb[i].offset = 0;
    rgb[i].step = steps[layout];
    rgb[i].depth = 8;
  }
  fail_unless (luma_plan_init (&plan, WIDTH, HEIGHT, rgb, LUMA_MATRIX_BT709,
          LUMA_RANGE_FULL, LUMA_RANGE_FULL));
  for (gsize i = 0; i < SIZE; i++) {
    state = state * 1664525 + 1013904223;
    drawn[i] = (guint8) (state >> 24);
  }
  src = rig_source_at (drawn, NULL);
  for (gsize y = 0; y < HEIGHT; y++) {
    const guint8 *row[LUMA_COMPONENTS];

    for (guint i = 0; i < LUMA_COMPONENTS; i++)
      row[i] = src.data[rgb[i].plane] + y * src.stride[rgb[i].plane];
    luma_row_exact (&plan, row, expected + y * WIDTH, WIDTH);
  }
}

void
rig_setup (void)
{
  gpu_calls = &driver_calls;
  OK (cuInit (0));
  rig_draw (LUMA_LAYOUT_PACKED3);
  OK (cuCtxCreate_v2 (&bystander, 0, 1));
  context = rig_new_context (0);
  backend = rig_open_in (context, 0);
}

/* The primary contexts stay, of the devices that have been opened. */
void
rig_teardown (void)
{
  if (backend != NULL)
    rig_close_backend (backend);
  OK (cuCtxDestroy (context));
  OK (cuCtxDestroy (bystander));
  bystander = NULL;
  rig_expect_current ();
  expect_nothing ();
  fail_unless_equals_int (driver_pending (), 0);
}

/* What the application does, in the context. */

guint8 *
rig_new_memory (CUcontext where, const guint8 * bytes)
{
  CUdeviceptr data;

  OK (cuCtxPushCurrent (where));
  OK (cuMemAlloc (&data, SIZE));
  OK (cuCtxPopCurrent (NULL));
  if (bytes != NULL)
    memcpy ((guint8 *) (gsize) data, bytes, SIZE);
  return (guint8 *) (gsize) data;
}

CUstream
rig_new_stream (unsigned flags)
{
  CUstream stream;

  OK (cuCtxPushCurrent (context));
  OK (cuStreamCreate (&stream, flags));
  OK (cuCtxPopCurrent (NULL));
  return stream;
}

void
rig_copy_later (guint8 * dst, const guint8 * src, gsize size, CUstream stream)
{
  OK (cuCtxPushCurrent (context));
  OK (cuMemcpyDtoDAsync ((CUdeviceptr) (gsize) dst, (CUdeviceptr) (gsize) src,
          size, stream));
  OK (cuCtxPopCurrent (NULL));
}

void
rig_overwrite_later (guint8 * data, CUstream stream)
{
  OK (cuCtxPushCurrent (context));
  OK (cuMemsetD8Async ((CUdeviceptr) (gsize) data, JUNK, SIZE, stream));
  OK (cuCtxPopCurrent (NULL));
}

void
rig_finish (CUstream stream)
{
  OK (cuCtxPushCurrent (context));
  OK (cuStreamSynchronize (stream));
  OK (cuCtxPopCurrent (NULL));
}

LumaResult
rig_submit (const LumaSource * src, guint8 * to, CUstream stream,
    gboolean may_copy, LumaPath * path)
{
  LumaTarget dst = { to, WIDTH, stream };
  LumaResult result = backend->klass->submit (backend, &plan, src, &dst,
      may_copy, path);

  rig_expect_current ();
  return result;
}

LumaResult
rig_wait_for (LumaBackend * which)
{
  LumaResult result = which->klass->wait (which, 1000000);

  rig_expect_current ();
  return result;
}

void
rig_start (const guint8 * from, CUstream from_stream, guint8 * to,
    CUstream to_stream, LumaPath wanted)
{
  LumaSource src = rig_source_at (from, from_stream);
  LumaPath path = LUMA_N_PATHS;
  LumaResult result;

  if (wanted == LUMA_PATH_STAGED)
    fail_unless_equals_int (rig_submit (&src, to, to_stream, FALSE, &path),
        LUMA_DECLINED);
  result = rig_submit (&src, to, to_stream, wanted == LUMA_PATH_STAGED, &path);
  fail_unless (result == LUMA_DONE, "%s", backend->klass->error (backend));
  fail_unless_equals_int (path, wanted);
  fail_unless (memcmp (to, expected, PIXELS) != 0);
}

void
rig_convert (const guint8 * from, CUstream from_stream, guint8 * to,
    CUstream to_stream, LumaPath wanted)
{
  memset (to, 0, PIXELS);
  rig_start (from, from_stream, to, to_stream, wanted);
  fail_unless_equals_int (rig_wait_for (backend), LUMA_DONE);
  fail_unless (memcmp (to, expected, PIXELS) == 0);
}
