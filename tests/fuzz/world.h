/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* One element between two pads, and what is known of them. */

#pragma once

#include <gst/check/gstharness.h>
#include <gst/video/video.h>

#include "input.h"
#include "shot.h"

typedef struct
{
  Input input;
  GstElement *element;
  GstBus *bus;
  GstHarness *harness;
  GstBufferPool *pool;          /* that the element proposed, active; or NULL */
  GstBuffer *shared;            /* that upstream holds on to; or NULL */
  gboolean settled;             /* caps are agreed on, by both sides still */
  gboolean trouble;             /* frames may fail: a bad pool, a bad GPU */
  gboolean qos;                 /* frames may be dropped */
  gboolean set_aside;           /* frames were, and their memory stays */
  guint errors;                 /* messages, since the last buffer */
  gboolean too_many;            /* the last one: incomplete frames */
} World;

/* Since the process started. */
typedef struct
{
  guint64 buffers, events, queries, changes;
  guint64 exact;                /* frames compared byte for byte */
  guint64 dropped, failed;      /* incomplete ones, and those refused */
} Counts;

extern Counts counts;

typedef void (*Step) (World * world);

/* Caps of any kind, and mostly good ones; NULL where they can't be parsed.
 * (transfer full) */
GstCaps *world_take_caps (World * world);

/* Reads the bus, and what else has come out of the element. */
void world_drain (World * world);
/* Flushing, or past EOS, somewhere. */
gboolean world_is_closed (World * world);
/* Ends the process unless what came of a shot is right. */
void world_check (World * world, Shot * shot, GstFlowReturn flow);

/* Of the element's stats. */
guint64 world_frames_set_aside (World * world);
/* Of all elements, for good. */
extern gint memories_set_aside;

void world_change_sink_caps (World * world);
void world_set_property (World * world);
/* Perhaps on a GPU, as bad as it likes; it may stay stopped. */
void world_restart (World * world);
/* A GPU that was given up writes where it was told to. */
void world_act_late (World * world);
void world_set_context (World * world);

/* The events and queries of both directions. */
void world_event (World * world);
void world_query (World * world);

/* Its pools have no larger frames, with up to so many bytes between rows. */
#define DOWNSTREAM_MAX_SIZE ((gsize) 1 << 20)
#define DOWNSTREAM_MAX_PAD 80

/* Downstream answers the ALLOCATION queries of the harness' pad. */
void downstream_init (World * world);
/* Another answer from now on. */
void downstream_change (World * world);
/* Its frames can't be written. */
gboolean downstream_is_bad (void);
