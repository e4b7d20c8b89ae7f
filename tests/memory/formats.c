/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Every format and kind of memory: the bytes that backend=cpu gives. */

#include "line.h"

#include <glib/gstdio.h>

#include "pipe.h"

/* From one kind of memory to another. */
static const struct
{
  const gchar *name, *elements, *out;
  gboolean cuda;                /* on one side at least */
} ways[] = {
  {"system to system", "cudagray name=gray", "video/x-raw", FALSE},
  {"CUDA to system", "cudaupload ! " CUDA " ! cudagray name=gray",
      "video/x-raw", TRUE},
  {"system to CUDA", "cudagray name=gray", CUDA, TRUE},
  {"CUDA to CUDA", "cudaupload ! " CUDA " ! cudagray name=gray", CUDA, TRUE},
  /* GstCudaMemory under caps for system memory. */
  {"download to system", "cudaupload ! " CUDA " ! cudadownload ! video/x-raw ! "
        "cudagray name=gray", "video/x-raw", TRUE},
  {"download to CUDA", "cudaupload ! " CUDA " ! cudadownload ! video/x-raw ! "
        "cudagray name=gray", CUDA, TRUE},
};

static const gint sizes[][2] = {
  {1, 1}, {3, 2}, {53, 7}, {640, 3}, {641, 33}
};

static Line *
new_line (guint way, const gchar * out_fields)
{
  gchar *out = g_strdup_printf ("%s, format=GRAY8%s", ways[way].out,
      out_fields);
  Line *line = line_new (line_context, ways[way].elements, out);

  g_free (out);
  return line;
}

static const struct
{
  gboolean tight;
  guint32 seed;
} draws[] = {
  /* Twice, so that memory is used again. */
  {FALSE, 1}, {FALSE, 2}, {TRUE, 3}
};

/* All ways with the same bytes. */
static void
run_ways (Line * lines[], GstCaps * caps, guint draw)
{
  GBytes *expected = NULL;

  for (guint w = 0; w < G_N_ELEMENTS (ways); w++) {
    GstBuffer *buffer;

    GST_INFO ("%s, %" GST_PTR_FORMAT, ways[w].name, caps);
    if (draw == 0)
      line_set_caps (lines[w], gst_caps_ref (caps));
    buffer = frames_new_for (lines[w]->harness->srcpad, caps, draws[draw].seed);
    if (draws[draw].tight)
      frames_tighten (buffer, caps);
    if (expected == NULL)
      expected = frames_on_cpu (buffer, caps, NULL);
    line_check (lines[w], line_run (lines[w], buffer), expected);
  }
  g_bytes_unref (expected);
}

GST_START_TEST (test_formats)
{
  /* GStreamer allocates too few rows for NV21's chroma where the height is odd,
   * and from 1.24 on cudaupload fails then. */
  gboolean odd = !g_str_equal (frames_formats[__i__], "NV21");
  Line *lines[G_N_ELEMENTS (ways)];
  guint frames = 0;

  if (!frames_have (frames_formats[__i__]))
    return;
  for (guint w = 0; w < G_N_ELEMENTS (ways); w++)
    lines[w] = new_line (w, "");
  for (guint s = 0; s < G_N_ELEMENTS (sizes); s++) {
    GstCaps *caps = frames_caps ("", frames_formats[__i__], sizes[s][0],
        sizes[s][1]);

    for (guint d = 0; d < G_N_ELEMENTS (draws) && (odd ||
            sizes[s][1] % 2 == 0); d++, frames++)
      run_ways (lines, caps, d);
    gst_caps_unref (caps);
  }
  for (guint w = 0; w < G_N_ELEMENTS (ways); w++) {
    if (ways[w].cuda)
      line_check_in_place (lines[w], frames);
    line_free (lines[w]);
  }
}

GST_END_TEST;

/* Memory that the GPU does not reach takes a copy, of which the element makes
 * no secret; but it is still the GPU that converts. */
GST_START_TEST (test_unpinned_input)
{
  Line *line = new_line (2, "");
  guint frames = 0;

  for (guint f = 0; f < FRAMES_N_FORMATS; f++) {
    for (guint s = 0; s < G_N_ELEMENTS (sizes); s++, frames++) {
      GstCaps *caps = frames_caps ("", frames_formats[f], sizes[s][0],
          sizes[s][1]);
      GstBuffer *buffer = frames_new (caps, s % 2, frames);
      GBytes *expected = frames_on_cpu (buffer, caps, NULL);

      line_set_caps (line, caps);
      line_check (line, line_run (line, buffer), expected);
      g_bytes_unref (expected);
    }
  }
  fail_unless_equals_uint64 (line_count (line, "frames-staged") +
      line_count (line, "frames-in-place"), frames);
  fail_unless_equals_uint64 (line_count (line, "frames-cpu"), 0);
  line_free (line);
}

