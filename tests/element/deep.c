/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Samples of more or fewer than 8 bits, and gray values of 16, by their
 * bytes. */

#include "deepframe.h"
#include "videoplan.h"
#include "rig.h"

static const gchar *const grays[] = { "GRAY8", "GRAY16_LE", "GRAY16_BE" };

static const guint sizes[][2] = { {1, 1}, {3, 2}, {17, 3}, {641, 2} };

/* Odd, so that words lie anywhere. */
static const Shape padded = { 13, 7, 0, FALSE };

static void
set_caps (Rig * rig, const Deep * deep, guint width, guint height,
    const gchar * colorimetry)
{
  GstCaps *caps = caps_new (deep->name, width, height, NULL);

  if (colorimetry != NULL)
    gst_caps_set_simple (caps, "colorimetry", G_TYPE_STRING, colorimetry, NULL);
  rig_set_caps (rig, caps);
}

static void
ask_for (Rig * rig, const gchar * gray, const gchar * colorimetry)
{
  gchar *filter = g_strdup_printf ("video/x-raw, format=%s%s%s", gray,
      colorimetry != NULL ? ", colorimetry=(string)" : "",
      colorimetry != NULL ? colorimetry : "");

  gst_harness_set_sink_caps_str (rig->harness, filter);
  g_free (filter);
}

static void
check_buffer (Rig * rig, const DeepFrame * frame, GstBuffer * in,
    const Rule * rule)
{
  GstBuffer *out = rig_run (rig, in);
  GstCaps *caps = rig_output_caps (rig);

  deep_frame_check (frame, rule, out, caps);
  gst_caps_unref (caps);
  gst_buffer_unref (out);
}

/* As caps lay it out, then with a GstVideoMeta. */
static void
check_layouts (Rig * rig, const Deep * deep, guint width, guint height,
    const Rule * rule)
{
  for (guint s = 0; s < 2; s++) {
    DeepFrame *frame = deep_frame_new (deep, width, height, s ? &padded : NULL,
        width + s);
    GstBuffer *in = deep_frame_buffer (frame, frame->layout.size);

    if (s)
      deep_frame_add_meta (frame, in);
    check_buffer (rig, frame, in, rule);
    deep_frame_free (frame);
  }
}

static void
expect_format (Rig * rig, const gchar * format)
{
  GstCaps *caps = rig_output_caps (rig);

  fail_unless_equals_string (gst_structure_get_string (gst_caps_get_structure
          (caps, 0), "format"), format);
  gst_caps_unref (caps);
}

/* tests/element/plane.c has these. */
static gboolean
is_plane (const gchar * in, const gchar * out)
{
  GstVideoInfo from, to;

  gst_video_info_set_format (&from, gst_video_format_from_string (in), 8, 8);
  gst_video_info_set_format (&to, gst_video_format_from_string (out), 8, 8);
  from.colorimetry = to.colorimetry;
  return cuda_gray_plan_is_plane (&from, &to);
}

static void
check_to_gray (const Deep * deep, guint g, guint from, guint to)
{
  Rule rule = { GST_VIDEO_COLOR_MATRIX_BT709, from == 2, to == 2 };
  gchar *in = g_strdup_printf ("%u:%u:5:1", from, deep->samples == 3 ? 1 : 3);
  gchar *out = g_strdup_printf ("%u:3:5:1", to);
  guint planes = deep->samples == 3 ? MIN (deep->planes, 3) : 1;
  guint64 pixels = 0, bytes = 0, passed;
  Rig *rig = rig_new ();

  ask_for (rig, grays[g], out);
  for (guint s = 0; s < G_N_ELEMENTS (sizes); s++) {
    set_caps (rig, deep, sizes[s][0], sizes[s][1], in);
    check_layouts (rig, deep, sizes[s][0], sizes[s][1], &rule);
    expect_format (rig, grays[g]);
    pixels += 2 * sizes[s][0] * sizes[s][1];
    bytes += 2 * deep_row_bytes (deep, sizes[s][0]) * sizes[s][1] * planes;
  }
  passed = stat_count (rig->element, "frames-passthrough");
  if (from == to && g_str_equal (deep->name, grays[g])) {
    fail_unless_equals_uint64 (passed, 2 * G_N_ELEMENTS (sizes));
    pixels = bytes = 0;
  } else if (from == to && is_plane (deep->name, grays[g])) {
    /* Of two layouts, the one that caps have. */
    fail_unless_equals_uint64 (passed, G_N_ELEMENTS (sizes));
    pixels /= 2;
    bytes /= 2;
  } else {
    fail_unless_equals_uint64 (passed, 0);
  }
  fail_unless_equals_uint64 (stat_count (rig->element, "bytes-out"),
      pixels * (g > 0 ? 2 : 1));
  fail_unless_equals_uint64 (stat_count (rig->element, "bytes-in"), bytes);
  rig_free (rig);
  g_free (in);
  g_free (out);
}

