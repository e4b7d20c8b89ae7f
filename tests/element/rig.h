/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* One element in a harness, with a bus, on the backend under test. */

#pragma once

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>

#include "util.h"

typedef struct
{
  GstElement *element;
  GstHarness *harness;
  GstBus *bus;
  gboolean watched;             /* frames must not fall back to the CPU */
} Rig;

/* Runs a program's tests once, on the backend that the environment variable
 * CUDAGRAY_TEST_BACKEND names.  Returns the exit status: 77 where that is cuda
 * and there is no GPU. */
int rig_main (int argc, char **argv, const gchar * name,
    void (*add_tests) (TCase * tests));

const gchar *rig_backend (void);

/* A stopped element with a bus, on a backend; NULL is the one under test. */
GstElement *rig_element (const gchar * backend, GstBus ** bus);

/* In state PLAYING.  rig_new_with takes an element of rig_element. */
Rig *rig_new (void);
Rig *rig_new_with (GstElement * element, GstBus * bus);

/* Fails if the bus has a warning or an error that nobody has asked for. */
void rig_free (Rig * rig);

/* Input caps.  (takes caps) */
void rig_set_caps (Rig * rig, GstCaps * caps);
void rig_set_format (Rig * rig, const gchar * format, guint width,
    guint height, const gchar * extra);

/* The caps of the output.  (transfer full) */
GstCaps *rig_output_caps (Rig * rig);

/* Pushes a frame that must convert.  (takes buffer; transfer full) */
GstBuffer *rig_run (Rig * rig, GstBuffer * buffer);

/* The same, and fails unless the output is the picture under the rule. */
GstBuffer *rig_run_checked (Rig * rig, GstBuffer * buffer,
    const Picture * picture, const Rule * rule);
void rig_check (Rig * rig, GstBuffer * buffer, const Picture * picture,
    const Rule * rule);

/* Pushes a frame and expects nothing to come out.  (takes buffer) */
void rig_run_dropped (Rig * rig, GstBuffer * buffer, GstFlowReturn flow);

/* Stops the element and starts it again, with a stream that has no caps yet. */
void rig_restart (Rig * rig);

/* Fails unless the bus has just one warning or error, of the domain and code,
 * with each of the words in its text; the list ends with NULL. */
void
bus_expect (GstBus * bus, GstMessageType type, GQuark domain, gint code, ...)
    G_GNUC_NULL_TERMINATED;
     void bus_expect_nothing (GstBus * bus);

     guint64 stat_count (GstElement * element, const gchar * field);
     gint stat_device (GstElement * element);
     gchar *stat_backend (GstElement * element);
