/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Devices and their primary contexts.  For the files of cuda/ only. */

#pragma once

#include "calls.h"
#include "gpu.h"

typedef struct _GpuDevice GpuDevice;

/* Fills *status; the device, its context retained, or NULL.  A device is
 * opened once a process and stays open. */
GpuDevice *gpu_device_open (int device, GpuStatus * status);

/* The same device in another of its contexts, or NULL with *status filled.
 * Needs gpu_device_close; the others, for which that does nothing, do not. */
GpuDevice *gpu_device_open_in (CUcontext context, int device,
    GpuStatus * status);
void gpu_device_close (GpuDevice * device);

/* Whether the context is someone else's. */
bool gpu_device_is_foreign (const GpuDevice * device);

/* Turns *status of an open device into a refusal: reason is a call and its
 * error's name. */
void gpu_device_refuse (GpuStatus * status, const char *reason);

/* Runs load once for the device, and again after it failed; concurrent callers
 * wait.  True once it has succeeded. */
bool gpu_device_warm (GpuDevice * device, bool (*load) (void *), void *data);

/* A frame on the device will not end: from here on nothing is registered or
 * unregistered, for that could wait for it. */
void gpu_device_set_lost (GpuDevice * device);
bool gpu_device_is_lost (GpuDevice * device);

/* Makes the device's context current for this thread; each push that succeeds
 * needs one pop in the same function.  cudaErrorCudartUnloading once the
 * process has begun to exit, cudaErrorInitializationError in the child of a
 * process that has opened a device. */
cudaError_t gpu_push (GpuDevice * device);
void gpu_pop (void);

typedef enum
{
  GPU_OUT_OF_REACH,
  GPU_OVER_LINK,                /* host memory */
  GPU_ON_BOARD                  /* device memory */
} GpuReach;

/* How the device reaches all size bytes from data on, with *device_pointer
 * set where it does: they lie in one registration or allocation that CUDA
 * knows, or the device reads host memory through the host's page tables.  The
 * context is current. */
GpuReach gpu_reach (GpuDevice * device, const void *data, size_t size,
    uint8_t ** device_pointer);

/* The grid that reads fastest; see docs/design.md, "The kernels". */
unsigned gpu_max_blocks (GpuDevice * device, bool over_link);
