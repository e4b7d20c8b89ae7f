/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#include "faults.h"

static const GpuCalls *good;    /* as rig_gpu_main chose them */
static struct
{
  FaultsCall call;
  guint after;
  gboolean for_good;
  cudaError_t error;
  guint seen, hits;
} plan;

static gboolean
fails (FaultsCall call)
{
  gboolean hit = call == plan.call && plan.seen++ >= plan.after &&
      (plan.for_good || plan.hits == 0);

  plan.hits += hit;
  return hit;
}

#define FAULTY(name, kind, parameters, arguments) \
  static cudaError_t \
  name parameters \
  { \
    return fails (kind) ? plan.error : good->name arguments; \
  }

/* *INDENT-OFF* */
FAULTY (StreamCreate, FAULTS_STREAM_CREATE,
    (cudaStream_t * stream, unsigned flags), (stream, flags))
FAULTY (StreamQuery, FAULTS_STREAM_QUERY, (cudaStream_t stream), (stream))
FAULTY (EventCreate, FAULTS_EVENT_CREATE,
    (cudaEvent_t * event, unsigned flags), (event, flags))
FAULTY (EventRecord, FAULTS_EVENT_RECORD,
    (cudaEvent_t event, cudaStream_t stream), (event, stream))
FAULTY (StreamWaitEvent, FAULTS_STREAM_WAIT_EVENT,
    (cudaStream_t stream, cudaEvent_t event, unsigned flags),
    (stream, event, flags))
FAULTY (Launch, FAULTS_LAUNCH,
    (const GpuFrame * frame, cudaStream_t stream), (frame, stream))
FAULTY (Malloc, FAULTS_MALLOC, (void **data, size_t size), (data, size))
/* *INDENT-ON* */

static CUresult
PointerGetAttributes (unsigned count, CUpointer_attribute * attributes,
    void **data, CUdeviceptr pointer)
{
  return fails (FAULTS_POINTER_GET_ATTRIBUTES) ? CUDA_ERROR_INVALID_VALUE :
      good->PointerGetAttributes (count, attributes, data, pointer);
}

static void
setup (void)
{
  static GpuCalls faulty;

  good = gpu_calls;
  faulty = *good;
  faulty.StreamCreate = StreamCreate;
  faulty.StreamQuery = StreamQuery;
  faulty.EventCreate = EventCreate;
  faulty.EventRecord = EventRecord;
  faulty.StreamWaitEvent = StreamWaitEvent;
  faulty.Launch = Launch;
  faulty.Malloc = Malloc;
  faulty.PointerGetAttributes = PointerGetAttributes;
  gpu_calls = &faulty;
}

static void
teardown (void)
{
  faults_disarm ();
  gpu_calls = good;
}

void
faults_add (TCase * tests)
{
  tcase_add_checked_fixture (tests, setup, teardown);
}

void
faults_arm (FaultsCall call, guint after, gboolean for_good, cudaError_t error)
{
  plan.call = call;
  plan.after = after;
  plan.for_good = for_good;
  plan.error = error;
  plan.seen = plan.hits = 0;
}

guint
faults_disarm (void)
{
  plan.call = FAULTS_NONE;
  return plan.hits;
}
