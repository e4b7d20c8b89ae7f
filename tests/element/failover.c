/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* A GPU that fails in the middle of a stream. */

#include "rig.h"

#include "fake.h"
#include "gstcudagrayallocator.h"
#include "scarce.h"

#define N_FRAMES 6

/* Downstream's allocator: memory of our own kind, with a list of it.  The
 * list also keeps set aside memory from being reported as leaked. */
typedef struct
{
  GstAllocator parent;
  GstAllocator *inner;
} ListingAllocator;

typedef GstAllocatorClass ListingAllocatorClass;

GType listing_allocator_get_type (void);
G_DEFINE_TYPE (ListingAllocator, listing_allocator, GST_TYPE_ALLOCATOR);

/* Volatile, since nothing but a leak checker reads it. */
static volatile gpointer listed[1024];
static guint n_listed, n_alive;

static void
list (GstMemory * memory)
{
  g_assert (n_listed < G_N_ELEMENTS (listed));
  listed[n_listed++] = memory;
}

static void
memory_is_gone (gpointer data, GstMiniObject * memory)
{
  n_alive--;
}

static GstMemory *
listing_alloc (GstAllocator * allocator, gsize size,
    GstAllocationParams * params)
{
  GstMemory *memory = gst_allocator_alloc (((ListingAllocator *)
          allocator)->inner, size, params);

  list (memory);
  n_alive++;
  gst_mini_object_weak_ref (GST_MINI_OBJECT (memory), memory_is_gone, NULL);
  return memory;
}

static void
listing_finalize (GObject * object)
{
  gst_object_unref (((ListingAllocator *) object)->inner);
  G_OBJECT_CLASS (listing_allocator_parent_class)->finalize (object);
}

static void
listing_allocator_class_init (ListingAllocatorClass * klass)
{
  klass->alloc = listing_alloc;
  G_OBJECT_CLASS (klass)->finalize = listing_finalize;
}

static void
listing_allocator_init (ListingAllocator * self)
{
  GST_ALLOCATOR_CAST (self)->mem_type = "ListedMemory";
  self->inner = gst_cuda_gray_allocator_new (FALSE);
}

/* Inputs that may have been set aside, and whether they are alive. */
static struct
{
  GstBuffer *buffer;
  gboolean alive;
} inputs[1024];

static guint n_inputs;

static void
input_is_gone (gpointer alive, GstMiniObject * buffer)
{
  *(gboolean *) alive = FALSE;
}

static GstBuffer *
watch_input (GstBuffer * buffer)
{
  g_assert (n_inputs < G_N_ELEMENTS (inputs));
  inputs[n_inputs].buffer = buffer;
  inputs[n_inputs].alive = TRUE;
  gst_mini_object_weak_ref (GST_MINI_OBJECT (buffer), input_is_gone,
      &inputs[n_inputs++].alive);
  return buffer;
}

static guint
inputs_alive (guint from)
{
  guint n = 0;

  for (guint i = from; i < n_inputs; i++)
    n += inputs[i].alive;
  return n;
}

static Rig *
faulty_rig (const FakePlan * plan, const gchar * backend)
{
  GstAllocator *allocator = g_object_new (listing_allocator_get_type (), NULL);
  GstElement *element;
  GstBus *bus;
  Rig *rig;

  fake_install (plan);
  element = rig_element (backend, &bus);
  rig = rig_new_with (element, bus);
  gst_object_ref_sink (allocator);
  gst_harness_set_propose_allocator (rig->harness, allocator, NULL);
  return rig;
}

static void
end_rig (Rig * rig)
{
  rig_free (rig);
  fake_remove ();
}

/* A frame in several memories, so that it is merged to be read. */
static GstBuffer *
in_halves (GstBuffer * whole)
{
  GstBuffer *buffer = gst_buffer_new ();
  GstMapInfo map;
  gsize half;

  fail_unless (gst_buffer_map (whole, &map, GST_MAP_READ));
  half = map.size / 2;
  for (guint i = 0; i < 2; i++) {
    GstMemory *memory = memory_new_copy (map.data + i * half,
        i == 0 ? half : map.size - half);

    list (memory);
    gst_buffer_append_memory (buffer, memory);
  }
  gst_buffer_unmap (whole, &map);
  gst_buffer_unref (whole);
  return buffer;
}

