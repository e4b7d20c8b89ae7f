/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#include "life.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rows.h"

#define BLANK 0x5B
/* Bytes between rows. */
#define GAP 5
/* More than a frame here takes. */
#define MEMORY ((size_t) 64 << 10)
#define JUNK 0xC3

static const LifeWay ways[] = {
  {"in place", LUMA_LAYOUT_PACKED3, 37, 6, LUMA_RANGE_FULL, LUMA_RANGE_FULL,
      .pinned = 1,.target_pinned = true,.path = LUMA_PATH_IN_PLACE},
  {"in place, registered, upside down", LUMA_LAYOUT_PACKED4, 33, 5,
        LUMA_RANGE_LIMITED, LUMA_RANGE_FULL,.upside_down = true,.pinned = 1,
      .target_pinned = true,.by_register = true,.path = LUMA_PATH_IN_PLACE},
  {"source staged", LUMA_LAYOUT_PACKED3, 37, 6, LUMA_RANGE_LIMITED,
      LUMA_RANGE_FULL,.target_pinned = true,.path = LUMA_PATH_STAGED},
  {"target staged", LUMA_LAYOUT_PACKED4, 64, 3, LUMA_RANGE_FULL,
      LUMA_RANGE_LIMITED,.pinned = 1,.path = LUMA_PATH_STAGED},
  {"both staged", LUMA_LAYOUT_PACKED3, 70, 4, LUMA_RANGE_FULL,
      LUMA_RANGE_FULL,.path = LUMA_PATH_STAGED},
  {"both staged, upside down", LUMA_LAYOUT_PACKED3, 33, 5, LUMA_RANGE_FULL,
      LUMA_RANGE_FULL,.upside_down = true,.path = LUMA_PATH_STAGED},
  {"planar, one plane out of reach", LUMA_LAYOUT_PLANAR, 65, 4,
        LUMA_RANGE_LIMITED, LUMA_RANGE_FULL,.pinned = 1 | 4,
      .target_pinned = true,.path = LUMA_PATH_STAGED},
  {"planar, all staged, upside down", LUMA_LAYOUT_PLANAR, 31, 3,
        LUMA_RANGE_FULL, LUMA_RANGE_FULL,.upside_down = true,
      .path = LUMA_PATH_STAGED},
  {"one row staged", LUMA_LAYOUT_PACKED4, 100, 1, LUMA_RANGE_FULL,
      LUMA_RANGE_FULL,.path = LUMA_PATH_STAGED},
  {"host pages", LUMA_LAYOUT_PLANAR, 40, 3, LUMA_RANGE_FULL, LUMA_RANGE_FULL,
      .host_pages = true,.path = LUMA_PATH_IN_PLACE},
  {"in place, two streams", LUMA_LAYOUT_PACKED3, 37, 6, LUMA_RANGE_FULL,
        LUMA_RANGE_FULL,.pinned = 1,.target_pinned = true,
      .streams = LIFE_TWO_STREAMS,.path = LUMA_PATH_IN_PLACE},
  {"in place, a stream of the source", LUMA_LAYOUT_PACKED4, 33, 5,
        LUMA_RANGE_FULL, LUMA_RANGE_FULL,.pinned = 1,.target_pinned = true,
      .streams = LIFE_SOURCE_STREAM,.path = LUMA_PATH_IN_PLACE},
  {"planar, a stream of the target, source staged", LUMA_LAYOUT_PLANAR, 31, 3,
        LUMA_RANGE_FULL, LUMA_RANGE_FULL,.target_pinned = true,
      .streams = LIFE_TARGET_STREAM,.path = LUMA_PATH_STAGED},
  {"one stream, target staged", LUMA_LAYOUT_PACKED4, 64, 3, LUMA_RANGE_FULL,
        LUMA_RANGE_LIMITED,.pinned = 1,.streams = LIFE_ONE_STREAM,
      .path = LUMA_PATH_STAGED},
  {"both staged, two streams, upside down", LUMA_LAYOUT_PACKED3, 33, 5,
        LUMA_RANGE_FULL, LUMA_RANGE_FULL,.upside_down = true,
      .streams = LIFE_TWO_STREAMS,.path = LUMA_PATH_STAGED},
  {"elsewhere, in place, two streams", LUMA_LAYOUT_PACKED3, 37, 6,
        LUMA_RANGE_LIMITED, LUMA_RANGE_FULL,.pinned = 1,.target_pinned = true,
        .elsewhere = true,.streams = LIFE_TWO_STREAMS,
      .path = LUMA_PATH_IN_PLACE},
  {"elsewhere, both staged, a stream of the source", LUMA_LAYOUT_PACKED4, 70,
        4, LUMA_RANGE_FULL, LUMA_RANGE_FULL,.elsewhere = true,
      .streams = LIFE_SOURCE_STREAM,.path = LUMA_PATH_STAGED},
};

/* Of the child that runs. */
static const char *case_name;

static uint8_t blank[MEMORY], junk[MEMORY];

