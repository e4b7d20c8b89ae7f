/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* What travels with a frame: timestamps, flags and metas. */

#include "rig.h"

static Picture *s5;

static void
setup (void)
{
  s5 = picture_new_s5 ();
}

static void
teardown (void)
{
  picture_free (s5);
}

static GstBuffer *
s5_buffer (void)
{
  return picture_plain_buffer (s5, pixels_find ("RGB"));
}

static Rig *
s5_rig (void)
{
  Rig *rig = rig_new ();

  rig_set_format (rig, "RGB", S5_WIDTH, S5_HEIGHT, NULL);
  return rig;
}

/* Case 8: PTS, DTS, duration, offset, offset end. */
GST_START_TEST (test_timestamps)
{
  static const guint64 rows[][5] = {
    {123456789, 11, 33, 7, 8}, {0, 0, 0, 0, 0},
    {GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE,
        GST_BUFFER_OFFSET_NONE, GST_BUFFER_OFFSET_NONE},
    {5, GST_CLOCK_TIME_NONE, 0, G_MAXUINT64 - 1, 1},
  };
  Rig *rig = s5_rig ();

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    GstBuffer *buffer = s5_buffer ();

    GST_BUFFER_PTS (buffer) = rows[i][0];
    GST_BUFFER_DTS (buffer) = rows[i][1];
    GST_BUFFER_DURATION (buffer) = rows[i][2];
    GST_BUFFER_OFFSET (buffer) = rows[i][3];
    GST_BUFFER_OFFSET_END (buffer) = rows[i][4];
    buffer = rig_run_checked (rig, buffer, s5, &rule_default);
    fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), rows[i][0]);
    fail_unless_equals_uint64 (GST_BUFFER_DTS (buffer), rows[i][1]);
    fail_unless_equals_uint64 (GST_BUFFER_DURATION (buffer), rows[i][2]);
    fail_unless_equals_uint64 (GST_BUFFER_OFFSET (buffer), rows[i][3]);
    fail_unless_equals_uint64 (GST_BUFFER_OFFSET_END (buffer), rows[i][4]);
    gst_buffer_unref (buffer);
  }
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_flags)
{
  static const guint rows[] = {
    0,
    GST_BUFFER_FLAG_DISCONT,
    GST_BUFFER_FLAG_MARKER,
    GST_BUFFER_FLAG_DISCONT | GST_BUFFER_FLAG_MARKER,
    GST_BUFFER_FLAG_GAP,
    GST_BUFFER_FLAG_GAP | GST_BUFFER_FLAG_DROPPABLE,
    GST_BUFFER_FLAG_CORRUPTED,
    GST_BUFFER_FLAG_DELTA_UNIT,
    GST_BUFFER_FLAG_HEADER | GST_BUFFER_FLAG_RESYNC,
    GST_BUFFER_FLAG_LIVE | GST_BUFFER_FLAG_DECODE_ONLY,
    GST_VIDEO_BUFFER_FLAG_INTERLACED | GST_VIDEO_BUFFER_FLAG_TFF,
    GST_VIDEO_BUFFER_FLAG_INTERLACED | GST_VIDEO_BUFFER_FLAG_RFF,
    GST_VIDEO_BUFFER_FLAG_INTERLACED | GST_VIDEO_BUFFER_FLAG_ONEFIELD,
    GST_VIDEO_BUFFER_FLAG_MULTIPLE_VIEW | GST_VIDEO_BUFFER_FLAG_FIRST_IN_BUNDLE,
    0,
  };
  Rig *rig = s5_rig ();

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    GstBuffer *buffer = s5_buffer ();

    GST_BUFFER_FLAG_SET (buffer, rows[i]);
    /* A GAP frame is converted like any other. */
    buffer = rig_run_checked (rig, buffer, s5, &rule_default);
    fail_unless_equals_int_hex (GST_BUFFER_FLAGS (buffer) &
        ~(guint) GST_BUFFER_FLAG_TAG_MEMORY, rows[i]);
    gst_buffer_unref (buffer);
  }
  rig_free (rig);
}

GST_END_TEST;

/* A custom meta survives by what its tags say it depends on. */
static const struct
{
  const gchar *name, *tags[4];
  gboolean kept;
} customs[] = {
  {"test-none", {NULL}, TRUE},
  {"test-video", {GST_META_TAG_VIDEO_STR, NULL}, TRUE},
  {"test-size", {GST_META_TAG_VIDEO_STR, GST_META_TAG_VIDEO_SIZE_STR, NULL},
      TRUE},
  {"test-orientation", {GST_META_TAG_VIDEO_ORIENTATION_STR, NULL}, TRUE},
  {"test-colorspace", {GST_META_TAG_VIDEO_COLORSPACE_STR, NULL}, FALSE},
  {"test-video-colorspace", {GST_META_TAG_VIDEO_STR,
          GST_META_TAG_VIDEO_COLORSPACE_STR, NULL}, FALSE},
  {"test-unknown", {"no-such-tag", NULL}, FALSE},
  {"test-memory", {GST_META_TAG_MEMORY_STR, NULL}, FALSE},
};

