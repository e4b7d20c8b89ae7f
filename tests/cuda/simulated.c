/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Devices, contexts, and the memory that is known.  simulated-stream.c has
 * the streams and events, simulated-work.c what is put on streams. */

#include "simulated-core.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAX_DEPTH 256
#define MAX_RANGES 2048

Simulated simulated;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool dead;
static SimRange ranges[MAX_RANGES];
/* Contexts are known by the addresses of these. */
static char contexts[2 * SIM_MAX_DEVICES];

static _Thread_local int stack[MAX_DEPTH], depth;
static _Thread_local cudaError_t last_error;

#define NAME(name) #name,
static const char *const names[] = { SIMULATED_ENTRIES (NAME) };

static const struct
{
  CUresult result;
  const char *name;
} results[] = {
  {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE"},
  {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY"},
  {CUDA_ERROR_DEINITIALIZED, "CUDA_ERROR_DEINITIALIZED"},
  {CUDA_ERROR_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED"},
  {CUDA_ERROR_UNKNOWN, "CUDA_ERROR_UNKNOWN"},
};

void
sim_misused (const char *call, const char *how)
{
  if (simulated.misuses++ == 0)
    snprintf (simulated.misuse, sizeof simulated.misuse, "%s: %s", call, how);
}

static bool
works_in_context (SimulatedEntry entry)
{
  return (entry >= SIM_StreamCreate && entry < SIM_FIRST_OF_DRIVER) ||
      entry == SIM_PointerGetAttributes;
}

static bool
is_due (SimulatedEntry entry)
{
  const SimulatedFault *fault = &simulated.fault;

  if (fault->at == 0 || fault->entry != entry)
    return false;
  return fault->mode == SIM_ONCE ? simulated.calls[entry] == fault->at :
      simulated.calls[entry] >= fault->at;
}

int
sim_begin (SimulatedEntry entry)
{
  pthread_mutex_lock (&lock);
  simulated.calls[entry]++;
  if (works_in_context (entry) && depth == 0)
    sim_misused (names[entry], "no context is current");
  if (is_due (entry)) {
    simulated.fired++;
    if (simulated.fault.mode == SIM_DEAD)
      dead = true;
    if (dead)
      sim_drop_work ();
    return simulated.fault.error;
  }
  if (dead && works_in_context (entry))
    return entry >= SIM_FIRST_OF_DRIVER ? CUDA_ERROR_LAUNCH_FAILED :
        simulated.fault.error;
  return 0;
}

static CUresult
end_driver (CUresult result)
{
  pthread_mutex_unlock (&lock);
  return result;
}

cudaError_t
sim_end (cudaError_t error)
{
  pthread_mutex_unlock (&lock);
  if (error != cudaSuccess && error != cudaErrorNotReady)
    last_error = error;
  return error;
}

void
sim_lock (void)
{
  pthread_mutex_lock (&lock);
}

void
sim_unlock (void)
{
  pthread_mutex_unlock (&lock);
}

int
sim_context_now (void)
{
  return depth > 0 ? stack[depth - 1] : 0;
}

CUcontext
simulated_context (int device)
{
  return (CUcontext) & contexts[SIM_CONTEXT (device, false)];
}

SimRange *
sim_find_range (const void *data)
{
  uintptr_t at = (uintptr_t) data;

  for (int r = 0; r < MAX_RANGES; r++) {
    uintptr_t start = (uintptr_t) ranges[r].data;

    if (start != 0 && at >= start && at - start < ranges[r].size)
      return &ranges[r];
  }
  return NULL;
}

void
sim_add_range (void *data, size_t size, int device)
{
  for (int r = 0; r < MAX_RANGES; r++) {
    if (ranges[r].data == NULL) {
      ranges[r].data = data;
      ranges[r].size = size;
      ranges[r].device = device;
      return;
    }
  }
  abort ();
}

static cudaError_t
driver_version (int *version)
{
  cudaError_t error = sim_begin (SIM_DriverGetVersion);

  if (error == cudaSuccess)
    *version = simulated.driver;
  return sim_end (error);
}

static cudaError_t
runtime_version (int *version)
{
  cudaError_t error = sim_begin (SIM_RuntimeGetVersion);

  if (error == cudaSuccess)
    *version = 13000;
  return sim_end (error);
}

static cudaError_t
device_count (int *count)
{
  cudaError_t error = sim_begin (SIM_GetDeviceCount);

  if (error == cudaSuccess)
    *count = simulated.devices;
  return sim_end (error);
}

static cudaError_t
device_name (char *name, size_t size, int device)
{
  cudaError_t error = sim_begin (SIM_DeviceGetName);

  snprintf (name, size, error == cudaSuccess ? "Simulated %d" :
      "unknown device", device);
  return sim_end (error);
}

static cudaError_t
device_attribute (int *value, enum cudaDeviceAttr attribute, int device)
{
  cudaError_t error = sim_begin (SIM_DeviceGetAttribute);

  if (error == cudaSuccess)
    *value = attribute == cudaDevAttrMultiProcessorCount ? 4 :
        simulated.reads_host_pages;
  return sim_end (error);
}

static CUresult
get_device (CUdevice * device, int ordinal)
{
  CUresult result = sim_begin (SIM_DeviceGet);

  *device = ordinal;
  return end_driver (result);
}

static CUresult
retain_context (CUcontext * context, CUdevice device)
{
  CUresult result = sim_begin (SIM_DevicePrimaryCtxRetain);

  if (result == CUDA_SUCCESS)
    *context = (CUcontext) & contexts[device];
  return end_driver (result);
}

static CUresult
push_context (CUcontext context)
{
  CUresult result = sim_begin (SIM_CtxPushCurrent);
  uintptr_t index = (uintptr_t) context - (uintptr_t) contexts;

  if (result == CUDA_SUCCESS && index >= sizeof contexts) {
    sim_misused ("CtxPushCurrent", "not a context");
    result = CUDA_ERROR_INVALID_CONTEXT;
  }
  if (result == CUDA_SUCCESS && depth == MAX_DEPTH)
    abort ();
  if (result == CUDA_SUCCESS)
    stack[depth++] = (int) index;
  return end_driver (result);
}

static CUresult
pop_context (CUcontext * context)
{
  CUresult result = sim_begin (SIM_CtxPopCurrent);

  if (result == CUDA_SUCCESS && depth == 0)
    sim_misused ("CtxPopCurrent", "no context is current");
  else if (result == CUDA_SUCCESS)
    *context = (CUcontext) & contexts[stack[--depth]];
  return end_driver (result);
}

/* All stay 0 for memory that CUDA does not know.  No device reaches another's
 * memory. */
static void
get_attribute (CUpointer_attribute attribute, void *value, const void *pointer)
{
  const SimRange *range = sim_find_range (pointer);
  bool is_far = range != NULL && range->device != SIM_HOST &&
      range->device != SIM_DEVICE (sim_context_now ());

  if (attribute == CU_POINTER_ATTRIBUTE_MEMORY_TYPE)
    *(unsigned *) value = range == NULL ? 0 : range->device == SIM_HOST ?
        CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
  else if (attribute == CU_POINTER_ATTRIBUTE_DEVICE_POINTER)
    *(CUdeviceptr *) value = range == NULL || is_far ? 0 : (uintptr_t) pointer;
  else if (attribute == CU_POINTER_ATTRIBUTE_RANGE_START_ADDR)
    *(CUdeviceptr *) value = range == NULL ? 0 : (uintptr_t) range->data;
  else if (attribute == CU_POINTER_ATTRIBUTE_RANGE_SIZE)
    *(size_t *) value = range == NULL ? 0 : range->size;
  else
    abort ();
}

static CUresult
get_attributes (unsigned count, CUpointer_attribute * attributes, void **data,
    CUdeviceptr pointer)
{
  CUresult result = sim_begin (SIM_PointerGetAttributes);

  for (unsigned i = 0; i < count && result == CUDA_SUCCESS; i++)
    get_attribute (attributes[i], data[i], (void *) (uintptr_t) pointer);
  return end_driver (result);
}

static CUresult
result_name (CUresult result, const char **name)
{
  for (size_t i = 0; i < sizeof results / sizeof results[0]; i++) {
    if (results[i].result == result) {
      *name = results[i].name;
      return CUDA_SUCCESS;
    }
  }
  return CUDA_ERROR_INVALID_VALUE;
}

static cudaError_t
entry_point (const char *symbol, void **function)
{
  static const struct
  {
    const char *symbol;
    void *function;
  } known[] = {
    {"cuDeviceGet", get_device},
    {"cuDevicePrimaryCtxRetain", retain_context},
    {"cuCtxPushCurrent", push_context},
    {"cuCtxPopCurrent", pop_context},
    {"cuPointerGetAttributes", get_attributes},
    {"cuGetErrorName", result_name},
  };
  cudaError_t error = sim_begin (SIM_DriverEntryPoint);

  if (error != cudaSuccess)
    return sim_end (error);
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    if (strcmp (known[i].symbol, symbol) == 0) {
      *function = known[i].function;
      return sim_end (cudaSuccess);
    }
  }
  return sim_end (cudaErrorSymbolNotFound);
}

static cudaError_t
get_last_error (void)
{
  cudaError_t error = last_error;

  last_error = cudaSuccess;
  return error;
}

const char *
simulated_name (SimulatedEntry entry)
{
  return names[entry];
}

const char *
simulated_error_name (SimulatedEntry entry, int error)
{
  const char *name = "?";

  if (entry < SIM_FIRST_OF_DRIVER)
    return cudaGetErrorName (error);
  result_name (error, &name);
  return name;
}

static unsigned
count_ranges (bool of_host)
{
  unsigned n = 0;

  for (int r = 0; r < MAX_RANGES; r++)
    n += ranges[r].data != NULL && (ranges[r].device == SIM_HOST) == of_host;
  return n;
}

unsigned
simulated_allocations (void)
{
  return count_ranges (false);
}

unsigned
simulated_registrations (void)
{
  return count_ranges (true);
}

bool
simulated_registered_is_mapped (void)
{
  long page = sysconf (_SC_PAGESIZE);
  unsigned char resident;
  bool mapped = true;

  pthread_mutex_lock (&lock);
  for (int r = 0; r < MAX_RANGES; r++) {
    uintptr_t start = (uintptr_t) ranges[r].data / page * page;

    if (start != 0 && ranges[r].device == SIM_HOST)
      mapped = mapped && mincore ((void *) start, 1, &resident) == 0;
  }
  pthread_mutex_unlock (&lock);
  return mapped;
}

int
simulated_depth (void)
{
  return depth;
}

cudaError_t
simulated_last_error (void)
{
  return last_error;
}

void
simulated_install (void)
{
  static GpuCalls table;

  memset (&simulated, 0, sizeof simulated);
  simulated.driver = 13000;
  simulated.devices = 1;
  dead = false;
  /* The driver's functions stay: they are looked up. */
  table = gpu_cuda_calls;
  table.DriverGetVersion = driver_version;
  table.RuntimeGetVersion = runtime_version;
  table.GetDeviceCount = device_count;
  table.DeviceGetName = device_name;
  table.DriverEntryPoint = entry_point;
  table.DeviceGetAttribute = device_attribute;
  table.GetLastError = get_last_error;
  sim_install_streams (&table);
  sim_install_work (&table);
  gpu_calls = &table;
}
