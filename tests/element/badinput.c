/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Case 20: buffers that do not hold a frame.  Each block is exactly as long
 * as its buffer, so that a sanitizer sees a read outside. */

#include "rig.h"

#define MAX_BAD_FRAMES 10
#define JUST_BEFORE 1           /* as a stride */

/* What is wrong with a frame of 5x3: its bytes, or its meta. */
typedef struct
{
  const gchar *name;
  gint size;                    /* bytes more or fewer */
  gint planes;                  /* of the meta, more or fewer */
  gsize offset;                 /* of the last plane; 0 as it should be */
  gint stride;                  /* of the last plane; 0 as it should be */
  gint width, height;           /* of the meta, more or fewer */
  const gchar *format;          /* of the meta */
  gboolean no_meta, good;
} Fault;

static const Fault faults[] = {
  {"nothing wrong",.good = TRUE},
  {"nothing wrong, no meta",.no_meta = TRUE,.good = TRUE},
  {"longer",.size = 1000,.good = TRUE},
  {"meta of a larger frame",.width = 9,.height = 9,.good = TRUE},
  {"every row the same",.stride = G_MININT + 1},
  {"a byte of the last row short",.size = -1},
  {"a byte of the last row short, no meta",.size = -1,.no_meta = TRUE},
  {"one row short",.size = -16},
  {"one row short, no meta",.size = -16,.no_meta = TRUE},
  {"one byte",.size = -9999},
  {"one plane missing",.planes = -1},
  {"no plane",.planes = -4},
  {"offset at the end",.offset = 1},
  {"offset past the end",.offset = 2},
  {"offset beyond 2^31",.offset = (gsize) 1 << 31},
  {"offset beyond 2^63",.offset = (gsize) 1 << 63},
  {"offset that wraps around",.offset = G_MAXINT64},
  {"huge offset",.offset = G_MAXSIZE},
  {"largest stride",.stride = G_MAXINT},
  {"smallest stride",.stride = G_MININT},
  {"leads before the buffer",.stride = -1000},
  {"leads before the buffer by a byte or two",.stride = JUST_BEFORE},
  {"narrow meta",.width = -1},
  {"low meta",.height = -1},
  {"meta of no size",.width = -5,.height = -3},
  {"meta of another format",.format = "I420"},
  {"meta of another order",.format = "BGRx"},
  {"meta of an unknown format",.format = "ENCODED"},
  {"meta of no format",.format = "UNKNOWN"},
};

static const gchar *bad_formats[] = { "RGB", "RGBx", "GBR", "GRAY8" };

/* The block ends with the last row's last pixel. */
static Layout
exact_layout (const Pixels * pixels)
{
  Layout layout = layout_default (pixels, S5_WIDTH, S5_HEIGHT);
  guint row = S5_WIDTH * pixels->step;

  layout.size -= layout.stride[0] - row;
  return layout;
}

static void
spoil_meta (GstVideoMeta * meta, const Fault * fault, gsize size)
{
  guint last = meta->n_planes - 1;

  meta->width += fault->width;
  meta->height += fault->height;
  if (fault->offset == 1 || fault->offset == 2)
    meta->offset[last] = size + fault->offset - 1;
  else if (fault->offset != 0)
    meta->offset[last] = fault->offset;
  if (fault->stride == JUST_BEFORE)
    meta->stride[last] = -(gint) (meta->offset[last] / 2) - 1;
  else if (fault->stride != 0)
    meta->stride[last] = fault->stride;
  if (fault->format != NULL)
    meta->format = gst_video_format_from_string (fault->format);
  meta->n_planes = MAX (0, (gint) meta->n_planes + fault->planes);
}

