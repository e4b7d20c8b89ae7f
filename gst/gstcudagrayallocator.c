/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#include "config.h"

#include "gstcudagrayallocator.h"

#include <string.h>

#include "gpu.h"

GST_DEBUG_CATEGORY_EXTERN (gst_cuda_gray_debug);
#define GST_CAT_DEFAULT gst_cuda_gray_debug

struct _GstCudaGrayAllocator
{
  GstAllocator parent;
  gboolean pin;
  gint warned;                  /* atomic */
};

typedef struct
{
  GstMemory parent;
  GpuBlock *block;              /* NULL in a sub-memory */
  guint8 *data;
} CudaGrayMemory;

G_DEFINE_TYPE (GstCudaGrayAllocator, gst_cuda_gray_allocator,
    GST_TYPE_ALLOCATOR);

static void
warn_not_pinned (GstCudaGrayAllocator * self, gsize size)
{
  GpuBlockUse use;

  if (!g_atomic_int_compare_and_exchange (&self->warned, FALSE, TRUE))
    return;
  gpu_blocks_use (&use);
  if (use.budget == 0)          /* as the user wished */
    return;
  GST_WARNING_OBJECT (self, "%" G_GSIZE_FORMAT " bytes of system memory could "
      "not be pinned (%" G_GSIZE_FORMAT " of at most %" G_GSIZE_FORMAT
      " are): frames in plain memory are converted by the CPU, or copied with "
      "backend=cuda", size, use.pinned, use.budget);
}

static GstMemory *
gst_cuda_gray_allocator_alloc (GstAllocator * allocator, gsize size,
    GstAllocationParams * params)
{
  GstCudaGrayAllocator *self = GST_CUDA_GRAY_ALLOCATOR (allocator);
  gsize align = params->align | gst_memory_alignment;
  gsize used, maxsize, shift;
  CudaGrayMemory *memory;
  GpuBlock *block;

  /* Blocks start on a page; only a larger alignment needs room for itself. */
  if (!g_size_checked_add (&used, params->prefix, size) ||
      !g_size_checked_add (&used, used, params->padding) ||
      !g_size_checked_add (&maxsize, used, align))
    return NULL;
  block = gpu_block_get (align < 4096 ? MAX (used, 1) : maxsize, self->pin);
  if (block == NULL)
    return NULL;
  if (self->pin && !block->pinned)
    warn_not_pinned (self, used);

  shift = -(guintptr) block->data & align;
  memory = g_new (CudaGrayMemory, 1);
  memory->block = block;
  memory->data = (guint8 *) block->data + shift;
  gst_memory_init (GST_MEMORY_CAST (memory), params->flags, allocator, NULL,
      used, align, params->prefix, size);
  if (params->flags & GST_MEMORY_FLAG_ZERO_PREFIXED)
    memset (memory->data, 0, params->prefix);
  if (params->flags & GST_MEMORY_FLAG_ZERO_PADDED)
    memset (memory->data + params->prefix + size, 0, params->padding);
  return GST_MEMORY_CAST (memory);
}

static void
gst_cuda_gray_allocator_free (GstAllocator * allocator, GstMemory * mem)
{
  CudaGrayMemory *memory = (CudaGrayMemory *) mem;

  if (memory->block != NULL)
    gpu_block_put (memory->block);
  g_free (memory);
}

static gpointer
cuda_gray_memory_map (GstMemory * mem, gsize maxsize, GstMapFlags flags)
{
  return ((CudaGrayMemory *) mem)->data;
}

static void
cuda_gray_memory_unmap (GstMemory * mem)
{
}

/* Pinned memory is for pools: a copy that someone keeps is plain memory.
 * GStreamer's own copy would ask this allocator. */
static GstMemory *
cuda_gray_memory_copy (GstMemory * mem, gssize offset, gssize size)
{
  gsize bytes = size >= 0 ? (gsize) size : mem->size - MIN (mem->size,
      (gsize) offset);
  GstMemory *copy = gst_allocator_alloc (NULL, bytes, NULL);
  GstMapInfo map;

  if (copy == NULL)
    return NULL;
  if (!gst_memory_map (copy, &map, GST_MAP_WRITE)) {
    gst_memory_unref (copy);
    return NULL;
  }
  memcpy (map.data, ((CudaGrayMemory *) mem)->data + mem->offset + offset,
      bytes);
  gst_memory_unmap (copy, &map);
  return copy;
}

static GstMemory *
cuda_gray_memory_share (GstMemory * mem, gssize offset, gssize size)
{
  GstMemory *parent = mem->parent ? mem->parent : mem;
  CudaGrayMemory *sub = g_new (CudaGrayMemory, 1);

  sub->block = NULL;
  sub->data = ((CudaGrayMemory *) mem)->data;
  gst_memory_init (GST_MEMORY_CAST (sub), GST_MINI_OBJECT_FLAGS (parent) |
      GST_MINI_OBJECT_FLAG_LOCK_READONLY, mem->allocator, parent, mem->maxsize,
      mem->align, mem->offset + offset, size < 0 ?
      mem->size - offset : (gsize) size);
  return GST_MEMORY_CAST (sub);
}

static void
gst_cuda_gray_allocator_class_init (GstCudaGrayAllocatorClass * klass)
{
  GstAllocatorClass *allocator_class = GST_ALLOCATOR_CLASS (klass);

  allocator_class->alloc = gst_cuda_gray_allocator_alloc;
  allocator_class->free = gst_cuda_gray_allocator_free;
}

static void
gst_cuda_gray_allocator_init (GstCudaGrayAllocator * self)
{
  GstAllocator *allocator = GST_ALLOCATOR_CAST (self);

  allocator->mem_type = GST_CUDA_GRAY_MEMORY_TYPE;
  allocator->mem_map = cuda_gray_memory_map;
  allocator->mem_unmap = cuda_gray_memory_unmap;
  allocator->mem_copy = cuda_gray_memory_copy;
  allocator->mem_share = cuda_gray_memory_share;
}

GstAllocator *
gst_cuda_gray_allocator_new (gboolean pin)
{
  GstCudaGrayAllocator *self = g_object_new (GST_TYPE_CUDA_GRAY_ALLOCATOR,
      NULL);

  self->pin = pin;
  return GST_ALLOCATOR_CAST (gst_object_ref_sink (self));
}
