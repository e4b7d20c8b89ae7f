/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* What an application gets at an appsink, and reads by the rule of GStreamer:
 * rows are the width rounded up to 4 bytes apart. */

#include "pipe.h"

#include <string.h>

static const struct
{
  const gchar *format;
  gint width, height;
  gsize stride, size;
} shapes[] = {
  {"BGR", 641, 480, 644, 644 * 480},
  {"BGR", 640, 480, 640, 640 * 480},
  {"RGB", 5, 3, 8, 24},
  {"RGBA", 1, 1, 4, 4},
  {"xBGR", 1921, 3, 1924, 1924 * 3},
};

static const gchar *const filters[] = { "", "! video/x-raw,format=GRAY8 " };

static void
check_layout (GstSample * sample, guint shape)
{
  GstCaps *caps = gst_sample_get_caps (sample);
  GstStructure *s = gst_caps_get_structure (caps, 0);
  GstBuffer *buffer = gst_sample_get_buffer (sample);
  GstVideoMeta *meta = gst_buffer_get_video_meta (buffer);
  gint width = 0, height = 0;
  GstVideoInfo info;

  fail_unless (gst_structure_has_name (s, "video/x-raw"));
  fail_unless_equals_string (gst_structure_get_string (s, "format"), "GRAY8");
  fail_unless (gst_structure_get_int (s, "width", &width));
  fail_unless (gst_structure_get_int (s, "height", &height));
  fail_unless_equals_int (width, shapes[shape].width);
  fail_unless_equals_int (height, shapes[shape].height);
  fail_unless (gst_video_info_from_caps (&info, caps));
  fail_unless_equals_int (info.stride[0], shapes[shape].stride);
  fail_unless_equals_uint64 (info.size, shapes[shape].size);
  fail_unless_equals_uint64 (gst_buffer_get_size (buffer), shapes[shape].size);
  fail_unless_equals_int (gst_buffer_n_memory (buffer), 1);
  if (meta == NULL)
    return;
  fail_unless_equals_int (meta->n_planes, 1);
  fail_unless_equals_uint64 (meta->offset[0], 0);
  fail_unless_equals_int (meta->stride[0], shapes[shape].stride);
}

static guint
exact (const GstVideoFrame * frame, gint x, gint y)
{
  guint c[3];

  for (guint i = 0; i < 3; i++)
    c[i] = ((guint8 *) GST_VIDEO_FRAME_COMP_DATA (frame, i))
        [y * GST_VIDEO_FRAME_COMP_STRIDE (frame, i) +
        x * GST_VIDEO_FRAME_COMP_PSTRIDE (frame, i)];
  return PIPE_EXACT (c[0], c[1], c[2]);
}

/* The bytes as an application finds them that knows the rule alone. */
static void
check_bytes (GstSample * rgb, GstSample * gray, gsize stride)
{
  GstVideoFrame frame;
  GstVideoInfo info;
  GstMapInfo map;
  guint wrong = 0;

  gst_video_info_from_caps (&info, gst_sample_get_caps (rgb));
  fail_unless (gst_video_frame_map (&frame, &info, gst_sample_get_buffer (rgb),
          GST_MAP_READ));
  fail_unless (gst_buffer_map (gst_sample_get_buffer (gray), &map,
          GST_MAP_READ));
  for (gint y = 0; y < info.height; y++) {
    for (gint x = 0; x < info.width; x++)
      wrong += map.data[y * stride + x] != exact (&frame, x, y);
  }
  fail_unless_equals_int (wrong, 0);
  gst_buffer_unmap (gst_sample_get_buffer (gray), &map);
  gst_video_frame_unmap (&frame);
}

