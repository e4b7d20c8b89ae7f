/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#include "runtime.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "driver.h"
#include "host-frame.h"

/* By the names that cuda.h gives them, cuMemAlloc_v2 and the like. */
#define FUNCTIONS(X) \
  X (cuInit) X (cuDriverGetVersion) X (cuGetErrorName) \
  X (cuDeviceGet) X (cuDeviceGetCount) X (cuDeviceGetName) \
  X (cuDeviceGetAttribute) X (cuDevicePrimaryCtxRetain) \
  X (cuCtxPushCurrent) X (cuCtxPopCurrent) X (cuPointerGetAttributes) \
  X (cuStreamCreate) X (cuStreamDestroy) X (cuStreamQuery) \
  X (cuStreamWaitEvent) X (cuEventCreate) X (cuEventDestroy) \
  X (cuEventRecord) X (cuMemAlloc) X (cuMemFree) X (cuMemsetD8Async) \
  X (cuMemcpy2DAsync) X (cuMemHostRegister) X (cuMemHostUnregister) \
  X (driver_queue) X (driver_reaches)

#define FIELD(name) __typeof__ (&name) name;
#define STRING(name) #name
#define FIND(name) *(void **) &driver.name = find (STRING (name));

/* A driver without a function that is called has none of this simulation:
 * there is nothing to go on with. */
#define CALL(name, ...) (load (), driver.name (__VA_ARGS__))

static struct
{
  FUNCTIONS (FIELD)
} driver;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static void *library;
static CUresult init_result;
static _Thread_local cudaError_t last_error;

static void *
find (const char *symbol)
{
  void *function = dlsym (library, symbol);

  if (function == NULL) {
    fprintf (stderr, "%s is not in libcuda.so.1\n", symbol);
    abort ();
  }
  return function;
}

static void
load_once (void)
{
  library = dlopen ("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (library == NULL) {
    fprintf (stderr, "%s\n", dlerror ());
    abort ();
  }
  FUNCTIONS (FIND);
  init_result = driver.cuInit (0);
}

static void
load (void)
{
  pthread_once (&once, load_once);
}

/* The two have had the same numbers since CUDA 10.1. */
static cudaError_t
end (CUresult result)
{
  cudaError_t error = (cudaError_t) result;

  if (error != cudaSuccess && error != cudaErrorNotReady)
    last_error = error;
  return error;
}

static cudaError_t
driver_version (int *version)
{
  return end (CALL (cuDriverGetVersion, version));
}

static cudaError_t
runtime_version (int *version)
{
  *version = CUDART_VERSION;
  return cudaSuccess;
}

static cudaError_t
get_device_count (int *count)
{
  load ();
  return end (init_result != CUDA_SUCCESS ? init_result :
      driver.cuDeviceGetCount (count));
}

static cudaError_t
device_name (char *name, size_t size, int device)
{
  cudaError_t error = end (CALL (cuDeviceGetName, name, (int) size, device));

  if (error != cudaSuccess)
    snprintf (name, size, "unknown device");
  return error;
}

/* The newest of a function's versions that the driver has. */
static cudaError_t
entry_point (const char *symbol, void **function)
{
  char name[80];

  load ();
  for (int version = 2; version >= 1; version--) {
    snprintf (name, sizeof name, version == 1 ? "%s" : "%s_v%d", symbol,
        version);
    *function = dlsym (library, name);
    if (*function != NULL)
      return cudaSuccess;
  }
  return end (CUDA_ERROR_NOT_FOUND);
}

static CUresult
device_get (CUdevice * device, int ordinal)
{
  return CALL (cuDeviceGet, device, ordinal);
}

static CUresult
primary_retain (CUcontext * context, CUdevice device)
{
  return CALL (cuDevicePrimaryCtxRetain, context, device);
}

static CUresult
push (CUcontext context)
{
  return CALL (cuCtxPushCurrent, context);
}

static CUresult
pop (CUcontext * context)
{
  return CALL (cuCtxPopCurrent, context);
}

static CUresult
get_attributes (unsigned count, CUpointer_attribute * attributes, void **data,
    CUdeviceptr pointer)
{
  return CALL (cuPointerGetAttributes, count, attributes, data, pointer);
}

static CUresult
result_name (CUresult result, const char **name)
{
  return CALL (cuGetErrorName, result, name);
}

/* The numbers of both kinds of attributes are the same. */
static cudaError_t
device_attribute (int *value, enum cudaDeviceAttr attribute, int device)
{
  return end (CALL (cuDeviceGetAttribute, value,
          (CUdevice_attribute) attribute, device));
}

static cudaError_t
stream_create (cudaStream_t * stream, unsigned flags)
{
  return end (CALL (cuStreamCreate, stream, flags));
}

static cudaError_t
stream_destroy (cudaStream_t stream)
{
  return end (CALL (cuStreamDestroy, stream));
}

static cudaError_t
stream_query (cudaStream_t stream)
{
  return end (CALL (cuStreamQuery, stream));
}

static cudaError_t
stream_wait_event (cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
  return end (CALL (cuStreamWaitEvent, stream, event, flags));
}

static cudaError_t
event_create (cudaEvent_t * event, unsigned flags)
{
  return end (CALL (cuEventCreate, event, flags));
}

static cudaError_t
event_destroy (cudaEvent_t event)
{
  return end (CALL (cuEventDestroy, event));
}

