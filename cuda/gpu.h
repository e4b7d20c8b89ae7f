/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* The GPU behind luma/backend.h, and memory that it can read in place.
 *
 * Nothing here changes what the application sees of CUDA: work runs on
 * streams of our own in the device's primary context, which is made current
 * by push and pop around each call.  All functions are safe from any thread.
 * CUDA does not survive a fork: the child of a process that has opened a device
 * is refused it.  A build without CUDA has the same functions, which find no
 * GPU. */

#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "backend.h"

typedef enum
{
  GPU_READY,
  /* No driver, no device, or built without CUDA. */
  GPU_ABSENT,
  GPU_REFUSED,                  /* there is a GPU that can't be used */
  GPU_NO_SUCH_DEVICE            /* others are there */
} GpuState;

typedef struct
{
  GpuState state;
  int device;                   /* the one in use, or the one asked for */
  int driver, runtime;          /* CUDA versions, 1000 x major + 10 x minor */
  /* READY: the device's name.  Otherwise one sentence for the user: what was
   * found, with the CUDA error's name; NO_SUCH_DEVICE lists the devices. */
  char text[512];
} GpuStatus;

/* Opens a backend on a device, -1 for the first.  The first call for a device
 * creates its primary context and loads every kernel (some 100 ms each); the
 * context is kept for the life of the process.  NULL with *status saying why;
 * *status is always filled. */
LumaBackend *gpu_open (int device, GpuStatus * status);

/* The same in another context of that device, a CUcontext, which must outlive
 * the backend; the kernels are loaded into it.  For memory that belongs to it.
 * What is registered or pinned is reachable from there too. */
LumaBackend *gpu_open_in (void *context, int device, GpuStatus * status);

/* Makes memory reachable for every GPU of the process.  False where no device
 * is open or CUDA refuses.  Takes milliseconds. */
bool gpu_register (void *data, size_t size);

/* Undoes that.  False where the memory may still be registered: then it must
 * never be unmapped. */
bool gpu_unregister (void *data);

/* A block of page-aligned memory, a mapping of its own. */
typedef struct _GpuBlock GpuBlock;
struct _GpuBlock
{
  void *data;
  size_t size;                  /* bytes, at least what was asked for */
  bool pinned;                  /* the GPU can reach it */
  bool refused;                 /* CUDA did not pin it and is not asked again */
  GpuBlock *next;               /* for the list of free blocks */
};

/* Gets a block of at least size bytes, from the free blocks where one fits.
 * With pin, it is registered with the GPU if that is possible and within the
 * budget; look at pinned.  The first use of a size takes milliseconds.  NULL
 * where the system has no memory. */
GpuBlock *gpu_block_get (size_t size, bool pin);

/* Gives a block back.  It is kept for the next gpu_block_get of its size, or
 * returned to the system where nobody keeps blocks. */
void gpu_block_put (GpuBlock * block);

/* Keeps free blocks until as many calls of gpu_blocks_release.  The last one
 * returns them to the system, which takes milliseconds a block: not for the
 * streaming thread. */
void gpu_blocks_keep (void);
void gpu_blocks_release (void);

typedef struct
{
  size_t used, free;            /* bytes in blocks handed out, and kept */
  size_t pinned;                /* of both, bytes that are registered */
  size_t budget;                /* the most that pinned may become */
} GpuBlockUse;

/* The budget is a quarter of the machine's memory, or CUDAGRAY_PINNED_MIB
 * from the environment, in MiB; 0 turns pinned memory off. */
void gpu_blocks_use (GpuBlockUse * use);
