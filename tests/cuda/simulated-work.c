/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Streams and the memory that they work on. */

#include "simulated-core.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "arith.h"

#define MAX_STREAMS 32
#define MAX_WORK 16
#define NEVER INT64_MAX
/* What device memory holds before it is written. */
#define JUNK 0xA5

typedef struct
{
  bool is_launch;
  GpuFrame frame;
  /* A copy, or with no src a fill with value. */
  uint8_t *dst;
  const uint8_t *src;
  size_t dst_pitch, src_pitch, width, height;
  int value;
} Work;

typedef struct
{
  bool open;
  int device;
  int64_t idle_at;
  unsigned n_work;
  Work work[MAX_WORK];
} Stream;

static Stream streams[MAX_STREAMS];

static int64_t
now_us (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return (int64_t) t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

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

void
sim_drop_work (void)
{
  for (int s = 0; s < MAX_STREAMS; s++)
    streams[s].n_work = 0;
}

/* Calls that wait for a device, or with SIM_HOST for all, would never
 * return. */
static void
forbid_endless (const char *call, int device)
{
  for (int s = 0; s < MAX_STREAMS; s++) {
    if (streams[s].n_work > 0 && streams[s].idle_at == NEVER &&
        (device == SIM_HOST || streams[s].device == device))
      sim_misused (call, "waits for work that never ends");
  }
}

static uint32_t
pixel_of (const GpuFrame * frame, size_t x, size_t y)
{
  uint32_t step = frame->layout == LUMA_LAYOUT_PACKED4 ? 4 : 3, pixel = 0;
  ptrdiff_t row = (ptrdiff_t) y;

  if (frame->layout == LUMA_LAYOUT_PLANAR) {
    for (unsigned i = 0; i < LUMA_COMPONENTS; i++)
      pixel |= (uint32_t) frame->src[i][row * frame->src_stride[i] +
          (ptrdiff_t) x] << 8 * i;
    return pixel;
  }
  for (unsigned i = 0; i < step; i++)
    pixel |= (uint32_t) frame->src[0][row * frame->src_stride[0] +
        (ptrdiff_t) (x * step + i)] << 8 * i;
  return pixel;
}

static void
run_frame (const GpuFrame * frame, int device)
{
  bool planar = frame->layout == LUMA_LAYOUT_PLANAR;
  size_t step = planar ? 1 : frame->layout == LUMA_LAYOUT_PACKED4 ? 4 : 3;

  for (size_t y = 0; y < frame->height; y++) {
    uint8_t *dst = frame->dst + (ptrdiff_t) y * frame->dst_stride;

    need_reach (dst, frame->width, device);
    for (int i = 0; i < (planar ? LUMA_COMPONENTS : 1); i++)
      need_reach (frame->src[i] + (ptrdiff_t) y * frame->src_stride[i],
          step * frame->width, device);
    if (simulated.misuses > 0)
      return;
    for (size_t x = 0; x < frame->width; x++) {
      uint32_t gray = luma_shifted (&frame->halves, pixel_of (frame, x, y));

      dst[x] = (uint8_t) ((frame->clamps ? luma_clamped (gray) : gray) >> 16);
    }
  }
}

static void
run_work (Stream * stream)
{
  for (unsigned i = 0; i < stream->n_work; i++) {
    const Work *work = &stream->work[i];

    if (work->is_launch)
      run_frame (&work->frame, stream->device);
    for (size_t y = 0; y < work->height; y++) {
      uint8_t *dst = work->dst + y * work->dst_pitch;

      if (work->src == NULL)
        memset (dst, work->value, work->width);
      else
        memcpy (dst, work->src + y * work->src_pitch, work->width);
    }
  }
  stream->n_work = 0;
}

static Stream *
stream_of (const char *call, cudaStream_t handle)
{
  Stream *stream = (Stream *) handle;

  if (stream == NULL || !stream->open || stream->device != sim_device_now ()) {
    sim_misused (call, "not a stream of the current context");
    return NULL;
  }
  return stream;
}

static cudaError_t
queue (SimulatedEntry entry, const Work * work, cudaStream_t handle)
{
  Stream *stream = stream_of (simulated_name (entry), handle);

  if (stream == NULL)
    return cudaErrorInvalidResourceHandle;
  if (stream->n_work == MAX_WORK)
    abort ();
  stream->work[stream->n_work++] = *work;
  stream->idle_at = simulated.busy_us < 0 ? NEVER :
      now_us () + simulated.busy_us;
  return cudaSuccess;
}

static cudaError_t
stream_create (cudaStream_t * handle, unsigned flags)
{
  cudaError_t error = sim_begin (SIM_StreamCreate);

  /* The default stream's work must not be waited for. */
  if (error == cudaSuccess && flags != cudaStreamNonBlocking)
    sim_misused ("StreamCreate", "waits for the default stream");
  for (int s = 0; s < MAX_STREAMS && error == cudaSuccess; s++) {
    if (!streams[s].open) {
      memset (&streams[s], 0, sizeof streams[s]);
      streams[s].open = true;
      streams[s].device = sim_device_now ();
      *handle = (cudaStream_t) & streams[s];
      return sim_end (cudaSuccess);
    }
  }
  return sim_end (error == cudaSuccess ? cudaErrorMemoryAllocation : error);
}

static cudaError_t
stream_destroy (cudaStream_t handle)
{
  cudaError_t error = sim_begin (SIM_StreamDestroy);
  Stream *stream;

  if (error == cudaSuccess) {
    stream = stream_of ("StreamDestroy", handle);
    forbid_endless ("StreamDestroy", sim_device_now ());
    if (stream != NULL)
      stream->open = false;
    else
      error = cudaErrorInvalidResourceHandle;
  }
  return sim_end (error);
}

/* A stream that gives an error has lost its work. */
static cudaError_t
stream_query (cudaStream_t handle)
{
  cudaError_t error = sim_begin (SIM_StreamQuery);
  Stream *stream = stream_of ("StreamQuery", handle);

  if (error != cudaSuccess)
    sim_drop_work ();
  else if (stream == NULL)
    error = cudaErrorInvalidResourceHandle;
  else if (stream->n_work > 0 && now_us () < stream->idle_at)
    error = cudaErrorNotReady;
  else
    run_work (stream);
  return sim_end (error);
}

static cudaError_t
device_malloc (void **data, size_t size)
{
  cudaError_t error = sim_begin (SIM_Malloc);

  if (error == cudaSuccess) {
    *data = malloc (size);
    if (*data == NULL)
      abort ();
    memset (*data, JUNK, size);
    sim_add_range (*data, size, sim_device_now ());
  } else {
    /* CUDA promises nothing. */
    *data = &streams;
  }
  return sim_end (error);
}

static cudaError_t
device_free (void *data)
{
  cudaError_t error = sim_begin (SIM_Free);
  SimRange *range;

  if (error == cudaSuccess) {
    forbid_endless ("Free", sim_device_now ());
    range = sim_find_range (data);
    if (range == NULL || range->data != data ||
        range->device != sim_device_now ()) {
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
  Work work = {.dst = data,.width = size,.height = 1,.value = value };

  if (error == cudaSuccess)
    error = queue (SIM_MemsetAsync, &work, stream);
  return sim_end (error);
}

static cudaError_t
copy_async (void *dst, const void *src, size_t size, enum cudaMemcpyKind kind,
    cudaStream_t stream)
{
  cudaError_t error = sim_begin (SIM_MemcpyAsync);
  Work work = {.dst = dst,.src = src,.width = size,.height = 1 };

  if (error == cudaSuccess && kind != cudaMemcpyHostToDevice)
    sim_misused ("MemcpyAsync", "not to the device");
  if (error == cudaSuccess)
    error = queue (SIM_MemcpyAsync, &work, stream);
  return sim_end (error);
}

/* To memory that is not pinned, so that it waits for what is before it. */
static cudaError_t
copy_2d_async (void *dst, size_t dst_pitch, const void *src, size_t src_pitch,
    size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t handle)
{
  cudaError_t error = sim_begin (SIM_Memcpy2DAsync);
  const Work work = {.dst = dst,.src = src,.dst_pitch = dst_pitch,
    .src_pitch = src_pitch,.width = width,.height = height
  };
  Stream *stream = stream_of ("Memcpy2DAsync", handle);

  /* It may fail after it has begun. */
  if (error != cudaSuccess) {
    queue (SIM_Memcpy2DAsync, &work, handle);
    return sim_end (error);
  }
  if (dst_pitch < width || src_pitch < width)
    return sim_end (cudaErrorInvalidPitchValue);
  if (kind != cudaMemcpyDeviceToHost)
    sim_misused ("Memcpy2DAsync", "not from the device");
  if (stream != NULL && stream->n_work > 0)
    sim_misused ("Memcpy2DAsync", "waits for the kernel");
  return sim_end (queue (SIM_Memcpy2DAsync, &work, handle));
}

static cudaError_t
host_register (void *data, size_t size, unsigned flags)
{
  cudaError_t error = sim_begin (SIM_HostRegister);

  if (error != cudaSuccess)
    return sim_end (error);
  forbid_endless ("HostRegister", SIM_HOST);
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
  forbid_endless ("HostUnregister", SIM_HOST);
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
  Work work = {.is_launch = true,.frame = *frame };

  if (error == cudaSuccess && frame->max_blocks == 0)
    error = cudaErrorInvalidConfiguration;
  if (error == cudaSuccess)
    error = queue (SIM_Launch, &work, stream);
  return sim_end (error);
}

unsigned
simulated_streams (void)
{
  unsigned n = 0;

  for (int s = 0; s < MAX_STREAMS; s++)
    n += streams[s].open;
  return n;
}

unsigned
simulated_pending (void)
{
  unsigned n = 0;

  for (int s = 0; s < MAX_STREAMS; s++)
    n += streams[s].n_work;
  return n;
}

void
sim_install_work (GpuCalls * table)
{
  table->StreamCreate = stream_create;
  table->StreamDestroy = stream_destroy;
  table->StreamQuery = stream_query;
  table->Malloc = device_malloc;
  table->Free = device_free;
  table->MemsetAsync = fill_async;
  table->MemcpyAsync = copy_async;
  table->Memcpy2DAsync = copy_2d_async;
  table->HostRegister = host_register;
  table->HostUnregister = host_unregister;
  table->Launch = launch;
}