static const FakePlan failures[] = {
  {GPU_READY, FAKE_AT_SUBMIT, 1, LUMA_FAILED, LUMA_PATH_IN_PLACE},
  {GPU_READY, FAKE_AT_SUBMIT, 3, LUMA_FAILED, LUMA_PATH_IN_PLACE},
  {GPU_READY, FAKE_AT_WAIT, 1, LUMA_FAILED, LUMA_PATH_IN_PLACE},
  {GPU_READY, FAKE_AT_WAIT, 3, LUMA_FAILED, LUMA_PATH_IN_PLACE},
  {GPU_READY, FAKE_AT_SUBMIT, 0, LUMA_FAILED, LUMA_PATH_IN_PLACE},
  {GPU_READY, FAKE_AT_WAIT, 0, LUMA_FAILED, LUMA_PATH_IN_PLACE},
  {GPU_READY, FAKE_AT_SUBMIT, 1, LUMA_UNKNOWN, LUMA_PATH_IN_PLACE},
  {GPU_READY, FAKE_AT_SUBMIT, 3, LUMA_UNKNOWN, LUMA_PATH_IN_PLACE},
  {GPU_READY, FAKE_AT_WAIT, 1, LUMA_UNKNOWN, LUMA_PATH_IN_PLACE},
  {GPU_READY, FAKE_AT_WAIT, 3, LUMA_UNKNOWN, LUMA_PATH_IN_PLACE},
  {GPU_READY, FAKE_AT_SUBMIT, 0, LUMA_UNKNOWN, LUMA_PATH_IN_PLACE},
  {GPU_READY, FAKE_AT_WAIT, 0, LUMA_UNKNOWN, LUMA_PATH_IN_PLACE},
};

static guint
notified (guint * count)
{
  return g_atomic_int_exchange (count, 0);
}

static void
count_notify (GObject * object, GParamSpec * pspec, gpointer count)
{
  (*(guint *) count)++;
}

static void
check_after_failover (Rig * rig, const FakePlan * plan)
{
  gboolean unknown = plan->result == LUMA_UNKNOWN;
  guint good = MAX (plan->frame, 1) - 1;
  gchar *backend = stat_backend (rig->element);

  bus_expect (rig->bus, GST_MESSAGE_WARNING, GST_RESOURCE_ERROR,
      GST_RESOURCE_ERROR_FAILED, FAKE_ERROR, "CPU", NULL);
  fail_unless_equals_string (backend, "cpu");
  fail_unless_equals_int (stat_device (rig->element), -1);
  fail_unless_equals_uint64 (stat_count (rig->element, "failovers"), 1);
  fail_unless_equals_uint64 (stat_count (rig->element, "frames-set-aside"),
      unknown);
  fail_unless_equals_uint64 (stat_count (rig->element, "frames-in-place"),
      good);
  fail_unless_equals_uint64 (stat_count (rig->element, "frames-cpu"),
      N_FRAMES - good);
  fail_unless_equals_int (fake.submitted, good + 1);
  fail_unless_equals_int (fake.closed, 1);
  fail_unless_equals_int (fake.misused, 0);
  g_free (backend);
}

/* With auto: every frame comes out and is right, whatever the lost GPU still
 * does to the memory that it had. */
GST_START_TEST (test_auto)
{
  const FakePlan *plan = &failures[__i__ / 2];
  const Pixels *pixels = pixels_find (__i__ % 2 ? "GBR" : "RGB");
  guint alive = n_alive, first_input = n_inputs, notes = 0;
  Picture *pictures[N_FRAMES];
  GstBuffer *out[N_FRAMES];
  Rig *rig = faulty_rig (plan, "auto");

  g_signal_connect (rig->element, "notify::stats", G_CALLBACK (count_notify),
      &notes);
  rig_set_format (rig, pixels->name, 37, 5, NULL);
  for (guint i = 0; i < N_FRAMES; i++) {
    GstBuffer *in;

    pictures[i] = picture_new_random (37, 5, i);
    in = picture_plain_buffer (pictures[i], pixels);
    out[i] = rig_run (rig, watch_input (__i__ % 2 ? in_halves (in) : in));
    fake_act_late ();
  }
  fail_unless_equals_int (notified (&notes), 1);
  for (guint i = 0; i < N_FRAMES; i++) {
    rig_check (rig, out[i], pictures[i], &rule_default);
    gst_buffer_unref (out[i]);
    picture_free (pictures[i]);
  }
  check_after_failover (rig, plan);
  end_rig (rig);
  /* What was set aside is there for good, and nothing else is. */
  fail_unless_equals_int (inputs_alive (first_input),
      plan->result == LUMA_UNKNOWN);
  fail_unless_equals_int (n_alive - alive, plan->result == LUMA_UNKNOWN);
  fake_act_late ();
}

GST_END_TEST;

static void
restart (Rig * rig)
{
  fake.plan.where = FAKE_NEVER;
  rig_restart (rig);
}

/* With cuda: the stream ends with one error, and a GPU that was lost is not
 * asked again until the element has been stopped. */
