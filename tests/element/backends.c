/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Properties, stats, and what happens where there is no GPU. */

#include "rig.h"

#include "fake.h"
#include "trial.h"
#include "gstcudagray.h"

static void
push_s5 (Rig * rig, const gchar * format, guint n)
{
  const Pixels *pixels = pixels_find (format);
  Picture *picture = picture_new_s5 ();

  rig_set_format (rig, format, S5_WIDTH, S5_HEIGHT, NULL);
  for (guint i = 0; i < n; i++) {
    GstBuffer *in = picture_plain_buffer (picture, pixels);

    gst_buffer_unref (pixels->planes == 1 && pixels->step == 1 ?
        rig_run (rig, in) : rig_run_checked (rig, in, picture, &rule_default));
  }
  picture_free (picture);
}

static void
assert_backend (GstElement * element, const gchar * name, gint device)
{
  gchar *shown = stat_backend (element);

  fail_unless_equals_string (shown, name);
  fail_unless_equals_int (stat_device (element), device);
  g_free (shown);
}

GST_START_TEST (test_properties)
{
  static const struct
  {
    const gchar *name;
    guint flags;
  } rows[] = {
    {"backend", G_PARAM_READWRITE | GST_PARAM_MUTABLE_READY},
    {"cuda-device-id", G_PARAM_READWRITE | GST_PARAM_MUTABLE_READY},
    {"stats", G_PARAM_READABLE},
  };
  GstElement *element = gst_element_factory_make ("cudagray", NULL);
  gint backend = -1, device = 0;
  gboolean qos = TRUE;

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    GParamSpec *pspec = g_object_class_find_property (G_OBJECT_GET_CLASS
        (element), rows[i].name);

    fail_unless (pspec != NULL, "%s", rows[i].name);
    fail_unless_equals_int_hex (pspec->flags & (G_PARAM_READWRITE |
            GST_PARAM_MUTABLE_READY | GST_PARAM_MUTABLE_PAUSED |
            GST_PARAM_MUTABLE_PLAYING), rows[i].flags);
  }
  g_object_get (element, "backend", &backend, "cuda-device-id", &device,
      "qos", &qos, NULL);
  fail_unless_equals_int (backend, 0);
  fail_unless_equals_int (device, -1);
  fail_unless_equals_int (qos, FALSE);
  assert_backend (element, "none", -1);
  g_object_set (element, "cuda-device-id", 7, NULL);
  gst_util_set_object_arg (G_OBJECT (element), "backend", "cpu");
  g_object_get (element, "backend", &backend, "cuda-device-id", &device, NULL);
  fail_unless_equals_int (backend, 2);
  fail_unless_equals_int (device, 7);
  gst_object_unref (element);
}

GST_END_TEST;

/* The fields of the stats, and what frames of each kind add to them, on the
 * backend under test. */
