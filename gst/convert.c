/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#include "config.h"

#include "convert.h"
#include "frame.h"
#include "gstcudagrayallocator.h"

#include <string.h>
#include <time.h>

GST_DEBUG_CATEGORY_EXTERN (gst_cuda_gray_debug);
#define GST_CAT_DEFAULT gst_cuda_gray_debug

/* A frame takes milliseconds; a GPU that needs seconds is out of order. */
#define FRAME_TIMEOUT_US (5 * G_USEC_PER_SEC)

/* How long no copy is tried after the GPU had no memory for one: asking takes
 * as long as a frame. */
#define SHORT_US G_USEC_PER_SEC

CudaGrayOpenFunc cuda_gray_open_gpu = gpu_open;

GType
cuda_gray_backend_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    {GST_CUDA_GRAY_BACKEND_AUTO,
        "The GPU where one is usable, otherwise the CPU", "auto"},
    {GST_CUDA_GRAY_BACKEND_CUDA,
        "The GPU, or an error where none is usable", "cuda"},
    {GST_CUDA_GRAY_BACKEND_CPU, "The CPU", "cpu"},
    {0, NULL, NULL}
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type,
        g_enum_register_static ("GstCudaGrayBackend", values));
  return type;
}

/* Says why there is no GPU; TRUE where the CPU may do instead. */
static gboolean
report_no_gpu (GstElement * element, const GpuStatus * status,
    GstCudaGrayBackend wanted)
{
  if (status->state == GPU_NO_SUCH_DEVICE) {
    GST_ELEMENT_ERROR (element, RESOURCE, NOT_FOUND, ("%s.", status->text),
        ("cuda-device-id=%d", status->device));
    return FALSE;
  }
  if (wanted == GST_CUDA_GRAY_BACKEND_CUDA) {
    GST_ELEMENT_ERROR (element, RESOURCE, NOT_FOUND,
        ("No usable CUDA GPU: %s.", status->text), ("backend=cuda"));
    return FALSE;
  }
  if (status->state == GPU_ABSENT)
    GST_INFO_OBJECT (element, "converting on the CPU: %s", status->text);
  else
    GST_ELEMENT_WARNING (element, RESOURCE, NOT_FOUND,
        ("The GPU can't be used, converting on the CPU: %s.", status->text),
        (NULL));
  return TRUE;
}

static void
use_cpu (CudaGrayConverter * self)
{
  self->backend = luma_cpu_open ();
  gst_clear_object (&self->context);
  self->lost = FALSE;
  self->automatic = FALSE;
  self->device = -1;
}

gboolean
cuda_gray_converter_open (CudaGrayConverter * self, GstElement * element,
    GstCudaGrayBackend wanted, gint device_id)
{
  GpuStatus status;

  memset (self, 0, sizeof *self);
  self->element = element;
  self->device = -1;
  if (wanted != GST_CUDA_GRAY_BACKEND_CPU) {
    self->backend = cuda_gray_open_gpu (device_id, &status);
    if (self->backend == NULL && !report_no_gpu (element, &status, wanted))
      return FALSE;
  }
  if (self->backend != NULL) {
    self->device = status.device;
    self->automatic = wanted == GST_CUDA_GRAY_BACKEND_AUTO;
    GST_INFO_OBJECT (element, "converting on CUDA device %d, %s (CUDA driver "
        "%d.%d, runtime %d.%d)", status.device, status.text,
        status.driver / 1000, status.driver % 1000 / 10, status.runtime / 1000,
        status.runtime % 1000 / 10);
  } else {
    use_cpu (self);
  }
  return TRUE;
}

void
cuda_gray_converter_close (CudaGrayConverter * self)
{
  if (self->backend != NULL)
    self->backend->klass->close (self->backend);
  self->backend = NULL;
  gst_clear_object (&self->context);
}

