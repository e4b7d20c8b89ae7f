/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* A camera that is unplugged while it plays, and plugged in again.  It is a
 * second process, this program started with a line of gst-launch, on the
 * network's loopback. */

#include "pipe.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process.h"

#define FRAMES 8
#define HOST "127.0.0.1"
#define NEEDS "udpsrc rtpvrawpay rtpjpegpay rtpjitterbuffer jpegenc " \
    "multipartmux tcpserversink"

typedef struct
{
  GPid pid;
  gint port;                    /* of its element "server", if it has one */
} Camera;

/* The camera's process: never returns.  Says when it plays.  Check's macros are
 * for the parent. */
static void
be_a_camera (const gchar * line)
{
  GstElement *pipeline, *server;
  gint port = 0;

  prctl (PR_SET_PDEATHSIG, SIGKILL);
  gst_init (NULL, NULL);
  pipeline = gst_parse_launch (line, NULL);
  if (pipeline == NULL || gst_element_set_state (pipeline,
          GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE)
    exit (EXIT_FAILURE);
  server = gst_bin_get_by_name (GST_BIN (pipeline), "server");
  if (server != NULL)
    g_object_get (server, "current-port", &port, NULL);
  printf ("%d\n", port);
  fflush (stdout);
  while (TRUE)
    pause ();
}

/* The sanitizer of a camera need not look for leaks, for which it takes its
 * time at the start. */
static gchar **
quick_environment (void)
{
  gchar **env = g_get_environ ();
  const gchar *options = g_environ_getenv (env, "ASAN_OPTIONS");
  gchar *quick = g_strdup_printf ("%s:fast_unwind_on_malloc=1",
      options != NULL ? options : "");

  env = g_environ_setenv (env, "ASAN_OPTIONS", quick, TRUE);
  g_free (quick);
  return env;
}

static Camera
plug_in (gchar * line)
{
  const gchar *arguments[] = { line, NULL };
  gchar **argv = process_line (arguments), **env = quick_environment ();
  Camera camera = { 0 };
  gint out;
  FILE *f;

  fail_unless (g_spawn_async_with_pipes (NULL, argv, env,
          G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_SEARCH_PATH, NULL, NULL,
          &camera.pid, NULL, &out, NULL, NULL));
  f = fdopen (out, "r");
  fail_unless_equals_int (fscanf (f, "%d", &camera.port), 1);
  fclose (f);
  g_strfreev (argv);
  g_strfreev (env);
  g_free (line);
  return camera;
}

static void
unplug (const Camera * camera)
{
  int status;

  fail_unless_equals_int (kill (camera->pid, SIGKILL), 0);
  fail_unless_equals_int (waitpid (camera->pid, &status, 0), camera->pid);
  fail_unless (WIFSIGNALED (status) && WTERMSIG (status) == SIGKILL,
      "the camera ended by itself: %d", status);
}

/* Size and format of a camera, and what its frames go through. */
typedef struct
{
  const gchar *caps, *codec;
} Model;

/* Models take turns, and each turn has a picture of its own. */
#define TURNS 3
#define MODEL(models, turn) (&(models)[(turn) % 2])

static const gchar *const patterns[TURNS] = { "colors", "gradient", "smpte75" };

/* The frames that reach cudagray, made once more in this process. */
static void
take_pictures (const Model models[2], GstSample * pictures[TURNS])
{
  for (guint turn = 0; turn < TURNS; turn++) {
    GstElement *pipeline = pipe_launch ("videotestsrc num-buffers=1 pattern=%s "
        "! video/x-raw,%s ! %s ! appsink name=sink sync=false", patterns[turn],
        MODEL (models, turn)->caps, MODEL (models, turn)->codec);

    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    pictures[turn] = pipe_pull (pipeline, "sink");
    fail_unless (pictures[turn] != NULL);
    pipe_stop (pipeline, NULL);
  }
}

static void
free_pictures (GstSample * pictures[TURNS])
{
  for (guint turn = 0; turn < TURNS; turn++)
    gst_sample_unref (pictures[turn]);
}

/* NULL, or what is wrong. (transfer full) */
static gchar *
compare (GstSample * picture, GstSample * gray)
{
  return pipe_compare (gst_sample_get_caps (picture),
      gst_sample_get_buffer (picture), gst_sample_get_caps (gray),
      gst_sample_get_buffer (gray));
}

static GstSample *
pull (GstElement * pipeline)
{
  GstSample *gray = pipe_pull (pipeline, "sink");

  fail_unless (gray != NULL, "EOS");
  return gray;
}

/* Pulls until so many frames have been of this picture. */
static void
wait_for_picture (GstElement * pipeline, GstSample * picture)
{
  guint right = 0;

  for (guint i = 0; right < FRAMES; i++) {
    GstSample *gray = pull (pipeline);
    gchar *problem = compare (picture, gray);

    fail_unless (i < 1000, "frame %u: %s", i, problem);
    right += problem == NULL;
    g_free (problem);
    gst_sample_unref (gray);
  }
}

#define RTP "application/x-rtp,media=video,clock-rate=90000,"
#define RAW_RTP RTP "payload=96,encoding-name=RAW,depth=(string)8," \
    "width=(string)64,height=(string)48,sampling="
#define JPEG_RTP RTP "payload=26,encoding-name=JPEG"

enum
{ RAW_RGB, RAW_YUV, JPEG, JPEG_SMOOTHED, N_STREAMS };

static const struct
{
  const gchar *rtp, *pay, *depay;
  gboolean decoded;             /* a decoder tells of no loss */
  Model models[2];
} streams[N_STREAMS] = {
  {RAW_RTP "RGB", "rtpvrawpay", "rtpvrawdepay", FALSE,
        {{"format=RGB,width=64,height=48", "identity"},
          {"format=RGB,width=64,height=48", "identity"}}},
  {RAW_RTP "YCbCr-4:2:2", "rtpvrawpay", "rtpvrawdepay", FALSE,
        {{"format=UYVY,width=64,height=48", "identity"},
          {"format=UYVY,width=64,height=48", "identity"}}},
  {JPEG_RTP, "jpegenc ! rtpjpegpay", "rtpjpegdepay ! jpegdec", TRUE,
        {{"format=I420,width=64,height=48", "jpegenc ! jpegdec"},
          {"format=I420,width=160,height=96", "jpegenc ! jpegdec"}}},
  {JPEG_RTP, "jpegenc ! rtpjpegpay", "rtpjitterbuffer latency=20 ! "
        "rtpjpegdepay ! jpegdec", TRUE,
        {{"format=Y42B,width=64,height=48", "jpegenc ! jpegdec"},
          {"format=I420,width=64,height=48", "jpegenc ! jpegdec"}}},
};

static GstElement *
listen_to (guint stream, PipeWatch ** watch)
{
  GstElement *pipeline = pipe_launch ("udpsrc name=net address=" HOST " port=0 "
      "timeout=100000000 caps=\"%s\" ! %s ! cudagray ! appsink name=sink "
      "sync=false", streams[stream].rtp, streams[stream].depay);

  *watch = pipe_watch (pipeline);
  fail_if (gst_element_set_state (pipeline, GST_STATE_PLAYING) ==
      GST_STATE_CHANGE_FAILURE);
  return pipeline;
}

/* RTP's numbers are given: of those that a payloader picks at random, two may
 * lie so close that the second camera's packets count as late ones of the
 * first. */
static Camera
plug_in_sender (GstElement * receiver, guint stream, guint turn, gint frames)
{
  GstElement *net = gst_bin_get_by_name (GST_BIN (receiver), "net");
  gint port;

  g_object_get (net, "port", &port, NULL);
  gst_object_unref (net);
  return plug_in (g_strdup_printf ("videotestsrc is-live=true pattern=%s "
          "num-buffers=%d ! video/x-raw,%s,framerate=50/1 ! %s "
          "seqnum-offset=%u timestamp-offset=%u ! udpsink sync=false host="
          HOST " port=%d", patterns[turn], frames,
          MODEL (streams[stream].models, turn)->caps, streams[stream].pay,
          turn * 20000, turn * 1000000, port));
}

/* The source says that no packet comes; nobody minds. */
static void
wait_for_silence (GstElement * pipeline)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GstState state, pending;
  GstMessage *message;

  pipe_check_bus (pipeline);
  message = gst_bus_timed_pop_filtered (bus, 60 * GST_SECOND,
      GST_MESSAGE_ELEMENT | GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
  fail_unless (message != NULL &&
      gst_message_has_name (message, "GstUDPSrcTimeout"));
  gst_message_unref (message);
  gst_object_unref (bus);
  fail_unless (gst_element_get_state (pipeline, &state, &pending, 0) ==
      GST_STATE_CHANGE_SUCCESS);
  fail_unless (state == GST_STATE_PLAYING && pending == GST_STATE_VOID_PENDING);
}

/* The frames of one camera, right to the byte; time goes on, and only the first
 * says that something was lost before it. */
static void
check_frames (GstElement * pipeline, GstSample * picture, gboolean decoded,
    GstClockTime * last)
{
  for (guint i = 0; i < FRAMES; i++) {
    GstSample *gray = pull (pipeline);
    GstBuffer *buffer = gst_sample_get_buffer (gray);
    gchar *problem = compare (picture, gray);

    fail_unless (problem == NULL, "frame %u: %s", i, problem);
    fail_unless (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DISCONT) ==
        (i == 0) || decoded, "frame %u: DISCONT", i);
    fail_unless (GST_BUFFER_PTS (buffer) >= *last, "frame %u: PTS", i);
    *last = GST_BUFFER_PTS (buffer);
    gst_sample_unref (gray);
  }
}

