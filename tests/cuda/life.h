/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* What the tests on simulated CUDA share: children, in which no device has
 * been opened, and frames in every kind of memory. */

#pragma once

#include "gpu.h"
#include "simulated.h"

/* In a child: ends it as failed, with a message. */
#define CHECK(holds, ...) \
  ((holds) ? (void) 0 : life_fail (__FILE__, __LINE__, #holds, __VA_ARGS__))

_Noreturn void life_fail (const char *file, int line, const char *condition,
    const char *format, ...) __attribute__ ((format (printf, 4, 5)));

/* Runs a case in a child process, in seconds at most; false, with a message,
 * where it did not end well. */
bool life_in_child (const char *name, void (*run) (const void *data),
    const void *data, unsigned seconds);

/* The same in two steps: starts it, and looks how it ended. */
int life_start (const char *name, void (*run) (const void *data),
    const void *data, unsigned seconds);
bool life_ended_well (const char *name, int child);

/* What holds between any two calls: no context is current, no error is left
 * for the application, and nothing has been misused. */
void life_check_settled (const char *after);

/* Which streams a frame comes with. */
typedef enum
{
  LIFE_NO_STREAM,
  LIFE_SOURCE_STREAM,
  LIFE_TARGET_STREAM,
  LIFE_TWO_STREAMS,
  LIFE_ONE_STREAM               /* the same for both */
} LifeStreams;

/* A kind of frame and where it lies. */
typedef struct
{
  const char *name;
  LumaLayout layout;
  size_t width, height;
  LumaRange from, to;
  bool upside_down;             /* with negative strides */
  bool host_pages;              /* the device reads all host memory */
  unsigned pinned;              /* planes that the device reaches, a bit each */
  bool target_pinned;
  bool by_register;             /* pinned by gpu_register, not as blocks */
  bool elsewhere;               /* in another context than the primary one */
  LifeStreams streams;
  LumaPath path;
} LifeWay;

typedef struct
{
  uint8_t *data;
  uint8_t *drawn;               /* what is to be in data, of a source */
  GpuBlock *block;              /* or NULL */
  bool registered;
} LifeMemory;

typedef struct
{
  const LifeWay *way;
  LumaPlan plan;
  LumaSource src;
  LumaTarget dst;
  LifeMemory plane[LUMA_PLANES], target;
  unsigned seed;
} LifeFrame;

/* The ways, for i from 0; NULL past the last. */
const LifeWay *life_way (unsigned i);

/* Opens a backend on a device, -1 for the first, for frames of a way. */
LumaBackend *life_open (const LifeWay * way, int device, GpuStatus * status);

/* With a device open, for that registers memory.  Streams are the first
 * device's. */
void life_frame_init (LifeFrame * frame, const LifeWay * way);

/* Draws another source and blanks the target, by work on their streams where
 * they have any. */
void life_frame_draw (LifeFrame * frame);

/* After a submit, where both have streams: overwrites the source by work on its
 * stream, and waits for that.  False where they don't. */
bool life_frame_reuse (LifeFrame * frame);

/* Waits for the streams. */
void life_frame_finish (LifeFrame * frame);

/* Whether the target is untouched; whether it is the gray of the source, with
 * every byte between the rows untouched. */
bool life_frame_is_blank (const LifeFrame * frame);
bool life_frame_is_right (const LifeFrame * frame);

/* By the CPU, as who uses a backend does after a failure. */
void life_frame_convert (LifeFrame * frame);

/* Gives its memory back.  What can't be unregistered is kept mapped. */
void life_frame_clear (LifeFrame * frame);

/* Submits and waits. */
LumaResult life_run_frame (LumaBackend * backend, LifeFrame * frame,
    LumaPath * path);
