/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#include "wait.h"

#include <stdbool.h>
#include <string.h>
#include <time.h>

/* The kernel's default timer slack and a wake-up, until sleeps have shown what
 * they take here. */
#define LATE_US 60
/* A CPU that sleeps for longer than this saves more power: it wakes later, and
 * the memory that the GPU reads over the link answers more slowly. */
#define NAP_US 100
/* But no more than so many naps a frame. */
#define NAPS 20
/* The most that a stream's first frame makes the next ones expect. */
#define FIRST_US 1000
/* The most by which to wake early. */
#define MOST_EARLY_US 36
/* The longest spin past the time that a frame was expected to take. */
#define SPIN_US 50

static int64_t
now_us (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return (int64_t) t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static void
sleep_us (GpuPace * pace, int64_t us)
{
  struct timespec t = { us / 1000000, us % 1000000 * 1000 };
  int64_t from = now_us (), late;

  clock_nanosleep (CLOCK_MONOTONIC, 0, &t, NULL);
  late = now_us () - from - us;
  if (late < 10 * LATE_US)
    pace->late_us += (late - pace->late_us) / 4;
}

void
gpu_pace_init (GpuPace * pace)
{
  memset (pace, 0, sizeof *pace);
  pace->late_us = LATE_US;
}

void
gpu_pace_start (GpuPace * pace)
{
  pace->started_us = now_us ();
}

static int64_t
least (int64_t a, int64_t b)
{
  return a < b ? a : b;
}

/* How much earlier to wake than expected: frames vary the more the longer they
 * take. */
static int64_t
early_us (const GpuPace * pace)
{
  return least (4 + pace->expected_us / 32, MOST_EARLY_US);
}

/* Quick to shorten, for a sleep that was too long costs time; slow to
 * lengthen, for a spin that was too long costs little.  One late frame says
 * little about the next. */
static void
learn (GpuPace * pace, int64_t took_us)
{
  int64_t error = least (took_us, 2 * pace->expected_us) - pace->expected_us;

  pace->overslept = 0;
  if (pace->expected_us == 0)
    pace->expected_us = least (took_us, FIRST_US);
  else
    pace->expected_us += error < 0 ? error / 2 : (error + 7) / 8;
}

/* By how much is not known: back off, the more the oftener it happens. */
static void
learn_overslept (GpuPace * pace, int64_t passed_us)
{
  pace->expected_us = least (pace->expected_us, passed_us) -
      (early_us (pace) << pace->overslept);
  if (pace->expected_us < 1)
    pace->expected_us = 1;
  if (pace->overslept < 5)
    pace->overslept++;
}

static int64_t
nap_us (const GpuPace * pace)
{
  return pace->expected_us > NAPS * NAP_US ? pace->expected_us / NAPS : NAP_US;
}

/* Sleeps until shortly before the frame is expected; true if it slept. */
static bool
sleep_ahead (cudaStream_t stream, GpuPace * pace, cudaError_t * error)
{
  bool slept = false;

  while (*error == cudaErrorNotReady) {
    int64_t passed = now_us () - pace->started_us + pace->late_us;
    int64_t ahead = pace->expected_us - passed - early_us (pace);

    if (ahead <= 0)
      return slept;
    sleep_us (pace, least (ahead, nap_us (pace)));
    slept = true;
    *error = gpu_calls->StreamQuery (stream);
    if (*error == cudaSuccess)
      learn_overslept (pace, now_us () - pace->started_us);
  }
  return slept;
}

cudaError_t
gpu_wait (cudaStream_t stream, GpuPace * pace, int64_t timeout_us)
{
  cudaError_t error = gpu_calls->StreamQuery (stream);
  int64_t begun = now_us (), spin_from, spin = SPIN_US + early_us (pace);

  /* Where there was no time for the shortest sleep, spin that long. */
  if (!sleep_ahead (stream, pace, &error) && pace->late_us > spin)
    spin = pace->late_us + 16;
  spin_from = now_us ();
  while (error == cudaErrorNotReady) {
    int64_t now = now_us ();

    if (now - begun >= timeout_us)
      return error;
    if (now - spin_from > spin)
      sleep_us (pace, (now - begun) / 8);
    error = gpu_calls->StreamQuery (stream);
    if (error == cudaSuccess)
      learn (pace, now_us () - pace->started_us);
  }
  return error;
}
