/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Cases 7, 8, 28 and 29 with live sources: no frame waits for another, and
 * each comes out as the camera gave it, whatever it changes to. */

#include <gst/check/gsttestclock.h>

#include "pipe.h"

#define FPS 5
#define FRAME (GST_SECOND / FPS)
#define FRAMES 6

static const gchar *const formats[] = { "RGB", "YUY2", "I420", "GRAY8" };

typedef struct
{
  gboolean live;
  GstClockTime min, max;        /* as the pipeline answers */
  GstClockTime sink;            /* as it was told to the sink */
} Latency;

/* Of a live pipeline through which frames flow. */
static Latency
latency_with (const gchar * format, const gchar * element)
{
  GstElement *pipeline = pipe_launch ("videotestsrc is-live=true ! "
      "video/x-raw,format=%s,width=33,height=17,framerate=%d/1 ! %s ! "
      "appsink name=sink", format, FPS, element);
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  GstQuery *query = gst_query_new_latency ();
  GstSample *sample;
  Latency latency;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  sample = pipe_pull (pipeline, "sink");
  fail_unless (sample != NULL);
  gst_sample_unref (sample);
  fail_unless (gst_bin_recalculate_latency (GST_BIN (pipeline)));
  fail_unless (gst_element_query (pipeline, query));
  gst_query_parse_latency (query, &latency.live, &latency.min, &latency.max);
  latency.sink = gst_base_sink_get_latency (GST_BASE_SINK (sink));
  gst_query_unref (query);
  gst_object_unref (sink);
  pipe_stop (pipeline, NULL);
  return latency;
}

/* What identity has, which adds none. */
GST_START_TEST (test_latency)
{
  Latency without = latency_with (formats[__i__], "identity");
  Latency with = latency_with (formats[__i__], "cudagray");

  fail_unless (without.live && without.min >= FRAME);
  fail_unless (with.live);
  fail_unless_equals_uint64 (with.min, without.min);
  fail_unless_equals_uint64 (with.max, without.max);
  fail_unless_equals_uint64 (with.sink, without.sink);
}

GST_END_TEST;

/* Until a streaming thread waits for the clock, which stands still. */
static GstClockTime
next_due (GstClock * clock)
{
  GstClockTime due;
  GList *ids = NULL;

  fail_unless (gst_test_clock_timed_wait_for_multiple_pending_ids
      (GST_TEST_CLOCK (clock), 1, 60 * 1000, &ids), "nobody waits");
  due = gst_clock_id_get_time (ids->data);
  g_list_free_full (ids, gst_clock_id_unref);
  return due;
}

/* On a clock that the test moves: by the time that the source waits for a frame's
 * time, the one before is at the sink, while the clock stood still.  So is the
 * first: a live source has no preroll to warm up by. */
GST_START_TEST (test_no_frame_waits)
{
  GstElement *pipeline = pipe_launch ("videotestsrc is-live=true ! "
      "video/x-raw,format=%s,width=33,height=17,framerate=%d/1 ! cudagray ! "
      "appsink name=sink sync=false", formats[__i__], FPS);
  PipeWatch *watch = pipe_watch (pipeline);
  GstClock *clock = gst_test_clock_new ();

  gst_pipeline_use_clock (GST_PIPELINE (pipeline), clock);
  fail_unless (gst_element_set_state (pipeline, GST_STATE_PAUSED) ==
      GST_STATE_CHANGE_NO_PREROLL);
  fail_if (gst_element_set_state (pipeline, GST_STATE_PLAYING) ==
      GST_STATE_CHANGE_FAILURE);
  fail_unless_equals_uint64 (next_due (clock), 0);
  fail_unless_equals_int (g_atomic_int_get (&watch->in), 0);
  for (gint i = 0; i < FRAMES; i++) {
    GstSample *sample;

    fail_unless (gst_test_clock_crank (GST_TEST_CLOCK (clock)));
    fail_unless_equals_uint64 (next_due (clock), (i + 1) * FRAME);
    fail_unless_equals_uint64 (gst_clock_get_time (clock), i * FRAME);
    fail_unless_equals_int (g_atomic_int_get (&watch->out), i + 1);
    sample = pipe_pull (pipeline, "sink");
    fail_unless (sample != NULL);
    fail_unless_equals_uint64 (GST_BUFFER_PTS (gst_sample_get_buffer (sample)),
        i * FRAME);
    gst_sample_unref (sample);
  }
  pipe_stop (pipeline, watch);
  gst_object_unref (clock);
}

