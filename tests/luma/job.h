/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* One conversion to check against the specification. */

#pragma once

#include "cases.h"
#include "frame.h"
#include "variant.h"

typedef struct
{
  const Format *format;
  const Case *kase;
  size_t width, height;
  Place in, out;
} Job;

void job_plan (const Job * job, LumaPlan * plan);

/* Ends the program, with the first byte that is wrong, unless both frames are
 * the same in all of their bytes. */
void job_compare (const Job * job, const Variant * variant, const Frame * got,
    const Frame * expected);

/* Converts random pixels. */
void job_check (const Job * job, const Variant * variant);

/* How many conversions there have been. */
extern unsigned job_count;
