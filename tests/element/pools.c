/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Output frames in the pool that downstream wants, and new caps with every
 * frame. */

#include "rig.h"

#define UNTOUCHED 0xEE

/* A pool that lays frames out its own way, in blocks of exactly their size:
 * rows at a stride from an odd start on, in pieces of that many bytes. */
typedef struct
{
  GstBufferPool parent;
  Layout layout;
  guint width, height;
  gsize piece;
} OddPool;

typedef GstBufferPoolClass OddPoolClass;

GType odd_pool_get_type (void);
G_DEFINE_TYPE (OddPool, odd_pool, GST_TYPE_BUFFER_POOL);

static GstFlowReturn
odd_pool_alloc_buffer (GstBufferPool * pool, GstBuffer ** buffer,
    GstBufferPoolAcquireParams * params)
{
  OddPool *self = (OddPool *) pool;
  gsize piece = self->piece ? self->piece : self->layout.size;

  *buffer = gst_buffer_new ();
  for (gsize at = 0; at < self->layout.size; at += piece) {
    gsize n = MIN (piece, self->layout.size - at);
    guint8 *data = g_malloc (n);

    memset (data, UNTOUCHED, n);
    gst_buffer_append_memory (*buffer, gst_memory_new_wrapped (0, data, n, 0,
            n, data, g_free));
  }
  layout_add_meta (&self->layout, *buffer, pixels_find ("GRAY8"),
      self->width, self->height);
  return GST_FLOW_OK;
}

static void
odd_pool_class_init (OddPoolClass * klass)
{
  klass->alloc_buffer = odd_pool_alloc_buffer;
}

static void
odd_pool_init (OddPool * self)
{
}

/* What downstream answers; pool may be NULL. */
typedef struct
{
  GstBufferPool *pool;
  gboolean has_pool_entry;
  guint size, min, max;
  gboolean video_meta;
} Answer;

static GstPadProbeReturn
answer_allocation (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (info);
  Answer *answer = data;

  if (GST_QUERY_TYPE (query) != GST_QUERY_ALLOCATION)
    return GST_PAD_PROBE_OK;
  if (answer->has_pool_entry)
    gst_query_add_allocation_pool (query, answer->pool, answer->size,
        answer->min, answer->max);
  if (answer->video_meta)
    gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
  return GST_PAD_PROBE_HANDLED;
}

static Rig *
rig_answering (Answer * answer)
{
  Rig *rig = rig_new ();

  gst_pad_add_probe (rig->harness->sinkpad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM,
      answer_allocation, answer, NULL);
  return rig;
}

/* Pushes S5 a few times; the last output stays. */
static GstBuffer *
run_s5 (Rig * rig, guint n)
{
  Picture *picture = picture_new_s5 ();
  GstBuffer *out = NULL;

  rig_set_format (rig, "RGB", S5_WIDTH, S5_HEIGHT, NULL);
  for (guint i = 0; i < n; i++) {
    gst_clear_buffer (&out);
    out = rig_run_checked (rig, picture_plain_buffer (picture,
            pixels_find ("RGB")), picture, &rule_default);
  }
  picture_free (picture);
  return out;
}

/* Case 51 a and d. */
GST_START_TEST (test_no_pool)
{
  static const Answer answers[] = {
    {NULL, FALSE, 0, 0, 0, FALSE}, {NULL, FALSE, 0, 0, 0, TRUE},
    {NULL, TRUE, 24, 0, 0, TRUE}, {NULL, TRUE, 100, 2, 0, FALSE},
    {NULL, TRUE, 1, 0, 1, FALSE}, {NULL, TRUE, 24, 1, 1, TRUE},
  };

  for (guint i = 0; i < G_N_ELEMENTS (answers); i++) {
    Answer answer = answers[i];
    Rig *rig = rig_answering (&answer);
    GstBuffer *out = run_s5 (rig, 5);

    fail_unless_equals_int (gst_buffer_get_size (out), MAX (24, answer.size));
    fail_unless (answer.video_meta || gst_buffer_get_video_meta (out) == NULL);
    gst_buffer_unref (out);
    rig_free (rig);
  }
}

