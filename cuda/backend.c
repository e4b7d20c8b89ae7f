/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* The CUDA backend: one stream, one frame under way.
 *
 * Memory that the device reaches is read and written in place by one launch.
 * The rest goes through device memory. */

#include <stdio.h>
#include <stdlib.h>

#include "device.h"
#include "staging.h"
#include "wait.h"

/* How long a frame that failed may keep the stream busy before it counts as
 * out of control. */
#define DRAIN_US 1000000

typedef struct
{
  LumaBackend base;
  GpuDevice *device;
  cudaStream_t stream;
  GpuStaging staged_in, staged_out;
  GpuPace pace;
  bool lost;                    /* a frame is out of control */
  char error[128];
} GpuBackend;

/* How a frame reaches the kernel and leaves it. */
typedef struct
{
  bool source_staged, target_staged;
  bool over_link;               /* the kernel reads or writes host memory */
} Route;

/* Says what failed, and takes the error away from whoever asks CUDA next. */
static cudaError_t
note (GpuBackend * self, const char *call, cudaError_t error)
{
  if (error != cudaSuccess) {
    snprintf (self->error, sizeof self->error, "%s: %s", call,
        gpu_calls->ErrorName (error));
    gpu_calls->GetLastError ();
  }
  return error;
}

#define TRY(self, call, ...) \
    note (self, "cuda" #call, gpu_calls->call (__VA_ARGS__))

/* Sets the device's address of each plane that the plan reads; planes out of
 * reach are copied to staged_in, one after the other. */
static cudaError_t
reach_source (GpuBackend * self, const LumaPlan * plan, const LumaSource * src,
    uint8_t * at[LUMA_PLANES], Route * route)
{
  GpuSpan spans[LUMA_PLANES];
  size_t staged[LUMA_PLANES], total = 0;
  cudaError_t error;

  for (unsigned p = 0; p < LUMA_PLANES; p++) {
    size_t row_bytes = luma_plan_row_bytes (plan, p);
    GpuReach reach;

    at[p] = NULL;
    if (row_bytes == 0)
      continue;
    spans[p] = gpu_span (src->data[p], src->stride[p], row_bytes, plan->height);
    staged[p] = total;
    reach = gpu_reach (self->device, spans[p].start, spans[p].size, &at[p]);
    route->over_link |= reach == GPU_OVER_LINK;
    if (reach == GPU_OUT_OF_REACH) {
      at[p] = NULL;
      total += (spans[p].size + 255) / 256 * 256;
    }
  }
  route->source_staged = total != 0;
  error = note (self, "cudaMalloc",
      gpu_staging_reserve (&self->staged_in, total));
  for (unsigned p = 0; p < LUMA_PLANES && error == cudaSuccess; p++) {
    if (luma_plan_row_bytes (plan, p) == 0)
      continue;
    if (at[p] == NULL) {
      at[p] = self->staged_in.data + staged[p];
      error = TRY (self, MemcpyAsync, at[p], spans[p].start, spans[p].size,
          cudaMemcpyHostToDevice, self->stream);
    }
    at[p] += src->data[p] - spans[p].start;
  }
  return error;
}

/* Sets where the kernel writes; rows out of reach are made in staged_out, in
 * the order of the target's memory. */
static cudaError_t
reach_target (GpuBackend * self, const LumaPlan * plan, const LumaTarget * dst,
    GpuFrame * frame, Route * route)
{
  GpuSpan span = gpu_span (dst->data, dst->stride, plan->width, plan->height);
  ptrdiff_t pitch = (ptrdiff_t) (plan->width + 63) / 64 * 64;
  cudaError_t error;
  GpuReach reach;
  uint8_t *at;

  reach = gpu_reach (self->device, span.start, span.size, &at);
  if (reach != GPU_OUT_OF_REACH) {
    route->over_link |= reach == GPU_OVER_LINK;
    frame->dst = at + (dst->data - span.start);
    frame->dst_stride = dst->stride;
    return cudaSuccess;
  }
  route->target_staged = true;
  error = note (self, "cudaMalloc",
      gpu_staging_reserve (&self->staged_out, pitch * plan->height));
  frame->dst = self->staged_out.data;
  frame->dst_stride = pitch;
  if (dst->stride < 0) {
    frame->dst += (plan->height - 1) * pitch;
    frame->dst_stride = -pitch;
  }
  return error;
}

static cudaError_t
fetch_target (GpuBackend * self, const LumaPlan * plan, const LumaTarget * dst)
{
  GpuSpan span = gpu_span (dst->data, dst->stride, plan->width, plan->height);
  size_t pitch = (size_t) (dst->stride < 0 ? -dst->stride : dst->stride);

  if (plan->height == 1)
    pitch = plan->width;
  return TRY (self, Memcpy2DAsync, span.start, pitch, self->staged_out.data,
      (plan->width + 63) / 64 * 64, plan->width, plan->height,
      cudaMemcpyDeviceToHost, self->stream);
}

static cudaError_t
enqueue (GpuBackend * self, const LumaPlan * plan, const LumaSource * src,
    const LumaTarget * dst, LumaPath * path)
{
  GpuFrame frame = {
    .halves = luma_halves (&plan->fixed),
    .clamps = plan->fixed.clamps,
    .layout = plan->layout,
    .width = plan->width,
    .height = plan->height,
  };
  uint8_t *at[LUMA_PLANES];
  Route route = { false };
  cudaError_t error;

  error = reach_target (self, plan, dst, &frame, &route);
  if (error == cudaSuccess)
    error = reach_source (self, plan, src, at, &route);
  *path = route.source_staged || route.target_staged ? LUMA_PATH_STAGED :
      LUMA_PATH_IN_PLACE;
  if (error != cudaSuccess)
    return error;
  frame.max_blocks = gpu_max_blocks (self->device, route.over_link);
  for (int i = 0; i < LUMA_COMPONENTS; i++) {
    frame.src[i] = at[plan->component[i].plane];
    frame.src_stride[i] = src->stride[plan->component[i].plane];
  }
  error = note (self, "kernel launch",
      gpu_calls->Launch (&frame, self->stream));
  if (error == cudaSuccess && route.target_staged)
    error = fetch_target (self, plan, dst);
  return error;
}

/* With the context current. */
static LumaResult
wait_for_stream (GpuBackend * self, int64_t timeout_us)
{
  cudaError_t error = gpu_wait (self->stream, &self->pace, timeout_us);

  if (error == cudaSuccess)
    return LUMA_DONE;
  if (error == cudaErrorNotReady) {
    snprintf (self->error, sizeof self->error,
        "the GPU did not finish within %g s", timeout_us / 1e6);
    self->lost = true;
    return LUMA_UNKNOWN;
  }
  /* The context is lost, and with it all that was at work. */
  note (self, "cudaStreamQuery", error);
  return LUMA_FAILED;
}

static LumaResult
gpu_submit (LumaBackend * base, const LumaPlan * plan, const LumaSource * src,
    const LumaTarget * dst, LumaPath * path)
{
  GpuBackend *self = (GpuBackend *) base;
  LumaResult result = LUMA_DONE;

  if (note (self, "cuCtxPushCurrent", gpu_push (self->device)) != cudaSuccess)
    return LUMA_FAILED;
  gpu_pace_start (&self->pace);
  if (enqueue (self, plan, src, dst, path) != cudaSuccess) {
    char first[sizeof self->error];

    snprintf (first, sizeof first, "%s", self->error);
    result = wait_for_stream (self, DRAIN_US);
    if (result == LUMA_DONE)
      result = LUMA_FAILED;
    snprintf (self->error, sizeof self->error, "%s", first);
  }
  gpu_pop ();
  return result;
}

static LumaResult
gpu_wait_frame (LumaBackend * base, int64_t timeout_us)
{
  GpuBackend *self = (GpuBackend *) base;
  LumaResult result;

  /* Nothing is known of the frame then. */
  if (note (self, "cuCtxPushCurrent", gpu_push (self->device)) != cudaSuccess)
    return LUMA_UNKNOWN;
  result = wait_for_stream (self, timeout_us);
  gpu_pop ();
  return result;
}

static const char *
gpu_error (LumaBackend * base)
{
  return ((GpuBackend *) base)->error;
}

static void
gpu_close (LumaBackend * base)
{
  GpuBackend *self = (GpuBackend *) base;

  /* Freeing device memory waits for the GPU, perhaps for ever. */
  if (!self->lost && gpu_push (self->device) == cudaSuccess) {
    gpu_staging_free (&self->staged_in);
    gpu_staging_free (&self->staged_out);
    if (self->stream != NULL)
      TRY (self, StreamDestroy, self->stream);
    gpu_pop ();
  }
  free (self);
}

static const LumaBackendClass gpu_class = {
  "cuda", gpu_submit, gpu_wait_frame, gpu_error, gpu_close
};

/* Converts one pixel in each layout: CUDA loads a kernel when it is first
 * launched, and the first frame should not pay for that. */
static bool
load_kernels (void *data)
{
  GpuBackend *self = data;
  static const struct
  {
    unsigned step, offset[LUMA_COMPONENTS], plane[LUMA_COMPONENTS];
  } layouts[LUMA_N_LAYOUTS] = {
    {3, {0, 1, 2}, {0, 0, 0}},
    {4, {0, 1, 2}, {0, 0, 0}},
    {1, {0, 0, 0}, {0, 1, 2}},
  };
  uint8_t pixel[4] = { 0 }, gray[1];
  LumaSource src = { {pixel, pixel, pixel}, {0} };
  LumaTarget dst = { gray, 1 };
  LumaResult result = LUMA_DONE;

  for (int l = 0; l < LUMA_N_LAYOUTS && result == LUMA_DONE; l++) {
    LumaComponent rgb[LUMA_COMPONENTS];
    LumaPlan plan;
    LumaPath path;

    for (int i = 0; i < LUMA_COMPONENTS; i++)
      rgb[i] = (LumaComponent) {
      .plane = layouts[l].plane[i],.offset = layouts[l].offset[i],.step =
            layouts[l].step,.depth = 8};
    luma_plan_init (&plan, 1, 1, rgb, LUMA_MATRIX_BT601, LUMA_RANGE_FULL,
        LUMA_RANGE_FULL);
    result = gpu_submit (&self->base, &plan, &src, &dst, &path);
    if (result == LUMA_DONE)
      result = gpu_wait_frame (&self->base, 10 * DRAIN_US);
  }
  return result == LUMA_DONE;
}

LumaBackend *
gpu_open (int ordinal, GpuStatus * status)
{
  GpuDevice *device = gpu_device_open (ordinal, status);
  GpuBackend *self;
  cudaError_t error;

  if (device == NULL)
    return NULL;
  self = calloc (1, sizeof *self);
  if (self == NULL)
    abort ();
  self->base.klass = &gpu_class;
  self->device = device;
  gpu_pace_init (&self->pace);
  error = note (self, "cuCtxPushCurrent", gpu_push (device));
  if (error == cudaSuccess) {
    error = TRY (self, StreamCreate, &self->stream, cudaStreamNonBlocking);
    gpu_pop ();
  }
  if (error != cudaSuccess || !gpu_device_warm (device, load_kernels, self)) {
    gpu_device_refuse (status, self->error);
    gpu_close (&self->base);
    return NULL;
  }
  return &self->base;
}