static GstBuffer *
spoiled (const Picture * picture, const Pixels * pixels, const Fault * fault)
{
  Layout layout = exact_layout (pixels);
  guint8 *data = picture_draw (picture, pixels, &layout);
  gsize size = MAX (1, (gssize) layout.size + fault->size);
  GstBuffer *buffer;

  /* To a block of its own, which g_realloc need not give. */
  buffer = gst_buffer_new_wrapped (g_malloc0 (size), size);
  gst_buffer_fill (buffer, 0, data, MIN (size, layout.size));
  g_free (data);
  if (!fault->no_meta) {
    layout_add_meta (&layout, buffer, pixels, S5_WIDTH, S5_HEIGHT);
    spoil_meta (gst_buffer_get_video_meta (buffer), fault, size);
  }
  return buffer;
}

/* Gray input stands in for its three components. */
static Picture *
grayed (Picture * picture, const Pixels * pixels)
{
  for (guint i = 0; pixels->step == 1 && pixels->planes == 1 &&
      i < picture->width * picture->height; i++)
    memset (picture->rgb + 3 * i, picture->rgb[3 * i], 3);
  return picture;
}

static void
push_good (Rig * rig, const Pixels * pixels, gboolean discont)
{
  Picture *picture = grayed (picture_new_s5 (), pixels);
  GstBuffer *out = rig_run_checked (rig, picture_plain_buffer (picture,
          pixels), picture, &rule_default);

  fail_unless_equals_int (GST_BUFFER_IS_DISCONT (out), discont);
  gst_buffer_unref (out);
  picture_free (picture);
}

static void
expect_warning (Rig * rig)
{
  bus_expect (rig->bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR,
      GST_STREAM_ERROR_FORMAT, "got ", "needed ", NULL);
}

static void
check_fault (Rig * rig, const Pixels * pixels, const Fault * fault)
{
  Picture *picture = grayed (picture_new_s5 (), pixels);
  guint64 dropped = stat_count (rig->element, "frames-dropped");
  GstBuffer *buffer = spoiled (picture, pixels, fault);

  GST_INFO ("%s: %s", pixels->name, fault->name);
  if (fault->good) {
    gst_buffer_unref (rig_run_checked (rig, buffer, picture, &rule_default));
  } else {
    rig_run_dropped (rig, buffer, GST_FLOW_OK);
    expect_warning (rig);
  }
  fail_unless_equals_uint64 (stat_count (rig->element, "frames-dropped"),
      dropped + !fault->good);
  push_good (rig, pixels, !fault->good);
  picture_free (picture);
}

GST_START_TEST (test_faults)
{
  const Fault *fault = &faults[__i__];

  for (guint f = 0; f < G_N_ELEMENTS (bad_formats); f++) {
    const Pixels *pixels = pixels_find (bad_formats[f]);
    Rig *rig = rig_new ();

    rig_set_format (rig, pixels->name, S5_WIDTH, S5_HEIGHT, NULL);
    push_good (rig, pixels, FALSE);
    check_fault (rig, pixels, fault);
    check_fault (rig, pixels, fault);
    rig_free (rig);
  }
}

GST_END_TEST;

/* No memory at all, memory of no bytes, and several memories that are short
 * together. */
GST_START_TEST (test_empty_and_split)
{
  const Pixels *pixels = pixels_find ("RGB");
  Rig *rig = rig_new ();

  rig_set_format (rig, "RGB", S5_WIDTH, S5_HEIGHT, NULL);
  for (guint i = 0; i < 3; i++) {
    GstBuffer *buffer = gst_buffer_new ();

    for (guint m = 0; m < i; m++) {
      guint8 *data = g_malloc0 (16);

      gst_buffer_append_memory (buffer, gst_memory_new_wrapped (0, data, 16, 0,
              i == 1 ? 0 : 16, data, g_free));
    }
    rig_run_dropped (rig, buffer, GST_FLOW_OK);
    expect_warning (rig);
    push_good (rig, pixels, TRUE);
  }
  rig_free (rig);
}

GST_END_TEST;

