/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* What the stats property shows. */

#pragma once

#include <gst/gst.h>

#include "backend.h"

G_BEGIN_DECLS

typedef struct
{
  const gchar *backend;         /* "cuda" or "cpu", the last one while stopped;
                                   "none" before a start and after one
                                   that failed */
  gint device;                  /* -1 for the CPU */
  guint64 frames[LUMA_N_PATHS];
  guint64 passthrough, dropped; /* frames */
  guint64 bytes_in, bytes_out;  /* of converted frames, visible bytes */
  guint64 failovers;            /* from the GPU to the CPU */
  guint64 set_aside;            /* frames whose memory a GPU may still use */
} CudaGrayStats;

void cuda_gray_stats_init (CudaGrayStats * stats);

/* (transfer full) */
GstStructure *cuda_gray_stats_to_structure (const CudaGrayStats * stats);

G_END_DECLS
