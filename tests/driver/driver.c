/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Contexts and peers.  driver-device.c has the devices, driver-memory.c the
 * memory, driver-copy.c the copies, driver-stream.c and driver-event.c the
 * work, driver-rest.c what is looked up but never works. */

/* For a recursive mutex. */
#define _GNU_SOURCE

#include "driver-core.h"

#include <pthread.h>
#include <stdlib.h>

#define MAX_DEPTH 1024

typedef struct _Peer Peer;
struct _Peer
{
  const DriverContext *from, *to;
  Peer *next;
};

DriverContext *driver_all_contexts;

/* Recursive: work that is done asks what it reaches. */
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static unsigned created[MAX_DEVICES];
static Peer *peers;

static _Thread_local CUcontext stack[MAX_DEPTH];
static _Thread_local unsigned depth;

CUresult
driver_enter (DriverContext ** current)
{
  if (current != NULL)
    *current = NULL;
  pthread_mutex_lock (&lock);
  if (driver_device_count <= 0)
    return CUDA_ERROR_NOT_INITIALIZED;
  if (current == NULL)
    return CUDA_SUCCESS;
  if (depth == 0)
    return CUDA_ERROR_INVALID_CONTEXT;
  *current = driver_context_of (stack[depth - 1]);
  return *current == NULL ? CUDA_ERROR_CONTEXT_IS_DESTROYED : (*current)->error;
}

CUresult
driver_leave (CUresult result)
{
  pthread_mutex_unlock (&lock);
  return result;
}

uintptr_t
driver_new_handle (void)
{
  static uintptr_t last = 0x10000;

  return last += 0x10;
}

DriverContext *
driver_context_of (CUcontext handle)
{
  DriverContext *context = driver_all_contexts;

  while (context != NULL && context->handle != (uintptr_t) handle)
    context = context->next;
  return context;
}

static DriverContext *
make_context (CUdevice device, bool is_primary)
{
  DriverContext *context = calloc (1, sizeof *context);

  if (context == NULL)
    abort ();
  context->handle = driver_new_handle ();
  context->device = device;
  context->is_primary = is_primary;
  driver_streams_init (context);
  context->next = driver_all_contexts;
  driver_all_contexts = context;
  created[device]++;
  return context;
}

static bool
forget_peers (const DriverContext * from, const DriverContext * to)
{
  Peer **place = &peers;
  bool found = false;

  while (*place != NULL) {
    Peer *peer = *place;

    if ((from == NULL || peer->from == from)
        && (to == NULL || peer->to == to)) {
      *place = peer->next;
      free (peer);
      found = true;
    } else {
      place = &peer->next;
    }
  }
  return found;
}

/* Its work is done first, as far as it goes. */
static void
destroy_context (DriverContext * context)
{
  DriverContext **place = &driver_all_contexts;

  driver_run_context (context);
  driver_events_clear (context);
  driver_streams_clear (context);
  driver_forget_memory (context);
  forget_peers (context, NULL);
  forget_peers (NULL, context);
  while (*place != context)
    place = &(*place)->next;
  *place = context->next;
  free (context);
}

static void
push (CUcontext handle)
{
  if (depth == MAX_DEPTH)
    abort ();
  stack[depth++] = handle;
}

CUresult
cuCtxCreate_v2 (CUcontext * context, unsigned flags, CUdevice device)
{
  CUresult result = driver_check_device (driver_enter (NULL), device);

  if (result == CUDA_SUCCESS) {
    *context = (CUcontext) make_context (device, false)->handle;
    push (*context);
  }
  return driver_leave (result);
}

CUresult
cuCtxDestroy (CUcontext handle)
{
  CUresult result = driver_enter (NULL);
  DriverContext *context = driver_context_of (handle);

  if (result == CUDA_SUCCESS && (context == NULL || context->is_primary))
    result = CUDA_ERROR_INVALID_CONTEXT;
  if (result == CUDA_SUCCESS) {
    destroy_context (context);
    /* Other threads keep theirs, and get errors for it. */
    if (depth > 0 && stack[depth - 1] == handle)
      depth--;
  }
  return driver_leave (result);
}

CUresult
cuCtxPushCurrent (CUcontext handle)
{
  CUresult result = driver_enter (NULL);

  if (result == CUDA_SUCCESS && driver_context_of (handle) == NULL)
    result = CUDA_ERROR_INVALID_CONTEXT;
  if (result == CUDA_SUCCESS)
    push (handle);
  return driver_leave (result);
}

