/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Copies and fills.  Host memory that the driver does not know can't be
 * checked; device memory must hold every byte. */

#include "driver-core.h"

#include <string.h>

/* From the first byte to behind the last. */
static size_t
extent (const DriverBox * box, size_t pitch)
{
  return (box->height - 1) * pitch + box->width;
}

CUresult
driver_box_do (const DriverBox * box)
{
  /* It may have been freed since the work was queued. */
  if ((box->dst_known
          && !driver_is_in_range (box->dst, extent (box, box->dst_pitch)))
      || (box->src_known
          && !driver_is_in_range (box->src, extent (box, box->src_pitch))))
    return CUDA_ERROR_ILLEGAL_ADDRESS;
  for (size_t y = 0; y < box->height; y++) {
    uint8_t *dst = box->dst + y * box->dst_pitch;

    if (box->src != NULL) {
      memmove (dst, box->src + y * box->src_pitch, box->width);
      continue;
    }
    for (size_t x = 0; x < box->width; x += box->unit)
      memcpy (dst + x, &box->value, box->unit);
  }
  return CUDA_SUCCESS;
}

/* Where a side of a copy starts, and whether it is to be checked. */
static CUresult
find_side (CUmemorytype type, const void *host, CUdeviceptr device,
    size_t offset, size_t size, uint8_t ** data, bool *known)
{
  const DriverRange *range;

  if (type == CU_MEMORYTYPE_ARRAY)
    return CUDA_ERROR_NOT_SUPPORTED;
  *data = (type == CU_MEMORYTYPE_HOST ? (uint8_t *) host :
      (uint8_t *) (uintptr_t) device) + offset;
  range = driver_range_of (*data);
  if (range == NULL ? type == CU_MEMORYTYPE_DEVICE :
      type == CU_MEMORYTYPE_HOST && range->memory == DRIVER_DEVICE)
    return CUDA_ERROR_INVALID_VALUE;
  /* A registration may end within what the host has in one piece. */
  *known = range != NULL && (type == CU_MEMORYTYPE_DEVICE
      || range->memory != DRIVER_REGISTERED);
  return *known && !driver_is_in_range (*data, size) ?
      CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

static CUresult
find_box (const CUDA_MEMCPY2D * copy, DriverBox * box)
{
  uint8_t *src = NULL;
  CUresult result;

  memset (box, 0, sizeof *box);
  box->width = copy->WidthInBytes;
  box->height = copy->Height;
  box->dst_pitch = copy->dstPitch;
  box->src_pitch = copy->srcPitch;
  if (box->height > 1
      && (box->dst_pitch < copy->dstXInBytes + box->width
          || box->src_pitch < copy->srcXInBytes + box->width))
    return CUDA_ERROR_INVALID_VALUE;
  result = find_side (copy->srcMemoryType, copy->srcHost, copy->srcDevice,
      copy->srcY * box->src_pitch + copy->srcXInBytes,
      extent (box, box->src_pitch), &src, &box->src_known);
  box->src = src;
  if (result == CUDA_SUCCESS)
    result = find_side (copy->dstMemoryType, copy->dstHost, copy->dstDevice,
        copy->dstY * box->dst_pitch + copy->dstXInBytes,
        extent (box, box->dst_pitch), &box->dst, &box->dst_known);
  return result;
}

static bool
is_device (const void *data)
{
  const DriverRange *range = driver_range_of (data);

  return range != NULL && range->memory == DRIVER_DEVICE;
}

/* A copy within device memory is done later even by the calls that are not
 * called asynchronous: CUDA promises no more. */
static CUresult
copy_now (const DriverBox * box, DriverContext * current)
{
  CUresult result;

  if (is_device (box->dst) && is_device (box->src)) {
    driver_queue_box (driver_legacy_of (current), box);
    return CUDA_SUCCESS;
  }
  result = driver_run_legacy (current);
  return result == CUDA_SUCCESS ? driver_box_do (box) : result;
}

static CUresult
copy_box (const CUDA_MEMCPY2D * copy, bool later, CUstream handle)
{
  DriverContext *current;
  DriverStream *stream = NULL;
  DriverBox box;
  CUresult result = driver_enter (&current);

  if (result == CUDA_SUCCESS && later)
    result = driver_stream_of (handle, current, &stream);
  if (result != CUDA_SUCCESS || copy->WidthInBytes == 0 || copy->Height == 0)
    return driver_leave (result);
  result = find_box (copy, &box);
  if (result == CUDA_SUCCESS && later)
    driver_queue_box (stream, &box);
  else if (result == CUDA_SUCCESS)
    result = copy_now (&box, current);
  return driver_leave (result);
}

CUresult
cuMemcpy2D (const CUDA_MEMCPY2D * copy)
{
  return copy_box (copy, false, NULL);
}

CUresult
cuMemcpy2DUnaligned (const CUDA_MEMCPY2D * copy)
{
  return copy_box (copy, false, NULL);
}

CUresult
cuMemcpy2DAsync (const CUDA_MEMCPY2D * copy, CUstream stream)
{
  return copy_box (copy, true, stream);
}

static CUDA_MEMCPY2D
line (CUmemorytype dst_type, uintptr_t dst, CUmemorytype src_type,
    uintptr_t src, size_t size)
{
  CUDA_MEMCPY2D copy = {
    .dstMemoryType = dst_type,
    .dstHost = (void *) dst,
    .dstDevice = dst,
    .srcMemoryType = src_type,
    .srcHost = (void *) src,
    .srcDevice = src,
    .WidthInBytes = size,
    .Height = 1,
  };

  return copy;
}

CUresult
cuMemcpy (CUdeviceptr dst, CUdeviceptr src, size_t size)
{
  CUDA_MEMCPY2D copy = line (CU_MEMORYTYPE_UNIFIED, dst, CU_MEMORYTYPE_UNIFIED,
      src, size);

  return copy_box (&copy, false, NULL);
}

CUresult
cuMemcpyAsync (CUdeviceptr dst, CUdeviceptr src, size_t size, CUstream stream)
{
  CUDA_MEMCPY2D copy = line (CU_MEMORYTYPE_UNIFIED, dst, CU_MEMORYTYPE_UNIFIED,
      src, size);

  return copy_box (&copy, true, stream);
}

CUresult
cuMemcpyHtoD (CUdeviceptr dst, const void *src, size_t size)
{
  CUDA_MEMCPY2D copy = line (CU_MEMORYTYPE_DEVICE, dst, CU_MEMORYTYPE_HOST,
      (uintptr_t) src, size);

  return copy_box (&copy, false, NULL);
}

CUresult
cuMemcpyHtoDAsync (CUdeviceptr dst, const void *src, size_t size,
    CUstream stream)
{
  CUDA_MEMCPY2D copy = line (CU_MEMORYTYPE_DEVICE, dst, CU_MEMORYTYPE_HOST,
      (uintptr_t) src, size);

  return copy_box (&copy, true, stream);
}

CUresult
cuMemcpyDtoH (void *dst, CUdeviceptr src, size_t size)
{
  CUDA_MEMCPY2D copy = line (CU_MEMORYTYPE_HOST, (uintptr_t) dst,
      CU_MEMORYTYPE_DEVICE, src, size);

  return copy_box (&copy, false, NULL);
}

CUresult
cuMemcpyDtoHAsync (void *dst, CUdeviceptr src, size_t size, CUstream stream)
{
  CUDA_MEMCPY2D copy = line (CU_MEMORYTYPE_HOST, (uintptr_t) dst,
      CU_MEMORYTYPE_DEVICE, src, size);

  return copy_box (&copy, true, stream);
}

CUresult
cuMemcpyDtoD (CUdeviceptr dst, CUdeviceptr src, size_t size)
{
  CUDA_MEMCPY2D copy = line (CU_MEMORYTYPE_DEVICE, dst, CU_MEMORYTYPE_DEVICE,
      src, size);

  return copy_box (&copy, false, NULL);
}

CUresult
cuMemcpyDtoDAsync (CUdeviceptr dst, CUdeviceptr src, size_t size,
    CUstream stream)
{
  CUDA_MEMCPY2D copy = line (CU_MEMORYTYPE_DEVICE, dst, CU_MEMORYTYPE_DEVICE,
      src, size);

  return copy_box (&copy, true, stream);
}

/* Fills are always done later. */
static CUresult
fill (CUdeviceptr dst, size_t pitch, uint32_t value, unsigned unit,
    size_t width, size_t height, CUstream handle)
{
  DriverContext *current;
  DriverStream *stream;
  DriverBox box = {.dst = (uint8_t *) (uintptr_t) dst,.dst_pitch = pitch,
    .width = width * unit,.height = height,.value = value,.unit = unit,
    .dst_known = true
  };
  CUresult result = driver_enter (&current);

  if (result == CUDA_SUCCESS)
    result = driver_stream_of (handle, current, &stream);
  if (result != CUDA_SUCCESS || width == 0 || height == 0)
    return driver_leave (result);
  if (dst % unit != 0 || (height > 1 && pitch < box.width)
      || !driver_is_in_range (box.dst, extent (&box, pitch)))
    return driver_leave (CUDA_ERROR_INVALID_VALUE);
  driver_queue_box (stream, &box);
  return driver_leave (CUDA_SUCCESS);
}

CUresult
cuMemsetD8 (CUdeviceptr dst, unsigned char value, size_t size)
{
  return fill (dst, 0, value, 1, size, 1, NULL);
}

CUresult
cuMemsetD8Async (CUdeviceptr dst, unsigned char value, size_t size,
    CUstream stream)
{
  return fill (dst, 0, value, 1, size, 1, stream);
}

CUresult
cuMemsetD2D8 (CUdeviceptr dst, size_t pitch, unsigned char value, size_t width,
    size_t height)
{
  return fill (dst, pitch, value, 1, width, height, NULL);
}

CUresult
cuMemsetD2D8Async (CUdeviceptr dst, size_t pitch, unsigned char value,
    size_t width, size_t height, CUstream stream)
{
  return fill (dst, pitch, value, 1, width, height, stream);
}

CUresult
cuMemsetD2D16 (CUdeviceptr dst, size_t pitch, unsigned short value,
    size_t width, size_t height)
{
  return fill (dst, pitch, value, 2, width, height, NULL);
}

CUresult
cuMemsetD2D16Async (CUdeviceptr dst, size_t pitch, unsigned short value,
    size_t width, size_t height, CUstream stream)
{
  return fill (dst, pitch, value, 2, width, height, stream);
}

CUresult
cuMemsetD2D32 (CUdeviceptr dst, size_t pitch, unsigned value, size_t width,
    size_t height)
{
  return fill (dst, pitch, value, 4, width, height, NULL);
}

CUresult
cuMemsetD2D32Async (CUdeviceptr dst, size_t pitch, unsigned value,
    size_t width, size_t height, CUstream stream)
{
  return fill (dst, pitch, value, 4, width, height, stream);
}
