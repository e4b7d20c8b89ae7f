/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#include "scarce.h"

#include <gst/gst.h>

typedef GstAllocator ScarceAllocator;
typedef GstAllocatorClass ScarceAllocatorClass;

GType scarce_allocator_get_type (void);
G_DEFINE_TYPE (ScarceAllocator, scarce_allocator, GST_TYPE_ALLOCATOR);

static GstAllocator *plenty;

static GstMemory *
scarce_alloc (GstAllocator * allocator, gsize size,
    GstAllocationParams * params)
{
  return NULL;
}

static void
scarce_allocator_class_init (ScarceAllocatorClass * klass)
{
  klass->alloc = scarce_alloc;
}

static void
scarce_allocator_init (ScarceAllocator * self)
{
}

void
scarce_begin (void)
{
  plenty = gst_allocator_find (NULL);
  gst_allocator_set_default (gst_object_ref_sink (g_object_new
          (scarce_allocator_get_type (), NULL)));
}

void
scarce_end (void)
{
  gst_allocator_set_default (plenty);
}
