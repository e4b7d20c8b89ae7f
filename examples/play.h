/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* What the C examples share: a pipeline from its description to its end. */

#pragma once

#include <gst/gst.h>

/* A pipeline by gst-launch's description, which is a format as printf's, or
 * NULL when the reason is printed.  (transfer full) */
GstElement *play_parse (const gchar * format, ...) G_GNUC_PRINTF (1, 2);

/* Plays to the end of the stream or to an error, and stops.  Prints warnings
 * and errors.  Gives the exit code of a program: 0, or 1 after an error. */
int play (GstElement * pipeline);

/* Prints which way the frames took through the element named gray. */
void play_print_stats (GstElement * pipeline);
