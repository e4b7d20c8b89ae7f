/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* A build without CUDA has the names of the GPU's variants, to skip them. */

#include <glib.h>
#include <stdio.h>
#include <stdlib.h>

#include "variant.h"

bool
variant_open_gpu (Variant * variant, const char *name)
{
  if (!g_str_has_prefix (name, "cuda"))
    return false;
  printf ("%s: built without CUDA\n", name);
  exit (SKIPPED);
}
