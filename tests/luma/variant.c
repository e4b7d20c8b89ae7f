/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#include "variant.h"

#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TIMEOUT_US (60 * G_USEC_PER_SEC)

/* Exactly as large as it has to be, for AddressSanitizer. */
static void
heap_get (Memory * memory)
{
  if (posix_memalign (&memory->owner, 128, memory->size) != 0)
    g_error ("no memory");
  memory->base = memory->owner;
}

static void
heap_put (Memory * memory)
{
  free (memory->owner);
}

void
host_write (const Memory * memory, const uint8_t * bytes)
{
  memcpy (memory->base, bytes, memory->size);
}

void
host_read (const Memory * memory, uint8_t * bytes)
{
  memcpy (bytes, memory->base, memory->size);
}

const MemoryKind memory_heap = { heap_get, heap_put, host_write, host_read };

void
variant_open (Variant * variant, const char *name)
{
  *variant = (Variant) {
  .name = name,.memory = &memory_heap};
  for (unsigned i = 0; luma_rows_nth (i) != NULL; i++) {
    if (g_str_equal (luma_rows_nth (i)->name, name))
      variant->rows = luma_rows_nth (i);
  }
  if (variant->rows == NULL && !variant_open_gpu (variant, name)) {
    printf ("%s: this build or this CPU has no such rows\n", name);
    exit (SKIPPED);
  }
}

void
variant_close (Variant * variant)
{
  if (variant->backend != NULL)
    variant->backend->klass->close (variant->backend);
}

static void
expect_done (const Variant * variant, const char *step, LumaResult result)
{
  if (result != LUMA_DONE)
    g_error ("%s: %s: %s: %s", variant->name, step,
        result == LUMA_FAILED ? "failed" : "unknown",
        variant->backend->klass->error (variant->backend));
}

static void
execute (const Variant * variant, const LumaPlan * plan,
    const LumaSource * src, const LumaTarget * dst)
{
  LumaBackend *backend = variant->backend;
  LumaPath path = LUMA_N_PATHS;

  if (variant->rows != NULL) {
    luma_rows_convert (variant->rows, plan, src, dst);
    return;
  }
  expect_done (variant, "submit",
      backend->klass->submit (backend, plan, src, dst, true, &path));
  expect_done (variant, "wait", backend->klass->wait (backend, TIMEOUT_US));
  if (path != variant->path)
    g_error ("%s: took path %d instead of %d", variant->name, path,
        variant->path);
}

void
variant_convert (const Variant * variant, const LumaPlan * plan,
    const Frame * in, const Frame * out)
{
  const MemoryKind *kind = variant->memory;
  Memory source = {.size = in->size }, target = {.size = out->size };
  LumaSource src;
  LumaTarget dst;

  kind->get (&source);
  kind->write (&source, in->bytes);
  kind->get (&target);
  kind->write (&target, out->bytes);
  src = frame_source (in, source.base);
  dst = frame_target (out, target.base);
  execute (variant, plan, &src, &dst);
  kind->read (&target, out->bytes);
  kind->put (&target);
  kind->put (&source);
}
