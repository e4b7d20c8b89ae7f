/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* What the two files of the simulation share. */

#pragma once

#include "simulated.h"

/* The device of host memory. */
#define SIM_HOST -1

/* Memory that CUDA knows: a device's, or the host's and registered. */
typedef struct
{
  uint8_t *data;
  size_t size;
  int device;
} SimRange;

/* Of every call of CUDA: takes the lock and returns 0, or the error that the
 * call is to fail with.  Such a call does nothing. */
int sim_begin (SimulatedEntry entry);

/* Gives the lock back and returns the error.  That a stream is not ready is no
 * error to CUDA's last-error state. */
cudaError_t sim_end (cudaError_t error);

/* With the lock held. */
void sim_misused (const char *call, const char *how);
int sim_device_now (void);
SimRange *sim_find_range (const void *data);
void sim_add_range (void *data, size_t size, int device);
void sim_drop_work (void);

void sim_install_work (GpuCalls * table);
