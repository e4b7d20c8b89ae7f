/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* contract VARIANT [SEED]: every row function and kernel against luma/plan.h. */

#include "contract.h"

#include <glib.h>
#include <stdio.h>

#include "job.h"
#include "random.h"

static void
run (const char *name, void (*test) (const Variant *), const Variant * variant)
{
  gint64 start = g_get_monotonic_time ();
  unsigned before = job_count;

  test (variant);
  printf ("%s: %s: %u conversions, %.1f s\n", variant->name, name,
      job_count - before, (g_get_monotonic_time () - start) / 1e6);
}

int
main (int argc, char **argv)
{
  guint64 seed;
  Variant variant;

  if (argc != 2 && argc != 3) {
    fprintf (stderr, "usage: %s VARIANT [SEED]\n", argv[0]);
    return 2;
  }
  seed = argc == 3 ? g_ascii_strtoull (argv[2], NULL, 0) :
      (guint64) g_get_real_time ();
  setvbuf (stdout, NULL, _IOLBF, 0);
  variant_open (&variant, argv[1]);
  printf ("%s: seed %" G_GUINT64_FORMAT "\n", variant.name, seed);
  random_start (seed);
  run ("hashes", test_hashes, &variant);
  run ("sweep", test_sweep, &variant);
  run ("edges", test_edges, &variant);
  variant_close (&variant);
  return 0;
}
