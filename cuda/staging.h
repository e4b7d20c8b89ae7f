/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Copies through device memory, for frames that the GPU can't reach.  For the
 * files of cuda/ only. */

#pragma once

#include "calls.h"

/* A buffer in device memory that grows. */
typedef struct
{
  uint8_t *data;
  size_t size;
} GpuStaging;

/* Makes room for size bytes; what was in the buffer is lost.  Nothing may be
 * at work on it but what the stream does.  The context is current. */
cudaError_t gpu_staging_reserve (GpuStaging * staging, size_t size,
    cudaStream_t stream);

/* The context is current. */
void gpu_staging_free (GpuStaging * staging);
