/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Makes a plugin of the element on the CUDA driver of tests/driver, for
 * programs that load it by name. */

#include "calls.h"
#include "runtime.h"

static void __attribute__((constructor)) use_simulated_driver (void)
{
  gpu_calls = &driver_calls;
}
