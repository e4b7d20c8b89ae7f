/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Cases 35 and 53, of few: elements into which several threads push frames of
 * all kinds, which they stop, start, flush and renegotiate, and whose pools
 * they use.  Each keeps GStreamer's rules, and waits for no other otherwise.
 * Every frame that comes out is right, and in the end frames come out. */

#include "endure.h"

#include <gst/check/gstharness.h>

#include "gpu.h"
#include "gstcudagrayallocator.h"

#define MAX_LINES 16
#define MAX_FRAMES 20           /* a step */
#define NOISE 100000

typedef struct
{
  GstHarness *harness;
  GstBus *bus;
  PipeWatch *watch;
  GMutex stream;                /* around what is serialised with frames */
  gboolean fresh;               /* no frame has come since a flush or a start */
  gboolean halted;              /* a frame was refused: none until either */
} Line;

static const guint sizes[] = { 1, MAX_LINES };

static struct
{
  Line lines[MAX_LINES];
  guint n;
  GstAllocator *allocator;      /* of memory that a GPU reaches */
  guint8 noise[NOISE];
} all;

static const struct
{
  GstVideoFormat format;
  guint width, height;
} shapes[] = {
  {GST_VIDEO_FORMAT_RGB, 33, 17}, {GST_VIDEO_FORMAT_RGB, 1, 1},
  {GST_VIDEO_FORMAT_BGRx, 160, 120}, {GST_VIDEO_FORMAT_GBR, 64, 48},
  {GST_VIDEO_FORMAT_I420, 50, 30}, {GST_VIDEO_FORMAT_YUY2, 64, 3},
  {GST_VIDEO_FORMAT_RGB10A2_LE, 33, 9}, {GST_VIDEO_FORMAT_GRAY8, 20, 20},
};

static GstCaps *
draw_caps (GRand * rand, GstVideoInfo * info)
{
  guint shape = g_rand_int_range (rand, 0, G_N_ELEMENTS (shapes));

  gst_video_info_set_format (info, shapes[shape].format, shapes[shape].width,
      shapes[shape].height);
  return gst_video_info_to_caps (info);
}

/* From the element's own pool; NULL where the element is stopped. */
static GstBuffer *
pool_buffer (Line * line, GstCaps * caps)
{
  GstQuery *query = gst_query_new_allocation (caps, TRUE);
  GstBufferPool *pool = NULL;
  GstBuffer *buffer = NULL;

  if (gst_pad_peer_query (line->harness->srcpad, query) &&
      gst_query_get_n_allocation_pools (query) > 0)
    gst_query_parse_nth_allocation_pool (query, 0, &pool, NULL, NULL, NULL);
  gst_query_unref (query);
  if (pool == NULL)
    return NULL;
  if (gst_buffer_pool_set_active (pool, TRUE))
    gst_buffer_pool_acquire_buffer (pool, &buffer, NULL);
  /* It is freed when its buffer comes back. */
  gst_buffer_pool_set_active (pool, FALSE);
  gst_object_unref (pool);
  return buffer;
}

static GstBuffer *
draw_buffer (GRand * rand, Line * line, GstCaps * caps, gsize size)
{
  gint kind = g_rand_int_range (rand, 0, 3);
  GstBuffer *buffer = kind == 0 ? pool_buffer (line, caps) : NULL;

  if (buffer == NULL)
    buffer = gst_buffer_new_allocate (kind == 1 ? all.allocator : NULL, size,
        NULL);
  gst_buffer_fill (buffer, 0, all.noise +
      g_rand_int_range (rand, 0, NOISE - size), size);
  return buffer;
}

/* As a source does after a flush or a start. */
static void
begin_stream (Line * line)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (line->harness->srcpad,
      gst_event_new_stream_start ("stress"));
  gst_pad_push_event (line->harness->srcpad, gst_event_new_segment (&segment));
  line->fresh = FALSE;
}

/* What a flush or a stop interrupts may fail in any way, but not with an error
 * of the element's own.  Like a source, a line then waits for their end. */
static gchar *
take_flow (Line * line, GstFlowReturn flow)
{
  line->halted = flow != GST_FLOW_OK;
  return flow == GST_FLOW_ERROR ? endure_read_bus (line->bus) : NULL;
}

/* So many frames of the same caps. */
static gchar *
push (GRand * rand, Line * line, gint n)
{
  gchar *problem = NULL;
  GstVideoInfo info;
  GstCaps *caps = draw_caps (rand, &info);

  g_mutex_lock (&line->stream);
  if (!line->halted) {
    gst_pad_push_event (line->harness->srcpad, gst_event_new_caps (caps));
    if (line->fresh)
      begin_stream (line);
  }
  for (; n > 0 && !line->halted && problem == NULL; n--)
    problem = take_flow (line, gst_pad_push (line->harness->srcpad,
            draw_buffer (rand, line, caps, info.size)));
  g_mutex_unlock (&line->stream);
  gst_caps_unref (caps);
  return problem;
}

/* Whoever asks at any time: GStreamer lets it wait for the frame of then. */
static gchar *
ask_for_memory (GRand * rand, Line * line)
{
  GstPad *pad = gst_element_get_static_pad (line->harness->element, "sink");
  GstVideoInfo info;
  GstCaps *caps = draw_caps (rand, &info);
  GstQuery *query = gst_query_new_allocation (caps, g_rand_boolean (rand));

  gst_pad_query (pad, query);
  gst_query_unref (query);
  gst_caps_unref (caps);
  gst_object_unref (pad);
  return NULL;
}