CUresult
cuCtxPopCurrent (CUcontext * handle)
{
  CUresult result = driver_enter (NULL);

  if (result == CUDA_SUCCESS && depth == 0)
    result = CUDA_ERROR_INVALID_CONTEXT;
  if (result == CUDA_SUCCESS) {
    depth--;
    if (handle != NULL)
      *handle = stack[depth];
  }
  return driver_leave (result);
}

CUresult
cuCtxGetCurrent (CUcontext * handle)
{
  CUresult result = driver_enter (NULL);

  if (result == CUDA_SUCCESS)
    *handle = depth > 0 ? stack[depth - 1] : NULL;
  return driver_leave (result);
}

CUresult
cuCtxSetCurrent (CUcontext handle)
{
  CUresult result = driver_enter (NULL);

  if (result == CUDA_SUCCESS && handle != NULL
      && driver_context_of (handle) == NULL)
    result = CUDA_ERROR_INVALID_CONTEXT;
  if (result == CUDA_SUCCESS) {
    if (depth > 0)
      depth--;
    if (handle != NULL)
      push (handle);
  }
  return driver_leave (result);
}

CUresult
cuCtxGetDevice (CUdevice * device)
{
  DriverContext *context;
  CUresult result = driver_enter (&context);

  if (result == CUDA_SUCCESS)
    *device = context->device;
  return driver_leave (result);
}

CUresult
cuCtxSynchronize (void)
{
  DriverContext *context;
  CUresult result = driver_enter (&context);

  if (result == CUDA_SUCCESS)
    result = driver_run_context (context);
  return driver_leave (result);
}

static DriverContext *
primary_of (CUdevice device)
{
  DriverContext *context = driver_all_contexts;

  while (context != NULL && !(context->is_primary && context->device == device))
    context = context->next;
  return context;
}

CUresult
cuDevicePrimaryCtxRetain (CUcontext * handle, CUdevice device)
{
  CUresult result = driver_check_device (driver_enter (NULL), device);
  DriverContext *context = primary_of (device);

  if (result == CUDA_SUCCESS) {
    if (context == NULL)
      context = make_context (device, true);
    context->retained++;
    *handle = (CUcontext) context->handle;
  }
  return driver_leave (result);
}

CUresult
cuDevicePrimaryCtxRelease (CUdevice device)
{
  CUresult result = driver_check_device (driver_enter (NULL), device);
  DriverContext *context = primary_of (device);

  if (result == CUDA_SUCCESS && context == NULL)
    result = CUDA_ERROR_INVALID_CONTEXT;
  if (result == CUDA_SUCCESS && --context->retained == 0)
    destroy_context (context);
  return driver_leave (result);
}

bool
driver_is_peer (const DriverContext * from, const DriverContext * to)
{
  const Peer *peer = peers;

  while (peer != NULL && !(peer->from == from && peer->to == to))
    peer = peer->next;
  return peer != NULL;
}

CUresult
cuCtxEnablePeerAccess (CUcontext handle, unsigned flags)
{
  DriverContext *context;
  CUresult result = driver_enter (&context);
  const DriverContext *to = driver_context_of (handle);
  Peer *peer;

  if (result != CUDA_SUCCESS)
    return driver_leave (result);
  if (to == NULL || to == context)
    return driver_leave (CUDA_ERROR_INVALID_CONTEXT);
  if (!driver_can_access_peer (context->device, to->device))
    return driver_leave (CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
  if (driver_is_peer (context, to))
    return driver_leave (CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
  peer = malloc (sizeof *peer);
  if (peer == NULL)
    abort ();
  peer->from = context;
  peer->to = to;
  peer->next = peers;
  peers = peer;
  return driver_leave (CUDA_SUCCESS);
}

CUresult
cuCtxDisablePeerAccess (CUcontext handle)
{
  DriverContext *context;
  CUresult result = driver_enter (&context);
  const DriverContext *to = driver_context_of (handle);

  if (result == CUDA_SUCCESS && to == NULL)
    result = CUDA_ERROR_INVALID_CONTEXT;
  if (result == CUDA_SUCCESS && !forget_peers (context, to))
    result = CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
  return driver_leave (result);
}

unsigned
driver_contexts (void)
{
  unsigned n = 0;

  pthread_mutex_lock (&lock);
  for (DriverContext * context = driver_all_contexts; context != NULL;
      context = context->next)
    n++;
  pthread_mutex_unlock (&lock);
  return n;
}

unsigned
driver_contexts_created (CUdevice device)
{
  unsigned n;

  pthread_mutex_lock (&lock);
  n = device >= 0 && device < MAX_DEVICES ? created[device] : 0;
  pthread_mutex_unlock (&lock);
  return n;
}

unsigned
driver_depth (void)
{
  return depth;
}