void
cuda_gray_converter_use_context (CudaGrayConverter * self,
    GstCudaContext * context)
{
  LumaBackend *backend;
  GpuStatus status;
  gpointer handle;
  gint device;

  if (self->device < 0 || self->context == context)
    return;
  handle = cuda_gray_cuda_context_handle (context, &device);
  backend = gpu_open_in (handle, device, &status);
  if (backend == NULL) {
    GST_WARNING_OBJECT (self->element, "can't work in %" GST_PTR_FORMAT
        ", its frames will be copied: %s", context, status.text);
    return;
  }
  cuda_gray_converter_close (self);
  self->backend = backend;
  self->context = gst_object_ref (context);
  self->device = device;
  cuda_gray_trial_init (&self->trial);
  GST_INFO_OBJECT (self->element, "working in %" GST_PTR_FORMAT
      " on CUDA device %d", context, device);
}

/* Once, where a pipeline misses the fast path. */
static void
explain_reach (CudaGrayConverter * self, GstBuffer * in, GstBuffer * out)
{
  if (self->explained)
    return;
  self->explained = TRUE;
  GST_INFO_OBJECT (self->element, "the GPU can't reach these frames in place "
      "(input memory of type %s, output of type %s, where "
      GST_CUDA_GRAY_MEMORY_TYPE " is this element's own, pinned within the "
      "budget), so they take a copy or the CPU, whichever is faster here; to "
      "do without, let upstream write into this element's pool (v4l2src: "
      "io-mode=userptr; tee: put cudagray before it; appsrc: take buffers from "
      "the ALLOCATION query's pool)",
      gst_buffer_peek_memory (in, 0)->allocator->mem_type,
      gst_buffer_peek_memory (out, 0)->allocator->mem_type);
}

static LumaResult
run_backend (LumaBackend * backend, const LumaPlan * plan,
    const CudaGrayFrame * in, const CudaGrayFrame * out, gboolean may_copy,
    LumaPath * path)
{
  LumaTarget dst = { out->data[0], out->stride[0], out->stream };
  LumaSource src = {.stream = in->stream };
  LumaResult result;

  for (guint p = 0; p < LUMA_PLANES; p++) {
    src.data[p] = in->data[p];
    src.stride[p] = in->stride[p];
  }
  result = backend->klass->submit (backend, plan, &src, &dst, may_copy, path);
  if (result != LUMA_DONE)
    return result;
  /* Whoever uses these frames next comes after this one on their streams. */
  if (src.stream != NULL && dst.stream != NULL && *path == LUMA_PATH_IN_PLACE)
    return LUMA_DONE;
  return backend->klass->wait (backend, FRAME_TIMEOUT_US);
}

static gint64
thread_cpu_us (void)
{
  struct timespec t;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * G_USEC_PER_SEC + t.tv_nsec / 1000;
}

static LumaResult
run_on_cpu (const LumaPlan * plan, const CudaGrayFrame * in,
    const CudaGrayFrame * out, LumaPath * path)
{
  return run_backend (luma_cpu_open (), plan, in, out, TRUE, path);
}

static LumaResult
try_way (CudaGrayConverter * self, const LumaPlan * plan,
    const CudaGrayFrame * in, const CudaGrayFrame * out, LumaPath * path)
{
  CudaGrayWay way = cuda_gray_trial_way (&self->trial);
  gint64 wall = g_get_monotonic_time (), cpu = thread_cpu_us ();
  LumaResult result;

  result = way == CUDA_GRAY_WAY_COPY ?
      run_backend (self->backend, plan, in, out, TRUE, path) :
      run_on_cpu (plan, in, out, path);
  if (result == LUMA_DONE)
    cuda_gray_trial_note (&self->trial, way, g_get_monotonic_time () - wall,
        thread_cpu_us () - cpu);
  return result;
}

static LumaResult
execute (CudaGrayConverter * self, const LumaPlan * plan,
    const CudaGrayFrame * in, const CudaGrayFrame * out, LumaPath * path)
{
  gboolean ours = !self->automatic || in->on_device || out->on_device;
  gboolean may_copy = self->short_until == 0 ||
      g_get_monotonic_time () >= self->short_until;
  LumaResult result;

  if (!ours && plan->width * plan->height < self->backend->klass->small_pixels)
    return run_on_cpu (plan, in, out, path);
  result = run_backend (self->backend, plan, in, out, ours && may_copy, path);
  if (result == LUMA_DECLINED && !ours) {
    explain_reach (self, in->buffer, out->buffer);
    result = may_copy ? try_way (self, plan, in, out, path) :
        run_on_cpu (plan, in, out, path);
  }
  if (result == LUMA_DONE && *path == LUMA_PATH_STAGED)
    self->short_until = 0;
  return result;
}

