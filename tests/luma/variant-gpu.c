/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* The CUDA backend, with frames in each kind of memory that it tells apart. */

#include <cuda_runtime_api.h>
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>

#include "gpu.h"
#include "variant.h"

static void
pinned_get (Memory * memory)
{
  GpuBlock *block = gpu_block_get (memory->size, true);

  if (block == NULL || !block->pinned)
    g_error ("no pinned block of %" G_GSIZE_FORMAT " bytes", memory->size);
  memory->owner = block;
  memory->base = block->data;
}

static void
pinned_put (Memory * memory)
{
  gpu_block_put (memory->owner);
}

static const MemoryKind memory_pinned = {
  pinned_get, pinned_put, host_write, host_read
};

#define TRY(call, ...) expect_success (#call, call (__VA_ARGS__))

static void
expect_success (const char *call, cudaError_t error)
{
  if (error != cudaSuccess)
    g_error ("%s: %s", call, cudaGetErrorName (error));
}

/* Kernels may read the aligned words around a row: whole words, all of them
 * set, leave compute-sanitizer's memcheck and initcheck nothing to excuse. */
static void
device_get (Memory * memory)
{
  size_t size = (memory->size + 15) / 16 * 16;

  TRY (cudaMalloc, &memory->owner, size);
  TRY (cudaMemset, memory->owner, 0x5a, size);
  memory->base = memory->owner;
}

static void
device_put (Memory * memory)
{
  TRY (cudaFree, memory->owner);
}

/* The copy of a small piece may be under way when cudaMemcpy returns, and the
 * backend's stream does not wait for the one that it is in. */
static void
device_write (const Memory * memory, const uint8_t * bytes)
{
  TRY (cudaMemcpy, memory->base, bytes, memory->size, cudaMemcpyHostToDevice);
  TRY (cudaDeviceSynchronize);
}

static void
device_read (const Memory * memory, uint8_t * bytes)
{
  TRY (cudaMemcpy, bytes, memory->base, memory->size, cudaMemcpyDeviceToHost);
}

static const MemoryKind memory_device = {
  device_get, device_put, device_write, device_read
};

/* Ends the program where the backend can't be had.  Only a machine without a
 * GPU is a reason to skip: a GPU that is refused may be the backend's bug. */
static void
open_backend (Variant * variant)
{
  GpuStatus status;

  variant->backend = gpu_open (-1, &status);
  printf ("%s: %s\n", variant->name, status.text);
  if (variant->backend == NULL)
    exit (status.state == GPU_ABSENT ? SKIPPED : EXIT_FAILURE);
  TRY (cudaSetDevice, status.device);
  gpu_blocks_keep ();
}

static void
skip_where_all_is_in_reach (const Variant * variant)
{
  int device, reaches;

  TRY (cudaGetDevice, &device);
  TRY (cudaDeviceGetAttribute, &reaches,
      cudaDevAttrPageableMemoryAccessUsesHostPageTables, device);
  if (reaches) {
    printf ("%s: this GPU reads all host memory in place\n", variant->name);
    exit (SKIPPED);
  }
}

bool
variant_open_gpu (Variant * variant, const char *name)
{
  variant->path = LUMA_PATH_IN_PLACE;
  if (g_str_equal (name, "cuda")) {
    variant->memory = &memory_pinned;
  } else if (g_str_equal (name, "cuda-device")) {
    variant->memory = &memory_device;
  } else if (g_str_equal (name, "cuda-staged")) {
    variant->path = LUMA_PATH_STAGED;
  } else {
    return false;
  }
  open_backend (variant);
  if (variant->path == LUMA_PATH_STAGED)
    skip_where_all_is_in_reach (variant);
  return true;
}
