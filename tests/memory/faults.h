/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Calls of CUDA that fail when they are told to; all others are as they
 * were. */

#pragma once

#include "calls.h"
#include "rig.h"

/* By the names of GpuCalls. */
typedef enum
{
  FAULTS_NONE,
  FAULTS_STREAM_CREATE,
  FAULTS_STREAM_QUERY,
  FAULTS_EVENT_CREATE,
  FAULTS_EVENT_RECORD,
  FAULTS_STREAM_WAIT_EVENT,
  FAULTS_LAUNCH,
  FAULTS_MALLOC,
  FAULTS_POINTER_GET_ATTRIBUTES
} FaultsCall;

/* Puts calls that may fail in the place of rig_gpu_main's, around each test of
 * a case. */
void faults_add (TCase * tests);

/* From here on one call fails, after so many of its kind; with for_good so do
 * all that follow. */
void faults_arm (FaultsCall call, guint after, gboolean for_good,
    cudaError_t error);

/* Gives how often it failed. */
guint faults_disarm (void);