GST_START_TEST (test_shapes)
{
  guint shape = __i__ / G_N_ELEMENTS (filters);
  GstElement *pipeline = pipe_launch ("videotestsrc num-buffers=2 "
      "pattern=smpte ! video/x-raw,format=%s,width=%d,height=%d ! "
      "tee name=t  t. ! queue ! appsink name=rgb sync=false  "
      "t. ! queue ! cudagray %s! appsink name=gray sync=false",
      shapes[shape].format, shapes[shape].width, shapes[shape].height,
      filters[__i__ % G_N_ELEMENTS (filters)]);
  GstSample *rgb, *gray;
  gint frames = 0;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while ((gray = pipe_pull (pipeline, "gray")) != NULL) {
    rgb = pipe_pull (pipeline, "rgb");
    fail_unless (rgb != NULL);
    check_layout (gray, shape);
    check_bytes (rgb, gray, shapes[shape].stride);
    gst_sample_unref (rgb);
    gst_sample_unref (gray);
    frames++;
  }
  fail_unless_equals_int (frames, 2);
  pipe_stop (pipeline, NULL);
}

GST_END_TEST;

/* A camera's buffer goes home once its frame has left. */
GST_START_TEST (test_no_reference_is_kept)
{
  GstElement *pipeline = pipe_launch ("appsrc name=src format=time caps="
      "video/x-raw,format=RGB,width=5,height=3,framerate=0/1 ! cudagray ! "
      "appsink name=sink sync=false");
  GstElement *src = gst_bin_get_by_name (GST_BIN (pipeline), "src");
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 48, NULL);
  gint64 start = g_get_monotonic_time ();
  GstSample *sample;

  gst_buffer_memset (buffer, 0, 7, 48);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  gst_app_src_push_buffer (GST_APP_SRC (src), gst_buffer_ref (buffer));
  sample = pipe_pull (pipeline, "sink");
  fail_unless (sample != NULL);
  /* The streaming thread is on its way back from the sink. */
  while (GST_MINI_OBJECT_REFCOUNT_VALUE (buffer) > 1) {
    pipe_check_time (start, PIPE_SOON, "giving the frame back");
    g_usleep (200);
  }
  fail_unless (gst_memory_is_writable (gst_buffer_peek_memory (buffer, 0)));
  gst_sample_unref (sample);
  gst_buffer_unref (buffer);
  gst_object_unref (src);
  pipe_stop (pipeline, NULL);
}

GST_END_TEST;

/* Frames that an application keeps stay as they were while others come. */
GST_START_TEST (test_kept_frames_stay)
{
  GstElement *pipeline = pipe_launch ("videotestsrc num-buffers=20 "
      "pattern=ball ! video/x-raw,format=RGB,width=64,height=48 ! cudagray ! "
      "appsink name=sink sync=false");
  PipeWatch *watch = pipe_watch (pipeline);
  GstSample *samples[20];
  gchar *sums[20];

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  for (guint pass = 0; pass < 2; pass++) {
    for (guint i = 0; i < G_N_ELEMENTS (samples); i++) {
      GstMapInfo map;
      gchar *sum;

      if (pass == 0)
        samples[i] = pipe_pull (pipeline, "sink");
      fail_unless (samples[i] != NULL);
      fail_unless (gst_buffer_map (gst_sample_get_buffer (samples[i]), &map,
              GST_MAP_READ));
      sum = g_compute_checksum_for_data (G_CHECKSUM_SHA256, map.data, map.size);
      gst_buffer_unmap (gst_sample_get_buffer (samples[i]), &map);
      if (pass == 0) {
        sums[i] = sum;
        fail_if (i > 0 && g_str_equal (sum, sums[i - 1]), "the ball stopped");
        continue;
      }
      fail_unless_equals_string (sum, sums[i]);
      g_free (sum);
      g_free (sums[i]);
      gst_sample_unref (samples[i]);
    }
  }
  fail_unless (pipe_pull (pipeline, "sink") == NULL);
  pipe_stop (pipeline, watch);
}

GST_END_TEST;

static Suite *
appsink_suite (void)
{
  Suite *s = suite_create ("appsink");
  TCase *tc = pipe_tcase (s, "appsink");

  tcase_add_loop_test (tc, test_shapes, 0,
      G_N_ELEMENTS (shapes) * G_N_ELEMENTS (filters));
  tcase_add_test (tc, test_no_reference_is_kept);
  tcase_add_test (tc, test_kept_frames_stay);
  return s;
}

int
main (int argc, char **argv)
{
  return pipe_main (argc, argv, appsink_suite);
}
