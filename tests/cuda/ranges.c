/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* ranges INJECTION: the ranges that a profiler gets of a frame, by the library
 * that stands for one. */

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "injection.h"
#include "life.h"

#define CHILD_SECONDS 60

/* A frame of one of life's ways. */
typedef struct
{
  const char *way;
  const char *memory;           /* getting it */
  const char *frame;
} Seen;

static const Seen seen[] = {
  {"in place", "(pin memory)(pin memory)", "(submit)(wait)"},
  {"source staged", "(pin memory)", "(submit(copy in))(wait)"},
  {"target staged", "(pin memory)", "(submit)(wait(copy out))"},
  {"both staged", "", "(submit(copy in))(wait(copy out))"},
};

static const char *(*take) (void);

static void
expect (const char *what)
{
  const char *found = take ();

  CHECK (strcmp (found, what) == 0, "\"%s\", not \"%s\"", found, what);
}

static const LifeWay *
find_way (const char *name)
{
  unsigned i = 0;

  while (strcmp (life_way (i)->name, name) != 0)
    i++;
  return life_way (i);
}

static void
run (const void *data)
{
  const Seen *s = data;
  const LifeWay *way = find_way (s->way);
  LifeFrame frame;
  LumaBackend *backend;
  LumaPath path;
  GpuStatus status;

  simulated_install ();
  backend = life_open (way, -1, &status);
  CHECK (backend != NULL, "%s", status.text);
  take ();
  life_frame_init (&frame, way);
  expect (s->memory);
  for (int i = 0; i < 2; i++) {
    life_frame_draw (&frame);
    CHECK (life_run_frame (backend, &frame, &path) == LUMA_DONE, "%s",
        backend->klass->error (backend));
    expect (s->frame);
  }
  /* They end where a call fails, too. */
  life_frame_draw (&frame);
  simulated.fault = (SimulatedFault) {
    SIM_Launch, simulated.calls[SIM_Launch] + 1, cudaErrorInvalidValue, SIM_ONCE
  };
  CHECK (life_run_frame (backend, &frame, &path) == LUMA_FAILED, "done");
  take ();
  life_frame_draw (&frame);
  CHECK (life_run_frame (backend, &frame, &path) == LUMA_DONE, "failed");
  expect (s->frame);
  life_frame_clear (&frame);
  backend->klass->close (backend);
}

int
main (int argc, char **argv)
{
  unsigned failed = 0;
  void *library;

  if (argc != 2) {
    fprintf (stderr, "usage: %s INJECTION\n", argv[0]);
    return 2;
  }
  setenv ("NVTX_INJECTION64_PATH", argv[1], 1);
  library = dlopen (argv[1], RTLD_NOW);
  if (library == NULL || (take = (const char *(*) (void))
          dlsym (library, "injection_take")) == NULL) {
    fprintf (stderr, "%s\n", dlerror ());
    return 1;
  }
  for (size_t i = 0; i < sizeof seen / sizeof seen[0]; i++)
    failed += !life_in_child (seen[i].way, run, &seen[i], CHILD_SECONDS);
  printf ("%zu cases, %u failed\n", sizeof seen / sizeof seen[0], failed);
  return failed != 0;
}
