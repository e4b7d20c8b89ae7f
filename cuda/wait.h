/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Waiting for a frame without burning a core.  For the files of cuda/ only.
 *
 * A blocking wait wakes tens of microseconds late, and spinning costs as much
 * CPU time as the GPU takes.  But the frames of a stream take much the same
 * time: sleep for most of what the last ones took, and spin for the rest. */

#pragma once

#include "calls.h"

typedef struct
{
  int64_t started_us;
  int64_t expected_us;          /* what a frame takes, smoothed; 0: unknown */
  int64_t late_us;              /* by how much sleeps are too long, smoothed */
  int overslept;                /* how often in a row */
} GpuPace;

/* Before the first frame. */
void gpu_pace_init (GpuPace * pace);

/* When a frame is submitted. */
void gpu_pace_start (GpuPace * pace);

/* Waits until the stream is idle: success, cudaErrorNotReady once timeout_us
 * have passed, or the error that the stream died of.  The context is
 * current. */
cudaError_t gpu_wait (cudaStream_t stream, GpuPace * pace, int64_t timeout_us);
