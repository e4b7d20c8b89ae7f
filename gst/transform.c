/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* The element frame by frame. */

#include "config.h"

#include "gstcudagray-private.h"

#include "frame.h"

GST_DEBUG_CATEGORY_EXTERN (gst_cuda_gray_debug);
#define GST_CAT_DEFAULT gst_cuda_gray_debug

/* So many incomplete frames in a row are no accident. */
#define MAX_BAD_FRAMES 10

void
gst_cuda_gray_show_backend (GstCudaGray * self)
{
  GST_OBJECT_LOCK (self);
  self->stats.backend = self->converter.backend->klass->name;
  self->stats.device = self->converter.device;
  GST_OBJECT_UNLOCK (self);
  g_object_notify (G_OBJECT (self), "stats");
}

/* Drops a frame that its buffer does not hold. */
static GstFlowReturn
gst_cuda_gray_bad_frame (GstCudaGray * self, const gchar * problem)
{
  GST_OBJECT_LOCK (self);
  self->stats.dropped++;
  GST_OBJECT_UNLOCK (self);
  self->bad_frames++;
  if (self->bad_frames >= MAX_BAD_FRAMES) {
    GST_ELEMENT_ERROR (self, STREAM, FORMAT,
        ("%u incomplete frames in a row: %s.", self->bad_frames, problem),
        (NULL));
    return GST_FLOW_ERROR;
  }
  if (self->bad_frames == 1)
    GST_ELEMENT_WARNING (self, STREAM, FORMAT,
        ("Incomplete frame dropped: %s.", problem), (NULL));
  else
    GST_DEBUG_OBJECT (self, "incomplete frame dropped: %s", problem);
  return GST_BASE_TRANSFORM_FLOW_DROPPED;
}

static void
gst_cuda_gray_passed (GstCudaGray * self)
{
  self->bad_frames = 0;
  GST_OBJECT_LOCK (self);
  self->stats.passthrough++;
  GST_OBJECT_UNLOCK (self);
}

/* Called in passthrough alone: gray frames are looked at, not touched. */
GstFlowReturn
gst_cuda_gray_transform_ip (GstBaseTransform * trans, GstBuffer * buffer)
{
  GstCudaGray *self = GST_CUDA_GRAY (trans);
  const LumaExtent extent[LUMA_PLANES] = { luma_plan_out_extent (&self->plan) };
  GstFlowReturn flow;
  gchar *problem = NULL;

  if (cuda_gray_frame_check (buffer, &self->in_info, extent, &problem)) {
    gst_cuda_gray_passed (self);
    return GST_FLOW_OK;
  }
  flow = gst_cuda_gray_bad_frame (self, problem);
  g_free (problem);
  return flow;
}

static void
gst_cuda_gray_count (GstCudaGray * self, CudaGrayConvertResult result,
    const CudaGrayOutcome * outcome)
{
  LumaExtent extent = luma_plan_out_extent (&self->plan);

  GST_OBJECT_LOCK (self);
  self->stats.failovers += outcome->failed_over;
  self->stats.set_aside += outcome->set_aside;
  if (result == CUDA_GRAY_CONVERTED) {
    self->stats.frames[outcome->path]++;
    self->stats.bytes_out += extent.row_bytes * extent.rows;
    for (guint p = 0; p < LUMA_PLANES; p++) {
      extent = luma_plan_extent (&self->plan, p);
      self->stats.bytes_in += extent.row_bytes * extent.rows;
    }
  }
  GST_OBJECT_UNLOCK (self);
  if (outcome->failed_over)
    gst_cuda_gray_show_backend (self);
}

GstFlowReturn
gst_cuda_gray_transform (GstBaseTransform * trans, GstBuffer * inbuf,
    GstBuffer * outbuf)
{
  GstCudaGray *self = GST_CUDA_GRAY (trans);
  CudaGrayConvertResult result;
  CudaGrayOutcome outcome;
  gchar *problem = NULL;
  GstFlowReturn flow;

  if (self->handed_on) {
    gst_cuda_gray_passed (self);
    return GST_FLOW_OK;
  }
  result = cuda_gray_converter_run (&self->converter, &self->plan,
      &self->in_info, inbuf, &self->out_info, outbuf, &outcome, &problem);
  gst_cuda_gray_count (self, result, &outcome);
  switch (result) {
    case CUDA_GRAY_CONVERTED:
      self->bad_frames = 0;
      return GST_FLOW_OK;
    case CUDA_GRAY_BAD_INPUT:
      flow = gst_cuda_gray_bad_frame (self, problem);
      g_free (problem);
      return flow;
    default:
      return GST_FLOW_ERROR;
  }
}
