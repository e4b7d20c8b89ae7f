/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* faults [N]: every call of CUDA fails, one after the other, in a whole life of
 * a backend: it is opened, gets memory, converts, gives back and is closed.
 * Whatever fails, who uses it learns of it, and gets the right bytes from the
 * backend or can make them on the CPU.  N: every Nth alone, for sanitizers, from
 * another one each day. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "life.h"

#define CHILD_SECONDS 60
#define MAX_SHOWN 20

typedef struct
{
  const LifeWay *way;
  SimulatedFault fault;
} Case;

/* What a backend's messages call the entries that a frame can fail in; and
 * whether it can only be opened if they work. */
static const struct
{
  const char *text;
  bool opens, converts;
} needed[SIM_N_ENTRIES] = {
  [SIM_DriverGetVersion] = {"cudaDriverGetVersion", true},
  [SIM_GetDeviceCount] = {"cudaGetDeviceCount", true},
  [SIM_DriverEntryPoint] = {"cudaGetDriverEntryPoint", true},
  [SIM_DeviceGet] = {"cuDeviceGet", true},
  [SIM_DevicePrimaryCtxRetain] = {"cuDevicePrimaryCtxRetain", true},
  [SIM_CtxPushCurrent] = {"cuCtxPushCurrent", true, true},
  [SIM_StreamCreate] = {"cudaStreamCreate", true},
  [SIM_StreamQuery] = {"cudaStreamQuery", true, true},
  /* Of these two only frames with streams make any calls. */
  [SIM_StreamWaitEvent] = {"cudaStreamWaitEvent", false, true},
  [SIM_EventRecord] = {"cudaEventRecord", false, true},
  [SIM_EventCreate] = {"cudaEventCreate", true},
  [SIM_Malloc] = {"staging memory", true, true},
  [SIM_MemsetAsync] = {"staging memory", true, true},
  [SIM_MemcpyAsync] = {"cudaMemcpyAsync", true, true},
  [SIM_Memcpy2DAsync] = {"cudaMemcpy2DAsync", true, true},
  [SIM_Launch] = {"kernel launch", true, true},
};

/* Of both kinds of calls. */
static const int errors[2][3] = {
  {cudaErrorMemoryAllocation, cudaErrorLaunchFailure, cudaErrorUnknown},
  {CUDA_ERROR_OUT_OF_MEMORY, CUDA_ERROR_DEINITIALIZED, CUDA_ERROR_UNKNOWN},
};

/* How often a life calls each entry, written by the children. */
static unsigned *counted;

/* Faults so far, every how many of them happen, and how many have. */
static unsigned seen, every = 1, runs;

static bool
of_driver (SimulatedEntry entry)
{
  return entry >= SIM_FIRST_OF_DRIVER;
}

static bool
is_dead (void)
{
  return simulated.fired > 0 && simulated.fault.mode == SIM_DEAD;
}

/* The runtime has no word for the error of a push. */
static void
check_message (const char *text)
{
  const SimulatedFault *fault = &simulated.fault;
  const char *error = fault->entry == SIM_CtxPushCurrent ?
      "cudaErrorDeviceUninitialized" :
      simulated_error_name (fault->entry, fault->error);

  CHECK (strstr (text, error), "\"%s\"", text);
  /* In a context that is lost, whatever call comes next. */
  if (!is_dead ())
    CHECK (strstr (text, needed[fault->entry].text), "\"%s\"", text);
}

static LumaBackend *
open_backend (const LifeWay * way)
{
  const SimulatedFault *fault = &simulated.fault;
  unsigned before = simulated.fired;
  GpuStatus status;
  LumaBackend *backend = life_open (way, -1, &status);

  life_check_settled ("gpu_open");
  CHECK ((backend != NULL) == (status.state == GPU_READY), "%s", status.text);
  if (!is_dead () && (simulated.fired == before
          || !needed[fault->entry].opens)) {
    CHECK (backend != NULL, "%s", status.text);
    CHECK (simulated.fired > before ||
        strcmp (status.text, "Simulated 0") == 0, "%s", status.text);
    return backend;
  }
  CHECK (backend == NULL, "%s", status.text);
  check_message (status.text);
  return backend;
}

