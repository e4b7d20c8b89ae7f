/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Negotiation: formats, sizes, and what else stands on caps. */

#include "caps.h"
#include "deepframe.h"
#include "rig.h"
#include "yuvframe.h"

/* tests/memory has those in the GPU's memory. */
static GstCaps *
without_cuda (GstCaps * caps)
{
  GstCaps *result = gst_caps_new_empty ();

  for (guint i = 0; i < gst_caps_get_size (caps); i++) {
    if (!cuda_gray_caps_is_cuda (caps, i))
      gst_caps_append (result, gst_caps_copy_nth (caps, i));
  }
  return result;
}

#define GRAY "GRAY8, GRAY16_LE, GRAY16_BE"
#define SINK_GRAY "GRAY8, GRAY10_LE32, GRAY16_LE, GRAY16_BE"

/* Every format that is documented, in one list and in that order. */
static gchar *
sink_formats (void)
{
  GString *list = g_string_new ("{ ");

  for (guint i = 0; i < N_RGB_FORMATS; i++)
    g_string_append_printf (list, "%s, ", formats[i].name);
  for (guint i = 0; i < N_DEEP_RGB; i++)
    g_string_append_printf (list, "%s, ", deep_formats[i].name);
  for (guint i = 0; i < N_YUV_FORMATS; i++)
    g_string_append_printf (list, "%s, ", yuv_formats[i].name);
  for (guint i = 0; i < N_DEEP_YUV; i++)
    g_string_append_printf (list, "%s, ", deep_formats[N_DEEP_RGB + i].name);
  g_string_append (list, SINK_GRAY " }");
  return g_string_free (list, FALSE);
}

/* Lists with their order, which gst_value_compare does not look at. */
static void
compare_formats (GstCaps * caps, guint index, GstCaps * expected)
{
  gchar *got = gst_value_serialize (gst_structure_get_value
      (gst_caps_get_structure (caps, index), "format"));
  gchar *wanted = gst_value_serialize (gst_structure_get_value
      (gst_caps_get_structure (expected, 0), "format"));

  fail_unless (g_str_equal (got, wanted), "%s, not %s", got, wanted);
  g_free (got);
  g_free (wanted);
}

GST_START_TEST (test_templates)
{
  static const gchar *features[] = {
    "", "(memory:SystemMemory, meta:GstVideoOverlayComposition)",
    "(meta:GstVideoOverlayComposition)", "(format:Interlaced)"
  };
  GstElementFactory *factory = gst_element_factory_find ("cudagray");
  const GList *pads = gst_element_factory_get_static_pad_templates (factory);

  for (; pads != NULL; pads = pads->next) {
    GstStaticPadTemplate *pad = pads->data;
    GstCaps *template = gst_static_pad_template_get_caps (pad);
    GstCaps *caps = without_cuda (template);
    gboolean sink = pad->direction == GST_PAD_SINK;

    for (guint f = 0; f < G_N_ELEMENTS (features); f++) {
      gchar *list = sink ? sink_formats () : g_strdup ("{ " GRAY " }");
      gchar *text = g_strdup_printf ("video/x-raw%s, format=%s%s", features[f],
          list, f == 3 ? ", interlace-mode=alternate" : "");
      GstCaps *expected = gst_caps_from_string (text);

      fail_unless (gst_caps_features_is_equal (gst_caps_get_features (caps, f),
              gst_caps_get_features (expected, 0)), "features %u", f);
      compare_formats (caps, f, expected);
      gst_caps_unref (expected);
      g_free (list);
      g_free (text);
    }
    gst_caps_unref (caps);
    gst_caps_unref (template);
  }
  gst_object_unref (factory);
}

GST_END_TEST;

/* Case 36.  height is that of a buffer: a field where they alternate. */
static const struct
{
  const gchar *features, *fields;
  guint caps_height;
} survivors[] = {
  {"", "framerate=0/1", 3},
  {"", "framerate=0/1, max-framerate=60/1", 3},
  {"", "framerate=30000/1001, pixel-aspect-ratio=4/3", 3},
  {"", "framerate=25/1, interlace-mode=interleaved, "
        "field-order=top-field-first", 3},
  {"", "framerate=25/1, interlace-mode=mixed", 3},
  {"", "framerate=25/1, interlace-mode=progressive", 3},
  {"", "framerate=25/1, multiview-mode=side-by-side, multiview-flags="
        "(GstVideoMultiviewFlagsSet)0:ffffffff:/right-view-first, views=1", 3},
  {"", "framerate=25/1, multiview-mode=frame-by-frame, views=2", 3},
  {"", "framerate=25/1, mastering-display-info=(string)1:2:3:4:5:6:7:8:9:10, "
        "content-light-level=(string)1000:400", 3},
  {"", "framerate=25/1, some-field=(string)kept, other-field=(int)7", 3},
  {"(memory:SystemMemory, meta:GstVideoOverlayComposition)",
      "framerate=25/1", 3},
  {"(meta:GstVideoOverlayComposition)", "framerate=25/1", 3},
  {"(format:Interlaced)", "framerate=25/1, interlace-mode=alternate", 6},
};

