/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* YUV by its caps: the matrix stays, and the range is full unless downstream
 * asks for another. */

#include "rig.h"
#include "yuvframe.h"

#define WIDTH 9

static void
set_filter (Rig * rig, const gchar * asked)
{
  gchar *filter = asked == NULL ? g_strdup ("video/x-raw, format=GRAY8") :
      g_strdup_printf ("video/x-raw, format=GRAY8, colorimetry=(string)%s",
      asked);

  gst_harness_set_sink_caps_str (rig->harness, filter);
  g_free (filter);
}

static void
set_caps (Rig * rig, const Yuv * yuv, guint height, const gchar * colorimetry)
{
  GstCaps *caps = caps_new (yuv->name, WIDTH, height, NULL);

  if (colorimetry != NULL)
    gst_caps_set_simple (caps, "colorimetry", G_TYPE_STRING, colorimetry, NULL);
  rig_set_caps (rig, caps);
}

static void
expect_label (Rig * rig, const gchar * expected)
{
  GstCaps *caps = rig_output_caps (rig);
  const gchar *label = gst_structure_get_string (gst_caps_get_structure (caps,
          0), "colorimetry");

  fail_unless (g_strcmp0 (label, expected) == 0, "%s, not %s", label, expected);
  gst_caps_unref (caps);
}

static void
run (Rig * rig, const Yuv * yuv, guint height, gboolean from_limited,
    gboolean to_limited)
{
  YuvFrame *frame = yuv_frame_new (yuv, WIDTH, height, NULL, height);
  Picture *gray = yuv_frame_gray (frame, from_limited, to_limited);

  gst_buffer_unref (rig_run_checked (rig, yuv_frame_buffer (frame), gray,
          &rule_default));
  picture_free (gray);
  yuv_frame_free (frame);
}

static const struct
{
  const gchar *in;
  guint height;
  const gchar *asked, *out;
  gboolean from_limited, to_limited;
} rows[] = {
  /* What GStreamer takes it for is said only where gray's default is not. */
  {NULL, 1, NULL, NULL, TRUE, FALSE},
  {NULL, 576, NULL, NULL, TRUE, FALSE},
  {NULL, 577, NULL, "1:3:5:1", TRUE, FALSE},
  {NULL, 2160, NULL, "1:3:5:1", TRUE, FALSE},
  /* Matrix, transfer and primaries are the input's, whatever its height. */
  {"bt601", 576, NULL, "1:4:16:4", TRUE, FALSE},
  {"bt601", 577, NULL, "1:4:16:4", TRUE, FALSE},
  {"bt709", 576, NULL, "1:3:5:1", TRUE, FALSE},
  {"bt709", 577, NULL, "1:3:5:1", TRUE, FALSE},
  {"bt2020", 4, NULL, "1:6:11:7", TRUE, FALSE},
  {"smpte240m", 4, NULL, "1:5:6:5", TRUE, FALSE},
  {"2:2:5:4", 4, NULL, "1:2:5:4", TRUE, FALSE},
  {"2:3:0:0", 4, NULL, "1:3:0:0", TRUE, FALSE},
  /* A JPEG's, and other full ranges. */
  {"1:4:0:0", 4, NULL, "1:4:0:0", FALSE, FALSE},
  {"1:4:0:0", 577, NULL, "1:4:0:0", FALSE, FALSE},
  {"1:3:5:1", 4, NULL, "1:3:5:1", FALSE, FALSE},
  /* No matrix, or none that YUV has: as if nothing were said. */
  {"0:0:0:0", 4, NULL, "1:4:16:4", TRUE, FALSE},
  {"0:0:0:0", 577, NULL, "1:3:5:1", TRUE, FALSE},
  {"1:0:5:1", 577, NULL, "1:3:5:1", TRUE, FALSE},
  {"sRGB", 4, NULL, "1:4:16:4", TRUE, FALSE},
  {"sRGB", 577, NULL, "1:3:5:1", TRUE, FALSE},
  {"sRGB", 577, "bt709", "bt709", TRUE, TRUE},
  /* Downstream has its way with all but the matrix. */
  {NULL, 576, "bt601", "bt601", TRUE, TRUE},
  {NULL, 576, "1:4:0:0", "1:4:0:0", TRUE, FALSE},
  {NULL, 577, "bt709", "bt709", TRUE, TRUE},
  {NULL, 577, "1:3:0:0", "1:3:0:0", TRUE, FALSE},
  {"bt709", 4, "1:3:7:4", "1:3:7:4", TRUE, FALSE},
  {"1:3:5:1", 4, "bt709", "bt709", FALSE, TRUE},
  {"1:4:0:0", 4, "bt601", "bt601", FALSE, TRUE},
  {"smpte240m", 4, "smpte240m", "smpte240m", TRUE, TRUE},
  {"2:2:0:0", 4, "1:2:0:0", "1:2:0:0", TRUE, FALSE},
  /* Where it lets choose, the matrix does. */
  {"bt709", 4, "{ bt601, bt709 }", "bt709", TRUE, TRUE},
  {"bt601", 4, "{ bt709, bt601 }", "bt601", TRUE, TRUE},
  {NULL, 576, "{ bt709, 1:4:0:0 }", "1:4:0:0", TRUE, FALSE},
  {NULL, 577, "{ bt601, 1:4:0:0, 1:3:5:1, bt709 }", "1:3:5:1", TRUE, FALSE},
  {"bt2020", 4, "{ 1:3:5:1, 1:2:0:0, 1:6:0:0 }", "1:6:0:0", TRUE, FALSE},
};

