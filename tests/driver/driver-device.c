/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* The driver as such, and its devices. */

#include "driver-core.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VERSION 13000

int driver_device_count;

#define NAMED(name) {name, #name}
static const struct
{
  CUresult result;
  const char *name;
} names[] = {
  NAMED (CUDA_SUCCESS),
  NAMED (CUDA_ERROR_INVALID_VALUE),
  NAMED (CUDA_ERROR_OUT_OF_MEMORY),
  NAMED (CUDA_ERROR_NOT_INITIALIZED),
  NAMED (CUDA_ERROR_NO_DEVICE),
  NAMED (CUDA_ERROR_INVALID_DEVICE),
  NAMED (CUDA_ERROR_INVALID_CONTEXT),
  NAMED (CUDA_ERROR_PEER_ACCESS_UNSUPPORTED),
  NAMED (CUDA_ERROR_INVALID_HANDLE),
  NAMED (CUDA_ERROR_NOT_FOUND),
  NAMED (CUDA_ERROR_NOT_READY),
  NAMED (CUDA_ERROR_ILLEGAL_ADDRESS),
  NAMED (CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED),
  NAMED (CUDA_ERROR_PEER_ACCESS_NOT_ENABLED),
  NAMED (CUDA_ERROR_CONTEXT_IS_DESTROYED),
  NAMED (CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED),
  NAMED (CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED),
  NAMED (CUDA_ERROR_NOT_SUPPORTED),
};

CUresult
cuInit (unsigned flags)
{
  const char *devices = getenv ("CUDAGRAY_SIMULATED_DEVICES");

  if (driver_enter (NULL) != CUDA_SUCCESS) {
    driver_device_count = devices != NULL ? atoi (devices) : 2;
    if (driver_device_count > MAX_DEVICES)
      driver_device_count = MAX_DEVICES;
  }
  return driver_leave (driver_device_count > 0 ? CUDA_SUCCESS :
      CUDA_ERROR_NO_DEVICE);
}

CUresult
cuDriverGetVersion (int *version)
{
  *version = VERSION;
  return CUDA_SUCCESS;
}

CUresult
cuGetErrorName (CUresult error, const char **name)
{
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (names[i].result == error) {
      *name = names[i].name;
      return CUDA_SUCCESS;
    }
  }
  *name = NULL;
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult
cuGetErrorString (CUresult error, const char **text)
{
  return cuGetErrorName (error, text);
}

CUresult
driver_check_device (CUresult result, CUdevice device)
{
  if (result == CUDA_SUCCESS && (device < 0 || device >= driver_device_count))
    return CUDA_ERROR_INVALID_DEVICE;
  return result;
}

CUresult
cuDeviceGet (CUdevice * device, int ordinal)
{
  CUresult result = driver_check_device (driver_enter (NULL), ordinal);

  if (result == CUDA_SUCCESS)
    *device = ordinal;
  return driver_leave (result);
}

CUresult
cuDeviceGetCount (int *count)
{
  CUresult result = driver_enter (NULL);

  if (result == CUDA_SUCCESS)
    *count = driver_device_count;
  return driver_leave (result);
}

CUresult
cuDeviceGetName (char *name, int size, CUdevice device)
{
  CUresult result = driver_check_device (driver_enter (NULL), device);

  if (result == CUDA_SUCCESS)
    snprintf (name, size, "Simulated %d", device);
  return driver_leave (result);
}

CUresult
cuDeviceGetAttribute (int *value, CUdevice_attribute attribute, CUdevice device)
{
  static const int values[CU_DEVICE_ATTRIBUTE_MAX] = {
    [CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK] = 1024,
    [CU_DEVICE_ATTRIBUTE_WARP_SIZE] = 32,
    [CU_DEVICE_ATTRIBUTE_MAX_PITCH] = INT_MAX,
    [CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT] = 512,
    [CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT] = 32,
    [CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT] = 4,
    [CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY] = 1,
    [CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS] = 1,
    [CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT] = 2,
    [CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING] = 1,
    [CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR] = 9,
    [CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM] = 1,
    [CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED] = 1,
  };
  CUresult result = driver_check_device (driver_enter (NULL), device);

  if (result == CUDA_SUCCESS
      && (attribute <= 0 || attribute >= CU_DEVICE_ATTRIBUTE_MAX))
    result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    *value = values[attribute];
  return driver_leave (result);
}

bool
driver_can_access_peer (CUdevice device, CUdevice peer)
{
  const char *allowed = getenv ("CUDAGRAY_SIMULATED_PEERS");

  return device != peer && (allowed == NULL || strcmp (allowed, "0") != 0);
}

CUresult
cuDeviceCanAccessPeer (int *can, CUdevice device, CUdevice peer)
{
  CUresult result = driver_check_device (driver_enter (NULL), device);

  result = driver_check_device (result, peer);
  if (result == CUDA_SUCCESS)
    *can = driver_can_access_peer (device, peer);
  return driver_leave (result);
}
