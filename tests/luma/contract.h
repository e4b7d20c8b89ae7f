/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* The parts of the contract, one file each. */

#pragma once

#include "variant.h"

/* Every colour in every case, and the hashes of the answers. */
void test_hashes (const Variant * variant);

/* Formats, sizes, strides and addresses, and that no other byte changes. */
void test_sweep (const Variant * variant);

/* Samples of 5 to 16 bits in words of all kinds, gray values of 8 and 16. */
void test_deep (const Variant * variant);
void test_deep_all (const Variant * variant);

/* Every colour of YUV to other matrices: in a quarter of all cases, or in all. */
void test_chroma (const Variant * variant);
void test_chroma_all (const Variant * variant);

/* Rows that end where memory ends; very tall frames; one column. */
void test_edges (const Variant * variant);