GST_START_TEST (test_labels)
{
  Rig *rig = rig_new ();

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    const Yuv *yuv = &yuv_formats[(i + __i__) % N_YUV_FORMATS];

    set_filter (rig, rows[i].asked);
    set_caps (rig, yuv, rows[i].height, rows[i].in);
    run (rig, yuv, rows[i].height, rows[i].from_limited, rows[i].to_limited);
    expect_label (rig, rows[i].out);
  }
  rig_free (rig);
}

GST_END_TEST;

/* The height that counts is the frame's, not the field's. */
GST_START_TEST (test_height_of_fields)
{
  static const struct
  {
    guint height;
    const gchar *label;
  } fields[] = { {576, NULL}, {578, "1:3:5:1"}, {1154, "1:3:5:1"} };
  const Yuv *yuv = yuv_find ("I420");
  Rig *rig = rig_new ();

  for (guint i = 0; i < G_N_ELEMENTS (fields); i++) {
    gchar *text = g_strdup_printf ("video/x-raw(format:Interlaced), "
        "format=I420, interlace-mode=alternate, width=%u, height=%u, "
        "framerate=25/1", WIDTH, fields[i].height);

    rig_set_caps (rig, gst_caps_from_string (text));
    run (rig, yuv, fields[i].height / 2, TRUE, FALSE);
    expect_label (rig, fields[i].label);
    g_free (text);
  }
  rig_free (rig);
}

GST_END_TEST;

/* Downstream's caps may let choose in several structures, too. */
GST_START_TEST (test_structures)
{
  static const struct
  {
    const gchar *in, *asked, *out;
  } choices[] = {
    {"bt709", "colorimetry=bt601; video/x-raw, colorimetry=bt709", "bt709"},
    {"bt601", "colorimetry=bt709; video/x-raw, colorimetry={ bt2020, bt601 }",
        "bt601"},
    {"bt2020", "colorimetry=bt601; video/x-raw, width=[ 1, 100 ]",
        "1:6:11:7"},
    {"bt709", "colorimetry=1:3:0:0; video/x-raw, colorimetry=bt709",
        "1:3:0:0"},
  };
  const Yuv *yuv = yuv_find ("NV12");
  Rig *rig = rig_new ();

  for (guint i = 0; i < G_N_ELEMENTS (choices); i++) {
    gchar *filter = g_strdup_printf ("video/x-raw, %s", choices[i].asked);

    gst_harness_set_sink_caps_str (rig->harness, filter);
    set_caps (rig, yuv, 4, choices[i].in);
    run (rig, yuv, 4, TRUE, g_str_has_prefix (choices[i].out, "bt"));
    expect_label (rig, choices[i].out);
    g_free (filter);
  }
  rig_free (rig);
}

GST_END_TEST;

static const struct
{
  const gchar *in;
  guint height;
  const gchar *asked, *out;
} others[] = {
  {"bt709", 4, "bt601", "bt601"},
  {"bt601", 4, "bt709", "bt709"},
  {"bt601", 4, "1:6:0:0", "1:6:0:0"},
  {"2:2:0:0", 4, "1:4:0:0", "1:4:0:0"},
  {"1:4:0:0", 4, "smpte240m", "smpte240m"},
  {"bt2020", 4, "{ bt601, bt709 }", "bt601"},
  {NULL, 576, "bt709", "bt709"},
  {NULL, 577, "bt601", "bt601"},
};

