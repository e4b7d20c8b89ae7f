/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* The element in a harness: caps, frames, events, queries, properties and
 * states in any order.  What comes out must be exact, and what does not must
 * have been refused: a drop of what is incomplete, a flow that says why, a
 * message.  A critical of GLib's is a crash. */

#include <gst/check/gstharness.h>
#include <inttypes.h>

#include "fake.h"
#include "gpu.h"
#include "gstcudagray.h"
#include "random.h"
#include "shot.h"
#include "world.h"

#define MAX_BURST 64
/* Where memory may be short. */
#define LARGE_FRAME ((gsize) 1 << 26)

/* For AddressSanitizer.  Leaks are counted here; what is set aside is none. */
const char *__asan_default_options (void);

Counts counts;

static guint64 executions;
gint memories_set_aside;

const char *
__asan_default_options (void)
{
  return "detect_leaks=0:quarantine_size_mb=32:malloc_context_size=6";
}

static void
print_counts (void)
{
  fprintf (stderr, "fuzz-element: %" PRIu64 " elements, %" PRIu64
      " buffers (%" PRIu64 " compared, %" PRIu64 " incomplete, %" PRIu64
      " refused), %" PRIu64 " events, %" PRIu64 " queries, %" PRIu64
      " other changes\n", executions, counts.buffers, counts.exact,
      counts.dropped, counts.failed, counts.events, counts.queries,
      counts.changes);
}

static void
be_quiet (const gchar * domain, GLogLevelFlags level, const gchar * message,
    gpointer data)
{
  if (level & (G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_ERROR))
    MUST (FALSE, "%s: %s", domain, message);
}

int
LLVMFuzzerInitialize (int *argc, char ***argv)
{
  gst_init (NULL, NULL);
  gst_debug_set_active (FALSE);
  g_log_set_default_handler (be_quiet, NULL);
  MUST (GST_ELEMENT_REGISTER (cudagray, NULL), "no element");
  shot_formats_init ();
  atexit (print_counts);
  return 0;
}

static void
drain (World * world)
{
  GstMessage *message;
  GstEvent *event;

  while ((message = gst_bus_pop (world->bus)) != NULL) {
    world->errors += GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR;
    gst_message_unref (message);
  }
  while ((event = gst_harness_try_pull_event (world->harness)) != NULL)
    gst_event_unref (event);
  while ((event = gst_harness_try_pull_upstream_event (world->harness)) != NULL)
    gst_event_unref (event);
}

static GstCaps *
caps_of_sink (World * world)
{
  GstBaseTransform *trans = GST_BASE_TRANSFORM (world->element);

  return gst_pad_get_current_caps (trans->sinkpad);
}

/* The caps in force, or else upstream's, which come with the next buffer. */
static GstCaps *
caps_of_input (World * world)
{
  GstCaps *caps = caps_of_sink (world);

  return caps != NULL ? caps :
      gst_pad_get_current_caps (world->harness->srcpad);
}

static gboolean
same_caps (const GstCaps * a, const GstCaps * b)
{
  return a != NULL && b != NULL && gst_caps_is_equal (a, b);
}

/* Pushing a sticky event succeeds always: refused caps are not on the pad. */
static void
push_caps (World * world)
{
  GstCaps *caps = world_take_caps (world), *before = caps_of_sink (world);
  GstCaps *taken;

  if (caps != NULL && gst_caps_is_fixed (caps)) {
    counts.events++;
    gst_pad_push_event (world->harness->srcpad, gst_event_new_caps (caps));
    taken = caps_of_sink (world);
    if (!same_caps (before, caps))
      world->settled = same_caps (taken, caps);
    gst_clear_caps (&taken);
  }
  gst_clear_caps (&before);
  gst_clear_caps (&caps);
}

/* Flushing, or past EOS, somewhere. */
static gboolean
is_closed (World * world)
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
  gboolean large = shot->info.size > LARGE_FRAME;

  counts.failed += flow != GST_FLOW_OK;
  /* A pad that is flushing refuses sticky events: an error of GStreamer's. */
  MUST (flow != GST_FLOW_ERROR || world->errors > 0 || is_closed (world),
      "an error unexplained");
  MUST (flow == GST_FLOW_OK || !came_out, "a frame with flow %s",
      gst_flow_get_name (flow));
  if (shot->frame.deep == NULL || !world->settled || world->trouble || large ||
      !shot->mappable || shot->unsure || is_closed (world))
    return;
  MUST (flow == GST_FLOW_OK || (flow == GST_FLOW_ERROR && !shot->whole),
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

  g_object_get (world->element, "stats", &stats, NULL);
  MUST (gst_structure_get_uint64 (stats, "frames-set-aside", &count), "stats");
  gst_structure_free (stats);
  return count;
}

/* What came out, or that nothing did. */
static void
check_outcome (World * world, Shot * shot, GstFlowReturn flow)
{
  GstBuffer *out = gst_harness_try_pull (world->harness);
  GstCaps *caps = gst_pad_get_current_caps (world->harness->sinkpad);

  shot_judge (shot, caps);
  check_flow (world, shot, flow, out != NULL);
  if (out != NULL) {
    MUST (shot->whole || shot->unsure, "an incomplete frame of %s came out",
        shot->frame.deep ? shot->frame.deep->name : "no caps");
    counts.exact += shot_check (shot, out, caps);
    gst_buffer_unref (out);
  } else if (flow == GST_FLOW_OK) {
    counts.dropped++;
  }
  gst_clear_caps (&caps);
}

