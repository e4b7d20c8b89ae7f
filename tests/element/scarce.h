/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* In the place of GStreamer's default allocator one that has no memory. */

#pragma once

void scarce_begin (void);
void scarce_end (void);
