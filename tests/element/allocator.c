/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* The memory that the element offers upstream, and its allocator.
 * CUDAGRAY_PINNED_MIB is 64 here. */

#include "rig.h"

#include "gpu.h"
#include "gstcudagrayallocator.h"
#include "scarce.h"

#define BUDGET ((gsize) 64 << 20)

static GstAllocator *allocator;

static void
assert_all_free (void)
{
  GpuBlockUse use;

  gpu_blocks_use (&use);
  fail_unless (use.used == 0, "%" G_GSIZE_FORMAT " bytes are in use", use.used);
  fail_unless (use.free == 0 && use.pinned == 0);
}

static void
setup (void)
{
  assert_all_free ();
  gpu_blocks_keep ();
  allocator = gst_cuda_gray_allocator_new (g_str_equal (rig_backend (),
          "cuda"));
}

static void
teardown (void)
{
  gst_object_unref (allocator);
  gpu_blocks_release ();
  assert_all_free ();
}

static GstMemory *
alloc (gsize size)
{
  GstMemory *memory = gst_allocator_alloc (allocator, size, NULL);

  fail_unless (memory != NULL);
  return memory;
}

static guint8 *
address (GstMemory * memory)
{
  GstMapInfo map;
  guint8 *data;

  fail_unless (gst_memory_map (memory, &map, GST_MAP_READWRITE));
  data = map.data;
  gst_memory_unmap (memory, &map);
  return data;
}

/* Writes to the first and the last byte, for a sanitizer or the MMU to see. */
static void
touch (GstMemory * memory, gsize size)
{
  GstMapInfo map;

  fail_unless (gst_memory_map (memory, &map, GST_MAP_WRITE));
  fail_unless_equals_int (map.size, size);
  memset (map.data, 0x5a, size);
  gst_memory_unmap (memory, &map);
}

GST_START_TEST (test_params)
{
  static const GstAllocationParams rows[] = {
    {0, 0, 0, 0}, {0, 63, 0, 0}, {0, 4095, 0, 0}, {0, 65535, 0, 0},
    {0, 8191, 16, 0}, {0, 63, 100, 0}, {0, 63, 0, 100},
    {0, 65535, 4096, 5000},
    {GST_MEMORY_FLAG_ZERO_PREFIXED, 15, 64, 0},
    {GST_MEMORY_FLAG_ZERO_PADDED, 15, 0, 64},
    {GST_MEMORY_FLAG_ZERO_PREFIXED | GST_MEMORY_FLAG_ZERO_PADDED, 65535, 4096,
        4096},
    {GST_MEMORY_FLAG_READONLY, 31, 8, 8},
  };
  static const gsize sizes[] = { 1, 24, 4096, 4097, 100000, 3 << 20 };

  for (guint i = 0; i < G_N_ELEMENTS (rows) * G_N_ELEMENTS (sizes); i++) {
    GstAllocationParams params = rows[i / G_N_ELEMENTS (sizes)];
    gsize size = sizes[i % G_N_ELEMENTS (sizes)], offset, maxsize;
    GstMemory *memory;
    GstMapInfo map;
    guint8 *start;

    /* Dirty blocks first, so that zeros are of the allocator's making. */
    memory = alloc (params.prefix + size + params.padding +
        (params.align >= 4096 ? params.align : 0));
    touch (memory, memory->size);
    gst_memory_unref (memory);

    memory = gst_allocator_alloc (allocator, size, &params);
    fail_unless (memory != NULL);
    fail_unless (memory->allocator == allocator);
    fail_unless (gst_memory_is_type (memory, GST_CUDA_GRAY_MEMORY_TYPE));
    fail_unless_equals_int (gst_memory_get_sizes (memory, &offset, &maxsize),
        size);
    fail_unless_equals_int (offset, params.prefix);
    fail_unless (maxsize >= params.prefix + size + params.padding);
    fail_unless_equals_int (GST_MEMORY_FLAGS (memory) & params.flags,
        params.flags);
    fail_unless (gst_memory_map (memory, &map, GST_MAP_READ));
    start = map.data - params.prefix;
    fail_unless_equals_int (((guintptr) start) & params.align, 0);
    for (gsize z = 0; (params.flags & GST_MEMORY_FLAG_ZERO_PREFIXED) &&
        z < params.prefix; z++)
      fail_unless_equals_int (start[z], 0);
    for (gsize z = 0; (params.flags & GST_MEMORY_FLAG_ZERO_PADDED) &&
        z < params.padding; z++)
      fail_unless_equals_int (map.data[size + z], 0);
    gst_memory_unmap (memory, &map);
    if (!GST_MEMORY_IS_READONLY (memory))
      touch (memory, size);
    gst_memory_unref (memory);
  }
}

