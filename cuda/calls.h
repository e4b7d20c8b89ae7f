/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Every call of the CUDA library that this folder makes, in one table, so
 * that a test can make any of them fail.  The names are CUDA's own. */

#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include "kernels.h"

typedef struct
{
  cudaError_t (*DriverGetVersion) (int *version);
  cudaError_t (*RuntimeGetVersion) (int *version);
  cudaError_t (*GetDeviceCount) (int *count);
  cudaError_t (*DeviceGetName) (char *name, size_t size, int device);
  cudaError_t (*DriverEntryPoint) (const char *symbol, void **function);
  /* Of the driver, found by DriverEntryPoint. */
  CUresult (*DeviceGet) (CUdevice * device, int ordinal);
  CUresult (*DevicePrimaryCtxRetain) (CUcontext * context, CUdevice device);
  CUresult (*CtxPushCurrent) (CUcontext context);
  CUresult (*CtxPopCurrent) (CUcontext * context);
  CUresult (*PointerGetAttributes) (unsigned count,
      CUpointer_attribute * attributes, void **data, CUdeviceptr pointer);
  CUresult (*GetErrorName) (CUresult error, const char **name);

  cudaError_t (*DeviceGetAttribute) (int *value, enum cudaDeviceAttr attribute,
      int device);
  cudaError_t (*StreamCreate) (cudaStream_t * stream, unsigned flags);
  cudaError_t (*StreamDestroy) (cudaStream_t stream);
  cudaError_t (*StreamQuery) (cudaStream_t stream);
  cudaError_t (*StreamWaitEvent) (cudaStream_t stream, cudaEvent_t event,
      unsigned flags);
  cudaError_t (*EventCreate) (cudaEvent_t * event, unsigned flags);
  cudaError_t (*EventDestroy) (cudaEvent_t event);
  cudaError_t (*EventRecord) (cudaEvent_t event, cudaStream_t stream);
  cudaError_t (*Malloc) (void **data, size_t size);
  cudaError_t (*Free) (void *data);
  cudaError_t (*MemsetAsync) (void *data, int value, size_t size,
      cudaStream_t stream);
  cudaError_t (*MemcpyAsync) (void *dst, const void *src, size_t size,
      enum cudaMemcpyKind kind, cudaStream_t stream);
  cudaError_t (*Memcpy2DAsync) (void *dst, size_t dst_pitch, const void *src,
      size_t src_pitch, size_t width, size_t height, enum cudaMemcpyKind kind,
      cudaStream_t stream);
  cudaError_t (*HostRegister) (void *data, size_t size, unsigned flags);
  cudaError_t (*HostUnregister) (void *data);
  cudaError_t (*Launch) (const GpuFrame * frame, cudaStream_t stream);

  cudaError_t (*GetLastError) (void);
  const char *(*ErrorName) (cudaError_t error);
} GpuCalls;

/* What CUDA gives.  Driver calls return CUDA_ERROR_NOT_FOUND until
 * gpu_calls_load has found them. */
extern const GpuCalls gpu_cuda_calls;

/* The table in use.  A test replaces it before it opens a backend. */
extern const GpuCalls *gpu_calls;

/* Finds the driver's functions; once is enough.  CUDA's error, or success. */
cudaError_t gpu_calls_load (void);
