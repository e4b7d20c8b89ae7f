/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* One bare element, with the messages that it posts, and frames that are known
 * by a number: whose context they are in is what the tests vary. */

#pragma once

#include <gst/check/gstharness.h>

#include "frames.h"

/* What is in the GPU's memory, by the caps. */
typedef enum
{
  FLOW_SYSTEM = 0,
  FLOW_CUDA_IN = 1 << 0,
  FLOW_CUDA_OUT = 1 << 1,
  FLOW_CUDA = FLOW_CUDA_IN | FLOW_CUDA_OUT
} FlowMemory;

#define FLOW_N_MEMORIES 4

typedef struct
{
  GstElement *element;
  GstBus *bus;
  GstHarness *harness;          /* NULL before flow_start */
  GstCudaContext *answer;       /* to NEED_CONTEXT, or NULL; not owned */
  /* What was posted; the harness has no thread of its own. */
  guint needed, had;
  GstCudaContext *made;         /* of the last HAVE_CONTEXT */
} Flow;

/* A stopped element. */
Flow *flow_new (const gchar * backend, gint device_id);

/* Plays, for output in that memory. */
void flow_play (Flow * flow, FlowMemory memory);

/* Sets the input's caps. */
void flow_set_caps (Flow * flow, FlowMemory memory);

/* Both. */
void flow_start (Flow * flow, FlowMemory memory);
Flow *flow_new_started (const gchar * backend, gint device_id,
    FlowMemory memory);

/* Stops it, and starts it again. */
void flow_restart (Flow * flow, FlowMemory memory);

/* Fails after a warning or an error that nobody has asked for. */
void flow_free (Flow * flow);

/* Frame n in a context's memory, or in the system's.  Only the device has its
 * bytes, unless the CPU maps it.  (transfer full) */
GstBuffer *flow_frame (GstCudaContext * context, guint n);

/* Fails unless this is frame n in gray; see frames_check. */
void flow_check (GstBuffer * buffer, guint n);

/* Whether it is, as the CPU maps it.  Safe in any thread. */
gboolean flow_is_gray (GstBuffer * buffer, guint n);
gboolean flow_has_rows (const guint8 * data, gint stride, guint n);

/* Pushes a frame, which must come out as n in gray.  (takes buffer; transfer
 * full) */
GstBuffer *flow_run (Flow * flow, GstBuffer * buffer, guint n);

/* The same with frame n of a context, of which nothing is kept. */
void flow_run_in (Flow * flow, GstCudaContext * context, guint n);

/* What the element answers a CONTEXT query on a pad with, or NULL.  (transfer
 * none) */
GstCudaContext *flow_ask (GstElement * element, const gchar * pad);

void flow_give_context (GstElement * element, GstCudaContext * context);

/* Fails unless the bus has just one warning or error, with these words in it;
 * none. */
void flow_expect (Flow * flow, GstMessageType type, const gchar * words);
void flow_expect_nothing (Flow * flow);

/* How many warnings or errors it has; they are gone then. */
guint flow_take_messages (Flow * flow, GstMessageType type);

/* Sets caps for which there is no memory, and fails unless a frame then gets an
 * error of the element's: who only hears that the flow has ended can't know
 * why.  (takes caps) */
void flow_expect_refusal (Flow * flow, GstCaps * caps);

guint64 flow_stat (Flow * flow, const gchar * field);
gint flow_device (GstElement * element);