GST_START_TEST (test_cuda)
{
  const FakePlan *plan = &failures[__i__];
  gboolean unknown = plan->result == LUMA_UNKNOWN;
  guint alive = n_alive, first_input = n_inputs, good = MAX (plan->frame, 1);
  const Pixels *pixels = pixels_find ("BGRx");
  Picture *picture = picture_new_random (9, 4, __i__);
  Rig *rig = faulty_rig (plan, "cuda");

  rig_set_format (rig, "BGRx", 9, 4, NULL);
  for (guint i = 1; i < good; i++)
    gst_buffer_unref (rig_run_checked (rig, picture_plain_buffer (picture,
                pixels), picture, &rule_default));
  rig_run_dropped (rig, watch_input (picture_plain_buffer (picture, pixels)),
      GST_FLOW_ERROR);
  bus_expect (rig->bus, GST_MESSAGE_ERROR, GST_RESOURCE_ERROR,
      GST_RESOURCE_ERROR_FAILED, FAKE_ERROR, NULL);
  fail_unless_equals_uint64 (stat_count (rig->element, "failovers"), 0);
  fail_unless_equals_uint64 (stat_count (rig->element, "frames-set-aside"),
      unknown);
  fail_unless_equals_uint64 (stat_count (rig->element, "frames-cpu"), 0);
  if (unknown) {
    /* Upstream need not have heard of it. */
    rig_run_dropped (rig, picture_plain_buffer (picture, pixels),
        GST_FLOW_ERROR);
    gst_bus_set_flushing (rig->bus, TRUE);
    gst_bus_set_flushing (rig->bus, FALSE);
  }
  fail_unless_equals_int (fake.submitted, good);
  restart (rig);
  fail_unless_equals_int (fake.opened, 2);
  rig_set_format (rig, "BGRx", 9, 4, NULL);
  gst_buffer_unref (rig_run_checked (rig, picture_plain_buffer (picture,
              pixels), picture, &rule_default));
  fake_act_late ();
  end_rig (rig);
  fail_unless_equals_int (fake.misused, 0);
  fail_unless_equals_int (fake.closed, 2);
  fail_unless_equals_int (inputs_alive (first_input), unknown);
  fail_unless_equals_int (n_alive - alive, unknown);
  fake_act_late ();
  picture_free (picture);
}

GST_END_TEST;

/* After a failover, the next start tries the GPU again. */
GST_START_TEST (test_restart_after_failover)
{
  static const FakePlan plan = {
    GPU_READY, FAKE_AT_WAIT, 2, LUMA_FAILED, LUMA_PATH_IN_PLACE
  };
  Picture *picture = picture_new_s5 ();
  Rig *rig = faulty_rig (&plan, "auto");

  for (guint i = 0; i < 4; i++) {
    rig_set_format (rig, "RGB", S5_WIDTH, S5_HEIGHT, NULL);
    gst_buffer_unref (rig_run_checked (rig, picture_plain_buffer (picture,
                pixels_find ("RGB")), picture, &rule_default));
    if (i == 1) {
      bus_expect (rig->bus, GST_MESSAGE_WARNING, GST_RESOURCE_ERROR,
          GST_RESOURCE_ERROR_FAILED, FAKE_ERROR, NULL);
      restart (rig);
      fail_unless_equals_uint64 (stat_count (rig->element, "failovers"), 0);
    }
  }
  fail_unless_equals_uint64 (stat_count (rig->element, "frames-in-place"), 2);
  fail_unless_equals_int (fake.opened, 2);
  picture_free (picture);
  end_rig (rig);
}

GST_END_TEST;

/* A frame that was lost leaves its memory behind, and there is no other for
 * the CPU's: that is an error, and the next start is as new. */
GST_START_TEST (test_no_fresh_memory)
{
  static const FakePlan plan = {
    GPU_READY, FAKE_AT_WAIT, 2, LUMA_UNKNOWN, LUMA_PATH_IN_PLACE
  };
  const Pixels *pixels = pixels_find ("RGB");
  Picture *picture = picture_new_s5 ();
  Rig *rig = faulty_rig (&plan, "auto");

  rig_set_format (rig, "RGB", S5_WIDTH, S5_HEIGHT, NULL);
  gst_buffer_unref (rig_run_checked (rig, picture_plain_buffer (picture,
              pixels), picture, &rule_default));
  scarce_begin ();
  rig_run_dropped (rig, watch_input (picture_plain_buffer (picture, pixels)),
      GST_FLOW_ERROR);
  scarce_end ();
  bus_expect (rig->bus, GST_MESSAGE_ERROR, GST_RESOURCE_ERROR,
      GST_RESOURCE_ERROR_FAILED, FAKE_ERROR, NULL);
  fake_act_late ();
  fail_unless_equals_uint64 (stat_count (rig->element, "frames-set-aside"), 1);
  restart (rig);
  rig_set_format (rig, "RGB", S5_WIDTH, S5_HEIGHT, NULL);
  gst_buffer_unref (rig_run_checked (rig, picture_plain_buffer (picture,
              pixels), picture, &rule_default));
  picture_free (picture);
  end_rig (rig);
}

GST_END_TEST;

static void
add_tests (TCase * tests)
{
  tcase_add_loop_test (tests, test_auto, 0, 2 * G_N_ELEMENTS (failures));
  tcase_add_loop_test (tests, test_cuda, 0, G_N_ELEMENTS (failures));
  tcase_add_test (tests, test_restart_after_failover);
  tcase_add_test (tests, test_no_fresh_memory);
}

int
main (int argc, char **argv)
{
  return rig_main (argc, argv, "element-failover", add_tests);
}
