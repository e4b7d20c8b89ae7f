/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* A GPU that does as it is told: it is missing, refused, or it converts on the
 * CPU until a frame fails. */

#pragma once

#include <gst/gst.h>

#include "gpu.h"

typedef enum
{
  FAKE_NEVER,
  FAKE_AT_SUBMIT,
  FAKE_AT_WAIT
} FakeWhere;

/* What the next GPU that is opened will be. */
typedef struct
{
  GpuState state;
  FakeWhere where;
  guint frame;                  /* that fails, from 1; 0: every one */
  LumaResult result;            /* FAILED, REFUSED or UNKNOWN */
  LumaPath path;
  gsize small_pixels;           /* of frames that are the CPU's */
} FakePlan;

#define FAKE_DEVICE 3
#define FAKE_ERROR "fakeLaunch: fakeErrorBroken"
#define FAKE_DEVICES "there is no device 99; there are 0: Fake A, 1: Fake B"

typedef struct
{
  FakePlan plan;
  guint opened, closed, submitted, waited;
  gint asked_device;
  guint misused;                /* calls that backend.h forbids */
} Fake;

extern Fake fake;

/* Puts the fake in the place of the GPU, and takes it away again. */
void fake_install (const FakePlan * plan);
void fake_remove (void);

/* What a GPU that was given up may do at any time: read the source of the
 * frame whose fate is unknown, and write into its target. */
void fake_act_late (void);
