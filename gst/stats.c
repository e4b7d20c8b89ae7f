/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#include "config.h"

#include "stats.h"

#include <string.h>

void
cuda_gray_stats_init (CudaGrayStats * stats)
{
  memset (stats, 0, sizeof *stats);
  stats->backend = "none";
  stats->device = -1;
}

GstStructure *
cuda_gray_stats_to_structure (const CudaGrayStats * stats)
{
  return gst_structure_new ("cudagray-stats",
      "backend", G_TYPE_STRING, stats->backend,
      "device", G_TYPE_INT, stats->device,
      "frames-cpu", G_TYPE_UINT64, stats->frames[LUMA_PATH_CPU],
      "frames-in-place", G_TYPE_UINT64, stats->frames[LUMA_PATH_IN_PLACE],
      "frames-staged", G_TYPE_UINT64, stats->frames[LUMA_PATH_STAGED],
      "frames-passthrough", G_TYPE_UINT64, stats->passthrough,
      "frames-dropped", G_TYPE_UINT64, stats->dropped,
      "bytes-in", G_TYPE_UINT64, stats->bytes_in,
      "bytes-out", G_TYPE_UINT64, stats->bytes_out,
      "failovers", G_TYPE_UINT64, stats->failovers,
      "frames-set-aside", G_TYPE_UINT64, stats->set_aside, NULL);
}
