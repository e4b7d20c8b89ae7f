/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* memory:CUDAMemory in caps. */

#include "line.h"
#include "pipe.h"

#define ON_GPU "(memory:CUDAMemory)"
#define SYSTEM_GRAY "video/x-raw, format=GRAY8"
#define CUDA_GRAY CUDA ", format=GRAY8"
#define ANY_GRAY SYSTEM_GRAY "; " CUDA_GRAY

static gboolean
is_cuda (GstCaps * caps, guint index)
{
  return gst_caps_features_contains (gst_caps_get_features (caps, index),
      GST_CAPS_FEATURE_MEMORY_CUDA_MEMORY);
}

static gboolean
output_is_cuda (Line * line)
{
  GstCaps *caps = line_output_caps (line);
  gboolean cuda = is_cuda (caps, 0);

  gst_caps_unref (caps);
  return cuda;
}

/* Whether a pad of the element with this template takes a format. */
static gboolean
template_has (const gchar * pad, const gchar * features, const gchar * format)
{
  GstElementFactory *factory = gst_element_factory_find ("cudagray");
  const GList *all = gst_element_factory_get_static_pad_templates (factory);
  GstCaps *caps = frames_caps (features, format, 5, 3), *wide;
  gboolean has;

  while (!g_str_equal (((GstStaticPadTemplate *) all->data)->name_template,
          pad))
    all = all->next;
  wide = gst_static_pad_template_get_caps (all->data);
  has = gst_caps_can_intersect (wide, caps);
  gst_caps_unref (wide);
  gst_caps_unref (caps);
  gst_object_unref (factory);
  return has;
}

/* GStreamer's CUDA elements lack xRGB and xBGR. */
GST_START_TEST (test_templates)
{
  static const gchar *features[] = {
    ON_GPU, "(memory:CUDAMemory, meta:GstVideoOverlayComposition)"
  };
  guint n, sinks = 0;
  const GstVideoFormat *all = gst_video_formats_raw (&n);

  for (guint i = 0; i < n; i++) {
    const gchar *name = gst_video_format_to_string (all[i]);
    gboolean gray = g_str_equal (name, "GRAY8") ||
        g_str_equal (name, "GRAY16_LE") || g_str_equal (name, "GRAY16_BE");
    gboolean known = gray;

    for (guint f = 0; f < FRAMES_N_FORMATS; f++)
      known = known || g_str_equal (name, frames_formats[f]);
    sinks += known;
    for (guint f = 0; f < G_N_ELEMENTS (features); f++) {
      fail_unless_equals_int (template_has ("sink", features[f], name), known);
      fail_unless_equals_int (template_has ("src", features[f], name), gray);
    }
  }
  fail_unless_equals_int (sinks, FRAMES_N_FORMATS + 3);
}

GST_END_TEST;

/* Counts the structures of both kinds, those with CUDA memory first. */
static void
count_kinds (GstElement * element, const gchar * name, const gchar * filter,
    guint * cuda, guint * system)
{
  GstPad *pad = gst_element_get_static_pad (element, name);
  GstCaps *asked = filter != NULL ? gst_caps_from_string (filter) : NULL;
  GstCaps *caps = gst_pad_query_caps (pad, asked);

  *cuda = *system = 0;
  for (guint i = 0; i < gst_caps_get_size (caps); i++) {
    if (!is_cuda (caps, i))
      (*system)++;
    else if (*system == 0 || g_str_equal (name, "src"))
      (*cuda)++;
    else
      fail ("CUDA memory after system memory: %s", gst_caps_to_string (caps));
  }
  gst_caps_unref (caps);
  gst_clear_caps (&asked);
  gst_object_unref (pad);
}

static const gchar *const ends[] = {
  SYSTEM_GRAY, CUDA_GRAY, ANY_GRAY, CUDA_GRAY "; " SYSTEM_GRAY
};

