/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Kernels of somebody else's, in the context that cudagray works in. */

#include <cuda_runtime.h>

#define THREADS 1024

__global__ void
wait_until_passed (unsigned long long ns)
{
  unsigned long long begin, now;

  asm volatile ("mov.u64 %0, %%globaltimer;" : "=l" (begin));
  do {
    asm volatile ("mov.u64 %0, %%globaltimer;" : "=l" (now));
  } while (now - begin < ns);
}

__global__ void
write_to (int *where)
{
  *where = 1;
}

__global__ void
trap ()
{
  asm volatile ("trap;");
}

extern "C" cudaError_t
gpu_test_delay (unsigned microseconds, cudaStream_t stream)
{
  wait_until_passed <<<1, 1, 0, stream>>> (microseconds * 1000ull);
  return cudaGetLastError ();
}

extern "C" cudaError_t
gpu_test_occupy (unsigned microseconds)
{
  int processors, threads;
  cudaError_t error = cudaDeviceGetAttribute (&processors,
      cudaDevAttrMultiProcessorCount, 0);

  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute (&threads,
        cudaDevAttrMaxThreadsPerMultiProcessor, 0);
  if (error != cudaSuccess)
    return error;
  wait_until_passed <<<processors * (threads / THREADS), THREADS>>>
      (microseconds * 1000ull);
  return cudaGetLastError ();
}

extern "C" cudaError_t
gpu_test_write_to_nowhere (void)
{
  write_to <<<1, 1>>> ((int *) 16);
  return cudaGetLastError ();
}

extern "C" cudaError_t
gpu_test_trap (void)
{
  trap <<<1, 1>>> ();
  return cudaGetLastError ();
}
