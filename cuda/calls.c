/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#include "calls.h"

#include <stdio.h>

/* The driver's functions are looked up through the runtime, so that nothing
 * links to libcuda. */
static struct
{
  CUresult (*device_get) (CUdevice *, int);
  CUresult (*primary_retain) (CUcontext *, CUdevice);
  CUresult (*push) (CUcontext);
  CUresult (*pop) (CUcontext *);
  CUresult (*pointer_get_attributes) (unsigned, CUpointer_attribute *,
      void **, CUdeviceptr);
  CUresult (*error_name) (CUresult, const char **);
} driver;

static CUresult
device_get (CUdevice * device, int ordinal)
{
  return driver.device_get ? driver.device_get (device, ordinal) :
      CUDA_ERROR_NOT_FOUND;
}

static CUresult
primary_retain (CUcontext * context, CUdevice device)
{
  return driver.primary_retain ? driver.primary_retain (context, device) :
      CUDA_ERROR_NOT_FOUND;
}

static CUresult
push (CUcontext context)
{
  return driver.push ? driver.push (context) : CUDA_ERROR_NOT_FOUND;
}

static CUresult
pop (CUcontext * context)
{
  return driver.pop ? driver.pop (context) : CUDA_ERROR_NOT_FOUND;
}

static CUresult
pointer_get_attributes (unsigned count, CUpointer_attribute * attributes,
    void **data, CUdeviceptr pointer)
{
  return driver.pointer_get_attributes ?
      driver.pointer_get_attributes (count, attributes, data, pointer) :
      CUDA_ERROR_NOT_FOUND;
}

static CUresult
error_name (CUresult error, const char **name)
{
  return driver.error_name ? driver.error_name (error, name) :
      CUDA_ERROR_NOT_FOUND;
}

/* The look-up by version came with 12.5, and its elder left with 13. */
static cudaError_t
entry_point (const char *symbol, void **function)
{
  enum cudaDriverEntryPointQueryResult found;
  cudaError_t error;

#if CUDART_VERSION >= 12050
  error = cudaGetDriverEntryPointByVersion (symbol, function, 12000,
      cudaEnableDefault, &found);
#else
  error = cudaGetDriverEntryPoint (symbol, function, cudaEnableDefault, &found);
#endif
  if (error == cudaSuccess && found != cudaDriverEntryPointSuccess)
    error = cudaErrorSymbolNotFound;
  return error;
}

static cudaError_t
device_name (char *name, size_t size, int device)
{
  struct cudaDeviceProp properties;
  cudaError_t error = cudaGetDeviceProperties (&properties, device);

  snprintf (name, size, "%s",
      error == cudaSuccess ? properties.name : "unknown device");
  return error;
}

const GpuCalls gpu_cuda_calls = {
  .DriverGetVersion = cudaDriverGetVersion,
  .RuntimeGetVersion = cudaRuntimeGetVersion,
  .GetDeviceCount = cudaGetDeviceCount,
  .DeviceGetName = device_name,
  .DriverEntryPoint = entry_point,
  .DeviceGet = device_get,
  .DevicePrimaryCtxRetain = primary_retain,
  .CtxPushCurrent = push,
  .CtxPopCurrent = pop,
  .PointerGetAttributes = pointer_get_attributes,
  .GetErrorName = error_name,
  .DeviceGetAttribute = cudaDeviceGetAttribute,
  .StreamCreate = cudaStreamCreateWithFlags,
  .StreamDestroy = cudaStreamDestroy,
  .StreamQuery = cudaStreamQuery,
  .StreamWaitEvent = cudaStreamWaitEvent,
  .EventCreate = cudaEventCreateWithFlags,
  .EventDestroy = cudaEventDestroy,
  .EventRecord = cudaEventRecord,
  .Malloc = cudaMalloc,
  .Free = cudaFree,
  .MemsetAsync = cudaMemsetAsync,
  .MemcpyAsync = cudaMemcpyAsync,
  .Memcpy2DAsync = cudaMemcpy2DAsync,
  .HostRegister = cudaHostRegister,
  .HostUnregister = cudaHostUnregister,
  .Launch = gpu_launch,
  .GetLastError = cudaGetLastError,
  .ErrorName = cudaGetErrorName,
};

const GpuCalls *gpu_calls = &gpu_cuda_calls;

cudaError_t
gpu_calls_load (void)
{
  static const struct
  {
    const char *symbol;
    void **function;
  } wanted[] = {
    {"cuDeviceGet", (void **) &driver.device_get},
    {"cuDevicePrimaryCtxRetain", (void **) &driver.primary_retain},
    {"cuCtxPushCurrent", (void **) &driver.push},
    {"cuCtxPopCurrent", (void **) &driver.pop},
    {"cuPointerGetAttributes", (void **) &driver.pointer_get_attributes},
    {"cuGetErrorName", (void **) &driver.error_name},
  };

  for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
    cudaError_t error = gpu_calls->DriverEntryPoint (wanted[i].symbol,
        wanted[i].function);

    if (error != cudaSuccess)
      return error;
  }
  return cudaSuccess;
}
