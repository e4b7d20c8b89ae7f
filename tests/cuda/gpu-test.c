/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#include "gpu-test.h"

#include <stdio.h>
#include <string.h>

#include "gpu.h"
#include "gstcudagray.h"
#include "rows.h"

int
gpu_test_main (int argc, char **argv, Suite * (*suite) (void))
{
  LumaBackend *backend;
  GpuStatus status;
  SRunner *runner;
  int failed;

  gst_check_init (&argc, &argv);
  GST_ELEMENT_REGISTER (cudagray, NULL);
  backend = gpu_open (-1, &status);
  if (backend == NULL) {
    printf ("skipped: %s\n", status.text);
    return 77;
  }
  backend->klass->close (backend);
  runner = srunner_create (suite ());
  srunner_set_fork_status (runner, CK_NOFORK);
  srunner_run_all (runner, CK_NORMAL);
  failed = srunner_ntests_failed (runner);
  srunner_free (runner);
  return failed != 0;
}

static LumaPlan plan;

void
gpu_test_set_caps (GstHarness * harness)
{
  gst_harness_set_src_caps_str (harness,
      "video/x-raw,format=RGB,width=1920,height=1080,framerate=30/1");
}

GstHarness *
gpu_test_harness (const gchar * backend)
{
  GstElement *element = gst_element_factory_make ("cudagray", NULL);
  const LumaComponent rgb[] = { {0, 0, 3, 0, 8}, {0, 1, 3, 0, 8},
  {0, 2, 3, 0, 8}
  };
  GstHarness *harness;

  gst_util_set_object_arg (G_OBJECT (element), "backend", backend);
  harness = gst_harness_new_with_element (element, "sink", "src");
  gst_object_unref (element);
  gpu_test_set_caps (harness);
  luma_plan_init (&plan, GPU_TEST_WIDTH, GPU_TEST_HEIGHT, rgb,
      LUMA_MATRIX_BT601, LUMA_RANGE_FULL, LUMA_RANGE_FULL);
  return harness;
}

guint64
gpu_test_stat (GstHarness * harness, const gchar * field)
{
  GstStructure *stats;
  guint64 count;

  g_object_get (harness->element, "stats", &stats, NULL);
  fail_unless (gst_structure_get_uint64 (stats, field, &count));
  gst_structure_free (stats);
  return count;
}

/* A frame of its own for each seed, fast enough not to be the bottleneck. */
static void
draw (guint8 * rgb, guint64 seed)
{
  guint64 state = seed * 0x9e3779b97f4a7c15u + 1;

  for (gsize i = 0; i + 8 <= GPU_TEST_RGB_BYTES; i += 8) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    memcpy (rgb + i, &state, 8);
  }
}

void
gpu_test_check_gray (GstBuffer * buffer, guint64 seed)
{
  static guint8 rgb[GPU_TEST_RGB_BYTES], gray[GPU_TEST_GRAY_BYTES];
  LumaSource src = { {rgb}, {3 * GPU_TEST_WIDTH} };
  LumaTarget dst = { gray, GPU_TEST_WIDTH };
  GstMapInfo map;

  draw (rgb, seed);
  luma_rows_convert (luma_rows (), &plan, &src, &dst);
  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  fail_unless_equals_uint64 (map.size, GPU_TEST_GRAY_BYTES);
  fail_unless (memcmp (map.data, gray, GPU_TEST_GRAY_BYTES) == 0,
      "frame %" G_GUINT64_FORMAT " is not the gray of its input", seed);
  gst_buffer_unmap (buffer, &map);
  gst_buffer_unref (buffer);
}

GstBuffer *
gpu_test_fill (GstBuffer * buffer, guint64 seed)
{
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  draw (map.data, seed);
  gst_buffer_unmap (buffer, &map);
  return buffer;
}

GstBuffer *
gpu_test_frame (GstHarness * harness, guint64 seed)
{
  return gpu_test_fill (gst_harness_create_buffer (harness,
          GPU_TEST_RGB_BYTES), seed);
}