/* A frame fails if a call fails that it needs, and its fate is unknown only if
 * no context could be had to ask for it.  May: with leave to copy. */
static LumaResult
expected_result (bool submitting, const LifeFrame * frame, bool may,
    bool failed)
{
  SimulatedEntry entry = simulated.fault.entry;

  if (failed && entry == SIM_CtxPushCurrent)
    return submitting ? LUMA_FAILED : LUMA_UNKNOWN;
  /* What a stream is asked for is the fate of a frame, not memory. */
  if (failed && needed[entry].converts)
    return entry != SIM_StreamQuery &&
        simulated.fault.error == cudaErrorMemoryAllocation ?
        LUMA_REFUSED : LUMA_FAILED;
  return may || frame->way->path == LUMA_PATH_IN_PLACE ? LUMA_DONE :
      LUMA_DECLINED;
}

/* True unless the backend can only be closed. */
static bool
check_result (LumaBackend * backend, LumaResult result, LifeFrame * frame)
{
  if (result != LUMA_DONE && result != LUMA_DECLINED)
    check_message (backend->klass->error (backend));
  if (result == LUMA_UNKNOWN)
    return false;
  CHECK (simulated_pending () == 0, "%u", simulated_pending ());
  life_frame_finish (frame);
  if (result == LUMA_DECLINED)
    CHECK (life_frame_is_blank (frame), "written to");
  if (result == LUMA_FAILED || result == LUMA_REFUSED)
    life_frame_convert (frame);
  if (result != LUMA_DECLINED)
    CHECK (life_frame_is_right (frame), "other bytes");
  return true;
}

static bool
all_reached (const LifeFrame * frame)
{
  const LifeMemory *t = &frame->target;
  bool all = t->block != NULL ? t->block->pinned : t->registered;

  for (unsigned p = 0; p < LUMA_PLANES; p++) {
    const LifeMemory *m = &frame->plane[p];

    if (m->data != NULL)
      all = all && (m->block != NULL ? m->block->pinned : m->registered);
  }
  return all || simulated.reads_host_pages;
}

/* Whether calls that only make the difference between ways have failed. */
static bool
way_changed (const LifeFrame * frame)
{
  return (frame->way->path == LUMA_PATH_IN_PLACE && !all_reached (frame)) ||
      is_dead () || (simulated.fired > 0 &&
      (simulated.fault.entry == SIM_PointerGetAttributes ||
          simulated.fault.entry == SIM_DeviceGetAttribute));
}

static bool
convert (LumaBackend * backend, LifeFrame * frame, bool may_copy)
{
  unsigned before = simulated.fired;
  bool submitting = true;
  LumaPath path = LUMA_N_PATHS;
  LumaResult result;

  life_frame_draw (frame);
  result = backend->klass->submit (backend, &frame->plan, &frame->src,
      &frame->dst, may_copy, &path);
  life_check_settled ("submit");
  if (result == LUMA_DONE) {
    if (!way_changed (frame))
      CHECK (path == frame->way->path, "%d", path);
    CHECK (may_copy || path == LUMA_PATH_IN_PLACE, "%d", path);
    CHECK (life_frame_is_blank (frame), "done before it was waited for");
    if (life_frame_reuse (frame) && path == LUMA_PATH_IN_PLACE)
      CHECK (life_frame_is_right (frame), "other bytes before the wait");
    result = backend->klass->wait (backend, 1000000);
    life_check_settled ("wait");
    submitting = false;
  }
  if (!way_changed (frame))
    CHECK (result == expected_result (submitting, frame, may_copy,
            simulated.fired > before), "%d", result);
  else
    CHECK (result != LUMA_UNKNOWN, "without need");
  return check_result (backend, result, frame);
}

