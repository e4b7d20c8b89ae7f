/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* What comes of a frame that was pushed, or that nothing does and why. */

#include "fake.h"
#include "world.h"

/* Incomplete frames are no error until there are many. */
static void
note_error (World * world, GstMessage * message)
{
  GError *error;

  gst_message_parse_error (message, &error, NULL);
  world->errors++;
  world->too_many = strstr (error->message, "frames in a row") != NULL;
  g_error_free (error);
}

void
world_drain (World * world)
{
  GstMessage *message;
  GstEvent *event;

  while ((message = gst_bus_pop (world->bus)) != NULL) {
    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
      note_error (world, message);
    gst_message_unref (message);
  }
  while ((event = gst_harness_try_pull_event (world->harness)) != NULL)
    gst_event_unref (event);
  while ((event = gst_harness_try_pull_upstream_event (world->harness)) != NULL)
    gst_event_unref (event);
}

/* Flushing, or past EOS, somewhere. */
gboolean
world_is_closed (World * world)
{
  GstBaseTransform *trans = GST_BASE_TRANSFORM (world->element);
  GstPad *pads[] = { world->harness->srcpad, trans->sinkpad, trans->srcpad,
    world->harness->sinkpad
  };
  gboolean closed = FALSE;

  for (guint i = 0; i < G_N_ELEMENTS (pads); i++)
    closed |= GST_PAD_IS_FLUSHING (pads[i]) || GST_PAD_IS_EOS (pads[i]);
  return closed;
}

/* A flow that is not OK says why. */
static void
check_flow (World * world, const Shot * shot, GstFlowReturn flow,
    gboolean came_out)
{
  gboolean large = (gsize) shot->frame.height * (2 * (gsize) shot->frame.width +
      DOWNSTREAM_MAX_PAD) > DOWNSTREAM_MAX_SIZE - DOWNSTREAM_MAX_PAD;

  counts.failed += flow != GST_FLOW_OK;
  MUST (flow != GST_FLOW_OK || world->errors == 0, "an error with flow OK");
  /* A pad that is flushing refuses sticky events: an error of GStreamer's. */
  MUST (flow != GST_FLOW_ERROR || world->errors > 0 || world_is_closed (world),
      "an error unexplained");
  MUST (flow == GST_FLOW_OK || !came_out, "a frame with flow %s",
      gst_flow_get_name (flow));
  if (shot->frame.deep == NULL || !world->settled || world->trouble || large ||
      !shot->mappable || shot->unsure || world_is_closed (world))
    return;
  MUST (flow == GST_FLOW_OK || (flow == GST_FLOW_ERROR && !shot->whole &&
          world->too_many),
      "a frame of %s, %ux%u: flow %s", shot->frame.deep->name,
      shot->frame.width, shot->frame.height, gst_flow_get_name (flow));
  MUST (came_out || !shot->whole || world->qos,
      "a frame of %s, %ux%u was lost", shot->frame.deep->name,
      shot->frame.width, shot->frame.height);
}

guint64
world_frames_set_aside (World * world)
{
  GstStructure *stats;
  guint64 count;

  /* A good part of a frame's time goes into making the structure. */
  if (fake.plan.result != LUMA_UNKNOWN)
    return 0;
  g_object_get (world->element, "stats", &stats, NULL);
  MUST (gst_structure_get_uint64 (stats, "frames-set-aside", &count), "stats");
  gst_structure_free (stats);
  return count;
}

/* Downstream keeps a copy of what came out, or of a part, or shares its memory;
 * a part is compared here. (transfer full) */
static GstBuffer *
take_copy (Input * input, GstBuffer * out)
{
  gsize size = gst_buffer_get_size (out);
  guint kind = input_below (input, 16), begin, n;
  GstBuffer *part;
  GstMapInfo map;

  if (kind == 15)
    return gst_buffer_copy_deep (out);
  if (kind < 13 || size == 0 || size > G_MAXUINT16)
    return gst_buffer_ref (out);
  begin = input_below (input, size);
  n = input_below (input, size - begin + 1);
  part = gst_buffer_copy_region (out, GST_BUFFER_COPY_MEMORY |
      (kind == 14 ? GST_BUFFER_COPY_DEEP : 0), begin, n);
  MUST (part != NULL && gst_buffer_get_size (part) == n, "%u bytes", n);
  MUST (gst_buffer_map (out, &map, GST_MAP_READ), "can't be mapped");
  MUST (n == 0 || gst_buffer_memcmp (part, 0, map.data + begin, n) == 0,
      "bytes %u to %u differ", begin, begin + n);
  gst_buffer_unmap (out, &map);
  gst_buffer_unref (part);
  return gst_buffer_ref (out);
}

/* What came out, or that nothing did. */
void
world_check (World * world, Shot * shot, GstFlowReturn flow)
{
  GstBuffer *out = gst_harness_try_pull (world->harness);
  /* Not those of the harness' pad: while it flushes it loses caps, and is not
   * sent the same ones again after a restart. */
  GstCaps *caps = gst_pad_get_current_caps (GST_BASE_TRANSFORM
      (world->element)->srcpad);

  shot_judge (shot, caps);
  check_flow (world, shot, flow, out != NULL);
  if (out != NULL) {
    GstBuffer *copy = take_copy (&world->input, out);

    MUST (shot->whole || shot->unsure, "an incomplete frame of %s came out",
        shot->frame.deep ? shot->frame.deep->name : "no caps");
    counts.exact += shot_check (shot, copy, caps);
    gst_buffer_unref (copy);
    gst_buffer_unref (out);
  } else if (flow == GST_FLOW_OK) {
    counts.dropped++;
  }
  gst_clear_caps (&caps);
}
