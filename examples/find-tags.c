/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Looks for AprilTags (36h11) in a camera's frames until it sees some, and
 * leaves a picture of them.
 *
 *     GST_PLUGIN_PATH=build/gst build/examples/find-tags v4l2src
 *     GST_PLUGIN_PATH=build/gst build/examples/find-tags \
 *         "filesrc location=tags.png ! pngdec" found.png
 *
 * prints the number of each tag and its four corners, and writes the gray frame
 * with the tags framed in it to found.png.  No camera, no picture?  Try
 *
 *     build/examples/draw-tags tags.png
 *
 * which a live source shows at 25 frames a second with
 * "filesrc location=tags.png ! pngdec ! imagefreeze is-live=true". */

#include <apriltag/apriltag.h>
#include <apriltag/tag36h11.h>
#include <gst/video/video.h>
#include <math.h>

#include "play.h"

typedef struct
{
  apriltag_detector_t *detector;
  guint found;
} Finder;

/* A square of 3x3 pixels, as far as it is in the frame. */
static void
dot (image_u8_t * image, gint x, gint y, guint8 value)
{
  for (gint j = MAX (y - 1, 0); j <= MIN (y + 1, image->height - 1); j++)
    for (gint i = MAX (x - 1, 0); i <= MIN (x + 1, image->width - 1); i++)
      image->buf[j * image->stride + i] = value;
}

/* Dashes of black and white are seen on any ground. */
static void
line (image_u8_t * image, const double *from, const double *to)
{
  gint steps = ceil (hypot (to[0] - from[0], to[1] - from[1]));

  for (gint i = 0; i < steps; i++)
    dot (image, from[0] + (to[0] - from[0]) * i / steps,
        from[1] + (to[1] - from[1]) * i / steps, i / 6 % 2 ? 255 : 0);
}

static void
show (image_u8_t * image, apriltag_detection_t * tag)
{
  g_print ("tag %d:", tag->id);
  for (guint i = 0; i < 4; i++) {
    g_print (" %.1f,%.1f", tag->p[i][0], tag->p[i][1]);
    line (image, tag->p[i], tag->p[(i + 1) % 4]);
  }
  g_print ("\n");
}

/* Looks at the frame where it lies, for the library takes any stride. */
static guint
find (Finder * finder, GstVideoFrame * frame)
{
  image_u8_t image = {
    .width = GST_VIDEO_FRAME_WIDTH (frame),
    .height = GST_VIDEO_FRAME_HEIGHT (frame),
    .stride = GST_VIDEO_FRAME_PLANE_STRIDE (frame, 0),
    .buf = GST_VIDEO_FRAME_PLANE_DATA (frame, 0),
  };
  zarray_t *tags = apriltag_detector_detect (finder->detector, &image);
  guint found = zarray_size (tags);

  for (guint i = 0; i < found; i++) {
    apriltag_detection_t *tag;

    zarray_get (tags, i, &tag);
    show (&image, tag);
  }
  apriltag_detections_destroy (tags);
  return found;
}

/* A frame on its way into the encoder; those without a tag end here. */
static GstPadProbeReturn
look (GstPad * pad, GstPadProbeInfo * probe, gpointer data)
{
  GstBuffer *buffer = gst_buffer_make_writable (GST_PAD_PROBE_INFO_BUFFER
      (probe));
  GstCaps *caps = gst_pad_get_current_caps (pad);
  Finder *finder = data;
  GstVideoFrame frame;
  GstVideoInfo info;

  GST_PAD_PROBE_INFO_DATA (probe) = buffer;
  if (gst_video_info_from_caps (&info, caps) &&
      gst_video_frame_map (&frame, &info, buffer, GST_MAP_READWRITE)) {
    finder->found = find (finder, &frame);
    gst_video_frame_unmap (&frame);
  }
  gst_caps_unref (caps);
  return finder->found > 0 ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP;
}

int
main (int argc, char **argv)
{
  apriltag_family_t *family = tag36h11_create ();
  Finder finder = { apriltag_detector_create (), 0 };
  GstElement *pipeline, *encoder;
  GstPad *pad;
  int result;

  gst_init (&argc, &argv);
  apriltag_detector_add_family (finder.detector, family);
  /* The encoder ends the stream after one picture. */
  pipeline = play_parse ("%s ! cudagray ! video/x-raw,format=GRAY8 ! "
      "pngenc name=encoder snapshot=true ! multifilesink location=%s",
      argc > 1 ? argv[1] : "v4l2src", argc > 2 ? argv[2] : "found.png");
  if (pipeline == NULL)
    return 1;
  encoder = gst_bin_get_by_name (GST_BIN (pipeline), "encoder");
  pad = gst_element_get_static_pad (encoder, "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, look, &finder, NULL);
  result = play (pipeline);
  if (result == 0 && finder.found == 0)
    g_print ("no tags\n");

  gst_object_unref (pad);
  gst_object_unref (encoder);
  gst_object_unref (pipeline);
  apriltag_detector_destroy (finder.detector);
  tag36h11_destroy (family);
  return finder.found > 0 ? result : 1;
}
