/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Waiting for frames: how long it takes, what it learns, what it costs.
 *
 * The clock that wait.c sees is the test's own, so that a busy machine changes
 * nothing: a query takes a microsecond, a sleep is late by as much as Linux's
 * are.  Only what it costs in CPU time is measured on the real one. */

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "wait.h"

#define CHECK(holds, ...) \
  ((holds) ? (void) 0 : fail (__LINE__, #holds, (double) (__VA_ARGS__)))

#define QUERY_NS 1000
#define FOREVER_US (int64_t) 1000000000
#define MS 1000

static struct
{
  bool real;
  int64_t now_ns, late_ns;      /* the time, and by how much sleeps are late */
  int64_t slept_ns, longest_ns; /* in all, and at a time */
  unsigned sleeps;
  int64_t idle_at_ns;           /* when the frame will be done */
  unsigned queries;
  unsigned error_at;            /* the query that gives the error; 0: none */
} world;

static const char *case_name;
static int failures;

int __real_clock_gettime (clockid_t clock, struct timespec *t);
int __real_clock_nanosleep (clockid_t clock, int flags,
    const struct timespec *t, struct timespec *left);
int __wrap_clock_gettime (clockid_t clock, struct timespec *t);
int __wrap_clock_nanosleep (clockid_t clock, int flags,
    const struct timespec *t, struct timespec *left);

static void
fail (int line, const char *condition, double value)
{
  fprintf (stderr, "pace.c:%d: %s: not %s: %g\n", line, case_name, condition,
      value);
  failures++;
}

int
__wrap_clock_gettime (clockid_t clock, struct timespec *t)
{
  if (world.real)
    return __real_clock_gettime (clock, t);
  t->tv_sec = world.now_ns / 1000000000;
  t->tv_nsec = world.now_ns % 1000000000;
  return 0;
}

int
__wrap_clock_nanosleep (clockid_t clock, int flags, const struct timespec *t,
    struct timespec *left)
{
  int64_t asked;

  if (world.real)
    return __real_clock_nanosleep (clock, flags, t, left);
  asked = (int64_t) t->tv_sec * 1000000000 + t->tv_nsec;
  world.sleeps++;
  if (asked > world.longest_ns)
    world.longest_ns = asked;
  world.slept_ns += asked + world.late_ns;
  world.now_ns += asked + world.late_ns;
  return 0;
}

static int64_t
now_ns (clockid_t clock)
{
  struct timespec t;

  __wrap_clock_gettime (clock, &t);
  return (int64_t) t.tv_sec * 1000000000 + t.tv_nsec;
}

static cudaError_t
query (cudaStream_t stream)
{
  if (!world.real)
    world.now_ns += QUERY_NS;
  if (++world.queries == world.error_at)
    return cudaErrorLaunchFailure;
  return now_ns (CLOCK_MONOTONIC) < world.idle_at_ns ? cudaErrorNotReady :
      cudaSuccess;
}

static void
begin (GpuPace * pace, int64_t late_us)
{
  static GpuCalls calls;

  calls = gpu_cuda_calls;
  calls.StreamQuery = query;
  gpu_calls = &calls;
  world.real = false;
  world.now_ns = 5000000000;
  world.late_ns = late_us * 1000;
  world.slept_ns = 0;
  world.queries = 0;
  world.error_at = 0;
  gpu_pace_init (pace);
}

/* One frame; how long until the wait for it returned. */
static int64_t
run_frame (GpuPace * pace, int64_t takes_us)
{
  int64_t from = now_ns (CLOCK_MONOTONIC), took;
  cudaError_t error;

  gpu_pace_start (pace);
  world.idle_at_ns = from + takes_us * 1000;
  error = gpu_wait (NULL, pace, FOREVER_US);
  took = (now_ns (CLOCK_MONOTONIC) - from) / 1000;
  CHECK (error == cudaSuccess, error);
  CHECK (took >= takes_us, took);
  return took;
}

static int64_t
run_frames (GpuPace * pace, int n, int64_t takes_us)
{
  int64_t total = 0;

  for (int i = 0; i < n; i++)
    total += run_frame (pace, takes_us);
  return total;
}

/* By how much sleeps are late. */
static const int64_t latenesses[] = { 1, 30, 55, 80, 120, 180 };

static void
test_late_first (int64_t late_us)
{
  GpuPace pace;
  int64_t total;

  begin (&pace, late_us);
  run_frame (&pace, 200 * MS);
  total = run_frames (&pace, 100, 136);
  CHECK (total < 150 * MS, total);
}

static void
test_late_among_others (int64_t late_us)
{
  GpuPace pace;
  int64_t before, total;

  begin (&pace, late_us);
  run_frames (&pace, 100, 136);
  before = pace.expected_us;
  run_frame (&pace, 200 * MS);
  CHECK (pace.expected_us <= 2 * before + 1, pace.expected_us);
  total = run_frames (&pace, 100, 136);
  CHECK (total < 150 * MS, total);
  /* Half as much again, even where a sleep takes longer than a frame. */
  total = run_frames (&pace, 100, 136);
  CHECK (total < 100 * 136 * 3 / 2, total);
}

static void
test_converges (int64_t late_us)
{
  static const int64_t takes[] = { 20, 136, 500, 2 * MS, 5 * MS, 16 * MS };
  GpuPace pace;
  int64_t total;

  for (size_t i = 0; i < sizeof takes / sizeof takes[0]; i++) {
    begin (&pace, late_us);
    run_frames (&pace, 300, takes[i]);
    CHECK (pace.expected_us > takes[i] * 7 / 10 - 5, pace.expected_us);
    CHECK (pace.expected_us < takes[i] * 13 / 10 + 5, pace.expected_us);
    total = run_frames (&pace, 100, takes[i]);
    CHECK (total < 100 * (takes[i] + takes[i] / 100 + 10), total);
  }
}

/* From frames of one size to those of another. */
static void
test_follows (int64_t late_us)
{
  GpuPace pace;

  begin (&pace, late_us);
  run_frames (&pace, 100, 5 * MS);
  run_frames (&pace, 50, 136);
  CHECK (pace.expected_us < 300, pace.expected_us);
  run_frames (&pace, 100, 5 * MS);
  CHECK (pace.expected_us > 4 * MS, pace.expected_us);
  CHECK (pace.expected_us < 6 * MS, pace.expected_us);
}

/* After frames that take 1 ms, one that never ends. */
static void
test_deadline (int64_t late_us)
{
  static const int64_t timeouts[] = { 1, 100, 20 * MS, 3000 * MS };
  cudaError_t error;
  GpuPace pace;
  int64_t from, took;

  for (size_t i = 0; i < sizeof timeouts / sizeof timeouts[0]; i++) {
    begin (&pace, late_us);
    run_frames (&pace, 10, MS);
    gpu_pace_start (&pace);
    world.idle_at_ns = INT64_MAX;
    world.queries = 0;
    from = world.now_ns;
    error = gpu_wait (NULL, &pace, timeouts[i]);
    took = (world.now_ns - from) / 1000;
    CHECK (error == cudaErrorNotReady, error);
    CHECK (took >= timeouts[i], took);
    CHECK (took < timeouts[i] * 9 / 8 + 2 * MS, took);
    /* It sleeps the longer the longer it waits. */
    CHECK (world.queries < 1000, world.queries);
  }
}

/* At the first query, in the sleeps, and in the spin after them. */
static void
test_error (int64_t late_us)
{
  static const unsigned queries[] = { 1, 2, 3, 40 };
  cudaError_t error;
  GpuPace pace;

  for (size_t i = 0; i < sizeof queries / sizeof queries[0]; i++) {
    begin (&pace, late_us);
    run_frames (&pace, 10, MS);
    gpu_pace_start (&pace);
    world.idle_at_ns = INT64_MAX;
    world.error_at = world.queries + queries[i];
    error = gpu_wait (NULL, &pace, FOREVER_US);
    CHECK (error == cudaErrorLaunchFailure, error);
    CHECK (world.queries == world.error_at, world.queries);
  }
}

/* A frame that is done already costs one query. */
static void
test_done (int64_t late_us)
{
  GpuPace pace;

  begin (&pace, late_us);
  run_frames (&pace, 10, MS);
  world.queries = 0;
  world.slept_ns = 0;
  run_frame (&pace, 0);
  CHECK (world.queries == 1, world.queries);
  CHECK (world.slept_ns == 0, world.slept_ns);
}

/* Most of the time of a long frame is slept. */
static void
test_sleeps (int64_t late_us)
{
  int64_t total;
  GpuPace pace;

  begin (&pace, late_us);
  run_frames (&pace, 50, 2 * MS);
  world.slept_ns = 0;
  total = run_frames (&pace, 300, 2 * MS);
  CHECK (world.slept_ns / 1000 > total / 2, world.slept_ns / 1000);
}

/* In naps, short ones unless that would be too many. */
static void
test_naps (int64_t late_us)
{
  static const int64_t takes[] = { 500, 2 * MS, 10 * MS, 100 * MS };

  for (size_t i = 0; i < sizeof takes / sizeof takes[0]; i++) {
    GpuPace pace;

    begin (&pace, late_us);
    run_frames (&pace, 100, takes[i]);
    world.sleeps = 0;
    world.longest_ns = 0;
    run_frames (&pace, 50, takes[i]);
    CHECK (world.sleeps <= 50 * 21, world.sleeps);
    CHECK (world.longest_ns / 1000 <= (takes[i] <= 2 * MS ? 100 :
            takes[i] / 20), world.longest_ns / 1000);
  }
}

/* The same on the machine's own clock. */
static void
test_cpu_time (void)
{
  int64_t wall, cpu;
  GpuPace pace;

  begin (&pace, 0);
  world.real = true;
  wall = now_ns (CLOCK_MONOTONIC);
  cpu = now_ns (CLOCK_THREAD_CPUTIME_ID);
  run_frames (&pace, 300, 2 * MS);
  wall = now_ns (CLOCK_MONOTONIC) - wall;
  cpu = now_ns (CLOCK_THREAD_CPUTIME_ID) - cpu;
  CHECK (cpu < wall / 2, cpu / 1e6);
}

static const struct
{
  const char *name;
  void (*run) (int64_t late_us);
} tests[] = {
  {"first frame late", test_late_first},
  {"101st frame late", test_late_among_others},
  {"converges", test_converges},
  {"follows", test_follows},
  {"deadline", test_deadline},
  {"error", test_error},
  {"done", test_done},
  {"sleeps", test_sleeps},
  {"naps", test_naps},
};

int
main (void)
{
  char name[80];
  int runs = 1;

  case_name = name;
  for (size_t t = 0; t < sizeof tests / sizeof tests[0]; t++) {
    for (size_t l = 0; l < sizeof latenesses / sizeof latenesses[0]; l++) {
      snprintf (name, sizeof name, "%s, sleeps late by %d us", tests[t].name,
          (int) latenesses[l]);
      tests[t].run (latenesses[l]);
      runs++;
    }
  }
  case_name = "CPU time";
  test_cpu_time ();
  printf ("%d runs, %d checks failed\n", runs, failures);
  return failures != 0;
}
