/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* What the programs of this folder share.  Each is built once for the CPU and a
 * real GPU, and with SIMULATED for the CUDA that tests/cuda makes without a
 * GPU. */

#pragma once

#include "pipe.h"

/* pipe_main, where simulated CUDA counts as a GPU, none of whose rules may be
 * broken. */
int endure_main (int argc, char **argv, Suite * (*suite) (void));

/* Takes a step at random; a step that finds something wrong returns what, for
 * failing is for the main thread. (transfer full) */
typedef gchar *(*EndureStep) (GRand * rand, gpointer data);

/* Has several threads take steps, for CUDAGRAY_TEST_SECONDS or a few. */
void endure_run (EndureStep step, gpointer data);

/* A step: properties, stats, queries, events and contexts, as any thread may
 * set, read or send them at any time. */
gchar *endure_meddle (GRand * rand, gpointer cudagray);

/* The first error or warning on a bus but for those that interrupting a stream
 * brings with it; NULL if there is none. (transfer full) */
gchar *endure_read_bus (GstBus * bus);
