/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* What the backend is at, for NVIDIA's profilers: NVTX ranges of the calling
 * thread, in the domain "cudagray".  Without a profiler they are a branch. */

#pragma once

/* Ranges nest.  The name is a constant; each begun is ended by its thread. */
void gpu_range_begin (const char *name);
void gpu_range_end (void);
