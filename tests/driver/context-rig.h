/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* A backend in a context of the application's, on the simulated driver, and
 * what the application does there.
 *
 * Every call is checked to leave the thread's current context alone. */

#pragma once

#include <gst/check/gstcheck.h>

#include "driver.h"
#include "gpu.h"

#define WIDTH 61
#define HEIGHT 4
#define PIXELS (WIDTH * HEIGHT)
/* Of a source in any layout. */
#define SIZE (4 * PIXELS)
/* What memory is overwritten with. */
#define JUNK 0xEE

#define OK(call) fail_unless_equals_int (call, 0)

/* What is current on the thread, on device 1, or NULL. */
extern CUcontext bystander;
/* Of the backend, on device 0. */
extern CUcontext context;
extern LumaBackend *backend;

/* The source and the target that it makes. */
extern LumaPlan plan;
extern guint8 drawn[SIZE], expected[PIXELS];
/* Host memory that the driver does not know. */
extern guint8 host[PIXELS];

/* Opens the backend; closes it, unless it is NULL, and checks that nothing is
 * left of it and of the contexts. */
void rig_setup (void);
void rig_teardown (void);

/* Draws another source. */
void rig_draw (LumaLayout layout);

void rig_expect_current (void);
/* One that is not current. */
CUcontext rig_new_context (CUdevice device);
LumaBackend *rig_open_in (CUcontext where, int device);
void rig_close_backend (LumaBackend * which);

/* Device memory, of SIZE bytes, which goes with its context; a copy of bytes or
 * new. */
guint8 *rig_new_memory (CUcontext where, const guint8 * bytes);
CUstream rig_new_stream (unsigned flags);
void rig_copy_later (guint8 * dst, const guint8 * src, gsize size,
    CUstream stream);
void rig_overwrite_later (guint8 * data, CUstream stream);
void rig_finish (CUstream stream);

LumaSource rig_source_at (const guint8 * base, CUstream stream);
LumaResult rig_submit (const LumaSource * src, guint8 * to, CUstream stream,
    gboolean may_copy, LumaPath * path);
LumaResult rig_wait_for (LumaBackend * which);

/* Submits, which has to succeed by that path and to write nothing yet. */
void rig_start (const guint8 * from, CUstream from_stream, guint8 * to,
    CUstream to_stream, LumaPath wanted);

/* The same, and waits for the right bytes. */
void rig_convert (const guint8 * from, CUstream from_stream, guint8 * to,
    CUstream to_stream, LumaPath wanted);
