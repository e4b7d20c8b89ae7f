/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#include "process.h"

#include <stdio.h>
#include <unistd.h>

guint
process_open_files (void)
{
  GDir *dir = g_dir_open ("/proc/self/fd", 0, NULL);
  guint n = 0;

  if (dir == NULL)
    g_error ("no /proc/self/fd");
  while (g_dir_read_name (dir) != NULL)
    n++;
  g_dir_close (dir);
  return n;
}

gsize
process_resident (void)
{
  FILE *statm = fopen ("/proc/self/statm", "r");
  glong pages;

  if (statm == NULL || fscanf (statm, "%*d %ld", &pages) != 1)
    g_error ("no /proc/self/statm");
  fclose (statm);
  return pages * sysconf (_SC_PAGESIZE);
}

gchar **
process_line (const gchar ** arguments)
{
  gchar *program = g_file_read_link ("/proc/self/exe", NULL);
  /* Meson names the emulator of programs for another CPU. */
  const gchar *wrapper = g_getenv ("MESON_EXE_WRAPPER");
  GStrvBuilder *line = g_strv_builder_new ();
  gchar **words = NULL;

  if (wrapper != NULL && g_shell_parse_argv (wrapper, NULL, &words, NULL))
    g_strv_builder_addv (line, (const gchar **) words);
  g_strv_builder_add (line, program);
  g_strv_builder_addv (line, arguments);
  g_strfreev (words);
  g_free (program);
  words = g_strv_builder_end (line);
  g_strv_builder_unref (line);
  return words;
}

gint
process_run_case (guint number)
{
  gchar *text = g_strdup_printf ("%u", number);
  const gchar *arguments[] = { text, NULL };
  gchar **line = process_line (arguments);
  GError *error = NULL;
  gint status;

  if (!g_spawn_sync (NULL, line, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL,
          NULL, &status, &error))
    g_error ("%s", error->message);
  g_strfreev (line);
  g_free (text);
  return status;
}
