/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Cases 49 and 50: input in memory of other kinds, and memory that is gone
 * right after the push. */

#define _GNU_SOURCE

#include "rig.h"

#include <fcntl.h>
#include <gst/allocators/allocators.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gpu.h"
#include "process.h"

/* Where data starts, in memory that has more. */
#define ODD 13

/* Makes a memory with a copy of data; free memory leaves nothing behind. */
typedef GstMemory *(*MakeMemory) (const guint8 * data, gsize size);

static gsize
whole_pages (gsize size)
{
  gsize page = sysconf (_SC_PAGESIZE);

  return (size + page - 1) / page * page;
}

/* A file in memory with data from an offset on. */
static int
new_file (const guint8 * data, gsize size, gsize offset)
{
  int fd = memfd_create ("cudagray-frame", MFD_CLOEXEC);

  fail_unless (fd >= 0 && ftruncate (fd, offset + size) == 0);
  fail_unless (pwrite (fd, data, size, offset) == (gssize) size);
  return fd;
}

static GstMemory *
in_fd_memory (const guint8 * data, gsize size, gsize offset,
    GstFdMemoryFlags flags)
{
  GstAllocator *allocator = gst_fd_allocator_new ();
  GstMemory *memory = gst_fd_allocator_alloc (allocator, new_file (data, size,
          offset), offset + size, flags);

  fail_unless (gst_is_fd_memory (memory));
  gst_memory_resize (memory, offset, size);
  gst_object_unref (allocator);
  return memory;
}

static GstMemory *
fd_shared (const guint8 * data, gsize size)
{
  return in_fd_memory (data, size, 0, GST_FD_MEMORY_FLAG_NONE);
}

static GstMemory *
fd_kept_mapped (const guint8 * data, gsize size)
{
  return in_fd_memory (data, size, 0, GST_FD_MEMORY_FLAG_KEEP_MAPPED);
}

static GstMemory *
fd_private (const guint8 * data, gsize size)
{
  return in_fd_memory (data, size, 0, GST_FD_MEMORY_FLAG_MAP_PRIVATE);
}

/* Mapping it for writing fails. */
static GstMemory *
fd_read_only (const guint8 * data, gsize size)
{
  GstAllocator *allocator = gst_fd_allocator_new ();
  int fd = new_file (data, size, 0);
  gchar *path = g_strdup_printf ("/proc/self/fd/%d", fd);
  GstMemory *memory = gst_fd_allocator_alloc (allocator, open (path,
          O_RDONLY | O_CLOEXEC), size, GST_FD_MEMORY_FLAG_NONE);

  GST_MINI_OBJECT_FLAG_SET (memory, GST_MEMORY_FLAG_READONLY);
  close (fd);
  g_free (path);
  gst_object_unref (allocator);
  return memory;
}

static GstMemory *
fd_at_odd_offset (const guint8 * data, gsize size)
{
  return in_fd_memory (data, size, ODD, GST_FD_MEMORY_FLAG_KEEP_MAPPED);
}

typedef struct
{
  guint8 *start;
  gsize size;
} Mapping;

static void
unmap (gpointer data)
{
  Mapping *mapping = data;

  fail_unless (munmap (mapping->start, mapping->size) == 0);
  g_free (mapping);
}

static GstMemory *
wrap_mapping (void *start, gsize size, gsize offset, gsize used,
    GstMemoryFlags flags)
{
  Mapping *mapping = g_new (Mapping, 1);

  mapping->start = start;
  mapping->size = size;
  return gst_memory_new_wrapped (flags, start, size, offset, used, mapping,
      unmap);
}