/* Every format, those of 8 bits too, to every gray, in all ranges. */
GST_START_TEST (test_formats)
{
  for (guint i = 0; i < 4 * G_N_ELEMENTS (grays); i++)
    check_to_gray (&deep_formats[__i__], i / 4, 1 + i % 2, 1 + i / 2 % 2);
}

GST_END_TEST;

/* Rows of all lengths up to the widest vector, and around whole blocks. */
GST_START_TEST (test_widths)
{
  static const gchar *names[] = {
    "RGB16", "r210", "GBR_12BE", "BGRA64_LE", "P010_10LE", "Y412_BE", "RGB",
    "GRAY16_BE", "GRAY10_LE32"
  };
  const Deep *deep = deep_find (names[__i__]);
  Rule rule = rule_default;
  Rig *rig = rig_new ();

  rule.from_limited = deep->yuv;
  ask_for (rig, "GRAY16_LE", NULL);
  for (guint width = 1; width <= 260; width++) {
    if (width > 67 && width % 128 > 3 && width % 128 < 125)
      continue;
    set_caps (rig, deep, width, 2, NULL);
    check_layouts (rig, deep, width, 2, &rule);
  }
  rig_free (rig);
}

GST_END_TEST;

/* Levels in literals, of one pixel in all bytes that it has. */
static const struct
{
  const gchar *format, *in;
  guint8 bytes[8];
  const gchar *out;
  guint8 gray8, gray16[2];      /* big-endian */
} levels[] = {
  /* White and black of a format are white and black. */
  {"RGB16", NULL, {0xff, 0xff}, "1:4:0:0", 255, {0xff, 0xff}},
  {"RGB15", NULL, {0xff, 0x7f}, "1:4:0:0", 255, {0xff, 0xff}},
  {"RGB10A2_LE", NULL, {0xff, 0xff, 0xff, 0x3f}, "1:4:0:0", 255, {0xff, 0xff}},
  {"GRAY8", NULL, {255}, "1:4:0:0", 255, {0xff, 0xff}},
  {"GRAY8", NULL, {1}, "1:4:0:0", 1, {0x01, 0x01}},
  {"GRAY8", NULL, {0}, "1:4:0:0", 0, {0x00, 0x00}},
  /* 0x8000 x 255 / 65535 is 127.5019. */
  {"GRAY16_LE", NULL, {0x00, 0x80}, "1:4:0:0", 128, {0x80, 0x00}},
  {"GRAY16_BE", NULL, {0x7f, 0xff}, "1:4:0:0", 127, {0x7f, 0xff}},
  /* Black is 64 and white 940 of 1023. */
  {"P010_10LE", "bt601", {0x00, 0x10}, "1:4:0:0", 0, {0x00, 0x00}},
  {"P010_10LE", "bt601", {0x00, 0xeb}, "1:4:0:0", 255, {0xff, 0xff}},
  {"P010_10LE", "bt601", {0xc0, 0x0f}, "1:4:0:0", 0, {0x00, 0x00}},
  {"P010_10LE", "bt601", {0x00, 0xeb}, "2:4:0:0", 235, {0xeb, 0x00}},
  {"Y412_BE", "bt601", {0, 0, 0x10, 0}, "2:4:0:0", 16, {0x10, 0x00}},
  /* 0xffff of full range is 235 x 256 of limited. */
  {"GRAY16_LE", "1:4:0:0", {0xff, 0xff}, "2:4:0:0", 235, {0xeb, 0x00}},
  /* Red of 10 bits: 0.299 x 65535 is 19594.97. */
  {"r210", NULL, {0x3f, 0xf0, 0, 0}, "1:4:0:0", 76, {0x4c, 0x8b}},
  {"BGR16", NULL, {0x1f, 0x00}, "1:4:0:0", 76, {0x4c, 0x8b}},
  /* Blue: 0.114 x 65535 is 7470.99. */
  {"ARGB64_BE", NULL, {0, 0, 0, 0, 0, 0, 0xff, 0xff}, "1:4:0:0", 29,
      {0x1d, 0x2f}},
};

