/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* What the tests of a GPU share. */

#pragma once

#include <cuda_runtime_api.h>
#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>

G_BEGIN_DECLS

/* Runs a suite in this process, since CUDA does not survive a fork; 77 where
 * there is no GPU. */
int gpu_test_main (int argc, char **argv, Suite * (*suite) (void));

/* A started element for frames of this size in RGB. */
#define GPU_TEST_WIDTH 1920
#define GPU_TEST_HEIGHT 1080
#define GPU_TEST_RGB_BYTES (3 * GPU_TEST_WIDTH * GPU_TEST_HEIGHT)
#define GPU_TEST_GRAY_BYTES (GPU_TEST_WIDTH * GPU_TEST_HEIGHT)
GstHarness *gpu_test_harness (const gchar * backend);
void gpu_test_set_caps (GstHarness * harness);

/* A count of its stats. */
guint64 gpu_test_stat (GstHarness * harness, const gchar * field);

/* Fills a buffer with random bytes, others for each seed.  Gives it back. */
GstBuffer *gpu_test_fill (GstBuffer * buffer, guint64 seed);

/* One of the element's own pool, filled.  (transfer full) */
GstBuffer *gpu_test_frame (GstHarness * harness, guint64 seed);

/* Fails unless buffer is the gray of what fill makes for a seed.  (transfer
 * full) */
void gpu_test_check_gray (GstBuffer * buffer, guint64 seed);

/* Somebody else's work on device 0, in its primary context: a kernel that keeps
 * the stream busy for so long; and on the legacy stream one that takes the
 * whole GPU for so long, one that writes to an address that is none, and one
 * that stops itself. */
cudaError_t gpu_test_delay (unsigned microseconds, cudaStream_t stream);
cudaError_t gpu_test_occupy (unsigned microseconds);
cudaError_t gpu_test_write_to_nowhere (void);
cudaError_t gpu_test_trap (void);

G_END_DECLS
