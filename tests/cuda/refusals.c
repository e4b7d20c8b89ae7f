/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* What gpu_open says of machines on which it finds no GPU, or none that it can
 * use, and which device it opens where there are several. */

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "life.h"

#define CHILD_SECONDS 60
#define THREADS 4

typedef struct
{
  const char *name;
  int driver, devices, asked;
  SimulatedFault fault;
  GpuState state;
  int device;                   /* that the status names */
  const char *says[3];          /* parts of its text */
} Machine;

static const Machine machines[] = {
  {"no driver", 0, 1, -1, {0}, GPU_ABSENT, -1, {"no NVIDIA driver"}},
  {"an old driver", 11040, 1, -1,
        {SIM_GetDeviceCount, 1, cudaErrorInsufficientDriver, SIM_AGAIN},
        GPU_REFUSED, -1, {"cudaErrorInsufficientDriver", "CUDA driver 11.4",
          "runtime 13.0"}},
  {"no device", 13000, 0, -1, {0}, GPU_ABSENT, -1,
      {"cudaGetDeviceCount", "cudaErrorNoDevice"}},
  {"no device, by an error", 13000, 1, -1,
        {SIM_GetDeviceCount, 1, cudaErrorNoDevice, SIM_AGAIN},
      GPU_ABSENT, -1, {"cudaGetDeviceCount", "cudaErrorNoDevice"}},
  {"no device of a number", 13000, 0, 3, {0}, GPU_ABSENT, 3,
      {"cudaErrorNoDevice"}},
  {"no such device of one", 13000, 1, 1, {0}, GPU_NO_SUCH_DEVICE, 1,
      {"no CUDA device 1;", "there is only 0"}},
  {"no such device of two", 13000, 2, 99, {0}, GPU_NO_SUCH_DEVICE, 99,
      {"no CUDA device 99;", "there are only 0, 1"}},
  {"more devices than there is room to list", 13000, 200, 1000, {0},
      GPU_NO_SUCH_DEVICE, 1000, {"no CUDA device 1000;", "only 0, 1, 2, 3"}},
  {"a device past all tables", 13000, 200, 150, {0}, GPU_NO_SUCH_DEVICE, 150,
      {"no CUDA device 150;"}},
  {"kernels for other GPUs", 13000, 1, 0,
        {SIM_Launch, 1, cudaErrorNoKernelImageForDevice, SIM_AGAIN},
        GPU_REFUSED, 0, {"kernel launch", "cudaErrorNoKernelImageForDevice",
          "driver 13.0"}},
  {"one kernel that does not load", 13000, 1, 0,
        {SIM_Launch, 3, cudaErrorInvalidPtx, SIM_ONCE},
      GPU_REFUSED, 0, {"kernel launch", "cudaErrorInvalidPtx"}},
  {"a driver without a function", 13000, 1, 0,
        {SIM_DriverEntryPoint, 3, cudaErrorSymbolNotFound, SIM_AGAIN},
      GPU_REFUSED, 0, {"cudaGetDriverEntryPoint", "cudaErrorSymbolNotFound"}},
  {"the first of one", 13000, 1, -1, {0}, GPU_READY, 0, {"Simulated 0"}},
  {"the first of three", 13000, 3, -1, {0}, GPU_READY, 0, {"Simulated 0"}},
  {"the last of three", 13000, 3, 2, {0}, GPU_READY, 2, {"Simulated 2"}},
  {"an old driver that will do", 12020, 1, -1, {0}, GPU_READY, 0,
      {"Simulated 0"}},
};

static void
check_status (const Machine * m, const GpuStatus * status)
{
  CHECK (status->state == m->state, "%d, \"%s\"", status->state, status->text);
  CHECK (status->device == m->device, "%d", status->device);
  CHECK (status->driver == m->driver, "%d", status->driver);
  CHECK (status->runtime == 13000, "%d", status->runtime);
  CHECK (memchr (status->text, '\0', sizeof status->text), "no end");
  for (int i = 0; i < 3 && m->says[i] != NULL; i++)
    CHECK (strstr (status->text, m->says[i]), "%s: \"%s\"", m->says[i],
        status->text);
}

