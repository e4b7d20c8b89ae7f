/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* The founding note's ladder, in device memory: what fewer and wider accesses
 * are worth, beside the copy of as many bytes and NVIDIA's own library.
 *
 *   copy      device to device, as many bytes read and written in all
 *   bytes     a pixel a thread: 3 byte loads, 1 byte store, 4 accesses
 *   words     4 pixels a thread in 32-bit words: the note's 1.75 accesses a
 *             pixel with byte stores, 1.0 with the word store used here
 *   vectors   16 pixels a thread in 16-byte words: 0.25
 *   npp       nppiRGBToGray_8u_C3C1R, where the library is found
 *   cudagray  the project's kernel; also on BGRx, planes, and rows of which
 *             each starts at an odd byte, at a stride of 3 modulo 16
 *
 * words and vectors need rows that start at a word: they are rungs, not
 * rivals.  Times are the GPU's, of launches in a row over frames that together
 * are larger than its caches. */

#include <dlfcn.h>
#include <functional>
#include <stdio.h>
#include <stdlib.h>

extern "C"
{
#include "bench.h"
#include "device.h"
}

namespace
{

const int launches = 24, samples = 31, rotation = 6;

__global__ void
bytes (const uint8_t * src, uint8_t * dst, size_t pixels, LumaHalves halves)
{
  size_t i = (size_t) blockIdx.x * blockDim.x + threadIdx.x;

  if (i < pixels)
    dst[i] = luma_shifted (&halves, src[3 * i] | src[3 * i + 1] << 8 |
        src[3 * i + 2] << 16) >> 16;
}

__device__ uint32_t
four (const LumaHalves & halves, uint32_t a, uint32_t b, uint32_t c)
{
  uint32_t y0 = luma_shifted (&halves, a);
  uint32_t y1 = luma_shifted (&halves, __funnelshift_r (a, b, 24));
  uint32_t y2 = luma_shifted (&halves, __funnelshift_r (b, c, 16));
  uint32_t y3 = luma_shifted (&halves, c >> 8);

  return __byte_perm (__byte_perm (y0, y1, 0x0062),
      __byte_perm (y2, y3, 0x0062), 0x5410);
}

__global__ void
words (const uint32_t * src, uint32_t * dst, size_t pixels, LumaHalves halves)
{
  size_t i = (size_t) blockIdx.x * blockDim.x + threadIdx.x;

  if (4 * i < pixels)
    dst[i] = four (halves, src[3 * i], src[3 * i + 1], src[3 * i + 2]);
}

__global__ void
vectors (const uint4 * src, uint4 * dst, size_t pixels, LumaHalves halves)
{
  size_t i = (size_t) blockIdx.x * blockDim.x + threadIdx.x;

  if (16 * i < pixels) {
    uint4 a = src[3 * i], b = src[3 * i + 1], c = src[3 * i + 2];

    dst[i] = make_uint4 (four (halves, a.x, a.y, a.z),
        four (halves, a.w, b.x, b.y), four (halves, b.z, b.w, c.x),
        four (halves, c.y, c.z, c.w));
  }
}

void
must (cudaError_t error)
{
  if (error != cudaSuccess) {
    fprintf (stderr, "%s\n", cudaGetErrorName (error));
    exit (1);
  }
}

/* As nppi.h has them, which need not be on the machine. */
struct NppSize
{
  int width, height;
};
struct NppContext
{
  cudaStream_t stream;
  int device, multiprocessors, threads_per_multiprocessor, threads_per_block;
  size_t shared_per_block;
  int major, minor;
  unsigned stream_flags;
  int reserved;
};
typedef int (*NppFunc) (const uint8_t *, int, uint8_t *, int, NppSize,
    NppContext);

NppFunc
find_npp ()
{
  const char *names[] = { "libnppicc.so.13", "libnppicc.so.12",
    "libnppicc.so"
  };

  for (const char *name : names) {
    void *library = dlopen (name, RTLD_NOW);
    if (library != NULL)
      return (NppFunc) dlsym (library, "nppiRGBToGray_8u_C3C1R_Ctx");
  }
  return NULL;
}

NppContext
npp_context (cudaStream_t stream)
{
  cudaDeviceProp p;

  must (cudaGetDeviceProperties (&p, 0));
  return NppContext { stream, 0, p.multiProcessorCount,
    p.maxThreadsPerMultiProcessor, p.maxThreadsPerBlock, p.sharedMemPerBlock,
    p.major, p.minor, cudaStreamNonBlocking, 0
  };
}

struct Ladder
{
  GpuDevice *device;
  cudaStream_t stream;
  BenchSize size;
  uint8_t *src[rotation], *dst[rotation];

  void measure (const char *way, const char *frames, double bytes_a_pixel,
      const std::function <void (int)> &launch)
  {
    GArray *us = bench_samples_new ();
    cudaEvent_t begin, end;

    must (cudaEventCreate (&begin));
    must (cudaEventCreate (&end));
    for (int s = -3; s < samples; s++)
    {
      float ms;
      double each;

      must (cudaEventRecord (begin, stream));
      for (int i = 0; i < launches; i++)
        launch (i % rotation);
      must (cudaEventRecord (end, stream));
      must (cudaEventSynchronize (end));
      must (cudaEventElapsedTime (&ms, begin, end));
      each = ms * 1e3 / launches;
      if (s >= 0)
        g_array_append_val (us, each);
    }
    bench_print ("ladder", way, frames, size, 1, us, -1,
        bytes_a_pixel * size.width * size.height);
    g_array_unref (us);
    must (cudaEventDestroy (begin));
    must (cudaEventDestroy (end));
  }

