/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* streams: 1080p RGB through 1 to 64 elements at once, each with a thread of
 * its own, pinned memory on both sides; beside the bare upload, frames back to
 * back on one stream.  CPU time is the whole process's, for a frame.  Where
 * there are several GPUs, also spread over all of them. */

#include <gst/check/gstharness.h>
#include <stdio.h>

#include "bench.h"
#include "device.h"
#include "gpu.h"
#include "gstcudagray.h"

#define BUFFERS 8               /* of each stream */

static const BenchSize size = { 1920, 1080 };
static const gsize frame_bytes = 3 * 1920 * 1080;

typedef struct
{
  GstHarness *harness;
  GstBuffer *in[BUFFERS];
  GThread *thread;
  guint frames;
} Stream;

static gint running;            /* atomic */

static void
stream_init (Stream * stream, gint device)
{
  GstElement *element = g_object_new (GST_TYPE_CUDA_GRAY, "cuda-device-id",
      device, NULL);

  gst_util_set_object_arg (G_OBJECT (element), "backend", "cuda");
  stream->harness = gst_harness_new_with_element (element, "sink", "src");
  gst_harness_set_src_caps_str (stream->harness,
      "video/x-raw,format=RGB,width=1920,height=1080,framerate=30/1");
  for (guint i = 0; i < BUFFERS; i++) {
    stream->in[i] = gst_harness_create_buffer (stream->harness, frame_bytes);
    gst_buffer_memset (stream->in[i], 0, 31 * i + 7, frame_bytes);
  }
  gst_object_unref (element);
}

static void
stream_clear (Stream * stream)
{
  for (guint i = 0; i < BUFFERS; i++)
    gst_buffer_unref (stream->in[i]);
  gst_harness_teardown (stream->harness);
}

static gpointer
stream_run (gpointer data)
{
  Stream *stream = data;

  for (stream->frames = 0; g_atomic_int_get (&running); stream->frames++) {
    GstBuffer *in = stream->in[stream->frames % BUFFERS];

    if (gst_harness_push (stream->harness, gst_buffer_ref (in)) != GST_FLOW_OK)
      g_error ("push");
    gst_buffer_unref (gst_harness_pull (stream->harness));
  }
  return NULL;
}

/* A second of all streams; frames in all. */
static guint
run_all (Stream * streams, guint n, gdouble * us, gdouble * cpu)
{
  gdouble busy, start;
  guint frames = 0;

  g_atomic_int_set (&running, TRUE);
  busy = bench_process_cpu ();
  start = bench_now ();
  for (guint i = 0; i < n; i++)
    streams[i].thread = g_thread_new ("stream", stream_run, &streams[i]);
  g_usleep (G_USEC_PER_SEC);
  g_atomic_int_set (&running, FALSE);
  for (guint i = 0; i < n; i++) {
    g_thread_join (streams[i].thread);
    frames += streams[i].frames;
  }
  *us = bench_now () - start;
  *cpu = bench_process_cpu () - busy;
  return frames;
}

static void
measure (guint n, const gchar * way, gint devices)
{
  Stream *streams = g_new0 (Stream, n);
  GArray *each = bench_samples_new ();
  gdouble cpu_each = 0;

  for (guint i = 0; i < n; i++)
    stream_init (&streams[i], i % devices);
  for (gint sample = -1; sample < 5; sample++) {
    gdouble us, cpu;
    guint frames = run_all (streams, n, &us, &cpu);

    us /= frames;
    if (sample >= 0) {
      g_array_append_val (each, us);
      cpu_each += cpu / frames / 5;
    }
  }
  bench_print ("streams", way, "RGB", size, n, each, cpu_each, frame_bytes);
  g_array_unref (each);
  for (guint i = 0; i < n; i++)
    stream_clear (&streams[i]);
  g_free (streams);
}

static void
must (cudaError_t error)
{
  if (error != cudaSuccess)
    g_error ("%s", cudaGetErrorName (error));
}

static void
measure_upload (GpuDevice * device)
{
  GpuBlock *block = gpu_block_get (frame_bytes * BUFFERS, true);
  GArray *each = bench_samples_new ();
  cudaStream_t stream;
  void *on_device;

  must (gpu_push (device));
  must (cudaStreamCreateWithFlags (&stream, cudaStreamNonBlocking));
  must (cudaMalloc (&on_device, frame_bytes));
  for (gint sample = -5; sample < 50; sample++) {
    gdouble start = bench_now (), us;

    for (guint i = 0; i < 5 * BUFFERS; i++)
      must (cudaMemcpyAsync (on_device, (guint8 *) block->data +
              i % BUFFERS * frame_bytes, frame_bytes, cudaMemcpyHostToDevice,
              stream));
    must (cudaStreamSynchronize (stream));
    us = (bench_now () - start) / (5 * BUFFERS);
    if (sample >= 0)
      g_array_append_val (each, us);
  }
  bench_print ("streams", "upload", "RGB", size, 1, each, -1, frame_bytes);
  must (cudaFree (on_device));
  must (cudaStreamDestroy (stream));
  gpu_pop ();
  gpu_block_put (block);
  g_array_unref (each);
}

int
main (int argc, char **argv)
{
  GpuStatus status;
  GpuDevice *device;
  int devices;

  gst_init (&argc, &argv);
  device = gpu_device_open (-1, &status);
  if (device == NULL) {
    printf ("skipped: %s\n", status.text);
    return 77;
  }
  bench_print_header ();
  measure_upload (device);
  for (guint n = 1; n <= 64; n *= 4)
    measure (n, "element", 1);
  measure_upload (device);
  must (cudaGetDeviceCount (&devices));
  for (guint n = 16; devices > 1 && n <= 64; n *= 4)
    measure (n, "element, all GPUs", devices);
  return 0;
}
