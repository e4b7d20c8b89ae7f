/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* What the tests of a GPU share. */

#pragma once

#include <cuda_runtime_api.h>
#include <gst/check/gstcheck.h>

G_BEGIN_DECLS

/* Runs a suite in this process, since CUDA does not survive a fork; 77 where
 * there is no GPU. */
int gpu_test_main (int argc, char **argv, Suite * (*suite) (void));

/* Keeps the stream busy for so long. */
cudaError_t gpu_test_delay (unsigned microseconds, cudaStream_t stream);

G_END_DECLS
