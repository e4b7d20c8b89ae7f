/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Pools of memory:CUDAMemory: the one that upstream is offered, and that of
 * the output. */

#include "line.h"

#ifdef SIMULATED
#include "driver.h"
#endif

#define ON_GPU "(memory:CUDAMemory)"
#define SYSTEM_GRAY "video/x-raw, format=GRAY8"
#define CUDA_GRAY CUDA ", format=GRAY8"

/* What the element shares with its peers.  (transfer full) */
static GstCudaContext *
context_of (GstElement * element)
{
  GstPad *pad = gst_element_get_static_pad (element, "sink");
  GstQuery *query = gst_query_new_context (GST_CUDA_CONTEXT_TYPE);
  GstCudaContext *found = NULL;
  GstContext *answer = NULL;

  fail_unless (gst_pad_query (pad, query));
  gst_query_parse_context (query, &answer);
  fail_unless (gst_structure_get (gst_context_get_structure (answer),
          GST_CUDA_CONTEXT_TYPE, GST_TYPE_CUDA_CONTEXT, &found, NULL));
  gst_query_unref (query);
  gst_object_unref (pad);
  return found;
}

static const struct
{
  const gchar *format, *colorimetry, *out;
} offers[] = {
  {"RGB", NULL, CUDA_GRAY}, {"RGB", NULL, SYSTEM_GRAY},
  {"GBRA", NULL, CUDA_GRAY}, {"GRAY8", NULL, SYSTEM_GRAY},
  {"GRAY8", "2:4:7:1", CUDA_GRAY ", colorimetry=(string)1:4:7:1"},
};

/* Upstream is offered the memory that the element works in. */
GST_START_TEST (test_offered_pool)
{
  guint row = __i__ / 2;
  Line *line = line_new (__i__ % 2 ? line_context : NULL, "cudagray name=gray",
      offers[row].out);
  GstCaps *caps = frames_caps (ON_GPU, offers[row].format, 641, 33);
  GstCudaContext *shared;
  GstCudaMemory *memory;
  GstVideoMeta *meta;
  GstBuffer *buffer;
  GstQuery *query;

  if (offers[row].colorimetry != NULL)
    gst_caps_set_simple (caps, "colorimetry", G_TYPE_STRING,
        offers[row].colorimetry, NULL);
  line_set_caps (line, gst_caps_ref (caps));
  query = gst_query_new_allocation (caps, TRUE);
  fail_unless (gst_pad_peer_query (line->harness->srcpad, query));
  fail_unless (gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE,
          NULL));
  gst_query_unref (query);
  buffer = frames_new_for (line->harness->srcpad, caps, row);
  memory = frames_memory (buffer);
  meta = gst_buffer_get_video_meta (buffer);
  shared = context_of (line->gray);
  fail_unless (memory->context == shared);
  fail_unless (__i__ % 2 == 0 || shared == line_context);
  fail_unless_equals_string (GST_VIDEO_INFO_NAME (&memory->info),
      offers[row].format);
  fail_unless (meta != NULL && meta->width == 641 && meta->height == 33);
  fail_unless_equals_int (meta->stride[0], memory->info.stride[0]);
  gst_buffer_unref (line_run (line, buffer));
  line_check_in_place (line, 1);
  gst_object_unref (shared);
  gst_caps_unref (caps);
  line_free (line);
}

GST_END_TEST;

static void
check_output (GstBuffer * out, gint width, gint height)
{
  const GstCudaMemory *memory = frames_memory (out);
  const GstVideoMeta *meta = gst_buffer_get_video_meta (out);

  fail_unless (memory->context == line_context);
  fail_unless_equals_string (GST_VIDEO_INFO_NAME (&memory->info), "GRAY8");
  fail_unless_equals_int (memory->info.width, width);
  fail_unless_equals_int (memory->info.height, height);
  fail_unless (memory->info.stride[0] >= width);
  fail_unless (memory->info.size >= (gsize) memory->info.stride[0] * height);
  fail_unless_equals_uint64 (gst_buffer_get_size (out), memory->info.size);
  fail_unless (meta != NULL);
  fail_unless_equals_int (meta->format, GST_VIDEO_FORMAT_GRAY8);
  fail_unless_equals_int (meta->width, width);
  fail_unless_equals_int (meta->height, height);
  fail_unless_equals_int (meta->n_planes, 1);
  fail_unless_equals_int (meta->offset[0], 0);
  fail_unless_equals_int (meta->stride[0], memory->info.stride[0]);
}

