/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Where the bytes of a frame are, for the host and for the device.  For the
 * files of cuda/ only. */

#pragma once

#include "device.h"
#include "plan.h"

/* The bytes of a plane: where they begin and how many they are. */
typedef struct
{
  uint8_t *start;
  size_t size;
} GpuSpan;

typedef struct
{
  GpuSpan source[LUMA_PLANES], target;
  /* Their addresses on the device; NULL for what is out of reach, and for
   * planes that the plan does not read. */
  uint8_t *source_at[LUMA_PLANES], *target_at;
  bool staged;                  /* something is out of reach */
  bool over_link;               /* something is in host memory */
} GpuRoute;

/* Rows from data on, stride bytes from one to the next. */
GpuSpan gpu_span (const uint8_t * data, ptrdiff_t stride, LumaExtent extent);

/* With the device's context current. */
void gpu_find_route (GpuDevice * device, const LumaPlan * plan,
    const LumaSource * src, const LumaTarget * dst, GpuRoute * route);
