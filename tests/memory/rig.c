/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#include "rig.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "calls.h"
#define SOON_US (2 * G_USEC_PER_SEC)

#ifdef SIMULATED
#include "driver.h"
#include "runtime.h"

/* What the driver had before a test: contexts, streams, events, memory. */
static struct
{
  unsigned contexts, streams, events, allocations, registrations;
} before;

static void
note_driver (void)
{
  before.contexts = driver_contexts ();
  before.streams = driver_streams ();
  before.events = driver_events ();
  before.allocations = driver_allocations ();
  before.registrations = driver_registrations ();
}

static void
check_driver (void)
{
  fail_unless_equals_int (driver_pending (), 0);
  fail_unless_equals_int (driver_contexts (), before.contexts);
  fail_unless_equals_int (driver_streams (), before.streams);
  fail_unless_equals_int (driver_events (), before.events);
  fail_unless_equals_int (driver_allocations (), before.allocations);
  fail_unless_equals_int (driver_registrations (), before.registrations);
}
#endif

void
rig_check_leaks (TCase * tests)
{
#ifdef SIMULATED
  tcase_add_checked_fixture (tests, note_driver, check_driver);
#endif
}

gint
rig_devices (void)
{
  int count = 0;

  gpu_calls->GetDeviceCount (&count);
  return count;
}

int
rig_gpu_main (int argc, char **argv, Suite * (*suite) (void))
{
  GstElementFactory *upload;
  LumaBackend *backend;
  GpuStatus status;
  Suite *chosen;

#ifdef SIMULATED
  gpu_calls = &driver_calls;
#endif
  /* For pipe.h: cudagray's backend stays as it is. */
  g_setenv ("CUDAGRAY_TEST_BACKEND", "auto", TRUE);
  gst_check_init (&argc, &argv);
  GST_ELEMENT_REGISTER (cudagray, NULL);
  backend = gpu_open (-1, &status);
  if (backend == NULL) {
    printf ("skipped: %s\n", status.text);
    return 77;
  }
  backend->klass->close (backend);
  upload = gst_element_factory_find ("cudaupload");
  if (upload == NULL || !cuda_gray_cuda_memory_init ()) {
    printf ("skipped: no cudaupload, GStreamer's nvcodec plugin finds no "
        "GPU\n");
    return 77;
  }
  gst_object_unref (upload);
  /* Loads the plugin, which keeps what it finds out about the GPU. */
  gst_object_unref (gst_object_ref_sink (gst_element_factory_make ("cudaupload",
              NULL)));
  chosen = suite ();
  return chosen != NULL ? gst_check_run_suite (chosen, "memory", __FILE__) : 77;
}

#ifdef SIMULATED
guint
rig_contexts_made (gint device)
{
  return driver_contexts_created (device);
}

RigCounts
rig_counts (void)
{
  RigCounts counts = { driver_contexts (), driver_streams (),
    driver_events (), driver_allocations (), driver_registrations (),
    driver_pending ()
  };

  return counts;
}

static guint
depth (void)
{
  return driver_depth ();
}
#else
guint
rig_contexts_made (gint device)
{
  return 0;
}

RigCounts
rig_counts (void)
{
  RigCounts none = { 0 };

  return none;
}

static guint
depth (void)
{
  return 0;
}
#endif

void
rig_expect_counts (const RigCounts * expected)
{
  gint64 end = g_get_monotonic_time () + SOON_US;
  RigCounts now = rig_counts ();

  while (memcmp (&now, expected, sizeof now) != 0 &&
      g_get_monotonic_time () < end) {
    g_usleep (500);
    now = rig_counts ();
  }
  fail_unless_equals_int (now.contexts, expected->contexts);
  fail_unless_equals_int (now.streams, expected->streams);
  fail_unless_equals_int (now.events, expected->events);
  fail_unless_equals_int (now.allocations, expected->allocations);
  fail_unless_equals_int (now.registrations, expected->registrations);
  fail_unless_equals_int (now.pending, expected->pending);
}

gpointer
rig_driver (const gchar * symbol)
{
  gpointer library = dlopen ("libcuda.so.1", RTLD_LAZY);
  gpointer function;

  fail_unless (library != NULL, "%s", dlerror ());
  function = dlsym (library, symbol);
  fail_unless (function != NULL, "%s", dlerror ());
  dlclose (library);
  return function;
}

RigCurrent
rig_current (void)
{
  CUresult (*get) (CUcontext *) = rig_driver ("cuCtxGetCurrent");
  RigCurrent current = { NULL, depth () };

  fail_unless_equals_int (get (&current.context), CUDA_SUCCESS);
  return current;
}

void
rig_expect_current (const RigCurrent * expected)
{
  RigCurrent now = rig_current ();

  fail_unless (now.context == expected->context, "context %p, was %p",
      now.context, expected->context);
  fail_unless_equals_int (now.depth, expected->depth);
}
