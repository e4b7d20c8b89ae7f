/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* What tests ask about their own process. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Open file descriptors; the one that counts them is among them. */
guint process_open_files (void);

/* Bytes of memory that are resident. */
gsize process_resident (void);

/* What starts the program once more with these arguments, to be looked for in
 * PATH: under an emulator, if that is how this one was started. */
gchar **process_line (const gchar ** arguments);

/* Starts it with the number of a case, and waits for it; its status as
 * g_spawn_check_wait_status takes it. */
gint process_run_case (guint number);

G_END_DECLS