/* Leaves in and out to a GPU that may still be at work on them: their
 * references and maps are never given back.  out's buffer gets fresh memory of
 * the same size, so that its layout still holds; FALSE without memory. */
static gboolean
set_aside (CudaGrayFrame * in, CudaGrayFrame * out)
{
  gsize size = gst_buffer_get_size (out->buffer);
  GstMemory *fresh = gst_allocator_alloc (NULL, size, NULL);

  gst_buffer_ref (in->buffer);
  /* Its map holds a reference of its own. */
  out->n_maps = 0;
  if (fresh == NULL)
    return FALSE;
  gst_buffer_replace_all_memory (out->buffer, fresh);
  return TRUE;
}

/* Says so, unless it was so before; TRUE if it did. */
static gboolean
fall_short (CudaGrayConverter * self)
{
  gboolean anew = self->short_until == 0;

  if (anew)
    GST_ELEMENT_WARNING (self->element, RESOURCE, NO_SPACE_LEFT,
        ("The GPU has no memory for a copy, such frames are converted on the "
            "CPU until it has: %s.",
            self->backend->klass->error (self->backend)),
        ("no frame is lost"));
  self->short_until = g_get_monotonic_time () + SHORT_US;
  return anew;
}

static void
fail_over (CudaGrayConverter * self, LumaResult result)
{
  GST_ELEMENT_WARNING (self->element, RESOURCE, FAILED,
      ("The GPU failed, converting on the CPU from now on: %s.",
          self->backend->klass->error (self->backend)),
      ("%s", result == LUMA_UNKNOWN ?
          "the frame's memory is kept aside for good" : "no frame is lost"));
  cuda_gray_converter_close (self);
  use_cpu (self);
}

/* The GPU takes its own memory by address; all else is mapped for the CPU. */
static GstMapFlags
device_flag (const CudaGrayConverter * self, GstBuffer * buffer)
{
  return self->device >= 0 && cuda_gray_cuda_memory_context (buffer) != NULL ?
      CUDA_GRAY_MAP_CUDA : 0;
}

static void
find_stream (const CudaGrayConverter * self, CudaGrayFrame * frame)
{
  if (frame->on_device)
    frame->stream = cuda_gray_cuda_memory_stream (frame->buffer, self->context);
}

static gboolean
map_output (CudaGrayConverter * self, CudaGrayFrame * out,
    const LumaPlan * plan, const GstVideoInfo * info, GstBuffer * buffer,
    GstMapFlags device)
{
  const LumaExtent extent[LUMA_PLANES] = { luma_plan_out_extent (plan) };
  gchar *problem = NULL;
  CudaGrayFrameResult result;

  result = cuda_gray_frame_map (out, buffer, info, extent,
      GST_MAP_WRITE | device, &problem);
  find_stream (self, out);
  if (result == CUDA_GRAY_FRAME_OK &&
      (plan->height == 1
          || (gsize) ABS (out->stride[0]) >= extent[0].row_bytes))
    return TRUE;
  if (result == CUDA_GRAY_FRAME_OK) {
    problem = g_strdup_printf ("rows at stride %d overlap", out->stride[0]);
    cuda_gray_frame_unmap (out);
  }
  GST_ELEMENT_ERROR (self->element, RESOURCE, WRITE,
      ("The output buffer can't be written: %s.",
          problem ? problem : "mapping failed"), (NULL));
  g_free (problem);
  return FALSE;
}

static CudaGrayConvertResult
map_input (CudaGrayConverter * self, CudaGrayFrame * in,
    const LumaPlan * plan, const GstVideoInfo * info, GstBuffer * buffer,
    GstMapFlags device, gchar ** problem)
{
  LumaExtent extent[LUMA_PLANES];

  for (guint p = 0; p < LUMA_PLANES; p++)
    extent[p] = luma_plan_extent (plan, p);
  switch (cuda_gray_frame_map (in, buffer, info, extent,
          GST_MAP_READ | device, problem)) {
    case CUDA_GRAY_FRAME_OK:
      find_stream (self, in);
      return CUDA_GRAY_CONVERTED;
    case CUDA_GRAY_FRAME_BAD:
      return CUDA_GRAY_BAD_INPUT;
    default:
      GST_ELEMENT_ERROR (self->element, RESOURCE, READ,
          ("The input buffer can't be read: mapping failed."), (NULL));
      return CUDA_GRAY_CONVERT_FAILED;
  }
}

