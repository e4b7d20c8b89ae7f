/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* For a build with AddressSanitizer: what is not the project's own leak.
 *
 * GLib's constructor allocates a table of quarks that is let go of on purpose
 * when it is full, as the names of all of GStreamer's plugins make it, and
 * gst_init, where the registry is out of date, leaks a feature.  Suppressions
 * would need the whole stack of each allocation, which in libraries without
 * frame pointers takes 25 times as long as the tests themselves
 * (ASAN_OPTIONS=fast_unwind_on_malloc=0 shows it all the same); so nobody looks
 * at what these two allocate.  x265 does not free all that it had. */

#ifdef __SANITIZE_ADDRESS__

#define _GNU_SOURCE             /* RTLD_NEXT */
#include <dlfcn.h>
#include <gst/gst.h>
#include <sanitizer/lsan_interface.h>

#define EXPORT __attribute__ ((visibility ("default")))

EXPORT const char *__lsan_default_suppressions (void);

const char *
__lsan_default_suppressions (void)
{
  return "leak:x265\n";
}

/* Before the constructors of all libraries, and after them. */
__attribute__ ((section (".preinit_array"), used))
static void (*const before_libraries) (void) = __lsan_disable;

__attribute__ ((constructor))
static void
after_libraries (void)
{
  __lsan_enable ();
}

/* In the place of GStreamer's, for programs and for libgstcheck. */
EXPORT void
gst_init (int *argc, char **argv[])
{
  void (*next) (int *argc, char **argv[]) = dlsym (RTLD_NEXT, "gst_init");

  __lsan_disable ();
  next (argc, argv);
  __lsan_enable ();
}

#endif
