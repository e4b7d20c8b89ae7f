/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Input frames wherever their rows may lie.  Blocks end with the last byte
 * that may be read, so that a sanitizer sees one too many. */

#include "rig.h"

typedef GstBuffer *(*MakeBuffer) (const Picture * picture,
    const Pixels * pixels, const Layout * layout);

/* Cases 1 and 33: known answers in every format; alpha is junk. */
GST_START_TEST (test_known_answers)
{
  static const guint8 rgb[] = {
    255, 0, 0, 0, 255, 0, 0, 0, 255, 10, 200, 60, 0, 0, 0, 255, 255, 255,
    0, 255, 255, 255, 0, 255, 255, 255, 0, 128, 128, 128
  };
  static const guint8 gray[] = {
    76, 150, 29, 127, 0, 255, 179, 105, 226, 128
  };
  static const guint8 s5[] = {
    0x06, 0x15, 0x24, 0x33, 0x42, 0, 0, 0,
    0x35, 0x45, 0x55, 0x64, 0x74, 0, 0, 0,
    0x64, 0x75, 0x85, 0x96, 0xa6
  };
  Picture *picture = picture_new (10, 1, rgb), *frame = picture_new_s5 ();
  Rig *rig = rig_new ();

  for (guint f = 0; f < N_RGB_FORMATS; f++) {
    GstBuffer *out;
    GstMapInfo map;

    rig_set_format (rig, formats[f].name, 10, 1, NULL);
    out = rig_run (rig, picture_plain_buffer (picture, &formats[f]));
    fail_unless (gst_buffer_memcmp (out, 0, gray, sizeof gray) == 0);
    gst_buffer_unref (out);

    /* Case 3: the caps' stride, and nothing else says otherwise. */
    rig_set_format (rig, formats[f].name, 5, 3, NULL);
    out = rig_run_checked (rig, picture_plain_buffer (frame, &formats[f]),
        frame, &rule_default);
    fail_unless (gst_buffer_map (out, &map, GST_MAP_READ));
    fail_unless_equals_int (map.size, 24);
    for (guint i = 0; i < sizeof s5; i++) {
      if (i % 8 < 5)
        fail_unless_equals_int (map.data[i], s5[i]);
    }
    gst_buffer_unmap (out, &map);
    gst_buffer_unref (out);
  }
  picture_free (picture);
  picture_free (frame);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_output_layout)
{
  static const guint rows[][3] = {
    {640, 48, 640}, {5, 3, 8}, {1, 1, 4}, {4, 2, 4}, {1921, 2, 1924}
  };
  Rig *rig = rig_new ();

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    Picture *picture = picture_new_random (rows[i][0], rows[i][1], i);
    GstVideoMeta *meta;
    GstBuffer *out;

    rig_set_format (rig, "RGB", rows[i][0], rows[i][1], NULL);
    out = rig_run_checked (rig, picture_plain_buffer (picture, &formats[0]),
        picture, &rule_default);
    fail_unless_equals_int (gst_buffer_get_size (out), rows[i][2] * rows[i][1]);
    meta = gst_buffer_get_video_meta (out);
    fail_unless (meta == NULL || (meta->stride[0] == (gint) rows[i][2]
            && meta->offset[0] == 0 && meta->width == rows[i][0]));
    gst_buffer_unref (out);
    picture_free (picture);
  }
  rig_free (rig);
}

GST_END_TEST;

static const Shape shapes[] = {
  {0, 0, 0, FALSE},             /* case 2: tight */
  {0, 1, 0, FALSE}, {0, 3, 0, FALSE}, {0, 13, 5, FALSE}, {0, 64, 0, FALSE},
  {1, 0, 0, FALSE}, {7, 2, 0, FALSE}, {61, 0, 9, FALSE}, {4096, 5, 1, FALSE},
  {0, 0, 1000, FALSE},
  {0, 0, 0, TRUE}, {0, 1, 0, TRUE}, {3, 7, 11, TRUE}, {64, 32, 0, TRUE},
};