static unsigned
allocations (void)
{
#ifdef SIMULATED
  return driver_allocations ();
#else
  return 0;
#endif
}

static const gint sizes[][2] = { {1, 1}, {53, 7}, {640, 3}, {1921, 5} };

/* Memory is taken from the pool again, and never made for a frame. */
GST_START_TEST (test_output_pool)
{
  gint width = sizes[__i__][0], height = sizes[__i__][1];
  Line *line = line_new (line_context, "cudaupload ! cudagray name=gray",
      CUDA_GRAY);
  GHashTable *memories = g_hash_table_new (NULL, NULL);
  GstCaps *caps = frames_caps ("", "BGRx", width, height);
  unsigned before = 0;

  line_set_caps (line, gst_caps_ref (caps));
  for (guint i = 0; i < 50; i++) {
    GstBuffer *buffer = frames_new (caps, FALSE, i), *out;
    GBytes *expected = frames_on_cpu (buffer, caps, NULL);

    out = line_run (line, buffer);
    check_output (out, width, height);
    g_hash_table_add (memories, gst_buffer_peek_memory (out, 0));
    line_check (line, out, expected);
    if (i == 2)
      before = allocations ();
    fail_unless (i < 3 || allocations () == before);
    g_bytes_unref (expected);
  }
  fail_unless (g_hash_table_size (memories) <= 2);
  g_hash_table_unref (memories);
  gst_caps_unref (caps);
  line_free (line);
}

GST_END_TEST;

/* Sinks copy their last frame when caps change, and whoever writes to memory
 * that others hold too gets a copy of it. */
GST_START_TEST (test_copies)
{
  gint width = sizes[__i__][0], height = sizes[__i__][1];
  Line *line = line_new (line_context, "cudagray name=gray", CUDA_GRAY);
  GstCaps *caps = frames_caps ("", "RGB", width, height);
  GstBuffer *buffer = frames_new (caps, FALSE, __i__), *out, *copy, *shared;
  GBytes *expected = frames_on_cpu (buffer, caps, NULL);

  line_set_caps (line, caps);
  out = line_run (line, buffer);
  copy = gst_buffer_copy_deep (out);
  fail_unless (frames_memory (copy) != frames_memory (out));
  check_output (copy, width, height);
  shared = gst_buffer_copy (out);
  fail_unless (frames_memory (shared) == frames_memory (out));
  frames_fill (shared, 7);
  fail_unless (frames_memory (shared) != frames_memory (out));
  check_output (shared, width, height);
  gst_buffer_unref (shared);
  line_check (line, gst_buffer_ref (out), expected);
  frames_fill (out, 8);
  gst_buffer_unref (out);
  line_check (line, copy, expected);
  g_bytes_unref (expected);
  line_free (line);
}

GST_END_TEST;

static Suite *
pools_suite (void)
{
  Suite *suite = suite_create ("pools");
  TCase *tests = tcase_create ("pools");

  rig_check_leaks (tests);
  line_make_context (tests);
  tcase_add_loop_test (tests, test_offered_pool, 0, 2 * G_N_ELEMENTS (offers));
  tcase_add_loop_test (tests, test_output_pool, 0, G_N_ELEMENTS (sizes));
  tcase_add_loop_test (tests, test_copies, 0, G_N_ELEMENTS (sizes));
  suite_add_tcase (suite, tests);
  return suite;
}

int
main (int argc, char **argv)
{
  return rig_gpu_main (argc, argv, pools_suite);
}