GST_START_TEST (test_fields_survive)
{
  Picture *picture = picture_new_s5 ();

  /* Or it can't be read from text. */
  g_type_ensure (GST_TYPE_VIDEO_MULTIVIEW_FLAGSET);
  for (guint i = 0; i < G_N_ELEMENTS (survivors); i++) {
    const Pixels *pixels = &formats[i % N_RGB_FORMATS];
    gchar *text = g_strdup_printf ("video/x-raw%s, format=%s, width=5, "
        "height=%u, %s", survivors[i].features, pixels->name,
        survivors[i].caps_height, survivors[i].fields);
    GstCaps *in = gst_caps_from_string (text), *out;
    Rig *rig = rig_new ();
    gchar *got;

    fail_unless (in != NULL, "bad caps %s", text);
    rig_set_caps (rig, gst_caps_ref (in));
    gst_buffer_unref (rig_run_checked (rig, picture_plain_buffer (picture,
                pixels), picture, &rule_default));
    out = rig_output_caps (rig);
    gst_caps_set_simple (in = gst_caps_make_writable (in), "format",
        G_TYPE_STRING, "GRAY8", NULL);
    got = gst_caps_to_string (out);
    fail_unless (gst_caps_is_strictly_equal (in, out), "%s\n-> %s", text, got);
    g_free (got);
    gst_caps_unref (in);
    gst_caps_unref (out);
    g_free (text);
    rig_free (rig);
  }
  picture_free (picture);
}

GST_END_TEST;

/* The order that upstream's choice follows: frames in plain memory come first,
 * and all formats stand in one list. */
GST_START_TEST (test_order_of_caps)
{
  Rig *rig = rig_new ();
  GstPad *pads[2] = { gst_element_get_static_pad (rig->element, "sink"),
    gst_element_get_static_pad (rig->element, "src")
  };

  for (guint i = 0; i < 2; i++) {
    GstCaps *answer = gst_pad_query_caps (pads[i], NULL);
    GstCaps *template = gst_pad_get_pad_template_caps (pads[i]);
    GstCaps *caps = without_cuda (answer), *all = without_cuda (template);
    gchar *text = gst_caps_to_string (answer);

    /* Where the GPU's memory is there it comes first. */
    fail_unless (gst_caps_is_equal (answer, all) ||
        gst_caps_is_equal (answer, template), "%s", text);
    fail_unless (gst_caps_is_equal (caps, all), "%s", text);
    fail_unless_equals_int (gst_caps_get_size (caps), 4);
    for (guint s = 0; s < 4; s++)
      fail_unless (gst_caps_features_is_equal (gst_caps_get_features (caps, s),
              gst_caps_get_features (all, s)), "%s", text);
    g_free (text);
    gst_caps_unref (caps);
    gst_caps_unref (all);
    gst_caps_unref (answer);
    gst_caps_unref (template);
    gst_object_unref (pads[i]);
  }
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_chroma_site_goes)
{
  Picture *picture = picture_new_s5 ();
  Rig *rig = rig_new ();
  GstCaps *caps;

  rig_set_format (rig, "RGB", 5, 3, "chroma-site=(string)mpeg2");
  gst_buffer_unref (rig_run_checked (rig, picture_plain_buffer (picture,
              pixels_find ("RGB")), picture, &rule_default));
  caps = rig_output_caps (rig);
  fail_if (gst_structure_has_field (gst_caps_get_structure (caps, 0),
          "chroma-site"));
  gst_caps_unref (caps);
  picture_free (picture);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_refused)
{
  /* The last two are seen through only when they are parsed. */
  static const gchar *rows[] = {
    "video/x-raw, format=v210, width=4, height=4, framerate=1/1",
    "video/x-raw, format=NV12_10LE32, width=4, height=4, framerate=1/1",
    "video/x-raw, format=A420, width=4, height=4, framerate=1/1",
    "video/x-raw(memory:CUDAMemory), format=RGB, width=4, height=4, "
        "framerate=1/1",
    "video/x-raw(memory:DMABuf), format=RGB, width=4, height=4, "
        "framerate=1/1",
    "video/x-raw(memory:GLMemory), format=RGBA, width=4, height=4, "
        "framerate=1/1",
    "video/x-raw, format=RGB, width=0, height=4, framerate=1/1",
    "video/x-raw, format=RGB, width=4, height=0, framerate=1/1",
    "audio/x-raw, format=S16LE, rate=8000, channels=1, layout=interleaved",
    "video/x-raw, format=RGB, interlace-mode=alternate, width=4, height=4, "
        "framerate=1/1",
    "video/x-raw(format:Interlaced), format=RGB, width=4, height=4, "
        "framerate=1/1",
  };
  Picture *picture = picture_new_s5 ();

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    GstCaps *caps = gst_caps_from_string (rows[i]);
    Rig *rig = rig_new ();
    GstPad *pad = gst_element_get_static_pad (rig->element, "sink");

    /* That is refused where no GPU is at work. */
    if (cuda_gray_caps_is_cuda (caps, 0) &&
        g_str_equal (rig_backend (), "cuda"))
      gst_caps_set_simple (caps, "format", G_TYPE_STRING, "A420", NULL);
    rig_set_format (rig, "RGB", 5, 3, NULL);
    gst_buffer_unref (rig_run (rig, picture_plain_buffer (picture,
                pixels_find ("RGB"))));
    fail_unless_equals_int (gst_pad_query_accept_caps (pad, caps),
        i + 2 >= G_N_ELEMENTS (rows));
    /* Sticky events are never refused, but the buffer that follows. */
    gst_pad_push_event (rig->harness->srcpad, gst_event_new_caps (caps));
    rig_run_dropped (rig, picture_plain_buffer (picture,
            pixels_find ("RGB")), GST_FLOW_NOT_NEGOTIATED);
    /* What comes next is right. */
    rig_set_format (rig, "BGRA", 5, 3, NULL);
    gst_buffer_unref (rig_run_checked (rig, picture_plain_buffer (picture,
                pixels_find ("BGRA")), picture, &rule_default));
    gst_caps_unref (caps);
    gst_object_unref (pad);
    rig_free (rig);
  }
  picture_free (picture);
}