GST_END_TEST;

/* A camera that the test is itself. */
typedef struct
{
  GstElement *pipeline;
  GstAppSrc *src;
  PipeWatch *watch;
  GstCaps *caps;
  GstSegment segment;
  GPtrArray *sent;              /* samples */
} Camera;

static void
camera_start (Camera * camera, const gchar * properties)
{
  camera->pipeline = pipe_launch ("appsrc name=src is-live=true format=time "
      "handle-segment-change=true ! cudagray %s ! appsink name=sink",
      properties);
  camera->src = GST_APP_SRC (gst_bin_get_by_name (GST_BIN (camera->pipeline),
          "src"));
  camera->watch = pipe_watch (camera->pipeline);
  camera->caps = NULL;
  gst_segment_init (&camera->segment, GST_FORMAT_TIME);
  camera->sent = g_ptr_array_new_with_free_func ((GDestroyNotify)
      gst_sample_unref);
  fail_if (gst_element_set_state (camera->pipeline, GST_STATE_PLAYING) ==
      GST_STATE_CHANGE_FAILURE);
}

static void
camera_set_mode (Camera * camera, const gchar * mode)
{
  gst_clear_caps (&camera->caps);
  camera->caps = gst_caps_from_string (mode);
  fail_unless (camera->caps != NULL && gst_caps_is_fixed (camera->caps));
}

/* Random bytes of the present mode's size. */
static GstBuffer *
camera_frame (Camera * camera, GstClockTime pts)
{
  GRand *rand = g_rand_new_with_seed (camera->sent->len);
  GstVideoInfo info;
  GstBuffer *buffer;
  GstMapInfo map;

  fail_unless (gst_video_info_from_caps (&info, camera->caps));
  buffer = gst_buffer_new_allocate (NULL, info.size, NULL);
  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (gsize i = 0; i < map.size; i++)
    map.data[i] = g_rand_int (rand);
  gst_buffer_unmap (buffer, &map);
  GST_BUFFER_PTS (buffer) = pts;
  g_rand_free (rand);
  return buffer;
}

/* At its time, as a camera does. */
static void
camera_send (Camera * camera, GstBuffer * buffer)
{
  GstSample *sample = gst_sample_new (buffer, camera->caps, &camera->segment,
      NULL);
  GstClock *clock = gst_element_get_clock (camera->pipeline);
  GstClockID due = gst_clock_new_single_shot_id (clock,
      gst_element_get_base_time (camera->pipeline) +
      gst_segment_to_running_time (&camera->segment, GST_FORMAT_TIME,
          GST_BUFFER_PTS (buffer)));

  gst_clock_id_wait (due, NULL);
  gst_clock_id_unref (due);
  gst_object_unref (clock);
  fail_unless (gst_app_src_push_sample (camera->src, sample) == GST_FLOW_OK);
  g_ptr_array_add (camera->sent, sample);
  gst_buffer_unref (buffer);
}

static void
check_buffer (GstBuffer * in, GstBuffer * gray, GstBufferFlags more)
{
  const guint mask = ~(guint) GST_BUFFER_FLAG_TAG_MEMORY;

  fail_unless_equals_uint64 (GST_BUFFER_PTS (gray), GST_BUFFER_PTS (in));
  fail_unless_equals_uint64 (GST_BUFFER_DTS (gray), GST_BUFFER_DTS (in));
  fail_unless_equals_uint64 (GST_BUFFER_DURATION (gray),
      GST_BUFFER_DURATION (in));
  fail_unless_equals_uint64 (GST_BUFFER_OFFSET (gray), GST_BUFFER_OFFSET (in));
  fail_unless_equals_uint64 (GST_BUFFER_OFFSET_END (gray),
      GST_BUFFER_OFFSET_END (in));
  fail_unless_equals_int_hex (GST_BUFFER_FLAGS (gray) & mask,
      (GST_BUFFER_FLAGS (in) | more) & mask);
}

/* The next gray frame must be that of a frame that was sent, as the application
 * finds both. */