/* A plane short, the others whole: no plane is read of such a frame. */
GST_START_TEST (test_planes_apart)
{
  const Pixels *pixels = pixels_find ("GBR");
  Picture *picture = picture_new_s5 ();
  Layout layout = exact_layout (pixels);
  guint8 *data = picture_draw (picture, pixels, &layout);
  GstBuffer *buffer = gst_buffer_new ();
  Rig *rig = rig_new ();

  for (guint p = 0; p < 3; p++)
    gst_buffer_append_memory (buffer, memory_new_copy (data + 24 * p,
            p < 2 ? 24 : 20));
  rig_set_format (rig, "GBR", S5_WIDTH, S5_HEIGHT, NULL);
  rig_run_dropped (rig, buffer, GST_FLOW_OK);
  expect_warning (rig);
  push_good (rig, pixels, TRUE);
  g_free (data);
  picture_free (picture);
  rig_free (rig);
}

GST_END_TEST;

/* The last memory is one that upstream is still writing: GStreamer can't merge
 * them, and says that it has mapped them all the same. */
GST_START_TEST (test_not_readable)
{
  const Pixels *pixels = pixels_find ("RGB");
  Picture *picture = picture_new_s5 ();
  Layout layout = exact_layout (pixels);
  guint8 *data = picture_draw (picture, pixels, &layout);
  GstBuffer *buffer = gst_buffer_new ();
  gsize half = layout.size / 2;
  GstMemory *memory;
  GstMapInfo map;
  Rig *rig = rig_new ();

  gst_buffer_append_memory (buffer, memory_new_copy (data, half));
  memory = memory_new_copy (data + half, layout.size - half);
  fail_unless (gst_memory_map (memory, &map, GST_MAP_WRITE));
  gst_buffer_append_memory (buffer, gst_memory_ref (memory));
  rig_set_format (rig, "RGB", S5_WIDTH, S5_HEIGHT, NULL);
  rig_run_dropped (rig, buffer, GST_FLOW_ERROR);
  bus_expect (rig->bus, GST_MESSAGE_ERROR, GST_RESOURCE_ERROR,
      GST_RESOURCE_ERROR_READ, "can't be read", NULL);
  gst_memory_unmap (memory, &map);
  gst_memory_unref (memory);
  g_free (data);
  picture_free (picture);
  rig_free (rig);
}

GST_END_TEST;

/* n bad frames; the last one ends the stream where it is one too many. */
static void
push_bad (Rig * rig, guint n)
{
  for (guint i = 1; i <= n; i++) {
    GstBuffer *buffer = gst_buffer_new_wrapped (g_malloc0 (12), 12);

    rig_run_dropped (rig, buffer, i < MAX_BAD_FRAMES ? GST_FLOW_OK :
        GST_FLOW_ERROR);
    if (i == 1)
      expect_warning (rig);
    else if (i < MAX_BAD_FRAMES)
      bus_expect_nothing (rig->bus);
  }
}

GST_START_TEST (test_ten_in_a_row)
{
  const Pixels *pixels = pixels_find (bad_formats[__i__]);
  Rig *rig = rig_new ();

  rig_set_format (rig, pixels->name, S5_WIDTH, S5_HEIGHT, NULL);
  push_bad (rig, MAX_BAD_FRAMES - 1);
  push_good (rig, pixels, TRUE);
  push_bad (rig, MAX_BAD_FRAMES - 1);
  push_good (rig, pixels, TRUE);
  push_bad (rig, MAX_BAD_FRAMES);
  bus_expect (rig->bus, GST_MESSAGE_ERROR, GST_STREAM_ERROR,
      GST_STREAM_ERROR_FORMAT, "10 ", "got ", "needed ", NULL);
  fail_unless_equals_uint64 (stat_count (rig->element, "frames-dropped"),
      3 * MAX_BAD_FRAMES - 2);
  rig_free (rig);
}

GST_END_TEST;

static void
add_tests (TCase * tests)
{
  tcase_add_loop_test (tests, test_faults, 0, G_N_ELEMENTS (faults));
  tcase_add_test (tests, test_empty_and_split);
  tcase_add_test (tests, test_planes_apart);
  tcase_add_test (tests, test_not_readable);
  tcase_add_loop_test (tests, test_ten_in_a_row, 0, G_N_ELEMENTS (bad_formats));
}

int
main (int argc, char **argv)
{
  return rig_main (argc, argv, "element-badinput", add_tests);
}