GST_END_TEST;

/* After a flush the base class goes on with the caps that it had. */
GST_START_TEST (test_refused_then_flushed)
{
  static const gchar *rows[] = {
    "video/x-raw, format=GBR, width=5, framerate=1/1",
    "video/x-raw(format:Interlaced), format=BGRA, width=9, height=4, "
        "framerate=1/1",
  };
  Picture *picture = picture_new_s5 ();

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    GstCaps *caps = gst_caps_from_string (rows[i]);
    Rig *rig = rig_new ();
    GstFlowReturn flow;
    GstBuffer *out;

    rig_set_format (rig, "RGB", 5, 3, NULL);
    gst_buffer_unref (rig_run (rig, picture_plain_buffer (picture,
                pixels_find ("RGB"))));
    gst_pad_push_event (rig->harness->srcpad, gst_event_new_caps (caps));
    gst_pad_push_event (rig->harness->srcpad,
        gst_event_new_flush_stop (TRUE));
    gst_pad_push_event (rig->harness->sinkpad, gst_event_new_reconfigure ());
    /* A new segment would bring the refused caps again.  Newer base classes
     * refuse the frame, older ones go on with the caps from before. */
    ASSERT_WARNING (flow = gst_harness_push (rig->harness,
            picture_plain_buffer (picture, pixels_find ("RGB"))));
    out = gst_harness_try_pull (rig->harness);
    fail_unless_equals_int (flow, out != NULL ? GST_FLOW_OK :
        GST_FLOW_NOT_NEGOTIATED);
    if (out != NULL)
      rig_check (rig, out, picture, &rule_default);
    gst_clear_buffer (&out);
    gst_caps_unref (caps);
    rig_free (rig);
  }
  picture_free (picture);
}

GST_END_TEST;

static void
add_tests (TCase * tests)
{
  tcase_add_test (tests, test_templates);
  tcase_add_test (tests, test_fields_survive);
  tcase_add_test (tests, test_order_of_caps);
  tcase_add_test (tests, test_chroma_site_goes);
  tcase_add_test (tests, test_refused);
  tcase_add_test (tests, test_refused_then_flushed);
}

int
main (int argc, char **argv)
{
  return rig_main (argc, argv, "element-caps", add_tests);
}
