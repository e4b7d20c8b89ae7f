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