GST_END_TEST;

/* The input's range, and the output's range and matrix. */
static const gchar *const colorimetries[][2] = {
  {NULL, "bt709"}, {"2:1:7:1", "bt601"}, {"2:1:7:1", "1:4:7:1"},
  {"sRGB", "2:3:5:1"}, {"1:1:5:1", "1:6:0:0"}
};

GST_START_TEST (test_colorimetry)
{
  guint way = __i__ / G_N_ELEMENTS (colorimetries);
  const gchar *in = colorimetries[__i__ % G_N_ELEMENTS (colorimetries)][0];
  const gchar *out = colorimetries[__i__ % G_N_ELEMENTS (colorimetries)][1];
  gchar *fields = g_strdup_printf (", colorimetry=(string)%s", out);
  Line *line = new_line (way, fields);
  GstCaps *caps = frames_caps ("", frames_formats[__i__ % FRAMES_N_RGB], 53,
      7);
  GBytes *expected;
  GstBuffer *buffer;

  if (in != NULL)
    gst_caps_set_simple (caps, "colorimetry", G_TYPE_STRING, in, NULL);
  line_set_caps (line, gst_caps_ref (caps));
  buffer = frames_new_for (line->harness->srcpad, caps, __i__);
  expected = frames_on_cpu (buffer, caps, out);
  line_check (line, line_run (line, buffer), expected);
  if (ways[way].cuda)
    line_check_in_place (line, 1);
  g_bytes_unref (expected);
  gst_caps_unref (caps);
  g_free (fields);
  line_free (line);
}

GST_END_TEST;

static const struct
{
  const gchar *in, *out;
  const gchar *range_in, *range_out;
  gboolean passes;
} grays[] = {
  {"(memory:CUDAMemory)", CUDA, NULL, NULL, TRUE},
  {"(memory:CUDAMemory)", CUDA, "2:4:7:1", "2:4:7:1", TRUE},
  {"(memory:CUDAMemory)", CUDA, "2:4:7:1", "1:4:7:1", FALSE},
  {"(memory:CUDAMemory)", "video/x-raw", NULL, NULL, FALSE},
  {"(memory:CUDAMemory)", "video/x-raw", "1:4:7:1", "2:4:7:1", FALSE},
  {"", CUDA, NULL, NULL, FALSE},
  {"", CUDA, "2:4:7:1", "1:4:7:1", FALSE},
};

static GstBuffer *
new_in_context (GstCaps * caps, guint32 seed)
{
  GstBufferPool *pool = frames_pool (line_context, caps);
  GstBuffer *buffer = frames_fill (frames_acquire (pool), seed);

  frames_pool_free (pool);
  return buffer;
}

static void
run_gray (guint row, Line * line, gint width, gint height)
{
  GstCaps *caps = frames_caps (grays[row].in, "GRAY8", width, height);
  GstBuffer *buffer, *out;
  GBytes *expected;

  if (grays[row].range_in != NULL)
    gst_caps_set_simple (caps, "colorimetry", G_TYPE_STRING,
        grays[row].range_in, NULL);
  line_set_caps (line, gst_caps_ref (caps));
  buffer = grays[row].in[0] != '\0' ? new_in_context (caps, row) :
      frames_new_for (line->harness->srcpad, caps, row);
  expected = frames_on_cpu (buffer, caps, grays[row].range_out);
  out = line_run (line, gst_buffer_ref (buffer));
  fail_unless ((gst_buffer_peek_memory (out, 0) ==
          gst_buffer_peek_memory (buffer, 0)) == grays[row].passes);
  line_check (line, out, expected);
  gst_buffer_unref (buffer);
  g_bytes_unref (expected);
  gst_caps_unref (caps);
}

/* GRAY8 that is in the right memory passes through. */
GST_START_TEST (test_gray)
{
  gchar *out = g_strdup_printf ("%s, format=GRAY8%s%s", grays[__i__].out,
      grays[__i__].range_out != NULL ? ", colorimetry=(string)" : "",
      grays[__i__].range_out != NULL ? grays[__i__].range_out : "");
  Line *line = line_new (line_context, "cudagray name=gray", out);

  for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
    run_gray (__i__, line, sizes[s][0], sizes[s][1]);
  line_check_in_place (line, grays[__i__].passes ? 0 : G_N_ELEMENTS (sizes));
  fail_unless_equals_uint64 (line_count (line, "frames-passthrough"),
      grays[__i__].passes ? G_N_ELEMENTS (sizes) : 0);
  line_free (line);
  g_free (out);
}

