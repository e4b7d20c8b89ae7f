/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* A GPU without the memory that a copy takes. */

#include "rig.h"

#include "fake.h"

static Rig *
rig_on (const FakePlan * plan, const gchar * backend)
{
  GstElement *element;
  GstBus *bus;

  fake_install (plan);
  element = rig_element (backend, &bus);
  return rig_new_with (element, bus);
}

static void
end_rig (Rig * rig)
{
  rig_free (rig);
  fake_remove ();
}

/* So many frames, each right; what the stats say after the last. */
static void
run_frames (Rig * rig, Picture * picture, guint n, guint64 staged, guint64 cpu)
{
  for (guint i = 0; i < n; i++)
    gst_buffer_unref (rig_run_checked (rig, picture_plain_buffer (picture,
                pixels_find ("RGB")), picture, &rule_default));
  fail_unless_equals_uint64 (stat_count (rig->element, "frames-staged"),
      staged);
  fail_unless_equals_uint64 (stat_count (rig->element, "frames-cpu"), cpu);
  fail_unless_equals_int (fake.misused, 0);
}

static void
expect_short (Rig * rig, guint failovers)
{
  gchar *backend = stat_backend (rig->element);

  bus_expect (rig->bus, GST_MESSAGE_WARNING, GST_RESOURCE_ERROR,
      GST_RESOURCE_ERROR_NO_SPACE_LEFT, FAKE_ERROR, "CPU", NULL);
  fail_unless_equals_uint64 (stat_count (rig->element, "failovers"), failovers);
  fail_unless_equals_string (backend, "cuda");
  g_free (backend);
}

/* The GPU has no memory for a copy: the CPU converts until it has, which is
 * asked once a second.  Frames out of reach are the CPU's and the GPU's in turn
 * at first, so that every other one is submitted. */
GST_START_TEST (test_for_a_while)
{
  const FakePlan plan = {
    GPU_READY, __i__ % 2 ? FAKE_AT_WAIT : FAKE_AT_SUBMIT, 2, LUMA_REFUSED,
    LUMA_PATH_STAGED
  };
  Picture *picture = picture_new_s5 ();
  Rig *rig = rig_on (&plan, "auto");

  rig_set_format (rig, "RGB", S5_WIDTH, S5_HEIGHT, NULL);
  run_frames (rig, picture, 3, 1, 2);
  run_frames (rig, picture, 5, 1, 7);
  expect_short (rig, 1);
  fail_unless_equals_int (fake.submitted, 2);
  g_usleep (1.1 * G_USEC_PER_SEC);
  run_frames (rig, picture, 1, 2, 7);
  bus_expect_nothing (rig->bus);
  picture_free (picture);
  end_rig (rig);
}

GST_END_TEST;

/* It never has any: one message, however often it is asked. */
GST_START_TEST (test_for_good)
{
  static const FakePlan plan = {
    GPU_READY, FAKE_AT_SUBMIT, 0, LUMA_REFUSED, LUMA_PATH_STAGED
  };
  Picture *picture = picture_new_s5 ();
  Rig *rig = rig_on (&plan, "auto");

  rig_set_format (rig, "RGB", S5_WIDTH, S5_HEIGHT, NULL);
  run_frames (rig, picture, 6, 0, 6);
  expect_short (rig, 1);
  g_usleep (1.1 * G_USEC_PER_SEC);
  run_frames (rig, picture, 6, 0, 12);
  fail_unless_equals_int (fake.submitted, 2);
  fail_unless_equals_uint64 (stat_count (rig->element, "failovers"), 1);
  bus_expect_nothing (rig->bus);
  picture_free (picture);
  end_rig (rig);
}

GST_END_TEST;

/* With cuda that is an error, and the next start is as new. */
GST_START_TEST (test_without_cpu)
{
  static const FakePlan plan = {
    GPU_READY, FAKE_AT_SUBMIT, 2, LUMA_REFUSED, LUMA_PATH_STAGED
  };
  Picture *picture = picture_new_s5 ();
  Rig *rig = rig_on (&plan, "cuda");

  rig_set_format (rig, "RGB", S5_WIDTH, S5_HEIGHT, NULL);
  run_frames (rig, picture, 1, 1, 0);
  rig_run_dropped (rig, picture_plain_buffer (picture, pixels_find ("RGB")),
      GST_FLOW_ERROR);
  bus_expect (rig->bus, GST_MESSAGE_ERROR, GST_RESOURCE_ERROR,
      GST_RESOURCE_ERROR_FAILED, FAKE_ERROR, NULL);
  fake.plan.where = FAKE_NEVER;
  rig_restart (rig);
  rig_set_format (rig, "RGB", S5_WIDTH, S5_HEIGHT, NULL);
  run_frames (rig, picture, 2, 2, 0);
  picture_free (picture);
  end_rig (rig);
}

GST_END_TEST;

static void
add_tests (TCase * tests)
{
  tcase_add_loop_test (tests, test_for_a_while, 0, 2);
  tcase_add_test (tests, test_for_good);
  tcase_add_test (tests, test_without_cpu);
}

int
main (int argc, char **argv)
{
  return rig_main (argc, argv, "element-shortage", add_tests);
}