/* Every frame that was sent comes out, and no other. */
GST_START_TEST (test_replug)
{
  GstClockTime last = 0;
  GstSample *pictures[TURNS];
  GstElement *pipeline;
  PipeWatch *watch;

  take_pictures (streams[__i__].models, pictures);
  pipeline = listen_to (__i__, &watch);
  for (gint turn = 0; turn < TURNS; turn++) {
    Camera camera = plug_in_sender (pipeline, __i__, turn, FRAMES);

    check_frames (pipeline, pictures[turn], streams[__i__].decoded, &last);
    unplug (&camera);
    wait_for_silence (pipeline);
    fail_unless_equals_int (g_atomic_int_get (&watch->out),
        (turn + 1) * FRAMES);
  }
  free_pictures (pictures);
  pipe_stop (pipeline, watch);
}

GST_END_TEST;

/* In the midst of a frame, and with the next camera there at once: what comes
 * out is right for what came in, and soon whole. */
GST_START_TEST (test_unplugged_at_any_time)
{
  GstSample *pictures[TURNS];
  GstElement *pipeline;
  PipeWatch *watch;

  take_pictures (streams[__i__].models, pictures);
  pipeline = listen_to (__i__, &watch);
  for (gint turn = 0; turn < TURNS; turn++) {
    Camera camera = plug_in_sender (pipeline, __i__, turn, -1);

    wait_for_picture (pipeline, pictures[turn]);
    unplug (&camera);
  }
  wait_for_silence (pipeline);
  free_pictures (pictures);
  pipe_stop (pipeline, watch);
}

