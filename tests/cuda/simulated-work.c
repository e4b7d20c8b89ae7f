/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Memory, and what is done with it: copies and kernels. */

#include "host-frame.h"
#include "simulated-core.h"

#include <stdlib.h>
#include <string.h>

#include "arith.h"

/* What device memory holds before it is written. */
#define JUNK 0xA5

/* Whether a kernel of the device may touch these bytes. */
static void
need_reach (const uint8_t * data, size_t size, int device)
{
  const SimRange *range = sim_find_range (data);

  if (simulated.reads_host_pages && range == NULL)
    return;
  if (range == NULL || range->data + range->size - data < (ptrdiff_t) size ||
      (range->device != SIM_HOST && range->device != device))
    sim_misused ("Launch", "memory out of reach");
}

static void
run_frame (const GpuFrame * frame, int device)
{
  for (size_t y = 0; y < frame->height; y++) {
    need_reach (frame->dst + (ptrdiff_t) y * frame->dst_stride,
        frame->out_bytes * frame->width, device);
    for (int i = 0; i < LUMA_COMPONENTS; i++) {
      size_t bytes;
      const uint8_t *row = host_frame_source (frame, i, y, &bytes);

      if (i == 0 || frame->src[i] != frame->src[0])
        need_reach (row, bytes, device);
    }
    if (simulated.misuses > 0)
      return;
    host_frame_row (frame, y);
  }
}

static void
copy (const SimWork * work)
{
  for (size_t y = 0; y < work->height; y++) {
    uint8_t *dst = work->dst + y * work->dst_pitch;

    if (work->src == NULL)
      memset (dst, work->value, work->width);
    else
      memcpy (dst, work->src + y * work->src_pitch, work->width);
  }
}

void
sim_do (const SimWork * work, int device)
{
  if (work->kind == SIM_FRAME)
    run_frame (&work->frame, device);
  else
    copy (work);
}

static cudaError_t
device_malloc (void **data, size_t size)
{
  static uint8_t nothing;
  cudaError_t error = sim_begin (SIM_Malloc);

  if (error == cudaSuccess) {
    *data = malloc (size);
    if (*data == NULL)
      abort ();
    memset (*data, JUNK, size);
    sim_add_range (*data, size, SIM_DEVICE (sim_context_now ()));
  } else {
    /* CUDA promises nothing. */
    *data = &nothing;
  }
  return sim_end (error);
}

static cudaError_t
device_free (void *data)
{
  cudaError_t error = sim_begin (SIM_Free);
  int device = SIM_DEVICE (sim_context_now ());
  SimRange *range;

  if (error == cudaSuccess) {
    sim_forbid_endless ("Free", device);
    range = sim_find_range (data);
    if (range == NULL || range->data != data || range->device != device) {
      sim_misused ("Free", "not memory of the current device");
      return sim_end (cudaErrorInvalidValue);
    }
    free (data);
    range->data = NULL;
  }
  return sim_end (error);
}

static cudaError_t
fill_async (void *data, int value, size_t size, cudaStream_t stream)
{
  cudaError_t error = sim_begin (SIM_MemsetAsync);
  SimWork work = {.kind = SIM_COPY,.dst = data,.width = size,.height = 1,
    .value = value
  };

  if (error == cudaSuccess)
    error = sim_queue (SIM_MemsetAsync, &work, stream);
  return sim_end (error);
}

static bool
is_on_a_device (const void *data)
{
  const SimRange *range = sim_find_range (data);

  return range != NULL && range->device != SIM_HOST;
}

/* Whether all of these bytes are in the current device's memory. */
static bool
is_on_board (const void *data, size_t size)
{
  const SimRange *range = sim_find_range (data);

  return range != NULL && range->data + range->size -
      (const uint8_t *) data >= (ptrdiff_t) size &&
      range->device == SIM_DEVICE (sim_context_now ());
}

/* Default is what the pointers say; who says more must be right. */
static void
check_kind (const char *call, const void *dst, const void *src,
    enum cudaMemcpyKind kind)
{
  bool to_device = kind == cudaMemcpyHostToDevice ||
      kind == cudaMemcpyDeviceToDevice;
  bool from_device = kind == cudaMemcpyDeviceToHost ||
      kind == cudaMemcpyDeviceToDevice;