GST_END_TEST;

GST_START_TEST (test_impossible_sizes)
{
  static const GstAllocationParams rows[] = {
    {0, 63, G_MAXSIZE, 0}, {0, 63, 0, G_MAXSIZE}, {0, 65535, G_MAXSIZE / 2,
        G_MAXSIZE / 2}, {0, 63, 0, G_MAXSSIZE},
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    GstAllocationParams params = rows[i];

    fail_unless (gst_allocator_alloc (allocator, 64, &params) == NULL);
  }
}

GST_END_TEST;

GST_START_TEST (test_copy_is_plain)
{
  GstMemory *memory = alloc (1000), *copy;
  GstMapInfo map;

  touch (memory, 1000);
  copy = gst_memory_copy (memory, 10, 100);
  fail_unless (gst_memory_is_type (copy, GST_ALLOCATOR_SYSMEM));
  gst_memory_unref (memory);
  fail_unless (gst_memory_map (copy, &map, GST_MAP_READ));
  fail_unless_equals_int (map.size, 100);
  fail_unless (map.data[0] == 0x5a && map.data[99] == 0x5a);
  gst_memory_unmap (copy, &map);
  gst_memory_unref (copy);
}

GST_END_TEST;

GST_START_TEST (test_no_memory_for_a_copy)
{
  GstMemory *memory = alloc (1000);

  scarce_begin ();
  fail_unless (gst_memory_copy (memory, 0, -1) == NULL);
  scarce_end ();
  touch (memory, 1000);
  gst_memory_unref (memory);
}

GST_END_TEST;

/* A part of a part; both keep the block. */
GST_START_TEST (test_share)
{
  GstMemory *memory = alloc (1000), *part, *rest, *copy;
  guint8 *data = address (memory);
  GpuBlockUse use;

  part = gst_memory_share (memory, 100, 200);
  rest = gst_memory_share (part, 50, -1);
  fail_unless (part->parent == memory);
  fail_unless (rest->parent == memory);
  gst_memory_unref (memory);
  gst_memory_unref (part);
  gpu_blocks_use (&use);
  fail_unless (use.used > 0);
  {
    GstMapInfo map;

    fail_unless (gst_memory_map (rest, &map, GST_MAP_READ));
    fail_unless (map.data == data + 150);
    fail_unless_equals_int (map.size, 150);
    gst_memory_unmap (rest, &map);
  }
  copy = gst_memory_copy (rest, 0, -1);
  fail_unless (gst_memory_is_type (copy, GST_ALLOCATOR_SYSMEM));
  gst_memory_unref (copy);
  gst_memory_unref (rest);
}

GST_END_TEST;

/* A block that comes back when nobody keeps blocks any more, from an
 * application that has outlived the pipeline, goes to the system. */
GST_START_TEST (test_late_blocks_are_not_kept)
{
  GstMemory *memory = alloc (640 * 480 * 3);
  GpuBlockUse use;

  gpu_blocks_release ();
  gst_memory_unref (memory);
  gpu_blocks_use (&use);
  fail_unless (use.used == 0 && use.free == 0);
  gpu_blocks_keep ();
}

GST_END_TEST;

GST_START_TEST (test_blocks_are_kept)
{
  GstMemory *first = alloc (640 * 480 * 3), *second;
  guint8 *data = address (first);
  GpuBlockUse use;

  gpu_blocks_use (&use);
  fail_unless (use.used >= 640 * 480 * 3);
  gst_memory_unref (first);
  gpu_blocks_use (&use);
  fail_unless (use.used == 0 && use.free >= 640 * 480 * 3);
  second = alloc (640 * 480 * 3);
  fail_unless (address (second) == data);
  first = alloc (640 * 480 * 3);
  fail_if (address (first) == data);
  gst_memory_unref (first);
  gst_memory_unref (second);
}

