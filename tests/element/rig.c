/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#include "rig.h"

#include "gpu.h"
#include "gstcudagray.h"

#define SKIP 77

const gchar *
rig_backend (void)
{
  const gchar *name = g_getenv ("CUDAGRAY_TEST_BACKEND");

  return name != NULL ? name : "cpu";
}

static gboolean
have_gpu (void)
{
  GpuStatus status;
  LumaBackend *backend = gpu_open (-1, &status);

  if (backend == NULL) {
    g_print ("skipped: %s\n", status.text);
    return FALSE;
  }
  backend->klass->close (backend);
  return TRUE;
}

int
rig_main (int argc, char **argv, const gchar * name,
    void (*add_tests) (TCase * tests))
{
  SRunner *runner;
  TCase *tests;
  Suite *suite;
  gint failed;

  if (g_str_equal (rig_backend (), "cuda") && !have_gpu ())
    return SKIP;
  gst_check_init (&argc, &argv);
  if (!GST_ELEMENT_REGISTER (cudagray, NULL))
    return EXIT_FAILURE;
  tests = tcase_create (rig_backend ());
  add_tests (tests);
  suite = suite_create (name);
  suite_add_tcase (suite, tests);
  runner = srunner_create (suite);
  /* CUDA does not survive a fork. */
  srunner_set_fork_status (runner, CK_NOFORK);
  srunner_run_all (runner, CK_NORMAL);
  failed = srunner_ntests_failed (runner);
  srunner_free (runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

GstElement *
rig_element (const gchar * backend, GstBus ** bus)
{
  GstElement *element = gst_element_factory_make ("cudagray", NULL);

  fail_unless (G_OBJECT_TYPE (element) == GST_TYPE_CUDA_GRAY);
  gst_util_set_object_arg (G_OBJECT (element), "backend",
      backend != NULL ? backend : rig_backend ());
  *bus = gst_bus_new ();
  gst_element_set_bus (element, *bus);
  return element;
}

Rig *
rig_new_with (GstElement * element, GstBus * bus)
{
  Rig *rig = g_new0 (Rig, 1);

  rig->element = element;
  rig->bus = bus;
  rig->harness = gst_harness_new_with_element (element, "sink", "src");
  return rig;
}

Rig *
rig_new (void)
{
  GstBus *bus;
  GstElement *element = rig_element (NULL, &bus);
  Rig *rig = rig_new_with (element, bus);

  rig->watched = g_str_equal (rig_backend (), "cuda");
  return rig;
}

void
rig_free (Rig * rig)
{
  bus_expect_nothing (rig->bus);
  if (rig->watched)
    fail_unless_equals_uint64 (stat_count (rig->element, "frames-cpu"), 0);
  gst_harness_teardown (rig->harness);
  gst_element_set_bus (rig->element, NULL);
  gst_object_unref (rig->element);
  gst_object_unref (rig->bus);
  g_free (rig);
}

void
rig_set_caps (Rig * rig, GstCaps * caps)
{
  gst_harness_set_src_caps (rig->harness, caps);
}

void
rig_set_format (Rig * rig, const gchar * format, guint width, guint height,
    const gchar * extra)
{
  rig_set_caps (rig, caps_new (format, width, height, extra));
}

GstCaps *
rig_output_caps (Rig * rig)
{
  GstCaps *caps = gst_pad_get_current_caps (rig->harness->sinkpad);

  fail_unless (caps != NULL);
  return caps;
}

GstBuffer *
rig_run (Rig * rig, GstBuffer * buffer)
{
  GstBuffer *out;

  fail_unless_equals_int (gst_harness_push (rig->harness, buffer), GST_FLOW_OK);
  out = gst_harness_try_pull (rig->harness);
  fail_unless (out != NULL, "nothing came out");
  return out;
}

void
rig_check (Rig * rig, GstBuffer * buffer, const Picture * picture,
    const Rule * rule)
{
  GstCaps *caps = rig_output_caps (rig);

  assert_gray (picture, rule, buffer, caps);
  gst_caps_unref (caps);
}

GstBuffer *
rig_run_checked (Rig * rig, GstBuffer * buffer, const Picture * picture,
    const Rule * rule)
{
  GstBuffer *out = rig_run (rig, buffer);

  rig_check (rig, out, picture, rule);
  return out;
}

void
rig_run_dropped (Rig * rig, GstBuffer * buffer, GstFlowReturn flow)
{
  fail_unless_equals_int (gst_harness_push (rig->harness, buffer), flow);
  fail_unless (gst_harness_try_pull (rig->harness) == NULL, "a frame came out");
}

/* The next such message as one text; NULL if there is none. */
static gchar *
bus_pop (GstBus * bus, GstMessageType type, GError ** error)
{
  GstMessage *message = gst_bus_pop_filtered (bus, type);
  gchar *debug = NULL, *text;

  *error = NULL;
  if (message == NULL)
    return NULL;
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, error, &debug);
  else
    gst_message_parse_warning (message, error, &debug);
  text = g_strdup_printf ("%s: %s", (*error)->message, debug ? debug : "");
  g_free (debug);
  gst_message_unref (message);
  return text;
}

void
bus_expect_nothing (GstBus * bus)
{
  GError *error;
  gchar *text = bus_pop (bus, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR, &error);

  fail_unless (text == NULL, "unexpected message: %s", text);
}

void
bus_expect (GstBus * bus, GstMessageType type, GQuark domain, gint code, ...)
{
  GError *error;
  gchar *text = bus_pop (bus, type, &error);
  const gchar *word;
  va_list words;

  fail_unless (text != NULL, "no message on the bus");
  fail_unless (g_error_matches (error, domain, code), "wrong kind: %s", text);
  va_start (words, code);
  while ((word = va_arg (words, const gchar *)) != NULL)
      fail_unless (strstr (text, word) != NULL, "no '%s' in: %s", word, text);
  va_end (words);
  g_error_free (error);
  g_free (text);
  bus_expect_nothing (bus);
}

static GstStructure *
stats (GstElement * element)
{
  GstStructure *structure = NULL;

  g_object_get (element, "stats", &structure, NULL);
  fail_unless (structure != NULL);
  return structure;
}

guint64
stat_count (GstElement * element, const gchar * field)
{
  GstStructure *structure = stats (element);
  guint64 value;

  fail_unless (gst_structure_get_uint64 (structure, field, &value),
      "no field %s", field);
  gst_structure_free (structure);
  return value;
}

void
rig_restart (Rig * rig)
{
  gst_element_set_state (rig->element, GST_STATE_NULL);
  fail_unless_equals_int (gst_element_set_state (rig->element,
          GST_STATE_PLAYING), GST_STATE_CHANGE_SUCCESS);
  gst_harness_push_event (rig->harness, gst_event_new_stream_start ("again"));
}

gint
stat_device (GstElement * element)
{
  GstStructure *structure = stats (element);
  gint value;

  fail_unless (gst_structure_get_int (structure, "device", &value));
  gst_structure_free (structure);
  return value;
}

gchar *
stat_backend (GstElement * element)
{
  GstStructure *structure = stats (element);
  gchar *name = g_strdup (gst_structure_get_string (structure, "backend"));

  fail_unless (name != NULL);
  gst_structure_free (structure);
  return name;
}
