/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#include "watch.h"

#include <string.h>

#include "gstcudagrayallocator.h"

gboolean
pipe_is_ours (GstBuffer * buffer)
{
  guint n = gst_buffer_n_memory (buffer);

  for (guint i = 0; i < n; i++) {
    if (!gst_memory_is_type (gst_buffer_peek_memory (buffer, i),
            GST_CUDA_GRAY_MEMORY_TYPE))
      return FALSE;
  }
  return n > 0;
}

/* Of RGB by GStreamer's own description of the format: the components of every
 * RGB format, planar ones too, are red, green and blue in that order. */
static void
exact_row (const GstVideoFrame * in, gint y, gint width, guint8 * row)
{
  const guint8 *p[3];
  gint step[3];

  for (guint c = 0; c < 3; c++) {
    p[c] = (const guint8 *) GST_VIDEO_FRAME_COMP_DATA (in, c) +
        GST_VIDEO_FRAME_COMP_STRIDE (in, c) * (gssize) y;
    step[c] = GST_VIDEO_FRAME_COMP_PSTRIDE (in, c);
  }
  for (gint x = 0; x < width; x++)
    row[x] = PIPE_EXACT (p[0][x * step[0]], p[1][x * step[1]],
        p[2][x * step[2]]);
}

/* Of YUV: the Y, in full range. */
static void
exact_y_row (const GstVideoFrame * in, gint y, gint width, guint8 * row)
{
  const guint8 *p = (const guint8 *) GST_VIDEO_FRAME_COMP_DATA (in, 0) +
      GST_VIDEO_FRAME_COMP_STRIDE (in, 0) * (gssize) y;
  gint step = GST_VIDEO_FRAME_COMP_PSTRIDE (in, 0);
  gboolean limited = in->info.colorimetry.range == GST_VIDEO_COLOR_RANGE_16_235;

  for (gint x = 0; x < width; x++)
    row[x] = limited ? PIPE_FULL (p[x * step]) : p[x * step];
}

/* Of samples of other than 8 bits, as GStreamer unpacks them: after alpha, at
 * the top of 16 bits.  The third is of as many bits as the first. */
static void
exact_deep_row (const GstVideoFrame * in, gint y, gint width, guint8 * row)
{
  const GstVideoInfo *info = &in->info;
  gboolean rgb = GST_VIDEO_INFO_IS_RGB (info);
  guint depth[2] = { GST_VIDEO_INFO_COMP_DEPTH (info, 0),
    GST_VIDEO_INFO_COMP_DEPTH (info, rgb ? 1 : 0)
  };
  gint64 m = (1 << depth[0]) - 1, n = (1 << depth[1]) - 1;
  gboolean limited = info->colorimetry.range == GST_VIDEO_COLOR_RANGE_16_235;
  gint64 black = limited ? 16 << (depth[0] - 8) : 0;
  gint64 span = limited ? 219 << (depth[0] - 8) : m;
  guint16 *line = g_new (guint16, 4 * (width + 8));

  info->finfo->unpack_func (info->finfo, GST_VIDEO_PACK_FLAG_TRUNCATE_RANGE,
      line, in->data, info->stride, 0, y, width);
  for (gint x = 0; x < width; x++) {
    gint64 a = line[4 * x + 1] >> (16 - depth[0]);
    gint64 b = line[4 * x + 2] >> (16 - depth[1]);
    gint64 c = line[4 * x + 3] >> (16 - depth[0]);

    row[x] = rgb ? (510 * (299 * a * n + 587 * b * m + 114 * c * n) +
        1000 * m * n) / (2000 * m * n) :
        CLAMP ((510 * (a - black) + span) / (2 * span), 0, 255);
  }
  g_free (line);
}

/* Whether samples are unpacked to 16 bits. */
static gboolean
is_deep (const GstVideoInfo * info)
{
  const GstVideoFormatInfo *unpacked =
      gst_video_format_get_info (info->finfo->unpack_format);

  return GST_VIDEO_FORMAT_INFO_DEPTH (unpacked, 0) == 16;
}