static void
convert (LumaBackend * backend, unsigned way)
{
  LifeFrame frame;
  LumaPath path;

  life_frame_init (&frame, life_way (way));
  for (int i = 0; i < 3; i++) {
    life_frame_draw (&frame);
    CHECK (life_run_frame (backend, &frame, &path) == LUMA_DONE, "%s",
        backend->klass->error (backend));
    CHECK (life_frame_is_right (&frame), "other bytes");
  }
  life_frame_clear (&frame);
}

static void
open_on (const Machine * m, bool elsewhere)
{
  LumaBackend *backend;
  GpuStatus status;

  simulated_install ();
  simulated.driver = m->driver;
  simulated.devices = m->devices;
  simulated.fault = m->fault;
  memset (&status, 0x77, sizeof status);
  backend = elsewhere ? gpu_open_in (simulated_context (m->state == GPU_READY ?
          m->device : 0), m->asked, &status) : gpu_open (m->asked, &status);
  life_check_settled ("gpu_open");
  check_status (m, &status);
  CHECK ((backend != NULL) == (m->state == GPU_READY), "%s", status.text);
  if (backend != NULL) {
    convert (backend, 0);
    convert (backend, 4);
    backend->klass->close (backend);
    life_check_settled ("close");
  }
  CHECK (simulated_streams () == 0, "%u", simulated_streams ());
  CHECK (simulated_events () == 0, "%u", simulated_events ());
  CHECK (simulated_allocations () == 0, "%u", simulated_allocations ());
  CHECK (simulated_registrations () == 0, "%u", simulated_registrations ());
}

static void
open_primary (const void *data)
{
  open_on (data, false);
}

static void
open_elsewhere (const void *data)
{
  open_on (data, true);
}

/* Nothing can be pinned before a device is open, nor after none could be. */
static void
register_without (const void *data)
{
  static uint8_t bytes[64];
  GpuStatus status;
  GpuBlock *block;

  simulated_install ();
  CHECK (!gpu_register (bytes, sizeof bytes), "no device is open");
  simulated.devices = 0;
  CHECK (gpu_open (-1, &status) == NULL, "%s", status.text);
  CHECK (!gpu_register (bytes, sizeof bytes), "no device is open");
  block = gpu_block_get (sizeof bytes, true);
  CHECK (block != NULL && !block->pinned && block->refused, "pinned");
  gpu_block_put (block);
  CHECK (simulated.calls[SIM_HostRegister] == 0, "called");
  life_check_settled ("gpu_register");
}

/* The application has reset the device: its memory is no longer registered,
 * and can be given back. */
static void
unregister_after_reset (const void *data)
{
  LumaBackend *backend;
  GpuBlockUse use;
  GpuStatus status;
  GpuBlock *block;
  uint8_t *bytes;

  simulated_install ();
  backend = gpu_open (-1, &status);
  block = gpu_block_get (64, true);
  CHECK (backend != NULL && block != NULL && block->pinned, "%s", status.text);
  bytes = block->data;
  simulated.fault.entry = SIM_HostUnregister;
  simulated.fault.error = cudaErrorHostMemoryNotRegistered;
  simulated.fault.at = 1;
  CHECK (gpu_unregister (bytes), "nothing is left to undo");
  life_check_settled ("gpu_unregister");
  gpu_block_put (block);
  life_check_settled ("gpu_block_put");
  gpu_blocks_use (&use);
  CHECK (use.pinned == 0 && use.used == 0 && use.free == 0, "still counted");
  backend->klass->close (backend);
}

/* A registration that a frame begins in and runs out of is of no use to it. */
static void
reach_past_the_end (const void *data)
{
  LumaBackend *backend;
  LifeFrame frame;
  GpuStatus status;
  LumaPath path;

  simulated_install ();
  backend = gpu_open (-1, &status);
  life_frame_init (&frame, life_way (2));
  CHECK (gpu_register (frame.plane[0].data, 700), "%s", status.text);
  for (int offset = 0; offset < 100; offset++) {
    life_frame_draw (&frame);
    CHECK (life_run_frame (backend, &frame, &path) == LUMA_DONE, "%s",
        backend->klass->error (backend));
    CHECK (life_frame_is_right (&frame), "other bytes");
    /* Its 691 bytes begin 3 bytes late. */
    CHECK (path == (offset + 694 <= 700 ? LUMA_PATH_IN_PLACE :
            LUMA_PATH_STAGED), "%d", offset);
    frame.src.data[0]++;
  }
  CHECK (gpu_unregister (frame.plane[0].data), "registered");
  life_frame_clear (&frame);
  backend->klass->close (backend);
  life_check_settled ("close");
}

