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

/* Turns *status of an open device into a refusal: reason is a call and its
 * error's name. */
void gpu_device_refuse (GpuStatus * status, const char *reason);

/* Marks a device whose kernels have been loaded. */
bool gpu_device_is_warm (GpuDevice * device);
void gpu_device_set_warm (GpuDevice * device);

/* Makes the device's context current for this thread; each push that succeeds
 * needs one pop in the same function. */
cudaError_t gpu_push (GpuDevice * device);
void gpu_pop (void);

/* True with *device_pointer set where the device can read and write all bytes
 * from data on: they lie in one registration or allocation that CUDA knows,
 * or the device reads host memory through the host's page tables.  The
 * context is current. */
bool gpu_reaches (GpuDevice * device, const void *data, size_t size,
    uint8_t ** device_pointer);
