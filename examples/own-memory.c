/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Frames in memory that is there already, such as a camera's SDK fills, with
 * rows where it has put them:
 *
 *     GST_PLUGIN_PATH=build/gst build/examples/own-memory gray.raw
 *
 * writes the gray frames of 641x480 to a file, rows 644 bytes apart, and prints
 * which way they took.  The memory is pinned once with CUDA, if this is built
 * with it, so that a GPU reads each frame where it is ("in place"); it would be
 * copied, or converted by the CPU, otherwise. */

#include <gst/app/app.h>
#include <gst/video/video.h>
#ifdef HAVE_CUDA
#include <cuda_runtime_api.h>
#endif

#include "play.h"

#define WIDTH 641
#define HEIGHT 480
#define FRAMES 5
/* No gap between the rows; GStreamer's own would be 1924 bytes apart. */
#define STRIDE (3 * WIDTH)
/* Whole pages, for whole pages are pinned. */
#define SLOT ((STRIDE * HEIGHT + 4095) / 4096 * 4096)
#define SLOTS 2

static GAsyncQueue *empty;      /* slots that wait for a frame */
static guint sent;

/* GStreamer has let go of a frame, on a thread of its own. */
static void
give_back (gpointer slot)
{
  g_async_queue_push (empty, slot);
}

/* What the SDK would do. */
static void
grab (guint8 * slot)
{
  for (gint i = 0; i < STRIDE * HEIGHT; i++)
    slot[i] = i * 7 + i / STRIDE + 40 * sent;
}

/* appsrc has nothing more to send. */
static void
send_frame (GstAppSrc * src, guint length, gpointer data)
{
  gsize offset[GST_VIDEO_MAX_PLANES] = { 0 };
  gint stride[GST_VIDEO_MAX_PLANES] = { STRIDE };
  gpointer slot = g_async_queue_pop (empty);
  GstBuffer *buffer = gst_buffer_new_wrapped_full (0, slot, STRIDE * HEIGHT, 0,
      STRIDE * HEIGHT, slot, give_back);

  grab (slot);
  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_FORMAT_RGB, WIDTH, HEIGHT, 1, offset, stride);
  GST_BUFFER_PTS (buffer) = sent++ * GST_SECOND / 30;
  gst_app_src_push_buffer (src, buffer);
  if (sent == FRAMES)
    gst_app_src_end_of_stream (src);
}

/* Takes milliseconds: once for all frames, not for each. */
static void
pin (gpointer memory)
{
#ifdef HAVE_CUDA
  cudaError_t error = cudaHostRegister (memory, SLOTS * SLOT,
      cudaHostRegisterPortable);

  if (error != cudaSuccess)
    g_print ("not pinned: %s\n", cudaGetErrorString (error));
#endif
}

/* After the pipeline has stopped. */
static void
unpin (gpointer memory)
{
#ifdef HAVE_CUDA
  cudaHostUnregister (memory);
#endif
}

int
main (int argc, char **argv)
{
  GstAppSrcCallbacks on_src = {.need_data = send_frame };
  guint8 *memory = g_aligned_alloc (SLOTS, SLOT, 4096);
  GstElement *pipeline, *src;
  int result;

  gst_init (&argc, &argv);
  pipeline = play_parse ("appsrc name=src format=time caps=video/x-raw,"
      "format=RGB,width=%d,height=%d,framerate=30/1 ! cudagray name=gray ! "
      "video/x-raw,format=GRAY8 ! filesink location=%s", WIDTH, HEIGHT,
      argc > 1 ? argv[1] : "gray.raw");
  if (pipeline == NULL)
    return 1;
  pin (memory);
  empty = g_async_queue_new ();
  for (guint i = 0; i < SLOTS; i++)
    give_back (memory + i * SLOT);
  src = gst_bin_get_by_name (GST_BIN (pipeline), "src");
  gst_app_src_set_callbacks (GST_APP_SRC (src), &on_src, NULL, NULL);
  result = play (pipeline);
  play_print_stats (pipeline);

  gst_object_unref (src);
  gst_object_unref (pipeline);
  unpin (memory);
  g_async_queue_unref (empty);
  g_aligned_free (memory);
  return result;
}
