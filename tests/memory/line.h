/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* A few elements in a row between a pad that a test pushes to and one that it
 * pulls from. */

#pragma once

#include <gst/check/gstharness.h>

#include "frames.h"

typedef struct
{
  GstElement *gray;             /* the cudagray that is named so */
  GstHarness *harness;
  GstBus *bus;
} Line;

/* Of the tests of a case that line_make_context was called for; device 0. */
extern GstCudaContext *line_context;
void line_make_context (TCase * tests);

/* Elements as gst-launch has them, playing, with a context of the test's or
 * NULL.  out_caps is all that the end takes; with GstVideoMeta. */
Line *line_new (GstCudaContext * context, const gchar * elements,
    const gchar * out_caps);

/* Fails if there was a warning or an error that nobody asked for. */
void line_free (Line * line);

/* (takes caps) */
void line_set_caps (Line * line, GstCaps * caps);

/* Pushes a frame that must come out.  (takes buffer; transfer full) */
GstBuffer *line_run (Line * line, GstBuffer * buffer);

/* What has come out must be these rows.  (takes out) */
void line_check (Line * line, GstBuffer * out, GBytes * expected);

/* The caps of what comes out.  (transfer full) */
GstCaps *line_output_caps (Line * line);

/* Pushes a frame that must be dropped with a warning.  (takes buffer) */
void line_run_dropped (Line * line, GstBuffer * buffer);

guint64 line_count (Line * line, const gchar * stat);

/* All frames so far were converted by the GPU where they lay. */
void line_check_in_place (Line * line, guint frames);
