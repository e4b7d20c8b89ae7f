/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Streams and events.
 *
 * A point of a stream is how many pieces of work were queued on it before.  An
 * event is a point, and so lies in the past of whoever waits for it: no two
 * streams wait for each other. */

#include "simulated-core.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_STREAMS 128
#define MAX_EVENTS 128
#define MAX_WORK 32
#define NEVER INT64_MAX

struct _SimStream
{
  bool open, is_ours;
  int context;
  int64_t idle_at;
  /* Ever, in all streams that have had this place. */
  uint64_t queued, done;
  SimWork work[MAX_WORK];       /* of these, number n at n % MAX_WORK */
};

typedef struct
{
  bool open;
  int context;
  SimStream *stream;            /* NULL: never recorded */
  uint64_t point;
} Event;

static SimStream streams[MAX_STREAMS];
static Event events[MAX_EVENTS];

static int64_t
now_us (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return (int64_t) t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

void
sim_drop_work (void)
{
  for (int s = 0; s < MAX_STREAMS; s++)
    streams[s].done = streams[s].queued;
}

void
sim_forbid_endless (const char *call, int device)
{
  for (int s = 0; s < MAX_STREAMS; s++) {
    const SimStream *stream = &streams[s];

    if (stream->done < stream->queued && stream->idle_at == NEVER &&
        (device == SIM_HOST || SIM_DEVICE (stream->context) == device))
      sim_misused (call, "waits for work that never ends");
  }
}

static void
run (SimStream * stream, uint64_t point)
{
  while (stream->done < point) {
    const SimWork *work = &stream->work[stream->done % MAX_WORK];

    if (work->kind == SIM_WAIT)
      run (work->other, work->point);
    else
      sim_do (work, SIM_DEVICE (stream->context));
    stream->done++;
  }
}

static void
push (SimStream * stream, const SimWork * work)
{
  int64_t until = work->kind == SIM_WAIT ? work->other->idle_at :
      simulated.busy_us < 0 ? NEVER : now_us () + simulated.busy_us;

  if (stream->queued - stream->done == MAX_WORK)
    abort ();
  if (stream->done == stream->queued || until > stream->idle_at)
    stream->idle_at = until;
  stream->work[stream->queued++ % MAX_WORK] = *work;
}

static SimStream *
stream_of (const char *call, cudaStream_t handle)
{
  SimStream *stream = (SimStream *) handle;

  if (stream == NULL || !stream->open
      || stream->context != sim_context_now ()) {
    sim_misused (call, "not a stream of the current context");
    return NULL;
  }
  return stream;
}

cudaError_t
sim_queue (SimulatedEntry entry, const SimWork * work, cudaStream_t handle)
{
  SimStream *stream = stream_of (simulated_name (entry), handle);

  if (stream == NULL)
    return cudaErrorInvalidResourceHandle;
  push (stream, work);
  return cudaSuccess;
}

bool
sim_is_idle (cudaStream_t handle)
{
  const SimStream *stream = (SimStream *) handle;

  return stream->done == stream->queued;
}

static SimStream *
open_stream (int context)
{
  for (int s = 0; s < MAX_STREAMS; s++) {
    if (!streams[s].open) {
      streams[s].open = true;
      streams[s].is_ours = false;
      streams[s].context = context;
      return &streams[s];
    }
  }
  abort ();
}

/* The default stream's work must not be waited for, but in a context that is
 * not ours alone. */
static cudaError_t
stream_create (cudaStream_t * handle, unsigned flags)
{
  cudaError_t error = sim_begin (SIM_StreamCreate);
  int context = sim_context_now ();

  if (error != cudaSuccess)
    return sim_end (error);
  if (flags != (SIM_IS_PRIMARY (context) ? cudaStreamNonBlocking :
          cudaStreamDefault))
    sim_misused ("StreamCreate", "the default stream");
  *handle = (cudaStream_t) open_stream (context);
  return sim_end (cudaSuccess);
}

/* Its work goes on. */
static cudaError_t
stream_destroy (cudaStream_t handle)
{
  cudaError_t error = sim_begin (SIM_StreamDestroy);
  SimStream *stream;

  if (error != cudaSuccess)
    return sim_end (error);
  stream = stream_of ("StreamDestroy", handle);
  sim_forbid_endless ("StreamDestroy", SIM_DEVICE (sim_context_now ()));
  if (stream == NULL)
    return sim_end (cudaErrorInvalidResourceHandle);
  if (stream->is_ours)
    sim_misused ("StreamDestroy", "the application's");
  run (stream, stream->queued);
  stream->open = false;
  return sim_end (cudaSuccess);
}

/* A stream that gives an error has lost its work. */
static cudaError_t
stream_query (cudaStream_t handle)
{
  cudaError_t error = sim_begin (SIM_StreamQuery);
  SimStream *stream = stream_of ("StreamQuery", handle);

  if (error != cudaSuccess)
    sim_drop_work ();
  else if (stream == NULL)
    error = cudaErrorInvalidResourceHandle;
  else if (stream->done < stream->queued && now_us () < stream->idle_at)
    error = cudaErrorNotReady;
  else
    run (stream, stream->queued);
  return sim_end (error);
}

static Event *
event_of (const char *call, cudaEvent_t handle)
{
  Event *event = (Event *) handle;

  if (event == NULL || !event->open) {
    sim_misused (call, "not an event");
    return NULL;
  }
  return event;
}

static cudaError_t
event_create (cudaEvent_t * handle, unsigned flags)
{
  cudaError_t error = sim_begin (SIM_EventCreate);

  /* Measuring the time costs some. */
  if (error == cudaSuccess && flags != cudaEventDisableTiming)
    sim_misused ("EventCreate", "with timing");
  for (int e = 0; e < MAX_EVENTS && error == cudaSuccess; e++) {
    if (!events[e].open) {
      memset (&events[e], 0, sizeof events[e]);
      events[e].open = true;
      events[e].context = sim_context_now ();
      *handle = (cudaEvent_t) & events[e];
      return sim_end (cudaSuccess);
    }
  }
  return sim_end (error == cudaSuccess ? cudaErrorMemoryAllocation : error);
}

static cudaError_t
event_destroy (cudaEvent_t handle)
{
  cudaError_t error = sim_begin (SIM_EventDestroy);
  Event *event;

  if (error != cudaSuccess)
    return sim_end (error);
  event = event_of ("EventDestroy", handle);
  if (event == NULL)
    return sim_end (cudaErrorInvalidResourceHandle);
  event->open = false;
  return sim_end (cudaSuccess);
}

static cudaError_t
event_record (cudaEvent_t handle, cudaStream_t stream_handle)
{
  cudaError_t error = sim_begin (SIM_EventRecord);
  SimStream *stream;
  Event *event;

  if (error != cudaSuccess)
    return sim_end (error);
  stream = stream_of ("EventRecord", stream_handle);
  event = event_of ("EventRecord", handle);
  if (stream != NULL && event != NULL && event->context != stream->context)
    sim_misused ("EventRecord", "an event of another context");
  if (stream == NULL || event == NULL || event->context != stream->context)
    return sim_end (cudaErrorInvalidResourceHandle);
  event->stream = stream;
  event->point = stream->queued;
  return sim_end (cudaSuccess);
}

static cudaError_t
stream_wait_event (cudaStream_t stream_handle, cudaEvent_t handle,
    unsigned flags)
{
  cudaError_t error = sim_begin (SIM_StreamWaitEvent);
  SimWork work = {.kind = SIM_WAIT };
  SimStream *stream;
  Event *event;

  if (error != cudaSuccess)
    return sim_end (error);
  stream = stream_of ("StreamWaitEvent", stream_handle);
  event = event_of ("StreamWaitEvent", handle);
  if (stream == NULL || event == NULL)
    return sim_end (cudaErrorInvalidResourceHandle);
  if (event->stream == NULL || event->stream == stream)
    sim_misused ("StreamWaitEvent", event->stream == NULL ?
        "for an event that was never recorded" : "for itself");
  else if (event->stream->done < event->point) {
    work.other = event->stream;
    work.point = event->point;
    push (stream, &work);
  }
  return sim_end (cudaSuccess);
}

unsigned
simulated_streams (void)
{
  unsigned n = 0;

  for (int s = 0; s < MAX_STREAMS; s++)
    n += streams[s].open && !streams[s].is_ours;
  return n;
}

unsigned
simulated_events (void)
{
  unsigned n = 0;

  for (int e = 0; e < MAX_EVENTS; e++)
    n += events[e].open;
  return n;
}

unsigned
simulated_pending (void)
{
  unsigned n = 0;

  for (int s = 0; s < MAX_STREAMS; s++) {
    for (uint64_t i = streams[s].done; i < streams[s].queued; i++) {
      const SimWork *work = &streams[s].work[i % MAX_WORK];

      n += work->kind != SIM_WAIT && !work->is_ours;
    }
  }
  return n;
}

cudaStream_t
simulated_stream_new (int device, bool in_primary)
{
  SimStream *stream;

  sim_lock ();
  stream = open_stream (SIM_CONTEXT (device, in_primary));
  stream->is_ours = true;
  sim_unlock ();
  return (cudaStream_t) stream;
}

void
simulated_stream_free (cudaStream_t handle)
{
  simulated_finish (handle);
  sim_lock ();
  ((SimStream *) handle)->open = false;
  sim_unlock ();
}

void
simulated_put (cudaStream_t handle, void *dst, const void *src, size_t size)
{
  SimWork work = {.kind = SIM_COPY,.is_ours = true,.dst = dst,.src = src,
    .width = size,.height = 1
  };

  sim_lock ();
  push ((SimStream *) handle, &work);
  sim_unlock ();
}

void
simulated_finish (cudaStream_t handle)
{
  SimStream *stream = (SimStream *) handle;

  sim_lock ();
  if (stream->done < stream->queued && stream->idle_at == NEVER)
    abort ();
  while (stream->done < stream->queued && now_us () < stream->idle_at)
    continue;
  run (stream, stream->queued);
  sim_unlock ();
}

void
sim_install_streams (GpuCalls * table)
{
  table->StreamCreate = stream_create;
  table->StreamDestroy = stream_destroy;
  table->StreamQuery = stream_query;
  table->StreamWaitEvent = stream_wait_event;
  table->EventCreate = event_create;
  table->EventDestroy = event_destroy;
  table->EventRecord = event_record;
}
