/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Case 16: what is alive after a pipeline, by GStreamer's own account.  The
 * same pipelines with videoconvert show that the account is right. */

#include "pipe.h"

#ifndef GST_USE_UNSTABLE_API
#define GST_USE_UNSTABLE_API
#endif
#include <gst/gsttracer.h>

#define RGB "video/x-raw,format=RGB,width=320,height=240"
#define GRAY8 "video/x-raw,format=GRAY8"
#define TIMES 6

static const gchar *const converters[] = { "cudagray", "videoconvert" };

static const gchar *const lines[] = {
  "videotestsrc num-buffers=5 ! " RGB " ! %s ! " GRAY8 " ! fakesink",
  "videotestsrc num-buffers=5 ! " RGB " ! queue ! %s ! " GRAY8 " ! queue ! "
      "appsink wait-on-eos=false sync=false",
  "videotestsrc num-buffers=5 ! " RGB " ! tee name=t ! %s ! " GRAY8 " ! "
      "fakesink async=false t. ! queue ! fakesink async=false",
  "videotestsrc num-buffers=5 ! video/x-raw,format=GRAY8 ! %s ! " GRAY8
      " ! fakesink",
};

/* Of these none is left, not even one for all runs. */
static const gchar *const short_lived[] = {
  "GstBuffer", "GstMemory", "GstBufferList", "GstCudaGray", "GstVideoConvert",
  "GstPipeline", "GstPad", "GstVideoBufferPool", "GstBufferPool",
  "GstCudaGrayAllocator",
};

/* Numbers of objects by the names of their types, since the first update. */
static GHashTable *alive;

static gint
count_alive (GHashTable * table, const gchar * type)
{
  return GPOINTER_TO_INT (g_hash_table_lookup (table, type));
}

static void
add_objects (const GstStructure * checkpoint, const gchar * list, gint change)
{
  const GValue *objects = gst_structure_get_value (checkpoint, list);

  for (guint i = 0; i < gst_value_list_get_size (objects); i++) {
    const gchar *type = gst_structure_get_string (gst_value_get_structure
        (gst_value_list_get_value (objects, i)), "type-name");

    g_hash_table_replace (alive, g_strdup (type),
        GINT_TO_POINTER (count_alive (alive, type) + change));
  }
}

/* Brings the table up to date.  By names: the tracer's list of live objects
 * gives away references that it does not have. */
static void
update (void)
{
  GList *tracers = gst_tracing_get_active_tracers ();
  GstStructure *checkpoint = NULL;

  fail_unless (tracers != NULL && tracers->next == NULL);
  if (alive == NULL) {
    alive = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    g_signal_emit_by_name (tracers->data, "activity-start-tracking");
  }
  g_signal_emit_by_name (tracers->data, "activity-get-checkpoint", &checkpoint);
  fail_unless (checkpoint != NULL);
  add_objects (checkpoint, "objects-created-list", 1);
  add_objects (checkpoint, "objects-removed-list", -1);
  gst_structure_free (checkpoint);
  g_list_free_full (tracers, gst_object_unref);
}

/* A type of which there are more than before; NULL if there is none. */
static const gchar *
find_growth (GHashTable * before)
{
  GHashTableIter all;
  gpointer type, n;

  update ();
  g_hash_table_iter_init (&all, alive);
  while (g_hash_table_iter_next (&all, &type, &n)) {
    if (GPOINTER_TO_INT (n) > count_alive (before, type))
      return type;
  }
  return NULL;
}

/* A thread that leaves holds its task for a moment. */
static void
expect_no_growth (GHashTable * before)
{
  gint64 end = g_get_monotonic_time () + PIPE_SOON * G_USEC_PER_SEC;
  const gchar *type;

  while ((type = find_growth (before)) != NULL && g_get_monotonic_time () < end)
    g_usleep (200);
  fail_unless (type == NULL, "%d %s, not %d", count_alive (alive, type), type,
      count_alive (before, type));
  for (guint i = 0; i < G_N_ELEMENTS (short_lived); i++)
    fail_unless (count_alive (alive, short_lived[i]) == 0, "%d %s",
        count_alive (alive, short_lived[i]), short_lived[i]);
}

static GHashTable *
copy_alive (void)
{
  GHashTable *copy = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
      NULL);
  GHashTableIter all;
  gpointer type, n;

  update ();
  g_hash_table_iter_init (&all, alive);
  while (g_hash_table_iter_next (&all, &type, &n))
    g_hash_table_insert (copy, g_strdup (type), n);
  return copy;
}

static GstElement *
launch (const gchar * line, const gchar * converter)
{
  gchar **parts = g_strsplit (line, "%s", 2);
  GstElement *pipeline = pipe_launch ("%s%s%s", parts[0], converter, parts[1]);

  g_strfreev (parts);
  return pipeline;
}

/* Half of the pipelines are stopped at the end of the stream, and half as soon
 * as they play; but not behind a tee, whose sinks do not wait for a frame.  A
 * stop in the middle of negotiation leaves GstBaseTransform with the pool that
 * it was just deciding on, once in some hundred times (1.22 and 1.26). */
static void
run (const gchar * line, const gchar * converter, guint round)
{
  GstElement *pipeline = launch (line, converter);

  if (round % 2 == 0 || strstr (line, "tee") != NULL)
    pipe_play (pipeline, PIPE_SOON);
  else
    gst_element_set_state (pipeline, GST_STATE_PLAYING);
  pipe_stop (pipeline, NULL);
}

/* Caps of pad templates, and the like, stay from the first runs. */
GST_START_TEST (test_nothing_stays_alive)
{
  const gchar *converter = converters[__i__ % G_N_ELEMENTS (converters)];
  const gchar *line = lines[__i__ / G_N_ELEMENTS (converters)];
  GHashTable *before;

  update ();
  run (line, converter, 0);
  run (line, converter, 1);
  before = copy_alive ();
  for (guint i = 0; i < TIMES; i++)
    run (line, converter, i);
  expect_no_growth (before);
  g_hash_table_unref (before);
}

GST_END_TEST;

/* The account does show what there is. */
GST_START_TEST (test_account)
{
  GstElement *element;
  GstBuffer *buffer;

  update ();
  element = gst_element_factory_make ("cudagray", NULL);
  buffer = gst_buffer_new_allocate (NULL, 5, NULL);
  update ();
  fail_unless_equals_int (count_alive (alive, "GstCudaGray"), 1);
  fail_unless_equals_int (count_alive (alive, "GstPad"), 2);
  fail_unless_equals_int (count_alive (alive, "GstBuffer"), 1);
  fail_unless_equals_int (count_alive (alive, "GstMemory"), 1);
  gst_buffer_unref (buffer);
  gst_object_unref (element);
  update ();
  fail_unless_equals_int (count_alive (alive, "GstCudaGray"), 0);
  fail_unless_equals_int (count_alive (alive, "GstMemory"), 0);
}

GST_END_TEST;

static Suite *
leaks_suite (void)
{
  Suite *s = suite_create ("leaks");
  TCase *tc = pipe_tcase (s, "leaks");

  tcase_add_test (tc, test_account);
  tcase_add_loop_test (tc, test_nothing_stays_alive, 0,
      G_N_ELEMENTS (lines) * G_N_ELEMENTS (converters));
  return s;
}

int
main (int argc, char **argv)
{
  g_setenv ("GST_TRACERS", "leaks", TRUE);
  return pipe_main (argc, argv, leaks_suite);
}
