/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* The CUDA backend: one stream, one frame under way.
 *
 * Memory that the device reaches is read and written in place by one launch.
 * The rest goes through device memory.  A frame that need not be waited for is
 * made on the target's stream. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "ranges.h"
#include "route.h"
#include "staging.h"
#include "wait.h"

/* How long a frame that failed may keep the stream busy before it counts as
 * out of control. */
#define DRAIN_US 1000000

/* Where a launch and a wait take as long as the CPU rows do; measured:
 * docs/benchmarks.md, "One frame at a time". */
#define SMALL_PIXELS 32000

#define LOST "a frame on this GPU has not finished"

typedef struct
{
  LumaBackend base;
  GpuDevice *device;
  cudaStream_t stream, at_work; /* our own, and the last frame's */
  cudaEvent_t event;
  bool unwaited;                /* event is the end of a frame under way */
  GpuStaging staged_in, staged_out;
  GpuPace pace;
  /* The frame under way whose rows are to be fetched, or NULL. */
  const LumaPlan *fetch_plan;
  LumaTarget fetch_to;
  char error[128];
} GpuBackend;

/* Says what failed, and takes the error away from whoever asks CUDA next. */
static cudaError_t
note (GpuBackend * self, const char *call, cudaError_t error)
{
  if (error != cudaSuccess) {
    snprintf (self->error, sizeof self->error, "%s: %s", call,
        gpu_calls->ErrorName (error));
    /* Not CUDA's but gpu_push's, at the end of the process. */
    if (error != cudaErrorCudartUnloading)
      gpu_calls->GetLastError ();
  }
  return error;
}