static gboolean
report_failure (CudaGrayConverter * self)
{
  GST_ELEMENT_ERROR (self->element, RESOURCE, FAILED,
      ("The conversion failed on the GPU: %s.",
          self->backend->klass->error (self->backend)), (NULL));
  return FALSE;
}

/* From the GPU's addresses to the CPU's. */
static gboolean
map_again (CudaGrayConverter * self, const LumaPlan * plan, CudaGrayFrame * in,
    const GstVideoInfo * in_info, CudaGrayFrame * out,
    const GstVideoInfo * out_info)
{
  GstBuffer *in_buffer = in->buffer, *out_buffer = out->buffer;
  gchar *problem = NULL;

  cuda_gray_frame_unmap (in);
  cuda_gray_frame_unmap (out);
  if (map_input (self, in, plan, in_info, in_buffer, 0, &problem) !=
      CUDA_GRAY_CONVERTED) {
    g_free (problem);
    return FALSE;
  }
  return map_output (self, out, plan, out_info, out_buffer, 0);
}

/* Both frames are mapped, and stay so.  FALSE after an element error. */
static gboolean
run_frame (CudaGrayConverter * self, const LumaPlan * plan, CudaGrayFrame * in,
    const GstVideoInfo * in_info, CudaGrayFrame * out,
    const GstVideoInfo * out_info, CudaGrayOutcome * outcome)
{
  LumaResult result = execute (self, plan, in, out, &outcome->path);
  gboolean on_device = in->on_device || out->on_device;

  if (result == LUMA_DONE)
    return TRUE;
  if (result == LUMA_UNKNOWN) {
    GstBuffer *buffer = out->buffer;
    gboolean fresh;

    self->lost = TRUE;
    outcome->set_aside = TRUE;
    fresh = set_aside (in, out);
    /* A GPU that is lost gives its memory's bytes no more. */
    if (!fresh || !self->automatic || on_device)
      return report_failure (self);
    if (!map_output (self, out, plan, out_info, buffer, 0))
      return FALSE;
  }
  if (!self->automatic)
    return report_failure (self);
  if (result == LUMA_REFUSED) {
    outcome->failed_over = fall_short (self);
  } else if (result != LUMA_DECLINED) {
    outcome->failed_over = TRUE;
    fail_over (self, result);
  }
  if (on_device && !map_again (self, plan, in, in_info, out, out_info))
    return FALSE;
  return run_on_cpu (plan, in, out, &outcome->path) == LUMA_DONE;
}

GstFlowReturn
cuda_gray_converter_refuse (CudaGrayConverter * self)
{
  GST_ELEMENT_ERROR (self->element, RESOURCE, FAILED,
      ("The GPU was lost; stop the element and start it again."), (NULL));
  return GST_FLOW_ERROR;
}

CudaGrayConvertResult
cuda_gray_converter_run (CudaGrayConverter * self, const LumaPlan * plan,
    const GstVideoInfo * in_info, GstBuffer * in_buffer,
    const GstVideoInfo * out_info, GstBuffer * out_buffer,
    CudaGrayOutcome * outcome, gchar ** problem)
{
  CudaGrayConvertResult mapped;
  CudaGrayFrame in, out;
  gboolean done;

  memset (outcome, 0, sizeof *outcome);
  mapped = map_input (self, &in, plan, in_info, in_buffer,
      device_flag (self, in_buffer), problem);
  if (mapped != CUDA_GRAY_CONVERTED)
    return mapped;
  if (!map_output (self, &out, plan, out_info, out_buffer,
          device_flag (self, out_buffer))) {
    cuda_gray_frame_unmap (&in);
    return CUDA_GRAY_CONVERT_FAILED;
  }
  done = run_frame (self, plan, &in, in_info, &out, out_info, outcome);
  if (!outcome->set_aside)
    cuda_gray_frame_unmap (&in);
  cuda_gray_frame_unmap (&out);
  return done ? CUDA_GRAY_CONVERTED : CUDA_GRAY_CONVERT_FAILED;
}
