/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Allocation queries: our memory for upstream's frames and for our own. */

#pragma once

#include <gst/video/video.h>

G_BEGIN_DECLS

/* Offers upstream our allocator and a pool of it with at least min buffers, and
 * GstVideoMeta.  Both, since base classes give a pool the allocator of the
 * query's parameter 0. */
gboolean cuda_gray_allocation_propose (GstQuery * query,
    GstAllocator * allocator, guint min);

/* Settles the pool of our output before the base class configures it.
 * Downstream's own kind of memory or pool is used as it is; where it has no
 * wish of its own, the memory is ours. */
gboolean cuda_gray_allocation_decide (GstQuery * query,
    GstAllocator * allocator);

G_END_DECLS