#define TRY(self, call, ...) \
    note (self, "cuda" #call, gpu_calls->call (__VA_ARGS__))

/* What is put on stream from here on comes after what is under way on first. */
static cudaError_t
follow (GpuBackend * self, cudaStream_t stream, cudaStream_t first)
{
  cudaError_t error;

  if (first == NULL || first == stream)
    return cudaSuccess;
  error = TRY (self, EventRecord, self->event, first);
  if (error == cudaSuccess)
    error = TRY (self, StreamWaitEvent, stream, self->event, 0);
  return error;
}

static size_t
aligned (size_t size)
{
  return (size + 255) / 256 * 256;
}

/* Copies the planes out of reach to staged_in, one after the other. */
static cudaError_t
stage_source (GpuBackend * self, GpuRoute * route)
{
  size_t total = 0;
  cudaError_t error;

  for (unsigned p = 0; p < LUMA_PLANES; p++) {
    if (route->source_at[p] == NULL)
      total += aligned (route->source[p].size);
  }
  error = note (self, "staging memory",
      gpu_staging_reserve (&self->staged_in, total, self->at_work));
  total = 0;
  for (unsigned p = 0; p < LUMA_PLANES && error == cudaSuccess; p++) {
    const GpuSpan *span = &route->source[p];

    if (route->source_at[p] != NULL || span->size == 0)
      continue;
    route->source_at[p] = self->staged_in.data + total;
    total += aligned (span->size);
    gpu_range_begin ("copy in");
    error = TRY (self, MemcpyAsync, route->source_at[p], span->start,
        span->size, cudaMemcpyDefault, self->at_work);
    gpu_range_end ();
  }
  return error;
}

/* Rows out of reach are made in staged_out, in the order of the target's
 * memory, at this distance from each other. */
static size_t
staged_pitch (const LumaPlan * plan)
{
  return (luma_plan_out_extent (plan).row_bytes + 63) / 64 * 64;
}

static cudaError_t
stage_target (GpuBackend * self, const LumaPlan * plan, const LumaTarget * dst,
    GpuFrame * frame)
{
  ptrdiff_t pitch = (ptrdiff_t) staged_pitch (plan);
  cudaError_t error = note (self, "staging memory",
      gpu_staging_reserve (&self->staged_out, pitch * plan->height,
          self->at_work));

  frame->dst = self->staged_out.data;
  frame->dst_stride = pitch;
  if (dst->stride < 0) {
    frame->dst += (plan->height - 1) * pitch;
    frame->dst_stride = -pitch;
  }
  return error;
}

/* Once the kernel is done: a copy to memory that is not pinned waits for what
 * is before it, and knows no time limit. */
static cudaError_t
fetch_target (GpuBackend * self)
{
  const LumaPlan *plan = self->fetch_plan;
  const LumaTarget *dst = &self->fetch_to;
  LumaExtent extent = luma_plan_out_extent (plan);
  GpuSpan span = gpu_span (dst->data, dst->stride, extent);
  size_t pitch = (size_t) (dst->stride < 0 ? -dst->stride : dst->stride);
  cudaError_t error;

  self->fetch_plan = NULL;
  if (plan->height == 1)
    pitch = extent.row_bytes;
  gpu_range_begin ("copy out");
  error = TRY (self, Memcpy2DAsync, span.start, pitch, self->staged_out.data,
      staged_pitch (plan), extent.row_bytes, extent.rows, cudaMemcpyDefault,
      self->at_work);
  gpu_range_end ();
  return error;
}

static cudaError_t
enqueue (GpuBackend * self, const LumaPlan * plan, const LumaSource * src,
    const LumaTarget * dst, GpuRoute * route)
{
  GpuFrame frame = gpu_frame (plan);
  cudaError_t error = follow (self, self->at_work, src->stream);

  frame.dst_stride = dst->stride;
  frame.max_blocks = gpu_max_blocks (self->device, route->over_link);

  if (error == cudaSuccess)
    error = follow (self, self->at_work, dst->stream);
  if (error != cudaSuccess)
    return error;
  if (route->target_at != NULL)
    frame.dst = route->target_at + (dst->data - route->target.start);
  else
    error = stage_target (self, plan, dst, &frame);
  if (error == cudaSuccess && route->staged)
    error = stage_source (self, route);
  if (error != cudaSuccess)
    return error;
  for (int i = 0; i < LUMA_COMPONENTS; i++) {
    unsigned p = plan->component[i].plane;

    frame.src[i] = route->source_at[p] + (src->data[p] -
        route->source[p].start);
    frame.src_stride[i] = src->stride[p];
  }
  self->fetch_plan = route->target_at == NULL ? plan : NULL;
  self->fetch_to = *dst;
  error = note (self, "kernel launch",
      gpu_calls->Launch (&frame, self->at_work));
  /* Without a stream of the target's the caller waits. */
  if (error != cudaSuccess || src->stream == NULL || dst->stream == NULL)
    return error;
  error = TRY (self, EventRecord, self->event, self->at_work);
  if (error == cudaSuccess && src->stream != dst->stream)
    error = TRY (self, StreamWaitEvent, src->stream, self->event, 0);
  self->unwaited = error == cudaSuccess;
  return error;
}

/* With the context current. */
static LumaResult
wait_for_stream (GpuBackend * self, int64_t timeout_us)
{
  cudaError_t error = gpu_wait (self->at_work, &self->pace, timeout_us);

  self->unwaited = false;
  if (error == cudaSuccess)
    return LUMA_DONE;
  if (error == cudaErrorNotReady) {
    snprintf (self->error, sizeof self->error,
        "the GPU did not finish within %g s", timeout_us / 1e6);
    gpu_device_set_lost (self->device);
    return LUMA_UNKNOWN;
  }
  /* The context is lost, and with it all that was at work. */
  note (self, "cudaStreamQuery", error);
  return LUMA_FAILED;
}

/* After a call that failed with error, and with the context current: what went
 * before it may still be at work. */
static LumaResult
drain (GpuBackend * self, cudaError_t error)
{
  char first[sizeof self->error];
  LumaResult result;

  memcpy (first, self->error, sizeof first);
  result = wait_for_stream (self, DRAIN_US);
  memcpy (self->error, first, sizeof first);
  if (result != LUMA_DONE)
    return result;
  return error == cudaErrorMemoryAllocation ? LUMA_REFUSED : LUMA_FAILED;
}

static LumaResult
gpu_submit (LumaBackend * base, const LumaPlan * plan, const LumaSource * src,
    const LumaTarget * dst, bool may_copy, LumaPath * path)
{
  GpuBackend *self = (GpuBackend *) base;
  LumaResult result = LUMA_DONE;
  cudaError_t error;
  GpuRoute route;

  /* By this backend or another: more staging memory would wait for it. */
  if (gpu_device_is_lost (self->device)) {
    snprintf (self->error, sizeof self->error, LOST);
    return LUMA_FAILED;
  }
  if (note (self, "cuCtxPushCurrent", gpu_push (self->device)) != cudaSuccess)
    return LUMA_FAILED;
  /* A frame that is waited for has a stream of its own to wait for. */
  self->at_work = src->stream != NULL && dst->stream != NULL ? dst->stream :
      self->stream;
  gpu_pace_start (&self->pace);
  gpu_range_begin ("submit");
  gpu_find_route (self->device, plan, src, dst, &route);
  *path = route.staged ? LUMA_PATH_STAGED : LUMA_PATH_IN_PLACE;
  if (route.staged && !may_copy) {
    result = LUMA_DECLINED;
  } else {
    error = enqueue (self, plan, src, dst, &route);
    if (error != cudaSuccess)
      result = drain (self, error);
  }
  gpu_range_end ();
  gpu_pop ();
  return result;
}

static LumaResult
gpu_wait_frame (LumaBackend * base, int64_t timeout_us)
{
  GpuBackend *self = (GpuBackend *) base;
  LumaResult result;
  cudaError_t error;

  /* Nothing is known of the frame then. */
  if (note (self, "cuCtxPushCurrent", gpu_push (self->device)) != cudaSuccess) {
    gpu_device_set_lost (self->device);
    return LUMA_UNKNOWN;
  }
  gpu_range_begin ("wait");
  result = wait_for_stream (self, timeout_us);
  if (result == LUMA_DONE && self->fetch_plan != NULL) {
    error = fetch_target (self);
    result = error == cudaSuccess ? wait_for_stream (self, timeout_us) :
        drain (self, error);
  }
  gpu_range_end ();
  gpu_pop ();
  return result;
}

static const char *
gpu_error (LumaBackend * base)
{
  return ((GpuBackend *) base)->error;
}

/* With the context current.  The stream that the frame is on may be gone. */
static bool
has_ended (GpuBackend * self)
{
  if (!self->unwaited)
    return true;
  self->at_work = self->stream;
  return TRY (self, StreamWaitEvent, self->stream, self->event, 0) ==
      cudaSuccess && wait_for_stream (self, DRAIN_US) != LUMA_UNKNOWN;
}

static void
gpu_close (LumaBackend * base)
{
  GpuBackend *self = (GpuBackend *) base;
  bool pushed = !gpu_device_is_lost (self->device) &&
      gpu_push (self->device) == cudaSuccess;

  /* Freeing device memory waits for the GPU, perhaps for ever. */
  if (pushed && has_ended (self)) {
    gpu_staging_free (&self->staged_in);
    gpu_staging_free (&self->staged_out);
    if (self->event != NULL)
      TRY (self, EventDestroy, self->event);
    if (self->stream != NULL)
      TRY (self, StreamDestroy, self->stream);
  }
  if (pushed)
    gpu_pop ();
  gpu_device_close (self->device);
  free (self);
}

static const LumaBackendClass gpu_class = {
  "cuda", SMALL_PIXELS, gpu_submit, gpu_wait_frame, gpu_error, gpu_close
};

/* Converts one pixel in each layout: CUDA loads a kernel when it is first
 * launched, and the first frame should not pay for that. */
static bool
load_kernels (void *data)
{
  GpuBackend *self = data;
  static const LumaComponent layouts[LUMA_N_LAYOUTS][LUMA_COMPONENTS] = {
    {{0, 0, 3, 0, 8}, {0, 1, 3, 0, 8}, {0, 2, 3, 0, 8}},
    {{0, 0, 4, 0, 8}, {0, 1, 4, 0, 8}, {0, 2, 4, 0, 8}},
    {{0, 0, 1, 0, 8}, {1, 0, 1, 0, 8}, {2, 0, 1, 0, 8}},
    {{0, 0, 1, 0, 8}, {0, 0, 1, 0, 8}, {0, 0, 1, 0, 8}},
    {{0, 0, 2, 0, 8}, {0, 0, 2, 0, 8}, {0, 0, 2, 0, 8}},
    {{0, 0, 4, 0, 8}, {0, 0, 4, 0, 8}, {0, 0, 4, 0, 8}},
    {{0, 0, 3, 1, 7}, {0, 1, 3, 1, 7}, {0, 2, 3, 1, 7}},        /* any */
  };
  /* Static, for a GPU that hangs may still use them. */
  static uint8_t pixel[4], gray[1];
  LumaSource src = { {pixel, pixel, pixel}, {0} };
  LumaTarget dst = { gray, 1 };
  LumaResult result = LUMA_DONE;

  for (int l = 0; l < LUMA_N_LAYOUTS && result == LUMA_DONE; l++) {
    LumaPlan plan;
    LumaPath path;

    luma_plan_init_deep (&plan, 1, 1, layouts[l], LUMA_MATRIX_BT601,
        LUMA_RANGE_FULL, LUMA_RANGE_FULL, 8, false);
    result = gpu_submit (&self->base, &plan, &src, &dst, true, &path);
    if (result == LUMA_DONE)
      result = gpu_wait_frame (&self->base, 10 * DRAIN_US);
  }
  return result == LUMA_DONE;
}

/* In a context of others their memory may be at work on the legacy stream,
 * which a blocking stream of ours comes after. */
static cudaError_t
create_stream (GpuBackend * self)
{
  cudaError_t error = note (self, "cuCtxPushCurrent", gpu_push (self->device));

  if (error != cudaSuccess)
    return error;
  error = TRY (self, StreamCreate, &self->stream,
      gpu_device_is_foreign (self->device) ? cudaStreamDefault :
      cudaStreamNonBlocking);
  if (error == cudaSuccess)
    error = TRY (self, EventCreate, &self->event, cudaEventDisableTiming);
  gpu_pop ();
  return error;
}

/* Takes device. */
static LumaBackend *
open_on (GpuDevice * device, GpuStatus * status)
{
  GpuBackend *self;

  if (gpu_device_is_lost (device)) {
    gpu_device_refuse (status, LOST);
    gpu_device_close (device);
    return NULL;
  }
  self = calloc (1, sizeof *self);
  if (self == NULL) {
    gpu_device_refuse (status, "out of memory");
    gpu_device_close (device);
    return NULL;
  }
  self->base.klass = &gpu_class;
  self->device = device;
  gpu_pace_init (&self->pace);
  if (create_stream (self) != cudaSuccess ||
      !gpu_device_warm (device, load_kernels, self)) {
    gpu_device_refuse (status, self->error);
    gpu_close (&self->base);
    return NULL;
  }
  return &self->base;
}

LumaBackend *
gpu_open (int ordinal, GpuStatus * status)
{
  GpuDevice *device = gpu_device_open (ordinal, status);

  return device != NULL ? open_on (device, status) : NULL;
}

LumaBackend *
gpu_open_in (void *context, int ordinal, GpuStatus * status)
{
  GpuDevice *device = gpu_device_open_in (context, ordinal, status);

  return device != NULL ? open_on (device, status) : NULL;
}
