/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* A CUDA driver made of host memory: libcuda.so.1 with the symbols that
 * GStreamer's libgstcuda looks for, and what a test may ask of it besides.
 *
 * Work that is put on a stream is done when something forces it (a
 * synchronisation, a second query, a copy that waits), never sooner: who looks
 * too early sees nothing.  Device memory is 0xA5 all over when it is new, and
 * 0xDD when it has been freed.
 *
 * The environment: CUDAGRAY_SIMULATED_DEVICES is how many devices cuInit
 * finds (2); CUDAGRAY_SIMULATED_PEERS=0 forbids peer access.
 *
 * All functions are safe from any thread. */

#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <cuda.h>

#define DRIVER_API __attribute__ ((visibility ("default")))

/* The cuCtxCreate that GStreamer looks up; cuda.h's has other arguments from
 * CUDA 13 on. */
DRIVER_API CUresult cuCtxCreate_v2 (CUcontext * context, unsigned flags,
    CUdevice device);

/* What there is now, in the whole process.  Primary contexts count while they
 * are retained; allocations are the device's and the host's. */
DRIVER_API unsigned driver_contexts (void);
DRIVER_API unsigned driver_streams (void);
DRIVER_API unsigned driver_events (void);
DRIVER_API unsigned driver_allocations (void);
DRIVER_API unsigned driver_registrations (void);

/* Copies, fills and launches that are queued and not yet done. */
DRIVER_API unsigned driver_pending (void);

/* Contexts ever made on a device. */
DRIVER_API unsigned driver_contexts_created (CUdevice device);

/* Contexts on the calling thread's stack. */
DRIVER_API unsigned driver_depth (void);

/* Whether kernels of the context can touch all of these bytes: memory of its
 * device or of a peer, host memory that is registered or the driver's. */
DRIVER_API bool driver_reaches (CUcontext context, const void *data,
    size_t size);

/* What a kernel does.  It makes no call of CUDA.  An error is the context's
 * from there on. */
typedef CUresult (*DriverWork) (CUcontext context, void *data);

/* Puts work on a stream of the current context, as cuLaunchKernel does.  data
 * is freed with free () once it is done or dropped, or if this fails. */
DRIVER_API CUresult driver_queue (CUstream stream, DriverWork work, void *data);
