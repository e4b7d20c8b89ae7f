/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Events and queries of both directions. */

#include "world.h"

typedef GstEvent *(*MakeEvent) (World * world);
typedef GstQuery *(*MakeQuery) (World * world);

static GstEvent *
stream_start (World * world)
{
  return gst_event_new_stream_start ("again");
}

static GstEvent *
segment (World * world)
{
  static const GstFormat kinds[] = { GST_FORMAT_TIME, GST_FORMAT_TIME,
    GST_FORMAT_BYTES, GST_FORMAT_DEFAULT
  };
  static const gdouble rates[] = { 1, -1, 0.5, 1000, -1e-9 };
  Input *input = &world->input;
  guint64 a = input_take (input, 4), b = input_take (input, 4);
  GstSegment segment;

  gst_segment_init (&segment, kinds[input_below (input, 4)]);
  segment.rate = rates[input_below (input, 5)];
  segment.applied_rate = rates[input_below (input, 5)];
  segment.start = MIN (a, b);
  /* GStreamer's own code has a critical for what runs back from nowhere. */
  segment.stop = segment.rate < 0 || input_below (input, 2) ? MAX (a, b) :
      GST_CLOCK_TIME_NONE;
  segment.base = input_take (input, 4);
  segment.time = input_take (input, 4);
  segment.position = segment.start;
  return gst_event_new_segment (&segment);
}

static GstEvent *
eos (World * world)
{
  return gst_event_new_eos ();
}

static GstEvent *
flush_start (World * world)
{
  return gst_event_new_flush_start ();
}

static GstEvent *
flush_stop (World * world)
{
  return gst_event_new_flush_stop (input_below (&world->input, 2));
}

static GstEvent *
gap (World * world)
{
  return gst_event_new_gap (input_take (&world->input, 4),
      input_take (&world->input, 4));
}

static GstEvent *
tags (World * world)
{
  return gst_event_new_tag (gst_tag_list_new (GST_TAG_TITLE, "a title",
          GST_TAG_BITRATE, (guint) input_take (&world->input, 4), NULL));
}

static GstEvent *
custom_downstream (World * world)
{
  return gst_event_new_custom (input_below (&world->input, 2) ?
      GST_EVENT_CUSTOM_DOWNSTREAM : GST_EVENT_CUSTOM_DOWNSTREAM_OOB,
      gst_structure_new_empty ("anything"));
}

static GstEvent *
segment_done (World * world)
{
  return gst_event_new_segment_done (GST_FORMAT_TIME,
      (gint64) input_take (&world->input, 4));
}

static GstEvent *
instant_rate (World * world)
{
  return gst_event_new_instant_rate_change (2.0, 0);
}

static GstEvent *
group_done (World * world)
{
  return gst_event_new_stream_group_done (1 +
      (guint) input_take (&world->input, 2));
}

static const MakeEvent downstream[] = { segment, stream_start, eos,
  flush_start, flush_stop, gap, tags, custom_downstream, segment_done,
  instant_rate, group_done, flush_stop, segment
};

static GstEvent *
qos (World * world)
{
  Input *input = &world->input;

  return gst_event_new_qos (input_below (input, 4), input_below (input, 5),
      (GstClockTimeDiff) input_take (input, 4), input_take (input, 5));
}

static GstEvent *
seek (World * world)
{
  Input *input = &world->input;

  return gst_event_new_seek (1, GST_FORMAT_TIME, input_take (input, 1),
      GST_SEEK_TYPE_SET, (gint64) input_take (input, 4), GST_SEEK_TYPE_NONE, 0);
}

static GstEvent *
latency (World * world)
{
  return gst_event_new_latency (input_take (&world->input, 5));
}

static GstEvent *
reconfigure (World * world)
{
  return gst_event_new_reconfigure ();
}

static GstEvent *
custom_upstream (World * world)
{
  return gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM,
      gst_structure_new_empty ("anything"));
}

static GstEvent *
step (World * world)
{
  return gst_event_new_step (GST_FORMAT_BUFFERS, input_take (&world->input, 2),
      1, TRUE, FALSE);
}

static GstEvent *
navigation (World * world)
{
  return gst_event_new_navigation (gst_structure_new ("application/x-gst-"
          "navigation", "event", G_TYPE_STRING, "mouse-move",
          "pointer_x", G_TYPE_DOUBLE, (gdouble) input_number (&world->input),
          "pointer_y", G_TYPE_DOUBLE, 1.0, NULL));
}

static const MakeEvent upstream[] = { qos, seek, latency, reconfigure,
  custom_upstream, step, navigation, qos
};

void
world_event (World * world)
{
  guint which = input_below (&world->input,
      G_N_ELEMENTS (downstream) + G_N_ELEMENTS (upstream));

  counts.events++;
  if (which < G_N_ELEMENTS (downstream))
    gst_pad_push_event (world->harness->srcpad, downstream[which] (world));
  else
    gst_pad_push_event (world->harness->sinkpad,
        upstream[which - G_N_ELEMENTS (downstream)] (world));
}

static GstQuery *
ask_caps (World * world)
{
  GstCaps *filter = input_below (&world->input, 2) ? world_take_caps (world) :
      NULL;
  GstQuery *query = gst_query_new_caps (filter);

  gst_clear_caps (&filter);
  return query;
}

static GstQuery *
ask_accept (World * world)
{
  GstCaps *caps = world_take_caps (world);
  GstQuery *query = caps != NULL && gst_caps_is_fixed (caps) ?
      gst_query_new_accept_caps (caps) : NULL;

  gst_clear_caps (&caps);
  return query;
}

static GstQuery *
ask_latency (World * world)
{
  return gst_query_new_latency ();
}

static GstQuery *
ask_position (World * world)
{
  return gst_query_new_position (input_below (&world->input, 6));
}

static GstQuery *
ask_duration (World * world)
{
  return gst_query_new_duration (input_below (&world->input, 6));
}

static GstQuery *
ask_segment (World * world)
{
  return gst_query_new_segment (GST_FORMAT_TIME);
}

static GstQuery *
ask_convert (World * world)
{
  return gst_query_new_convert (GST_FORMAT_TIME,
      input_number (&world->input), GST_FORMAT_BYTES);
}

static GstQuery *
ask_scheduling (World * world)
{
  return gst_query_new_scheduling ();
}

static GstQuery *
ask_context (World * world)
{
  return gst_query_new_context (input_below (&world->input, 2) ?
      "gst.cuda.context" : "gst.gl.GLDisplay");
}

static GstQuery *
ask_drain (World * world)
{
  return gst_query_new_drain ();
}

static GstQuery *
ask_custom (World * world)
{
  return gst_query_new_custom (GST_QUERY_CUSTOM,
      gst_structure_new_empty ("anything"));
}

static const MakeQuery questions[] = { ask_latency, ask_position,
  ask_duration, ask_segment, ask_convert, ask_scheduling, ask_context,
  ask_drain, ask_custom, ask_latency, ask_position, ask_caps, ask_accept
};

/* Downstream's pads can be asked by upstream and the other way round. */
void
world_query (World * world)
{
  guint which = input_below (&world->input, 2 * G_N_ELEMENTS (questions));
  GstQuery *query = questions[which / 2] (world);

  if (query == NULL)
    return;
  counts.queries++;
  gst_pad_peer_query (which % 2 ? world->harness->sinkpad :
      world->harness->srcpad, query);
  gst_query_unref (query);
}
