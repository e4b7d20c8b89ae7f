/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* memory: RGB frames in the GPU's memory, at 4K and 8K.
 *
 * To the GPU's memory, frames back to back:
 *
 *   copy       the device copy of as many bytes
 *   kernel     the kernel alone
 *   element    the element behind a queue, up to the end of its last frame
 *
 * and to pinned system memory, one frame at a time:
 *
 *   download   the bare copy of the gray bytes from the device, spinning
 *   in-place   the kernel alone, spinning
 *   element    the element's chain function, its wait included */

#include <cuda_runtime_api.h>
#include <gst/check/gstharness.h>
#include <gst/cuda/gstcudamemory.h>
#include <gst/cuda/gstcudautils.h>
#include <stdio.h>

#include "bench.h"
#include "cudamemory.h"
#include "device.h"
#include "gpu.h"
#include "gstcudagray.h"

#define BUFFERS 4
#define FRAMES 500
#define BATCHES 5

typedef struct
{
  BenchSize size;
  gsize pixels;
  LumaPlan plan;
  GstCudaContext *context;
  GstMiniObject *order;         /* the frames' stream; NULL before 1.24 */
  cudaStream_t stream;
  GpuDevice *device;
  GstBufferPool *pool;
  GstBuffer *in[BUFFERS];
  const guint8 *source[BUFFERS];        /* on the device */
  gint stride;
  guint8 *gray, *copy;          /* on the device */
  GpuBlock *host;
} Rig;

static void
must (cudaError_t error)
{
  if (error != cudaSuccess)
    g_error ("%s", cudaGetErrorName (error));
}

static void
spin (Rig * rig)
{
  cudaError_t error;

  while ((error = cudaStreamQuery (rig->stream)) == cudaErrorNotReady);
  must (error);
}

static void
launch (Rig * rig, guint i, guint8 * to, gboolean over_link)
{
  GpuFrame frame = gpu_frame (&rig->plan);

  frame.dst = to;
  frame.dst_stride = rig->size.width;
  frame.max_blocks = gpu_max_blocks (rig->device, over_link);
  for (int c = 0; c < LUMA_COMPONENTS; c++) {
    frame.src[c] = rig->source[i % BUFFERS];
    frame.src_stride[c] = rig->stride;
  }
  must (gpu_launch (&frame, rig->stream));
}

static GstHarness *
new_harness (Rig * rig, const gchar * line, const gchar * feature)
{
  gchar *caps = g_strdup_printf ("video/x-raw%s,format=GRAY8", feature);
  GstContext *context = gst_context_new_cuda_context (rig->context);
  GstHarness *harness = gst_harness_new_parse (line);

  gst_element_set_context (harness->element, context);
  gst_context_unref (context);
  gst_harness_set_sink_caps_str (harness, caps);
  g_free (caps);
  caps = g_strdup_printf ("video/x-raw(memory:CUDAMemory),format=RGB,width=%"
      G_GSIZE_FORMAT ",height=%" G_GSIZE_FORMAT ",framerate=30/1",
      rig->size.width, rig->size.height);
  gst_harness_set_src_caps_str (harness, caps);
  g_free (caps);
  return harness;
}

static void
push (Rig * rig, GstHarness * harness, guint i)
{
  if (gst_harness_push (harness, gst_buffer_ref (rig->in[i % BUFFERS])) !=
      GST_FLOW_OK)
    g_error ("push");
}

static void
rig_init (Rig * rig, BenchSize size)
{
  const LumaComponent rgb[] = { {0, 0, 3, 0, 8}, {0, 1, 3, 0, 8},
  {0, 2, 3, 0, 8}
  };
  GstCaps *caps = gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING,
      "RGB", "width", G_TYPE_INT, (gint) size.width, "height", G_TYPE_INT,
      (gint) size.height, NULL);
  guint bytes;

  gst_caps_set_features_simple (caps,
      gst_caps_features_new (GST_CAPS_FEATURE_MEMORY_CUDA_MEMORY, NULL));
  rig->size = size;
  rig->pixels = size.width * size.height;
  luma_plan_init (&rig->plan, size.width, size.height, rgb, LUMA_MATRIX_BT601,
      LUMA_RANGE_FULL, LUMA_RANGE_FULL);
  rig->pool = cuda_gray_cuda_pool_new (rig->context, rig->order, caps, 0,
      &bytes);
  gst_caps_unref (caps);
  gst_buffer_pool_set_active (rig->pool, TRUE);
  for (guint i = 0; i < BUFFERS; i++) {
    GstMapInfo map;

    if (gst_buffer_pool_acquire_buffer (rig->pool, &rig->in[i], NULL) !=
        GST_FLOW_OK)
      g_error ("no CUDA memory");
    gst_buffer_memset (rig->in[i], 0, 60 * i + 7, bytes);
    gst_buffer_map (rig->in[i], &map, GST_MAP_READ | CUDA_GRAY_MAP_CUDA);
    rig->source[i] = map.data;
    gst_buffer_unmap (rig->in[i], &map);
    rig->stride = gst_buffer_get_video_meta (rig->in[i])->stride[0];
  }
  must (cudaMalloc ((void **) &rig->gray, 2 * rig->pixels));
  must (cudaMalloc ((void **) &rig->copy, 2 * rig->pixels));
  rig->host = gpu_block_get (rig->pixels, true);
}

