/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Whoever starts a privileged program, one with a setgid bit here, chooses its
 * environment: the plugin does not ask it there, and does in any other process.
 * The program starts itself, and a copy that has the bit. */

#include <glib.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "gpu.h"
#include "rows.h"

#define SKIP 77
/* Any that root does not have. */
#define OTHER_GROUP 65534

/* What a process is, and what it makes of the environment. */
typedef struct
{
  gulong secure, budget;
  gchar rows[16];
} Told;

static int
tell (void)
{
  GpuBlockUse use;

  gpu_blocks_use (&use);
  printf ("%lu %lu %s\n", getauxval (AT_SECURE), (gulong) use.budget >> 20,
      luma_rows ()->name);
  fflush (stdout);
  /* Sanitizers can't look for leaks in a privileged process. */
  _exit (EXIT_SUCCESS);
}

static Told
ask (const gchar * program)
{
  gchar *argv[] = { (gchar *) program, (gchar *) "tell", NULL };
  gchar **env = g_get_environ (), *out = NULL;
  GError *error = NULL;
  gint status = -1;
  Told told;

  env = g_environ_setenv (env, "CUDAGRAY_CPU", "exact", TRUE);
  env = g_environ_setenv (env, "CUDAGRAY_PINNED_MIB", "7", TRUE);
  if (!g_spawn_sync (NULL, argv, env, 0, NULL, NULL, &out, NULL, &status,
          &error) || status != 0 ||
      sscanf (out, "%lu %lu %15s", &told.secure, &told.budget, told.rows) != 3)
    g_error ("%s: status %d, %s", program, status, error ? error->message :
        out);
  g_print ("%s: %s", program, out);
  g_strfreev (env);
  g_free (out);
  return told;
}

/* FALSE where that is not for this user to do. */
static gboolean
copy_with_bit (const gchar * program, const gchar * copy)
{
  gchar *bytes;
  gsize size;

  if (!g_file_get_contents (program, &bytes, &size, NULL) ||
      !g_file_set_contents (copy, bytes, size, NULL))
    g_error ("can't copy %s", program);
  g_free (bytes);
  /* A change of owner takes the bit away. */
  return chown (copy, -1, OTHER_GROUP) == 0 && g_chmod (copy, 02755) == 0;
}

static int
run (const gchar * program, const gchar * copy)
{
  Told told = ask (program);

  if (told.secure) {
    g_print ("skipped: this process is privileged itself\n");
    return SKIP;
  }
  if (told.budget != 7 || strcmp (told.rows, "exact") != 0)
    g_error ("an ordinary process does not ask its environment");
  if (!copy_with_bit (program, copy)) {
    g_print ("skipped: a setgid program of another group needs root\n");
    return SKIP;
  }
  told = ask (copy);
  if (!told.secure) {
    g_print ("skipped: a setgid copy in %s is not privileged (nosuid, or the "
        "group is this user's own)\n", g_get_tmp_dir ());
    return SKIP;
  }
  if (told.budget == 7 || strcmp (told.rows, "exact") == 0)
    g_error ("a privileged process asks its environment");
  return EXIT_SUCCESS;
}

int
main (int argc, char **argv)
{
  gchar *program, *dir, *copy;
  int result;

  if (argc > 1)
    return tell ();
  program = g_file_read_link ("/proc/self/exe", NULL);
  dir = g_dir_make_tmp ("cudagray-XXXXXX", NULL);
  copy = g_build_filename (dir, "copy", NULL);
  result = run (program, copy);
  g_unlink (copy);
  g_rmdir (dir);
  g_free (copy);
  g_free (dir);
  g_free (program);
  return result;
}
