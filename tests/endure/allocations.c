/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Every allocation of the project's own fails, one after the other, and then
 * all from one on, in a run of three frames: mappings and what describes them,
 * pinned memory, the device's memory and what it keeps of a stream.  Each run
 * ends with the three frames, or with an error that says why; no frame is
 * wrong, nothing is left, and the next run is as if nothing had been.
 *
 * GLib's own allocations are not among them: where these fail GLib ends the
 * process.  The linker puts the functions here in the place of libc's. */

#include "endure.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "gpu.h"

#define N_FRAMES 3

static struct
{
  gint at;                      /* which allocation, from 1; 0: none */
  gboolean for_good;            /* and all that follow */
  gint seen, hits;              /* atomic */
} fault;

static gboolean
fails (void)
{
  gint n = g_atomic_int_add (&fault.seen, 1) + 1;
  gboolean hit = fault.at > 0 && (fault.for_good ? n >= fault.at :
      n == fault.at);

  if (hit)
    g_atomic_int_inc (&fault.hits);
  return hit;
}

/* ThreadSanitizer's library calls them too, as the linker sees it. */
#define EXPORT __attribute__ ((visibility ("default")))

void *__real_mmap64 (void *start, size_t size, int protection, int flags,
    int file, off_t offset);
EXPORT void *__wrap_mmap64 (void *start, size_t size, int protection, int flags,
    int file, off_t offset);
void *__real_calloc (size_t n, size_t size);
EXPORT void *__wrap_calloc (size_t n, size_t size);

void *
__wrap_mmap64 (void *start, size_t size, int protection, int flags, int file,
    off_t offset)
{
  return fails () ? MAP_FAILED : __real_mmap64 (start, size, protection, flags,
      file, offset);
}

void *
__wrap_calloc (size_t n, size_t size)
{
  return fails () ? NULL : __real_calloc (n, size);
}

#ifdef SIMULATED
#include "simulated.h"

static const GpuCalls *good;

#define SCARCE(name, parameters, arguments) \
  static cudaError_t \
  name parameters \
  { \
    return fails () ? cudaErrorMemoryAllocation : good->name arguments; \
  }

/* *INDENT-OFF* */
SCARCE (Malloc, (void **data, size_t size), (data, size))
SCARCE (HostRegister, (void *data, size_t size, unsigned flags),
    (data, size, flags))
SCARCE (StreamCreate, (cudaStream_t * stream, unsigned flags), (stream, flags))
SCARCE (EventCreate, (cudaEvent_t * event, unsigned flags), (event, flags))
/* *INDENT-ON* */

static void
make_cuda_scarce (void)
{
  static GpuCalls scarce;

  good = gpu_calls;
  scarce = *good;
  scarce.Malloc = Malloc;
  scarce.HostRegister = HostRegister;
  scarce.StreamCreate = StreamCreate;
  scarce.EventCreate = EventCreate;
  gpu_calls = &scarce;
}

static void
check_cuda (void)
{
  fail_unless_equals_int (simulated_allocations (), 0);
  fail_unless_equals_int (simulated_registrations (), 0);
  fail_unless_equals_int (simulated_streams (), 0);
  fail_unless_equals_int (simulated_events (), 0);
}

static const gchar *const backends[] = { "auto", "cuda" };
#else
static void
make_cuda_scarce (void)
{
}

static void
check_cuda (void)
{
}

static const gchar *const backends[] = { "cpu", "auto" };
#endif

/* Frames in the element's own memory, and in memory that no GPU reaches; of
 * more pixels than the CPU is quicker with. */
static const gchar *const lines[] = {
  "videotestsrc num-buffers=3 pattern=snow ! "
      "video/x-raw,format=RGB,width=320,height=240 ! cudagray ! fakesink",
  "videotestsrc num-buffers=3 pattern=snow ! "
      "video/x-raw,format=GBR,width=320,height=240 ! "
      "identity drop-allocation=true ! cudagray ! fakesink",
};

/* Whether the pipeline played to its end; if not, some error says why. */
static gboolean
play (GstElement * pipeline)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;
  gboolean eos;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, 10 * GST_SECOND,
      GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless (message != NULL, "neither an end nor an error");
  eos = GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS;
  if (!eos) {
    GError *error;

    gst_message_parse_error (message, &error, NULL);
    g_print ("%s: %s\n", GST_MESSAGE_SRC_NAME (message), error->message);
    g_error_free (error);
  }
  gst_message_unref (message);
  gst_object_unref (bus);
  return eos;
}

/* One run; how many allocations have failed. */
static gint
run (const gchar * line, const gchar * backend, gint at, gboolean for_good)
{
  GstElement *pipeline = pipe_launch ("%s", line);
  PipeWatch *watch = pipe_watch (pipeline);
  gint hits, seen;
  gboolean done;

  gst_util_set_object_arg (G_OBJECT (watch->element), "backend", backend);
  fault.at = at;
  fault.for_good = for_good;
  fault.seen = fault.hits = 0;
  done = play (pipeline);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  fault.at = 0;
  hits = fault.hits;
  seen = fault.seen;
  fail_unless (done == (watch->out == N_FRAMES), "%d frames", watch->out);
  fail_unless (done || hits > 0, "an error without a fault");
  fail_unless (seen > 0);
  /* Of the frame that failed. */
  gst_clear_buffer (&watch->input);
  pipe_stop (pipeline, NULL);
  pipe_watch_free (watch);
  check_cuda ();
  return hits;
}

GST_START_TEST (test_allocations)
{
  const gchar *line = lines[__i__ / 2 % G_N_ELEMENTS (lines)];
  const gchar *backend = backends[__i__ % 2];
  gboolean for_good = __i__ / 2 / G_N_ELEMENTS (lines) > 0;
  gint at = 1;

  while (run (line, backend, at, for_good) > 0) {
    fail_unless_equals_int (run (line, backend, 0, FALSE), 0);
    at++;
  }
  g_print ("%s, %s: %d allocations\n", line, backend, at - 1);
  fail_unless (at > 4);
}

GST_END_TEST;

#ifdef SIMULATED
/* As for frames in the GPU's memory, in a context of others. */
GST_START_TEST (test_another_context)
{
  LumaBackend *backend;
  GpuStatus status;

  fault.for_good = FALSE;
  for (fault.at = 1;; fault.at++) {
    fault.seen = fault.hits = 0;
    backend = gpu_open_in (simulated_context (0), 0, &status);
    fail_unless_equals_int (fault.hits, backend == NULL);
    if (backend != NULL)
      break;
    fail_unless_equals_int (status.state, GPU_REFUSED);
    fail_unless (strstr (status.text, "emory") != NULL, "%s", status.text);
    check_cuda ();
  }
  fail_unless (fault.at > 4);
  fault.at = 0;
  backend->klass->close (backend);
  check_cuda ();
}

GST_END_TEST;
#endif

static Suite *
allocations_suite (void)
{
  Suite *s = suite_create ("allocations");
  TCase *tc = pipe_tcase (s, "allocations");

  make_cuda_scarce ();
  tcase_add_loop_test (tc, test_allocations, 0, 4 * G_N_ELEMENTS (lines));
#ifdef SIMULATED
  tcase_add_test (tc, test_another_context);
#endif
  return s;
}

int
main (int argc, char **argv)
{
  return endure_main (argc, argv, allocations_suite);
}
