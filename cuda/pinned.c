/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Pinned memory: a mapping of our own, registered.  In place it is as fast as
 * cudaHostAlloc's memory, faster to get and to release, and it stays readable
 * when a CUDA context dies (docs/design.md has the figures).
 *
 * Getting and releasing cost milliseconds, so that freed blocks are kept by
 * size, up to a quarter of the machine's memory.  What is pinned of those kept
 * and those handed out stays within one budget. */

#define _GNU_SOURCE             /* secure_getenv */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gpu.h"

#define HUGE_PAGE ((size_t) 2 << 20)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static GpuBlock *free_blocks;   /* the latest first */
static GpuBlockUse use;         /* the budget is read once */
static bool budget_known;
static unsigned keepers;

static size_t
round_up (size_t size, size_t unit)
{
  return (size + unit - 1) / unit * unit;
}

static size_t
quarter_of_machine (void)
{
  return (size_t) sysconf (_SC_PHYS_PAGES) / 4 * sysconf (_SC_PAGESIZE);
}

/* With the lock held. */
static size_t
budget (void)
{
  const char *mib = secure_getenv ("CUDAGRAY_PINNED_MIB");

  if (!budget_known) {
    use.budget = quarter_of_machine ();
    if (mib != NULL && *mib != '\0')
      use.budget = (size_t) strtoull (mib, NULL, 10) << 20;
    budget_known = true;
  }
  return use.budget;
}

/* Large blocks start on a huge page, so that the kernel can use some. */
static void *
map_memory (size_t size)
{
  size_t spare = size >= HUGE_PAGE ? HUGE_PAGE : 0, head;
  char *data = mmap (NULL, size + spare, PROT_READ | PROT_WRITE,
      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  if (data == MAP_FAILED)
    return NULL;
  if (spare != 0) {
    head = round_up ((uintptr_t) data, HUGE_PAGE) - (uintptr_t) data;
    if (head != 0)
      munmap (data, head);
    if (spare != head)
      munmap (data + head + size, spare - head);
    data += head;
    madvise (data, size, MADV_HUGEPAGE);
  }
  return data;
}

static void
destroy (GpuBlock * block)
{
  /* What is still registered must not become another mapping's address: the
   * GPU would go on reaching the old pages.  It is lost. */
  if (!block->pinned || gpu_unregister (block->data))
    munmap (block->data, block->size);
  free (block);
}

static void
destroy_list (GpuBlock * block)
{
  while (block != NULL) {
    GpuBlock *next = block->next;
    destroy (block);
    block = next;
  }
}

/* With the lock held: takes blocks off the list until at most keep bytes are
 * left, the oldest first.  The caller destroys them without the lock. */
static GpuBlock *
take_oldest (size_t keep)
{
  GpuBlock **link = &free_blocks, *rest;
  size_t kept = 0;

  while (*link != NULL && kept + (*link)->size <= keep) {
    kept += (*link)->size;
    link = &(*link)->next;
  }
  rest = *link;
  *link = NULL;
  for (GpuBlock * b = rest; b != NULL; b = b->next) {
    use.free -= b->size;
    if (b->pinned)
      use.pinned -= b->size;
  }
  return rest;
}

/* With the lock held. */
static GpuBlock *
take_fitting (size_t size, bool pin)
{
  for (GpuBlock ** link = &free_blocks; *link != NULL; link = &(*link)->next) {
    GpuBlock *block = *link;

    if (block->size == size && block->pinned == pin) {
      *link = block->next;
      use.free -= size;
      use.used += size;
      return block;
    }
  }
  return NULL;
}

static GpuBlock *
create (size_t size)
{
  GpuBlock *block = calloc (1, sizeof *block);

  if (block == NULL)
    return NULL;
  block->size = size;
  block->data = map_memory (size);
  if (block->data == NULL) {
    free (block);
    return NULL;
  }
  return block;
}

/* With the lock held: counts size bytes as pinned if the budget has room for
 * them, if need be after taking all free blocks off the list. */
static bool
reserve (size_t size, GpuBlock ** evicted)
{
  size_t idle = 0;

  for (GpuBlock * b = free_blocks; b != NULL; b = b->next)
    idle += b->pinned ? b->size : 0;
  if (size > budget () || use.pinned - idle > use.budget - size)
    return false;
  if (use.pinned > use.budget - size)
    *evicted = take_oldest (0);
  use.pinned += size;
  return true;
}

static void
unreserve (size_t pinned, size_t used)
{
  pthread_mutex_lock (&lock);
  use.pinned -= pinned;
  use.used -= used;
  pthread_mutex_unlock (&lock);
}

GpuBlock *
gpu_block_get (size_t size, bool pin)
{
  GpuBlock *block, *evicted = NULL;

  if (size == 0 || size > PTRDIFF_MAX - 2 * HUGE_PAGE)
    return NULL;
  size = round_up (size, size >= HUGE_PAGE ? HUGE_PAGE :
      (size_t) sysconf (_SC_PAGESIZE));

  pthread_mutex_lock (&lock);
  block = take_fitting (size, pin);
  if (block == NULL && pin)
    block = take_fitting (size, false);
  if (block == NULL)
    use.used += size;
  else if (block->pinned || block->refused)
    pin = false;
  pin = pin && reserve (size, &evicted);
  pthread_mutex_unlock (&lock);

  destroy_list (evicted);
  if (block == NULL) {
    block = create (size);
    if (block == NULL) {
      unreserve (pin ? size : 0, size);
      return NULL;
    }
  }
  if (pin) {
    block->pinned = gpu_register (block->data, size);
    block->refused = !block->pinned;
    if (block->refused)
      unreserve (size, 0);
  }
  return block;
}

void
gpu_block_put (GpuBlock * block)
{
  GpuBlock *evicted;

  pthread_mutex_lock (&lock);
  block->next = free_blocks;
  free_blocks = block;
  use.used -= block->size;
  use.free += block->size;
  evicted = take_oldest (keepers > 0 ? quarter_of_machine () : 0);
  pthread_mutex_unlock (&lock);
  destroy_list (evicted);
}

void
gpu_blocks_keep (void)
{
  pthread_mutex_lock (&lock);
  keepers++;
  pthread_mutex_unlock (&lock);
}

void
gpu_blocks_release (void)
{
  GpuBlock *evicted = NULL;

  pthread_mutex_lock (&lock);
  if (--keepers == 0)
    evicted = take_oldest (0);
  pthread_mutex_unlock (&lock);
  destroy_list (evicted);
}

void
gpu_blocks_use (GpuBlockUse * result)
{
  pthread_mutex_lock (&lock);
  budget ();
  *result = use;
  pthread_mutex_unlock (&lock);
}
