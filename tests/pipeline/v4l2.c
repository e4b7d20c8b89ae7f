/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Cameras of the kernel's own making, by v4l2src: those of its test driver
 * (modprobe vivid), and one that this program feeds (v4l2loopback).  Real ones
 * are left alone: somebody may be in front of them. */

#include "pipe.h"

#include <fcntl.h>
#include <linux/videodev2.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define FRAMES 8
#define VIVID "vivid"
#define LOOPBACK "v4l2 loopback"
/* A size that vivid's webcam has. */
#define RAW "video/x-raw,width=320,height=180,format="
#define DRIVER "/sys/bus/platform/drivers/vivid/"

/* With exclusive_caps the loopback captures only once it is fed. */
static gboolean
captures (int fd, const gchar * driver)
{
  struct v4l2_capability caps = { {0} };
  guint32 kinds = V4L2_CAP_VIDEO_CAPTURE;

  if (g_str_equal (driver, LOOPBACK))
    kinds |= V4L2_CAP_VIDEO_OUTPUT;
  return ioctl (fd, VIDIOC_QUERYCAP, &caps) == 0 &&
      g_str_equal (caps.driver, driver) && (caps.device_caps & kinds) != 0;
}

/* The number of a driver's first camera; -1 without one. */
static gint
find_camera (const gchar * driver)
{
  gint found = -1;

  for (gint i = 0; i < 64 && found < 0; i++) {
    gchar *path = g_strdup_printf ("/dev/video%d", i);
    int fd = open (path, O_RDWR | O_NONBLOCK);

    if (fd >= 0 && captures (fd, driver))
      found = i;
    if (fd >= 0)
      close (fd);
    g_free (path);
  }
  return found;
}

/* A picture that stands still: the loopback's writer does not wait for its
 * readers to be done with a buffer. */
static GstElement *
feed (gint camera, const gchar * format)
{
  GstElement *pipeline = pipe_launch ("videotestsrc is-live=true "
      "pattern=colors ! " RAW "%s,framerate=30/1 ! "
      "v4l2sink device=/dev/video%d",
      format, camera);

  pipe_set_state (pipeline, GST_STATE_PLAYING);
  return pipeline;
}

static const struct
{
  const gchar *driver, *io_mode, *format;
  gint ours;                    /* frames captured into the element's memory */
} rows[] = {
  {VIVID, "mmap", "YUY2", 0},
  {VIVID, "userptr", "YUY2", FRAMES},
  {VIVID, "userptr", "RGB", FRAMES},
  {VIVID, "userptr", "BGRx", FRAMES},
  {VIVID, "mmap", "NV12", 0},
  {VIVID, "dmabuf", "UYVY", 0},
  {LOOPBACK, "mmap", "YUY2", 0},
  {LOOPBACK, "mmap", "RGB", 0},
};

GST_START_TEST (test_capture)
{
  gint camera = find_camera (rows[__i__].driver);
  GstElement *pipeline, *feeder = NULL;
  PipeWatch *watch;

  if (g_str_equal (rows[__i__].driver, LOOPBACK))
    feeder = feed (camera, rows[__i__].format);
  pipeline = pipe_launch ("v4l2src device=/dev/video%d io-mode=%s "
      "num-buffers=%d ! " RAW "%s ! cudagray ! fakesink",
      camera, rows[__i__].io_mode, FRAMES, rows[__i__].format);
  watch = pipe_watch (pipeline);
  pipe_play (pipeline, 30);
  fail_unless_equals_int (watch->in, FRAMES);
  fail_unless_equals_int (watch->out, FRAMES);
  fail_unless_equals_int (watch->in_ours, rows[__i__].ours);
  pipe_stop (pipeline, watch);
  if (feeder != NULL)
    pipe_stop (feeder, NULL);
}

GST_END_TEST;

static gboolean
bind_vivid (const gchar * file)
{
  int fd = open (file, O_WRONLY);
  gboolean done = fd >= 0 && write (fd, "vivid.0", 7) == 7;

  if (fd >= 0)
    close (fd);
  return done;
}

static void
pull_frames (GstElement * pipeline)
{
  for (guint i = 0; i < FRAMES; i++) {
    GstSample *gray = pipe_pull (pipeline, "sink");

    fail_unless (gray != NULL);
    gst_sample_unref (gray);
  }
}

/* The driver lets go of the device, as at the pull of a plug: an error of the
 * source, after which the same elements play again. */
GST_START_TEST (test_replug)
{
  GstElement *pipeline = pipe_launch ("v4l2src name=src io-mode=%s ! " RAW
      "YUY2 ! cudagray ! appsink name=sink max-buffers=1 drop=true",
      __i__ == 0 ? "mmap" : "userptr");
  GstElement *src = gst_bin_get_by_name (GST_BIN (pipeline), "src");
  PipeWatch *watch = pipe_watch (pipeline);

  for (guint turn = 0; turn < 3; turn++) {
    gchar *device = g_strdup_printf ("/dev/video%d", find_camera (VIVID));

    g_object_set (src, "device", device, NULL);
    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    pull_frames (pipeline);
    fail_unless (bind_vivid (DRIVER "unbind"));
    pipe_expect_errors (pipeline, src);
    pipe_set_state (pipeline, GST_STATE_NULL);
    fail_unless (bind_vivid (DRIVER "bind"));
    g_free (device);
  }
  gst_object_unref (src);
  pipe_stop (pipeline, watch);
}

GST_END_TEST;

static Suite *
v4l2_suite (void)
{
  Suite *s = suite_create ("v4l2");
  TCase *tc = pipe_tcase (s, "v4l2");

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    if (find_camera (rows[i].driver) >= 0)
      tcase_add_loop_test (tc, test_capture, i, i + 1);
    else
      g_print ("left out, no camera: %s\n", rows[i].driver);
  }
  if (find_camera (VIVID) >= 0 && access (DRIVER "unbind", W_OK) == 0)
    tcase_add_loop_test (tc, test_replug, 0, 2);
  else
    g_print ("left out, no right to unplug: " VIVID "\n");
  return s;
}

int
main (int argc, char **argv)
{
  if (find_camera (VIVID) < 0 && find_camera (LOOPBACK) < 0) {
    g_print ("skipped, neither vivid nor v4l2loopback has a camera here\n");
    return 77;
  }
  return pipe_main (argc, argv, v4l2_suite);
}
