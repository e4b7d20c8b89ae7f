/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#include "endure.h"

#include <stdio.h>

#define N_THREADS 6
#define FEW_SECONDS 2

/* One thread. */
typedef struct
{
  EndureStep step;
  gpointer data;
  GRand *rand;
  gint64 end;
} Walk;

static gpointer
walk (gpointer data)
{
  Walk *self = data;
  gchar *problem = NULL;

  while (problem == NULL && g_get_monotonic_time () < self->end)
    problem = self->step (self->rand, self->data);
  return problem;
}

static gdouble
seconds (void)
{
  const gchar *given = g_getenv ("CUDAGRAY_TEST_SECONDS");

  return given != NULL ? g_ascii_strtod (given, NULL) : FEW_SECONDS;
}

void
endure_run (EndureStep step, gpointer data)
{
  gint64 end = g_get_monotonic_time () + seconds () * G_USEC_PER_SEC;
  GThread *threads[N_THREADS];
  gchar *first = NULL;
  Walk walks[N_THREADS];

  for (guint i = 0; i < N_THREADS; i++) {
    walks[i] = (Walk) { step, data, g_rand_new_with_seed (i), end };
    threads[i] = g_thread_new ("meddler", walk, &walks[i]);
  }
  for (guint i = 0; i < N_THREADS; i++) {
    gchar *problem = g_thread_join (threads[i]);

    g_rand_free (walks[i].rand);
    if (first == NULL)
      first = problem;
    else
      g_free (problem);
  }
  fail_unless (first == NULL, "%s", first);
}

static gchar *
set_properties (GRand * rand, GstElement * gray)
{
  gst_util_set_object_arg (G_OBJECT (gray), "backend",
      g_rand_boolean (rand) ? "auto" : pipe_backend ());
  g_object_set (gray, "cuda-device-id", g_rand_int_range (rand, -1, 1), "qos",
      g_rand_boolean (rand), NULL);
  return NULL;
}

static gchar *
get_properties (GRand * rand, GstElement * gray)
{
  guint n;
  GParamSpec **all = g_object_class_list_properties (G_OBJECT_GET_CLASS (gray),
      &n);

  for (guint i = 0; i < n; i++) {
    GValue value = G_VALUE_INIT;

    g_object_get_property (G_OBJECT (gray), all[i]->name, &value);
    g_value_unset (&value);
  }
  g_free (all);
  return NULL;
}

static gchar *
read_stats (GRand * rand, GstElement * gray)
{
  gchar *problem = NULL;
  GstStructure *stats;

  g_object_get (gray, "stats", &stats, NULL);
  if (!gst_structure_has_field (stats, "frames-cpu"))
    problem = gst_structure_to_string (stats);
  gst_structure_free (stats);
  return problem;
}

static gchar *
ask (GRand * rand, GstElement * gray)
{
  GstCaps *filter = gst_caps_from_string ("video/x-raw,format=GRAY8");
  GstQuery *queries[] = {
    gst_query_new_caps (NULL), gst_query_new_caps (filter),
    gst_query_new_accept_caps (filter),
    gst_query_new_latency (), gst_query_new_position (GST_FORMAT_TIME),
    gst_query_new_context ("gst.cuda.context"),
  };
  GstPad *pad = gst_element_get_static_pad (gray,
      g_rand_boolean (rand) ? "sink" : "src");

  gst_caps_unref (filter);
  for (guint i = 0; i < G_N_ELEMENTS (queries); i++) {
    gst_pad_query (pad, queries[i]);
    gst_query_unref (queries[i]);
  }
  gst_object_unref (pad);
  return NULL;
}

static gchar *
send (GRand * rand, GstElement * gray)
{
  GstPad *pad = gst_element_get_static_pad (gray, "src");
  GstEvent *events[] = {
    gst_event_new_reconfigure (), gst_event_new_latency (0),
    gst_event_new_qos (GST_QOS_TYPE_OVERFLOW, 1.0, 0, 0),
    gst_event_new_qos (GST_QOS_TYPE_UNDERFLOW, 2.0, 1, GST_MSECOND)
  };
  gint which = g_rand_int_range (rand, 0, G_N_ELEMENTS (events));

  gst_pad_send_event (pad, gst_event_ref (events[which]));
  for (guint i = 0; i < G_N_ELEMENTS (events); i++)
    gst_event_unref (events[i]);
  gst_object_unref (pad);
  return NULL;
}

static gchar *
give_context (GRand * rand, GstElement * gray)
{
  GstContext *context = gst_context_new ("gst.cuda.context", TRUE);

  gst_element_set_context (gray, context);
  gst_context_unref (context);
  return NULL;
}

gchar *
endure_meddle (GRand * rand, gpointer cudagray)
{
  static gchar *(*const ways[]) (GRand * rand, GstElement * gray) = {
    set_properties, get_properties, read_stats, ask, send, give_context
  };

  return ways[g_rand_int_range (rand, 0, G_N_ELEMENTS (ways))] (rand, cudagray);
}

/* A stop or a flush in the middle of negotiation makes GStreamer's base classes
 * say so, and a source that its stream failed (1.22).  Whoever has a reason of
 * its own says that before. */
static gboolean
is_of_interruption (const gchar * text)
{
  return strstr (text, "not negotiated") != NULL ||
      strstr (text, "Internal data stream error") != NULL;
}

/* NULL for what may be. */
static gchar *
describe (GstMessage * message)
{
  GError *error = NULL;
  gchar *debug = NULL, *text = NULL;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, &debug);
  else
    gst_message_parse_warning (message, &error, &debug);
  if (!is_of_interruption (error->message))
    text = g_strdup_printf ("%s: %s (%s)", GST_MESSAGE_SRC_NAME (message),
        error->message, debug);
  g_error_free (error);
  g_free (debug);
  return text;
}

gchar *
endure_read_bus (GstBus * bus)
{
  GstMessage *message;
  gchar *text = NULL;

  while (text == NULL && (message = gst_bus_pop_filtered (bus,
              GST_MESSAGE_ERROR | GST_MESSAGE_WARNING)) != NULL) {
    text = describe (message);
    gst_message_unref (message);
  }
  return text;
}

#ifdef SIMULATED
#include "simulated.h"

/* That a frame takes, so that something happens meanwhile. */
#define BUSY_US 200

int
endure_main (int argc, char **argv, Suite * (*suite) (void))
{
  int result;

  simulated_install ();
  simulated.busy_us = BUSY_US;
  g_setenv ("CUDAGRAY_TEST_BACKEND", "cuda", TRUE);
  result = pipe_main (argc, argv, suite);
  if (simulated.misuses > 0)
    printf ("%u misuses of CUDA, first %s\n", simulated.misuses,
        simulated.misuse);
  return simulated.misuses > 0 ? 1 : result;
}
#else
int
endure_main (int argc, char **argv, Suite * (*suite) (void))
{
  return pipe_main (argc, argv, suite);
}
#endif