/* Each plane a memory of its own, ending with its last row. */
static GstBuffer *
planes_apart (const Picture * picture, const Pixels * pixels,
    const Layout * layout)
{
  guint8 *data = picture_draw (picture, pixels, layout);
  GstBuffer *buffer = gst_buffer_new ();
  gsize start = 0;

  for (guint p = 0; p < pixels->planes; p++) {
    gsize end = layout->size;

    if (p + 1 < pixels->planes)
      end = layout->size / pixels->planes * (p + 1);
    gst_buffer_append_memory (buffer, memory_new_copy (data + start,
            end - start));
    start = end;
  }
  g_free (data);
  return buffer;
}

/* Memories of 7 bytes: rows and pixels are split. */
static GstBuffer *
in_pieces (const Picture * picture, const Pixels * pixels,
    const Layout * layout)
{
  guint8 *data = picture_draw (picture, pixels, layout);
  GstBuffer *buffer = gst_buffer_new ();
  /* A buffer has room for 16 memories before it merges them itself. */
  gsize piece = MAX (7, (layout->size + 15) / 16) | 1;

  for (gsize at = 0; at < layout->size; at += piece)
    gst_buffer_append_memory (buffer, memory_new_copy (data + at,
            MIN (piece, layout->size - at)));
  g_free (data);
  return buffer;
}

static GstBuffer *
in_one_block (const Picture * picture, const Pixels * pixels,
    const Layout * layout)
{
  return gst_buffer_new_wrapped (picture_draw (picture, pixels, layout),
      layout->size);
}

/* Memory that starts inside a larger one, with a readable but wrong rest. */
static GstBuffer *
in_a_larger_memory (const Picture * picture, const Pixels * pixels,
    const Layout * layout)
{
  guint8 *data = picture_draw (picture, pixels, layout);
  guint8 *all = g_malloc (layout->size + 40);
  GstBuffer *buffer;

  memset (all, 0xcc, layout->size + 40);
  memcpy (all + 13, data, layout->size);
  g_free (data);
  buffer = gst_buffer_new_wrapped_full (GST_MEMORY_FLAG_READONLY, all,
      layout->size + 40, 13, layout->size, all, g_free);
  return buffer;
}

static const MakeBuffer makers[] = {
  in_one_block, planes_apart, in_pieces, in_a_larger_memory
};

GST_START_TEST (test_shapes)
{
  const Shape *shape = &shapes[__i__];
  Rig *rig = rig_new ();

  for (guint f = 0; f < N_RGB_FORMATS; f++) {
    for (guint m = 0; m < G_N_ELEMENTS (makers); m++) {
      guint width = m == 0 ? 5 : 29 + f, height = m == 0 ? 3 : 4;
      Picture *picture = m == 0 ? picture_new_s5 () :
          picture_new_random (width, height, f);
      Layout layout = layout_shaped (&formats[f], width, height, shape);
      GstBuffer *in = makers[m] (picture, &formats[f], &layout);

      layout_add_meta (&layout, in, &formats[f], width, height);
      rig_set_format (rig, formats[f].name, width, height, NULL);
      gst_buffer_unref (rig_run_checked (rig, in, picture, &rule_default));
      picture_free (picture);
    }
  }
  rig_free (rig);
}

GST_END_TEST;

/* As caps lay a frame out, no meta; also with a longer buffer, and without
 * the padding of the very last row. */
GST_START_TEST (test_default_layout)
{
  static const gint extra[] = { 0, 1, 4096 };
  Rig *rig = rig_new ();

  for (guint f = 0; f < N_RGB_FORMATS; f++) {
    for (guint m = 0; m < G_N_ELEMENTS (makers); m++) {
      for (guint e = 0; e < G_N_ELEMENTS (extra); e++) {
        Picture *picture = picture_new_random (7, 3, e);
        Layout layout = layout_default (&formats[f], 7, 3);

        if (m != 1 || e == 0)
          layout.size += extra[e];
        rig_set_format (rig, formats[f].name, 7, 3, NULL);
        gst_buffer_unref (rig_run_checked (rig, makers[m] (picture,
                    &formats[f], &layout), picture, &rule_default));
        picture_free (picture);
      }
    }
  }
  rig_free (rig);
}

GST_END_TEST;

/* A frame that starts offset bytes from a 64-byte boundary and ends with its
 * block. */