static guint8 *
map_anonymous (gsize size)
{
  void *start = mmap (NULL, size, PROT_READ | PROT_WRITE,
      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  fail_unless (start != MAP_FAILED);
  return start;
}

/* As v4l2src maps a camera's buffers. */
static GstMemory *
mapped_read_only (const guint8 * data, gsize size)
{
  int fd = new_file (data, size, 0);
  void *start = mmap (NULL, size, PROT_READ, MAP_SHARED, fd, 0);

  fail_unless (start != MAP_FAILED);
  close (fd);
  return wrap_mapping (start, size, 0, size, GST_MEMORY_FLAG_READONLY);
}

static GstMemory *
at_odd_address (const guint8 * data, gsize size)
{
  guint8 *start = map_anonymous (ODD + size);

  memcpy (start + ODD, data, size);
  return wrap_mapping (start, ODD + size, ODD, size, 0);
}

/* Nothing before the first byte or after the last can be read. */
static GstMemory *
between_guards (const guint8 * data, gsize size, gboolean at_end)
{
  gsize page = sysconf (_SC_PAGESIZE), pages = whole_pages (size);
  guint8 *start = map_anonymous (pages + 2 * page);
  gsize offset = page + (at_end ? pages - size : 0);

  memcpy (start + offset, data, size);
  fail_unless (mprotect (start, page, PROT_NONE) == 0);
  fail_unless (mprotect (start + page + pages, page, PROT_NONE) == 0);
  return wrap_mapping (start, pages + 2 * page, offset, size,
      GST_MEMORY_FLAG_READONLY);
}

static GstMemory *
after_a_guard (const guint8 * data, gsize size)
{
  return between_guards (data, size, FALSE);
}

static GstMemory *
before_a_guard (const guint8 * data, gsize size)
{
  return between_guards (data, size, TRUE);
}

static const MakeMemory makers[] = {
  fd_shared, fd_kept_mapped, fd_private, fd_read_only, fd_at_odd_offset,
  mapped_read_only, at_odd_address, after_a_guard, before_a_guard,
  memory_new_copy,
};

static void
count_gone (gpointer count, GstMiniObject * memory)
{
  g_atomic_int_inc ((gint *) count);
}

/* Pushes a picture in memory of the maker's, which must be gone with the
 * push. */
static void
run_in (Rig * rig, const Picture * picture, const Pixels * pixels,
    MakeMemory make)
{
  Layout layout = layout_default (pixels, picture->width, picture->height);
  guint8 *data = picture_draw (picture, pixels, &layout);
  GstMemory *memory = make (data, layout.size);
  GstBuffer *in = gst_buffer_new ();
  gint gone = 0;

  gst_mini_object_weak_ref (GST_MINI_OBJECT_CAST (memory), count_gone, &gone);
  gst_buffer_append_memory (in, memory);
  gst_buffer_unref (rig_run_checked (rig, in, picture, &rule_default));
  fail_unless_equals_int (gone, 1);
  g_free (data);
}

GST_START_TEST (test_kinds)
{
  static const gchar *const names[] = { "RGB", "BGRx", "GBR" };
  static const guint sizes[][2] = { {5, 3}, {33, 17}, {641, 120} };
  Rig *rig = rig_new ();

  for (guint f = 0; f < G_N_ELEMENTS (names); f++) {
    for (guint s = 0; s < G_N_ELEMENTS (sizes); s++) {
      Picture *picture = picture_new_random (sizes[s][0], sizes[s][1], f + s);

      rig_set_format (rig, names[f], picture->width, picture->height, NULL);
      run_in (rig, picture, pixels_find (names[f]), makers[__i__]);
      picture_free (picture);
    }
  }
  rig_free (rig);
}

GST_END_TEST;

/* Each kind of memory in turn, with a new picture each time. */
GST_START_TEST (test_many_fresh_buffers)
{
  Rig *rig = rig_new ();
  guint before = 0;

  rig_set_format (rig, "RGB", 33, 17, NULL);
  for (guint i = 0; i < 50 * G_N_ELEMENTS (makers); i++) {
    Picture *picture = picture_new_random (33, 17, i);

    /* The first round opens what stays open. */
    if (i == G_N_ELEMENTS (makers))
      before = process_open_files ();
    run_in (rig, picture, pixels_find ("RGB"),
        makers[i % G_N_ELEMENTS (makers)]);
    picture_free (picture);
  }
  fail_unless_equals_int (process_open_files (), before);
  rig_free (rig);
}

GST_END_TEST;

/* Addresses that stay ours between the mappings that lie there. */
#define PLACE_SIZE ((gsize) 1 << 20)

static guint8 *place;
static gboolean taken, registered;

static void
place_map (int protection, int flags, int fd)
{
  fail_unless (mmap (place, PLACE_SIZE, protection, flags | MAP_FIXED, fd,
          0) == place);
}

static void
place_leave (gpointer data)
{
  if (registered)
    gpu_unregister (place);
  registered = taken = FALSE;
  place_map (PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
}

static GstMemory *
place_wrap (gsize size)
{
  fail_if (taken);
  taken = TRUE;
  return gst_memory_new_wrapped (0, place, PLACE_SIZE, 0, size, NULL,
      place_leave);
}

static GstMemory *
place_anonymous (const guint8 * data, gsize size)
{
  place_map (PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  memcpy (place, data, size);
  return place_wrap (size);
}

static GstMemory *
place_file (const guint8 * data, gsize size)
{
  int fd = new_file (data, size, 0);

  place_map (PROT_READ, MAP_SHARED, fd);
  close (fd);
  return place_wrap (size);
}

/* By the application, that is. */
static GstMemory *
place_registered (const guint8 * data, gsize size)
{
  GstMemory *memory = place_anonymous (data, size);

  registered = gpu_register (place, PLACE_SIZE);
  fail_unless_equals_int (registered, g_str_equal (rig_backend (), "cuda"));
  return memory;
}

/* A frame in the place that one has just left; what was known of its memory
 * is no longer so. */
GST_START_TEST (test_same_address)
{
  static const MakeMemory there[] = {
    place_registered, place_anonymous, place_file, place_anonymous
  };
  static const guint sizes[][2] = { {640, 480}, {33, 17}, {320, 200} };
  guint64 in_place;
  Rig *rig = rig_new ();

  place = mmap (NULL, PLACE_SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
      0);
  fail_unless (place != MAP_FAILED);
  for (guint i = 0; i < 60; i++) {
    const guint *size = sizes[i % G_N_ELEMENTS (sizes)];
    MakeMemory make = there[i % G_N_ELEMENTS (there)];
    Picture *picture = picture_new_random (size[0], size[1], i);

    in_place = stat_count (rig->element, "frames-in-place");
    rig_set_format (rig, "RGB", size[0], size[1], NULL);
    run_in (rig, picture, pixels_find ("RGB"), make);
    fail_if (taken);
    if (make == place_registered && g_str_equal (rig_backend (), "cuda"))
      fail_unless_equals_uint64 (stat_count (rig->element, "frames-in-place"),
          in_place + 1);
    picture_free (picture);
  }
  munmap (place, PLACE_SIZE);
  rig_free (rig);
}

GST_END_TEST;

static void
add_tests (TCase * tests)
{
  tcase_add_loop_test (tests, test_kinds, 0, G_N_ELEMENTS (makers));
  tcase_add_test (tests, test_many_fresh_buffers);
  tcase_add_test (tests, test_same_address);
}

int
main (int argc, char **argv)
{
  return rig_main (argc, argv, "element-memories", add_tests);
}
