/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* YUV by its bytes: the Y wherever it may lie, in every range, and nothing
 * else read.  Blocks end with the last byte that may be read, so that a
 * sanitizer sees one too many. */

#include "rig.h"
#include "yuvframe.h"

/* Without colorimetry and as low as this, YUV is limited range, bt601, and
 * becomes full range. */
static void
check_default (Rig * rig, const YuvFrame * frame, GstBuffer * in)
{
  Picture *gray = yuv_frame_gray (frame, TRUE, FALSE);

  gst_buffer_unref (rig_run_checked (rig, in, gray, &rule_default));
  picture_free (gray);
}

static const Shape shapes[] = {
  {0, 0, 0, FALSE}, {0, 1, 0, FALSE}, {0, 13, 5, FALSE}, {0, 64, 0, FALSE},
  {1, 0, 0, FALSE}, {7, 2, 0, FALSE}, {61, 0, 9, FALSE}, {4096, 5, 1, FALSE},
  {0, 0, 0, TRUE}, {0, 1, 0, TRUE}, {3, 7, 11, TRUE}, {64, 32, 0, TRUE},
};

/* As caps lay it out, then in every shape. */
static void
check_layouts (Rig * rig, const Yuv * yuv, guint width, guint height)
{
  rig_set_format (rig, yuv->name, width, height, NULL);
  for (guint s = 0; s <= G_N_ELEMENTS (shapes); s++) {
    YuvFrame *frame = yuv_frame_new (yuv, width, height,
        s > 0 ? &shapes[s - 1] : NULL, s);
    GstBuffer *in = yuv_frame_buffer (frame);

    if (s > 0)
      yuv_frame_add_meta (frame, in);
    check_default (rig, frame, in);
    yuv_frame_free (frame);
  }
}

GST_START_TEST (test_layouts)
{
  static const guint sizes[][2] = {
    {1, 1}, {2, 2}, {3, 5}, {17, 3}, {641, 7}, {1921, 2}
  };
  const Yuv *yuv = &yuv_formats[__i__];
  guint64 pixels = 0;
  Rig *rig = rig_new ();

  for (guint s = 0; s < G_N_ELEMENTS (sizes); s++) {
    check_layouts (rig, yuv, sizes[s][0], sizes[s][1]);
    pixels += sizes[s][0] * sizes[s][1] * (1 + G_N_ELEMENTS (shapes));
  }
  fail_unless_equals_uint64 (stat_count (rig->element, "bytes-out"), pixels);
  fail_unless_equals_uint64 (stat_count (rig->element, "bytes-in"),
      pixels * yuv->step);
  rig_free (rig);
}

GST_END_TEST;

/* A row as wide as the widest vector and more, at each length. */
GST_START_TEST (test_widths)
{
  static const Shape tight = { 0, 0, 0, FALSE };
  const Yuv *yuv = &yuv_formats[__i__];
  Rig *rig = rig_new ();

  for (guint width = 1; width <= 131; width++) {
    YuvFrame *frame = yuv_frame_new (yuv, width, 3, &tight, width);
    GstBuffer *in = yuv_frame_buffer (frame);

    yuv_frame_add_meta (frame, in);
    rig_set_format (rig, yuv->name, width, 3, NULL);
    check_default (rig, frame, in);
    yuv_frame_free (frame);
  }
  rig_free (rig);
}

GST_END_TEST;

static void
set_colorimetry (Rig * rig, const YuvFrame * frame, const gchar * in,
    const gchar * out)
{
  GstCaps *caps = caps_new (frame->yuv->name, frame->width, frame->height,
      NULL);
  gchar *filter = g_strdup_printf ("video/x-raw, format=GRAY8, "
      "colorimetry=(string)%s", out);

  gst_caps_set_simple (caps, "colorimetry", G_TYPE_STRING, in, NULL);
  gst_harness_set_sink_caps_str (rig->harness, filter);
  rig_set_caps (rig, caps);
  g_free (filter);
}

/* The bytes know the ranges alone; the matrix stays. */
GST_START_TEST (test_ranges)
{
  static const guint matrices[] = { 2, 3, 4, 5, 6 };
  const Yuv *yuv = &yuv_formats[__i__];
  /* Enough for each level of Y. */
  YuvFrame *frame = yuv_frame_new (yuv, 641, 7, NULL, 1);
  Rig *rig = rig_new ();

  for (guint i = 0; i < 4 * G_N_ELEMENTS (matrices); i++) {
    guint from = 1 + i % 2, to = 1 + i / 2 % 2, matrix = matrices[i / 4];
    gchar *in = g_strdup_printf ("%u:%u:5:1", from, matrix);
    gchar *out = g_strdup_printf ("%u:%u:5:1", to, matrix);
    Picture *gray = yuv_frame_gray (frame, from == 2, to == 2);

    set_colorimetry (rig, frame, in, out);
    gst_buffer_unref (rig_run_checked (rig, yuv_frame_buffer (frame), gray,
            &rule_default));
    picture_free (gray);
    g_free (in);
    g_free (out);
  }
  /* Where the ranges are equal, a plane is the answer already. */
  fail_unless_equals_uint64 (stat_count (rig->element, "frames-passthrough"),
      yuv->step == 1 ? 2 * G_N_ELEMENTS (matrices) : 0);
  yuv_frame_free (frame);
  rig_free (rig);
}

