/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* The cast-and-align experiment of the founding note, on this GPU: what does a
 * thread get that casts a byte pointer to a word pointer, where the bytes do
 * not start at a word?
 *
 * A CPU gives the word that starts there.  GPUs of the note's time dropped the
 * low address bits without a word; today's raise an error that spoils the
 * context, which is why each read runs in a process of its own.  The kernels
 * read the aligned words around such bytes and shift them into place. */

#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const uint8_t bytes[8] =
    { 0x44, 0x33, 0x22, 0x11, 0xdd, 0xcc, 0xbb, 0xaa };
static const uint32_t at_0 = 0x11223344, at_2 = 0xccdd1122;

__global__ void
read_word (const uint8_t * p, uint32_t * out)
{
  *out = *(const volatile uint32_t *) p;
}

__global__ void
read_shifted (const uint8_t * p, uint32_t * out)
{
  unsigned shift = (unsigned) ((uintptr_t) p & 3) * 8;
  const uint32_t *word = (const uint32_t *) ((uintptr_t) p & ~(uintptr_t) 3);

  *out = __funnelshift_r (word[0], shift ? word[1] : 0, shift);
}

/* One read, in this process.  Prints what it gave; the exit status says
 * whether that is a word (0) or an error (1), or that there is no GPU (77). */
static int
run (const char *what, int offset)
{
  uint8_t *memory;
  uint32_t *out, word = 0;
  cudaError_t error = cudaMalloc (&memory, 16);

  if (error != cudaSuccess) {
    printf ("skipped: %s\n", cudaGetErrorName (error));
    return 77;
  }
  cudaMalloc (&out, sizeof *out);
  cudaMemcpy (memory, bytes, sizeof bytes, cudaMemcpyHostToDevice);
  if (strcmp (what, "shifted") == 0)
    read_shifted <<<1, 1>>> (memory + offset, out);
  else
    read_word <<<1, 1>>> (memory + offset, out);
  error = cudaDeviceSynchronize ();
  if (error == cudaSuccess)
    error = cudaMemcpy (&word, out, sizeof word, cudaMemcpyDeviceToHost);
  if (error != cudaSuccess) {
    printf ("GPU, %-7s read at byte %d: %s\n", what, offset,
        cudaGetErrorName (error));
    return 1;
  }
  printf ("GPU, %-7s read at byte %d: 0x%08X\n", what, offset, word);
  return word == (offset == 0 ? at_0 : at_2) ? 0 : 2;
}

static int
run_apart (const char *self, const char *what, const char *offset)
{
  int status = 0;
  pid_t child;

  fflush (stdout);
  child = fork ();
  if (child == 0) {
    execl (self, self, what, offset, (char *) NULL);
    _exit (127);
  }
  waitpid (child, &status, 0);
  return WIFEXITED (status) ? WEXITSTATUS (status) : 128;
}

int
main (int argc, char **argv)
{
  uint32_t word;
  int aligned, cast, shifted;

  if (argc == 3)
    return run (argv[1], atoi (argv[2]));

  aligned = run_apart ("/proc/self/exe", "cast", "0");
  if (aligned == 77)
    return 77;
  memcpy (&word, bytes + 2, sizeof word);
  printf ("CPU,         read at byte 2: 0x%08X\n", word);
  cast = run_apart ("/proc/self/exe", "cast", "2");
  shifted = run_apart ("/proc/self/exe", "shifted", "2");
  /* What the cast gives is the hardware's affair; that it is no answer to
   * build on, and that shifting is one, is ours. */
  return aligned == 0 && word == at_2 && cast != 0 && shifted == 0 ? 0 : 1;
}