const LifeWay *
life_way (unsigned i)
{
  return i < sizeof ways / sizeof ways[0] ? &ways[i] : NULL;
}

void
life_fail (const char *file, int line, const char *condition,
    const char *format, ...)
{
  va_list args;

  fprintf (stderr, "%s:%d: %s: not %s: ", file, line, case_name, condition);
  va_start (args, format);
  vfprintf (stderr, format, args);
  va_end (args);
  fputc ('\n', stderr);
  _exit (1);
}

/* A device stays open as long as its process, so that each case takes a
 * process of its own.  The parent opens none: a fork begins as new. */
int
life_start (const char *name, void (*run) (const void *data), const void *data,
    unsigned seconds)
{
  pid_t child;

  fflush (NULL);
  child = fork ();
  if (child < 0)
    abort ();
  if (child == 0) {
    case_name = name;
    alarm (seconds);
    run (data);
    exit (0);
  }
  return child;
}

bool
life_ended_well (const char *name, int child)
{
  int status = 0;

  if (waitpid (child, &status, 0) != child)
    abort ();
  if (WIFSIGNALED (status))
    fprintf (stderr, "%s: ended by signal %d\n", name, WTERMSIG (status));
  else if (WEXITSTATUS (status) != 0)
    fprintf (stderr, "%s: failed\n", name);
  return status == 0;
}

bool
life_in_child (const char *name, void (*run) (const void *data),
    const void *data, unsigned seconds)
{
  return life_ended_well (name, life_start (name, run, data, seconds));
}

void
life_check_settled (const char *after)
{
  const SimulatedFault *fault = &simulated.fault;
  int left = fault->entry == SIM_CtxPopCurrent ? (int) simulated.fired : 0;

  CHECK (simulated.misuses == 0, "%s, after %s", simulated.misuse, after);
  CHECK (simulated_depth () == left, "%d contexts, after %s",
      simulated_depth (), after);
  CHECK (simulated_last_error () == cudaSuccess, "%s, after %s",
      cudaGetErrorName (simulated_last_error ()), after);
  CHECK (simulated_registered_is_mapped (), "after %s", after);
}

static void
get_memory (LifeMemory * memory, bool pinned, bool by_register)
{
  memset (memory, 0, sizeof *memory);
  memory->drawn = malloc (MEMORY);
  if (by_register || !pinned) {
    memory->data = aligned_alloc (4096, MEMORY);
    memory->registered = pinned && gpu_register (memory->data, MEMORY);
    life_check_settled ("gpu_register");
    return;
  }
  memory->block = gpu_block_get (MEMORY, true);
  life_check_settled ("gpu_block_get");
  CHECK (memory->block != NULL, "no block");
  memory->data = memory->block->data;
}

static void
put_memory (LifeMemory * memory)
{
  if (memory->block != NULL) {
    gpu_block_put (memory->block);
    life_check_settled ("gpu_block_put");
  } else if (!memory->registered || gpu_unregister (memory->data)) {
    free (memory->data);
  }
  life_check_settled ("gpu_unregister");
  free (memory->drawn);
  memset (memory, 0, sizeof *memory);
}

static void
describe (LumaComponent rgb[LUMA_COMPONENTS], LumaLayout layout)
{
  bool planar = layout == LUMA_LAYOUT_PLANAR;

  for (unsigned i = 0; i < LUMA_COMPONENTS; i++) {
    rgb[i] = (LumaComponent) { 0 };
    rgb[i].plane = planar ? i : 0;
    rgb[i].offset = planar ? 0 : i;
    rgb[i].step = planar ? 1 : layout == LUMA_LAYOUT_PACKED4 ? 4 : 3;
    rgb[i].shift = 0;
    rgb[i].depth = 8;
  }
}

/* An odd address inside of the memory, and the way through the rows. */
static ptrdiff_t
first_row (const LifeWay * way, size_t stride)
{
  return 3 + (way->upside_down ? (ptrdiff_t) ((way->height - 1) * stride) : 0);
}

LumaBackend *
life_open (const LifeWay * way, int device, GpuStatus * status)
{
  return way->elsewhere ? gpu_open_in (simulated_context (device < 0 ? 0 :
          device), device, status) : gpu_open (device, status);
}

static void
open_streams (LifeFrame * frame)
{
  LifeStreams streams = frame->way->streams;
  bool in_primary = !frame->way->elsewhere;

  if (streams != LIFE_NO_STREAM && streams != LIFE_TARGET_STREAM)
    frame->src.stream = simulated_stream_new (0, in_primary);
  if (streams == LIFE_TARGET_STREAM || streams == LIFE_TWO_STREAMS)
    frame->dst.stream = simulated_stream_new (0, in_primary);
  if (streams == LIFE_ONE_STREAM)
    frame->dst.stream = frame->src.stream;
}

static void
fill_patterns (void)
{
  memset (blank, BLANK, sizeof blank);
  memset (junk, JUNK, sizeof junk);
}

