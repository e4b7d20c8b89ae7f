/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Colorimetry: the labels on the caps, and the bytes that go with them. */

#include "rig.h"

/* (200,100,50) first, then the primaries, then whatever comes. */
static Picture *
colour_picture (void)
{
  static const guint8 first[] = {
    200, 100, 50, 0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 255, 0, 0, 0, 255,
    16, 16, 16, 235, 235, 235, 15, 15, 15, 236, 236, 236, 1, 2, 3
  };
  Picture *picture = picture_new_random (37, 5, 11);

  memcpy (picture->rgb, first, sizeof first);
  return picture;
}

static void
set_filter (GstHarness * harness, const gchar * colorimetry)
{
  gchar *caps = colorimetry == NULL ? g_strdup ("video/x-raw, format=GRAY8") :
      g_strdup_printf ("video/x-raw, format=GRAY8, colorimetry=(string)%s",
      colorimetry);

  gst_harness_set_sink_caps_str (harness, caps);
  g_free (caps);
}

static GstCaps *
caps_with_label (const gchar * format, guint width, guint height,
    const gchar * colorimetry)
{
  GstCaps *caps = caps_new (format, width, height, NULL);

  if (colorimetry != NULL)
    gst_caps_set_simple (caps, "colorimetry", G_TYPE_STRING, colorimetry, NULL);
  return caps;
}

static gchar *
label_of (GstHarness * harness)
{
  GstCaps *caps = gst_pad_get_current_caps (harness->sinkpad);
  GstStructure *structure = gst_caps_get_structure (caps, 0);
  gchar *label = g_strdup (gst_structure_get_string (structure,
          "colorimetry"));

  fail_if (gst_structure_has_field (structure, "chroma-site"));
  gst_caps_unref (caps);
  return label;
}

static const gchar *labels_in[] = {
  NULL, "sRGB", "1:1:5:1", "bt709", "2:1:7:1", "1:1:7:4", "0:1:7:1",
  "1:4:7:1", "0:0:0:0"
};

static const gchar *labels_asked[] = {
  NULL, "bt601", "bt709", "bt2020", "smpte240m", "1:4:0:0", "1:3:5:1",
  "1:6:0:0", "1:5:0:0", "1:2:0:0", "2:2:0:0", "{ bt709, bt601 }",
  "{ 1:3:5:1, 1:4:7:1 }"
};

/* videoconvert's labels, and the bytes of our rule for them. */
static void
compare_labels (Rig * rig, GstHarness * other, const Picture * picture,
    const gchar * in, const gchar * asked)
{
  GstCaps *caps = caps_with_label ("RGB", picture->width, picture->height, in);
  gchar *ours, *theirs;
  GstBuffer *out;
  Rule rule;

  set_filter (rig->harness, asked);
  set_filter (other, asked);
  gst_harness_set_src_caps (other, gst_caps_ref (caps));
  rig_set_caps (rig, caps);
  out = rig_run (rig, picture_plain_buffer (picture, pixels_find ("RGB")));
  gst_harness_push (other, picture_plain_buffer (picture, pixels_find ("RGB")));
  gst_buffer_unref (gst_harness_pull (other));
  ours = label_of (rig->harness);
  theirs = label_of (other);
  fail_unless (g_strcmp0 (ours, theirs) == 0, "%s for %s: %s, not %s", in,
      asked, ours, theirs);
  fail_if (ours != NULL && (g_str_equal (ours, "sRGB") ||
          g_str_equal (ours, "0:0:0:0") || g_str_has_suffix (ours, "null")));
  rule = rule_from_labels (in, ours);
  rig_check (rig, out, picture, &rule);
  gst_buffer_unref (out);
  g_free (ours);
  g_free (theirs);
}

GST_START_TEST (test_labels_as_videoconvert)
{
  Picture *picture = colour_picture ();

  for (guint i = 0; i < G_N_ELEMENTS (labels_in); i++) {
    for (guint a = 0; a < G_N_ELEMENTS (labels_asked); a++) {
      GstHarness *other = gst_harness_new ("videoconvert");
      Rig *rig = rig_new ();

      compare_labels (rig, other, picture, labels_in[i], labels_asked[a]);
      gst_harness_teardown (other);
      rig_free (rig);
    }
  }
  picture_free (picture);
}

GST_END_TEST;

/* What facts 3.3 measured, as literals. */
GST_START_TEST (test_labels)
{
  static const struct
  {
    const gchar *in, *asked, *out;
    guint8 y;
  } rows[] = {
    {NULL, NULL, NULL, 124},
    {"sRGB", NULL, "1:4:7:1", 124},
    {"1:1:5:1", NULL, "1:4:5:1", 124},
    {"bt709", NULL, "1:4:5:1", 126},
    {"sRGB", "bt601", "bt601", 123},
    {NULL, "bt709", "bt709", 117},
    {"sRGB", "1:3:5:1", "1:3:5:1", 118},
    {"bt709", "bt601", "bt601", 124},
    {"sRGB", "{ bt709, bt601 }", "bt709", 117},
    {"sRGB", "sRGB", "sRGB", 124},
    {NULL, "sRGB", "sRGB", 124},
  };
  Picture *picture = colour_picture ();

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    Rule rule = rule_from_labels (rows[i].in, rows[i].out);
    Rig *rig = rig_new ();
    gchar *label;

    fail_unless_equals_int (rule_apply (&rule, picture->rgb), rows[i].y);
    set_filter (rig->harness, rows[i].asked);
    rig_set_caps (rig, caps_with_label ("BGRx", picture->width,
            picture->height, rows[i].in));
    gst_buffer_unref (rig_run_checked (rig, picture_plain_buffer (picture,
                pixels_find ("BGRx")), picture, &rule));
    label = label_of (rig->harness);
    fail_unless (g_strcmp0 (label, rows[i].out) == 0, "row %u: %s", i, label);
    g_free (label);
    rig_free (rig);
  }
  picture_free (picture);
}

