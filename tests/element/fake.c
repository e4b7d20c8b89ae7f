/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#include "fake.h"

#include <string.h>

#include "convert.h"
#include "rows.h"

#define JUNK 0xDB

Fake fake;

typedef struct
{
  LumaBackend base;
  LumaBackendClass klass;
  FakePlan plan;
  guint frame;                  /* under way or last, from 1 */
  gboolean under_way, unknown;
} FakeBackend;

/* The frame whose fate is unknown. */
static struct
{
  gboolean set;
  LumaPlan plan;
  LumaSource src;
  LumaTarget dst;
  guint8 sum;
} late;

static CudaGrayOpenFunc real_open;

static void
scribble (const LumaPlan * plan, const LumaTarget * dst)
{
  for (gsize y = 0; y < plan->height; y++)
    memset (dst->data + (gssize) y * dst->stride, JUNK, plan->width);
}

void
fake_act_late (void)
{
  if (!late.set)
    return;
  for (guint p = 0; p < LUMA_PLANES; p++) {
    LumaExtent extent = luma_plan_extent (&late.plan, p);

    for (gsize y = 0; y < extent.rows; y++)
      late.sum ^= late.src.data[p][(gssize) y * late.src.stride[p] +
          extent.row_bytes - 1];
  }
  scribble (&late.plan, &late.dst);
}

static LumaResult
fail_frame (FakeBackend * self, const LumaPlan * plan, const LumaSource * src,
    const LumaTarget * dst)
{
  /* A frame that failed may have been begun. */
  scribble (plan, dst);
  if (self->plan.result == LUMA_UNKNOWN) {
    self->unknown = TRUE;
    late.set = TRUE;
    late.plan = *plan;
    late.src = *src;
    late.dst = *dst;
  }
  return self->plan.result;
}

static gboolean
is_due (FakeBackend * self, FakeWhere where)
{
  return self->plan.where == where &&
      (self->plan.frame == 0 || self->plan.frame == self->frame);
}

static LumaResult
fake_submit (LumaBackend * base, const LumaPlan * plan, const LumaSource * src,
    const LumaTarget * dst, bool may_copy, LumaPath * path)
{
  FakeBackend *self = (FakeBackend *) base;

  if (self->plan.path == LUMA_PATH_STAGED && !may_copy)
    return LUMA_DECLINED;
  fake.submitted++;
  fake.misused += self->under_way || self->unknown;
  self->frame++;
  *path = self->plan.path;
  if (is_due (self, FAKE_AT_SUBMIT))
    return fail_frame (self, plan, src, dst);
  self->under_way = TRUE;
  if (is_due (self, FAKE_AT_WAIT))
    fail_frame (self, plan, src, dst);
  else
    luma_rows_convert (luma_rows (), plan, src, dst);
  return LUMA_DONE;
}

static LumaResult
fake_wait (LumaBackend * base, gint64 timeout_us)
{
  FakeBackend *self = (FakeBackend *) base;

  fake.waited++;
  fake.misused += !self->under_way || timeout_us <= 0;
  self->under_way = FALSE;
  return is_due (self, FAKE_AT_WAIT) ? self->plan.result : LUMA_DONE;
}

static const gchar *
fake_error (LumaBackend * base)
{
  return FAKE_ERROR;
}

static void
fake_close (LumaBackend * base)
{
  fake.closed++;
  g_free (base);
}

static const LumaBackendClass fake_class = {
  "cuda", 0, fake_submit, fake_wait, fake_error, fake_close
};

static LumaBackend *
fake_open (gint device, GpuStatus * status)
{
  FakeBackend *self;

  fake.opened++;
  fake.asked_device = device;
  *status = (GpuStatus) {
  .state = fake.plan.state,.device = device < 0 ? FAKE_DEVICE : device};
  g_strlcpy (status->text, fake.plan.state == GPU_NO_SUCH_DEVICE ?
      FAKE_DEVICES : FAKE_ERROR, sizeof status->text);
  if (fake.plan.state != GPU_READY)
    return NULL;
  self = g_new0 (FakeBackend, 1);
  self->klass = fake_class;
  self->klass.small_pixels = fake.plan.small_pixels;
  self->base.klass = &self->klass;
  self->plan = fake.plan;
  return &self->base;
}

void
fake_install (const FakePlan * plan)
{
  if (real_open == NULL)
    real_open = cuda_gray_open_gpu;
  cuda_gray_open_gpu = fake_open;
  fake = (Fake) {
  .plan = *plan};
  late.set = FALSE;
}

void
fake_remove (void)
{
  cuda_gray_open_gpu = real_open;
}