/* The Y of one matrix is not that of another: element-matrix has the bytes. */
GST_START_TEST (test_other_matrix)
{
  Rig *rig = rig_new ();

  for (guint i = 0; i < G_N_ELEMENTS (others); i++) {
    const Yuv *yuv = &yuv_formats[(i + __i__) % N_YUV_FORMATS];
    YuvFrame *frame = yuv_frame_new (yuv, WIDTH, others[i].height, NULL, i);

    set_filter (rig, others[i].asked);
    set_caps (rig, yuv, others[i].height, others[i].in);
    gst_buffer_unref (rig_run (rig, yuv_frame_buffer (frame)));
    expect_label (rig, others[i].out);
    yuv_frame_free (frame);
  }
  fail_unless_equals_uint64 (stat_count (rig->element, "frames-passthrough"),
      0);
  rig_free (rig);
}

GST_END_TEST;

/* Gray has no chroma to be sited; all else on the caps stays. */
GST_START_TEST (test_chroma_site_goes)
{
  static const gchar *sites[] = { "jpeg", "mpeg2", "dv", "v-cosited" };
  const Yuv *yuv = &yuv_formats[__i__];
  gchar *extra = g_strdup_printf ("chroma-site=(string)%s, "
      "colorimetry=(string)1:3:5:1, pixel-aspect-ratio=4/3, "
      "interlace-mode=interleaved, some-field=(int)7",
      sites[__i__ % G_N_ELEMENTS (sites)]);
  GstCaps *expected = caps_new ("GRAY8", WIDTH, 4, "colorimetry=(string)"
      "1:3:5:1, pixel-aspect-ratio=4/3, interlace-mode=interleaved, "
      "some-field=(int)7"), *out;
  Rig *rig = rig_new ();
  gchar *text;

  rig_set_format (rig, yuv->name, WIDTH, 4, extra);
  run (rig, yuv, 4, FALSE, FALSE);
  out = rig_output_caps (rig);
  text = gst_caps_to_string (out);
  fail_unless (gst_caps_is_strictly_equal (out, expected), "%s", text);
  g_free (text);
  g_free (extra);
  gst_caps_unref (expected);
  gst_caps_unref (out);
  rig_free (rig);
}

GST_END_TEST;

static void
run_rgb (Rig * rig, const Pixels * pixels, const gchar * label)
{
  Picture *picture = picture_new_s5 ();

  rig_set_format (rig, pixels->name, S5_WIDTH, S5_HEIGHT, NULL);
  gst_buffer_unref (rig_run_checked (rig, picture_plain_buffer (picture,
              pixels), picture, &rule_default));
  expect_label (rig, label);
  picture_free (picture);
}

static void
pass_gray (Rig * rig)
{
  GstBuffer *in = gst_buffer_new_wrapped (g_malloc0 (24), 24), *out;

  rig_set_format (rig, "GRAY8", S5_WIDTH, S5_HEIGHT, NULL);
  out = rig_run (rig, gst_buffer_ref (in));
  fail_unless (out == in);
  gst_buffer_unref (in);
  gst_buffer_unref (out);
  expect_label (rig, NULL);
}

/* RGB, YUV and gray in turn: nothing of the last one stays. */
GST_START_TEST (test_kinds_in_turn)
{
  Rig *rig = rig_new ();

  for (guint i = 0; i < N_YUV_FORMATS; i++) {
    const Yuv *yuv = &yuv_formats[i];

    run_rgb (rig, &formats[i % N_RGB_FORMATS], NULL);
    set_caps (rig, yuv, 577, NULL);
    run (rig, yuv, 577, TRUE, FALSE);
    expect_label (rig, "1:3:5:1");
    pass_gray (rig);
    set_caps (rig, yuv, 4, NULL);
    run (rig, yuv, 4, TRUE, FALSE);
    expect_label (rig, NULL);
    pass_gray (rig);
  }
  fail_unless_equals_uint64 (stat_count (rig->element, "frames-passthrough"),
      2 * N_YUV_FORMATS);
  rig_free (rig);
}

GST_END_TEST;

static void
add_tests (TCase * tests)
{
  tcase_add_loop_test (tests, test_labels, 0, N_YUV_FORMATS);
  tcase_add_test (tests, test_structures);
  tcase_add_test (tests, test_height_of_fields);
  tcase_add_loop_test (tests, test_other_matrix, 0, N_YUV_FORMATS);
  tcase_add_loop_test (tests, test_chroma_site_goes, 0, N_YUV_FORMATS);
  tcase_add_test (tests, test_kinds_in_turn);
}

int
main (int argc, char **argv)
{
  return rig_main (argc, argv, "element-yuvcaps", add_tests);
}
