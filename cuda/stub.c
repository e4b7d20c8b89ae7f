/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* What gpu.h does in a build without CUDA. */

#include <stdio.h>
#include <string.h>

#include "gpu.h"

LumaBackend *
gpu_open (int device, GpuStatus * status)
{
  memset (status, 0, sizeof *status);
  status->state = GPU_ABSENT;
  status->device = device;
  snprintf (status->text, sizeof status->text,
      "this build has no CUDA backend");
  return NULL;
}

LumaBackend *
gpu_open_in (void *context, int device, GpuStatus * status)
{
  (void) context;
  return gpu_open (device, status);
}

bool
gpu_register (void *data, size_t size)
{
  (void) data;
  (void) size;
  return false;
}

bool
gpu_unregister (void *data)
{
  (void) data;
  return true;
}
