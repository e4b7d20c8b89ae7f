/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Whose memory frames are in: who takes ours upstream and reads it
 * downstream, and passthrough, which leaves memory alone. */

#include "pipe.h"

#define N 5
#define RGB33 "video/x-raw,format=RGB,width=33,height=17"
#define SRC "videotestsrc num-buffers=5 ! "
#define I420 "video/x-raw,format=I420,width=33,height=17"
#define DECODED "videoconvert ! video/x-raw,format=RGB"

typedef enum
{
  OURS,
  NOT_OURS,
  SOME_OURS
} Whose;

static const struct
{
  const gchar *needs, *source;
  Whose whose;
} sources[] = {
  {"", SRC RGB33, OURS},
  {"", SRC RGB33 " ! queue", OURS},
  {"", SRC "video/x-raw,format=GBR,width=33,height=17", OURS},
  {"videoconvert", SRC "video/x-raw,format=YUY2,width=33,height=17 ! "
        "videoconvert ! video/x-raw,format=RGB", OURS},
  {"videoscale", SRC "video/x-raw,format=RGB,width=40,height=30 ! videoscale ! "
        RGB33, OURS},
  {"videobalance", SRC RGB33 " ! videobalance saturation=0.5", OURS},
  {"videocrop", SRC "video/x-raw,format=RGB,width=40,height=20 ! "
        "videocrop left=3 top=2 right=4 bottom=1", OURS},
  {"videorate", SRC RGB33 ",framerate=10/1 ! videorate ! "
        "video/x-raw,framerate=30/1", OURS},
  {"pngenc pngdec", SRC RGB33 " ! pngenc ! pngdec", OURS},
  {"jpegenc jpegdec", SRC RGB33 " ! jpegenc ! jpegdec ! "
        "video/x-raw,format=RGB", OURS},
  {"jpegenc jpegdec videoconvert", SRC I420 " ! jpegenc ! jpegdec ! " DECODED,
      OURS},
  {"vp8enc vp8dec videoconvert", SRC I420 " ! vp8enc deadline=1 ! vp8dec ! "
        DECODED, OURS},
  {"theoraenc theoradec videoconvert", SRC I420 " ! theoraenc ! theoradec ! "
        DECODED, OURS},
#ifndef __SANITIZE_ADDRESS__    /* GstVideoAggregator leaks a proposed allocator */
  {"compositor", SRC RGB33 " ! compositor ! video/x-raw,format=RGB", OURS},
#endif
  {"jpegenc avdec_mjpeg videoconvert", SRC I420 " ! jpegenc ! "
        "image/jpeg,parsed=true ! avdec_mjpeg ! " DECODED, OURS},
  /* Copies the frames that ffmpeg still refers to. */
  {"pngenc avdec_png", SRC RGB33 " ! pngenc ! avdec_png", SOME_OURS},
  /* decodebin makes its decoder late: the first buffer renegotiates. */
  {"pngenc decodebin videoconvert", SRC RGB33 " ! pngenc ! decodebin ! "
        DECODED, OURS},
  /* It asks before cudagray has caps, when no GstBaseTransform answers. */
  {"imagefreeze", "videotestsrc num-buffers=1 ! " RGB33
        " ! imagefreeze num-buffers=5", NOT_OURS},
  {"tee", SRC RGB33 " ! tee ! queue", NOT_OURS},
  {"rawvideoparse", "fakesrc num-buffers=5 sizetype=fixed sizemax=1700 "
        "filltype=pattern-span ! rawvideoparse format=rgb width=33 height=17 "
        "frame-size=1700 plane-strides=\"<100>\" plane-offsets=\"<0>\"",
      NOT_OURS},
};

/* Our pool is pinned: the GPU takes its frames where they lie. */
static void
check_paths (PipeWatch * watch)
{
  if (g_str_equal (pipe_backend (), "cpu")) {
    fail_unless_equals_uint64 (pipe_stat (watch->element, "frames-cpu"),
        watch->out);
    return;
  }
  fail_unless_equals_uint64 (pipe_stat (watch->element, "frames-in-place"),
      watch->in_ours);
  fail_unless_equals_uint64 (pipe_stat (watch->element, "frames-staged"),
      watch->out - watch->in_ours);
}

GST_START_TEST (test_sources)
{
  GstElement *pipeline;
  PipeWatch *watch;

  if (!pipe_have (sources[__i__].needs)) {
    g_print ("left out, not installed: %s\n", sources[__i__].needs);
    return;
  }
  pipeline = pipe_launch ("%s ! cudagray ! fakesink", sources[__i__].source);
  watch = pipe_watch (pipeline);
  pipe_play (pipeline, 10);
  fail_unless (watch->out >= N);
  fail_unless_equals_int (watch->in, watch->out);
  if (sources[__i__].whose == SOME_OURS)
    fail_unless (watch->in_ours > 0);
  else
    fail_unless_equals_int (watch->in_ours,
        sources[__i__].whose == OURS ? watch->in : 0);
  fail_unless_equals_int (watch->kept, 0);
  check_paths (watch);
  pipe_stop (pipeline, watch);
}

GST_END_TEST;

