/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* What the files of the simulated driver share.
 *
 * Handles are numbers that are never given twice, not addresses, so that one
 * that has been destroyed is known as such. */

#pragma once

/* What CUDA declares is what this library exports. */
#pragma GCC visibility push(default)
#include <cuda.h>
#pragma GCC visibility pop

#include <stdint.h>

#include "driver.h"

#define MAX_DEVICES 16

typedef struct _DriverContext DriverContext;
typedef struct _DriverStream DriverStream;
typedef struct _DriverOp DriverOp;

struct _DriverStream
{
  uintptr_t handle;
  DriverContext *context;
  bool is_legacy;               /* the context's default stream */
  bool is_blocking;             /* in order with the legacy stream */
  bool asked;                   /* a query has found the present work */
  uint64_t queued, done;        /* operations, ever */
  DriverOp *first, **end;
  DriverStream *next;
};

struct _DriverContext
{
  uintptr_t handle;
  CUdevice device;
  bool is_primary;
  unsigned retained;            /* of a primary one */
  CUresult error;               /* sticky */
  DriverStream *streams;        /* the legacy one is the last */
  DriverContext *next;
};

typedef enum
{
  DRIVER_DEVICE,
  DRIVER_HOST,                  /* by cuMemAllocHost */
  DRIVER_REGISTERED
} DriverMemory;

typedef struct _DriverRange DriverRange;
struct _DriverRange
{
  uint8_t *data;
  size_t size;
  DriverMemory memory;
  DriverContext *context;       /* that made it */
  DriverRange *next;
};

/* A copy; with no src, a fill. */
typedef struct
{
  uint8_t *dst;
  const uint8_t *src;
  size_t dst_pitch, src_pitch;
  size_t width, height;         /* of bytes, of rows */
  uint32_t value;
  unsigned unit;                /* bytes of the value */
  bool dst_known, src_known;    /* lies in a range, and must still do so */
} DriverBox;

/* Of every call of CUDA.  Takes the lock, and gives the current context where
 * the call needs one; whatever it returns, driver_leave has to follow, which
 * returns its argument. */
CUresult driver_enter (DriverContext ** current);
CUresult driver_leave (CUresult result);

/* The rest is with the lock held. */

extern int driver_device_count; /* 0 before cuInit */
CUresult driver_check_device (CUresult result, CUdevice device);
bool driver_can_access_peer (CUdevice device, CUdevice peer);

extern DriverContext *driver_all_contexts;
uintptr_t driver_new_handle (void);
DriverContext *driver_context_of (CUcontext handle);
bool driver_is_peer (const DriverContext * from, const DriverContext * to);

DriverRange *driver_range_of (const void *data);
bool driver_is_in_range (const void *data, size_t size);
void driver_forget_memory (DriverContext * context);

CUresult driver_box_do (const DriverBox * box);

void driver_streams_init (DriverContext * context);
void driver_streams_clear (DriverContext * context);
/* NULL is the legacy stream of the current context.  An error where there is
 * no such stream, or its context has one. */
CUresult driver_stream_of (CUstream handle, DriverContext * current,
    DriverStream ** stream);
void driver_queue_box (DriverStream * stream, const DriverBox * box);
DriverStream *driver_find_stream (uintptr_t handle);
void driver_wait_for (DriverStream * stream, uintptr_t other, uint64_t point);
/* Puts in what keeps blocking streams and the legacy one in order. */
void driver_wait_in_order (DriverStream * stream);
void driver_run (DriverStream * stream, uint64_t point);
/* Does all work of a context; all that a copy on the legacy stream waits
 * for. */
CUresult driver_run_context (DriverContext * context);
CUresult driver_run_legacy (DriverContext * context);
DriverStream *driver_legacy_of (DriverContext * context);

void driver_events_clear (DriverContext * context);