GST_END_TEST;

/* Levels in literals: black and white, next to them, the ends, and the Y of
 * red, green and blue. */
GST_START_TEST (test_levels)
{
  static const guint8 y[] = { 16, 235, 15, 236, 0, 255, 17, 81, 145, 41, 128 };
  static const struct
  {
    const gchar *in, *out;
    guint8 gray[G_N_ELEMENTS (y)];
  } rows[] = {
    {"bt601", "1:4:16:4", {0, 255, 0, 255, 0, 255, 1, 76, 150, 29, 130}},
    {"1:3:5:1", "bt709", {30, 218, 29, 219, 16, 235, 31, 86, 141, 51, 126}},
    {"bt2020", "bt2020", {16, 235, 15, 236, 0, 255, 17, 81, 145, 41, 128}},
  };
  YuvFrame *frame = yuv_frame_new (yuv_find ("NV12"), sizeof y, 1, NULL, 1);
  Rig *rig = rig_new ();

  memcpy (frame->data, y, sizeof y);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    GstBuffer *out;

    set_colorimetry (rig, frame, rows[i].in, rows[i].out);
    out = rig_run (rig, yuv_frame_buffer (frame));
    fail_unless (gst_buffer_memcmp (out, 0, rows[i].gray, sizeof y) == 0,
        "%s to %s", rows[i].in, rows[i].out);
    gst_buffer_unref (out);
  }
  yuv_frame_free (frame);
  rig_free (rig);
}

GST_END_TEST;

/* Metas whose chroma can't be: not at all, nowhere, and everywhere. */
static void
spoil_chroma (GstVideoMeta * meta, guint how)
{
  for (guint p = 1; p < meta->n_planes; p++) {
    meta->offset[p] = how == 1 ? G_MAXSIZE : 0;
    meta->stride[p] = how == 1 ? G_MAXINT : G_MININT;
  }
  if (how == 0)
    meta->n_planes = 1;
}

static void
expect_dropped (Rig * rig, GstBuffer * in)
{
  rig_run_dropped (rig, in, GST_FLOW_OK);
  bus_expect (rig->bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR,
      GST_STREAM_ERROR_FORMAT, "got ", "needed ", NULL);
}

/* The chroma may be missing, but no byte of the last Y's pixel. */
GST_START_TEST (test_y_is_enough)
{
  const Yuv *yuv = &yuv_formats[__i__];
  YuvFrame *frame = yuv_frame_new (yuv, 17, 5, NULL, 1);
  gsize size = yuv_frame_y_size (frame);
  Rig *rig = rig_new ();

  rig_set_format (rig, yuv->name, 17, 5, NULL);
  /* In turn, as a warning comes with the first of a row alone. */
  for (guint how = 0; how <= 3; how++) {
    for (guint missing = 0; missing <= 1; missing++) {
      GstBuffer *in = gst_buffer_new ();

      gst_buffer_append_memory (in, memory_new_copy (frame->data,
              size - missing));
      if (how < 3) {
        yuv_frame_add_meta (frame, in);
        spoil_chroma (gst_buffer_get_video_meta (in), how);
      }
      if (missing == 0)
        check_default (rig, frame, in);
      else
        expect_dropped (rig, in);
    }
  }
  fail_unless_equals_uint64 (stat_count (rig->element, "frames-dropped"), 4);
  yuv_frame_free (frame);
  rig_free (rig);
}

GST_END_TEST;

/* Metas without the Y's plane, or of another format. */
GST_START_TEST (test_no_plane)
{
  const Yuv *yuv = &yuv_formats[__i__];
  YuvFrame *frame = yuv_frame_new (yuv, 17, 5, &shapes[0], 1);
  GstBuffer *in = yuv_frame_buffer (frame);
  Rig *rig = rig_new ();

  rig_set_format (rig, yuv->name, 17, 5, NULL);
  yuv_frame_add_meta (frame, in);
  gst_buffer_get_video_meta (in)->n_planes = 0;
  expect_dropped (rig, in);
  in = yuv_frame_buffer (frame);
  yuv_frame_add_meta (frame, in);
  check_default (rig, frame, in);
  in = yuv_frame_buffer (frame);
  yuv_frame_add_meta (frame, in);
  gst_buffer_get_video_meta (in)->format = GST_VIDEO_FORMAT_GRAY8;
  expect_dropped (rig, in);
  yuv_frame_free (frame);
  rig_free (rig);
}

GST_END_TEST;

/* Memory that can't be mapped, and notes who tries. */
static gint maps;

static gpointer
refuse_map (GstMemory * memory, gsize size, GstMapFlags flags)
{
  g_atomic_int_inc (&maps);
  return NULL;
}

static void
free_sealed (GstAllocator * allocator, GstMemory * memory)
{
  g_free (memory);
}

typedef GstAllocator Sealed;
typedef GstAllocatorClass SealedClass;

