/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* What executes a plan: a GPU, the CPU rows, or a test's own.
 *
 * A frame is submitted and then waited for.  A backend has at most one frame
 * under way: submit, wait, submit, ...  One backend is used by one thread at a
 * time; different backends are independent. */

#pragma once

#include "plan.h"

typedef enum
{
  /* The frame is complete, and the CPU sees it. */
  LUMA_DONE,
  /* The frame failed and nothing is at work on its memory any more: whoever
   * has the input can convert it some other way into the same output. */
  LUMA_FAILED,
  /* The same for want of memory: a later frame may be done. */
  LUMA_REFUSED,
  /* The frame failed, but source and target may still be read and written.
   * Both must be left alone and kept for good; the backend can only be
   * closed. */
  LUMA_UNKNOWN,
  /* Nothing was done: the frame would have taken a copy, which the caller
   * did not want.  From submit alone. */
  LUMA_DECLINED
} LumaResult;

/* The way that a frame took. */
typedef enum
{
  LUMA_PATH_CPU,                /* rows on the CPU */
  LUMA_PATH_IN_PLACE,           /* the GPU read and wrote the caller's memory */
  LUMA_PATH_STAGED,             /* through a copy, for the GPU could not */
  LUMA_N_PATHS
} LumaPath;

typedef struct _LumaBackend LumaBackend;

typedef struct
{
  const char *name;
  /* Frames of fewer pixels are done sooner by the CPU rows. */
  size_t small_pixels;

  /* Starts the conversion of one frame.  The plan and both frames must stay
   * until wait has returned.  DONE means that it is under way, by *path; STAGED
   * only with may_copy.
   *
   * The frame comes after what is under way on either frame's stream.  Where
   * both have one and the path is IN_PLACE, what is put on these streams later
   * comes after the frame, and wait may be left out. */
  LumaResult (*submit) (LumaBackend * self, const LumaPlan * plan,
      const LumaSource * src, const LumaTarget * dst, bool may_copy,
      LumaPath * path);

  /* Waits until the frame is complete, for timeout_us at most. */
  LumaResult (*wait) (LumaBackend * self, int64_t timeout_us);

  /* What the last FAILED, REFUSED or UNKNOWN was: the call and the error's name.
   * Owned by the backend, valid until the next call. */
  const char *(*error) (LumaBackend * self);

  void (*close) (LumaBackend * self);
} LumaBackendClass;

struct _LumaBackend
{
  const LumaBackendClass *klass;
};

/* The CPU rows as a backend: the work is done when submit returns. */
LumaBackend *luma_cpu_open (void);
