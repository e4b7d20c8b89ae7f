/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* YUV in one matrix to gray in another, for which chroma is read.  GStreamer
 * says where the samples are. */

#include "caps.h"
#include "deepframe.h"
#include "rig.h"

static const guint matrices[] = {
  GST_VIDEO_COLOR_MATRIX_FCC, GST_VIDEO_COLOR_MATRIX_BT709,
  GST_VIDEO_COLOR_MATRIX_BT601, GST_VIDEO_COLOR_MATRIX_SMPTE240M,
  GST_VIDEO_COLOR_MATRIX_BT2020
};

static const gchar *const grays[] = { "GRAY8", "GRAY16_LE", "GRAY16_BE" };

static const guint sizes[][2] = {
  {1, 1}, {2, 2}, {3, 5}, {18, 7}, {257, 4}, {640, 6}, {15, 8}, {70, 12}
};

/* From and to: whether limited, and the matrix. */
typedef struct
{
  gboolean from_limited, to_limited;
  guint from, to;
} Change;

/* GStreamer swaps U and V there. */
static gboolean
is_odd_end_of_vyuy (const GstVideoFormatInfo * format, guint x, guint width)
{
  return format->format == GST_VIDEO_FORMAT_VYUY && width % 2 == 1 &&
      x + 1 == width;
}

static guint
gray_at (GstVideoFrame * gray, guint x, guint y)
{
  const guint8 *row = (guint8 *) GST_VIDEO_FRAME_PLANE_DATA (gray, 0) +
      y * GST_VIDEO_FRAME_PLANE_STRIDE (gray, 0);

  switch (GST_VIDEO_FRAME_FORMAT (gray)) {
    case GST_VIDEO_FORMAT_GRAY8:
      return row[x];
    case GST_VIDEO_FORMAT_GRAY16_LE:
      return GST_READ_UINT16_LE (row + 2 * x);
    default:
      return GST_READ_UINT16_BE (row + 2 * x);
  }
}

static void
check_row (const GstVideoFormatInfo * format, const guint8 * line,
    GstVideoFrame * gray, guint y, const Change * change)
{
  guint out_depth = GST_VIDEO_FRAME_COMP_DEPTH (gray, 0);
  guint width = GST_VIDEO_FRAME_WIDTH (gray);

  for (guint x = 0; x < width; x++) {
    guint got = gray_at (gray, x, y), expected;
    const Rule rule = { change->to, change->from_limited, change->to_limited };
    guint s[3];

    /* After alpha; deep samples fill 16 bits from the top. */
    for (guint i = 0; i < 3; i++)
      s[i] = format->depth[0] == 8 ? line[4 * x + 1 + i] :
          ((const guint16 *) line)[4 * x + 1 + i] >> (16 - format->depth[0]);
    expected = deep_gray_of_yuv (s, format->depth[0], change->from, &rule,
        out_depth);
    if (got != expected && !is_odd_end_of_vyuy (format, x, width))
      fail ("%s at %u,%u, matrix %u to %u: %u %u %u is %u, not %u",
          format->name, x, y, change->from, change->to, s[0], s[1], s[2], got,
          expected);
  }
}

static void
check_frame (GstBuffer * in, const GstVideoInfo * info, GstBuffer * out,
    GstCaps * caps, const Change * change)
{
  const GstVideoFormatInfo *format = info->finfo;
  guint8 *line = g_malloc (8 * info->width);
  GstVideoFrame from, to;
  GstVideoInfo gray;

  fail_unless (gst_video_info_from_caps (&gray, caps));
  fail_unless (gst_video_frame_map (&from, info, in, GST_MAP_READ));
  fail_unless (gst_video_frame_map (&to, &gray, out, GST_MAP_READ));
  for (gint y = 0; y < info->height; y++) {
    format->unpack_func (format, GST_VIDEO_PACK_FLAG_TRUNCATE_RANGE |
        (GST_VIDEO_INFO_IS_INTERLACED (info) ?
            GST_VIDEO_PACK_FLAG_INTERLACED : 0), line, from.data,
        from.info.stride, 0, y, info->width);
    check_row (format, line, &to, y, change);
  }
  gst_video_frame_unmap (&from);
  gst_video_frame_unmap (&to);
  g_free (line);
}

