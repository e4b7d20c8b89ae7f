/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* CUDA's runtime, as far as cuda/calls.h has it, on the driver of driver.h:
 * a test sets gpu_calls to it before it opens a backend.
 *
 * Unlike CUDA's it makes no context current by itself: a call without one
 * gives cudaErrorDeviceUninitialized. */

#pragma once

#include "calls.h"

extern const GpuCalls driver_calls;