/* cudaupload goes by it: what it need not upload it does not. */
GST_START_TEST (test_sink_offers_cuda_first)
{
  static const gchar *filters[] = {
    NULL, "video/x-raw; " CUDA, CUDA "; video/x-raw",
    "video/x-raw, format=RGB; " CUDA ", format=RGB"
  };
  Line *line = line_new (line_context, "cudagray name=gray", ends[__i__]);
  guint cuda, system;

  for (guint f = 0; f < G_N_ELEMENTS (filters); f++) {
    count_kinds (line->gray, "sink", filters[f], &cuda, &system);
    fail_unless (cuda > 0 && system > 0);
  }
  count_kinds (line->gray, "sink", "video/x-raw", &cuda, &system);
  fail_unless (cuda == 0 && system > 0);
  count_kinds (line->gray, "sink", CUDA, &cuda, &system);
  fail_unless (cuda > 0 && system == 0);
  count_kinds (line->gray, "src", NULL, &cuda, &system);
  fail_unless (cuda > 0 && system > 0);
  line_free (line);
}

GST_END_TEST;

/* Until it is started it may become either. */
GST_START_TEST (test_cpu_offers_no_cuda)
{
  GstElement *element = gst_element_factory_make ("cudagray", NULL);
  Line *line;
  guint cuda, system;

  gst_object_ref_sink (element);
  gst_util_set_object_arg (G_OBJECT (element), "backend", "cpu");
  count_kinds (element, "sink", NULL, &cuda, &system);
  fail_unless (cuda > 0 && system > 0);
  gst_object_unref (element);
  for (guint i = 0; i < G_N_ELEMENTS (ends); i++) {
    line = line_new (NULL, "cudagray name=gray backend=cpu", ends[i]);
    count_kinds (line->gray, "sink", NULL, &cuda, &system);
    fail_unless (cuda == 0 && (system > 0) == (i != 1));
    count_kinds (line->gray, "src", NULL, &cuda, &system);
    fail_unless (cuda == 0 && system > 0);
    line_free (line);
  }
}

GST_END_TEST;

GST_START_TEST (test_cpu_refuses_cuda)
{
  static const gchar *lines[] = {
    "videotestsrc ! video/x-raw,format=RGB ! cudaupload ! " CUDA " ! "
        "cudagray backend=cpu ! fakesink",
    "videotestsrc ! video/x-raw,format=RGB ! cudagray backend=cpu ! " CUDA
        " ! fakesink"
  };
  GstElement *pipeline = pipe_launch ("%s", lines[__i__]);
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;
  GError *error;
  gchar *debug;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, 20 * GST_SECOND,
      GST_MESSAGE_ERROR);
  fail_unless (message != NULL, "no error");
  gst_message_parse_error (message, &error, &debug);
  fail_unless (strstr (debug, "not-negotiated") != NULL, "%s (%s)",
      error->message, debug);
  g_error_free (error);
  g_free (debug);
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_bus_set_flushing (bus, TRUE);
  gst_object_unref (bus);
  pipe_stop (pipeline, NULL);
}

GST_END_TEST;

static void
run_good (Line * line, GstCaps * caps)
{
  GstBuffer *buffer;
  GBytes *expected;

  line_set_caps (line, gst_caps_ref (caps));
  buffer = frames_new_for (line->harness->srcpad, caps, 1);
  expected = frames_on_cpu (buffer, caps, NULL);
  line_check (line, line_run (line, buffer), expected);
  g_bytes_unref (expected);
}

GST_START_TEST (test_input_kind_is_kept)
{
  static const gchar *filters[] = {
    ANY_GRAY, CUDA_GRAY "; " SYSTEM_GRAY, SYSTEM_GRAY, CUDA_GRAY
  };
  gboolean from_cuda = __i__ % 2;
  guint f = __i__ / 2;
  gchar *elements = g_strdup_printf ("cudagray name=gray ! "
      "capsfilter caps=\"%s\"", filters[f]);
  Line *line = line_new (line_context, elements, "video/x-raw; " CUDA);
  GstCaps *caps = frames_caps (from_cuda ? ON_GPU : "", "RGB", 53, 7);

  run_good (line, caps);
  fail_unless_equals_int (output_is_cuda (line), f == 3 ||
      (f != 2 && from_cuda));
  gst_caps_unref (caps);
  g_free (elements);
  line_free (line);
}