GST_START_TEST (test_stats)
{
  gboolean cuda = g_str_equal (rig_backend (), "cuda");
  Rig *rig = rig_new ();
  GstElement *element = rig->element;
  guint64 on_gpu;

  assert_backend (element, rig_backend (), cuda ? 0 : -1);
  push_s5 (rig, "RGB", 3);
  push_s5 (rig, "GBRA", 2);
  push_s5 (rig, "GRAY8", 4);
  rig_set_format (rig, "BGRx", 2, 2, NULL);
  rig_run_dropped (rig, gst_buffer_new (), GST_FLOW_OK);
  bus_expect (rig->bus, GST_MESSAGE_WARNING, GST_STREAM_ERROR,
      GST_STREAM_ERROR_FORMAT, NULL);
  on_gpu = stat_count (element, "frames-in-place") +
      stat_count (element, "frames-staged");
  fail_unless_equals_uint64 (stat_count (element, "frames-cpu"), cuda ? 0 : 5);
  fail_unless_equals_uint64 (on_gpu, cuda ? 5 : 0);
  fail_unless_equals_uint64 (stat_count (element, "frames-passthrough"), 4);
  fail_unless_equals_uint64 (stat_count (element, "frames-dropped"), 1);
  /* Alpha is not read. */
  fail_unless_equals_uint64 (stat_count (element, "bytes-in"), 5 * 45);
  fail_unless_equals_uint64 (stat_count (element, "bytes-out"), 5 * 15);
  fail_unless_equals_uint64 (stat_count (element, "failovers"), 0);
  fail_unless_equals_uint64 (stat_count (element, "frames-set-aside"), 0);

  /* They stay when the element stops, and start anew with it. */
  gst_element_set_state (element, GST_STATE_NULL);
  fail_unless_equals_uint64 (stat_count (element, "bytes-out"), 5 * 15);
  gst_element_set_state (element, GST_STATE_PAUSED);
  fail_unless_equals_uint64 (stat_count (element, "bytes-out"), 0);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_stats_by_path)
{
  static const struct
  {
    LumaPath path;
    const gchar *field;
  } rows[] = {
    {LUMA_PATH_CPU, "frames-cpu"}, {LUMA_PATH_IN_PLACE, "frames-in-place"},
    {LUMA_PATH_STAGED, "frames-staged"},
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    GstBus *bus;
    GstElement *element;
    Rig *rig;

    fake_install (&(FakePlan) {
        GPU_READY,.path = rows[i].path}
    );
    element = rig_element ("cuda", &bus);
    rig = rig_new_with (element, bus);
    push_s5 (rig, "RGB", 3);
    for (guint f = 0; f < G_N_ELEMENTS (rows); f++)
      fail_unless_equals_uint64 (stat_count (element, rows[f].field),
          f == i ? 3 : 0);
    rig_free (rig);
    fake_remove ();
  }
}

GST_END_TEST;

/* Frames that the GPU can't reach in place are the CPU's and the GPU's in turn
 * at first, with auto, and that is no failure of the GPU. */
GST_START_TEST (test_out_of_reach)
{
  guint64 cpu, staged;
  gchar *backend;
  GstBus *bus;
  GstElement *element;
  Rig *rig;

  fake_install (&(FakePlan) {
      GPU_READY,.path = LUMA_PATH_STAGED}
  );
  element = rig_element ("auto", &bus);
  rig = rig_new_with (element, bus);
  push_s5 (rig, "RGB", 20);
  cpu = stat_count (element, "frames-cpu");
  staged = stat_count (element, "frames-staged");
  fail_unless_equals_uint64 (cpu + staged, 20);
  fail_unless (MIN (cpu, staged) == 5, "%" G_GUINT64_FORMAT " by the CPU", cpu);
  fail_unless_equals_uint64 (stat_count (element, "failovers"), 0);
  backend = stat_backend (element);
  fail_unless_equals_string (backend, "cuda");
  g_free (backend);
  bus_expect_nothing (rig->bus);
  rig_free (rig);
  fail_unless_equals_uint64 (fake.submitted, staged);
  fake_remove ();
}

GST_END_TEST;

/* The copy has to be better in both. */
GST_START_TEST (test_trial)
{
  static const struct
  {
    gint64 cpu_way[2], copy_way[2];     /* wall and CPU time of a frame */
    CudaGrayWay chosen;
  } rows[] = {
    {{1000, 1000}, {900, 1000}, CUDA_GRAY_WAY_COPY},
    {{1000, 1000}, {900, 1001}, CUDA_GRAY_WAY_CPU},
    {{1000, 1000}, {1000, 500}, CUDA_GRAY_WAY_CPU},
    {{1000, 1000}, {2000, 500}, CUDA_GRAY_WAY_CPU},
  };

  for (guint r = 0; r < G_N_ELEMENTS (rows); r++) {
    CudaGrayTrial trial;

    cuda_gray_trial_init (&trial);
    for (guint i = 0; i < 100; i++) {
      CudaGrayWay way = cuda_gray_trial_way (&trial);
      const gint64 *took = way == CUDA_GRAY_WAY_CPU ? rows[r].cpu_way :
          rows[r].copy_way;

      fail_unless_equals_int (way, i >= 10 ? rows[r].chosen : i % 2 ?
          CUDA_GRAY_WAY_COPY : CUDA_GRAY_WAY_CPU);
      /* The first of each way is slow, and so is one when all is decided. */
      cuda_gray_trial_note (&trial, way, took[0] + (i < 2 || i == 50) * 9000,
          took[1] + (i < 2 || i == 50) * 9000);
    }
  }
}

