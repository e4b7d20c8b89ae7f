/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* What the tests of memory:CUDAMemory share.  Each is built for a real GPU,
 * and with SIMULATED for the driver of tests/driver. */

#pragma once

#include <cuda.h>
#include <gst/check/gstcheck.h>
#include <gst/cuda/gstcudacontext.h>
#include <gst/cuda/gstcudamemory.h>

#include "cudamemory.h"
#include "gstcudagray.h"
#include "gpu.h"

#define CUDA "video/x-raw(memory:CUDAMemory)"

/* main: runs the suite, or exits with 77 where there is no GPU, where
 * GStreamer's CUDA elements are not there, or where the suite is NULL. */
int rig_gpu_main (int argc, char **argv, Suite * (*suite) (void));

/* How many devices there are. */
gint rig_devices (void);

/* Fails each test of a case that leaves anything on the simulated driver: a
 * context, a stream, an event, memory.  Add it first, for what is stopped at
 * the end of a test is stopped before this looks. */
void rig_check_leaks (TCase * tests);

/* Contexts that were ever made on a device; always 0 on a real one. */
guint rig_contexts_made (gint device);

/* What the simulated driver has; all 0 on a real GPU. */
typedef struct
{
  guint contexts, streams, events, allocations, registrations, pending;
} RigCounts;

RigCounts rig_counts (void);

/* Fails unless it is so again, soon: threads of a pipeline may just be
 * leaving. */
void rig_expect_counts (const RigCounts * expected);

/* A function of libcuda.so.1, which must have it. */
gpointer rig_driver (const gchar * symbol);

/* The CUDA context that is current on this thread, and how many are below it
 * (always 0 on a real GPU). */
typedef struct
{
  CUcontext context;
  guint depth;
} RigCurrent;

RigCurrent rig_current (void);
void rig_expect_current (const RigCurrent * expected);
