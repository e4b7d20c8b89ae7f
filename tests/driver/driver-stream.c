/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Streams and their work.
 *
 * A point of a stream is how many operations were queued on it before; it is
 * reached when as many are done.  A stream that waits for another's point has
 * an operation that does the other's work up to it.  Such points lie in the
 * past, so that no two streams wait for each other. */

#include "driver-core.h"

#include <stdlib.h>

typedef enum
{
  OP_BOX,
  OP_WORK,
  OP_WAIT
} OpKind;

struct _DriverOp
{
  OpKind kind;
  DriverBox box;
  DriverWork work;
  void *data;
  uintptr_t stream;             /* to wait for, up to a point */
  uint64_t point;
  DriverOp *next;
};

static DriverStream *
make_stream (DriverContext * context, bool is_legacy, bool is_blocking)
{
  DriverStream *stream = calloc (1, sizeof *stream);

  if (stream == NULL)
    abort ();
  stream->handle = driver_new_handle ();
  stream->context = context;
  stream->is_legacy = is_legacy;
  stream->is_blocking = is_blocking;
  stream->end = &stream->first;
  stream->next = context->streams;
  context->streams = stream;
  return stream;
}

void
driver_streams_init (DriverContext * context)
{
  make_stream (context, true, true);
}

DriverStream *
driver_legacy_of (DriverContext * context)
{
  DriverStream *stream = context->streams;

  while (!stream->is_legacy)
    stream = stream->next;
  return stream;
}

DriverStream *
driver_find_stream (uintptr_t handle)
{
  for (DriverContext * context = driver_all_contexts; context != NULL;
      context = context->next) {
    for (DriverStream * stream = context->streams; stream != NULL;
        stream = stream->next) {
      if (stream->handle == handle)
        return stream;
    }
  }
  return NULL;
}

CUresult
driver_stream_of (CUstream handle, DriverContext * current,
    DriverStream ** stream)
{
  if (handle == NULL || handle == CU_STREAM_LEGACY
      || handle == CU_STREAM_PER_THREAD)
    *stream = driver_legacy_of (current);
  else
    *stream = driver_find_stream ((uintptr_t) handle);
  return *stream == NULL ? CUDA_ERROR_INVALID_HANDLE :
      (*stream)->context->error;
}

static void
free_op (DriverOp * op)
{
  free (op->data);
  free (op);
}

/* What is behind a stream that is gone was done when it went. */
static CUresult
do_op (DriverStream * stream, const DriverOp * op)
{
  DriverStream *other;

  switch (op->kind) {
    case OP_BOX:
      return driver_box_do (&op->box);
    case OP_WORK:
      return op->work ((CUcontext) stream->context->handle, op->data);
    default:
      other = driver_find_stream (op->stream);
      if (other != NULL)
        driver_run (other, op->point);
      return CUDA_SUCCESS;
  }
}

void
driver_run (DriverStream * stream, uint64_t point)
{
  DriverContext *context = stream->context;

  while (stream->done < point) {
    DriverOp *op = stream->first;

    stream->first = op->next;
    if (stream->first == NULL)
      stream->end = &stream->first;
    if (context->error == CUDA_SUCCESS) {
      CUresult result = do_op (stream, op);

      /* Work that was waited for may have set it too. */
      if (result != CUDA_SUCCESS)
        context->error = result;
    }
    free_op (op);
    stream->done++;
  }
}

static void
push_op (DriverStream * stream, const DriverOp * from)
{
  DriverOp *op = malloc (sizeof *op);

  if (op == NULL)
    abort ();
  *op = *from;
  op->next = NULL;
  *stream->end = op;
  stream->end = &op->next;
  stream->queued++;
}

void
driver_wait_for (DriverStream * stream, uintptr_t handle, uint64_t point)
{
  const DriverStream *other = driver_find_stream (handle);
  DriverOp op = {.kind = OP_WAIT,.stream = handle,.point = point };

  if (other != NULL && other != stream && other->done < point)
    push_op (stream, &op);
}

/* The legacy stream waits for all blocking ones of its context, and they for
 * it. */
void
driver_wait_in_order (DriverStream * stream)
{
  for (DriverStream * other = stream->context->streams; other != NULL;
      other = other->next) {
    if (stream->is_blocking && other->is_blocking
        && (stream->is_legacy || other->is_legacy))
      driver_wait_for (stream, other->handle, other->queued);
  }
}

static void
queue_op (DriverStream * stream, const DriverOp * op)
{
  driver_wait_in_order (stream);
  push_op (stream, op);
  stream->asked = false;
}

void
driver_queue_box (DriverStream * stream, const DriverBox * box)
{
  DriverOp op = {.kind = OP_BOX,.box = *box };

  queue_op (stream, &op);
}