GST_END_TEST;

/* What each finding of the GPU means for each wish. */
static const struct
{
  GpuState state;
  const gchar *backend;
  gboolean starts;
  GstMessageType message;       /* 0 for none */
  const gchar *word, *used;
  guint opened;
} openings[] = {
  {GPU_READY, "auto", TRUE, 0, NULL, "cuda", 1},
  {GPU_READY, "cuda", TRUE, 0, NULL, "cuda", 1},
  {GPU_READY, "cpu", TRUE, 0, NULL, "cpu", 0},
  {GPU_ABSENT, "auto", TRUE, 0, NULL, "cpu", 1},
  {GPU_ABSENT, "cuda", FALSE, GST_MESSAGE_ERROR, FAKE_ERROR, NULL, 1},
  {GPU_REFUSED, "auto", TRUE, GST_MESSAGE_WARNING, FAKE_ERROR, "cpu", 1},
  {GPU_REFUSED, "cuda", FALSE, GST_MESSAGE_ERROR, FAKE_ERROR, NULL, 1},
  {GPU_NO_SUCH_DEVICE, "auto", FALSE, GST_MESSAGE_ERROR, FAKE_DEVICES, NULL,
      1},
  {GPU_NO_SUCH_DEVICE, "cuda", FALSE, GST_MESSAGE_ERROR, FAKE_DEVICES, NULL,
      1},
  {GPU_NO_SUCH_DEVICE, "cpu", TRUE, 0, NULL, "cpu", 0},
};

GST_START_TEST (test_openings)
{
  GstStateChangeReturn change;
  GstElement *element;
  GstBus *bus;

  fake_install (&(FakePlan) {
      openings[__i__].state});
  element = rig_element (openings[__i__].backend, &bus);
  g_object_set (element, "cuda-device-id", 99, NULL);
  fail_unless_equals_int (gst_element_set_state (element, GST_STATE_READY),
      GST_STATE_CHANGE_SUCCESS);
  fail_unless_equals_int (fake.opened, 0);
  change = gst_element_set_state (element, GST_STATE_PAUSED);
  fail_unless_equals_int (change, openings[__i__].starts ?
      GST_STATE_CHANGE_SUCCESS : GST_STATE_CHANGE_FAILURE);
  fail_unless_equals_int (fake.opened, openings[__i__].opened);
  if (fake.opened)
    fail_unless_equals_int (fake.asked_device, 99);
  if (openings[__i__].message != 0)
    bus_expect (bus, openings[__i__].message, GST_RESOURCE_ERROR,
        GST_RESOURCE_ERROR_NOT_FOUND, openings[__i__].word, NULL);
  bus_expect_nothing (bus);
  if (openings[__i__].starts)
    assert_backend (element, openings[__i__].used,
        g_str_equal (openings[__i__].used, "cuda") ? 99 : -1);
  else
    assert_backend (element, "none", -1);

  /* Where it failed, it starts once the reason is gone. */
  gst_element_set_state (element, GST_STATE_NULL);
  fake.plan.state = GPU_READY;
  fail_unless_equals_int (gst_element_set_state (element, GST_STATE_PAUSED),
      GST_STATE_CHANGE_SUCCESS);
  fail_unless_equals_int (fake.opened, 2 * openings[__i__].opened);
  gst_element_set_state (element, GST_STATE_NULL);
  fail_unless_equals_int (fake.closed, openings[__i__].opened +
      (openings[__i__].opened && openings[__i__].state == GPU_READY));
  gst_element_set_bus (element, NULL);
  gst_object_unref (bus);
  gst_object_unref (element);
  fake_remove ();
}