static const struct
{
  const gchar *needs, *sink;
} sinks[] = {
  {"", "fakesink"},
  {"", "queue ! fakesink"},
  {"appsink", "appsink wait-on-eos=false"},
  {"", "filesink location=/dev/null"},
  {"jpegenc", "jpegenc ! fakesink"},
  {"pngenc", "pngenc ! fakesink"},
  {"videoconvert", "videoconvert ! video/x-raw,format=I420 ! fakesink"},
  {"videoscale", "videoscale ! video/x-raw,width=20,height=10 ! fakesink"},
  {"", "tee ! queue ! fakesink"},
};

GST_START_TEST (test_sinks)
{
  GstElement *pipeline;
  PipeWatch *watch;

  if (!pipe_have (sinks[__i__].needs)) {
    g_print ("left out, not installed: %s\n", sinks[__i__].needs);
    return;
  }
  pipeline = pipe_launch (SRC RGB33 " ! cudagray ! %s", sinks[__i__].sink);
  watch = pipe_watch (pipeline);
  pipe_play (pipeline, 10);
  fail_unless_equals_int (watch->out, N);
  fail_unless_equals_int (watch->out_ours, N);
  fail_unless_equals_int (watch->in_ours, N);
  check_paths (watch);
  pipe_stop (pipeline, watch);
}

GST_END_TEST;

/* What an encoder read is what we wrote: PNG loses nothing. */
GST_START_TEST (test_png_round_trip)
{
  GstElement *pipeline;
  GstSample *rgb, *gray;
  guint frames = 0;

  if (!pipe_have ("pngenc pngdec"))
    return;
  pipeline = pipe_launch (SRC RGB33 " ! tee name=t  "
      "t. ! queue ! appsink name=rgb sync=false  "
      "t. ! queue ! cudagray ! pngenc ! pngdec ! appsink name=gray sync=false");
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while ((rgb = pipe_pull (pipeline, "rgb")) != NULL) {
    gchar *problem;

    gray = pipe_pull (pipeline, "gray");
    fail_unless (gray != NULL);
    problem = pipe_compare (gst_sample_get_caps (rgb),
        gst_sample_get_buffer (rgb), gst_sample_get_caps (gray),
        gst_sample_get_buffer (gray));
    fail_unless (problem == NULL, "frame %u: %s", frames, problem);
    gst_sample_unref (rgb);
    gst_sample_unref (gray);
    frames++;
  }
  fail_unless_equals_int (frames, N);
  pipe_stop (pipeline, NULL);
}

GST_END_TEST;

static const gchar *const grays[] = {
  SRC "video/x-raw,format=GRAY8,width=33,height=17 ! cudagray ! fakesink",
  SRC "video/x-raw,format=GRAY8,width=33,height=17,colorimetry=1:4:7:1 ! "
      "cudagray ! fakesink",
  SRC "video/x-raw,format=GRAY8,width=33,height=17 ! queue ! cudagray ! queue "
      "! appsink wait-on-eos=false",
};

GST_START_TEST (test_passthrough)
{
  GstElement *pipeline = pipe_launch ("%s", grays[__i__]);
  PipeWatch *watch = pipe_watch (pipeline);

  pipe_play (pipeline, 10);
  fail_unless_equals_int (watch->out, N);
  fail_unless_equals_int (watch->kept, N);
  fail_unless_equals_uint64 (pipe_stat (watch->element, "frames-passthrough"),
      N);
  fail_unless_equals_uint64 (pipe_stat (watch->element, "frames-cpu"), 0);
  fail_unless_equals_uint64 (pipe_stat (watch->element, "frames-in-place"), 0);
  fail_unless_equals_uint64 (pipe_stat (watch->element, "frames-staged"), 0);
  fail_unless_equals_uint64 (pipe_stat (watch->element, "bytes-in"), 0);
  pipe_stop (pipeline, watch);
}

GST_END_TEST;

/* In passthrough it is downstream that upstream's question reaches: here
 * another cudagray, through two that pass on. */
GST_START_TEST (test_passthrough_forwards_the_query)
{
  GstElement *pipeline = pipe_launch (SRC RGB33 " ! cudagray ! identity ! "
      "video/x-raw,format=GRAY8 ! fakesink");
  PipeWatch *watch = pipe_watch (pipeline);

  pipe_play (pipeline, 10);
  fail_unless_equals_int (watch->in_ours, N);
  fail_unless_equals_int (watch->out_ours, N);
  pipe_stop (pipeline, watch);
}

GST_END_TEST;

static Suite *
pools_suite (void)
{
  Suite *s = suite_create ("pools");
  TCase *tc = pipe_tcase (s, "pools");

  tcase_add_loop_test (tc, test_sources, 0, G_N_ELEMENTS (sources));
  tcase_add_loop_test (tc, test_sinks, 0, G_N_ELEMENTS (sinks));
  tcase_add_test (tc, test_png_round_trip);
  tcase_add_loop_test (tc, test_passthrough, 0, G_N_ELEMENTS (grays));
  tcase_add_test (tc, test_passthrough_forwards_the_query);
  return s;
}

int
main (int argc, char **argv)
{
  return pipe_main (argc, argv, pools_suite);
}
