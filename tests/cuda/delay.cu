/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#include <cuda_runtime.h>

__global__ void
wait_until_passed (unsigned long long ns)
{
  unsigned long long begin, now;

  asm volatile ("mov.u64 %0, %%globaltimer;" : "=l" (begin));
  do {
    asm volatile ("mov.u64 %0, %%globaltimer;" : "=l" (now));
  } while (now - begin < ns);
}

extern "C" cudaError_t
gpu_test_delay (unsigned microseconds, cudaStream_t stream)
{
  wait_until_passed <<<1, 1, 0, stream>>> (microseconds * 1000ull);
  return cudaGetLastError ();
}