GST_START_TEST (test_custom_metas)
{
  Rig *rig = s5_rig ();
  GstBuffer *buffer = s5_buffer ();

  for (guint i = 0; i < G_N_ELEMENTS (customs); i++) {
    GstCustomMeta *meta;

    if (gst_meta_get_info (customs[i].name) == NULL)
      gst_meta_register_custom (customs[i].name,
          (const gchar **) customs[i].tags, NULL, NULL, NULL);
    meta = gst_buffer_add_custom_meta (buffer, customs[i].name);
    gst_structure_set (gst_custom_meta_get_structure (meta), "n", G_TYPE_INT,
        (gint) i, NULL);
  }
  buffer = rig_run_checked (rig, buffer, s5, &rule_default);
  for (guint i = 0; i < G_N_ELEMENTS (customs); i++) {
    GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer, customs[i].name);
    gint n = -1;

    fail_unless_equals_int (meta != NULL, customs[i].kept);
    if (meta == NULL)
      continue;
    gst_structure_get_int (gst_custom_meta_get_structure (meta), "n", &n);
    fail_unless_equals_int (n, i);
  }
  gst_buffer_unref (buffer);
  rig_free (rig);
}

GST_END_TEST;

static void
add_reference_timestamp (GstBuffer * buffer)
{
  GstCaps *ptp = gst_caps_new_empty_simple ("timestamp/x-ptp");

  gst_buffer_add_reference_timestamp_meta (buffer, ptp, 999, 4);
  gst_caps_unref (ptp);
}

static void
check_reference_timestamp (GstBuffer * buffer)
{
  GstReferenceTimestampMeta *meta =
      gst_buffer_get_reference_timestamp_meta (buffer, NULL);

  fail_unless (meta != NULL && gst_structure_has_name (gst_caps_get_structure
          (meta->reference, 0), "timestamp/x-ptp"));
  fail_unless_equals_uint64 (meta->timestamp, 999);
  fail_unless_equals_uint64 (meta->duration, 4);
}

static void
add_region (GstBuffer * buffer)
{
  GstVideoRegionOfInterestMeta *meta;

  meta = gst_buffer_add_video_region_of_interest_meta (buffer, "face", 1, 2,
      3, 1);
  gst_video_region_of_interest_meta_add_param (meta,
      gst_structure_new ("detail", "score", G_TYPE_INT, 97, NULL));
}

static void
check_region (GstBuffer * buffer)
{
  GstVideoRegionOfInterestMeta *meta = (GstVideoRegionOfInterestMeta *)
      gst_buffer_get_meta (buffer, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE);
  gint score = 0;

  fail_unless (meta != NULL);
  fail_unless (meta->x == 1 && meta->y == 2 && meta->w == 3 && meta->h == 1);
  fail_unless_equals_string (g_quark_to_string (meta->roi_type), "face");
  fail_unless (gst_structure_get_int
      (gst_video_region_of_interest_meta_get_param (meta, "detail"), "score",
          &score));
  fail_unless_equals_int (score, 97);
}

static void
add_time_code (GstBuffer * buffer)
{
  gst_buffer_add_video_time_code_meta_full (buffer, 30, 1, NULL, 0, 1, 2, 3,
      4, 0);
}

static void
check_time_code (GstBuffer * buffer)
{
  GstVideoTimeCodeMeta *meta = gst_buffer_get_video_time_code_meta (buffer);

  fail_unless (meta != NULL);
  fail_unless (meta->tc.hours == 1 && meta->tc.minutes == 2
      && meta->tc.seconds == 3 && meta->tc.frames == 4);
}

/* Case 37: not offered, so that it is for whoever comes next. */
static void
add_crop (GstBuffer * buffer)
{
  GstVideoCropMeta *meta = gst_buffer_add_video_crop_meta (buffer);

  meta->x = 2;
  meta->y = 1;
  meta->width = 2;
  meta->height = 1;
}

static void
check_crop (GstBuffer * buffer)
{
  GstVideoCropMeta *meta = gst_buffer_get_video_crop_meta (buffer);

  fail_unless (meta != NULL);
  fail_unless (meta->x == 2 && meta->y == 1 && meta->width == 2
      && meta->height == 1);
}