GType sealed_get_type (void);
G_DEFINE_TYPE (Sealed, sealed, GST_TYPE_ALLOCATOR);

static void
sealed_class_init (SealedClass * klass)
{
  klass->free = free_sealed;
}

static void
sealed_init (Sealed * allocator)
{
  allocator->mem_type = "sealed";
  allocator->mem_map = refuse_map;
}

static GstMemory *
sealed_memory (GstAllocator * allocator, gsize size)
{
  GstMemory *memory = g_new (GstMemory, 1);

  gst_memory_init (memory, GST_MEMORY_FLAG_NO_SHARE, allocator, NULL, size, 0,
      0, size);
  return memory;
}

/* The Y in so many memories, between sealed ones where the chroma would be. */
static GstBuffer *
y_among_sealed (YuvFrame * frame, GstAllocator * allocator, guint parts)
{
  gsize size = yuv_frame_y_size (frame), done = 0;
  GstBuffer *buffer = gst_buffer_new ();

  gst_buffer_append_memory (buffer, sealed_memory (allocator, 100));
  for (guint i = 1; i <= parts; i++) {
    gsize end = size * i / parts;

    gst_buffer_append_memory (buffer, memory_new_copy (frame->data + done,
            end - done));
    done = end;
  }
  gst_buffer_append_memory (buffer, sealed_memory (allocator, 1000));
  yuv_frame_add_meta (frame, buffer);
  for (guint p = 0; p < frame->yuv->planes; p++)
    gst_buffer_get_video_meta (buffer)->offset[p] = p == 0 ? 100 : 100 + size;
  return buffer;
}

/* Chroma in memories of its own is not mapped, and not merged with the Y. */
GST_START_TEST (test_chroma_is_not_mapped)
{
  GstAllocator *allocator = g_object_ref_sink (g_object_new (sealed_get_type (),
          NULL));
  const Yuv *yuv = &yuv_formats[__i__];
  Rig *rig = rig_new ();

  g_atomic_int_set (&maps, 0);
  rig_set_format (rig, yuv->name, 33, 4, NULL);
  for (guint parts = 1; parts <= 3; parts++) {
    YuvFrame *frame = yuv_frame_new (yuv, 33, 4, NULL, parts);
    GstBuffer *in = y_among_sealed (frame, allocator, parts);
    GstMemory *y = gst_buffer_peek_memory (in, 1);

    check_default (rig, frame, gst_buffer_ref (in));
    fail_unless_equals_int (g_atomic_int_get (&maps), 0);
    fail_unless_equals_int (gst_buffer_n_memory (in), parts + 2);
    fail_unless (gst_buffer_peek_memory (in, 1) == y);
    gst_buffer_unref (in);
    yuv_frame_free (frame);
  }
  gst_object_unref (allocator);
  rig_free (rig);
}

GST_END_TEST;

/* height is that of the caps; a buffer holds a field where they alternate. */
static const struct
{
  const gchar *features, *fields;
  guint height, rows;
} interlaced[] = {
  {"", "interlace-mode=interleaved, field-order=top-field-first", 6, 6},
  {"", "interlace-mode=mixed", 7, 7},
  {"(format:Interlaced)", "interlace-mode=alternate", 6, 3},
  {"(format:Interlaced)", "interlace-mode=alternate", 7, 4},
};

GST_START_TEST (test_interlaced)
{
  const Yuv *yuv = &yuv_formats[__i__];
  Rig *rig = rig_new ();

  for (guint i = 0; i < G_N_ELEMENTS (interlaced); i++) {
    gchar *text = g_strdup_printf ("video/x-raw%s, format=%s, width=19, "
        "height=%u, framerate=25/1, %s", interlaced[i].features, yuv->name,
        interlaced[i].height, interlaced[i].fields);

    rig_set_caps (rig, gst_caps_from_string (text));
    for (guint s = 0; s < 2; s++) {
      YuvFrame *frame = yuv_frame_new (yuv, 19, interlaced[i].rows,
          s > 0 ? &shapes[5] : NULL, i);
      GstBuffer *in = yuv_frame_buffer (frame);

      if (s > 0)
        yuv_frame_add_meta (frame, in);
      check_default (rig, frame, in);
      yuv_frame_free (frame);
    }
    g_free (text);
  }
  rig_free (rig);
}

GST_END_TEST;

static void
add_tests (TCase * tests)
{
  tcase_add_loop_test (tests, test_layouts, 0, N_YUV_FORMATS);
  tcase_add_loop_test (tests, test_widths, 0, N_YUV_FORMATS);
  tcase_add_loop_test (tests, test_ranges, 0, N_YUV_FORMATS);
  tcase_add_test (tests, test_levels);
  tcase_add_loop_test (tests, test_y_is_enough, 0, N_YUV_FORMATS);
  tcase_add_loop_test (tests, test_no_plane, 0, N_YUV_FORMATS);
  tcase_add_loop_test (tests, test_chroma_is_not_mapped, 0, N_YUV_FORMATS);
  tcase_add_loop_test (tests, test_interlaced, 0, N_YUV_FORMATS);
}

int
main (int argc, char **argv)
{
  return rig_main (argc, argv, "element-yuv", add_tests);
}
