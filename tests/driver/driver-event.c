/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Events: points of streams. */

#include "driver-core.h"

#include <stdlib.h>

typedef struct _Event Event;
struct _Event
{
  uintptr_t handle;
  DriverContext *context;
  uintptr_t stream;             /* 0: never recorded */
  uint64_t point;
  bool asked;
  Event *next;
};

static Event *events;

static void
drop_event (Event * event)
{
  Event **place = &events;

  while (*place != event)
    place = &(*place)->next;
  *place = event->next;
  free (event);
}

/* Those of a context that goes. */
void
driver_events_clear (DriverContext * context)
{
  Event *event = events;

  while (event != NULL) {
    Event *next = event->next;

    if (event->context == context)
      drop_event (event);
    event = next;
  }
}

static Event *
find_event (CUevent handle)
{
  Event *event = events;

  while (event != NULL && event->handle != (uintptr_t) handle)
    event = event->next;
  return event;
}

/* Enters and finds an event. */
static CUresult
enter_event (CUevent handle, Event ** event)
{
  DriverContext *current;
  CUresult result = driver_enter (&current);

  *event = find_event (handle);
  if (result == CUDA_SUCCESS && *event == NULL)
    result = CUDA_ERROR_INVALID_HANDLE;
  return result == CUDA_SUCCESS ? (*event)->context->error : result;
}

CUresult
cuEventCreate (CUevent * handle, unsigned flags)
{
  DriverContext *current;
  CUresult result = driver_enter (&current);
  Event *event;

  if (result != CUDA_SUCCESS)
    return driver_leave (result);
  event = calloc (1, sizeof *event);
  if (event == NULL)
    abort ();
  event->handle = driver_new_handle ();
  event->context = current;
  event->next = events;
  events = event;
  *handle = (CUevent) event->handle;
  return driver_leave (CUDA_SUCCESS);
}

CUresult
cuEventDestroy (CUevent handle)
{
  Event *event;
  CUresult result = enter_event (handle, &event);

  if (result == CUDA_SUCCESS)
    drop_event (event);
  return driver_leave (result);
}

/* It stands for all that the stream has to do now, and before that for nothing
 * at all. */
CUresult
cuEventRecord (CUevent handle, CUstream stream_handle)
{
  DriverContext *current;
  DriverStream *stream;
  Event *event = NULL;
  CUresult result = driver_enter (&current);

  if (result == CUDA_SUCCESS)
    result = driver_stream_of (stream_handle, current, &stream);
  if (result == CUDA_SUCCESS)
    event = find_event (handle);
  if (result == CUDA_SUCCESS
      && (event == NULL || event->context != stream->context))
    result = CUDA_ERROR_INVALID_HANDLE;
  if (result == CUDA_SUCCESS) {
    driver_wait_in_order (stream);
    event->stream = stream->handle;
    event->point = stream->queued;
    event->asked = false;
  }
  return driver_leave (result);
}

CUresult
cuStreamWaitEvent (CUstream stream_handle, CUevent handle, unsigned flags)
{
  DriverContext *current;
  DriverStream *stream;
  Event *event = NULL;
  CUresult result = driver_enter (&current);

  if (result == CUDA_SUCCESS)
    result = driver_stream_of (stream_handle, current, &stream);
  if (result == CUDA_SUCCESS)
    event = find_event (handle);
  if (result == CUDA_SUCCESS && event == NULL)
    result = CUDA_ERROR_INVALID_HANDLE;
  if (result == CUDA_SUCCESS) {
    driver_wait_in_order (stream);
    driver_wait_for (stream, event->stream, event->point);
    stream->asked = false;
  }
  return driver_leave (result);
}

/* A stream that is gone has done its work. */
static CUresult
finish (const Event * event)
{
  DriverStream *stream = driver_find_stream (event->stream);

  if (stream != NULL)
    driver_run (stream, event->point);
  return event->context->error;
}

CUresult
cuEventSynchronize (CUevent handle)
{
  Event *event;
  CUresult result = enter_event (handle, &event);

  if (result == CUDA_SUCCESS)
    result = finish (event);
  return driver_leave (result);
}

CUresult
cuEventQuery (CUevent handle)
{
  Event *event;
  CUresult result = enter_event (handle, &event);
  const DriverStream *stream;

  if (result != CUDA_SUCCESS)
    return driver_leave (result);
  stream = driver_find_stream (event->stream);
  if (stream != NULL && stream->done < event->point && !event->asked) {
    event->asked = true;
    return driver_leave (CUDA_ERROR_NOT_READY);
  }
  event->asked = false;
  return driver_leave (finish (event));
}

unsigned
driver_events (void)
{
  unsigned n = 0;

  driver_enter (NULL);
  for (const Event * event = events; event != NULL; event = event->next)
    n++;
  driver_leave (CUDA_SUCCESS);
  return n;
}
