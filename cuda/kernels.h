/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#pragma once

#include <cuda_runtime_api.h>

#include "arith.h"

/* One frame as a kernel takes it; the addresses are the device's. */
typedef struct
{
  LumaHalves halves;
  bool clamps;
  LumaLayout layout;
  size_t width, height;         /* pixels */
  /* Row 0 of each component; packed layouts use the first alone. */
  const uint8_t *src[LUMA_COMPONENTS];
  ptrdiff_t src_stride[LUMA_COMPONENTS];        /* bytes, signed */
  uint8_t *dst;
  ptrdiff_t dst_stride;
  unsigned max_blocks;          /* of the grid; at least 1 */
} GpuFrame;

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