CUresult
driver_queue (CUstream handle, DriverWork work, void *data)
{
  DriverContext *current;
  DriverStream *stream;
  DriverOp op = {.kind = OP_WORK,.work = work,.data = data };
  CUresult result = driver_enter (&current);

  if (result == CUDA_SUCCESS)
    result = driver_stream_of (handle, current, &stream);
  /* Unlike copies, a kernel is of one context. */
  if (result == CUDA_SUCCESS && stream->context != current)
    result = CUDA_ERROR_INVALID_HANDLE;
  if (result == CUDA_SUCCESS)
    queue_op (stream, &op);
  else
    free (data);
  return driver_leave (result);
}

static CUresult
run_all (DriverStream * stream)
{
  if (stream->is_legacy)
    driver_wait_in_order (stream);
  driver_run (stream, stream->queued);
  return stream->context->error;
}

CUresult
driver_run_context (DriverContext * context)
{
  for (DriverStream * stream = context->streams; stream != NULL;
      stream = stream->next)
    run_all (stream);
  return context->error;
}

CUresult
driver_run_legacy (DriverContext * context)
{
  return run_all (driver_legacy_of (context));
}

/* After its work is done. */
static void
drop_stream (DriverStream * stream)
{
  DriverStream **place = &stream->context->streams;

  while (*place != stream)
    place = &(*place)->next;
  *place = stream->next;
  free (stream);
}

void
driver_streams_clear (DriverContext * context)
{
  while (context->streams != NULL)
    drop_stream (context->streams);
}

CUresult
cuStreamCreate (CUstream * handle, unsigned flags)
{
  DriverContext *current;
  CUresult result = driver_enter (&current);

  if (result == CUDA_SUCCESS && flags > CU_STREAM_NON_BLOCKING)
    result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    *handle = (CUstream) make_stream (current, false,
        flags != CU_STREAM_NON_BLOCKING)->handle;
  return driver_leave (result);
}

CUresult
cuStreamCreateWithPriority (CUstream * handle, unsigned flags, int priority)
{
  return cuStreamCreate (handle, flags);
}

/* Enters and finds a stream. */
static CUresult
enter_stream (CUstream handle, DriverStream ** stream)
{
  DriverContext *current;
  CUresult result = driver_enter (&current);

  return result == CUDA_SUCCESS ?
      driver_stream_of (handle, current, stream) : result;
}

CUresult
cuStreamDestroy (CUstream handle)
{
  DriverStream *stream;
  CUresult result = enter_stream (handle, &stream);

  if (result == CUDA_SUCCESS && stream->is_legacy)
    result = CUDA_ERROR_INVALID_HANDLE;
  if (result == CUDA_SUCCESS) {
    result = run_all (stream);
    drop_stream (stream);
  }
  return driver_leave (result);
}

CUresult
cuStreamSynchronize (CUstream handle)
{
  DriverStream *stream;
  CUresult result = enter_stream (handle, &stream);

  if (result == CUDA_SUCCESS)
    result = run_all (stream);
  return driver_leave (result);
}

CUresult
cuStreamQuery (CUstream handle)
{
  DriverStream *stream;
  CUresult result = enter_stream (handle, &stream);

  if (result != CUDA_SUCCESS)
    return driver_leave (result);
  if (stream->is_legacy)
    driver_wait_in_order (stream);
  if (stream->done < stream->queued && !stream->asked) {
    stream->asked = true;
    return driver_leave (CUDA_ERROR_NOT_READY);
  }
  stream->asked = false;
  return driver_leave (run_all (stream));
}

CUresult
cuStreamGetCtx (CUstream handle, CUcontext * context)
{
  DriverStream *stream;
  CUresult result = enter_stream (handle, &stream);

  if (result == CUDA_SUCCESS)
    *context = (CUcontext) stream->context->handle;
  return driver_leave (result);
}

static unsigned
count (bool pending)
{
  unsigned n = 0;

  driver_enter (NULL);
  for (DriverContext * context = driver_all_contexts; context != NULL;
      context = context->next) {
    for (DriverStream * stream = context->streams; stream != NULL;
        stream = stream->next) {
      n += !pending && !stream->is_legacy;
      for (DriverOp * op = stream->first; op != NULL; op = op->next)
        n += pending && op->kind != OP_WAIT;
    }
  }
  driver_leave (CUDA_SUCCESS);
  return n;
}

unsigned
driver_streams (void)
{
  return count (false);
}

unsigned
driver_pending (void)
{
  return count (true);
}

/* The name that GStreamer 1.22 looks up; cuda.h gives the function above
 * another. */
#undef cuStreamDestroy
DRIVER_API CUresult cuStreamDestroy (CUstream handle);

CUresult
cuStreamDestroy (CUstream handle)
{
  return cuStreamDestroy_v2 (handle);
}
