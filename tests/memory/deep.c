/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Samples and gray values of more than 8 bits in the GPU's memory, against the
 * oracle of tests/element. */

#include "deepframe.h"
#include "line.h"

#define ON_GPU "(memory:CUDAMemory)"

static const gchar *const grays[] = { "GRAY8", "GRAY16_LE", "GRAY16_BE" };

static const gchar *const inputs[] = {
  "NV12", "P010_10LE", "P016_LE", "I420_10LE", "Y444_16LE", "RGB10A2_LE",
  "BGR10A2_LE", "RGB", "GBR", "UYVY", "GRAY8", "GRAY16_LE", "GRAY16_BE"
};

/* No cudaupload takes gray. */
static const struct
{
  const gchar *elements, *out;
  gboolean upload;
} ways[] = {
  {"cudaupload ! " CUDA " ! cudagray name=gray", CUDA, TRUE},
  {"cudaupload ! " CUDA " ! cudagray name=gray", "video/x-raw", TRUE},
  {"cudagray name=gray", CUDA, FALSE},
  {"cudagray name=gray", "video/x-raw", FALSE},
};

static const gint sizes[][2] = { {1, 1}, {3, 2}, {53, 7}, {641, 33} };

static Line *
new_line (guint way, const gchar * gray)
{
  gchar *out = g_strdup_printf ("%s, format=%s", ways[way].out, gray);
  Line *line = line_new (line_context, ways[way].elements, out);

  g_free (out);
  return line;
}

static void
check_output (GstBuffer * out, const gchar * gray, gint width, gint height)
{
  const GstCudaMemory *memory = frames_memory (out);
  const GstVideoMeta *meta = gst_buffer_get_video_meta (out);
  gint row = width * (g_str_equal (gray, "GRAY8") ? 1 : 2);

  fail_unless (memory->context == line_context);
  fail_unless_equals_string (GST_VIDEO_INFO_NAME (&memory->info), gray);
  fail_unless_equals_int (memory->info.width, width);
  fail_unless_equals_int (memory->info.height, height);
  fail_unless (memory->info.stride[0] >= row);
  fail_unless (memory->info.size >= (gsize) memory->info.stride[0] * height);
  fail_unless_equals_uint64 (gst_buffer_get_size (out), memory->info.size);
  fail_unless (meta != NULL);
  fail_unless_equals_string (gst_video_format_to_string (meta->format), gray);
  fail_unless_equals_int (meta->width, width);
  fail_unless_equals_int (meta->height, height);
  fail_unless_equals_int (meta->n_planes, 1);
  fail_unless_equals_int (meta->offset[0], 0);
  fail_unless_equals_int (meta->stride[0], memory->info.stride[0]);
}

/* By the oracle as the CPU maps it, and by the CPU's bytes on the device. */
static void
run (Line * line, guint way, const Deep * deep, const gchar * gray, gint width,
    gint height)
{
  DeepFrame *frame = deep_frame_new (deep, width, height, NULL, width + way);
  GstBuffer *in = deep_frame_buffer (frame, frame->layout.size), *out;
  GstCaps *caps = frames_caps ("", deep->name, width, height), *out_caps;
  GBytes *expected = frames_on_cpu_as (in, caps, gray, NULL);
  Rule rule = rule_default;

  rule.from_limited = deep->yuv;
  line_set_caps (line, caps);
  out = line_run (line, in);
  out_caps = line_output_caps (line);
  if (g_str_equal (ways[way].out, CUDA))
    check_output (out, gray, width, height);
  deep_frame_check (frame, &rule, out, out_caps);
  line_check (line, out, expected);
  gst_caps_unref (out_caps);
  g_bytes_unref (expected);
  deep_frame_free (frame);
}

GST_START_TEST (test_formats)
{
  const Deep *deep = deep_find (inputs[__i__ / 3]);
  const gchar *gray = grays[__i__ % 3];
  gboolean can_upload = frames_have (deep->name);

  for (guint w = 0; w < G_N_ELEMENTS (ways); w++) {
    Line *line;

    if (ways[w].upload && !can_upload)
      continue;
    line = new_line (w, gray);
    for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
      run (line, w, deep, gray, sizes[s][0], sizes[s][1]);
    if (ways[w].upload)
      line_check_in_place (line, G_N_ELEMENTS (sizes));
    else if (w == 2)
      fail_unless_equals_uint64 (line_count (line, "frames-cpu"), 0);
    line_free (line);
  }
}

GST_END_TEST;

/* What test_formats must not leave out, on any release. */
GST_START_TEST (test_uploads_exist)
{
  fail_unless (frames_have ("NV12"));
  fail_unless (frames_have ("P010_10LE"));
  fail_unless (frames_have ("Y444_16LE"));
  fail_unless (frames_have ("RGB10A2_LE"));
}

GST_END_TEST;

/* Sinks copy their last frame when caps change, and whoever writes to memory
 * that others hold too gets a copy of it. */
