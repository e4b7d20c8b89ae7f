/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* From GStreamer's description of a format to the plan of luma/. */

#pragma once

#include <gst/video/video.h>

#include "plan.h"

G_BEGIN_DECLS

/* Makes the plan from negotiated infos of one size; a matrix or range that
 * the caps leave open is GRAY8's default, bt601 and full.  FALSE for a format
 * that luma/ has no layout for. */
gboolean cuda_gray_plan_init (LumaPlan * plan, const GstVideoInfo * in,
    const GstVideoInfo * out);

/* TRUE where the output is the input: the same gray format and range. */
gboolean cuda_gray_plan_is_copy (const GstVideoInfo * in,
    const GstVideoInfo * out);

/* TRUE where the output's rows are those of the input's first plane: Y in
 * words like the output's, and equal ranges. */
gboolean cuda_gray_plan_is_plane (const GstVideoInfo * in,
    const GstVideoInfo * out);

G_END_DECLS
