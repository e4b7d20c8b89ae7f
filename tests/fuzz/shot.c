/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#include "shot.h"

#include <string.h>

#include "metas.h"
#include "random.h"

/* A larger frame gets a buffer that is too small for it. */
#define MAX_BYTES (16 << 10)
#define MAX_MEMORIES 20
/* More than GStreamer has. */
#define MAX_FORMATS 512

gint shot_live;

static Deep known[N_SHOT_FORMATS];
static const Deep *of_format[MAX_FORMATS];

/* In the terms of deepframe.h, which has those of other depths. */
static void
know_yuv (Deep * deep, const Yuv * yuv)
{
  deep->name = yuv->name;
  deep->planes = yuv->planes;
  deep->step = yuv->step;
  deep->samples = 1;
  deep->yuv = TRUE;
  deep->at[0] = yuv->at;
}

static void
know_pixels (Deep * deep, const Pixels * pixels)
{
  deep->name = pixels->name;
  deep->planes = pixels->planes;
  deep->step = pixels->step;
  deep->samples = g_str_equal (pixels->name, "GRAY8") ? 1 : 3;
  memcpy (pixels->step == 1 ? deep->plane : deep->at, pixels->at,
      sizeof pixels->at);
}

void
shot_formats_init (void)
{
  Deep *deep = known;

  for (guint i = 0; i < N_SHOT_FORMATS; i++) {
    known[i].bytes = 1;
    for (guint c = 0; c < 3; c++)
      known[i].depth[c] = 8;
  }
  for (guint i = 0; i < N_YUV_FORMATS; i++)
    know_yuv (deep++, &yuv_formats[i]);
  for (guint i = 0; i < N_FORMATS; i++)
    know_pixels (deep++, &formats[i]);
  memcpy (deep, deep_formats, N_DEEP * sizeof *deep);
  for (guint i = 0; i < N_SHOT_FORMATS; i++)
    of_format[gst_video_format_from_string (known[i].name)] = &known[i];
}

const gchar *
shot_format_name (guint i)
{
  return known[i].name;
}

static void
free_counted (gpointer data)
{
  shot_live--;
  g_free (data);
}

GstMemory *
shot_memory (const guint8 * data, gsize size, GstMemoryFlags flags)
{
  guint8 *copy = g_malloc (MAX (size, 1));

  memcpy (copy, data, size);
  shot_live++;
  return gst_memory_new_wrapped (flags, copy, size, 0, size, copy,
      free_counted);
}

/* Rows with bytes between them, planes with bytes before them, in any order,
 * the first row last. */
static void
take_shape (Input * input, DeepFrame * frame)
{
  guint row = deep_row_bytes (frame->deep, frame->width), at = 0;
  guint kind = input_below (input, 16);
  gint stride = row + (kind & 1 ? input_below (input, 20) : 0);
  gsize above = (gsize) (frame->height - 1) * stride;

  for (guint i = 0; i < frame->deep->planes; i++) {
    guint p = kind & 2 ? frame->deep->planes - 1 - i : i;

    at += kind & 4 ? input_below (input, 70) : 0;
    frame->layout.offset[p] = at + (kind & 8 ? above : 0);
    frame->layout.stride[p] = kind & 8 ? -stride : stride;
    at += above + row;
  }
}

/* Offsets and strides that lead anywhere. */
static void
take_wild (Input * input, DeepFrame * frame)
{
  for (guint n = 1 + input_below (input, 2); n > 0; n--) {
    guint p = input_below (input, GST_VIDEO_MAX_PLANES);

    if (input_below (input, 2))
      frame->layout.offset[p] = (gsize) input_number (input);
    else
      frame->layout.stride[p] = (gint) input_number (input);
  }
}

static void
take_layout (Input * input, Shot * shot)
{
  DeepFrame *frame = &shot->frame;
  guint kind = input_below (input, 8);

  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (&shot->info); p++) {
    frame->layout.offset[p] = shot->info.offset[p];
    frame->layout.stride[p] = shot->info.stride[p];
  }
  shot->n_planes = GST_VIDEO_INFO_N_PLANES (&shot->info);
  shot->has_meta = kind >= 3;
  if (kind >= 4 && frame->width < MAX_BYTES && frame->height < MAX_BYTES)
    take_shape (input, frame);
  if (kind == 7)
    take_wild (input, frame);
}

static gsize
take_size (Input * input, const Shot * shot)
{
  __int128 begin, end;

  shot_find_extent (shot, shot->frame.deep->yuv && input_below (input, 2),
      &begin, &end);
  switch (input_below (input, 8)) {
    case 6:
      end = end - 1 - input_below (input, 64);
      break;
    case 7:
      return input_below (input, 4000);
    case 1:
    case 2:
      end += input_below (input, 64);
      break;
    case 3:
      end = MAX (end, (__int128) shot->info.size);
      break;
    default:
      break;
  }
  return (gsize) CLAMP (end, 0, MAX_BYTES);
}

