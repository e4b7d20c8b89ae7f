/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#include "metas.h"

#include <gst/video/video.h>

#define ALL_FLAGS (GST_BUFFER_FLAG_LIVE | GST_BUFFER_FLAG_DISCONT | \
    GST_BUFFER_FLAG_CORRUPTED | GST_BUFFER_FLAG_MARKER | \
    GST_BUFFER_FLAG_HEADER | GST_BUFFER_FLAG_GAP | GST_BUFFER_FLAG_DROPPABLE | \
    GST_BUFFER_FLAG_DELTA_UNIT | GST_BUFFER_FLAG_NON_DROPPABLE | \
    GST_VIDEO_BUFFER_FLAG_INTERLACED | GST_VIDEO_BUFFER_FLAG_TFF | \
    GST_VIDEO_BUFFER_FLAG_ONEFIELD)

#define META_OF_COLOURS "FuzzColoursMeta"

typedef void (*AddMeta) (Input * input, GstBuffer * buffer);

static void
add_crop (Input * input, GstBuffer * buffer)
{
  GstVideoCropMeta *meta = gst_buffer_add_video_crop_meta (buffer);

  meta->x = (guint) input_number (input);
  meta->y = (guint) input_number (input);
  meta->width = (guint) input_number (input);
  meta->height = (guint) input_number (input);
}

static void
add_region (Input * input, GstBuffer * buffer)
{
  gst_buffer_add_video_region_of_interest_meta (buffer, "face",
      (guint) input_number (input), (guint) input_number (input),
      (guint) input_number (input), (guint) input_number (input));
}

static void
add_affine (Input * input, GstBuffer * buffer)
{
  gst_buffer_add_video_affine_transformation_meta (buffer)->matrix[0] =
      (gfloat) input_number (input);
}

static void
add_overlay (Input * input, GstBuffer * buffer)
{
  GstBuffer *pixels = gst_buffer_new_allocate (NULL, 16, NULL);
  GstVideoOverlayRectangle *rectangle;
  GstVideoOverlayComposition *composition;

  gst_buffer_memset (pixels, 0, 255, 16);
  gst_buffer_add_video_meta (pixels, 0,
      GST_VIDEO_OVERLAY_COMPOSITION_FORMAT_RGB, 2, 2);
  rectangle = gst_video_overlay_rectangle_new_raw (pixels,
      (gint) input_number (input), (gint) input_number (input), 2, 2, 0);
  composition = gst_video_overlay_composition_new (rectangle);
  gst_buffer_add_video_overlay_composition_meta (buffer, composition);
  gst_video_overlay_composition_unref (composition);
  gst_video_overlay_rectangle_unref (rectangle);
  gst_buffer_unref (pixels);
}

static void
add_parent (Input * input, GstBuffer * buffer)
{
  GstBuffer *parent = gst_buffer_new ();

  gst_buffer_add_parent_buffer_meta (buffer, parent);
  gst_buffer_unref (parent);
}

static void
add_reference_time (Input * input, GstBuffer * buffer)
{
  GstCaps *caps = gst_caps_new_empty_simple ("timestamp/x-ntp");

  gst_buffer_add_reference_timestamp_meta (buffer, caps,
      input_take (input, 4), GST_CLOCK_TIME_NONE);
  gst_caps_unref (caps);
}

static void
add_protection (Input * input, GstBuffer * buffer)
{
  gst_buffer_add_protection_meta (buffer,
      gst_structure_new_empty ("application/x-cenc"));
}

/* That would not be true of other colours. */
static void
add_of_colours (Input * input, GstBuffer * buffer)
{
  gst_buffer_add_custom_meta (buffer, META_OF_COLOURS);
}

static const AddMeta adders[] = { add_crop, add_region, add_affine,
  add_overlay, add_parent, add_reference_time, add_protection,
  add_of_colours
};

void
metas_init (void)
{
  static const gchar *tags[] = { GST_META_TAG_VIDEO_COLORSPACE_STR, NULL };

  gst_meta_register_custom (META_OF_COLOURS, tags, NULL, NULL, NULL);
}

void
metas_add (Input * input, GstBuffer * buffer)
{
  guint kind = input_below (input, 8);

  if (kind & 1) {
    GST_BUFFER_PTS (buffer) = (GstClockTime) input_number (input);
    GST_BUFFER_DURATION (buffer) = (GstClockTime) input_number (input);
    GST_BUFFER_OFFSET (buffer) = (guint64) input_number (input);
  }
  if (kind & 2)
    GST_BUFFER_FLAG_SET (buffer, input_take (input, 4) & ALL_FLAGS);
  for (guint n = kind & 4 ? input_below (input, 4) : 0; n > 0; n--)
    adders[input_below (input, G_N_ELEMENTS (adders))] (input, buffer);
}
