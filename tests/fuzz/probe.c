/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Links where clang and libFuzzer are there. */

#include "input.h"

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  return 0;
}
