/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* For a build with AddressSanitizer: what is not the project's own leak.
 *
 * GLib's constructor allocates a table of quarks that is let go of on purpose
 * when it is full, as the names of all of GStreamer's plugins make it; the
 * dynamic linker is on its stack, if the whole stack is walked, and GLib has
 * no frame pointers.  Updating a registry that is out of date leaks a
 * feature.  x265 and its element do not free all that they had. */

#define EXPORT __attribute__ ((visibility ("default")))

EXPORT const char *__asan_default_options (void);
EXPORT const char *__lsan_default_suppressions (void);

const char *
__asan_default_options (void)
{
  return "fast_unwind_on_malloc=0";
}

const char *
__lsan_default_suppressions (void)
{
  return "leak:_dl_init\nleak:ld-linux\nleak:gst_update_registry\n"
      "leak:x265\n";
}
