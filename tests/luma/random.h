/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Random bytes from a seed that main prints. */

#pragma once

#include <stddef.h>
#include <stdint.h>

void random_start (uint64_t seed);
size_t random_below (size_t limit);
void random_fill (uint8_t * bytes, size_t size);
