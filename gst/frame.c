/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#include "config.h"

#include "cudamemory.h"
#include "frame.h"

#include <string.h>

/* Where the planes of a buffer lie, from its GstVideoMeta or from caps. */
typedef struct
{
  guint n_planes;
  const gsize *offset;
  const gint *stride;
} Layout;

/* The first byte of a plane's rows and the one after the last, from the
 * buffer's start.  Signed: hostile strides lead before it. */
typedef struct
{
  gint64 begin, end;
} Span;

/* A meta may name what is no format. */
static const gchar *
format_name (GstVideoFormat format)
{
  const gchar *name = format != GST_VIDEO_FORMAT_UNKNOWN ?
      gst_video_format_to_string (format) : NULL;

  return name != NULL ? name : "no format";
}

static gboolean
find_layout (Layout * layout, GstBuffer * buffer, const GstVideoInfo * info,
    gchar ** problem)
{
  const GstVideoMeta *meta = gst_buffer_get_video_meta (buffer);

  if (meta == NULL) {
    const GstVideoInfo *own = cuda_gray_cuda_memory_info (buffer);

    info = own != NULL ? own : info;
    layout->n_planes = GST_VIDEO_INFO_N_PLANES (info);
    layout->offset = info->offset;
    layout->stride = info->stride;
    return TRUE;
  }
  layout->n_planes = meta->n_planes;
  layout->offset = meta->offset;
  layout->stride = meta->stride;
  if (meta->format == GST_VIDEO_INFO_FORMAT (info) &&
      meta->width >= (guint) GST_VIDEO_INFO_WIDTH (info) &&
      meta->height >= (guint) GST_VIDEO_INFO_FIELD_HEIGHT (info) &&
      meta->n_planes <= GST_VIDEO_MAX_PLANES)
    return TRUE;
  *problem = g_strdup_printf ("got a GstVideoMeta for %s %ux%u in %u planes, "
      "needed %s %dx%d", format_name (meta->format),
      meta->width, meta->height, meta->n_planes,
      GST_VIDEO_INFO_NAME (info), GST_VIDEO_INFO_WIDTH (info),
      GST_VIDEO_INFO_FIELD_HEIGHT (info));
  return FALSE;
}

/* All of this fits 64 bits: heights and strides are under 2^31, and an offset
 * past the buffer's end is refused before it is used. */
static gboolean
check_plane (Span * span, const Layout * layout, guint plane,
    LumaExtent extent, gsize size, gchar ** problem)
{
  gint64 last;

  if (plane >= layout->n_planes) {
    *problem = g_strdup_printf ("got %u planes, needed plane %u",
        layout->n_planes, plane);
    return FALSE;
  }
  if (layout->offset[plane] > size) {
    *problem = g_strdup_printf ("got %" G_GSIZE_FORMAT " bytes, needed plane "
        "%u at byte %" G_GSIZE_FORMAT, size, plane, layout->offset[plane]);
    return FALSE;
  }
  last = (gint64) (extent.rows - 1) * layout->stride[plane];
  span->begin = (gint64) layout->offset[plane] + MIN (last, 0);
  span->end = (gint64) layout->offset[plane] + MAX (last, 0) + extent.row_bytes;
  if (span->begin >= 0 && span->end <= (gint64) size)
    return TRUE;
  *problem = g_strdup_printf ("got %" G_GSIZE_FORMAT " bytes, needed bytes %"
      G_GINT64_FORMAT " to %" G_GINT64_FORMAT " for %" G_GSIZE_FORMAT
      " rows of %" G_GSIZE_FORMAT " bytes at stride %d", size, span->begin,
      span->end, extent.rows, extent.row_bytes, layout->stride[plane]);
  return FALSE;
}

/* Maps the memories that hold a span, one alone where it lies in one; several
 * are merged by GStreamer, which, where one of these can't be read, reports
 * success and gives no byte. */
static gboolean
map_plane (CudaGrayFrame * frame, guint plane, const Span * span,
    const Layout * layout, GstMapFlags flags)
{
  GstMapInfo *map = &frame->map[frame->n_maps];
  guint first, count;
  gsize skip;

  if (!gst_buffer_find_memory (frame->buffer, span->begin,
          span->end - span->begin, &first, &count, &skip))
    return FALSE;
  if (!gst_buffer_map_range (frame->buffer, first, count, map, flags))
    return FALSE;
  frame->n_maps++;
  if (map->data == NULL)
    return FALSE;
  frame->data[plane] = map->data + skip + (layout->offset[plane] - span->begin);
  frame->stride[plane] = layout->stride[plane];
  return TRUE;
}

static gboolean
check (Layout * layout, Span span[LUMA_PLANES], GstBuffer * buffer,
    const GstVideoInfo * info, const LumaExtent extent[LUMA_PLANES],
    gchar ** problem)
{
  gsize size = gst_buffer_get_size (buffer);

  if (!find_layout (layout, buffer, info, problem))
    return FALSE;
  for (guint p = 0; p < LUMA_PLANES; p++) {
    if (extent[p].rows != 0 && !check_plane (&span[p], layout, p, extent[p],
            size, problem))
      return FALSE;
  }
  return TRUE;
}

gboolean
cuda_gray_frame_check (GstBuffer * buffer, const GstVideoInfo * info,
    const LumaExtent extent[LUMA_PLANES], gchar ** problem)
{
  Span span[LUMA_PLANES];
  Layout layout;

  return check (&layout, span, buffer, info, extent, problem);
}

CudaGrayFrameResult
cuda_gray_frame_map (CudaGrayFrame * frame, GstBuffer * buffer,
    const GstVideoInfo * info, const LumaExtent extent[LUMA_PLANES],
    GstMapFlags flags, gchar ** problem)
{
  Span span[LUMA_PLANES];
  Layout layout;

  memset (frame, 0, sizeof *frame);
  frame->buffer = buffer;
  frame->on_device = (flags & CUDA_GRAY_MAP_CUDA) != 0;
  if (!check (&layout, span, buffer, info, extent, problem))
    return CUDA_GRAY_FRAME_BAD;
  for (guint p = 0; p < LUMA_PLANES; p++) {
    if (extent[p].rows != 0 && !map_plane (frame, p, &span[p], &layout, flags)) {
      cuda_gray_frame_unmap (frame);
      return CUDA_GRAY_FRAME_UNMAPPABLE;
    }
  }
  return CUDA_GRAY_FRAME_OK;
}

void
cuda_gray_frame_unmap (CudaGrayFrame * frame)
{
  while (frame->n_maps > 0)
    gst_buffer_unmap (frame->buffer, &frame->map[--frame->n_maps]);
}
