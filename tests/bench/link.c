/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* link: one frame at a time, RGB and NV12, pinned memory on both sides, by
 * frame size.
 *
 *   upload     the bare copy of the bytes that are read, RGB's or the Y plane's
 *              alone, to the device, spinning: the floor
 *   in-place   the kernel alone, in place, spinning
 *   backend    submit and wait, as the element does it
 *   element    the element's chain function, its wait included
 *   rows       the CPU rows on one thread
 *
 * and the ways of an RGB frame in malloc's memory, which the GPU can't reach:
 *
 *   rows       the CPU rows on it, into pinned memory
 *   staged     the backend's own way, through device memory
 *   copied     memcpy to pinned memory, then in place
 *   registered cudaHostRegister, in place, cudaHostUnregister
 *
 * The ways take turns frame by frame, over buffers that together are larger
 * than the CPU's caches. */

#include <gst/check/gstharness.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "calls.h"
#include "device.h"
#include "gpu.h"
#include "gstcudagray.h"
#include "rows.h"

#define ROTATION_BYTES ((gsize) 256 << 20)
#define WARM_UP 20

enum
{ UPLOAD, IN_PLACE, BACKEND, ELEMENT, ROWS,
  PLAIN_ROWS, STAGED, COPIED, REGISTERED, N_WAYS
};

static const struct
{
  const gchar *program, *name;
} ways[N_WAYS] = {
  {"link", "upload"}, {"link", "in-place"}, {"link", "backend"},
  {"link", "element"}, {"link", "rows"}, {"reach", "rows"},
  {"reach", "staged"}, {"reach", "copied"}, {"reach", "registered"},
};

typedef struct
{
  const gchar *name;
  guint read;                   /* bytes of a pixel */
  gdouble all;                  /* bytes of a pixel that the frame has */
  LumaRange range;
  LumaComponent components[LUMA_COMPONENTS];
  guint n_ways;
} Kind;

static const Kind rgb = { "RGB", 3, 3, LUMA_RANGE_FULL,
  {{0, 0, 3, 0, 8}, {0, 1, 3, 0, 8}, {0, 2, 3, 0, 8}}, N_WAYS
};

static const Kind nv12 = { "NV12", 1, 1.5, LUMA_RANGE_LIMITED,
  {{0, 0, 1, 0, 8}, {0, 0, 1, 0, 8}, {0, 0, 1, 0, 8}}, PLAIN_ROWS
};

typedef struct
{
  const Kind *kind;
  BenchSize size;
  gsize stride, bytes;          /* that are read, of a row and in all */
  LumaPlan plan;
  guint n;                      /* of the rotation */
  GstBuffer **in;
  guint8 **plain;               /* the same frames, in malloc's memory */
  GpuBlock **out;
  GstHarness *harness;
  GpuDevice *device;
  cudaStream_t stream;
  guint8 *on_device;
  LumaBackend *backend, *stager;        /* each with a pace of its own */
} Rig;

static void
must (cudaError_t error, const gchar * what)
{
  if (error != cudaSuccess)
    g_error ("%s: %s", what, cudaGetErrorName (error));
}

static void
spin (Rig * rig)
{
  cudaError_t error;

  while ((error = cudaStreamQuery (rig->stream)) == cudaErrorNotReady);
  must (error, "cudaStreamQuery");
}

static void
upload (Rig * rig, const guint8 * in)
{
  must (gpu_push (rig->device), "push");
  must (cudaMemcpyAsync (rig->on_device, in, rig->bytes,
          cudaMemcpyHostToDevice, rig->stream), "upload");
  spin (rig);
  gpu_pop ();
}

static void
in_place (Rig * rig, const guint8 * in, guint8 * out)
{
  GpuFrame frame = gpu_frame (&rig->plan);

  frame.dst = out;
  frame.dst_stride = rig->size.width;
  frame.max_blocks = gpu_max_blocks (rig->device, true);
  for (int i = 0; i < LUMA_COMPONENTS; i++) {
    frame.src[i] = in;
    frame.src_stride[i] = rig->stride;
  }
  must (gpu_push (rig->device), "push");
  must (gpu_launch (&frame, rig->stream), "launch");
  spin (rig);
  gpu_pop ();
}