static GstBuffer *
random_buffer (gsize size)
{
  static guint32 state = 1;
  guint8 *bytes = g_malloc (size);
  GstBuffer *buffer = gst_buffer_new ();

  for (gsize i = 0; i < size; i++) {
    state = state * 1664525u + 1013904223u;
    bytes[i] = state >> 24;
  }
  gst_buffer_append_memory (buffer, memory_new_copy (bytes, size));
  g_free (bytes);
  return buffer;
}

/* The frame with its planes in reverse, and rows that begin anywhere. */
static GstBuffer *
shaped_buffer (const GstVideoInfo * info)
{
  gsize offset[GST_VIDEO_MAX_PLANES], size = 5;
  gint stride[GST_VIDEO_MAX_PLANES];
  GstBuffer *buffer;

  for (guint p = GST_VIDEO_INFO_N_PLANES (info); p-- > 0;) {
    offset[p] = size;
    stride[p] = info->stride[p] + 2 * p + 2;
    size += stride[p] * info->height + 3;
  }
  buffer = random_buffer (size);
  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_INFO_FORMAT (info), info->width, info->height,
      GST_VIDEO_INFO_N_PLANES (info), offset, stride);
  return buffer;
}

/* Input caps and, as a filter, the output's. */
static void
set_caps (Rig * rig, const GstVideoInfo * info, const gchar * gray,
    const Change * change)
{
  gchar *in = g_strdup_printf ("%d:%u:5:1", change->from_limited ? 2 : 1,
      change->from);
  gchar *filter = g_strdup_printf ("video/x-raw, format=%s, "
      "colorimetry=(string)%d:%u:5:1", gray, change->to_limited ? 2 : 1,
      change->to);
  GstCaps *caps = gst_video_info_to_caps (info);

  gst_caps_set_simple (caps, "colorimetry", G_TYPE_STRING, in, NULL);
  gst_harness_set_sink_caps_str (rig->harness, filter);
  rig_set_caps (rig, caps);
  g_free (filter);
  g_free (in);
}

static void
run (Rig * rig, const GstVideoInfo * info, GstBuffer * in,
    const Change * change)
{
  GstBuffer *out = rig_run (rig, gst_buffer_ref (in));
  GstCaps *caps = rig_output_caps (rig);

  check_frame (in, info, out, caps, change);
  gst_caps_unref (caps);
  gst_buffer_unref (out);
  gst_buffer_unref (in);
}

/* The names of the YUV formats that the pads have. */
static gchar **
yuv_formats_new (void)
{
  return g_strsplit (CUDA_GRAY_YUV_FORMATS ", " CUDA_GRAY_DEEP_YUV_FORMATS,
      ", ", -1);
}

static void
info_init (GstVideoInfo * info, const gchar * name, guint width, guint height,
    GstVideoInterlaceMode mode)
{
  fail_unless (gst_video_info_set_interlaced_format (info,
          gst_video_format_from_string (name), mode, width, height));
  info->fps_n = 25;
  info->fps_d = 1;
}

/* n-th of the changes that are one: all matrices and ranges come by. */
static Change
nth_change (guint n)
{
  guint from = n % 5, to = (from + 1 + n / 5 % 4) % 5;

  return (Change) {
  n / 3 % 2, n / 2 % 2, matrices[from], matrices[to]};
}

GST_START_TEST (test_formats)
{
  static const GstVideoInterlaceMode modes[] = {
    GST_VIDEO_INTERLACE_MODE_PROGRESSIVE, GST_VIDEO_INTERLACE_MODE_INTERLEAVED
  };
  gchar **names = yuv_formats_new ();
  Rig *rig = rig_new ();
  guint n = __i__;

  for (guint i = 0; names[i] != NULL; i++) {
    for (guint s = 0; s < G_N_ELEMENTS (sizes); s++) {
      Change change = nth_change (n++);
      GstVideoInfo info;

      info_init (&info, names[i], sizes[s][0], sizes[s][1],
          modes[sizes[s][1] % 4 == 0 ? n / 7 % 2 : 0]);
      set_caps (rig, &info, grays[__i__], &change);
      run (rig, &info, random_buffer (info.size), &change);
      if (GST_VIDEO_INFO_INTERLACE_MODE (&info) == modes[0])
        run (rig, &info, shaped_buffer (&info), &change);
    }
  }
  fail_unless_equals_uint64 (stat_count (rig->element, "frames-passthrough"),
      0);
  g_strfreev (names);
  rig_free (rig);
}

GST_END_TEST;