static gchar *
compare_rows (const GstVideoFrame * in, const GstVideoFrame * gray, gint width,
    gint height)
{
  gboolean is_gray = GST_VIDEO_FRAME_FORMAT (in) == GST_VIDEO_FORMAT_GRAY8;
  guint8 *row = g_malloc (width);
  gchar *problem = NULL;

  for (gint y = 0; y < height && problem == NULL; y++) {
    const guint8 *got = (const guint8 *) GST_VIDEO_FRAME_PLANE_DATA (gray, 0) +
        (gssize) y * GST_VIDEO_FRAME_PLANE_STRIDE (gray, 0);
    gint x = 0;

    if (is_gray)
      memcpy (row, (const guint8 *) GST_VIDEO_FRAME_PLANE_DATA (in, 0) +
          (gssize) y * GST_VIDEO_FRAME_PLANE_STRIDE (in, 0), width);
    else if (is_deep (&in->info))
      exact_deep_row (in, y, width, row);
    else if (GST_VIDEO_INFO_IS_YUV (&in->info))
      exact_y_row (in, y, width, row);
    else
      exact_row (in, y, width, row);
    if (memcmp (got, row, width) == 0)
      continue;
    while (got[x] == row[x])
      x++;
    problem = g_strdup_printf ("pixel %d,%d of %dx%d is %u, not %u", x, y,
        width, height, got[x], row[x]);
  }
  g_free (row);
  return problem;
}

/* PIPE_EXACT is for full range and bt601; of YUV the matrix stays. */
static gboolean
is_default (const GstVideoInfo * in, const GstVideoInfo * gray)
{
  gboolean yuv = GST_VIDEO_INFO_IS_YUV (in);

  return GST_VIDEO_INFO_FORMAT (gray) == GST_VIDEO_FORMAT_GRAY8 &&
      in->width == gray->width && in->height == gray->height &&
      (yuv || in->colorimetry.range != GST_VIDEO_COLOR_RANGE_16_235) &&
      gray->colorimetry.range == GST_VIDEO_COLOR_RANGE_0_255 &&
      gray->colorimetry.matrix == (yuv ? in->colorimetry.matrix :
      GST_VIDEO_COLOR_MATRIX_BT601);
}

gchar *
pipe_compare (GstCaps * in_caps, GstBuffer * in, GstCaps * gray_caps,
    GstBuffer * gray)
{
  GstVideoFrame in_frame, gray_frame;
  GstVideoInfo in_info, gray_info;
  gchar *problem;

  if (!gst_video_info_from_caps (&in_info, in_caps) ||
      !gst_video_info_from_caps (&gray_info, gray_caps) ||
      !is_default (&in_info, &gray_info))
    return g_strdup ("caps that don't belong together");
  if (!gst_video_frame_map (&in_frame, &in_info, in, GST_MAP_READ))
    return g_strdup_printf ("the input of %" G_GSIZE_FORMAT " bytes is no %s "
        "%dx%d", gst_buffer_get_size (in),
        gst_video_format_to_string (GST_VIDEO_INFO_FORMAT (&in_info)),
        in_info.width, in_info.height);
  if (!gst_video_frame_map (&gray_frame, &gray_info, gray, GST_MAP_READ)) {
    gst_video_frame_unmap (&in_frame);
    return g_strdup_printf ("the output of %" G_GSIZE_FORMAT " bytes is no "
        "%dx%d", gst_buffer_get_size (gray), gray_info.width, gray_info.height);
  }
  problem = compare_rows (&in_frame, &gray_frame, in_info.width,
      in_info.height);
  gst_video_frame_unmap (&gray_frame);
  gst_video_frame_unmap (&in_frame);
  return problem;
}

/* TRUE for an event, which *caps follows.  Not the pad's current caps: a pad
 * that is shut down loses them while a frame is on its way through it. */
static gboolean
watch_event (GstPadProbeInfo * info, GstCaps ** caps, gboolean * changed)
{
  GstEvent *event;
  GstCaps *now;

  *changed = FALSE;
  if ((info->type & GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM) == 0)
    return FALSE;
  event = GST_PAD_PROBE_INFO_EVENT (info);
  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
    gst_event_parse_caps (event, &now);
    gst_caps_replace (caps, now);
    *changed = TRUE;
  }
  return TRUE;
}