  LumaPlan plan (LumaLayout layout)
  {
    LumaComponent rgb[LUMA_COMPONENTS] = { };
    LumaPlan p;

    for (unsigned i = 0; i < LUMA_COMPONENTS; i++) {
      rgb[i].plane = layout == LUMA_LAYOUT_PLANAR ? i : 0;
      rgb[i].offset = layout == LUMA_LAYOUT_PLANAR ? 0 : i;
      rgb[i].step = layout == LUMA_LAYOUT_PLANAR ? 1 :
          layout == LUMA_LAYOUT_PACKED3 ? 3 : 4;
      rgb[i].depth = 8;
    }
    luma_plan_init (&p, size.width, size.height, rgb, LUMA_MATRIX_BT601,
        LUMA_RANGE_FULL, LUMA_RANGE_FULL);
    return p;
  }

  void cudagray (LumaLayout layout, const char *frames, bool misaligned)
  {
    LumaPlan p = plan (layout);
    const size_t step = p.component[0].step, row = step * size.width;
    const size_t stride = misaligned ? row / 16 * 16 + 16 + 3 : row;
    GpuFrame frame = gpu_frame (&p);

    frame.max_blocks = gpu_max_blocks (device, false);
    measure ("cudagray", frames, layout == LUMA_LAYOUT_PACKED4 ? 5 : 4,
        [&] (int i) {
          for (int c = 0; c < LUMA_COMPONENTS; c++) {
            frame.src[c] = src[i] + (misaligned ? 1 : 0) +
                p.component[c].plane * stride * size.height;
            frame.src_stride[c] = stride;
          }
          frame.dst = dst[i];
          frame.dst_stride = size.width;
          must (gpu_launch (&frame, stream));
        });
  }

  void run (NppFunc npp)
  {
    const size_t n = size.width * size.height;
    const LumaPlan p = plan (LUMA_LAYOUT_PACKED3);
    const LumaHalves halves = luma_halves (&p.fixed);
    const NppContext context = npp_context (stream);

    measure ("copy", "RGB", 4, [&] (int i) {
          must (cudaMemcpyAsync (dst[i], src[i], 2 * n,
                  cudaMemcpyDeviceToDevice, stream));
        });
    measure ("bytes", "RGB", 4, [&] (int i) {
          bytes <<<(n + 255) / 256, 256, 0, stream>>> (src[i], dst[i], n,
              halves);
        });
    measure ("words", "RGB", 4, [&] (int i) {
          words <<<(n / 4 + 255) / 256, 256, 0, stream>>> (
              (const uint32_t *) src[i], (uint32_t *) dst[i], n, halves);
        });
    measure ("vectors", "RGB", 4, [&] (int i) {
          vectors <<<(n / 16 + 127) / 128, 128, 0, stream>>> (
              (const uint4 *) src[i], (uint4 *) dst[i], n, halves);
        });
    if (npp != NULL)
      measure ("npp", "RGB", 4, [&] (int i) {
            if (npp (src[i], 3 * size.width, dst[i], size.width,
                    NppSize { (int) size.width, (int) size.height }, context))
              must (cudaErrorUnknown);
          });
    cudagray (LUMA_LAYOUT_PACKED3, "RGB", false);
    cudagray (LUMA_LAYOUT_PACKED3, "RGB misaligned", true);
    cudagray (LUMA_LAYOUT_PACKED4, "BGRx", false);
    cudagray (LUMA_LAYOUT_PACKED4, "BGRx misaligned", true);
    cudagray (LUMA_LAYOUT_PLANAR, "GBR", false);
    cudagray (LUMA_LAYOUT_PLANAR, "GBR misaligned", true);
  }
};

}

int
main ()
{
  GpuStatus status;
  Ladder ladder;
  NppFunc npp = find_npp ();

  ladder.device = gpu_device_open (-1, &status);
  if (ladder.device == NULL) {
    printf ("skipped: %s\n", status.text);
    return 77;
  }
  if (npp == NULL)
    fprintf (stderr, "no NPP library here\n");
  must (gpu_push (ladder.device));
  must (cudaStreamCreateWithFlags (&ladder.stream, cudaStreamNonBlocking));
  bench_print_header ();
  for (int s = BENCH_N_SIZES - 3; s < BENCH_N_SIZES; s++) {
    ladder.size = bench_sizes[s];
    size_t room = 5 * ladder.size.width * ladder.size.height + (1 << 20);

    for (int i = 0; i < rotation; i++) {
      must (cudaMalloc (&ladder.src[i], room));
      must (cudaMalloc (&ladder.dst[i], room));
      must (cudaMemset (ladder.src[i], 37 * i + 5, room));
    }
    ladder.run (npp);
    for (int i = 0; i < rotation; i++) {
      must (cudaFree (ladder.src[i]));
      must (cudaFree (ladder.dst[i]));
    }
  }
  return 0;
}