static void
camera_expect (Camera * camera, guint sent, GstBufferFlags more)
{
  GstSample *in = g_ptr_array_index (camera->sent, sent);
  GstSample *gray = pipe_pull (camera->pipeline, "sink");
  GstVideoInfo in_info, gray_info;
  gchar *problem;

  fail_unless (gray != NULL, "frame %u is lost", sent);
  check_buffer (gst_sample_get_buffer (in), gst_sample_get_buffer (gray), more);
  fail_unless (gst_segment_is_equal (gst_sample_get_segment (gray),
          gst_sample_get_segment (in)), "the segment of frame %u", sent);
  problem = pipe_compare (gst_sample_get_caps (in), gst_sample_get_buffer (in),
      gst_sample_get_caps (gray), gst_sample_get_buffer (gray));
  fail_unless (problem == NULL, "frame %u: %s", sent, problem);
  gst_video_info_from_caps (&in_info, gst_sample_get_caps (in));
  gst_video_info_from_caps (&gray_info, gst_sample_get_caps (gray));
  fail_unless_equals_int (gray_info.fps_n, in_info.fps_n);
  fail_unless_equals_int (gray_info.fps_d, in_info.fps_d);
  gst_sample_unref (gray);
}

static void
camera_stop (Camera * camera)
{
  fail_unless (gst_app_src_end_of_stream (camera->src) == GST_FLOW_OK);
  fail_unless (pipe_pull (camera->pipeline, "sink") == NULL);
  gst_object_unref (camera->src);
  pipe_stop (camera->pipeline, camera->watch);
  g_ptr_array_unref (camera->sent);
  gst_clear_caps (&camera->caps);
}

/* A camera's modes in turn: its format, its size, its rate, what its colours
 * mean, and back. */
static const struct
{
  const gchar *format;
  gint width, height, fps;      /* 0: a variable rate */
  const gchar *more;
} modes[] = {
  {"YUY2", 64, 48, 60, ""},
  {"NV12", 64, 48, 60, ""},
  {"NV12", 128, 96, 60, ""},
  {"I420", 128, 96, 60, ""},
  {"RGB", 33, 17, 60, ""},
  {"RGB", 33, 17, 120, ""},
  {"GRAY8", 33, 17, 120, ""},
  {"GRAY8", 321, 243, 120, ""},
  {"YUY2", 321, 243, 0, ""},
  {"YUY2", 321, 243, 30, ",colorimetry=bt709"},
  {"YUY2", 321, 243, 30, ",colorimetry=(string)1:3:5:1"},
  {"BGRx", 1, 1, 120, ""},
  {"YUY2", 64, 48, 60, ""},
};

GST_START_TEST (test_modes)
{
  GstClockTime pts = 0;
  Camera camera;

  camera_start (&camera, "");
  for (guint m = 0; m < G_N_ELEMENTS (modes); m++) {
    gchar *mode = g_strdup_printf ("video/x-raw,format=%s,width=%d,height=%d,"
        "framerate=%d/1%s", modes[m].format, modes[m].width, modes[m].height,
        modes[m].fps, modes[m].more);
    GstClockTime duration = GST_SECOND / (modes[m].fps ? modes[m].fps : 50);

    camera_set_mode (&camera, mode);
    g_free (mode);
    for (guint i = 0; i < FRAMES; i++, pts += duration) {
      GstBuffer *buffer = camera_frame (&camera, pts);

      GST_BUFFER_DURATION (buffer) = duration;
      if (m == 0 && i == 0)
        GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
      camera_send (&camera, buffer);
    }
  }
  for (guint i = 0; i < G_N_ELEMENTS (modes) * FRAMES; i++)
    camera_expect (&camera, i, 0);
  camera_stop (&camera);
}

GST_END_TEST;

/* Three frames, of which the first comes after a gap, with all that a buffer
 * says of itself. */
static void
send_after_gap (Camera * camera)
{
  for (guint i = 0; i < 3; i++) {
    GstClockTime pts = camera->segment.start + camera->segment.offset +
        i * 10 * GST_MSECOND;
    GstBuffer *buffer = camera_frame (camera, pts);

    GST_BUFFER_DTS (buffer) = pts + 7;
    GST_BUFFER_DURATION (buffer) = 10 * GST_MSECOND + i;
    GST_BUFFER_OFFSET (buffer) = 1000 + 5 * camera->sent->len;
    GST_BUFFER_OFFSET_END (buffer) = GST_BUFFER_OFFSET (buffer) + 3;
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_LIVE);
    GST_BUFFER_FLAG_SET (buffer, i == 0 ? GST_BUFFER_FLAG_DISCONT :
        i == 1 ? GST_BUFFER_FLAG_MARKER : GST_BUFFER_FLAG_CORRUPTED);
    camera_send (camera, buffer);
  }
}

