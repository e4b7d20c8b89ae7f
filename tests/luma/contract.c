/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* contract VARIANT [SEED [PART...]]: every row function and kernel against
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

static bool
asked_for (unsigned part, int argc, char **argv)
{
  if (argc < 4)
    return !parts[part].by_name;
  for (int i = 3; i < argc; i++) {
    if (g_str_equal (argv[i], parts[part].name))
      return true;
  }
  return false;
}

int
main (int argc, char **argv)
{
  guint64 seed = 0;
  Variant variant;
  int asked = 0;

  if (argc < 2) {
    fprintf (stderr, "usage: %s VARIANT [SEED [PART...]]\n", argv[0]);
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
    if (!asked_for (i, argc, argv))
      continue;
    run (i, &variant);
    asked++;
  }
  variant_close (&variant);
  if (argc > 3 && asked != argc - 3) {
    fprintf (stderr, "no such part\n");
    return 2;
  }
  return 0;
}