GST_END_TEST;

/* Case 51 b: 256-byte rows, also one buffer alone. */
GST_START_TEST (test_aligned_pool)
{
  GstBufferPool *pool = gst_video_buffer_pool_new ();
  GstStructure *config = gst_buffer_pool_get_config (pool);
  GstCaps *caps = caps_new ("GRAY8", S5_WIDTH, S5_HEIGHT, NULL);
  guint max = __i__;
  Answer answer = { pool, TRUE, 1024, 0, max, TRUE };
  Rig *rig = rig_answering (&answer);
  GstVideoAlignment align;
  GstVideoMeta *meta;
  GstBuffer *out;

  gst_video_alignment_reset (&align);
  align.stride_align[0] = 255;
  align.padding_left = 3;
  gst_buffer_pool_config_set_params (config, caps, 1024, 0, max);
  gst_buffer_pool_config_add_option (config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  gst_buffer_pool_config_add_option (config,
      GST_BUFFER_POOL_OPTION_VIDEO_ALIGNMENT);
  gst_buffer_pool_config_set_video_alignment (config, &align);
  fail_unless (gst_buffer_pool_set_config (pool, config));
  out = run_s5 (rig, 5);
  fail_unless (out->pool == pool);
  meta = gst_buffer_get_video_meta (out);
  fail_unless (meta != NULL);
  fail_unless_equals_int (meta->stride[0] % 256, 0);
  fail_unless (meta->offset[0] != 0);
  gst_buffer_unref (out);
  gst_object_unref (pool);
  gst_caps_unref (caps);
  rig_free (rig);
}

GST_END_TEST;

/* Case 51 c: every byte that is in no row is still what it was. */
static void
assert_rest_untouched (GstBuffer * buffer, const Layout * layout)
{
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  fail_unless_equals_int (map.size, layout->size);
  for (guint y = 0; y < S5_HEIGHT; y++)
    memset (map.data + layout->offset[0] + (gssize) y * layout->stride[0],
        UNTOUCHED, S5_WIDTH);
  for (gsize i = 0; i < map.size; i++)
    fail_unless (map.data[i] == UNTOUCHED, "byte %" G_GSIZE_FORMAT, i);
  gst_buffer_unmap (buffer, &map);
}

static const struct
{
  Shape shape;
  gsize piece;
  guint max;
} odd_pools[] = {
  {{3, 0, 0, FALSE}, 0, 0}, {{3, 0, 0, FALSE}, 0, 1}, {{1, 2, 7, FALSE}, 0, 0},
  {{3, 0, 2, TRUE}, 0, 0}, {{13, 59, 64, TRUE}, 0, 1},
  {{3, 0, 2, FALSE}, 11, 0}, {{0, 0, 0, FALSE}, 0, 0},
};

GST_START_TEST (test_odd_pool)
{
  OddPool *pool = g_object_new (odd_pool_get_type (), NULL);
  Answer answer = { GST_BUFFER_POOL (pool), TRUE, 24, 0,
    odd_pools[__i__].max, TRUE
  };
  Rig *rig = rig_answering (&answer);
  GstBuffer *out;

  pool->width = S5_WIDTH;
  pool->height = S5_HEIGHT;
  pool->piece = odd_pools[__i__].piece;
  pool->layout = layout_shaped (pixels_find ("GRAY8"), S5_WIDTH, S5_HEIGHT,
      &odd_pools[__i__].shape);
  answer.size = pool->layout.size;
  out = run_s5 (rig, 5);
  fail_unless (out->pool == GST_BUFFER_POOL (pool));
  assert_rest_untouched (out, &pool->layout);
  gst_buffer_unref (out);
  gst_object_unref (pool);
  rig_free (rig);
}

GST_END_TEST;

/* A pool whose buffers are too small or whose rows overlap: an error that
 * says so, and no byte is written elsewhere. */
GST_START_TEST (test_unusable_pool)
{
  static const struct
  {
    gint stride;
    gsize size;
    const gchar *word;
  } rows[] = {
    {5, 14, "needed"}, {5, 0, "needed"}, {4, 64, "overlap"},
    {0, 64, "overlap"}, {G_MININT, 64, "needed"}, {G_MAXINT, 64, "needed"},
    {-5, 64, "needed"},
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    OddPool *pool = g_object_new (odd_pool_get_type (), NULL);
    Answer answer = { GST_BUFFER_POOL (pool), TRUE, 24, 0, 0, TRUE };
    Rig *rig = rig_answering (&answer);
    Picture *picture = picture_new_s5 ();

    pool->width = S5_WIDTH;
    pool->height = S5_HEIGHT;
    pool->layout.size = rows[i].size;
    pool->layout.stride[0] = rows[i].stride;
    rig_set_format (rig, "RGB", S5_WIDTH, S5_HEIGHT, NULL);
    rig_run_dropped (rig, picture_plain_buffer (picture,
            pixels_find ("RGB")), GST_FLOW_ERROR);
    bus_expect (rig->bus, GST_MESSAGE_ERROR, GST_RESOURCE_ERROR,
        GST_RESOURCE_ERROR_WRITE, rows[i].word, NULL);
    gst_object_unref (pool);
    picture_free (picture);
    rig_free (rig);
  }
}

GST_END_TEST;

/* Case 7: format, size and colorimetry change with every frame; outputs of
 * the past keep their bytes. */
GST_START_TEST (test_new_caps_for_each_frame)
{
  GstBuffer *out[40];
  GstCaps *caps[G_N_ELEMENTS (out)];
  Picture *picture[G_N_ELEMENTS (out)];
  Rig *rig = rig_new ();
  Rule rules[2] = { rule_default, rule_default };

  rules[1].from_limited = TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (out); i++) {
    const Pixels *pixels = &formats[i * 5 % N_RGB_FORMATS];
    guint width = 1 + i * 37 % 101, height = 1 + i * 7 % 13;

    picture[i] = picture_new_random (width, height, i);
    rig_set_format (rig, pixels->name, width, height,
        i % 2 ? "colorimetry=(string)2:1:7:1" : NULL);
    out[i] = rig_run (rig, picture_plain_buffer (picture[i], pixels));
    caps[i] = rig_output_caps (rig);
  }
  for (guint i = 0; i < G_N_ELEMENTS (out); i++) {
    assert_gray (picture[i], &rules[i % 2], out[i], caps[i]);
    gst_buffer_unref (out[i]);
    gst_caps_unref (caps[i]);
    picture_free (picture[i]);
  }
  rig_free (rig);
}

