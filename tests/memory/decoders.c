/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* What the GPU's decoders give, in its memory or not, becomes the gray that a
 * software decoder's frames become on the CPU.  CUDAGRAY_TEST_CODEC names the
 * codec.  With SIMULATED a software decoder and cudaupload stand in for the
 * GPU's decoder. */

#include <stdio.h>

#include "clip.h"
#include "frames.h"
#include "pipe.h"
#include "play.h"

#define SYSTEM "video/x-raw"
#define SYSTEM_GRAY "video/x-raw,format=GRAY8"
#define CUDA_GRAY CUDA ",format=GRAY8"

/* What a cudagray that is called gray gets.  Static, for where a test fails its
 * pipeline plays on for a moment. */
static struct
{
  GstElement *gray;
  GstBuffer *input;             /* the frame that is under way */
  guint frames, on_gpu, pinned;
  guint read;                   /* frames on the GPU that the CPU has read */
} look;

static GstPadProbeReturn
look_in (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);

  gst_buffer_replace (&look.input, buffer);
  look.frames++;
  look.on_gpu += gst_is_cuda_memory (gst_buffer_peek_memory (buffer, 0));
  look.pinned += pipe_is_ours (buffer);
  return GST_PAD_PROBE_OK;
}

/* GStreamer's memory keeps what the CPU has read of it until it is written
 * again. */
static GstPadProbeReturn
look_out (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstMemory *memory = gst_buffer_peek_memory (look.input, 0);

  look.read += gst_is_cuda_memory (memory) && !GST_MEMORY_FLAG_IS_SET (memory,
      GST_CUDA_MEMORY_TRANSFER_NEED_DOWNLOAD);
  gst_clear_buffer (&look.input);
  return GST_PAD_PROBE_OK;
}

static GstVideoInfo
pad_info (GstElement * element, const gchar * name)
{
  GstPad *pad = gst_element_get_static_pad (element, name);
  GstCaps *caps = gst_pad_get_current_caps (pad);
  GstVideoInfo info;

  fail_unless (gst_video_info_from_caps (&info, caps));
  gst_caps_unref (caps);
  gst_object_unref (pad);
  return info;
}

