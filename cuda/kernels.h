/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#pragma once

#include <cuda_runtime_api.h>
#include <string.h>

#include "arith.h"

/* One frame as a kernel takes it; the addresses are the device's. */
typedef struct
{
  LumaHalves halves;
  bool clamps;
  LumaLayout layout;
  LumaComponent component[LUMA_COMPONENTS];
  unsigned out_bytes;
  /* For LUMA_LAYOUT_ANY. */
  bool wide, out_big_endian;
  LumaExact exact;
  LumaWide when_wide;
  size_t width, height;         /* pixels */
  /* Row 0 of each component; those in one plane use the first alone. */
  const uint8_t *src[LUMA_COMPONENTS];
  ptrdiff_t src_stride[LUMA_COMPONENTS];        /* bytes, signed */
  uint8_t *dst;
  ptrdiff_t dst_stride;
  unsigned max_blocks;          /* of the grid; at least 1 */
} GpuFrame;

/* What a plan says, for a frame of it; addresses and grid are left to set. */
static inline GpuFrame
gpu_frame (const LumaPlan * plan)
{
  GpuFrame frame;

  memset (&frame, 0, sizeof frame);
  frame.halves = luma_halves (&plan->fixed);
  frame.clamps = plan->fixed.clamps;
  frame.layout = plan->layout;
  memcpy (frame.component, plan->component, sizeof frame.component);
  frame.wide = plan->wide;
  frame.exact = luma_exact (plan);
  frame.when_wide = luma_wide (plan);
  frame.out_bytes = plan->out_bytes;
  frame.out_big_endian = plan->out_big_endian;
  frame.width = plan->width;
  frame.height = plan->height;
  return frame;
}

#ifdef __cplusplus
extern "C"
{
#endif

/* Launches the conversion of a frame on a stream of the current context.
 * Rows may start at any byte address, in device memory or in host memory that
 * the device reaches.  Reads no byte outside the aligned words that hold the
 * rows; writes only the rows. */
  cudaError_t gpu_launch (const GpuFrame * frame, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
