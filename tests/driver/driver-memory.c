/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Memory that the driver knows, all of it the host's. */

#include "driver-core.h"

#include <stdlib.h>
#include <string.h>

/* Of device memory's start, and of its pitch. */
#define ALIGNMENT 512
#define NEW_BYTE 0xA5
#define OLD_BYTE 0xDD

static DriverRange *ranges;

DriverRange *
driver_range_of (const void *data)
{
  uintptr_t at = (uintptr_t) data;
  DriverRange *range = ranges;

  while (range != NULL && !(at >= (uintptr_t) range->data
          && at - (uintptr_t) range->data < range->size))
    range = range->next;
  return range;
}

bool
driver_is_in_range (const void *data, size_t size)
{
  const DriverRange *range = driver_range_of (data);

  return range != NULL &&
      size <= range->size - ((const uint8_t *) data - range->data);
}

static void
add_range (DriverContext * context, DriverMemory memory, void *data,
    size_t size)
{
  DriverRange *range = malloc (sizeof *range);

  if (range == NULL)
    abort ();
  range->data = data;
  range->size = size;
  range->memory = memory;
  range->context = context;
  range->next = ranges;
  ranges = range;
}

/* What was the driver's memory is the system's again. */
static void
drop_range (DriverRange * range)
{
  DriverRange **place = &ranges;

  while (*place != range)
    place = &(*place)->next;
  *place = range->next;
  if (range->memory != DRIVER_REGISTERED) {
    memset (range->data, OLD_BYTE, range->size);
    free (range->data);
  }
  free (range);
}

void
driver_forget_memory (DriverContext * context)
{
  DriverRange *range = ranges;

  while (range != NULL) {
    DriverRange *next = range->next;

    if (range->context == context)
      drop_range (range);
    range = next;
  }
}

static CUresult
allocate (DriverMemory memory, void **data, size_t size)
{
  DriverContext *context;
  CUresult result = driver_enter (&context);

  if (result == CUDA_SUCCESS && size == 0)
    result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS && posix_memalign (data, ALIGNMENT, size) != 0)
    result = CUDA_ERROR_OUT_OF_MEMORY;
  if (result == CUDA_SUCCESS) {
    memset (*data, NEW_BYTE, size);
    add_range (context, memory, *data, size);
  }
  return driver_leave (result);
}

CUresult
cuMemAlloc (CUdeviceptr * data, size_t size)
{
  void *memory;
  CUresult result = allocate (DRIVER_DEVICE, &memory, size);

  if (result == CUDA_SUCCESS)
    *data = (uintptr_t) memory;
  return result;
}

