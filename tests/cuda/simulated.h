/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* CUDA without a GPU: a GpuCalls table that does on the CPU what CUDA does,
 * counts every call, and makes any of them fail.
 *
 * Work that is put on a stream is done when StreamQuery first finds the stream
 * idle, or when a stream does that waits for it by an event, never sooner: who
 * looks too early sees nothing.  What CUDA would not forgive is counted as a
 * misuse. */

#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "calls.h"

/* By their names in GpuCalls.  The driver's come last. */
#define SIMULATED_ENTRIES(X) \
  X (DriverGetVersion) X (RuntimeGetVersion) X (GetDeviceCount) \
  X (DeviceGetName) X (DriverEntryPoint) X (DeviceGetAttribute) \
  X (StreamCreate) X (StreamDestroy) X (StreamQuery) X (StreamWaitEvent) \
  X (EventCreate) X (EventDestroy) X (EventRecord) X (Malloc) X (Free) \
  X (MemsetAsync) X (MemcpyAsync) X (Memcpy2DAsync) X (HostRegister) \
  X (HostUnregister) X (Launch) \
  X (DeviceGet) X (DevicePrimaryCtxRetain) X (CtxPushCurrent) \
  X (CtxPopCurrent) X (PointerGetAttributes)

#define SIMULATED_ENUM(name) SIM_##name,
typedef enum
{
  SIMULATED_ENTRIES (SIMULATED_ENUM)
  SIM_N_ENTRIES,
  SIM_FIRST_OF_DRIVER = SIM_DeviceGet
} SimulatedEntry;

typedef enum
{
  SIM_ONCE,                     /* that call fails */
  SIM_AGAIN,                    /* and every later one of the entry */
  /* And every later one that works in a context: the context is lost, as
   * after an error in a kernel. */
  SIM_DEAD,
  SIM_N_MODES
} SimulatedMode;

typedef struct
{
  SimulatedEntry entry;
  unsigned at;                  /* which call, from 1; 0: no fault */
  int error;                    /* cudaError_t, or CUresult of the driver's */
  SimulatedMode mode;
} SimulatedFault;

typedef struct
{
  /* To be set by the test. */
  int driver, devices;
  bool reads_host_pages;
  int64_t busy_us;              /* that work takes; below 0: it never ends */
  SimulatedFault fault;
  /* To be looked at. */
  unsigned calls[SIM_N_ENTRIES];
  unsigned fired;               /* how many calls have failed by the fault */
  unsigned misuses;
  char misuse[128];             /* the first */
} Simulated;

extern Simulated simulated;

/* Puts the table in use, with one idle device and no fault. */
void simulated_install (void);

const char *simulated_name (SimulatedEntry entry);
const char *simulated_error_name (SimulatedEntry entry, int error);

/* Contexts on the calling thread's stack. */
int simulated_depth (void);

/* What the next GetLastError of the calling thread would give. */
cudaError_t simulated_last_error (void);

/* Pieces of work that are queued through the table and not yet done, on all
 * streams.  Waiting for an event is none. */
unsigned simulated_pending (void);

unsigned simulated_streams (void);
unsigned simulated_events (void);
unsigned simulated_allocations (void);
unsigned simulated_registrations (void);

/* Whether all memory that is registered is still mapped. */
bool simulated_registered_is_mapped (void);

/* The rest is what an application does: it is no call of the table. */

/* A context on a device that is not the primary one. */
CUcontext simulated_context (int device);

/* A stream there, or in the primary one.  What is queued on it when it goes is
 * done first. */
cudaStream_t simulated_stream_new (int device, bool in_primary);
void simulated_stream_free (cudaStream_t stream);

/* Queues a copy. */
void simulated_put (cudaStream_t stream, void *dst, const void *src,
    size_t size);

/* Waits until all that is queued is done. */
void simulated_finish (cudaStream_t stream);