static void
through_backend (const Rig * rig, LumaBackend * backend,
    const LumaSource * src, const LumaTarget * dst, LumaPath wanted)
{
  const LumaBackendClass *klass = backend->klass;
  LumaPath path;

  if (klass->submit (backend, &rig->plan, src, dst, true,
          &path) != LUMA_DONE ||
      klass->wait (backend, 1000000) != LUMA_DONE || path != wanted)
    g_error ("backend: %s", klass->error (backend));
}

static void
run_plain (Rig * rig, guint way, guint8 * plain, guint8 * pinned,
    const LumaTarget * dst)
{
  LumaSource src = { {plain}, {rig->stride} };

  switch (way) {
    case PLAIN_ROWS:
      luma_rows_convert (luma_rows (), &rig->plan, &src, dst);
      break;
    case STAGED:
      through_backend (rig, rig->stager, &src, dst, LUMA_PATH_STAGED);
      break;
    case COPIED:
      memcpy (pinned, plain, rig->bytes);
      in_place (rig, pinned, dst->data);
      break;
    default:
      if (!gpu_register (plain, rig->bytes))
        g_error ("gpu_register");
      in_place (rig, plain, dst->data);
      gpu_unregister (plain);
      break;
  }
}

static void
run (Rig * rig, guint way, guint i)
{
  GstBuffer *buffer = rig->in[i % rig->n];
  GpuBlock *block = rig->out[i % rig->n];
  GstMapInfo map;
  LumaSource src;
  LumaTarget dst = { block->data, rig->size.width };

  if (way == ELEMENT) {
    if (gst_harness_push (rig->harness, gst_buffer_ref (buffer)) != GST_FLOW_OK)
      g_error ("push");
    gst_buffer_unref (gst_harness_pull (rig->harness));
    return;
  }
  gst_buffer_map (buffer, &map, GST_MAP_READ);
  src = (LumaSource) { {map.data}, {rig->stride} };
  if (way == UPLOAD)
    upload (rig, map.data);
  else if (way == IN_PLACE)
    in_place (rig, map.data, block->data);
  else if (way == BACKEND)
    through_backend (rig, rig->backend, &src, &dst, LUMA_PATH_IN_PLACE);
  else if (way >= PLAIN_ROWS)
    run_plain (rig, way, rig->plain[i % rig->n], map.data, &dst);
  else
    luma_rows_convert (luma_rows (), &rig->plan, &src, &dst);
  gst_buffer_unmap (buffer, &map);
}

static void
rig_init_frames (Rig * rig, gsize bytes)
{
  rig->n = CLAMP (ROTATION_BYTES / rig->bytes, 3, 64);
  rig->in = g_new (GstBuffer *, rig->n);
  rig->plain = g_new (guint8 *, rig->n);
  rig->out = g_new (GpuBlock *, rig->n);
  for (guint i = 0; i < rig->n; i++) {
    GstMapInfo map;

    rig->in[i] = gst_harness_create_buffer (rig->harness, bytes);
    gst_buffer_map (rig->in[i], &map, GST_MAP_WRITE);
    for (gsize b = 0; b < bytes; b++)
      map.data[b] = (guint8) (b * 2654435761u >> 13) + i;
    rig->plain[i] = g_memdup2 (map.data, bytes);
    gst_buffer_unmap (rig->in[i], &map);
    rig->out[i] = gpu_block_get (rig->size.width * rig->size.height, true);
  }
}

static void
rig_init (Rig * rig, const Kind * kind, BenchSize size)
{
  GstElement *element = g_object_new (GST_TYPE_CUDA_GRAY, NULL);
  gchar *caps = g_strdup_printf ("video/x-raw,format=%s,width=%"
      G_GSIZE_FORMAT ",height=%" G_GSIZE_FORMAT ",framerate=30/1", kind->name,
      size.width, size.height);

  rig->kind = kind;
  rig->size = size;
  rig->stride = kind->read * size.width;
  rig->bytes = rig->stride * size.height;
  luma_plan_init (&rig->plan, size.width, size.height, kind->components,
      LUMA_MATRIX_BT601, kind->range, LUMA_RANGE_FULL);
  gst_util_set_object_arg (G_OBJECT (element), "backend", "cuda");
  rig->harness = gst_harness_new_with_element (element, "sink", "src");
  gst_harness_set_src_caps_str (rig->harness, caps);
  rig_init_frames (rig, kind->all * size.width * size.height);
  must (gpu_push (rig->device), "push");
  must (cudaMalloc ((void **) &rig->on_device, rig->bytes), "cudaMalloc");
  gpu_pop ();
  g_free (caps);
  gst_object_unref (element);
}