/* Cuts the bytes into memories, some of them empty.  The last may be one that
 * upstream is writing, so that nobody can read it. */
static void
append_memories (Input * input, Shot * shot)
{
  const guint8 *at = shot->frame.data;
  gsize rest = shot->frame.layout.size;
  GstMemory *memory;
  guint n = input_rarely (input, 4) ? input_below (input, MAX_MEMORIES) : 0;

  while (n-- > 0) {
    gsize part = input_below (input, 1000);

    part = MIN (part, rest);
    gst_buffer_append_memory (shot->buffer, shot_memory (at, part, 0));
    at += part;
    rest -= part;
  }
  n = input_below (input, 32);
  if (rest == 0 && n % 2)
    return;
  memory = shot_memory (at, rest, n == 30 ? GST_MEMORY_FLAG_NOT_MAPPABLE :
      n == 29 || n == 28 ? GST_MEMORY_FLAG_READONLY :
      n == 27 || n == 26 ? GST_MEMORY_FLAG_NO_SHARE : 0);
  shot->mappable = n < 30;
  if (n == 31 && gst_memory_map (memory, &shot->map, GST_MAP_WRITE))
    shot->held = gst_memory_ref (memory);
  gst_buffer_append_memory (shot->buffer, memory);
}

static void
add_video_meta (Input * input, Shot * shot)
{
  const GstVideoInfo *info = &shot->info;
  Layout *layout = &shot->frame.layout;
  GstVideoMeta *meta = gst_buffer_add_video_meta_full (shot->buffer, 0,
      GST_VIDEO_INFO_FORMAT (info), GST_VIDEO_INFO_WIDTH (info),
      GST_VIDEO_INFO_FIELD_HEIGHT (info), GST_VIDEO_INFO_N_PLANES (info),
      layout->offset, layout->stride);

  if (input_rarely (input, 8)) {
    meta->width += input_below (input, 4) - 2;
    meta->height += input_below (input, 4) - 2;
    meta->n_planes += input_below (input, 8) - 3;
    if (input_rarely (input, 4))
      meta->format = input_below (input, 130);
  }
  shot->meta_fits = meta->format == GST_VIDEO_INFO_FORMAT (info) &&
      meta->width >= shot->frame.width && meta->height >= shot->frame.height &&
      meta->n_planes <= GST_VIDEO_MAX_PLANES;
  shot->n_planes = meta->n_planes;
}

static void
fill (Input * input, DeepFrame * frame)
{
  /* GStreamer's functions read some bytes further. */
  frame->data = g_malloc0 (frame->layout.size + 64);
  random_start (input_take (input, 2));
  random_fill (frame->data, frame->layout.size);
}

/* Upstream's frame in the pool that the element has proposed; FALSE where that
 * has none, or is downstream's own, which lays its frames out as it likes. */
static gboolean
take_from_pool (Input * input, Shot * shot, GstBufferPool * pool)
{
  if (gst_buffer_pool_acquire_buffer (pool, &shot->buffer, NULL) != GST_FLOW_OK)
    return FALSE;
  if (gst_buffer_get_video_meta (shot->buffer) != NULL) {
    gst_clear_buffer (&shot->buffer);
    return FALSE;
  }
  shot->frame.layout.size = gst_buffer_get_size (shot->buffer);
  fill (input, &shot->frame);
  MUST (gst_buffer_fill (shot->buffer, 0, shot->frame.data,
          shot->frame.layout.size) == shot->frame.layout.size, "short");
  return TRUE;
}

void
shot_init (Shot * shot, Input * input, GstCaps * caps, GstBufferPool * pool)
{
  memset (shot, 0, sizeof *shot);
  shot->mappable = TRUE;
  if (caps != NULL && gst_video_info_from_caps (&shot->info, caps))
    shot->frame.deep = of_format[GST_VIDEO_INFO_FORMAT (&shot->info)];
  if (shot->frame.deep == NULL) {
    shot->frame.layout.size = input_below (input, 5000);
    fill (input, &shot->frame);
    shot->buffer = gst_buffer_new ();
    append_memories (input, shot);
    return;
  }
  shot->frame.width = GST_VIDEO_INFO_WIDTH (&shot->info);
  shot->frame.height = GST_VIDEO_INFO_FIELD_HEIGHT (&shot->info);
  take_layout (input, shot);
  if (shot->has_meta || pool == NULL || !take_from_pool (input, shot, pool)) {
    shot->frame.layout.size = take_size (input, shot);
    fill (input, &shot->frame);
    shot->buffer = gst_buffer_new ();
    append_memories (input, shot);
  }
  if (shot->has_meta)
    add_video_meta (input, shot);
  metas_add (input, shot->buffer);
}

void
shot_pushed (Shot * shot)
{
  if (shot->held == NULL)
    return;
  gst_memory_unmap (shot->held, &shot->map);
  g_clear_pointer (&shot->held, gst_memory_unref);
}

void
shot_clear (Shot * shot)
{
  g_free (shot->frame.data);
}
