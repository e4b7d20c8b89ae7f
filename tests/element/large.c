/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Case 56: frames of more than 2^31 bytes.  What is not touched of them takes
 * no memory on the way in; the gray values do. */

#include "rig.h"

#include <stdio.h>
#include <unistd.h>

#define NEEDED_GIB 6

/* Red, green, blue and white have a corner each: their gray values, bt601 and
 * full range. */
static const guint8 corners[4][4] = {
  {255, 0, 0, 76}, {0, 255, 0, 150}, {0, 0, 255, 29}, {255, 255, 255, 255}
};

static const struct
{
  const gchar *format;
  gint width, height, step;
} frames[] = {
  {"RGBA", 32767, 20000, 4},
  {"RGB", 32767, 21851, 3},
};

static void
check_corners (GstBuffer * buffer, gsize stride, gsize width, gsize height)
{
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  fail_unless (map.size >= stride * height);
  for (guint c = 0; c < 4; c++) {
    gsize x = c % 2 * (width - 1), y = c / 2 * (height - 1);

    fail_unless_equals_int (map.data[y * stride + x], corners[c][3]);
  }
  fail_unless_equals_int (map.data[(height - 1) * stride + 1], 0);
  gst_buffer_unmap (buffer, &map);
}

GST_START_TEST (test_large)
{
  gsize width = frames[__i__].width, height = frames[__i__].height;
  gsize step = frames[__i__].step;
  gsize stride = GST_ROUND_UP_4 (step * width), size = stride * height;
  guint8 *bytes = g_malloc0 (size);
  Rig *rig = rig_new ();
  GstBuffer *out;

  fail_unless (size > G_MAXINT32);
  for (guint c = 0; c < 4; c++)
    memcpy (bytes + c / 2 * (height - 1) * stride + c % 2 * (width - 1) * step,
        corners[c], 3);
  rig_set_format (rig, frames[__i__].format, width, height, NULL);
  out = rig_run (rig, gst_buffer_new_wrapped (bytes, size));
  check_corners (out, GST_ROUND_UP_4 (width), width, height);
  gst_buffer_unref (out);
  rig_free (rig);
}

GST_END_TEST;

static void
add_tests (TCase * tests)
{
  tcase_set_timeout (tests, 300);
  tcase_add_loop_test (tests, test_large, 0, G_N_ELEMENTS (frames));
}

int
main (int argc, char **argv)
{
  if (sysconf (_SC_AVPHYS_PAGES) / 1024 * (sysconf (_SC_PAGESIZE) / 1024) <
      NEEDED_GIB * 1024) {
    printf ("skipped: less than %d GiB of memory are free\n", NEEDED_GIB);
    return 77;
  }
  return rig_main (argc, argv, "element-large", add_tests);
}