GST_START_TEST (test_levels)
{
  const Deep *deep = deep_find (levels[__i__].format);

  for (guint g = 0; g < G_N_ELEMENTS (grays); g++) {
    guint8 expected[2] = { levels[__i__].gray16[g == 1],
      levels[__i__].gray16[g == 2]
    };
    DeepFrame *frame = deep_frame_new (deep, 1, 1, NULL, 1);
    Rig *rig = rig_new ();
    GstBuffer *out;

    if (g == 0)
      expected[0] = levels[__i__].gray8;
    memcpy (frame->data, levels[__i__].bytes, deep->step);
    ask_for (rig, grays[g], levels[__i__].out);
    set_caps (rig, deep, 1, 1, levels[__i__].in);
    out = rig_run (rig, deep_frame_buffer (frame, frame->layout.size));
    fail_unless (gst_buffer_memcmp (out, 0, expected, g == 0 ? 1 : 2) == 0,
        "%s to %s", deep->name, grays[g]);
    gst_buffer_unref (out);
    deep_frame_free (frame);
    rig_free (rig);
  }
}

GST_END_TEST;

/* What the output's caps say where nobody asks for anything. */
static const struct
{
  const gchar *format, *in;
  guint height;
  const gchar *out;
  gboolean from_limited;
} labels[] = {
  {"RGB10A2_LE", NULL, 2, NULL, FALSE},
  {"GBR_12BE", "sRGB", 2, "1:4:7:1", FALSE},
  {"ARGB64_LE", "2:1:14:7", 2, "1:4:14:7", TRUE},
  {"P010_10LE", NULL, 2, NULL, TRUE},
  {"P010_10LE", NULL, 577, "1:3:5:1", TRUE},
  {"I420_12BE", "bt2100-pq", 2, "1:6:14:7", TRUE},
  {"Y410", "bt2020-10", 2, "1:6:13:7", TRUE},
  {"P016_LE", "1:3:5:1", 2, "1:3:5:1", FALSE},
  {"RGB", "sRGB", 2, "1:4:7:1", FALSE},
  {"I420", "bt709", 2, "1:3:5:1", TRUE},
  {"GRAY16_BE", NULL, 2, NULL, FALSE},
};

GST_START_TEST (test_labels)
{
  const Deep *deep = deep_find (labels[__i__].format);
  Rule rule = rule_default;

  rule.from_limited = labels[__i__].from_limited;
  for (guint g = 0; g < G_N_ELEMENTS (grays); g++) {
    const gchar *label;
    Rig *rig = rig_new ();
    GstCaps *caps;

    ask_for (rig, grays[g], NULL);
    set_caps (rig, deep, 9, labels[__i__].height, labels[__i__].in);
    check_layouts (rig, deep, 9, labels[__i__].height, &rule);
    caps = rig_output_caps (rig);
    label = gst_structure_get_string (gst_caps_get_structure (caps, 0),
        "colorimetry");
    fail_unless (g_strcmp0 (label, labels[__i__].out) == 0, "%s of %s: %s, "
        "not %s", grays[g], deep->name, label, labels[__i__].out);
    gst_caps_unref (caps);
    rig_free (rig);
  }
}