/* All pairs of matrices and ranges. */
GST_START_TEST (test_changes)
{
  Rig *rig = rig_new ();
  GstVideoInfo info;

  info_init (&info, "I420", 641, 9, GST_VIDEO_INTERLACE_MODE_PROGRESSIVE);
  for (guint i = 0; i < 5 * 5 * 4; i++) {
    Change change = { i % 2, i / 2 % 2, matrices[i / 4 % 5],
      matrices[i / 20]
    };

    if (change.from == change.to)
      continue;
    set_caps (rig, &info, grays[i % 3], &change);
    run (rig, &info, random_buffer (info.size), &change);
  }
  rig_free (rig);
}

GST_END_TEST;

/* Bytes to the end of the last sample's word, as caps lay them out. */
static gsize
needed_bytes (const GstVideoInfo * info)
{
  gsize needed = 0;

  for (guint c = 0; c < 3; c++) {
    guint p = GST_VIDEO_INFO_COMP_PLANE (info, c);
    gsize rows = GST_VIDEO_SUB_SCALE (info->finfo->h_sub[c], info->height);
    gsize samples = GST_VIDEO_SUB_SCALE (info->finfo->w_sub[c], info->width);

    needed = MAX (needed, info->offset[p] + (rows - 1) * info->stride[p] +
        samples * GST_VIDEO_INFO_COMP_PSTRIDE (info, c));
  }
  return needed;
}

/* Here no byte of the chroma may be missing. */
GST_START_TEST (test_too_short)
{
  const Change change = nth_change (1);
  gchar **names = yuv_formats_new ();
  Rig *rig = rig_new ();

  for (guint i = 0; names[i] != NULL; i++) {
    guint64 bytes = stat_count (rig->element, "bytes-in");
    GstVideoInfo info;
    GstBuffer *whole;
    gsize needed;

    info_init (&info, names[i], 17, 5, GST_VIDEO_INTERLACE_MODE_PROGRESSIVE);
    needed = needed_bytes (&info);
    set_caps (rig, &info, "GRAY8", &change);
    rig_run_dropped (rig, random_buffer (needed - 1), GST_FLOW_OK);
    bus_expect (rig->bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR,
        GST_STREAM_ERROR_FORMAT, "got ", "needed ", NULL);
    /* GStreamer maps whole frames alone. */
    whole = random_buffer (info.size);
    gst_buffer_resize (whole, 0, needed);
    gst_buffer_unref (rig_run (rig, gst_buffer_ref (whole)));
    gst_buffer_unref (whole);
    run (rig, &info, random_buffer (info.size), &change);
    bytes = stat_count (rig->element, "bytes-in") - bytes;
    fail_unless (bytes > 2 * 17 * 5 && bytes <= 2 * info.size);
  }
  g_strfreev (names);
  rig_free (rig);
}

GST_END_TEST;

static void
check_interlaced (const gchar * name, guint height, GstVideoInterlaceMode mode,
    gboolean refused)
{
  const Change change = nth_change (0);
  Rig *rig = rig_new ();
  GstVideoInfo info;

  info_init (&info, name, 16, height, mode);
  set_caps (rig, &info, "GRAY8", &change);
  if (refused && info.finfo->h_sub[1] > 0)
    rig_run_dropped (rig, random_buffer (info.size), GST_FLOW_NOT_NEGOTIATED);
  else
    run (rig, &info, random_buffer (info.size), &change);
  rig_free (rig);
}

/* Which rows the chroma of 4:2:0 is for, each frame of mixed video says for
 * itself; and at some heights GStreamer's P010 lacks a row of it. */
GST_START_TEST (test_refused)
{
  gchar **names = yuv_formats_new ();

  for (guint i = 0; names[i] != NULL; i++) {
    check_interlaced (names[i], 8, GST_VIDEO_INTERLACE_MODE_MIXED, TRUE);
    check_interlaced (names[i], 6, GST_VIDEO_INTERLACE_MODE_INTERLEAVED,
        g_str_has_prefix (names[i], "P0"));
  }
  g_strfreev (names);
}

GST_END_TEST;

static void
add_tests (TCase * tests)
{
  tcase_add_loop_test (tests, test_formats, 0, G_N_ELEMENTS (grays));
  tcase_add_test (tests, test_changes);
  tcase_add_test (tests, test_too_short);
  tcase_add_test (tests, test_refused);
}

int
main (int argc, char **argv)
{
  return rig_main (argc, argv, "element-matrix", add_tests);
}