static void
rig_clear (Rig * rig)
{
  must (gpu_push (rig->device), "push");
  must (cudaFree (rig->on_device), "cudaFree");
  gpu_pop ();
  for (guint i = 0; i < rig->n; i++) {
    gst_buffer_unref (rig->in[i]);
    g_free (rig->plain[i]);
    gpu_block_put (rig->out[i]);
  }
  g_free (rig->in);
  g_free (rig->plain);
  g_free (rig->out);
  gst_harness_teardown (rig->harness);
}

/* Of a frame, as the element counts them. */
static gdouble
bytes_read (Rig * rig)
{
  guint64 bytes = 0, frames = 0;
  GstStructure *stats;

  g_object_get (rig->harness->element, "stats", &stats, NULL);
  gst_structure_get (stats, "bytes-in", G_TYPE_UINT64, &bytes,
      "frames-in-place", G_TYPE_UINT64, &frames, NULL);
  gst_structure_free (stats);
  return (gdouble) bytes / frames;
}

static void
report (Rig * rig, guint way, GArray * us, gdouble cpu)
{
  bench_print (ways[way].program, ways[way].name, rig->kind->name, rig->size,
      1, us, cpu / us->len, way == ELEMENT ? bytes_read (rig) : rig->bytes);
  g_array_unref (us);
}

static void
measure (Rig * rig, const Kind * kind, BenchSize size)
{
  gdouble cpu[N_WAYS] = { 0 };
  GArray *us[N_WAYS];
  guint rounds = size.height > 4000 ? 240 : size.height > 2000 ? 400 : 800;

  rig_init (rig, kind, size);
  for (guint w = 0; w < kind->n_ways; w++)
    us[w] = bench_samples_new ();
  /* Each way runs some frames in a row: a stream's frames follow each other. */
  for (guint i = 0; i < rounds; i += WARM_UP) {
    /* The slow ones, of which no small difference is asked, a quarter. */
    guint n = i % (4 * WARM_UP) == 0 ? kind->n_ways : ROWS;

    for (guint w = 0; w < n; w++) {
      for (guint k = 0; k < 2 * WARM_UP; k++) {
        gdouble busy = bench_thread_cpu (), start = bench_now (), took;

        run (rig, w, i + k);
        took = bench_now () - start;
        if (k < WARM_UP)
          continue;
        cpu[w] += bench_thread_cpu () - busy;
        g_array_append_val (us[w], took);
      }
    }
  }
  for (guint w = 0; w < kind->n_ways; w++)
    report (rig, w, us[w], cpu[w]);
  rig_clear (rig);
}

int
main (int argc, char **argv)
{
  GpuStatus status;
  Rig rig = { 0 };

  gst_init (&argc, &argv);
  rig.backend = gpu_open (-1, &status);
  rig.stager = gpu_open (-1, &status);
  if (rig.stager == NULL) {
    printf ("skipped: %s\n", status.text);
    return 77;
  }
  rig.device = gpu_device_open (-1, &status);
  must (gpu_push (rig.device), "push");
  must (cudaStreamCreateWithFlags (&rig.stream, cudaStreamNonBlocking),
      "cudaStreamCreateWithFlags");
  gpu_pop ();
  bench_print_header ();
  for (guint s = 0; s < BENCH_N_SIZES; s++)
    measure (&rig, &rgb, bench_sizes[s]);
  for (guint s = BENCH_FIRST_VGA; s < BENCH_N_SIZES; s++)
    measure (&rig, &nv12, bench_sizes[s]);
  return 0;
}