static void
note_sizes (PipeWatch * watch)
{
  GstVideoInfo info;

  if (!gst_video_info_from_caps (&info, watch->in_caps))
    return;
  g_mutex_lock (&watch->lock);
  g_string_append_printf (watch->seen, "%s %dx%d, ",
      gst_video_format_to_string (GST_VIDEO_INFO_FORMAT (&info)), info.width,
      info.height);
  g_mutex_unlock (&watch->lock);
}

static GstPadProbeReturn
watch_sink (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  PipeWatch *watch = data;
  GstBuffer *buffer;
  gboolean changed;

  if (watch_event (info, &watch->in_caps, &changed)) {
    if (changed)
      note_sizes (watch);
    return GST_PAD_PROBE_OK;
  }
  buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  gst_buffer_replace (&watch->input, buffer);
  g_atomic_int_inc (&watch->in);
  if (pipe_is_ours (buffer))
    g_atomic_int_inc (&watch->in_ours);
  return GST_PAD_PROBE_OK;
}

static gchar *
compare_with_input (PipeWatch * watch, GstBuffer * gray)
{
  if (watch->input == NULL)
    return g_strdup ("an output without an input");
  if (watch->in_caps == NULL || watch->gray_caps == NULL)
    return g_strdup ("no caps");
  return pipe_compare (watch->in_caps, watch->input, watch->gray_caps, gray);
}

static GstPadProbeReturn
watch_src (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  PipeWatch *watch = data;
  GstBuffer *buffer;
  gboolean changed;
  gchar *problem;

  if (watch_event (info, &watch->gray_caps, &changed))
    return GST_PAD_PROBE_OK;
  buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  problem = compare_with_input (watch, buffer);
  if (problem != NULL) {
    g_mutex_lock (&watch->lock);
    if (watch->problem == NULL)
      watch->problem = g_strdup_printf ("frame %d: %s", watch->out, problem);
    g_mutex_unlock (&watch->lock);
    g_free (problem);
  }
  if (pipe_is_ours (buffer))
    g_atomic_int_inc (&watch->out_ours);
  if (watch->input != NULL && gst_buffer_peek_memory (buffer, 0) ==
      gst_buffer_peek_memory (watch->input, 0))
    g_atomic_int_inc (&watch->kept);
  gst_clear_buffer (&watch->input);
  g_atomic_int_inc (&watch->out);
  return GST_PAD_PROBE_OK;
}

PipeWatch *
pipe_watch_element (GstElement * cudagray)
{
  PipeWatch *watch = g_new0 (PipeWatch, 1);
  GstPad *pad;

  g_mutex_init (&watch->lock);
  watch->seen = g_string_new (NULL);
  watch->element = cudagray;
  pad = gst_element_get_static_pad (watch->element, "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER |
      GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, watch_sink, watch, NULL);
  gst_object_unref (pad);
  pad = gst_element_get_static_pad (watch->element, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER |
      GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, watch_src, watch, NULL);
  gst_object_unref (pad);
  return watch;
}

PipeWatch *
pipe_watch (GstElement * pipeline)
{
  GstIterator *all = gst_bin_iterate_all_by_element_factory_name (GST_BIN
      (pipeline), "cudagray");
  GValue item = G_VALUE_INIT;
  PipeWatch *watch;

  fail_unless (gst_iterator_next (all, &item) == GST_ITERATOR_OK);
  watch = pipe_watch_element (g_value_get_object (&item));
  g_value_unset (&item);
  gst_iterator_free (all);
  return watch;
}

gchar *
pipe_watch_end (PipeWatch * watch)
{
  gchar *problem = watch->problem;

  gst_clear_buffer (&watch->input);
  gst_clear_caps (&watch->in_caps);
  gst_clear_caps (&watch->gray_caps);
  g_string_free (watch->seen, TRUE);
  g_mutex_clear (&watch->lock);
  g_free (watch);
  return problem;
}

void
pipe_watch_free (PipeWatch * watch)
{
  gchar *problem = pipe_watch_end (watch);

  fail_if (problem != NULL, "%s", problem);
}
