/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "device.h"
#include "ranges.h"

#define MAX_DEVICES 64

struct _GpuDevice
{
  CUcontext context;            /* the primary one, retained for good */
  GpuDevice *primary;           /* NULL but where context is another one */
  bool open;
  bool lost;                    /* a frame is out of control; the primary's */
  bool warm;                    /* the context's kernels are loaded */
  bool reads_host_pages;
  unsigned multiprocessors;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static GpuDevice devices[MAX_DEVICES];

/* Written before the child of a fork runs: CUDA is dead there. */
static bool forked;

static void
note_fork (void)
{
  forked = true;
}

/* Read by whoever is between a push and its pop, written by the end of the
 * process. */
static pthread_rwlock_t in_use = PTHREAD_RWLOCK_INITIALIZER;

/* A process may exit while its streams play.  CUDA takes itself down then, and
 * a call that comes after, or is under way, can crash: let those under way end
 * and no more begin.  A GPU that hangs must not keep the process. */
static void
end_use (void)
{
  struct timespec until;

  /* Who was in the middle of a call at the fork is not here to end it. */
  if (forked)
    return;
  clock_gettime (CLOCK_REALTIME, &until);
  until.tv_sec += 1;
  pthread_rwlock_timedwrlock (&in_use, &until);
}

/* A failed call leaves its error for whoever asks next, in this process's
 * other CUDA code too: take it away. */
static GpuDevice *
refuse (GpuStatus * status, GpuState state, const char *call, const char *error)
{
  gpu_calls->GetLastError ();
  status->state = state;
  snprintf (status->text, sizeof status->text, "%s: %s (CUDA driver %d.%d, "
      "runtime %d.%d)", call, error, status->driver / 1000,
      status->driver % 1000 / 10, status->runtime / 1000,
      status->runtime % 1000 / 10);
  return NULL;
}

void
gpu_device_refuse (GpuStatus * status, const char *reason)
{
  refuse (status, GPU_REFUSED, "opening the GPU failed", reason);
}

static GpuDevice *
refuse_result (GpuStatus * status, const char *call, CUresult result)
{
  const char *name = NULL;

  gpu_calls->GetErrorName (result, &name);
  return refuse (status, GPU_REFUSED, call, name ? name : "unknown error");
}

static void
list_devices (GpuStatus * status, int count)
{
  size_t at = 0;
  int n;

  for (int i = -1; i < count && at < sizeof status->text; i++) {
    char *text = status->text + at;
    size_t room = sizeof status->text - at;

    if (i < 0)
      n = snprintf (text, room, "there is no CUDA device %d; there %s",
          status->device, count == 1 ? "is only" : "are only");
    else
      n = snprintf (text, room, "%s %d", i == 0 ? "" : ",", i);
    at += n;
  }
}

/* The number of devices, or 0 with *status filled. */
static int
count_devices (GpuStatus * status)
{
  cudaError_t error;
  int count = 0;

  if (gpu_calls->RuntimeGetVersion (&status->runtime) != cudaSuccess)
    gpu_calls->GetLastError ();
  error = gpu_calls->DriverGetVersion (&status->driver);
  if (error != cudaSuccess || status->driver == 0) {
    refuse (status, GPU_ABSENT, "cudaDriverGetVersion", error != cudaSuccess ?
        gpu_calls->ErrorName (error) : "no NVIDIA driver");
    return 0;
  }
  error = gpu_calls->GetDeviceCount (&count);
  if (error == cudaErrorNoDevice || (error == cudaSuccess && count == 0))
    refuse (status, GPU_ABSENT, "cudaGetDeviceCount",
        gpu_calls->ErrorName (cudaErrorNoDevice));
  else if (error != cudaSuccess)
    refuse (status, GPU_REFUSED, "cudaGetDeviceCount",
        gpu_calls->ErrorName (error));
  return error == cudaSuccess ? count : 0;
}

static int
attribute (int ordinal, enum cudaDeviceAttr which, int otherwise)
{
  int value;

  if (gpu_calls->DeviceGetAttribute (&value, which, ordinal) == cudaSuccess)
    return value;
  gpu_calls->GetLastError ();
  return otherwise;
}

/* With the lock held. */
static GpuDevice *
retain (int ordinal, GpuStatus * status)
{
  static bool loaded, ends;
  GpuDevice *device = &devices[ordinal];
  CUdevice handle;
  CUresult result;
  cudaError_t error;

  if (device->open)
    return device;
  error = loaded ? cudaSuccess : gpu_calls_load ();
  loaded = error == cudaSuccess;
  if (error != cudaSuccess)
    return refuse (status, GPU_REFUSED, "cudaGetDriverEntryPoint",
        gpu_calls->ErrorName (error));
  result = gpu_calls->DeviceGet (&handle, ordinal);
  if (result != CUDA_SUCCESS)
    return refuse_result (status, "cuDeviceGet", result);
  result = gpu_calls->DevicePrimaryCtxRetain (&device->context, handle);
  if (result != CUDA_SUCCESS)
    return refuse_result (status, "cuDevicePrimaryCtxRetain", result);
  device->multiprocessors = attribute (ordinal,
      cudaDevAttrMultiProcessorCount, 1);
  device->reads_host_pages = attribute (ordinal,
      cudaDevAttrPageableMemoryAccessUsesHostPageTables, 0);
  device->open = true;
  /* Registered after CUDA's own handlers, it runs before them. */
  if (!ends)
    ends = atexit (end_use) == 0 && pthread_atfork (NULL, NULL, note_fork) == 0;
  return device;
}

GpuDevice *
gpu_device_open (int ordinal, GpuStatus * status)
{
  GpuDevice *device;
  int count;

  memset (status, 0, sizeof *status);
  status->device = ordinal;
  if (forked) {
    status->state = GPU_REFUSED;
    snprintf (status->text, sizeof status->text,
        "CUDA was in use when this process was forked");
    return NULL;
  }
  count = count_devices (status);
  if (count == 0)
    return NULL;
  if (ordinal >= count || ordinal >= MAX_DEVICES) {
    status->state = GPU_NO_SUCH_DEVICE;
    list_devices (status, count);
    return NULL;
  }
  status->device = ordinal < 0 ? 0 : ordinal;
  pthread_mutex_lock (&lock);
  device = retain (status->device, status);
  pthread_mutex_unlock (&lock);
  if (device != NULL) {
    status->state = GPU_READY;
    if (gpu_calls->DeviceGetName (status->text, sizeof status->text,
            status->device) != cudaSuccess)
      gpu_calls->GetLastError ();
  }
  return device;
}

GpuDevice *
gpu_device_open_in (CUcontext context, int ordinal, GpuStatus * status)
{
  GpuDevice *primary = gpu_device_open (ordinal, status);
  GpuDevice *device;

  if (primary == NULL)
    return NULL;
  device = calloc (1, sizeof *device);
  if (device == NULL) {
    gpu_device_refuse (status, "out of memory");
    return NULL;
  }
  device->context = context;
  device->primary = primary;
  device->reads_host_pages = primary->reads_host_pages;
  device->multiprocessors = primary->multiprocessors;
  return device;
}

void
gpu_device_close (GpuDevice * device)
{
  if (device->primary != NULL)
    free (device);
}

bool
gpu_device_is_foreign (const GpuDevice * device)
{
  return device->primary != NULL;
}

bool
gpu_device_warm (GpuDevice * device, bool (*load) (void *), void *data)
{
  static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;
  bool warm;

  pthread_mutex_lock (&loading);
  if (!device->warm)
    device->warm = load (data);
  warm = device->warm;
  pthread_mutex_unlock (&loading);
  return warm;
}

cudaError_t
gpu_push (GpuDevice * device)
{
  if (forked)
    return cudaErrorInitializationError;
  if (pthread_rwlock_tryrdlock (&in_use) != 0)
    return cudaErrorCudartUnloading;
  if (gpu_calls->CtxPushCurrent (device->context) == CUDA_SUCCESS)
    return cudaSuccess;
  pthread_rwlock_unlock (&in_use);
  return cudaErrorDeviceUninitialized;
}

void
gpu_pop (void)
{
  CUcontext ignored;

  gpu_calls->CtxPopCurrent (&ignored);
  pthread_rwlock_unlock (&in_use);
}

void
gpu_device_set_lost (GpuDevice * device)
{
  if (device->primary != NULL)
    device = device->primary;
  pthread_mutex_lock (&lock);
  device->lost = true;
  pthread_mutex_unlock (&lock);
}

bool
gpu_device_is_lost (GpuDevice * device)
{
  bool lost;

  if (device->primary != NULL)
    device = device->primary;
  pthread_mutex_lock (&lock);
  lost = device->lost;
  pthread_mutex_unlock (&lock);
  return lost;
}

/* A device through which memory can be registered and unregistered.  These
 * calls wait for all devices, so that one that is lost forbids them. */
static GpuDevice *
registering_device (void)
{
  GpuDevice *found = NULL;
  bool lost = false;

  pthread_mutex_lock (&lock);
  for (int i = 0; i < MAX_DEVICES; i++) {
    lost = lost || devices[i].lost;
    if (devices[i].open && found == NULL)
      found = &devices[i];
  }
  pthread_mutex_unlock (&lock);
  return lost ? NULL : found;
}

bool
gpu_register (void *data, size_t size)
{
  GpuDevice *device = registering_device ();
  cudaError_t error;

  if (device == NULL || gpu_push (device) != cudaSuccess)
    return false;
  gpu_range_begin ("pin memory");
  error = gpu_calls->HostRegister (data, size, cudaHostRegisterPortable);
  gpu_range_end ();
  if (error != cudaSuccess)
    gpu_calls->GetLastError ();
  gpu_pop ();
  return error == cudaSuccess;
}

bool
gpu_unregister (void *data)
{
  GpuDevice *device = registering_device ();
  cudaError_t error;

  if (device == NULL || gpu_push (device) != cudaSuccess)
    return false;
  error = gpu_calls->HostUnregister (data);
  if (error != cudaSuccess)
    gpu_calls->GetLastError ();
  gpu_pop ();
  /* Where the application has reset the device nothing is left to undo. */
  return error == cudaSuccess || error == cudaErrorHostMemoryNotRegistered;
}

GpuReach
gpu_reach (GpuDevice * device, const void *data, size_t size,
    uint8_t ** device_pointer)
{
  unsigned type = 0;
  CUdeviceptr pointer = 0, start = 0;
  size_t range = 0;
  CUpointer_attribute which[] = {
    CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
    CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, CU_POINTER_ATTRIBUTE_RANGE_SIZE
  };
  void *where[] = { &type, &pointer, &start, &range };

  /* All stay 0 for memory that CUDA does not know. */
  if (gpu_calls->PointerGetAttributes (4, which, where,
          (CUdeviceptr) (uintptr_t) data) == CUDA_SUCCESS && pointer != 0 &&
      range >= size && pointer - start <= range - size) {
    *device_pointer = (uint8_t *) (uintptr_t) pointer;
    return type == CU_MEMORYTYPE_HOST ? GPU_OVER_LINK : GPU_ON_BOARD;
  }
  *device_pointer = (uint8_t *) data;
  /* Nor is another device's memory such a page. */
  return device->reads_host_pages && type != CU_MEMORYTYPE_DEVICE ?
      GPU_OVER_LINK : GPU_OUT_OF_REACH;
}

unsigned
gpu_max_blocks (GpuDevice * device, bool over_link)
{
  return over_link ? (device->multiprocessors + 1) / 2 :
      device->multiprocessors * 64;
}
