/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* A frame that never ends: its fate is unknown after the time that was given
 * for it, and from then on nothing waits for the device, in whatever order
 * blocks are given back and backends closed. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "life.h"

#define CHILD_SECONDS 60
#define TIMEOUT_US 30000
/* The ways of life.c. */
#define IN_PLACE 0
#define BOTH_STAGED 4
#define IN_PLACE_TWO_STREAMS 10
#define SOURCE_STREAM 11
#define ELSEWHERE 15
#define ELSEWHERE_STAGED 16

static int64_t
now_us (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return (int64_t) t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static LumaBackend *
open_for (unsigned way, int device)
{
  GpuStatus status;
  LumaBackend *backend = life_open (life_way (way), device, &status);

  CHECK (backend != NULL, "%s", status.text);
  life_check_settled ("gpu_open");
  return backend;
}

static LumaBackend *
open_device (int device)
{
  return open_for (IN_PLACE, device);
}

static void
convert (LumaBackend * backend, LifeFrame * frame)
{
  LumaPath path;

  life_frame_draw (frame);
  CHECK (life_run_frame (backend, frame, &path) == LUMA_DONE, "%s",
      backend->klass->error (backend));
  CHECK (life_frame_is_right (frame), "other bytes");
}

static void
submit_and_lose (LumaBackend * backend, LifeFrame * frame)
{
  LumaPath path;
  int64_t from;

  CHECK (backend->klass->submit (backend, &frame->plan, &frame->src,
          &frame->dst, true, &path) == LUMA_DONE, "%s",
      backend->klass->error (backend));
  life_check_settled ("submit");
  from = now_us ();
  CHECK (backend->klass->wait (backend, TIMEOUT_US) == LUMA_UNKNOWN, "no");
  from = now_us () - from;
  life_check_settled ("wait");
  CHECK (from >= TIMEOUT_US && from < 2000000, "%ld us", (long) from);
  CHECK (strstr (backend->klass->error (backend),
          "did not finish within 0.03 s"), "%s",
      backend->klass->error (backend));
}

/* The frame that never ends. */
static void
hang (LumaBackend * backend, LifeFrame * frame)
{
  life_frame_draw (frame);
  simulated.busy_us = -1;
  submit_and_lose (backend, frame);
}

/* The calls that could wait for the device; those that wait are misuses too. */
static unsigned
waiting_calls (void)
{
  return simulated.calls[SIM_Free] + simulated.calls[SIM_StreamDestroy] +
      simulated.calls[SIM_HostRegister] + simulated.calls[SIM_HostUnregister] +
      simulated.calls[SIM_Memcpy2DAsync];
}

static void
check_mapped (const GpuBlock * block)
{
  unsigned char resident;

  CHECK (mincore (block->data, 1, &resident) == 0, "the GPU may write there");
}

/* Blocks that are free, in use, and new at the time. */
static void
hang_among_blocks (const void *data)
{
  const unsigned *way = data;
  LumaBackend *backend;
  GpuBlock *kept, copy, *fresh;
  LifeFrame frame;
  unsigned before;

  simulated_install ();
  backend = open_for (*way, -1);
  gpu_blocks_keep ();
  life_frame_init (&frame, life_way (*way));
  kept = gpu_block_get (100000, true);
  CHECK (kept->pinned, "not pinned");
  copy = *kept;
  gpu_block_put (kept);
  convert (backend, &frame);
  hang (backend, &frame);
  before = waiting_calls ();
  fresh = gpu_block_get (200000, true);
  CHECK (fresh != NULL && !fresh->pinned, "pinned");
  gpu_block_put (fresh);
  CHECK (!gpu_unregister (copy.data), "unregistered");
  gpu_blocks_release ();
  life_check_settled ("gpu_blocks_release");
  check_mapped (&copy);
  backend->klass->close (backend);
  life_check_settled ("close");
  CHECK (waiting_calls () == before, "%u more", waiting_calls () - before);
  CHECK (simulated_streams () == 1, "%u", simulated_streams ());
  CHECK (simulated_events () == 1, "%u", simulated_events ());
  _exit (0);
}

/* What never ends is others' work on a stream that the frame has to follow. */
static void
hang_behind_a_stream (const void *data)
{
  const unsigned *way = data;
  LumaBackend *backend;
  LifeFrame frame;
  unsigned before;

  simulated_install ();
  backend = open_for (*way, -1);
  life_frame_init (&frame, life_way (*way));
  convert (backend, &frame);
  simulated.busy_us = -1;
  life_frame_draw (&frame);
  simulated.busy_us = 0;
  submit_and_lose (backend, &frame);
  before = waiting_calls ();
  backend->klass->close (backend);
  life_check_settled ("close");
  CHECK (waiting_calls () == before, "%u more", waiting_calls () - before);
  _exit (0);
}

/* Nobody waits for the frame, and so nobody knows. */
static void
hang_unwaited (const void *data)
{
  const unsigned *way = data;
  LumaBackend *backend;
  LifeFrame frame;
  LumaPath path;
  unsigned before;

  simulated_install ();
  backend = open_for (*way, -1);
  life_frame_init (&frame, life_way (*way));
  life_frame_draw (&frame);
  simulated.busy_us = -1;
  CHECK (backend->klass->submit (backend, &frame.plan, &frame.src, &frame.dst,
          true, &path) == LUMA_DONE, "%s", backend->klass->error (backend));
  before = waiting_calls ();
  backend->klass->close (backend);
  life_check_settled ("close");
  CHECK (waiting_calls () == before, "%u more", waiting_calls () - before);
  _exit (0);
}

/* A block in use that is put back where nobody keeps any. */
static void
hang_and_put (const void *data)
{
  LumaBackend *backend;
  GpuBlock *block, copy;
  LifeFrame frame;
  unsigned before;

  simulated_install ();
  backend = open_device (-1);
  life_frame_init (&frame, life_way (IN_PLACE));
  block = gpu_block_get (1000, true);
  CHECK (block->pinned, "not pinned");
  copy = *block;
  hang (backend, &frame);
  before = waiting_calls ();
  backend->klass->close (backend);
  gpu_block_put (block);
  life_check_settled ("gpu_block_put");
  check_mapped (&copy);
  CHECK (waiting_calls () == before, "%u more", waiting_calls () - before);
  _exit (0);
}

/* Another backend of the device has memory on it. */
static void
hang_beside_another (const void *data)
{
  LumaBackend *backend, *other;
  LifeFrame frame, staged;
  unsigned before;

  simulated_install ();
  backend = open_device (-1);
  other = open_device (-1);
  life_frame_init (&frame, life_way (IN_PLACE));
  life_frame_init (&staged, life_way (BOTH_STAGED));
  convert (other, &staged);
  hang (backend, &frame);
  before = waiting_calls ();
  other->klass->close (other);
  backend->klass->close (backend);
  life_check_settled ("close");
  CHECK (waiting_calls () == before, "%u more", waiting_calls () - before);
  _exit (0);
}

/* Another backend of the device needs more memory on it than it has: it may
 * fail, but must not free what it has. */
static void
hang_and_grow (const void *data)
{
  LumaBackend *backend, *other;
  LifeFrame frame, staged;
  unsigned before;
  LumaPath path;

  simulated_install ();
  backend = open_device (-1);
  other = open_device (-1);
  life_frame_init (&frame, life_way (IN_PLACE));
  life_frame_init (&staged, life_way (2));
  convert (other, &staged);
  life_frame_init (&staged, life_way (BOTH_STAGED));
  life_frame_draw (&staged);
  hang (backend, &frame);
  before = simulated.calls[SIM_Free];
  simulated.busy_us = 0;
  other->klass->submit (other, &staged.plan, &staged.src, &staged.dst, true,
      &path);
  life_check_settled ("submit");
  CHECK (simulated.calls[SIM_Free] == before, "freed");
  _exit (0);
}

/* Who opens the device again may be refused, but must not wait. */
static void
hang_and_open (const void *data)
{
  const unsigned *way = data;
  LifeFrame frame, staged;
  LumaBackend *backend;
  GpuStatus status;
  unsigned before;
  LumaPath path;

  simulated_install ();
  backend = open_device (-1);
  life_frame_init (&frame, life_way (IN_PLACE));
  life_frame_init (&staged, life_way (BOTH_STAGED));
  hang (backend, &frame);
  before = waiting_calls ();
  backend->klass->close (backend);
  backend = life_open (life_way (*way), -1, &status);
  life_check_settled ("gpu_open");
  if (backend != NULL) {
    simulated.busy_us = 0;
    life_frame_draw (&staged);
    backend->klass->submit (backend, &staged.plan, &staged.src, &staged.dst,
        true, &path);
    life_check_settled ("submit");
    backend->klass->close (backend);
  }
  life_check_settled ("close");
  CHECK (waiting_calls () == before, "%u more", waiting_calls () - before);
  _exit (0);
}

/* Registering waits for all devices, the rest for its own. */
static void
hang_beside_a_device (const void *data)
{
  LumaBackend *backend, *other;
  LifeFrame frame, elsewhere;
  uint8_t *bytes;

  simulated_install ();
  simulated.devices = 2;
  backend = open_device (0);
  other = open_device (1);
  life_frame_init (&frame, life_way (IN_PLACE));
  life_frame_init (&elsewhere, life_way (BOTH_STAGED));
  hang (backend, &frame);
  simulated.busy_us = 0;
  convert (other, &elsewhere);
  bytes = malloc (4096);
  CHECK (!gpu_register (bytes, 4096), "registered");
  life_check_settled ("gpu_register");
  other->klass->close (other);
  life_check_settled ("close");
  CHECK (simulated_streams () == 1, "%u", simulated_streams ());
  CHECK (simulated_allocations () == 2, "%u", simulated_allocations ());
  backend->klass->close (backend);
  life_check_settled ("close");
  _exit (0);
}

/* What went before the launch never ends, and the launch fails. */
static void
hang_as_submit_fails (const void *data)
{
  const char *error;
  LumaBackend *backend;
  LifeFrame frame;
  LumaPath path;
  unsigned before;

  simulated_install ();
  backend = open_device (-1);
  life_frame_init (&frame, life_way (BOTH_STAGED));
  convert (backend, &frame);
  life_frame_draw (&frame);
  simulated.busy_us = -1;
  simulated.fault.entry = SIM_Launch;
  simulated.fault.error = cudaErrorLaunchOutOfResources;
  simulated.fault.at = simulated.calls[SIM_Launch] + 1;
  CHECK (backend->klass->submit (backend, &frame.plan, &frame.src, &frame.dst,
          true, &path) == LUMA_UNKNOWN, "sure");
  life_check_settled ("submit");
  error = backend->klass->error (backend);
  CHECK (strstr (error, "kernel launch: cudaErrorLaunchOutOfResources"), "%s",
      error);
  before = waiting_calls ();
  backend->klass->close (backend);
  life_check_settled ("close");
  CHECK (waiting_calls () == before, "%u more", waiting_calls () - before);
  _exit (0);
}

/* The first kernels never end: the user is told, in seconds. */
static void
hang_as_it_opens (const void *data)
{
  GpuStatus status;

  simulated_install ();
  simulated.busy_us = -1;
  CHECK (gpu_open (-1, &status) == NULL, "%s", status.text);
  life_check_settled ("gpu_open");
  CHECK (status.state == GPU_REFUSED, "%d", status.state);
  CHECK (strstr (status.text, "did not finish within"), "%s", status.text);
  CHECK (simulated.calls[SIM_StreamDestroy] == 0, "called");
  _exit (0);
}

/* A slow frame is none that never ends. */
static void
be_slow (const void *data)
{
  LumaBackend *backend;
  LifeFrame frame;

  simulated_install ();
  backend = open_device (-1);
  simulated.busy_us = TIMEOUT_US;
  for (unsigned w = 0; life_way (w) != NULL; w++) {
    if (life_way (w)->host_pages || life_way (w)->elsewhere)
      continue;
    life_frame_init (&frame, life_way (w));
    convert (backend, &frame);
    life_frame_clear (&frame);
  }
  backend->klass->close (backend);
  life_check_settled ("close");
  CHECK (simulated_streams () == 0, "%u", simulated_streams ());
  CHECK (simulated_allocations () == 0, "%u", simulated_allocations ());
}

static const unsigned in_place = IN_PLACE, both_staged = BOTH_STAGED,
    two_streams = IN_PLACE_TWO_STREAMS, source_stream = SOURCE_STREAM,
    elsewhere = ELSEWHERE, elsewhere_staged = ELSEWHERE_STAGED;

/* The slowest first: it waits while the others run. */
static const struct
{
  const char *name;
  void (*run) (const void *data);
  const void *data;
} cases[] = {
  {"as it opens", hang_as_it_opens},
  {"as submit fails", hang_as_submit_fails},
  {"slow", be_slow},
  {"unwaited", hang_unwaited, &two_streams},
  {"unwaited, elsewhere", hang_unwaited, &elsewhere},
  {"among blocks, in place", hang_among_blocks, &in_place},
  {"among blocks, staged", hang_among_blocks, &both_staged},
  {"among blocks, elsewhere", hang_among_blocks, &elsewhere_staged},
  {"behind the source's stream", hang_behind_a_stream, &source_stream},
  {"behind streams", hang_behind_a_stream, &two_streams},
  {"behind streams, elsewhere", hang_behind_a_stream, &elsewhere},
  {"and put", hang_and_put},
  {"beside another backend", hang_beside_another},
  {"beside another backend that grows", hang_and_grow},
  {"and open", hang_and_open, &in_place},
  {"and open elsewhere", hang_and_open, &elsewhere},
  {"beside another device", hang_beside_a_device},
};

#define N_CASES (sizeof cases / sizeof cases[0])

int
main (void)
{
  int child[N_CASES];
  unsigned failed = 0;

  for (unsigned i = 0; i < N_CASES; i++)
    child[i] = life_start (cases[i].name, cases[i].run, cases[i].data,
        CHILD_SECONDS);
  for (unsigned i = 0; i < N_CASES; i++)
    failed += !life_ended_well (cases[i].name, child[i]);
  printf ("%u runs, %u failed\n", (unsigned) N_CASES, failed);
  return failed != 0;
}