GST_END_TEST;

/* Says what it takes in its own order, whatever the other side prefers. */
static GstPadProbeReturn
answer_in_own_order (GstPad * pad, GstPadProbeInfo * info, gpointer order)
{
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (info);
  GstCaps *own, *asked, *caps;

  if (GST_QUERY_TYPE (query) != GST_QUERY_CAPS)
    return GST_PAD_PROBE_OK;
  own = gst_caps_from_string (order);
  gst_query_parse_caps (query, &asked);
  caps = asked == NULL ? gst_caps_ref (own) :
      gst_caps_intersect_full (own, asked, GST_CAPS_INTERSECT_FIRST);
  gst_query_set_caps_result (query, caps);
  gst_caps_unref (caps);
  gst_caps_unref (own);
  return GST_PAD_PROBE_HANDLED;
}

GST_START_TEST (test_input_kind_before_order)
{
  static const gchar *orders[] = { ANY_GRAY, CUDA_GRAY "; " SYSTEM_GRAY };
  gboolean from_cuda = __i__ % 2;
  Line *line = line_new (line_context, "cudagray name=gray", ANY_GRAY);
  GstCaps *caps = frames_caps (from_cuda ? ON_GPU : "", "BGR", 53, 7);

  gst_pad_add_probe (line->harness->sinkpad,
      GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM | GST_PAD_PROBE_TYPE_PUSH,
      answer_in_own_order, (gpointer) orders[__i__ / 2], NULL);
  run_good (line, caps);
  fail_unless_equals_int (output_is_cuda (line), from_cuda);
  gst_caps_unref (caps);
  line_free (line);
}

GST_END_TEST;

/* The last is of the caps of fields, which are of system memory alone. */
static const gchar *const refused[] = {
  CUDA ", format=xRGB", CUDA ", format=xBGR", CUDA ", format=I420_10BE",
  CUDA ", format=NV16", CUDA ", format=GRAY10_LE32",
  "video/x-raw(memory:GLMemory), format=RGBA",
  "video/x-raw(memory:CUDAMemory, format:Interlaced), format=RGB, "
      "interlace-mode=alternate"
};

GST_START_TEST (test_refused)
{
  gchar *text = g_strdup_printf ("%s, width=53, height=7, framerate=30/1",
      refused[__i__]);
  GstCaps *caps = gst_caps_from_string (text);
  GstCaps *good = frames_caps (ON_GPU, "RGB", 53, 7);
  Line *line = line_new (line_context, "cudagray name=gray", ANY_GRAY);
  GstPad *pad = gst_element_get_static_pad (line->gray, "sink");

  fail_if (gst_pad_query_accept_caps (pad, caps));
  fail_unless (gst_pad_query_accept_caps (pad, good));
  run_good (line, good);
  /* Sticky events are never refused, but the buffer that follows. */
  gst_pad_push_event (line->harness->srcpad, gst_event_new_caps (caps));
  fail_unless_equals_int (gst_harness_push (line->harness,
          gst_buffer_new_allocate (NULL, 53 * 7 * 4, NULL)),
      GST_FLOW_NOT_NEGOTIATED);
  run_good (line, good);
  gst_object_unref (pad);
  gst_caps_unref (caps);
  gst_caps_unref (good);
  g_free (text);
  line_free (line);
}

GST_END_TEST;

#define OVERLAY "meta:GstVideoOverlayComposition"