static void
rig_clear (Rig * rig)
{
  for (guint i = 0; i < BUFFERS; i++)
    gst_buffer_unref (rig->in[i]);
  gst_buffer_pool_set_active (rig->pool, FALSE);
  gst_object_unref (rig->pool);
  must (cudaFree (rig->gray));
  must (cudaFree (rig->copy));
  gpu_block_put (rig->host);
}

static void
report (Rig * rig, const gchar * frames, const gchar * way, GArray * us,
    gdouble cpu, gdouble bytes)
{
  bench_print ("memory", way, frames, rig->size, 1, us, cpu, bytes);
  g_array_unref (us);
}

/* What each frame of a batch took, and their CPU time. */
static void
batches (Rig * rig, const gchar * way, void (*put) (Rig * rig, guint frame,
        GstHarness * harness), GstHarness * harness)
{
  GArray *us = bench_samples_new ();
  gdouble cpu = 0;

  for (gint b = -1; b < BATCHES; b++) {
    gdouble busy = bench_process_cpu (), start = bench_now (), took;

    for (guint i = 0; i < FRAMES; i++)
      put (rig, i, harness);
    must (cudaDeviceSynchronize ());
    took = (bench_now () - start) / FRAMES;
    if (b < 0)
      continue;
    g_array_append_val (us, took);
    cpu += (bench_process_cpu () - busy) / FRAMES / BATCHES;
  }
  report (rig, "RGB on the GPU", way, us, cpu, 4.0 * rig->pixels);
}

static void
put_copy (Rig * rig, guint frame, GstHarness * harness)
{
  must (cudaMemcpyAsync (rig->copy, rig->source[frame % BUFFERS],
          2 * rig->pixels, cudaMemcpyDeviceToDevice, rig->stream));
}

static void
put_kernel (Rig * rig, guint frame, GstHarness * harness)
{
  launch (rig, frame, rig->gray, FALSE);
}

/* Three frames ahead of what comes out. */
static void
put_element (Rig * rig, guint frame, GstHarness * harness)
{
  push (rig, harness, frame);
  if (frame >= 3)
    gst_buffer_unref (gst_harness_pull (harness));
  if (frame == FRAMES - 1) {
    for (guint i = 0; i < 3; i++)
      gst_buffer_unref (gst_harness_pull (harness));
  }
}

static void
download (Rig * rig, guint frame, GstHarness * harness)
{
  must (cudaMemcpyAsync (rig->host->data, rig->gray, rig->pixels,
          cudaMemcpyDeviceToHost, rig->stream));
  spin (rig);
}

static void
in_place (Rig * rig, guint frame, GstHarness * harness)
{
  launch (rig, frame, rig->host->data, TRUE);
  spin (rig);
}

static void
element (Rig * rig, guint frame, GstHarness * harness)
{
  push (rig, harness, frame);
  gst_buffer_unref (gst_harness_pull (harness));
}

static void
to_system (Rig * rig)
{
  static const struct
  {
    const gchar *name;
    void (*run) (Rig * rig, guint frame, GstHarness * harness);
  } ways[] = {
    {"download", download}, {"in-place", in_place}, {"element", element}
  };
  GstHarness *harness = new_harness (rig, "cudagray backend=cuda", "");

  for (guint w = 0; w < G_N_ELEMENTS (ways); w++) {
    GArray *us = bench_samples_new ();
    gdouble cpu = 0;

    for (gint i = -20; i < 200; i++) {
      gdouble busy = bench_thread_cpu (), start = bench_now (), took;

      ways[w].run (rig, i + 20, harness);
      took = bench_now () - start;
      if (i < 0)
        continue;
      g_array_append_val (us, took);
      cpu += (bench_thread_cpu () - busy) / 200;
    }
    report (rig, "RGB from the GPU", ways[w].name, us, cpu, rig->pixels);
  }
  gst_harness_teardown (harness);
}

static void
measure (Rig * rig, BenchSize size)
{
  GstHarness *harness;

  rig_init (rig, size);
  batches (rig, "copy", put_copy, NULL);
  batches (rig, "kernel", put_kernel, NULL);
  harness = new_harness (rig, "queue ! cudagray backend=cuda",
      "(memory:CUDAMemory)");
  batches (rig, "element", put_element, harness);
  gst_harness_teardown (harness);
  to_system (rig);
  rig_clear (rig);
}

int
main (int argc, char **argv)
{
  GpuStatus status;
  Rig rig = { 0 };

  gst_init (&argc, &argv);
  GST_ELEMENT_REGISTER (cudagray, NULL);
  rig.device = gpu_device_open (-1, &status);
  if (rig.device == NULL || !cuda_gray_cuda_memory_init ()) {
    printf ("skipped: %s\n", status.text);
    return 77;
  }
  rig.context = gst_cuda_context_new (0);
  if (rig.context == NULL || !gst_cuda_context_push (rig.context))
    g_error ("no CUDA context");
  must (cudaStreamCreate (&rig.stream));
  rig.order = cuda_gray_cuda_stream_new (rig.context);
  bench_print_header ();
  for (guint s = BENCH_N_SIZES - 2; s < BENCH_N_SIZES; s++)
    measure (&rig, bench_sizes[s]);
  gst_clear_mini_object (&rig.order);
  must (cudaStreamDestroy (rig.stream));
  gst_cuda_context_pop (NULL);
  gst_object_unref (rig.context);
  return 0;
}
