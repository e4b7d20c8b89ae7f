/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* The choice of rows.  It is made once a process, so that the program starts
 * itself for each value of CUDAGRAY_CPU. */

#include <glib.h>
#include <stdio.h>

#include "luma-config.h"
#include "process.h"
#include "rows.h"

/* The rows that a process chooses whose CUDAGRAY_CPU is value, or not set. */
static char *
chosen_with (const char *value)
{
  const char *arguments[] = { "--choose", NULL };
  char **argv = process_line (arguments), **env = g_get_environ ();
  char *name = NULL;
  GError *error = NULL;
  int status;

  env = value != NULL ? g_environ_setenv (env, "CUDAGRAY_CPU", value, TRUE) :
      g_environ_unsetenv (env, "CUDAGRAY_CPU");
  g_spawn_sync (NULL, argv, env, G_SPAWN_SEARCH_PATH, NULL, NULL, &name,
      NULL, &status, &error);
  g_assert_no_error (error);
  g_spawn_check_wait_status (status, &error);
  g_assert_no_error (error);
  g_strfreev (argv);
  g_strfreev (env);
  return name;
}

static void
expect (const char *value, const char *expected)
{
  char *name = chosen_with (value);

  g_assert_cmpstr (name, ==, expected);
  g_free (name);
}

static const char *
best (void)
{
  unsigned i = 0;

  while (luma_rows_nth (i + 1) != NULL)
    i++;
  return luma_rows_nth (i)->name;
}

/* Each name once, the portable ones first, and every layout served. */
static void
test_list (void)
{
  g_assert_cmpstr (luma_rows_nth (0)->name, ==, "exact");
  g_assert_cmpstr (luma_rows_nth (1)->name, ==, "c");
  for (unsigned i = 0; luma_rows_nth (i) != NULL; i++) {
    for (int l = 0; l < LUMA_N_LAYOUTS; l++)
      g_assert_nonnull (luma_rows_nth (i)->row[l]);
    for (unsigned j = 0; j < i; j++)
      g_assert_cmpstr (luma_rows_nth (i)->name, !=, luma_rows_nth (j)->name);
  }
  g_assert_null (luma_rows_nth (100));
#ifdef LUMA_NEON
  g_assert_cmpstr (best (), ==, "neon");
#endif
}

static void
test_by_name (void)
{
  for (unsigned i = 0; luma_rows_nth (i) != NULL; i++) {
    const char *name = luma_rows_nth (i)->name;
    char *longer = g_strconcat (name, "x", NULL);

    expect (name, name);
    expect (longer, best ());
    g_free (longer);
  }
}

static void
test_best (void)
{
  expect (NULL, best ());
  expect ("", best ());
  expect ("no-such-rows", best ());
  expect ("e", best ());
  expect ("C", best ());
}

int
main (int argc, char **argv)
{
  if (argc == 2 && g_str_equal (argv[1], "--choose")) {
    fputs (luma_rows ()->name, stdout);
    return 0;
  }
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/dispatch/list", test_list);
  g_test_add_func ("/dispatch/by-name", test_by_name);
  g_test_add_func ("/dispatch/best", test_best);
  return g_test_run ();
}