GST_END_TEST;

/* 8 bits where downstream takes them, in whichever order it says so. */
static const struct
{
  const gchar *in, *filter, *out;
} choices[] = {
  {"GRAY16_LE", NULL, "GRAY8"}, {"GRAY16_BE", NULL, "GRAY8"},
  {"GRAY8", NULL, "GRAY8"}, {"ARGB64_BE", NULL, "GRAY8"},
  {"P010_10LE", NULL, "GRAY8"},
  {"P010_10LE", "{ RGB, GRAY16_BE }", "GRAY16_BE"},
  {"GRAY16_LE", "GRAY16_LE", "GRAY16_LE"},
  {"GRAY16_LE", "GRAY16_BE", "GRAY16_BE"},
  {"GRAY16_BE", "GRAY16_BE", "GRAY16_BE"},
  {"GRAY8", "{ GRAY16_LE, GRAY16_BE }", "GRAY16_LE"},
  {"P010_10LE", "{ GRAY16_LE, GRAY8 }", "GRAY8"},
};

GST_START_TEST (test_choices)
{
  const Deep *deep = deep_find (choices[__i__].in);
  Rule rule = rule_default;
  Rig *rig = rig_new ();

  rule.from_limited = deep->yuv;
  if (choices[__i__].filter != NULL)
    ask_for (rig, choices[__i__].filter, NULL);
  set_caps (rig, deep, 19, 3, NULL);
  check_layouts (rig, deep, 19, 3, &rule);
  expect_format (rig, choices[__i__].out);
  fail_unless_equals_uint64 (stat_count (rig->element, "frames-passthrough"),
      g_str_equal (choices[__i__].in, choices[__i__].out) ? 2 : 0);
  rig_free (rig);
}

GST_END_TEST;

/* No byte of the last pixel may be missing, but chroma and padding. */
GST_START_TEST (test_too_short)
{
  const Deep *deep = &deep_formats[__i__];
  DeepFrame *frame = deep_frame_new (deep, 17, 3, NULL, 1);
  gsize needed = deep_frame_needed (frame);
  Rule rule = rule_default;
  Rig *rig = rig_new ();

  rule.from_limited = deep->yuv;
  /* GRAY16_LE would pass through, and has a test of its own in badinput.c. */
  ask_for (rig, g_str_equal (deep->name, "GRAY16_LE") ? "GRAY16_BE" :
      "GRAY16_LE", NULL);
  set_caps (rig, deep, 17, 3, NULL);
  check_buffer (rig, frame, deep_frame_buffer (frame, needed), &rule);
  rig_run_dropped (rig, deep_frame_buffer (frame, needed - 1), GST_FLOW_OK);
  bus_expect (rig->bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR,
      GST_STREAM_ERROR_FORMAT, "got ", "needed ", NULL);
  check_buffer (rig, frame, deep_frame_buffer (frame, needed), &rule);
  fail_unless_equals_uint64 (stat_count (rig->element, "frames-dropped"), 1);
  deep_frame_free (frame);
  rig_free (rig);
}

GST_END_TEST;

static void
add_tests (TCase * tests)
{
  tcase_add_loop_test (tests, test_formats, 0, N_DEEP + N_SHALLOW);
  tcase_add_loop_test (tests, test_widths, 0, 9);
  tcase_add_loop_test (tests, test_levels, 0, G_N_ELEMENTS (levels));
  tcase_add_loop_test (tests, test_labels, 0, G_N_ELEMENTS (labels));
  tcase_add_loop_test (tests, test_choices, 0, G_N_ELEMENTS (choices));
  tcase_add_loop_test (tests, test_too_short, 0, N_DEEP + N_SHALLOW);
}

int
main (int argc, char **argv)
{
  return rig_main (argc, argv, "element-deep", add_tests);
}