/* What GRAY8 can't have becomes its own. */
static const struct
{
  guint overlay;                /* 2: with system memory by name */
  const gchar *fields, *colorimetry, *becomes;
} survivors[] = {
  {0, "framerate=0/1", NULL, NULL},
  {0, "framerate=0/1, max-framerate=60/1", "bt709", "1:4:5:1"},
  {0, "framerate=30000/1001, pixel-aspect-ratio=4/3", "sRGB", "1:4:7:1"},
  {0, "framerate=25/1, interlace-mode=interleaved, "
        "field-order=top-field-first", NULL, NULL},
  {0, "framerate=25/1, multiview-mode=side-by-side, multiview-flags="
        "(GstVideoMultiviewFlagsSet)0:ffffffff:/right-view-first, views=1",
      NULL, NULL},
  {0, "framerate=25/1, mastering-display-info=(string)1:2:3:4:5:6:7:8:9:10,"
        " content-light-level=(string)1000:400", "1:1:5:1", "1:4:5:1"},
  {0, "framerate=25/1, some-field=(string)kept, other-field=(int)7", NULL,
      NULL},
  {1, "framerate=25/1", "2:1:7:1", "1:4:7:1"},
  {2, "framerate=25/1", NULL, NULL},
};

static const gchar *
survivor_features (guint row, gboolean cuda)
{
  if (survivors[row].overlay != 0 && cuda)
    return "(memory:CUDAMemory, " OVERLAY ")";
  if (survivors[row].overlay == 2)
    return "(memory:SystemMemory, " OVERLAY ")";
  if (survivors[row].overlay == 1)
    return "(" OVERLAY ")";
  return cuda ? ON_GPU : "";
}

static GstCaps *
survivor_caps (guint row, const gchar * format, gboolean cuda,
    const gchar * colorimetry)
{
  gchar *text = g_strdup_printf ("video/x-raw%s, format=%s, width=53, "
      "height=7, %s", survivor_features (row, cuda), format,
      survivors[row].fields);
  GstCaps *caps = gst_caps_from_string (text);

  fail_unless (caps != NULL, "bad caps %s", text);
  if (colorimetry != NULL)
    gst_caps_set_simple (caps, "colorimetry", G_TYPE_STRING, colorimetry, NULL);
  g_free (text);
  return caps;
}

/* Between all kinds of memory. */
GST_START_TEST (test_fields_survive)
{
  guint row = __i__ / 4;
  GstCaps *in = survivor_caps (row, "RGB", __i__ % 2,
      survivors[row].colorimetry);
  GstCaps *gray = survivor_caps (row, "GRAY8", __i__ / 2 % 2,
      survivors[row].becomes), *out;
  gchar *filter = g_strdup_printf ("video/x-raw%s, format=GRAY8",
      survivor_features (row, __i__ / 2 % 2));
  Line *line = line_new (line_context, "cudagray name=gray", filter);

  run_good (line, in);
  out = line_output_caps (line);
  fail_unless (gst_caps_is_equal (out, gray), "%s\n-> %s",
      gst_caps_to_string (in), gst_caps_to_string (out));
  gst_caps_unref (out);
  gst_caps_unref (gray);
  gst_caps_unref (in);
  g_free (filter);
  line_free (line);
}

GST_END_TEST;

static Suite *
negotiation_suite (void)
{
  Suite *suite = suite_create ("negotiation");
  TCase *tests = tcase_create ("caps");

  /* Or it can't be read from text. */
  g_type_ensure (GST_TYPE_VIDEO_MULTIVIEW_FLAGSET);
  rig_check_leaks (tests);
  line_make_context (tests);
  tcase_add_test (tests, test_templates);
  tcase_add_loop_test (tests, test_sink_offers_cuda_first, 0,
      G_N_ELEMENTS (ends));
  tcase_add_test (tests, test_cpu_offers_no_cuda);
  tcase_add_loop_test (tests, test_input_kind_is_kept, 0, 8);
  tcase_add_loop_test (tests, test_input_kind_before_order, 0, 4);
  tcase_add_loop_test (tests, test_refused, 0, G_N_ELEMENTS (refused));
  tcase_add_loop_test (tests, test_fields_survive, 0,
      4 * G_N_ELEMENTS (survivors));
  suite_add_tcase (suite, tests);
  tests = tcase_create ("pipelines");
  rig_check_leaks (tests);
  pipe_stop_leftovers (tests);
  tcase_add_loop_test (tests, test_cpu_refuses_cuda, 0, 2);
  suite_add_tcase (suite, tests);
  return suite;
}

int
main (int argc, char **argv)
{
  return rig_gpu_main (argc, argv, negotiation_suite);
}
