/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* What the base class asks about caps, answered by caps.c, and the plan that
 * comes of them. */

#include "config.h"

#include "gstcudagray-private.h"

#include "caps.h"
#include "videoplan.h"

GST_DEBUG_CATEGORY_EXTERN (gst_cuda_gray_debug);
#define GST_CAT_DEFAULT gst_cuda_gray_debug

GstCaps *
gst_cuda_gray_transform_caps (GstBaseTransform * trans,
    GstPadDirection direction, GstCaps * caps, GstCaps * filter)
{
  GstCudaGray *self = GST_CUDA_GRAY (trans);
  gboolean cuda;
  GstCaps *result;

  GST_OBJECT_LOCK (self);
  cuda = self->cuda_memory;
  GST_OBJECT_UNLOCK (self);
  result = cuda_gray_caps_transform (direction, caps, cuda);
  if (filter != NULL) {
    GstCaps *all = result;

    result = gst_caps_intersect_full (filter, all, GST_CAPS_INTERSECT_FIRST);
    gst_caps_unref (all);
  }
  return result;
}

GstCaps *
gst_cuda_gray_fixate_caps (GstBaseTransform * trans,
    GstPadDirection direction, GstCaps * caps, GstCaps * othercaps)
{
  GstCaps *peer, *both;

  if (direction == GST_PAD_SRC)
    return gst_caps_fixate (othercaps);
  /* The base class asks downstream only where the caps leave a field open,
   * and a colorimetry that is not there does not count as one. */
  peer = gst_pad_peer_query_caps (GST_BASE_TRANSFORM_SRC_PAD (trans),
      othercaps);
  both = gst_caps_intersect_full (peer, othercaps, GST_CAPS_INTERSECT_FIRST);
  gst_caps_unref (peer);
  if (gst_caps_is_empty (both)) {
    gst_caps_unref (both);
    return cuda_gray_caps_fixate_output (caps, othercaps);
  }
  gst_caps_unref (othercaps);
  return cuda_gray_caps_fixate_output (caps, both);
}

gboolean
gst_cuda_gray_get_unit_size (GstBaseTransform * trans, GstCaps * caps,
    gsize * size)
{
  GstVideoInfo info;

  if (!gst_video_info_from_caps (&info, caps))
    return FALSE;
  *size = info.size;
  return TRUE;
}

/* A filter can force RGB's colorimetry on gray, which has no such matrix:
 * GStreamer then reads GRAY8's default, and so do we. */
static void
gst_cuda_gray_check_colorimetry (GstCudaGray * self, GstCaps * outcaps)
{
  const gchar *name = gst_structure_get_string (gst_caps_get_structure
      (outcaps, 0), "colorimetry");
  GstVideoColorimetry asked;

  if (name == NULL || self->warned_colorimetry)
    return;
  if (gst_video_colorimetry_from_string (&asked, name) &&
      asked.matrix != GST_VIDEO_COLOR_MATRIX_RGB)
    return;
  self->warned_colorimetry = TRUE;
  GST_WARNING_OBJECT (self, "colorimetry %s has no meaning for GRAY8; the "
      "output is full range, bt601", name);
}

gboolean
gst_cuda_gray_set_caps (GstBaseTransform * trans, GstCaps * incaps,
    GstCaps * outcaps)
{
  GstCudaGray *self = GST_CUDA_GRAY (trans);
  gboolean from_cuda = cuda_gray_caps_is_cuda (incaps, 0);
  gboolean to_cuda = cuda_gray_caps_is_cuda (outcaps, 0);
  GstVideoInfo in, out;
  LumaPlan plan;
  gboolean copy;

  if (!gst_video_info_from_caps (&in, incaps) ||
      !gst_video_info_from_caps (&out, outcaps) ||
      !cuda_gray_plan_init (&plan, &in, &out)) {
    GST_ERROR_OBJECT (self, "can't convert %" GST_PTR_FORMAT " to %"
        GST_PTR_FORMAT, incaps, outcaps);
    return FALSE;
  }
  if ((from_cuda || to_cuda) && !gst_cuda_gray_use_cuda_memory (self))
    return FALSE;
  /* Not before: while new caps are refused, frames of the old ones may come. */
  self->in_info = in;
  self->out_info = out;
  self->plan = plan;
  cuda_gray_trial_init (&self->converter.trial);
  gst_cuda_gray_check_colorimetry (self, outcaps);
  copy = from_cuda == to_cuda &&
      cuda_gray_plan_is_copy (&self->in_info, &self->out_info);
  self->is_plane = !from_cuda && !to_cuda &&
      cuda_gray_plan_is_plane (&self->in_info, &self->out_info);
  gst_base_transform_set_passthrough (trans, copy);
  GST_DEBUG_OBJECT (self, "%s %" GST_PTR_FORMAT " to %" GST_PTR_FORMAT,
      copy ? "passing through" : "converting", incaps, outcaps);
  return TRUE;
}