GST_END_TEST;

/* The memory of a buffer in one that says nothing else.  Takes buffer. */
static GstBuffer *
bare (GstBuffer * buffer)
{
  GstBuffer *plain = gst_buffer_new ();

  gst_buffer_append_memory (plain, gst_buffer_get_memory (buffer, 0));
  gst_buffer_unref (buffer);
  return plain;
}

/* The application's own memory, without GstVideoMeta too: the memory itself
 * knows its pitch. */
GST_START_TEST (test_own_memory)
{
  gboolean with_meta = __i__ % 2, to_cuda = __i__ / 2 % 2;
  Line *line = line_new (line_context, "cudagray name=gray", to_cuda ?
      CUDA ", format=GRAY8" : "video/x-raw, format=GRAY8");
  /* GRAY8 would pass through from CUDA to CUDA. */
  guint formats = FRAMES_N_FORMATS + !to_cuda, frames = 0;

  for (guint f = 0; f < formats; f++) {
    const gchar *format = f < FRAMES_N_FORMATS ? frames_formats[f] : "GRAY8";
    GBytes *expected;
    GstBuffer *buffer;
    GstCaps *caps;

    if (f < FRAMES_N_FORMATS && !frames_have (format))
      continue;
    frames++;
    caps = frames_caps ("(memory:CUDAMemory)", format, 53, 7);
    buffer = new_in_context (caps, f);
    expected = frames_on_cpu (buffer, caps, NULL);
    if (!with_meta)
      buffer = bare (buffer);
    line_set_caps (line, caps);
    line_check (line, line_run (line, buffer), expected);
    g_bytes_unref (expected);
  }
  line_check_in_place (line, frames);
  line_free (line);
}

GST_END_TEST;

#define VIEW_WIDTH 21
#define VIEW_HEIGHT 9

/* A part of a larger frame, or the same upside down. */
static GstBuffer *
new_view (const gchar * format, gint x, gint y, gboolean bottom_up)
{
  GstCaps *caps = frames_caps ("(memory:CUDAMemory)", format, 70, 40);
  GstBuffer *buffer = bare (new_in_context (caps, x + y));
  const GstVideoInfo *info = &frames_memory (buffer)->info;
  gsize offset[GST_VIDEO_MAX_PLANES] = { 0 };
  gint stride[GST_VIDEO_MAX_PLANES] = { 0 };

  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (info); p++) {
    stride[p] = GST_VIDEO_INFO_PLANE_STRIDE (info, p);
    offset[p] = GST_VIDEO_INFO_PLANE_OFFSET (info, p) + y * stride[p] +
        x * GST_VIDEO_INFO_COMP_PSTRIDE (info, p);
    if (bottom_up) {
      offset[p] += (gsize) (VIEW_HEIGHT - 1) * stride[p];
      stride[p] = -stride[p];
    }
  }
  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_INFO_FORMAT (info), VIEW_WIDTH, VIEW_HEIGHT,
      GST_VIDEO_INFO_N_PLANES (info), offset, stride);
  gst_caps_unref (caps);
  return buffer;
}

GST_START_TEST (test_view)
{
  static const gint places[][2] = { {0, 0}, {1, 0}, {0, 3}, {5, 31}, {49, 30} };
  Line *line = line_new (line_context, "cudagray name=gray",
      __i__ % 2 ? "video/x-raw, format=GRAY8" : CUDA ", format=GRAY8");
  guint frames = 0;

  for (guint f = 0; f < FRAMES_N_FORMATS; f++) {
    if (!frames_have (frames_formats[f]))
      continue;
    frames += G_N_ELEMENTS (places);
    for (guint i = 0; i < G_N_ELEMENTS (places); i++) {
      GstCaps *caps = frames_caps ("(memory:CUDAMemory)", frames_formats[f],
          VIEW_WIDTH, VIEW_HEIGHT);
      GstBuffer *buffer = new_view (frames_formats[f], places[i][0],
          places[i][1], __i__ / 2);
      GBytes *expected = frames_on_cpu (buffer, caps, NULL);

      line_set_caps (line, caps);
      line_check (line, line_run (line, buffer), expected);
      g_bytes_unref (expected);
    }
  }
  line_check_in_place (line, frames);
  line_free (line);
}

GST_END_TEST;

/* Memory that ends some bytes after a frame's last one.  GStreamer's staging
 * memory is as long as the memory was when it was first mapped. */