GST_END_TEST;

/* In full range, which is what a JPEG has, the Y would be handed on. */
#define TO_RGB "videoconvert ! video/x-raw,format=RGB"

static const Model mjpeg[2] = {
  {"format=I420,width=160,height=96", "jpegenc ! jpegdec ! " TO_RGB},
  {"format=Y444,width=64,height=48", "jpegenc ! jpegdec ! " TO_RGB},
};

static Camera
plug_in_server (guint turn)
{
  return plug_in (g_strdup_printf ("videotestsrc is-live=true pattern=%s ! "
          "video/x-raw,%s,framerate=50/1 ! jpegenc ! "
          "multipartmux boundary=frame ! tcpserversink name=server sync=false "
          "sync-method=next-keyframe host=" HOST " port=0", patterns[turn],
          MODEL (mjpeg, turn)->caps));
}

/* In each run anew: the demuxer's pad goes with the stream. */
static void
link_stream (GstElement * demux, GstPad * pad, GstElement * decoder)
{
  gst_element_link (demux, decoder);
}

static GstElement *
launch_client (PipeWatch ** watch)
{
  GstElement *pipeline = pipe_launch ("tcpclientsrc name=net host=" HOST " ! "
      "multipartdemux name=demux boundary=frame  "
      "jpegdec name=decoder ! " TO_RGB " ! cudagray ! "
      "appsink name=sink sync=false");
  GstElement *demux = gst_bin_get_by_name (GST_BIN (pipeline), "demux");
  GstElement *decoder = gst_bin_get_by_name (GST_BIN (pipeline), "decoder");

  g_signal_connect (demux, "pad-added", G_CALLBACK (link_stream), decoder);
  gst_object_unref (decoder);
  gst_object_unref (demux);
  *watch = pipe_watch (pipeline);
  return pipeline;
}

