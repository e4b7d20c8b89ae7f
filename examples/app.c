/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* An application with cudagray in it: it draws RGB frames and gets gray ones.
 *
 *     GST_PLUGIN_PATH=build/gst build/examples/app pool
 *
 * prints a line for each gray frame, and which way the frames took.  With pool
 * it draws in buffers that cudagray proposes, which a GPU reads where they are
 * ("in place").  With plain it allocates them itself, and they are copied to a
 * GPU or converted by the CPU, whichever is sooner.  A second argument is
 * cudagray's backend: auto, cuda or cpu. */

#include <gst/app/app.h>
#include <gst/video/video.h>

#include "play.h"

#define WIDTH 641
#define HEIGHT 480
#define FRAMES 5

static GstVideoInfo info;       /* of the RGB frames */
static gboolean plain;
static GstBufferPool *pool;     /* cudagray's */
static guint sent, received;

/* cudagray answers once it knows the caps, which appsrc has sent when it first
 * asks for data. */
static void
ask_for_pool (GstAppSrc * src)
{
  GstPad *pad = gst_element_get_static_pad (GST_ELEMENT (src), "src");
  GstCaps *caps = gst_pad_get_current_caps (pad);
  GstQuery *query = gst_query_new_allocation (caps, TRUE);

  if (gst_pad_peer_query (pad, query) &&
      gst_query_get_n_allocation_pools (query) > 0)
    gst_query_parse_nth_allocation_pool (query, 0, &pool, NULL, NULL, NULL);
  if (pool != NULL)
    gst_buffer_pool_set_active (pool, TRUE);
  gst_query_unref (query);
  gst_caps_unref (caps);
  gst_object_unref (pad);
}

static GstBuffer *
get_buffer (GstAppSrc * src)
{
  GstBuffer *buffer = NULL;

  if (!plain && pool == NULL)
    ask_for_pool (src);
  if (pool == NULL)
    return gst_buffer_new_allocate (NULL, info.size, NULL);
  gst_buffer_pool_acquire_buffer (pool, &buffer, NULL);
  return buffer;
}

static guint8 *
row_of (GstVideoFrame * frame, gint y)
{
  return (guint8 *) GST_VIDEO_FRAME_PLANE_DATA (frame, 0) +
      y * GST_VIDEO_FRAME_PLANE_STRIDE (frame, 0);
}

static gboolean
draw (GstBuffer * buffer)
{
  GstVideoFrame frame;

  if (!gst_video_frame_map (&frame, &info, buffer, GST_MAP_WRITE))
    return FALSE;
  for (gint y = 0; y < HEIGHT; y++) {
    guint8 *row = row_of (&frame, y);

    for (gint x = 0; x < WIDTH; x++, row += 3) {
      row[0] = x;
      row[1] = y;
      row[2] = 40 * sent;
    }
  }
  gst_video_frame_unmap (&frame);
  return TRUE;
}

/* appsrc has nothing more to send. */
static void
send_rgb (GstAppSrc * src, guint length, gpointer data)
{
  GstBuffer *buffer = sent < FRAMES ? get_buffer (src) : NULL;

  if (buffer != NULL && draw (buffer)) {
    GST_BUFFER_PTS (buffer) = sent++ * GST_SECOND / 30;
    gst_app_src_push_buffer (src, buffer);
    return;
  }
  if (sent < FRAMES)
    GST_ELEMENT_ERROR (src, RESOURCE, FAILED, ("No frame to draw in."), (NULL));
  gst_clear_buffer (&buffer);
  gst_app_src_end_of_stream (src);
}

static GstFlowReturn
take_gray (GstAppSink * sink, gpointer data)
{
  GstSample *sample = gst_app_sink_pull_sample (sink);
  GstFlowReturn result = GST_FLOW_ERROR;
  GstVideoFrame frame;
  GstVideoInfo gray;
  GChecksum *sum;

  if (gst_video_info_from_caps (&gray, gst_sample_get_caps (sample)) &&
      gst_video_frame_map (&frame, &gray, gst_sample_get_buffer (sample),
          GST_MAP_READ)) {
    sum = g_checksum_new (G_CHECKSUM_SHA256);
    for (gint y = 0; y < gray.height; y++)
      g_checksum_update (sum, row_of (&frame, y), gray.width);
    g_print ("frame %u: %dx%d, rows %d bytes apart, SHA-256 %.16s\n",
        received++, gray.width, gray.height,
        GST_VIDEO_FRAME_PLANE_STRIDE (&frame, 0), g_checksum_get_string (sum));
    g_checksum_free (sum);
    gst_video_frame_unmap (&frame);
    result = GST_FLOW_OK;
  }
  gst_sample_unref (sample);
  return result;
}

int
main (int argc, char **argv)
{
  GstAppSrcCallbacks on_src = {.need_data = send_rgb };
  GstAppSinkCallbacks on_sink = {.new_sample = take_gray };
  GstElement *pipeline, *src, *sink;
  GstCaps *caps;
  int result;

  gst_init (&argc, &argv);
  plain = g_strcmp0 (argv[1], "plain") == 0;
  pipeline = play_parse ("appsrc name=src format=time ! cudagray name=gray "
      "backend=%s ! video/x-raw,format=GRAY8 ! appsink name=sink sync=false",
      argc > 2 ? argv[2] : "auto");
  if (pipeline == NULL)
    return 1;
  gst_video_info_set_format (&info, GST_VIDEO_FORMAT_RGB, WIDTH, HEIGHT);
  caps = gst_video_info_to_caps (&info);
  src = gst_bin_get_by_name (GST_BIN (pipeline), "src");
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  gst_app_src_set_caps (GST_APP_SRC (src), caps);
  gst_app_src_set_callbacks (GST_APP_SRC (src), &on_src, NULL, NULL);
  gst_app_sink_set_callbacks (GST_APP_SINK (sink), &on_sink, NULL, NULL);
  result = play (pipeline);
  play_print_stats (pipeline);

  if (pool != NULL)
    gst_buffer_pool_set_active (pool, FALSE);
  gst_clear_object (&pool);
  gst_caps_unref (caps);
  gst_object_unref (src);
  gst_object_unref (sink);
  gst_object_unref (pipeline);
  return result;
}