/* A camera that comes back has new timestamps, in a segment that goes on with
 * the running time. */
GST_START_TEST (test_segments)
{
  gchar *mode = g_strdup_printf ("video/x-raw,format=%s,width=33,height=17,"
      "framerate=100/1", formats[__i__]);
  Camera camera;

  camera_start (&camera, "");
  camera_set_mode (&camera, mode);
  camera.segment.start = camera.segment.time = 5 * GST_SECOND;
  camera.segment.position = camera.segment.start;
  send_after_gap (&camera);
  camera.segment.base = 100 * GST_MSECOND;
  camera.segment.start = camera.segment.position = 3600 * GST_SECOND;
  camera.segment.time = 40 * GST_SECOND;
  send_after_gap (&camera);
  camera.segment.base = 200 * GST_MSECOND;
  camera.segment.offset = GST_MSECOND;
  camera.segment.start = camera.segment.time = camera.segment.position = 0;
  send_after_gap (&camera);
  for (guint i = 0; i < 9; i++)
    camera_expect (&camera, i, 0);
  camera_stop (&camera);
  g_free (mode);
}

GST_END_TEST;

/* What a QoS event of these values makes late: the frames of these numbers. */
#define QOS_AT (GST_SECOND / 100)
#define FIRST_LATE 2
#define LAST_LATE 4

static GstPadProbeReturn
take_qos (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_QOS)
    gst_event_replace (data, GST_PAD_PROBE_INFO_EVENT (info));
  return GST_PAD_PROBE_OK;
}

/* To the camera, which may want to know. */
static void
send_qos (Camera * camera)
{
  GstEvent *event = gst_event_new_qos (GST_QOS_TYPE_UNDERFLOW, 2.5,
      LAST_LATE * QOS_AT - QOS_AT, QOS_AT), *got = NULL;
  GstElement *sink = gst_bin_get_by_name (GST_BIN (camera->pipeline), "sink");
  GstPad *pad = gst_element_get_static_pad (GST_ELEMENT (camera->src), "src");
  gulong probe = gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM,
      take_qos, &got, NULL);

  gst_element_send_event (sink, gst_event_ref (event));
  gst_pad_remove_probe (pad, probe);
  fail_unless (got == event, "no QoS event upstream");
  gst_event_unref (got);
  gst_event_unref (event);
  gst_object_unref (pad);
  gst_object_unref (sink);
}

/* Late frames are skipped only with qos, and the next one says so. */
GST_START_TEST (test_qos)
{
  gboolean qos = __i__;
  Camera camera;

  camera_start (&camera, qos ? "qos=true" : "");
  camera_set_mode (&camera, "video/x-raw,format=RGB,width=33,height=17,"
      "framerate=100/1");
  for (guint i = 0; i < 2 * FRAMES; i++) {
    GstBuffer *buffer = camera_frame (&camera, i * QOS_AT);

    if (i == 0)
      GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
    camera_send (&camera, buffer);
    if (!qos || i < FIRST_LATE || i > LAST_LATE)
      camera_expect (&camera, i, qos && i == LAST_LATE + 1 ?
          GST_BUFFER_FLAG_DISCONT : 0);
    if (i == FIRST_LATE - 1)
      send_qos (&camera);
  }
  camera_stop (&camera);
}

GST_END_TEST;

static Suite *
live_suite (void)
{
  Suite *s = suite_create ("live");
  TCase *tc = pipe_tcase (s, "live");

  tcase_add_loop_test (tc, test_latency, 0, G_N_ELEMENTS (formats));
  tcase_add_loop_test (tc, test_no_frame_waits, 0, G_N_ELEMENTS (formats));
  tcase_add_test (tc, test_modes);
  tcase_add_loop_test (tc, test_segments, 0, G_N_ELEMENTS (formats));
  tcase_add_loop_test (tc, test_qos, FALSE, TRUE + 1);
  return s;
}

int
main (int argc, char **argv)
{
  return pipe_main (argc, argv, live_suite);
}