/* What could not be given back has a reason. */
static void
check_left (bool lost)
{
  SimulatedEntry entry = simulated.fired > 0 ? simulated.fault.entry :
      SIM_N_ENTRIES;
  bool excused = lost || is_dead () || entry == SIM_CtxPushCurrent;

  if (!excused && entry != SIM_StreamDestroy)
    CHECK (simulated_streams () == 0, "%u", simulated_streams ());
  if (!excused && entry != SIM_EventDestroy)
    CHECK (simulated_events () == 0, "%u", simulated_events ());
  if (!excused && entry != SIM_Free)
    CHECK (simulated_allocations () == 0, "%u", simulated_allocations ());
  if (!excused && entry != SIM_HostUnregister)
    CHECK (simulated_registrations () == 0, "%u", simulated_registrations ());
}

/* True if the backend was lost. */
static bool
live_once (const LifeWay * way)
{
  LumaBackend *backend = open_backend (way);
  LifeFrame frame;
  bool lost;

  /* Perhaps as it waited for the first kernel. */
  if (backend == NULL)
    return simulated.fault.entry == SIM_CtxPushCurrent;
  life_frame_init (&frame, way);
  lost = !convert (backend, &frame, false) || !convert (backend, &frame, true)
      || !convert (backend, &frame, true);
  life_frame_clear (&frame);
  backend->klass->close (backend);
  life_check_settled ("close");
  return lost;
}

static void
live (const void *data)
{
  const Case *c = data;
  bool lost;

  simulated_install ();
  simulated.reads_host_pages = c->way->host_pages;
  simulated.fault = c->fault;
  gpu_blocks_keep ();
  lost = live_once (c->way);
  gpu_blocks_release ();
  life_check_settled ("gpu_blocks_release");
  check_left (lost);
  if (c->fault.at == 0) {
    memcpy (counted, simulated.calls, sizeof simulated.calls);
    return;
  }
  CHECK (simulated.fired > 0, "the fault did not happen");
  if (c->fault.mode == SIM_ONCE && !lost)
    live_once (c->way);
  /* What stays registered stays allocated. */
  if (simulated_registrations () > 0 || is_dead ())
    _exit (0);
}

static unsigned
run_case (const LifeWay * way, SimulatedEntry entry, unsigned at, int error,
    SimulatedMode mode)
{
  static const char *const modes[] = { "once", "from then on", "for all" };
  Case c = {.way = way,.fault = {entry, at, error, mode} };
  char name[160];

  if (seen++ % every != time (NULL) / 86400 % every)
    return 0;
  runs++;
  snprintf (name, sizeof name, "%s, call %u of %s, %s, %s", way->name, at,
      simulated_name (entry), simulated_error_name (entry, error),
      modes[mode]);
  return !life_in_child (name, live, &c, CHILD_SECONDS);
}

static unsigned
fail_call (const LifeWay * way, SimulatedEntry entry, unsigned at)
{
  const int *list = errors[of_driver (entry)];
  unsigned failed = 0;

  for (int e = 0; e < 3; e++)
    failed += run_case (way, entry, at, list[e], SIM_ONCE);
  failed += run_case (way, entry, at, list[2], SIM_AGAIN);
  if (!of_driver (entry) && entry >= SIM_StreamCreate)
    failed += run_case (way, entry, at, cudaErrorLaunchFailure, SIM_DEAD);
  return failed;
}

static unsigned
fail_all_calls (const LifeWay * way)
{
  Case none = {.way = way };
  unsigned failed = 0;

  runs++;
  if (!life_in_child (way->name, live, &none, CHILD_SECONDS))
    return 1;
  for (int entry = 0; entry < SIM_N_ENTRIES; entry++) {
    unsigned n = counted[entry];

    for (unsigned at = 1; at <= n && failed < MAX_SHOWN; at++)
      failed += fail_call (way, entry, at);
  }
  return failed;
}

int
main (int argc, char **argv)
{
  unsigned failed = 0;

  if (argc > 1)
    every = atoi (argv[1]);
  CHECK (every > 0, "%s", argv[1]);
  counted = mmap (NULL, sizeof simulated.calls, PROT_READ | PROT_WRITE,
      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (counted == MAP_FAILED)
    abort ();
  for (unsigned w = 0; life_way (w) != NULL; w++)
    failed += fail_all_calls (life_way (w));
  printf ("%u runs, %u failed\n", runs, failed);
  munmap (counted, sizeof simulated.calls);
  return failed != 0;
}
