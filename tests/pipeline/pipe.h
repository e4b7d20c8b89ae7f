/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* What the programs of this folder share: pipelines with the backend under
 * test. */

#pragma once

#include <gst/app/app.h>
#include <gst/check/gstcheck.h>

#include "watch.h"

/* What no teardown, flush or EOS may take longer than, in seconds. */
#define PIPE_SOON 2

/* A stream that brings nothing for so many seconds has stopped. */
#define PIPE_HANGS 30

/* A test program's main: runs the suite with the backend that
 * CUDAGRAY_TEST_BACKEND names, or skips it (77). */
int pipe_main (int argc, char **argv, Suite * (*suite) (void));

/* A new case of a suite.  After a failure it stops the test's pipelines, so
 * that their threads do not run on. */
TCase *pipe_tcase (Suite * suite, const gchar * name);

/* The latter for a case that has fixtures already: theirs come after. */
void pipe_stop_leftovers (TCase * tc);

/* "cpu" or "cuda" */
const gchar *pipe_backend (void);

gboolean pipe_have (const gchar * factories);   /* "a b c": all of them */

/* A pipeline from a description of gst-launch, in which cudagray gets the
 * backend under test unless the description gives it one. */
GstElement *pipe_launch (const gchar * format, ...)
    G_GNUC_PRINTF (1, 2);

void pipe_set_state (GstElement * pipeline, GstState state);

/* Plays until EOS, which must come in so many seconds. */
void pipe_play (GstElement * pipeline, gdouble seconds);

/* Fails after an error, or a warning of cudagray, on the bus. */
void pipe_check_bus (GstElement * pipeline);

/* Waits for errors, all of which must be of one element. */
void pipe_expect_errors (GstElement * pipeline, GstElement * of);

/* The next sample of an appsink; NULL at EOS. */
GstSample *pipe_pull (GstElement * pipeline, const gchar * appsink);

/* NULL state, soon; then nothing may be left of the pipeline, nor any block of
 * our memory in use.  With a watch (or NULL): its frames were right, and the
 * backend under test made them all. */
void pipe_stop (GstElement * pipeline, PipeWatch * watch);

guint64 pipe_stat (GstElement * cudagray, const gchar * field);

/* Seconds, or more where CK_TIMEOUT_MULTIPLIER says that time runs slow. */
void pipe_check_time (gint64 start, gdouble seconds, const gchar * what);

/* Until so many frames have come out, or so many more. */
void pipe_wait_for_frames (PipeWatch * watch, gint frames);
void pipe_wait_for_more (PipeWatch * watch, gint frames);
