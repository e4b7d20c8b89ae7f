/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* What a profiler sees, by NVTX's own way of letting one in: a library that
 * the environment names. */

#pragma once

/* A range of the domain "cudagray" is its name, with what it holds after it, in
 * parentheses.  Of all that was since the last call. */
const char *injection_take (void);
