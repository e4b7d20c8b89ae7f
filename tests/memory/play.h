/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Pipelines whose frames are known, by their order or by their time, at 30 a
 * second. */

#pragma once

#include <gst/gst.h>

/* The rows, as frames_rows gives them, of all that an appsink called a gets.
 * (transfer full) */
GPtrArray *play_rows (GstElement * pipeline);

/* Plays to the end: the appsinks a and, where there are two, b get just these
 * gray frames, in memory that is the GPU's or not. */
void play_check (GstElement * pipeline, guint sinks, const gboolean cuda[],
    GPtrArray * expected);

/* Flushes at any moment, and after the end of the stream: whatever the appsink
 * a gets is the frame that its time says.  The last ends early. */
void play_flush (GstElement * pipeline, gboolean cuda, GPtrArray * expected,
    guint32 seed);
