/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#include "wait.h"

#include <time.h>

/* A thread wakes from a sleep this much late, by the kernel's default timer
 * slack and the wake-up itself. */
#define WAKE_US 65
/* The longest spin. */
#define SPIN_US 50

static int64_t
now_us (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return (int64_t) t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static void
sleep_us (int64_t us)
{
  struct timespec t = { us / 1000000, us % 1000000 * 1000 };

  clock_nanosleep (CLOCK_MONOTONIC, 0, &t, NULL);
}

void
gpu_pace_start (GpuPace * pace)
{
  pace->started_us = now_us ();
}

/* Quick to shorten, for a sleep that was too long costs time; slow to
 * lengthen, for a spin that was too long costs little. */
static void
learn (GpuPace * pace, int64_t took_us)
{
  int64_t error = took_us - pace->expected_us;

  pace->expected_us += error < 0 ? error / 2 : error / 8;
}

cudaError_t
gpu_wait (cudaStream_t stream, GpuPace * pace, int64_t timeout_us)
{
  int64_t begun = now_us (), spin_from = begun;
  int64_t ahead = pace->expected_us - (begun - pace->started_us) - WAKE_US;
  cudaError_t error = gpu_calls->StreamQuery (stream);

  if (error == cudaErrorNotReady && ahead > 0) {
    sleep_us (ahead);
    spin_from = now_us ();
    error = gpu_calls->StreamQuery (stream);
    if (error != cudaErrorNotReady)     /* slept too long, who knows how much */
      learn (pace, pace->expected_us - WAKE_US / 2);
  }
  while (error == cudaErrorNotReady) {
    int64_t now = now_us ();

    if (now - begun >= timeout_us)
      return error;
    if (now - spin_from > SPIN_US)
      sleep_us ((now - begun) / 8);
    error = gpu_calls->StreamQuery (stream);
    if (error == cudaSuccess)
      learn (pace, now_us () - pace->started_us);
  }
  return error;
}