GST_END_TEST;

/* Past the budget, and without a GPU, memory is ordinary and as good. */
GST_START_TEST (test_budget)
{
  GstMemory *memory[10];
  GpuBlockUse use;

  gpu_blocks_use (&use);
  fail_unless (use.budget == BUDGET);
  for (guint i = 0; i < G_N_ELEMENTS (memory); i++) {
    memory[i] = alloc (10 << 20);
    touch (memory[i], 10 << 20);
    gpu_blocks_use (&use);
    fail_unless (use.pinned <= BUDGET);
    if (g_str_equal (rig_backend (), "cuda"))
      fail_unless (use.pinned == MIN (i + 1, 6) * ((gsize) 10 << 20));
    else
      fail_unless (use.pinned == 0);
  }
  for (guint i = 0; i < G_N_ELEMENTS (memory); i++)
    gst_memory_unref (memory[i]);
}

GST_END_TEST;

static GstQuery *
ask (Rig * rig, gboolean need_pool)
{
  GstCaps *caps = gst_pad_get_current_caps (rig->harness->srcpad);
  GstQuery *query = gst_query_new_allocation (caps, need_pool);

  fail_unless (gst_pad_peer_query (rig->harness->srcpad, query));
  gst_caps_unref (caps);
  return query;
}

static void
check_pool (GstBufferPool * pool)
{
  GstBuffer *buffer[5];

  fail_unless (gst_buffer_pool_set_active (pool, TRUE));
  for (guint i = 0; i < G_N_ELEMENTS (buffer); i++) {
    GstMemory *memory;

    fail_unless_equals_int (gst_buffer_pool_acquire_buffer (pool, &buffer[i],
            NULL), GST_FLOW_OK);
    fail_unless_equals_int (gst_buffer_n_memory (buffer[i]), 1);
    memory = gst_buffer_peek_memory (buffer[i], 0);
    fail_unless (gst_memory_is_type (memory, GST_CUDA_GRAY_MEMORY_TYPE));
    fail_unless_equals_int (((guintptr) address (memory)) & 63, 0);
    touch (memory, 24 * 16 * 3);
  }
  for (guint i = 0; i < G_N_ELEMENTS (buffer); i++)
    gst_buffer_unref (buffer[i]);
  gst_buffer_pool_set_active (pool, FALSE);
}

/* The allocator is parameter 0, since a base class gives the pool that one;
 * the pool has it as well. */
GST_START_TEST (test_proposal)
{
  gboolean need_pool = __i__;
  GstAllocationParams params;
  GstBufferPool *pool = NULL;
  GstAllocator *offered;
  guint size, min, max;
  GstQuery *query;
  Rig *rig = rig_new ();

  rig_set_format (rig, "RGB", 24, 16, NULL);
  query = ask (rig, need_pool);
  fail_unless (gst_query_get_n_allocation_params (query) > 0);
  gst_query_parse_nth_allocation_param (query, 0, &offered, &params);
  fail_unless_equals_string (offered->mem_type, GST_CUDA_GRAY_MEMORY_TYPE);
  fail_unless (params.align >= 63);
  fail_unless (gst_query_find_allocation_meta (query,
          GST_VIDEO_META_API_TYPE, NULL));
  fail_unless (gst_query_get_n_allocation_pools (query) > 0);
  gst_query_parse_nth_allocation_pool (query, 0, &pool, &size, &min, &max);
  fail_unless_equals_int (pool != NULL, need_pool);
  fail_unless_equals_int (size, 24 * 16 * 3);
  fail_unless_equals_int (max, 0);
  if (pool != NULL)
    check_pool (pool);
  gst_clear_object (&pool);
  gst_object_unref (offered);
  gst_query_unref (query);
  rig_free (rig);
}

GST_END_TEST;