static GstBuffer *
misaligned (const Picture * picture, const Pixels * pixels, guint offset)
{
  static const Shape tight = { 0, 0, 0, FALSE };
  Layout layout = layout_shaped (pixels, picture->width, picture->height,
      &tight);
  guint8 *data = picture_draw (picture, pixels, &layout);
  gsize size = offset + layout.size;
  GstBuffer *buffer;
  void *block;

  fail_unless (posix_memalign (&block, 64, size) == 0);
  memcpy ((guint8 *) block + offset, data, layout.size);
  buffer = gst_buffer_new_wrapped_full (0, block, size, offset, layout.size,
      block, free);
  layout_add_meta (&layout, buffer, pixels, picture->width, picture->height);
  g_free (data);
  return buffer;
}

/* Case 22, one row and several. */
GST_START_TEST (test_start_addresses)
{
  Rig *rig = rig_new ();

  for (guint width = 1; width <= 33; width++) {
    Picture *picture = picture_new_random (width, 1 + width % 3, width);

    for (guint f = 0; f < N_RGB_FORMATS; f++) {
      rig_set_format (rig, formats[f].name, width, picture->height, NULL);
      for (guint offset = 0; offset < 16; offset++)
        gst_buffer_unref (rig_run_checked (rig, misaligned (picture,
                    &formats[f], offset), picture, &rule_default));
    }
    picture_free (picture);
  }
  rig_free (rig);
}

GST_END_TEST;

/* Case 9. */
GST_START_TEST (test_small_sizes)
{
  static const guint heights[] = { 1, 2, 3, 17 };
  Rig *rig = rig_new ();

  for (guint width = 1; width <= 67; width++) {
    for (guint h = 0; h < G_N_ELEMENTS (heights); h++) {
      Picture *picture = picture_new_random (width, heights[h], width + h);

      rig_set_format (rig, formats[__i__].name, width, heights[h], NULL);
      gst_buffer_unref (rig_run_checked (rig, picture_plain_buffer (picture,
                  &formats[__i__]), picture, &rule_default));
      picture_free (picture);
    }
  }
  rig_free (rig);
}

GST_END_TEST;

/* The input is read and nothing more: whether it may be written or not, it
 * keeps its bytes, its memory and its metas. */
GST_START_TEST (test_input_is_left_alone)
{
  Rig *rig = rig_new ();

  for (guint f = 0; f < N_FORMATS; f++) {
    for (guint shared = 0; shared < 2; shared++) {
      const Pixels *pixels = &formats[f];
      Picture *picture = picture_new_random (31, 6, f);
      Layout layout = layout_shaped (pixels, 31, 6, &shapes[7]);
      guint8 *data = picture_draw (picture, pixels, &layout);
      GstBuffer *in = gst_buffer_new_wrapped_full (GST_MEMORY_FLAG_READONLY,
          data, layout.size, 0, layout.size, data, g_free), *out;
      GstMemory *memory = gst_memory_ref (gst_buffer_peek_memory (in, 0));
      guint8 *before = g_memdup2 (data, layout.size);

      layout_add_meta (&layout, in, pixels, 31, 6);
      rig_set_format (rig, pixels->name, 31, 6,
          pixels->planes == 1 ? "colorimetry=(string)2:4:7:1" : NULL);
      if (shared)
        gst_buffer_ref (in);
      out = rig_run (rig, in);
      if (shared) {
        fail_unless_equals_int (gst_buffer_n_memory (in), 1);
        fail_unless (gst_buffer_peek_memory (in, 0) == memory);
        gst_buffer_unref (in);
      }
      /* GRAY8 passes through. */
      fail_unless_equals_int (gst_buffer_peek_memory (out, 0) == memory,
          f == N_RGB_FORMATS);
      fail_unless (memcmp (data, before, layout.size) == 0);
      gst_buffer_unref (out);
      gst_memory_unref (memory);
      g_free (before);
      picture_free (picture);
    }
  }
  rig_free (rig);
}

GST_END_TEST;

static void
add_tests (TCase * tests)
{
  tcase_add_test (tests, test_known_answers);
  tcase_add_test (tests, test_output_layout);
  tcase_add_loop_test (tests, test_shapes, 0, G_N_ELEMENTS (shapes));
  tcase_add_test (tests, test_default_layout);
  tcase_add_test (tests, test_start_addresses);
  tcase_add_loop_test (tests, test_small_sizes, 0, N_RGB_FORMATS);
  tcase_add_test (tests, test_input_is_left_alone);
}

int
main (int argc, char **argv)
{
  return rig_main (argc, argv, "element-layouts", add_tests);
}
