/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Cases 16 and 46: soak [FRAMES [RESTARTS]] converts so many frames in one
 * process, with so many starts of one pipeline, in changing formats and kinds
 * of memory.  After the first few starts nothing grows: memory that is
 * resident, pinned or the device's, and open files. */

#include "endure.h"

#include <stdlib.h>

#include "gpu.h"
#include "process.h"

#define FIRST 20
#define MAX_GROWTH (1 << 20)
/* What a start's frames may take, in seconds. */
#define LONG 100

static guint n_frames = 20000, n_starts = 30;

typedef struct
{
  gsize resident, device;       /* bytes */
  guint files;
  GpuBlockUse blocks;
} Usage;

static const gchar *const caps[] = {
  "video/x-raw,format=RGB,width=33,height=17",
  "video/x-raw,format=BGRx,width=64,height=48",
  "video/x-raw,format=GBR,width=70,height=5",
  "video/x-raw,format=I420,width=50,height=30",
  "video/x-raw,format=ARGB64,width=20,height=20",
  "video/x-raw,format=GRAY8,width=64,height=48",
};

#ifdef SIMULATED
#include "simulated.h"

static gsize
device_memory (void)
{
  return simulated_allocations ();
}
#elif defined (HAVE_CUDA)
#include <cuda_runtime_api.h>

static gsize
device_memory (void)
{
  size_t free = 0, total = 0;

  if (g_str_equal (pipe_backend (), "cuda"))
    fail_unless_equals_int (cudaMemGetInfo (&free, &total), cudaSuccess);
  return total - free;
}
#else
static gsize
device_memory (void)
{
  return 0;
}
#endif

static Usage
usage_now (void)
{
  Usage usage = { process_resident (), device_memory (),
    process_open_files ()
  };

  gpu_blocks_use (&usage.blocks);
  return usage;
}

/* Sanitizers keep freed memory for a while. */
static gssize
max_growth (void)
{
#if defined (__SANITIZE_ADDRESS__) || defined (__SANITIZE_THREAD__)
  return G_MAXSSIZE;
#else
  return MAX_GROWTH;
#endif
}

static void
check_usage (const Usage * before, const Usage * now)
{
  gssize resident = now->resident - before->resident;
  gssize device = now->device - before->device;

  g_print ("%u frames, %u starts; since start %u: resident %+" G_GSSIZE_FORMAT
      " KiB of %" G_GSIZE_FORMAT ", device %+" G_GSSIZE_FORMAT ", pinned %+"
      G_GSSIZE_FORMAT ", files %+d\n", n_frames, n_starts, FIRST,
      resident / 1024, now->resident / 1024, device,
      (gssize) (now->blocks.pinned - before->blocks.pinned),
      (gint) now->files - (gint) before->files);
  fail_unless (resident < max_growth ());
  fail_unless (device <= 0);
  fail_unless_equals_uint64 (now->blocks.pinned, before->blocks.pinned);
  fail_unless_equals_uint64 (now->blocks.used + now->blocks.free, 0);
  fail_unless_equals_int (now->files, before->files);
}

/* Rounded up. */
static guint
frames_a_start (void)
{
  return (n_frames - 1) / n_starts + 1;
}

/* A third of the frames come in memory that no GPU reaches. */
static void
set_kind (GstElement * pipeline, guint i)
{
  GstElement *src = gst_bin_get_by_name (GST_BIN (pipeline), "src");
  GstElement *filter = gst_bin_get_by_name (GST_BIN (pipeline), "filter");

  g_object_set (src, "num-buffers", frames_a_start (), NULL);
  gst_util_set_object_arg (G_OBJECT (filter), "caps",
      caps[i % G_N_ELEMENTS (caps)]);
  gst_object_unref (filter);
  gst_object_unref (src);
  src = gst_bin_get_by_name (GST_BIN (pipeline), "wall");
  g_object_set (src, "drop-allocation", i % 3 == 0, NULL);
  gst_object_unref (src);
}

GST_START_TEST (test_soak)
{
  GstElement *pipeline = pipe_launch ("videotestsrc name=src pattern=snow ! "
      "capsfilter name=filter ! identity name=wall ! cudagray ! fakesink");
  PipeWatch *watch = pipe_watch (pipeline);
  Usage before, now;

  for (guint i = 0; i < n_starts; i++) {
    if (i == FIRST)
      before = usage_now ();
    set_kind (pipeline, i);
    pipe_play (pipeline, LONG);
    pipe_set_state (pipeline, GST_STATE_NULL);
  }
  now = usage_now ();
  fail_unless_equals_int (watch->out, frames_a_start () * n_starts);
  pipe_stop (pipeline, watch);
  check_usage (&before, &now);
}

GST_END_TEST;

static Suite *
soak_suite (void)
{
  Suite *s = suite_create ("soak");

  tcase_add_test (pipe_tcase (s, "soak"), test_soak);
  return s;
}

int
main (int argc, char **argv)
{
  if (argc > 1)
    n_frames = strtoul (argv[1], NULL, 10);
  if (argc > 2)
    n_starts = strtoul (argv[2], NULL, 10);
  if (n_starts <= FIRST || n_frames < n_starts) {
    g_printerr ("soak [FRAMES [RESTARTS]], more than %d restarts\n", FIRST);
    return EXIT_FAILURE;
  }
  return endure_main (1, argv, soak_suite);
}