GST_START_TEST (test_copies)
{
  gint width = sizes[__i__ / 2][0], height = sizes[__i__ / 2][1];
  const gchar *gray = grays[1 + __i__ % 2];
  Line *line = new_line (2, gray);
  GstCaps *caps = frames_caps ("", "RGB10A2_LE", width, height);
  GstBuffer *buffer = frames_new (caps, FALSE, __i__), *out, *copy, *shared;
  GBytes *expected = frames_on_cpu_as (buffer, caps, gray, NULL);

  line_set_caps (line, caps);
  out = line_run (line, buffer);
  copy = gst_buffer_copy_deep (out);
  fail_unless (frames_memory (copy) != frames_memory (out));
  check_output (copy, gray, width, height);
  shared = gst_buffer_copy (out);
  fail_unless (frames_memory (shared) == frames_memory (out));
  frames_fill (shared, 7);
  fail_unless (frames_memory (shared) != frames_memory (out));
  check_output (shared, gray, width, height);
  gst_buffer_unref (shared);
  line_check (line, gst_buffer_ref (out), expected);
  frames_fill (out, 8);
  gst_buffer_unref (out);
  line_check (line, copy, expected);
  g_bytes_unref (expected);
  line_free (line);
}

GST_END_TEST;

static GstBuffer *
new_in_context (GstCaps * caps, guint32 seed)
{
  GstBufferPool *pool = frames_pool (line_context, caps);
  GstBuffer *buffer = frames_fill (frames_acquire (pool), seed);

  frames_pool_free (pool);
  return buffer;
}

/* Gray in the GPU's memory, from the pool that upstream is offered unless
 * frames pass through; 8 bits where it is left open. */
GST_START_TEST (test_gray_in)
{
  const gchar *in = grays[__i__ / 4], *out = grays[__i__ % 4 % 3];
  GstCaps *caps = frames_caps (ON_GPU, in, 53, 7);
  gboolean open = __i__ % 4 == 3, passes = g_str_equal (in, out);
  Line *line = open ? line_new (line_context, "cudagray name=gray", CUDA) :
      new_line (2, out);
  GstBuffer *buffer, *gray;
  GBytes *expected;

  line_set_caps (line, gst_caps_ref (caps));
  buffer = passes ? new_in_context (caps, __i__) :
      frames_new_for (line->harness->srcpad, caps, __i__);
  check_output (buffer, in, 53, 7);
  expected = frames_on_cpu_as (buffer, caps, out, NULL);
  gray = line_run (line, gst_buffer_ref (buffer));
  check_output (gray, out, 53, 7);
  fail_unless ((frames_memory (gray) == frames_memory (buffer)) == passes);
  line_check (line, gray, expected);
  line_check_in_place (line, !passes);
  fail_unless_equals_uint64 (line_count (line, "bytes-out"), passes ? 0 :
      53 * 7 * (g_str_equal (out, "GRAY8") ? 1 : 2));
  gst_buffer_unref (buffer);
  g_bytes_unref (expected);
  gst_caps_unref (caps);
  line_free (line);
}

GST_END_TEST;

/* For a format that this release's allocator would abort at. */
static void
check_no_pool (Line * line, GstCaps * caps)
{
  GstQuery *query = gst_query_new_allocation (caps, TRUE);

  fail_unless (gst_pad_peer_query (line->harness->srcpad, query));
  fail_unless_equals_int (gst_query_get_n_allocation_pools (query), 0);
  fail_unless (gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE,
          NULL));
  gst_query_unref (query);
}

/* A pool for each format, and its frames convert. */
GST_START_TEST (test_offers)
{
  const gchar *format = frames_formats[__i__];
  GstBuffer *buffer;
  GBytes *expected;
  GstCaps *caps;
  Line *line;

  line = new_line (2, "GRAY16_LE");
  caps = frames_caps (ON_GPU, format, 53, 7);
  line_set_caps (line, gst_caps_ref (caps));
  if (!frames_have (format)) {
    check_no_pool (line, caps);
    gst_caps_unref (caps);
    line_free (line);
    return;
  }
  buffer = frames_new_for (line->harness->srcpad, caps, __i__);
  fail_unless_equals_string (GST_VIDEO_INFO_NAME (&frames_memory
          (buffer)->info), format);
  expected = frames_on_cpu_as (buffer, caps, "GRAY16_LE", NULL);
  line_check (line, line_run (line, buffer), expected);
  line_check_in_place (line, 1);
  g_bytes_unref (expected);
  gst_caps_unref (caps);
  line_free (line);
}

GST_END_TEST;

static Suite *
deep_suite (void)
{
  Suite *suite = suite_create ("deep");
  TCase *tests = tcase_create ("deep");

  rig_check_leaks (tests);
  line_make_context (tests);
  tcase_add_loop_test (tests, test_formats, 0, 3 * G_N_ELEMENTS (inputs));
  tcase_add_test (tests, test_uploads_exist);
  tcase_add_loop_test (tests, test_copies, 0, 2 * G_N_ELEMENTS (sizes));
  tcase_add_loop_test (tests, test_gray_in, 0, 4 * G_N_ELEMENTS (grays));
  tcase_add_loop_test (tests, test_offers, 0, FRAMES_N_FORMATS);
  suite_add_tcase (suite, tests);
  return suite;
}

int
main (int argc, char **argv)
{
  return rig_gpu_main (argc, argv, deep_suite);
}
