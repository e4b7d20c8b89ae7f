/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* contract VARIANT [SEED [PART]]: every row function and kernel against
 * luma/plan.h.  SEED 0 is a new one; PART is hashes, sweep, edges, deep or
 * chroma, or deep-all or chroma-all, which take a while and run by their names
 * alone. */

#include "contract.h"

#include <glib.h>
#include <stdio.h>

#include "job.h"
#include "random.h"

static const struct
{
  const char *name;
  void (*test) (const Variant *);
  bool by_name;
} parts[] = {
  {"hashes", test_hashes}, {"sweep", test_sweep}, {"edges", test_edges},
  {"deep", test_deep}, {"chroma", test_chroma},
  {"deep-all", test_deep_all, true}, {"chroma-all", test_chroma_all, true},
};

static void
run (unsigned part, const Variant * variant)
{
  gint64 start = g_get_monotonic_time ();
  unsigned before = job_count;

  parts[part].test (variant);
  printf ("%s: %s: %u conversions, %.1f s\n", variant->name,
      parts[part].name, job_count - before,
      (g_get_monotonic_time () - start) / 1e6);
}

int
main (int argc, char **argv)
{
  guint64 seed = 0;
  Variant variant;

  if (argc < 2 || argc > 4) {
    fprintf (stderr, "usage: %s VARIANT [SEED [PART]]\n", argv[0]);
    return 2;
  }
  if (argc > 2)
    seed = g_ascii_strtoull (argv[2], NULL, 0);
  if (seed == 0)
    seed = (guint64) g_get_real_time ();
  setvbuf (stdout, NULL, _IOLBF, 0);
  variant_open (&variant, argv[1]);
  printf ("%s: seed %" G_GUINT64_FORMAT "\n", variant.name, seed);
  random_start (seed);
  for (unsigned i = 0; i < G_N_ELEMENTS (parts); i++) {
    if (argc < 4 ? !parts[i].by_name : g_str_equal (argv[3], parts[i].name))
      run (i, &variant);
  }
  variant_close (&variant);
  return 0;
}
