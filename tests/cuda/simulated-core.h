/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* What the files of the simulation share. */

#pragma once

#include "simulated.h"

#define SIM_MAX_DEVICES 256
/* The device of host memory. */
#define SIM_HOST -1
/* Contexts are numbers: a primary one has its device's, and there is another
 * for each device. */
#define SIM_CONTEXT(device, is_primary) \
    ((device) + ((is_primary) ? 0 : SIM_MAX_DEVICES))
#define SIM_IS_PRIMARY(context) ((context) < SIM_MAX_DEVICES)
#define SIM_DEVICE(context) ((context) % SIM_MAX_DEVICES)

/* Memory that CUDA knows: a device's, or the host's and registered. */
typedef struct
{
  uint8_t *data;
  size_t size;
  int device;
} SimRange;

typedef struct _SimStream SimStream;

typedef enum
{
  SIM_FRAME,
  SIM_COPY,                     /* with no src a fill with value */
  SIM_WAIT                      /* for another stream, up to a point */
} SimWorkKind;

typedef struct
{
  SimWorkKind kind;
  bool is_ours;                 /* put there by the application */
  GpuFrame frame;
  uint8_t *dst;
  const uint8_t *src;
  size_t dst_pitch, src_pitch, width, height;
  int value;
  SimStream *other;
  uint64_t point;
} SimWork;

/* Of every call of CUDA: takes the lock and returns 0, or the error that the
 * call is to fail with.  Such a call does nothing. */
int sim_begin (SimulatedEntry entry);

/* Gives the lock back and returns the error.  That a stream is not ready is no
 * error to CUDA's last-error state. */
cudaError_t sim_end (cudaError_t error);

/* For what is no call of CUDA. */
void sim_lock (void);
void sim_unlock (void);

/* The rest is with the lock held. */

void sim_misused (const char *call, const char *how);

int sim_context_now (void);

SimRange *sim_find_range (const void *data);
void sim_add_range (void *data, size_t size, int device);

cudaError_t sim_queue (SimulatedEntry entry, const SimWork * work,
    cudaStream_t stream);
bool sim_is_idle (cudaStream_t stream);
void sim_drop_work (void);

/* For calls that wait for a device, or with SIM_HOST for all: they would never
 * return. */
void sim_forbid_endless (const char *call, int device);

/* A copy or a frame. */
void sim_do (const SimWork * work, int device);

void sim_install_streams (GpuCalls * table);
void sim_install_work (GpuCalls * table);