static cudaError_t
event_record (cudaEvent_t event, cudaStream_t stream)
{
  return end (CALL (cuEventRecord, event, stream));
}

static cudaError_t
device_malloc (void **data, size_t size)
{
  CUdeviceptr device = 0;
  cudaError_t error = end (CALL (cuMemAlloc, &device, size));

  *data = (void *) (uintptr_t) device;
  return error;
}

static cudaError_t
device_free (void *data)
{
  return end (CALL (cuMemFree, (CUdeviceptr) (uintptr_t) data));
}

static cudaError_t
fill_async (void *data, int value, size_t size, cudaStream_t stream)
{
  return end (CALL (cuMemsetD8Async, (CUdeviceptr) (uintptr_t) data,
          (unsigned char) value, size, stream));
}

/* Where a kind says device, the driver has to know the memory. */
static cudaError_t
copy_2d_async (void *dst, size_t dst_pitch, const void *src, size_t src_pitch,
    size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
  static const struct
  {
    CUmemorytype src, dst;
  } types[] = {
    [cudaMemcpyHostToHost] = {CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_HOST},
    [cudaMemcpyHostToDevice] = {CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_DEVICE},
    [cudaMemcpyDeviceToHost] = {CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_HOST},
    [cudaMemcpyDeviceToDevice] = {CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_DEVICE},
    [cudaMemcpyDefault] = {CU_MEMORYTYPE_UNIFIED, CU_MEMORYTYPE_UNIFIED},
  };
  CUDA_MEMCPY2D copy = {
    .srcHost = src,
    .srcDevice = (CUdeviceptr) (uintptr_t) src,
    .srcPitch = src_pitch,
    .dstHost = dst,
    .dstDevice = (CUdeviceptr) (uintptr_t) dst,
    .dstPitch = dst_pitch,
    .WidthInBytes = width,
    .Height = height,
  };

  if ((unsigned) kind >= sizeof types / sizeof types[0])
    return end ((CUresult) cudaErrorInvalidMemcpyDirection);
  if (dst_pitch < width || src_pitch < width)
    return end ((CUresult) cudaErrorInvalidPitchValue);
  copy.srcMemoryType = types[kind].src;
  copy.dstMemoryType = types[kind].dst;
  return end (CALL (cuMemcpy2DAsync, &copy, stream));
}

static cudaError_t
copy_async (void *dst, const void *src, size_t size, enum cudaMemcpyKind kind,
    cudaStream_t stream)
{
  return copy_2d_async (dst, size, src, size, size, 1, kind, stream);
}

static cudaError_t
host_register (void *data, size_t size, unsigned flags)
{
  return end (CALL (cuMemHostRegister, data, size, flags));
}

static cudaError_t
host_unregister (void *data)
{
  return end (CALL (cuMemHostUnregister, data));
}

static bool
reaches_row (CUcontext context, const GpuFrame * frame, size_t y)
{
  for (int i = 0; i < LUMA_COMPONENTS; i++) {
    size_t bytes;
    const uint8_t *row = host_frame_source (frame, i, y, &bytes);

    if ((i == 0 || (frame->src[i] != NULL && frame->src[i] != frame->src[0])) &&
        !driver.driver_reaches (context, row, bytes))
      return false;
  }
  return driver.driver_reaches (context,
      frame->dst + (ptrdiff_t) y * frame->dst_stride,
      frame->out_bytes * frame->width);
}

static CUresult
run_frame (CUcontext context, void *data)
{
  const GpuFrame *frame = data;

  for (size_t y = 0; y < frame->height; y++) {
    if (!reaches_row (context, frame, y))
      return CUDA_ERROR_ILLEGAL_ADDRESS;
    host_frame_row (frame, y);
  }
  return CUDA_SUCCESS;
}

static cudaError_t
launch (const GpuFrame * frame, cudaStream_t stream)
{
  GpuFrame *copy;

  if (frame->max_blocks == 0)
    return end ((CUresult) cudaErrorInvalidConfiguration);
  copy = malloc (sizeof *copy);
  if (copy == NULL)
    abort ();
  *copy = *frame;
  return end (CALL (driver_queue, stream, run_frame, copy));
}

static cudaError_t
get_last_error (void)
{
  cudaError_t error = last_error;

  last_error = cudaSuccess;
  return error;
}

const GpuCalls driver_calls = {
  .DriverGetVersion = driver_version,
  .RuntimeGetVersion = runtime_version,
  .GetDeviceCount = get_device_count,
  .DeviceGetName = device_name,
  .DriverEntryPoint = entry_point,
  .DeviceGet = device_get,
  .DevicePrimaryCtxRetain = primary_retain,
  .CtxPushCurrent = push,
  .CtxPopCurrent = pop,
  .PointerGetAttributes = get_attributes,
  .GetErrorName = result_name,
  .DeviceGetAttribute = device_attribute,
  .StreamCreate = stream_create,
  .StreamDestroy = stream_destroy,
  .StreamQuery = stream_query,
  .StreamWaitEvent = stream_wait_event,
  .EventCreate = event_create,
  .EventDestroy = event_destroy,
  .EventRecord = event_record,
  .Malloc = device_malloc,
  .Free = device_free,
  .MemsetAsync = fill_async,
  .MemcpyAsync = copy_async,
  .Memcpy2DAsync = copy_2d_async,
  .HostRegister = host_register,
  .HostUnregister = host_unregister,
  .Launch = launch,
  .GetLastError = get_last_error,
  .ErrorName = cudaGetErrorName,
};