static void
flush (Line * line)
{
  gst_pad_push_event (line->harness->srcpad, gst_event_new_flush_start ());
  g_mutex_lock (&line->stream);
  gst_pad_push_event (line->harness->srcpad, gst_event_new_flush_stop (TRUE));
  line->fresh = TRUE;
  line->halted = FALSE;
  g_mutex_unlock (&line->stream);
}

/* Down at any time; up before upstream. */
static gchar *
set_state (Line * line, GstState state)
{
  GstStateChangeReturn result;

  if (state > GST_STATE_READY)
    g_mutex_lock (&line->stream);
  result = gst_element_set_state (line->harness->element, state);
  if (state > GST_STATE_READY) {
    /* Downstream has begun anew as well, whatever flush it was in. */
    gst_pad_send_event (line->harness->sinkpad,
        gst_event_new_flush_stop (TRUE));
    line->fresh = TRUE;
    line->halted = FALSE;
    g_mutex_unlock (&line->stream);
  }
  return result != GST_STATE_CHANGE_FAILURE ? NULL :
      g_strdup ("a change of state failed");
}

static gchar *
step (GRand * rand, gpointer data)
{
  static const GstState states[] = {
    GST_STATE_PLAYING, GST_STATE_PLAYING, GST_STATE_PAUSED, GST_STATE_READY,
    GST_STATE_NULL
  };
  Line *line = &all.lines[g_rand_int_range (rand, 0, all.n)];
  gint what = g_rand_int_range (rand, 0, 20);

  if (what > 6)
    return push (rand, line, g_rand_int_range (rand, 1, MAX_FRAMES));
  if (what > 5)
    return ask_for_memory (rand, line);
  if (what > 3)
    return endure_meddle (rand, line->harness->element);
  if (what > 1)
    return set_state (line,
        states[g_rand_int_range (rand, 0, G_N_ELEMENTS (states))]);
  if (what > 0)
    return endure_read_bus (line->bus);
  flush (line);
  return NULL;
}

static void
line_init (Line * line)
{
  GstElement *gray = gst_element_factory_make ("cudagray", NULL);

  gst_util_set_object_arg (G_OBJECT (gray), "backend", pipe_backend ());
  line->bus = gst_bus_new ();
  gst_element_set_bus (gray, line->bus);
  line->watch = pipe_watch_element (gray);
  line->harness = gst_harness_new_with_element (gray, "sink", "src");
  gst_object_unref (gray);
  gst_harness_set_drop_buffers (line->harness, TRUE);
  g_mutex_init (&line->stream);
  line->fresh = TRUE;
}

/* The element starts once more, as if nothing had been. */
static void
line_finish (Line * line)
{
  GRand *rand = g_rand_new_with_seed (0);
  gchar *problem = endure_read_bus (line->bus);
  gint out;

  fail_unless (problem == NULL, "%s", problem);
  gst_util_set_object_arg (G_OBJECT (line->harness->element), "backend",
      pipe_backend ());
  fail_unless (set_state (line, GST_STATE_PLAYING) == NULL);
  out = line->watch->out;
  problem = push (rand, line, 3);
  fail_unless (problem == NULL, "%s", problem);
  problem = endure_read_bus (line->bus);
  fail_unless (problem == NULL, "%s", problem);
  fail_unless_equals_int (line->watch->out, out + 3);
  fail_unless_equals_uint64 (pipe_stat (line->harness->element,
          "frames-dropped"), 0);
  g_rand_free (rand);
  gst_element_set_bus (line->harness->element, NULL);
  gst_object_unref (line->bus);
  gst_harness_teardown (line->harness);
  pipe_watch_free (line->watch);
  g_mutex_clear (&line->stream);
}

GST_START_TEST (test_stress)
{
  GpuBlockUse use;
  gint frames = 0;

  all.n = sizes[__i__];
  for (guint i = 0; i < NOISE; i++)
    all.noise[i] = g_random_int ();
  all.allocator = gst_cuda_gray_allocator_new (g_str_equal (pipe_backend (),
          "cuda"));
  for (guint i = 0; i < all.n; i++)
    line_init (&all.lines[i]);
  endure_run (step, NULL);
  for (guint i = 0; i < all.n; i++) {
    set_state (&all.lines[i], GST_STATE_NULL);
    frames += all.lines[i].watch->out;
  }
  g_print ("%d frames\n", frames);
  fail_unless (frames > 20);
  for (guint i = 0; i < all.n; i++)
    line_finish (&all.lines[i]);
  gst_object_unref (all.allocator);
  gpu_blocks_use (&use);
  fail_unless_equals_uint64 (use.used, 0);
}

GST_END_TEST;

static Suite *
stress_suite (void)
{
  Suite *s = suite_create ("stress");

  tcase_add_loop_test (pipe_tcase (s, "stress"), test_stress, 0,
      G_N_ELEMENTS (sizes));
  return s;
}

int
main (int argc, char **argv)
{
  return endure_main (argc, argv, stress_suite);
}