/* No one may read the picture through another's protection. */
static void
add_parent (GstBuffer * buffer)
{
  GstBuffer *parent = gst_buffer_new ();

  gst_buffer_add_parent_buffer_meta (buffer, parent);
  gst_buffer_unref (parent);
}

static void
check_no_parent (GstBuffer * buffer)
{
  fail_unless (gst_buffer_get_parent_buffer_meta (buffer) == NULL);
}

GST_START_TEST (test_metas)
{
  static void (*const add[]) (GstBuffer *) = {
    add_reference_timestamp, add_region, add_time_code, add_crop, add_parent
  };
  static void (*const check[]) (GstBuffer *) = {
    check_reference_timestamp, check_region, check_time_code, check_crop,
    check_no_parent
  };
  Rig *rig = s5_rig ();

  /* Each alone, then all together. */
  for (guint i = 0; i <= G_N_ELEMENTS (add); i++) {
    GstBuffer *buffer = s5_buffer ();

    for (guint a = 0; a < G_N_ELEMENTS (add); a++) {
      if (a == i || i == G_N_ELEMENTS (add))
        add[a] (buffer);
    }
    buffer = rig_run_checked (rig, buffer, s5, &rule_default);
    for (guint a = 0; a < G_N_ELEMENTS (add); a++) {
      if (a == i || i == G_N_ELEMENTS (add))
        check[a] (buffer);
    }
    gst_buffer_unref (buffer);
  }
  rig_free (rig);
}

GST_END_TEST;

/* The meta's larger frame around the caps' one: the caps' size counts, from
 * the meta's origin. */
GST_START_TEST (test_meta_larger_than_caps)
{
  static const Shape tight = { 0, 0, 0, FALSE };
  const Pixels *pixels = &formats[__i__];
  Picture *large = picture_new_random (9, 7, 3), *small;
  Layout layout = layout_shaped (pixels, 9, 7, &tight);
  GstBuffer *buffer = picture_buffer (large, pixels, &layout);
  Rig *rig = s5_rig ();

  small = picture_new (5, 3, NULL);
  for (guint y = 0; y < 3; y++)
    memcpy (small->rgb + 3 * 5 * y, large->rgb + 3 * 9 * y, 3 * 5);
  rig_set_format (rig, pixels->name, 5, 3, NULL);
  gst_buffer_unref (rig_run_checked (rig, buffer, small, &rule_default));
  picture_free (small);
  picture_free (large);
  rig_free (rig);
}

GST_END_TEST;

/* What downstream supports is offered upstream, but for crop; GstVideoMeta is
 * offered in any case. */
GST_START_TEST (test_offered_metas)
{
  GstQuery *query;
  GstCaps *caps;
  Rig *rig = rig_new ();

  gst_harness_add_propose_allocation_meta (rig->harness,
      GST_VIDEO_CROP_META_API_TYPE, NULL);
  gst_harness_add_propose_allocation_meta (rig->harness,
      GST_VIDEO_OVERLAY_COMPOSITION_META_API_TYPE, NULL);
  rig_set_format (rig, "RGB", S5_WIDTH, S5_HEIGHT, NULL);
  gst_buffer_unref (rig_run (rig, s5_buffer ()));
  caps = gst_pad_get_current_caps (rig->harness->srcpad);
  query = gst_query_new_allocation (caps, TRUE);
  fail_unless (gst_pad_peer_query (rig->harness->srcpad, query));
  fail_if (gst_query_find_allocation_meta (query,
          GST_VIDEO_CROP_META_API_TYPE, NULL));
  fail_unless (gst_query_find_allocation_meta (query,
          GST_VIDEO_OVERLAY_COMPOSITION_META_API_TYPE, NULL));
  fail_unless (gst_query_find_allocation_meta (query,
          GST_VIDEO_META_API_TYPE, NULL));
  gst_query_unref (query);
  gst_caps_unref (caps);
  rig_free (rig);
}

GST_END_TEST;

static void
add_tests (TCase * tests)
{
  tcase_add_checked_fixture (tests, setup, teardown);
  tcase_add_test (tests, test_timestamps);
  tcase_add_test (tests, test_flags);
  tcase_add_test (tests, test_custom_metas);
  tcase_add_test (tests, test_metas);
  tcase_add_loop_test (tests, test_meta_larger_than_caps, 0, N_RGB_FORMATS);
  tcase_add_test (tests, test_offered_metas);
}

int
main (int argc, char **argv)
{
  return rig_main (argc, argv, "element-metas", add_tests);
}