static GstBuffer *
new_cut (GstCaps * caps, gboolean with_meta, gint spare)
{
  GstBuffer *buffer = new_in_context (caps, spare + 7);
  const GstVideoInfo *info = &frames_memory (buffer)->info;
  guint last = GST_VIDEO_INFO_N_PLANES (info) - 1;

  if (!with_meta)
    buffer = bare (buffer);
  gst_memory_resize (gst_buffer_peek_memory (buffer, 0), 0, spare +
      GST_VIDEO_INFO_PLANE_OFFSET (info, last) +
      GST_VIDEO_INFO_PLANE_STRIDE (info, last) *
      (GST_VIDEO_INFO_HEIGHT (info) - 1) + GST_VIDEO_INFO_WIDTH (info) *
      GST_VIDEO_INFO_COMP_PSTRIDE (info, last));
  return buffer;
}

GST_START_TEST (test_too_short)
{
  static const gchar *formats[] = { "RGB", "BGRx", "GBR", "GRAY8" };
  GstCaps *caps = frames_caps ("(memory:CUDAMemory)", formats[__i__ / 4], 53,
      7);
  gboolean gray = __i__ / 4 == 3, with_meta = __i__ % 2 || gray;
  gboolean to_cuda = __i__ / 2 % 2;
  Line *line = line_new (line_context, "cudagray name=gray", to_cuda ?
      CUDA ", format=GRAY8" : "video/x-raw, format=GRAY8");

  line_set_caps (line, gst_caps_ref (caps));
  for (gint i = 0; i < 3; i++) {
    GstBuffer *good = new_cut (caps, with_meta, i);
    GBytes *expected = frames_on_cpu (good, caps, NULL);

    line_run_dropped (line, new_cut (caps, with_meta, -1 - i));
    line_check (line, line_run (line, good), expected);
    g_bytes_unref (expected);
  }
  fail_unless_equals_uint64 (line_count (line, "frames-dropped"), 3);
  line_check_in_place (line, gray && to_cuda ? 0 : 3);
  line_free (line);
  gst_caps_unref (caps);
}

GST_END_TEST;

static gchar *
run_to_file (const gchar * between)
{
  gchar *name = g_strdup_printf ("%s/cudagray-memory-XXXXXX",
      g_get_tmp_dir ());
  gchar *bytes;
  gsize size;
  GstElement *pipeline;

  fail_unless (g_close (g_mkstemp (name), NULL));
  pipeline = pipe_launch ("videotestsrc num-buffers=5 pattern=ball ! "
      "video/x-raw,format=RGB ! %s ! video/x-raw,format=GRAY8 ! "
      "filesink location=%s", between, name);
  pipe_play (pipeline, 20);
  pipe_stop (pipeline, NULL);
  fail_unless (g_file_get_contents (name, &bytes, &size, NULL));
  fail_unless_equals_uint64 (size, 5 * 320 * 240);
  g_unlink (name);
  g_free (name);
  return bytes;
}

GST_START_TEST (test_launch_line)
{
  static const gchar *lines[] = {
    "cudaupload ! cudagray", "cudaupload ! cudagray backend=cuda",
    "cudaupload ! " CUDA " ! cudagray ! " CUDA " ! cudagray",
    "cudaupload ! " CUDA " ! cudadownload ! cudagray",
    "cudagray ! " CUDA " ! queue ! cudagray"
  };
  gchar *expected = run_to_file ("cudagray backend=cpu");
  gchar *got = run_to_file (lines[__i__]);

  fail_unless (memcmp (got, expected, 5 * 320 * 240) == 0, "%s", lines[__i__]);
  g_free (got);
  g_free (expected);
}

GST_END_TEST;

static Suite *
formats_suite (void)
{
  Suite *suite = suite_create ("formats");
  TCase *tests = tcase_create ("formats");

  rig_check_leaks (tests);
  line_make_context (tests);
  tcase_add_loop_test (tests, test_formats, 0, FRAMES_N_FORMATS);
  tcase_add_test (tests, test_unpinned_input);
  tcase_add_loop_test (tests, test_colorimetry, 0,
      G_N_ELEMENTS (ways) * G_N_ELEMENTS (colorimetries));
  tcase_add_loop_test (tests, test_gray, 0, G_N_ELEMENTS (grays));
  tcase_add_loop_test (tests, test_own_memory, 0, 4);
  tcase_add_loop_test (tests, test_view, 0, 4);
  tcase_add_loop_test (tests, test_too_short, 0, 16);
  suite_add_tcase (suite, tests);
  tests = tcase_create ("launch line");
  rig_check_leaks (tests);
  pipe_stop_leftovers (tests);
  tcase_add_loop_test (tests, test_launch_line, 0, 5);
  suite_add_tcase (suite, tests);
  return suite;
}

int
main (int argc, char **argv)
{
  return rig_gpu_main (argc, argv, formats_suite);
}