GST_END_TEST;

/* On the CPU in place of the GPU, frames are right. */
GST_START_TEST (test_converts_without_gpu)
{
  static const GpuState states[] = { GPU_ABSENT, GPU_REFUSED };
  GstElement *element;
  GstBus *bus;
  Rig *rig;

  fake_install (&(FakePlan) {
      states[__i__]});
  element = rig_element ("auto", &bus);
  rig = rig_new_with (element, bus);
  if (states[__i__] == GPU_REFUSED)
    bus_expect (rig->bus, GST_MESSAGE_WARNING, GST_RESOURCE_ERROR,
        GST_RESOURCE_ERROR_NOT_FOUND, FAKE_ERROR, "CPU", NULL);
  push_s5 (rig, "RGB", 3);
  push_s5 (rig, "BGRP", 3);
  fail_unless_equals_uint64 (stat_count (element, "frames-cpu"), 6);
  rig_free (rig);
  fake_remove ();
}

GST_END_TEST;

/* The GPU is looked for when the element starts, and each time it does: not
 * when it is made, inspected, or made ready. */
GST_START_TEST (test_when_it_opens)
{
  GstElement *element;
  GstPad *pad;
  GstBus *bus;

  fake_install (&(FakePlan) {
      GPU_READY}
  );
  element = rig_element ("auto", &bus);
  pad = gst_element_get_static_pad (element, "sink");
  gst_caps_unref (gst_pad_query_caps (pad, NULL));
  gst_element_set_state (element, GST_STATE_READY);
  gst_caps_unref (gst_pad_query_caps (pad, NULL));
  fail_unless_equals_int (fake.opened, 0);
  for (guint i = 1; i <= 5; i++) {
    gst_element_set_state (element, GST_STATE_PLAYING);
    fail_unless_equals_int (fake.opened, i);
    fail_unless_equals_int (fake.closed, i - 1);
    assert_backend (element, "cuda", FAKE_DEVICE);
    gst_element_set_state (element, GST_STATE_READY);
    fail_unless_equals_int (fake.closed, i);
  }
  gst_element_set_state (element, GST_STATE_NULL);
  gst_element_set_bus (element, NULL);
  gst_object_unref (pad);
  gst_object_unref (bus);
  gst_object_unref (element);
  fake_remove ();
}

GST_END_TEST;

/* The real thing: no CUDA device has that number. */
GST_START_TEST (test_real_device_99)
{
  gboolean have = g_str_equal (rig_backend (), "cuda");
  GstElement *element;
  GstBus *bus;

  element = rig_element ("cuda", &bus);
  g_object_set (element, "cuda-device-id", 99, NULL);
  fail_unless_equals_int (gst_element_set_state (element, GST_STATE_PAUSED),
      GST_STATE_CHANGE_FAILURE);
  bus_expect (bus, GST_MESSAGE_ERROR, GST_RESOURCE_ERROR,
      GST_RESOURCE_ERROR_NOT_FOUND, have ? "99" : "CUDA", NULL);
  gst_element_set_state (element, GST_STATE_NULL);
  gst_element_set_bus (element, NULL);
  gst_object_unref (bus);
  gst_object_unref (element);
}

GST_END_TEST;

static void
add_tests (TCase * tests)
{
  tcase_add_test (tests, test_properties);
  tcase_add_test (tests, test_stats);
  tcase_add_test (tests, test_stats_by_path);
  tcase_add_test (tests, test_out_of_reach);
  tcase_add_test (tests, test_trial);
  tcase_add_loop_test (tests, test_openings, 0, G_N_ELEMENTS (openings));
  tcase_add_loop_test (tests, test_converts_without_gpu, 0, 2);
  tcase_add_test (tests, test_when_it_opens);
  tcase_add_test (tests, test_real_device_99);
}

int
main (int argc, char **argv)
{
  return rig_main (argc, argv, "element-backends", add_tests);
}
