/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Draws a picture for find-tags: blue AprilTags on yellow paper, turned.
 *
 *     build/examples/draw-tags tags.png
 *
 * prints the number of each tag and its four corners, as find-tags does. */

#include <apriltag/apriltag.h>
#include <apriltag/tag36h11.h>
#include <gst/app/app.h>
#include <gst/video/video.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "play.h"

#define WIDTH 641
#define HEIGHT 480

/* Where the middle of a tag is, the pixels of a cell, and its turn. */
typedef struct
{
  gint id;
  double x, y, cell, degrees;
} Tag;

static const Tag tags[] = {
  {3, 130, 130, 20, 0},
  {17, 330, 330, 16, 30},
  {586, 500, 150, 22, -75},
};

/* From the middle of the tag, in cells, to the picture. */
static void
place (const Tag * tag, double u, double v, double *x, double *y)
{
  double turn = tag->degrees * G_PI / 180;

  *x = tag->x + tag->cell * (cos (turn) * u - sin (turn) * v);
  *y = tag->y + tag->cell * (sin (turn) * u + cos (turn) * v);
}

static void
draw (guint8 * rgb, gint stride, const Tag * tag, const image_u8_t * cells)
{
  static const guint8 ink[] = { 20, 30, 120 }, paper[] = { 250, 220, 70 };
  const Tag back = { 0, cells->width / 2., cells->height / 2., 1 / tag->cell,
    -tag->degrees
  };

  for (gint y = 0; y < HEIGHT; y++)
    for (gint x = 0; x < WIDTH; x++) {
      double u, v;

      place (&back, x + .5 - tag->x, y + .5 - tag->y, &u, &v);
      if (u >= 0 && v >= 0 && u < cells->width && v < cells->height)
        memcpy (rgb + y * stride + 3 * x, cells->buf[(gint) v * cells->stride +
                (gint) u] ? paper : ink, 3);
    }
}

/* Counter-clockwise from the lower left one, as the library counts. */
static void
print_corners (const Tag * tag, double half)
{
  const double corners[][2] = { {-half, half}, {half, half}, {half, -half},
  {-half, -half}
  };

  g_print ("tag %d:", tag->id);
  for (guint i = 0; i < 4; i++) {
    double x, y;

    place (tag, corners[i][0], corners[i][1], &x, &y);
    g_print (" %.1f,%.1f", x, y);
  }
  g_print ("\n");
}

static GstBuffer *
draw_picture (const GstVideoInfo * info)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, info->size, NULL);
  apriltag_family_t *family = tag36h11_create ();
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  memset (map.data, 150, map.size);
  for (guint i = 0; i < G_N_ELEMENTS (tags); i++) {
    image_u8_t *cells = apriltag_to_image (family, tags[i].id);

    draw (map.data, info->stride[0], &tags[i], cells);
    print_corners (&tags[i], family->width_at_border / 2.);
    /* As image_u8_destroy does, which Debian's library does not export. */
    free (cells->buf);
    free (cells);
  }
  gst_buffer_unmap (buffer, &map);
  tag36h11_destroy (family);
  return buffer;
}

int
main (int argc, char **argv)
{
  GstElement *pipeline, *src;
  GstVideoInfo info;
  GstCaps *caps;
  int result;

  gst_init (&argc, &argv);
  pipeline = play_parse ("appsrc name=src format=time ! pngenc ! filesink "
      "location=%s", argc > 1 ? argv[1] : "tags.png");
  if (pipeline == NULL)
    return 1;
  gst_video_info_set_format (&info, GST_VIDEO_FORMAT_RGB, WIDTH, HEIGHT);
  caps = gst_video_info_to_caps (&info);
  src = gst_bin_get_by_name (GST_BIN (pipeline), "src");
  gst_app_src_set_caps (GST_APP_SRC (src), caps);
  gst_app_src_push_buffer (GST_APP_SRC (src), draw_picture (&info));
  gst_app_src_end_of_stream (GST_APP_SRC (src));
  result = play (pipeline);
  gst_caps_unref (caps);
  gst_object_unref (src);
  gst_object_unref (pipeline);
  return result;
}
