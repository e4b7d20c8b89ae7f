/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#include "route.h"

#include <string.h>

GpuSpan
gpu_span (const uint8_t * data, ptrdiff_t stride, LumaExtent extent)
{
  ptrdiff_t last = (ptrdiff_t) (extent.rows - 1) * stride;
  GpuSpan span;

  span.start = (uint8_t *) data + (last < 0 ? last : 0);
  span.size = (size_t) (last < 0 ? -last : last) + extent.row_bytes;
  return span;
}

static uint8_t *
reach (GpuDevice * device, const GpuSpan * span, GpuRoute * route)
{
  uint8_t *at;

  switch (gpu_reach (device, span->start, span->size, &at)) {
    case GPU_OVER_LINK:
      route->over_link = true;
      return at;
    case GPU_ON_BOARD:
      return at;
    default:
      route->staged = true;
      return NULL;
  }
}

void
gpu_find_route (GpuDevice * device, const LumaPlan * plan,
    const LumaSource * src, const LumaTarget * dst, GpuRoute * route)
{
  memset (route, 0, sizeof *route);
  for (unsigned p = 0; p < LUMA_PLANES; p++) {
    LumaExtent extent = luma_plan_extent (plan, p);

    if (extent.rows == 0)
      continue;
    route->source[p] = gpu_span (src->data[p], src->stride[p], extent);
    route->source_at[p] = reach (device, &route->source[p], route);
  }
  route->target = gpu_span (dst->data, dst->stride,
      luma_plan_out_extent (plan));
  route->target_at = reach (device, &route->target, route);
}