GST_END_TEST;

GST_START_TEST (test_every_matrix_and_range)
{
  static const guint matrices[] = { 2, 3, 4, 5, 6 };
  Picture *picture = colour_picture ();
  Rig *rig = rig_new ();

  for (guint i = 0; i < 2 * 2 * N_RGB_FORMATS * G_N_ELEMENTS (matrices); i++) {
    guint from = 1 + i % 2, to = 1 + i / 2 % 2;
    const Pixels *pixels = &formats[i / 4 % N_RGB_FORMATS];
    guint matrix = matrices[i / 4 / N_RGB_FORMATS];
    gchar *in = g_strdup_printf ("%u:1:7:1", from);
    gchar *asked = g_strdup_printf ("%u:%u:5:1", to, matrix);
    Rule rule = { matrix, from == 2, to == 2 };

    set_filter (rig->harness, asked);
    rig_set_caps (rig, caps_with_label (pixels->name, picture->width,
            picture->height, in));
    gst_buffer_unref (rig_run_checked (rig, picture_plain_buffer (picture,
                pixels), picture, &rule));
    g_free (in);
    g_free (asked);
  }
  rig_free (rig);
  picture_free (picture);
}

GST_END_TEST;

/* Cases 4 and 31, gray levels and primaries as literal bytes. */
GST_START_TEST (test_ranges_in_literals)
{
  static const struct
  {
    const gchar *in;
    guint8 rgb[8 * 3], y[8];
  } rows[] = {
    {NULL, {0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 255, 0, 0, 0, 255,
            128, 128, 128, 0, 255, 255, 255, 255, 0},
        {0x00, 0xff, 0x4c, 0x96, 0x1d, 0x80, 179, 226}},
    {"2:1:7:1", {16, 16, 16, 128, 128, 128, 235, 235, 235, 255, 255, 255,
            0, 0, 0, 180, 180, 180, 60, 60, 60, 100, 100, 100},
        {0x00, 0x82, 0xff, 0xff, 0x00, 0xbf, 0x33, 0x62}},
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    Picture *picture = picture_new (8, 1, rows[i].rgb);
    Rig *rig = rig_new ();
    GstVideoInfo info;
    GstBuffer *out;
    GstCaps *caps;

    rig_set_caps (rig, caps_with_label ("RGB", 8, 1, rows[i].in));
    out = rig_run (rig, picture_plain_buffer (picture, pixels_find ("RGB")));
    gst_check_buffer_data (out, rows[i].y, 8);
    caps = rig_output_caps (rig);
    fail_unless (gst_video_info_from_caps (&info, caps));
    fail_if (info.colorimetry.range == GST_VIDEO_COLOR_RANGE_16_235);
    gst_caps_unref (caps);
    gst_buffer_unref (out);
    picture_free (picture);
    rig_free (rig);
  }
}

GST_END_TEST;

GST_START_TEST (test_gray_input)
{
  static const struct
  {
    const gchar *in, *asked, *out;
    gboolean same;
  } rows[] = {
    {NULL, NULL, NULL, TRUE},
    {"1:4:0:0", NULL, "1:4:0:0", TRUE},
    {"bt601", NULL, "bt601", TRUE},
    {"1:3:5:1", "1:4:0:0", "1:4:0:0", TRUE},
    {NULL, "1:3:5:1", "1:3:5:1", TRUE},
    {"bt709", "bt601", "bt601", TRUE},
    {"bt601", "{ 1:4:0:0, bt601 }", "bt601", TRUE},
    {NULL, "bt601", "bt601", FALSE},
    {"1:4:0:0", "bt709", "bt709", FALSE},
    {"bt601", "1:4:7:1", "1:4:7:1", FALSE},
    {"bt2020", "1:6:0:0", "1:6:0:0", FALSE},
  };
  const Pixels *gray = pixels_find ("GRAY8");
  /* All 256 levels. */
  Picture *picture = picture_new (256, 2, NULL);

  for (guint i = 0; i < 3 * 512; i++)
    picture->rgb[i] = i / 3;
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    Rule rule = rule_from_labels (rows[i].in, rows[i].out);
    Rig *rig = rig_new ();
    GstBuffer *in = picture_plain_buffer (picture, gray), *out;
    GstMemory *memory = gst_buffer_peek_memory (in, 0);
    gchar *label;

    set_filter (rig->harness, rows[i].asked);
    rig_set_caps (rig, caps_with_label ("GRAY8", 256, 2, rows[i].in));
    out = rig_run_checked (rig, gst_buffer_ref (in), picture, &rule);
    fail_unless_equals_int (out == in, rows[i].same);
    fail_unless_equals_int (gst_buffer_peek_memory (out, 0) == memory,
        rows[i].same);
    fail_unless_equals_uint64 (stat_count (rig->element,
            "frames-passthrough"), rows[i].same);
    label = label_of (rig->harness);
    fail_unless (g_strcmp0 (label, rows[i].out) == 0, "row %u: %s", i, label);
    g_free (label);
    gst_buffer_unref (in);
    gst_buffer_unref (out);
    rig_free (rig);
  }
  picture_free (picture);
}

GST_END_TEST;

static void
add_tests (TCase * tests)
{
  tcase_add_test (tests, test_labels_as_videoconvert);
  tcase_add_test (tests, test_labels);
  tcase_add_test (tests, test_every_matrix_and_range);
  tcase_add_test (tests, test_ranges_in_literals);
  tcase_add_test (tests, test_gray_input);
}

int
main (int argc, char **argv)
{
  return rig_main (argc, argv, "element-colorimetry", add_tests);
}
