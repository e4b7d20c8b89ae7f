/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* The element in a harness: caps, frames, events, queries, properties and
 * states in any order.  What comes out must be exact, and what does not must
 * have been refused: a drop of what is incomplete, a flow that says why, a
 * message.  A critical of GLib's is a crash. */

#include <gst/check/gstharness.h>
#include <inttypes.h>
#include <sanitizer/allocator_interface.h>

#include "fake.h"
#include "gpu.h"
#include "gstcudagray.h"
#include "metas.h"
#include "random.h"
#include "shot.h"
#include "world.h"

#define MAX_BURST 64
/* For AddressSanitizer.  Leaks are counted here: it would take what is set
 * aside for one, and could not say which input they are of. */
const char *__asan_default_options (void);

Counts counts;

static guint64 executions;
static gint64 blocks;           /* that malloc has given, and are not free */
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

static void
count_malloc (const volatile void *block, size_t size)
{
  blocks++;
}

static void
count_free (const volatile void *block)
{
  blocks -= block != NULL;
}

int
LLVMFuzzerInitialize (int *argc, char ***argv)
{
  gst_init (NULL, NULL);
  gst_debug_set_active (FALSE);
  g_log_set_default_handler (be_quiet, NULL);
  MUST (GST_ELEMENT_REGISTER (cudagray, NULL), "no element");
  shot_formats_init ();
  metas_init ();
  MUST (__sanitizer_install_malloc_and_free_hooks (count_malloc, count_free),
      "no hooks");
  atexit (print_counts);
  return 0;
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
  world->too_many = FALSE;
  if (input_rarely (&world->input, 16))
    gst_buffer_replace (&world->shared, shot.buffer);
  flow = gst_pad_push (world->harness->srcpad, shot.buffer);
  shot_pushed (&shot);
  world_drain (world);
  in_force = caps_of_sink (world);
  /* Caps that come with the buffer may be others. */
  if (same_caps (caps, in_force))
    world_check (world, &shot, flow);
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

/* Mostly short ones: what is new is in the steps between them. */
static guint
take_burst (Input * input)
{
  guint n = input_below (input, 256);

  return 1 + (n < 224 ? n % 8 : n % MAX_BURST);
}

/* A stream that flows again, and a good part of it; as downstream wishes, if
 * that can be had. */
static void
push_frames (World * world)
{
  guint n = take_burst (&world->input);

  if (GST_STATE (world->element) != GST_STATE_PLAYING)
    world_restart (world);
  if (world_is_closed (world)) {
    gst_pad_push_event (world->harness->srcpad,
        gst_event_new_flush_stop (TRUE));
    counts.events++;
  }
  for (guint tries = 0; !world->settled && tries < 4; tries++) {
    if (tries == 2)
      gst_harness_set_sink_caps (world->harness, gst_caps_new_any ());
    push_caps (world);
  }
  repeat (world, push_frame, n);
}

static void
push_events (World * world)
{
  repeat (world, world_event, take_burst (&world->input));
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

/* Whether frames were set aside. */
static gboolean
run (const uint8_t * data, size_t size)
{
  World world = {.input = {data, data + size} };

  executions++;
  world_open (&world);
  while (input_has_more (&world.input)) {
    steps[input_below (&world.input, G_N_ELEMENTS (steps))] (&world);
    world_drain (&world);
  }
  world_close (&world);
  return world.set_aside;
}

/* Types, names and the like are made the first time and stay; what is lost is
 * lost each time. */
int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  gint64 before, lost = 1;

  for (guint tries = 0; lost > 0 && tries < 3; tries++) {
    before = blocks;
    if (run (data, size))
      return 0;
    lost = blocks - before;
  }
  MUST (lost <= 0, "%" G_GINT64_FORMAT " blocks leak", lost);
  return 0;
}