CUresult
cuMemAllocPitch (CUdeviceptr * data, size_t *pitch, size_t width,
    size_t height, unsigned element)
{
  if (element != 4 && element != 8 && element != 16)
    return CUDA_ERROR_INVALID_VALUE;
  *pitch = (width + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  return cuMemAlloc (data, *pitch * height);
}

CUresult
cuMemAllocHost (void **data, size_t size)
{
  return allocate (DRIVER_HOST, data, size);
}

CUresult
cuMemHostAlloc (void **data, size_t size, unsigned flags)
{
  return allocate (DRIVER_HOST, data, size);
}

/* Host memory is every context's, so that the work of all is done before it
 * goes. */
static void
finish_with (const DriverRange * range)
{
  for (DriverContext * context = driver_all_contexts; context != NULL;
      context = context->next) {
    if (range->memory != DRIVER_DEVICE || range->context == context)
      driver_run_context (context);
  }
}

static CUresult
let_go (DriverMemory memory, void *data, CUresult unknown)
{
  DriverContext *context;
  CUresult result = driver_enter (&context);
  DriverRange *range = driver_range_of (data);

  if (result == CUDA_SUCCESS && (range == NULL || range->data != data
          || range->memory != memory))
    result = unknown;
  if (result == CUDA_SUCCESS) {
    finish_with (range);
    drop_range (range);
    result = context->error;
  }
  return driver_leave (result);
}

CUresult
cuMemFree (CUdeviceptr data)
{
  return data == 0 ? CUDA_SUCCESS : let_go (DRIVER_DEVICE,
      (void *) (uintptr_t) data, CUDA_ERROR_INVALID_VALUE);
}

CUresult
cuMemFreeHost (void *data)
{
  return let_go (DRIVER_HOST, data, CUDA_ERROR_INVALID_VALUE);
}

CUresult
cuMemHostUnregister (void *data)
{
  return let_go (DRIVER_REGISTERED, data,
      CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
}

static bool
overlaps (const uint8_t * data, size_t size)
{
  const DriverRange *range = ranges;

  while (range != NULL && !(data < range->data + range->size
          && range->data < data + size))
    range = range->next;
  return range != NULL;
}

CUresult
cuMemHostRegister (void *data, size_t size, unsigned flags)
{
  DriverContext *context;
  CUresult result = driver_enter (&context);

  if (result == CUDA_SUCCESS && (data == NULL || size == 0))
    result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS && overlaps (data, size))
    result = CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
  if (result == CUDA_SUCCESS)
    add_range (context, DRIVER_REGISTERED, data, size);
  return driver_leave (result);
}

CUresult
cuMemHostGetDevicePointer (CUdeviceptr * device, void *data, unsigned flags)
{
  DriverContext *context;
  CUresult result = driver_enter (&context);
  const DriverRange *range = driver_range_of (data);

  if (result == CUDA_SUCCESS
      && (range == NULL || range->memory == DRIVER_DEVICE))
    result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    *device = (uintptr_t) data;
  return driver_leave (result);
}

CUresult
cuMemGetAddressRange (CUdeviceptr * start, size_t *size, CUdeviceptr data)
{
  DriverContext *context;
  CUresult result = driver_enter (&context);
  const DriverRange *range = driver_range_of ((void *) (uintptr_t) data);

  if (result == CUDA_SUCCESS && range == NULL)
    result = CUDA_ERROR_NOT_FOUND;
  if (result == CUDA_SUCCESS) {
    if (start != NULL)
      *start = (uintptr_t) range->data;
    if (size != NULL)
      *size = range->size;
  }
  return driver_leave (result);
}

static bool
reaches_range (const DriverContext * context, const DriverRange * range)
{
  return range->memory != DRIVER_DEVICE ||
      range->context->device == context->device ||
      driver_is_peer (context, range->context);
}

bool
driver_reaches (CUcontext handle, const void *data, size_t size)
{
  const uint8_t *at = data, *end = at + size;
  bool reaches = driver_enter (NULL) == CUDA_SUCCESS;
  const DriverContext *context = driver_context_of (handle);

  reaches = reaches && context != NULL;
  /* Ranges may touch. */
  while (reaches && at < end) {
    const DriverRange *range = driver_range_of (at);

    reaches = range != NULL && reaches_range (context, range);
    if (reaches)
      at = range->data + range->size;
  }
  driver_leave (CUDA_SUCCESS);
  return reaches;
}

/* All is 0 for memory that the driver does not know. */
static CUresult
get_attribute (const DriverContext * context, CUpointer_attribute attribute,
    void *value, CUdeviceptr data)
{
  const DriverRange *range = driver_range_of ((void *) (uintptr_t) data);
  bool known = range != NULL;
  bool is_host = known && range->memory != DRIVER_DEVICE;

  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      *(CUcontext *) value = known ? (CUcontext) range->context->handle : NULL;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      *(unsigned *) value = !known ? 0 : is_host ? CU_MEMORYTYPE_HOST :
          CU_MEMORYTYPE_DEVICE;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      *(CUdeviceptr *) value = known && reaches_range (context, range) ?
          data : 0;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      *(void **) value = is_host ? (void *) (uintptr_t) data : NULL;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      *(unsigned *) value = 0;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      *(int *) value = known ? range->context->device : CU_DEVICE_INVALID;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      *(CUdeviceptr *) value = known ? (uintptr_t) range->data : 0;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      *(size_t *) value = known ? range->size : 0;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MAPPED:
      *(unsigned *) value = known;
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult
cuPointerGetAttributes (unsigned count, CUpointer_attribute * attributes,
    void **values, CUdeviceptr data)
{
  DriverContext *context;
  CUresult result = driver_enter (&context);

  for (unsigned i = 0; i < count && result == CUDA_SUCCESS; i++)
    result = get_attribute (context, attributes[i], values[i], data);
  return driver_leave (result);
}

CUresult
cuPointerGetAttribute (void *value, CUpointer_attribute attribute,
    CUdeviceptr data)
{
  DriverContext *context;
  CUresult result = driver_enter (&context);

  if (result == CUDA_SUCCESS
      && driver_range_of ((void *) (uintptr_t) data) == NULL)
    result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    result = get_attribute (context, attribute, value, data);
  return driver_leave (result);
}

static unsigned
count (bool registered)
{
  unsigned n = 0;

  driver_enter (NULL);
  for (const DriverRange * range = ranges; range != NULL; range = range->next)
    n += (range->memory == DRIVER_REGISTERED) == registered;
  driver_leave (CUDA_SUCCESS);
  return n;
}

unsigned
driver_allocations (void)
{
  return count (false);
}

unsigned
driver_registrations (void)
{
  return count (true);
}