GST_END_TEST;

/* A query may have caps that are no frame's. */
GST_START_TEST (test_asked_with_any_caps)
{
  static const gchar *const any[] = { "ANY", "EMPTY", "video/x-raw",
    "video/x-raw, format=GRAY8, width=[1, 9], height=3", "audio/x-raw"
  };
  Rig *rig = rig_new ();

  rig_set_format (rig, "RGB", S5_WIDTH, S5_HEIGHT, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (any); i++) {
    GstCaps *caps = gst_caps_from_string (any[i]);
    GstQuery *query = gst_query_new_allocation (caps, TRUE);

    fail_if (gst_pad_peer_query (rig->harness->srcpad, query), "%s", any[i]);
    gst_query_unref (query);
    gst_caps_unref (caps);
  }
  rig_free (rig);
}

GST_END_TEST;

static void
add_tests (TCase * tests)
{
  tcase_add_test (tests, test_no_pool);
  tcase_add_test (tests, test_asked_with_any_caps);
  tcase_add_loop_test (tests, test_aligned_pool, 0, 2);
  tcase_add_loop_test (tests, test_odd_pool, 0, G_N_ELEMENTS (odd_pools));
  tcase_add_test (tests, test_unusable_pool);
  tcase_add_test (tests, test_new_caps_for_each_frame);
}

int
main (int argc, char **argv)
{
  return rig_main (argc, argv, "element-pools", add_tests);
}
