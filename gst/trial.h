/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Frames that the GPU can't reach: a copy for it, or the CPU?  Which is better
 * depends on how fast this machine copies and converts, so both are tried on
 * the stream's first such frames, and measured. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  CUDA_GRAY_WAY_CPU,
  CUDA_GRAY_WAY_COPY,
  CUDA_GRAY_N_WAYS
} CudaGrayWay;

typedef struct
{
  guint tried[CUDA_GRAY_N_WAYS];
  /* The least that a frame took; the first of a kind may take more. */
  gint64 wall_us[CUDA_GRAY_N_WAYS], cpu_us[CUDA_GRAY_N_WAYS];
} CudaGrayTrial;

/* For frames of a new size or format. */
void cuda_gray_trial_init (CudaGrayTrial * trial);

/* The way for the next frame: in turn at first, then the copy if it is done
 * sooner and takes no more CPU time, otherwise the CPU. */
CudaGrayWay cuda_gray_trial_way (const CudaGrayTrial * trial);

/* What a frame took that way; CPU time is the calling thread's. */
void cuda_gray_trial_note (CudaGrayTrial * trial, CudaGrayWay way,
    gint64 wall_us, gint64 cpu_us);

G_END_DECLS
