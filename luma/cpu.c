/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#include "backend.h"
#include "rows.h"

static LumaResult
cpu_submit (LumaBackend * self, const LumaPlan * plan, const LumaSource * src,
    const LumaTarget * dst, bool may_copy, LumaPath * path)
{
  (void) self;
  (void) may_copy;
  *path = LUMA_PATH_CPU;
  luma_rows_convert (luma_rows (), plan, src, dst);
  return LUMA_DONE;
}

static LumaResult
cpu_wait (LumaBackend * self, int64_t timeout_us)
{
  (void) self;
  (void) timeout_us;
  return LUMA_DONE;
}

static const char *
cpu_error (LumaBackend * self)
{
  (void) self;
  return "none";
}

static void
cpu_close (LumaBackend * self)
{
  (void) self;
}

static const LumaBackendClass cpu_class = {
  "cpu", 0, cpu_submit, cpu_wait, cpu_error, cpu_close
};

LumaBackend *
luma_cpu_open (void)
{
  /* It has no state, so that all callers can share one. */
  static LumaBackend cpu = { &cpu_class };

  return &cpu;
}
