/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* A decoder before, CUDA after: gray frames that never leave the GPU's memory,
 * for inference or any kernel of your own.
 *
 *     GST_PLUGIN_PATH=build/gst build/examples/cuda-consumer
 *     GST_PLUGIN_PATH=build/gst build/examples/cuda-consumer \
 *         "filesrc location=film.mp4 ! qtdemux ! h264parse ! nvh264dec"
 *
 * prints a line for each frame, which it has copied back with CUDA for its
 * checksum, and which way the frames took.  Without an argument a test picture
 * is uploaded in the decoder's place. */

#include <gst/app/app.h>
#include <gst/video/video.h>

#include <gst/cuda/cuda-gst.h>
#include <gst/cuda/gstcudacontext.h>
#include <gst/cuda/gstcudaloader.h>
#include <gst/cuda/gstcudamemory.h>
#include <gst/cuda/gstcudautils.h>

#include "play.h"

#define TEST_SOURCE "videotestsrc num-buffers=3 pattern=smpte75 " \
    "horizontal-speed=1 ! video/x-raw,format=RGB,width=641,height=480 ! " \
    "cudaupload"

static guint received;

/* The place of your own work: frame is in the memory of the GPU whose context
 * is current, its rows GST_VIDEO_FRAME_PLANE_STRIDE bytes apart. */
static gboolean
work (GstVideoFrame * frame)
{
  gint width = GST_VIDEO_FRAME_WIDTH (frame);
  gint height = GST_VIDEO_FRAME_HEIGHT (frame);
  guint8 *gray = g_malloc (width * height);
  gchar *sum;
  gboolean done;
  CUDA_MEMCPY2D copy = {
    .srcMemoryType = CU_MEMORYTYPE_DEVICE,
    .srcDevice = (CUdeviceptr) GST_VIDEO_FRAME_PLANE_DATA (frame, 0),
    .srcPitch = GST_VIDEO_FRAME_PLANE_STRIDE (frame, 0),
    .dstMemoryType = CU_MEMORYTYPE_HOST,
    .dstHost = gray,
    .dstPitch = width,
    .WidthInBytes = width,
    .Height = height,
  };

  done = gst_cuda_result (CuMemcpy2D (&copy));
  sum = g_compute_checksum_for_data (G_CHECKSUM_SHA256, gray, width * height);
  if (done)
    g_print ("frame %u: %dx%d on the GPU, rows %d bytes apart, SHA-256 %.16s\n",
        received++, width, height, GST_VIDEO_FRAME_PLANE_STRIDE (frame, 0),
        sum);
  g_free (sum);
  g_free (gray);
  return done;
}

/* Mapped with GST_MAP_CUDA, the address is the device's. */
static gboolean
take_memory (GstVideoInfo * info, GstBuffer * buffer)
{
  GstMemory *memory = gst_buffer_peek_memory (buffer, 0);
  GstCudaContext *context;
  gboolean done = FALSE;
  GstVideoFrame frame;

  if (!gst_is_cuda_memory (memory))
    return FALSE;
  context = GST_CUDA_MEMORY_CAST (memory)->context;
  if (!gst_cuda_context_push (context))
    return FALSE;
  if (gst_video_frame_map (&frame, info, buffer, GST_MAP_READ | GST_MAP_CUDA)) {
#if GST_CHECK_VERSION (1, 24, 0)
    /* Frames arrive while the GPU still writes them, on a stream that
     * gst_cuda_memory_get_stream names; before 1.24 they are finished. */
    gst_cuda_memory_sync (GST_CUDA_MEMORY_CAST (memory));
#endif
    done = work (&frame);
    gst_video_frame_unmap (&frame);
  }
  gst_cuda_context_pop (NULL);
  return done;
}

static GstFlowReturn
take_gray (GstAppSink * sink, gpointer data)
{
  GstSample *sample = gst_app_sink_pull_sample (sink);
  gboolean done;
  GstVideoInfo info;

  done = gst_video_info_from_caps (&info, gst_sample_get_caps (sample)) &&
      take_memory (&info, gst_sample_get_buffer (sample));
  gst_sample_unref (sample);
  return done ? GST_FLOW_OK : GST_FLOW_ERROR;
}

int
main (int argc, char **argv)
{
  GstAppSinkCallbacks on_sink = {.new_sample = take_gray };
  GstElement *pipeline, *sink;
  int result;

  gst_init (&argc, &argv);
  if (!gst_cuda_load_library ()) {
    g_printerr ("no NVIDIA driver here\n");
    return 1;
  }
  pipeline = play_parse ("%s ! cudagray name=gray ! video/x-raw"
      "(memory:CUDAMemory),format=GRAY8 ! appsink name=sink sync=false",
      argc > 1 ? argv[1] : TEST_SOURCE);
  if (pipeline == NULL)
    return 1;
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  gst_app_sink_set_callbacks (GST_APP_SINK (sink), &on_sink, NULL, NULL);
  result = play (pipeline);
  play_print_stats (pipeline);
  gst_object_unref (sink);
  gst_object_unref (pipeline);
  return result;
}