  if (kind != cudaMemcpyDefault && (to_device != is_on_a_device (dst)
          || from_device != is_on_a_device (src)))
    sim_misused (call, "not such memory");
}

static cudaError_t
copy_async (void *dst, const void *src, size_t size, enum cudaMemcpyKind kind,
    cudaStream_t stream)
{
  cudaError_t error = sim_begin (SIM_MemcpyAsync);
  SimWork work = {.kind = SIM_COPY,.dst = dst,.src = src,.width = size,
    .height = 1
  };

  if (error != cudaSuccess)
    return sim_end (error);
  check_kind ("MemcpyAsync", dst, src, kind);
  if (!is_on_board (dst, size))
    sim_misused ("MemcpyAsync", "not to the device");
  return sim_end (sim_queue (SIM_MemcpyAsync, &work, stream));
}

/* To memory that is not pinned, so that it waits for what is before it. */
static cudaError_t
copy_2d_async (void *dst, size_t dst_pitch, const void *src, size_t src_pitch,
    size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
  cudaError_t error = sim_begin (SIM_Memcpy2DAsync);
  const SimWork work = {.kind = SIM_COPY,.dst = dst,.src = src,
    .dst_pitch = dst_pitch,.src_pitch = src_pitch,.width = width,
    .height = height
  };

  /* It may fail after it has begun. */
  if (error != cudaSuccess) {
    sim_queue (SIM_Memcpy2DAsync, &work, stream);
    return sim_end (error);
  }
  if (dst_pitch < width || src_pitch < width)
    return sim_end (cudaErrorInvalidPitchValue);
  check_kind ("Memcpy2DAsync", dst, src, kind);
  if (!is_on_board (src, (height - 1) * src_pitch + width))
    sim_misused ("Memcpy2DAsync", "not from the device");
  if (!sim_is_idle (stream))
    sim_misused ("Memcpy2DAsync", "waits for the kernel");
  return sim_end (sim_queue (SIM_Memcpy2DAsync, &work, stream));
}

static cudaError_t
host_register (void *data, size_t size, unsigned flags)
{
  cudaError_t error = sim_begin (SIM_HostRegister);

  if (error != cudaSuccess)
    return sim_end (error);
  sim_forbid_endless ("HostRegister", SIM_HOST);
  if (flags != cudaHostRegisterPortable)
    sim_misused ("HostRegister", "for one context only");
  if (sim_find_range (data) != NULL
      || sim_find_range ((char *) data + size - 1) != NULL)
    return sim_end (cudaErrorHostMemoryAlreadyRegistered);
  sim_add_range (data, size, SIM_HOST);
  return sim_end (cudaSuccess);
}

static cudaError_t
host_unregister (void *data)
{
  cudaError_t error = sim_begin (SIM_HostUnregister);
  SimRange *range;

  if (error != cudaSuccess)
    return sim_end (error);
  sim_forbid_endless ("HostUnregister", SIM_HOST);
  range = sim_find_range (data);
  if (range == NULL || range->data != data || range->device != SIM_HOST)
    return sim_end (cudaErrorHostMemoryNotRegistered);
  range->data = NULL;
  return sim_end (cudaSuccess);
}

static cudaError_t
launch (const GpuFrame * frame, cudaStream_t stream)
{
  cudaError_t error = sim_begin (SIM_Launch);
  SimWork work = {.kind = SIM_FRAME,.frame = *frame };

  if (error == cudaSuccess && frame->max_blocks == 0)
    error = cudaErrorInvalidConfiguration;
  if (error == cudaSuccess)
    error = sim_queue (SIM_Launch, &work, stream);
  return sim_end (error);
}

void
sim_install_work (GpuCalls * table)
{
  table->Malloc = device_malloc;
  table->Free = device_free;
  table->MemsetAsync = fill_async;
  table->MemcpyAsync = copy_async;
  table->Memcpy2DAsync = copy_2d_async;
  table->HostRegister = host_register;
  table->HostUnregister = host_unregister;
  table->Launch = launch;
}
