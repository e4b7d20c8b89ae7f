/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#include "config.h"

#include "trial.h"

#include <string.h>

#define TRIES 5                 /* of each way */

void
cuda_gray_trial_init (CudaGrayTrial * trial)
{
  memset (trial, 0, sizeof *trial);
}

CudaGrayWay
cuda_gray_trial_way (const CudaGrayTrial * trial)
{
  const guint *tried = trial->tried;
  const gint64 *wall = trial->wall_us, *cpu = trial->cpu_us;

  if (tried[CUDA_GRAY_WAY_COPY] < TRIES)
    return tried[CUDA_GRAY_WAY_COPY] < tried[CUDA_GRAY_WAY_CPU] ?
        CUDA_GRAY_WAY_COPY : CUDA_GRAY_WAY_CPU;
  return wall[CUDA_GRAY_WAY_COPY] < wall[CUDA_GRAY_WAY_CPU] &&
      cpu[CUDA_GRAY_WAY_COPY] <= cpu[CUDA_GRAY_WAY_CPU] ?
      CUDA_GRAY_WAY_COPY : CUDA_GRAY_WAY_CPU;
}

void
cuda_gray_trial_note (CudaGrayTrial * trial, CudaGrayWay way,
    gint64 wall_us, gint64 cpu_us)
{
  /* What was decided stays. */
  if (trial->tried[way] == TRIES)
    return;
  if (trial->tried[way] == 0 || wall_us < trial->wall_us[way])
    trial->wall_us[way] = wall_us;
  if (trial->tried[way] == 0 || cpu_us < trial->cpu_us[way])
    trial->cpu_us[way] = cpu_us;
  trial->tried[way]++;
}