static void
push_frame (World * world)
{
  GstCaps *caps = caps_of_input (world), *in_force;
  guint64 before = world_frames_set_aside (world);
  GstFlowReturn flow;
  GstBuffer *out;
  Shot shot;

  shot_init (&shot, &world->input, caps, world->pool);
  counts.buffers++;
  world->errors = 0;
  if (input_rarely (&world->input, 16))
    gst_buffer_replace (&world->shared, shot.buffer);
  flow = gst_pad_push (world->harness->srcpad, shot.buffer);
  drain (world);
  in_force = caps_of_sink (world);
  /* Caps that come with the buffer may be others. */
  if (same_caps (caps, in_force))
    check_outcome (world, &shot, flow);
  while ((out = gst_harness_try_pull (world->harness)) != NULL)
    gst_buffer_unref (out);
  gst_clear_buffer (&world->shared);
  world->set_aside |= world_frames_set_aside (world) > before;
  shot_clear (&shot);
  gst_clear_caps (&in_force);
  gst_clear_caps (&caps);
}

/* Upstream takes the pool that it is offered, if any. */
static void
ask_allocation (World * world)
{
  GstCaps *caps = input_rarely (&world->input, 4) ? world_take_caps (world) :
      caps_of_input (world);
  GstQuery *query = gst_query_new_allocation (caps,
      input_below (&world->input, 4) != 3);
  guint size;

  counts.queries++;
  if (world->pool != NULL)
    gst_buffer_pool_set_active (world->pool, FALSE);
  gst_clear_object (&world->pool);
  if (gst_pad_peer_query (world->harness->srcpad, query) &&
      gst_query_get_n_allocation_pools (query) > 0) {
    gst_query_parse_nth_allocation_pool (query, 0, &world->pool, &size, NULL,
        NULL);
    if (world->pool != NULL && (size > 1 << 16 ||
            !gst_buffer_pool_set_active (world->pool, TRUE)))
      gst_clear_object (&world->pool);
  }
  gst_query_unref (query);
  gst_clear_caps (&caps);
}

/* Many steps of a kind, with choices that follow from few bytes. */
static void
repeat (World * world, Step step, guint n)
{
  guint8 choices[MAX_BURST * 32];
  Input rest = world->input;
  gsize size = n * 32;

  random_start (input_take (&rest, 3));
  random_fill (choices, size);
  for (guint i = 0; i < n; i++) {
    world->input = (Input) {
    choices + 32 * i, choices + size};
    step (world);
  }
  world->input = rest;
}

/* A stream that flows again, and a good part of it. */
static void
push_frames (World * world)
{
  guint n = 1 + input_below (&world->input, MAX_BURST);

  if (GST_STATE (world->element) != GST_STATE_PLAYING)
    world_restart (world);
  if (is_closed (world)) {
    gst_pad_push_event (world->harness->srcpad,
        gst_event_new_flush_stop (TRUE));
    counts.events++;
  }
  for (guint tries = 0; !world->settled && tries < 4; tries++) {
    gst_harness_set_sink_caps (world->harness, gst_caps_new_any ());
    push_caps (world);
  }
  repeat (world, push_frame, n);
}

static void
push_events (World * world)
{
  repeat (world, world_event, 1 + input_below (&world->input, MAX_BURST));
}

static const Step steps[] = { push_frame, push_frames, push_frames, push_frames,
  push_events, push_frames, push_caps, push_caps, world_event, push_events,
  world_query, ask_allocation, world_change_sink_caps, world_set_property,
  world_restart, downstream_change, world_act_late, world_set_context
};

static void
world_open (World * world)
{
  static const FakePlan none = { GPU_ABSENT };

  fake_install (&none);
  world->element = gst_element_factory_make ("cudagray", NULL);
  world->bus = gst_bus_new ();
  gst_element_set_bus (world->element, world->bus);
  world->harness = gst_harness_new_with_element (world->element, "sink", "src");
  downstream_init (world);
}

/* Nothing stays but what was set aside. */
static void
world_close (World * world)
{
  GpuBlockUse use;

  if (world->pool != NULL)
    gst_buffer_pool_set_active (world->pool, FALSE);
  gst_clear_object (&world->pool);
  gst_harness_teardown (world->harness);
  gst_element_set_bus (world->element, NULL);
  gst_bus_set_flushing (world->bus, TRUE);
  MUST (GST_OBJECT_REFCOUNT_VALUE (world->element) == 1, "the element leaks");
  gst_object_unref (world->element);
  gst_object_unref (world->bus);
  /* What it read, and what it wrote, in a pool of downstream's or not. */
  if (world->set_aside)
    memories_set_aside = shot_live;
  gpu_blocks_use (&use);
  MUST (shot_live == memories_set_aside, "%d memories leak",
      shot_live - memories_set_aside);
  MUST (memories_set_aside > 0 || use.used == 0, "%zu bytes leak", use.used);
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  World world = {.input = {data, data + size} };

  executions++;
  world_open (&world);
  while (input_has_more (&world.input)) {
    steps[input_below (&world.input, G_N_ELEMENTS (steps))] (&world);
    drain (&world);
  }
  world_close (&world);
  return 0;
}
