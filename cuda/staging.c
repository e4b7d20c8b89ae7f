/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#include "staging.h"

#include <string.h>

cudaError_t
gpu_staging_reserve (GpuStaging * staging, size_t size, cudaStream_t stream)
{
  cudaError_t error;

  if (size <= staging->size)
    return cudaSuccess;
  gpu_staging_free (staging);
  error = gpu_calls->Malloc ((void **) &staging->data, size);
  if (error != cudaSuccess) {
    staging->data = NULL;
    return error;
  }
  staging->size = size;
  /* The kernels read whole words, of which a frame may fill a part. */
  return gpu_calls->MemsetAsync (staging->data, 0, size, stream);
}

void
gpu_staging_free (GpuStaging * staging)
{
  if (staging->data != NULL && gpu_calls->Free (staging->data) != cudaSuccess)
    gpu_calls->GetLastError ();
  memset (staging, 0, sizeof *staging);
}