static uint8_t *
memory_of (int device)
{
  CUcontext popped;
  void *data;

  gpu_calls->CtxPushCurrent (simulated_context (device));
  gpu_calls->Malloc (&data, 65536);
  gpu_calls->CtxPopCurrent (&popped);
  return data;
}

/* Memory of a device that this one does not reach is as good as the host's. */
static void
stage_for_another (const void *data)
{
  LumaBackend *backend;
  LifeFrame frame;
  GpuStatus status;
  LumaPath path;

  simulated_install ();
  simulated.devices = 2;
  simulated.reads_host_pages = true;
  backend = gpu_open (0, &status);
  for (unsigned way = 2; way <= 3; way++) {
    LifeMemory *memory;
    uint8_t *host;

    life_frame_init (&frame, life_way (way));
    memory = way == 2 ? &frame.plane[0] : &frame.target;
    host = memory->data;
    memory->data = memory_of (1);
    frame.src.data[0] += memory == &frame.plane[0] ? memory->data - host : 0;
    frame.dst.data += memory == &frame.target ? memory->data - host : 0;
    life_frame_draw (&frame);
    CHECK (life_run_frame (backend, &frame, &path) == LUMA_DONE, "%s",
        backend->klass->error (backend));
    CHECK (path == LUMA_PATH_STAGED, "%d", path);
    CHECK (life_frame_is_right (&frame), "other bytes");
    memory->data = host;
    life_frame_clear (&frame);
  }
  backend->klass->close (backend);
  life_check_settled ("close");
  CHECK (simulated_allocations () == 2, "%u", simulated_allocations ());
}

static void *
live_in_thread (void *data)
{
  GpuStatus status;
  LumaBackend *backend = gpu_open (-1, &status);

  CHECK (backend != NULL, "%s", status.text);
  for (unsigned w = 0; w < 9; w++)
    convert (backend, w);
  backend->klass->close (backend);
  life_check_settled ("close");
  return NULL;
}

/* Threads that open at once find one context and load the kernels once. */
static void
open_at_once (const void *data)
{
  pthread_t threads[THREADS];
  unsigned frames = THREADS * 9 * 3;

  simulated_install ();
  for (int i = 0; i < THREADS; i++)
    CHECK (pthread_create (&threads[i], NULL, live_in_thread, NULL) == 0, "-");
  for (int i = 0; i < THREADS; i++)
    pthread_join (threads[i], NULL);
  CHECK (simulated.calls[SIM_DevicePrimaryCtxRetain] == 1, "%u",
      simulated.calls[SIM_DevicePrimaryCtxRetain]);
  CHECK (simulated.calls[SIM_Launch] == frames + LUMA_N_LAYOUTS, "%u",
      simulated.calls[SIM_Launch]);
  CHECK (simulated_streams () == 0, "%u", simulated_streams ());
  CHECK (simulated_allocations () == 0, "%u", simulated_allocations ());
}

static const struct
{
  const char *name;
  void (*run) (const void *data);
} others[] = {
  {"register without a device", register_without},
  {"unregister after a reset", unregister_after_reset},
  {"reach past the end", reach_past_the_end},
  {"stage for another device", stage_for_another},
  {"open at once", open_at_once},
};

int
main (void)
{
  unsigned n_machines = sizeof machines / sizeof machines[0];
  unsigned n_others = sizeof others / sizeof others[0], failed = 0;

  for (unsigned i = 0; i < n_machines; i++) {
    failed += !life_in_child (machines[i].name, open_primary, &machines[i],
        CHILD_SECONDS);
    failed += !life_in_child (machines[i].name, open_elsewhere, &machines[i],
        CHILD_SECONDS);
  }
  for (unsigned i = 0; i < n_others; i++)
    failed += !life_in_child (others[i].name, others[i].run, NULL,
        CHILD_SECONDS);
  printf ("%u runs, %u failed\n", 2 * n_machines + n_others, failed);
  return failed != 0;
}