/* Input and output of a stream in the element's own memory, to and fro. */
GST_START_TEST (test_stream_in_own_memory)
{
  Picture *picture = picture_new_random (24, 16, 1);
  GstBufferPool *pool = NULL;
  GstQuery *query;
  Rig *rig = rig_new ();

  rig_set_format (rig, "RGB", 24, 16, NULL);
  query = ask (rig, TRUE);
  gst_query_parse_nth_allocation_pool (query, 0, &pool, NULL, NULL, NULL);
  gst_query_unref (query);
  fail_unless (gst_buffer_pool_set_active (pool, TRUE));
  for (guint i = 0; i < 20; i++) {
    GstBuffer *plain = picture_plain_buffer (picture, pixels_find ("RGB"));
    GstBuffer *in, *out;
    GstMapInfo map;

    gst_buffer_pool_acquire_buffer (pool, &in, NULL);
    gst_buffer_map (plain, &map, GST_MAP_READ);
    gst_buffer_fill (in, 0, map.data, map.size);
    gst_buffer_unmap (plain, &map);
    gst_buffer_unref (plain);
    out = rig_run_checked (rig, in, picture, &rule_default);
    fail_unless (gst_memory_is_type (gst_buffer_peek_memory (out, 0),
            GST_CUDA_GRAY_MEMORY_TYPE));
    gst_buffer_unref (out);
  }
  /* Where there is a GPU, it reached both. */
  if (rig->watched)
    fail_unless_equals_uint64 (stat_count (rig->element, "frames-in-place"),
        20);
  gst_buffer_pool_set_active (pool, FALSE);
  gst_object_unref (pool);
  picture_free (picture);
  rig_free (rig);
}

GST_END_TEST;

/* Downstream's own allocator: its memory is used for output.  In passthrough
 * its answer is what upstream gets. */
GST_START_TEST (test_downstream_allocator)
{
  const gchar *format = __i__ ? "GRAY8" : "RGB";
  GstAllocator *theirs = gst_allocator_find (GST_ALLOCATOR_SYSMEM), *offered;
  GstAllocationParams asked = { 0, 127, 32, 64 }, params;
  Picture *picture = picture_new (24, 16, NULL);
  GstQuery *query;
  GstBuffer *out;
  Rig *rig = rig_new ();

  gst_harness_set_propose_allocator (rig->harness, gst_object_ref (theirs),
      &asked);
  rig_set_format (rig, format, 24, 16, NULL);
  out = rig_run_checked (rig, picture_plain_buffer (picture,
          pixels_find (format)), picture, &rule_default);
  query = ask (rig, TRUE);
  gst_query_parse_nth_allocation_param (query, 0, &offered, &params);
  fail_unless_equals_string (offered->mem_type, __i__ ? GST_ALLOCATOR_SYSMEM :
      GST_CUDA_GRAY_MEMORY_TYPE);
  if (__i__) {
    fail_unless_equals_int (gst_query_get_n_allocation_params (query), 1);
    fail_unless_equals_int (gst_query_get_n_allocation_pools (query), 0);
    fail_unless_equals_int (params.align, asked.align);
    fail_unless_equals_int (params.prefix, asked.prefix);
    fail_unless_equals_int (params.padding, asked.padding);
  } else {
    GstMemory *memory = gst_buffer_peek_memory (out, 0);
    gsize offset;

    /* The params that it asked for hold for our memory too. */
    gst_memory_get_sizes (memory, &offset, NULL);
    fail_unless_equals_int (offset, asked.prefix);
    fail_unless_equals_int (((guintptr) address (memory) - offset) & 127, 0);
  }
  gst_object_unref (offered);
  gst_query_unref (query);
  gst_buffer_unref (out);
  picture_free (picture);
  rig_free (rig);
  gst_object_unref (theirs);
}

GST_END_TEST;

static void
add_tests (TCase * tests)
{
  tcase_add_checked_fixture (tests, setup, teardown);
  tcase_add_test (tests, test_params);
  tcase_add_test (tests, test_impossible_sizes);
  tcase_add_test (tests, test_copy_is_plain);
  tcase_add_test (tests, test_no_memory_for_a_copy);
  tcase_add_test (tests, test_share);
  tcase_add_test (tests, test_blocks_are_kept);
  tcase_add_test (tests, test_late_blocks_are_not_kept);
  tcase_add_test (tests, test_budget);
  tcase_add_loop_test (tests, test_proposal, 0, 2);
  tcase_add_test (tests, test_stream_in_own_memory);
  tcase_add_loop_test (tests, test_downstream_allocator, 0, 2);
}

int
main (int argc, char **argv)
{
  return rig_main (argc, argv, "element-allocator", add_tests);
}