/* An appsink forgets an EOS in NULL alone. */
static void
rest (GstElement * pipeline, GstState state)
{
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");

  pipe_set_state (pipeline, state);
  gst_element_set_state (sink, GST_STATE_NULL);
  gst_object_unref (sink);
}

static void
pull_until_eos (GstElement * pipeline)
{
  GstSample *gray;

  while ((gray = pipe_pull (pipeline, "sink")) != NULL)
    gst_sample_unref (gray);
}

/* The end of a connection is an EOS, after which an application tries again
 * and again: the same elements play the next one, from READY or from NULL. */
GST_START_TEST (test_reconnect)
{
  GstSample *pictures[TURNS];
  GstElement *pipeline, *net;
  PipeWatch *watch;

  take_pictures (mjpeg, pictures);
  pipeline = launch_client (&watch);
  net = gst_bin_get_by_name (GST_BIN (pipeline), "net");
  for (gint turn = 0; turn < TURNS; turn++) {
    Camera camera = plug_in_server (turn);

    g_object_set (net, "port", camera.port, NULL);
    pipe_set_state (pipeline, GST_STATE_PLAYING);
    wait_for_picture (pipeline, pictures[turn]);
    unplug (&camera);
    pull_until_eos (pipeline);
    pipe_check_bus (pipeline);
    fail_unless (g_str_equal (pipe_backend (), "cpu") ==
        (pipe_stat (watch->element, "frames-cpu") > 0));
    rest (pipeline, __i__);
    fail_unless (gst_element_set_state (pipeline, GST_STATE_PLAYING) ==
        GST_STATE_CHANGE_FAILURE);
    pipe_expect_errors (pipeline, net);
    rest (pipeline, __i__);
  }
  gst_object_unref (net);
  free_pictures (pictures);
  pipe_stop (pipeline, watch);
}

GST_END_TEST;

static Suite *
unplug_suite (void)
{
  Suite *s = suite_create ("unplug");
  TCase *tc = pipe_tcase (s, "unplug");

  if (!pipe_have (NEEDS)) {
    printf ("skipped, not installed: one of " NEEDS "\n");
    exit (77);
  }
  tcase_add_loop_test (tc, test_replug, RAW_RGB, N_STREAMS);
  tcase_add_loop_test (tc, test_unplugged_at_any_time, RAW_YUV, JPEG + 1);
  tcase_add_loop_test (tc, test_reconnect, GST_STATE_NULL, GST_STATE_READY + 1);
  return s;
}

int
main (int argc, char **argv)
{
  if (argc == 2)
    be_a_camera (argv[1]);
  return pipe_main (argc, argv, unplug_suite);
}