void
life_frame_init (LifeFrame * frame, const LifeWay * way)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  LumaComponent rgb[LUMA_COMPONENTS];
  ptrdiff_t sign = way->upside_down ? -1 : 1;
  size_t stride = way->width + GAP;

  memset (frame, 0, sizeof *frame);
  frame->way = way;
  pthread_once (&once, fill_patterns);
  open_streams (frame);
  describe (rgb, way->layout);
  CHECK (luma_plan_init (&frame->plan, way->width, way->height, rgb,
          LUMA_MATRIX_BT709, way->from, way->to), "no plan");
  get_memory (&frame->target, way->target_pinned, way->by_register);
  frame->dst.data = frame->target.data + first_row (way, stride);
  frame->dst.stride = sign * (ptrdiff_t) stride;
  for (unsigned p = 0; p < LUMA_PLANES; p++) {
    stride = luma_plan_extent (&frame->plan, p).row_bytes + GAP;
    if (stride == GAP)
      continue;
    get_memory (&frame->plane[p], way->pinned >> p & 1, way->by_register);
    frame->src.data[p] = frame->plane[p].data + first_row (way, stride);
    frame->src.stride[p] = sign * (ptrdiff_t) stride;
  }
}

void
life_frame_draw (LifeFrame * frame)
{
  uint32_t state = ++frame->seed * 2654435761u;

  for (unsigned p = 0; p < LUMA_PLANES; p++) {
    LifeMemory *plane = &frame->plane[p];

    if (plane->data == NULL)
      continue;
    for (size_t i = 0; i < MEMORY; i++) {
      state = state * 1664525 + 1013904223;
      plane->drawn[i] = (uint8_t) (state >> 24);
    }
    memcpy (plane->data, frame->src.stream != NULL ? junk : plane->drawn,
        MEMORY);
    if (frame->src.stream != NULL)
      simulated_put (frame->src.stream, plane->data, plane->drawn, MEMORY);
  }
  memset (frame->target.data, BLANK, MEMORY);
  if (frame->dst.stream != NULL)
    simulated_put (frame->dst.stream, frame->target.data, blank, MEMORY);
}

bool
life_frame_reuse (LifeFrame * frame)
{
  if (frame->src.stream == NULL || frame->dst.stream == NULL)
    return false;
  for (unsigned p = 0; p < LUMA_PLANES; p++) {
    if (frame->plane[p].data != NULL)
      simulated_put (frame->src.stream, frame->plane[p].data, junk, MEMORY);
  }
  simulated_finish (frame->src.stream);
  return true;
}

void
life_frame_finish (LifeFrame * frame)
{
  if (frame->src.stream != NULL)
    simulated_finish (frame->src.stream);
  if (frame->dst.stream != NULL)
    simulated_finish (frame->dst.stream);
}

bool
life_frame_is_blank (const LifeFrame * frame)
{
  for (size_t i = 0; i < MEMORY; i++) {
    if (frame->target.data[i] != BLANK)
      return false;
  }
  return true;
}

/* Rows by the specification, at the frame's place in other memory. */
static void
convert_to (const LifeFrame * frame, uint8_t * dst)
{
  for (size_t y = 0; y < frame->plan.height; y++) {
    const uint8_t *row[LUMA_COMPONENTS];

    for (int i = 0; i < LUMA_COMPONENTS; i++) {
      unsigned p = frame->plan.component[i].plane;

      row[i] = frame->plane[p].drawn + (frame->src.data[p] -
          frame->plane[p].data) + (ptrdiff_t) y * frame->src.stride[p];
    }
    luma_row_exact (&frame->plan, row, dst + (ptrdiff_t) y * frame->dst.stride,
        frame->plan.width);
  }
}

bool
life_frame_is_right (const LifeFrame * frame)
{
  static _Thread_local uint8_t expected[MEMORY];

  memset (expected, BLANK, MEMORY);
  convert_to (frame, expected + (frame->dst.data - frame->target.data));
  return memcmp (expected, frame->target.data, MEMORY) == 0;
}

void
life_frame_convert (LifeFrame * frame)
{
  convert_to (frame, frame->dst.data);
}

void
life_frame_clear (LifeFrame * frame)
{
  if (frame->dst.stream != NULL && frame->dst.stream != frame->src.stream)
    simulated_stream_free (frame->dst.stream);
  if (frame->src.stream != NULL)
    simulated_stream_free (frame->src.stream);
  for (unsigned p = 0; p < LUMA_PLANES; p++) {
    if (frame->plane[p].data != NULL)
      put_memory (&frame->plane[p]);
  }
  put_memory (&frame->target);
}

LumaResult
life_run_frame (LumaBackend * backend, LifeFrame * frame, LumaPath * path)
{
  LumaResult result = backend->klass->submit (backend, &frame->plan,
      &frame->src, &frame->dst, true, path);

  life_check_settled ("submit");
  if (result == LUMA_DONE) {
    result = backend->klass->wait (backend, 1000000);
    life_check_settled ("wait");
  }
  return result;
}