static void
look_at (GstElement * pipeline)
{
  GstPad *pad;

  gst_clear_buffer (&look.input);
  gst_clear_object (&look.gray);
  memset (&look, 0, sizeof look);
  look.gray = gst_bin_get_by_name (GST_BIN (pipeline), "gray");
  pad = gst_element_get_static_pad (look.gray, "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, look_in, NULL, NULL);
  gst_object_unref (pad);
  pad = gst_element_get_static_pad (look.gray, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, look_out, NULL, NULL);
  gst_object_unref (pad);
}

/* What the decoder's frames are in when they come. */
typedef enum
{ ON_GPU, PINNED, EITHER } Where;

static const struct
{
  const gchar *elements;
  Where in;
  gboolean cuda_out;
} ways[] = {
  {CUDA " ! cudagray name=gray ! " SYSTEM_GRAY, ON_GPU, FALSE},
  {CUDA " ! cudagray name=gray ! " CUDA_GRAY, ON_GPU, TRUE},
  {CUDA " ! queue ! cudagray name=gray ! queue ! " SYSTEM_GRAY, ON_GPU, FALSE},
  {CUDA " ! queue ! cudagray name=gray ! queue ! " CUDA_GRAY, ON_GPU, TRUE},
  /* Nothing tells the decoder. */
  {"cudagray name=gray ! video/x-raw(ANY),format=GRAY8", ON_GPU, TRUE},
  {SYSTEM " ! cudagray name=gray ! " SYSTEM_GRAY, PINNED, FALSE},
  {SYSTEM " ! cudagray name=gray ! " CUDA_GRAY, PINNED, TRUE},
  {SYSTEM " ! queue ! cudagray name=gray ! queue ! " SYSTEM_GRAY, PINNED,
      FALSE},
  /* GstCudaMemory under caps for system memory, where it may be. */
  {CUDA " ! cudadownload ! " SYSTEM " ! cudagray name=gray ! " SYSTEM_GRAY,
      EITHER, FALSE},
};

/* No frame went through the host, or was copied: the GPU converted all where
 * they lay, but for a Y plane that was handed on. */
static void
check_look (const Clip * clip, Where in, gboolean cuda_out)
{
  guint64 handed_on = pipe_stat (look.gray, "frames-passthrough");
  GstVideoInfo from = pad_info (look.gray, "sink"), to = pad_info (look.gray,
      "src");
  guint64 bytes = 0, sample = 1 + clip_is_deep ();

  for (guint i = 0; i < clip->gray->len; i++)
    bytes += sample * g_bytes_get_size (g_ptr_array_index (clip->gray, i));
  fail_unless_equals_string (GST_VIDEO_INFO_NAME (&from), codec->decoded);
  fail_unless_equals_int (look.frames, clip->gray->len);
  if (in != EITHER) {
    fail_unless_equals_int (look.on_gpu, in == ON_GPU ? look.frames : 0);
    fail_unless_equals_int (look.pinned, in == PINNED ? look.frames : 0);
  }
  fail_unless_equals_int (look.read, 0);
  if (in == ON_GPU || cuda_out ||
      from.colorimetry.range != to.colorimetry.range)
    fail_unless_equals_uint64 (handed_on, 0);
  fail_unless_equals_uint64 (pipe_stat (look.gray, "frames-in-place"),
      look.frames - handed_on);
  fail_unless_equals_uint64 (pipe_stat (look.gray, "frames-staged"), 0);
  fail_unless_equals_uint64 (pipe_stat (look.gray, "frames-cpu"), 0);
  fail_unless_equals_uint64 (pipe_stat (look.gray, "failovers"), 0);
  if (handed_on == 0)
    fail_unless_equals_uint64 (pipe_stat (look.gray, "bytes-in"), bytes);
}

/* With the colorimetry that the output is to have, or NULL. */
static void
run_way (const Clip * clip, guint way, const gchar * colorimetry,
    GPtrArray * expected)
{
  gchar *elements = g_strdup_printf ("%s%s%s ! appsink name=a",
      ways[way].elements, colorimetry != NULL ? ",colorimetry=(string)" : "",
      colorimetry != NULL ? colorimetry : "");
  GstElement *pipeline = clip_launch (clip, clip_decoder, elements);

  look_at (pipeline);
  play_check (pipeline, 1, &ways[way].cuda_out, expected);
  check_look (clip, ways[way].in, ways[way].cuda_out);
  gst_clear_object (&look.gray);
  pipe_stop (pipeline, NULL);
  g_free (elements);
}

GST_START_TEST (test_ways)
{
  run_way (&clips[__i__ / G_N_ELEMENTS (ways)], __i__ % G_N_ELEMENTS (ways),
      NULL, clips[__i__ / G_N_ELEMENTS (ways)].gray);
}

GST_END_TEST;

/* In the input's own range the answer is the decoder's Y, of 8 bits. */
GST_START_TEST (test_plane)
{
  for (guint c = 0; c <= CLIP_FULL_HD; c++)
    run_way (&clips[c], __i__, clips[c].colorimetry, clips[c].luma);
}

GST_END_TEST;

static const struct
{
  const gchar *elements;
  gboolean cuda[2];
} branches[] = {
  /* The same frames on the GPU and, downloaded, on the CPU. */
  {CUDA " ! tee name=t  t. ! queue ! cudagray ! " SYSTEM_GRAY " ! "
        "appsink name=a  t. ! queue ! cudadownload ! " SYSTEM " ! "
        "cudagray backend=cpu ! " SYSTEM_GRAY " ! appsink name=b",
      {FALSE, FALSE}},
  {CUDA " ! tee name=t  t. ! queue ! cudagray ! " CUDA_GRAY " ! "
        "appsink name=a  t. ! queue ! cudagray ! " SYSTEM_GRAY " ! "
        "appsink name=b", {TRUE, FALSE}},
  {CUDA " ! queue ! cudagray ! " CUDA_GRAY " ! tee name=t  t. ! queue ! "
        "cudagray ! " SYSTEM_GRAY " ! appsink name=a  t. ! queue ! "
        "appsink name=b", {FALSE, TRUE}},
  {SYSTEM " ! tee name=t  t. ! queue ! cudagray backend=cuda ! " SYSTEM_GRAY
        " ! appsink name=a  t. ! queue ! cudagray backend=cuda ! " CUDA_GRAY
        " ! appsink name=b", {FALSE, TRUE}},
};

GST_START_TEST (test_branches)
{
  for (guint c = 0; c < CLIP_SEEKABLE; c++) {
    GstElement *pipeline = clip_launch (&clips[c], clip_decoder,
        branches[__i__].elements);

    play_check (pipeline, 2, branches[__i__].cuda, clips[c].gray);
    pipe_stop (pipeline, NULL);
  }
}

GST_END_TEST;

GST_START_TEST (test_flush)
{
  gchar *elements = g_strdup_printf ("%s ! queue ! appsink name=a",
      ways[__i__].elements);
  GstElement *pipeline =
      clip_launch (&clips[CLIP_SEEKABLE], clip_decoder, elements);

  play_flush (pipeline, ways[__i__].cuda_out, clips[CLIP_SEEKABLE].gray, __i__);
  pipe_stop (pipeline, NULL);
  g_free (elements);
}

GST_END_TEST;

static guint
largest_difference (GPtrArray * left, GPtrArray * right)
{
  gint largest = 0;

  fail_unless_equals_int (left->len, right->len);
  for (guint f = 0; f < left->len; f++) {
    gsize size, other;
    const guint8 *l = g_bytes_get_data (g_ptr_array_index (left, f), &size);
    const guint8 *r = g_bytes_get_data (g_ptr_array_index (right, f), &other);

    fail_unless_equals_uint64 (size, other);
    for (gsize i = 0; i < size; i++)
      largest = MAX (largest, ABS (l[i] - r[i]));
  }
  return largest;
}

/* Whether a software decoder is another one than the reference. */
static gboolean
is_other (const gchar * name)
{
  return name != NULL && !g_str_equal (name, clip_reference) &&
      pipe_have (name);
}

/* Its Y.  That of JPEG may be rounded as it likes. */
GST_START_TEST (test_software)
{
  const gchar *name = codec->software[__i__];

  for (guint c = 0; c <= CLIP_FULL_HD; c++) {
    GstElement *pipeline = clip_launch (&clips[c], name, "appsink name=a "
        "sync=false");
    GPtrArray *luma = play_rows (pipeline);
    guint largest = largest_difference (luma, clips[c].luma);

    printf ("%s, clip %u: the Y of %s is off by %u at most\n", codec->name, c,
        name, largest);
    if (codec->exact)
      fail_unless_equals_int (largest, 0);
    g_ptr_array_unref (luma);
    pipe_stop (pipeline, NULL);
  }
}

GST_END_TEST;

/* The encoder did as it was told. */
GST_START_TEST (test_order)
{
  GstElement *pipeline = clip_launch (&clips[CLIP_SEEKABLE], "identity",
      "appsink name=a sync=false");
  GstClockTime last = 0;
  gboolean reordered = FALSE;
  GstSample *sample;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while ((sample = pipe_pull (pipeline, "a")) != NULL) {
    GstClockTime time = GST_BUFFER_PTS (gst_sample_get_buffer (sample));

    reordered |= time < last;
    last = time;
    gst_sample_unref (sample);
  }
  fail_unless_equals_int (reordered, codec->reordered);
  pipe_stop (pipeline, NULL);
}

GST_END_TEST;

static Suite *
decoders_suite (void)
{
  Suite *suite;
  TCase *tests;

  if (!clip_init ())
    return NULL;
  suite = suite_create ("decoders");
  tests = tcase_create (codec->name);
  tcase_add_unchecked_fixture (tests, clip_make_all, clip_drop_all);
  rig_check_leaks (tests);
  pipe_stop_leftovers (tests);
  tcase_add_loop_test (tests, test_ways, 0,
      G_N_ELEMENTS (ways) * CLIP_SEEKABLE);
  if (!clip_is_deep ())
    tcase_add_loop_test (tests, test_plane, 0, G_N_ELEMENTS (ways));
  tcase_add_loop_test (tests, test_branches, 0, G_N_ELEMENTS (branches));
  tcase_add_loop_test (tests, test_flush, 0, G_N_ELEMENTS (ways));
  for (guint i = 0; i < G_N_ELEMENTS (codec->software); i++) {
    if (is_other (codec->software[i]) && !clip_is_deep ())
      tcase_add_loop_test (tests, test_software, i, i + 1);
  }
  tcase_add_test (tests, test_order);
  suite_add_tcase (suite, tests);
  return suite;
}

int
main (int argc, char **argv)
{
  return rig_gpu_main (argc, argv, decoders_suite);
}
