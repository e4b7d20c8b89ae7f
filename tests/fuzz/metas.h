/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#pragma once

#include <gst/gst.h>

#include "input.h"

void metas_init (void);

/* Gives a buffer timestamps, flags and metas, or leaves it as it is. */
void metas_add (Input * input, GstBuffer * buffer);
