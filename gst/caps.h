/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Negotiation: which gray caps go with which input caps. */

#pragma once

#include <gst/video/video.h>

G_BEGIN_DECLS

/* In one list, so that the source's own order decides. */
#define CUDA_GRAY_RGB_FORMATS "RGB, BGR, RGBx, BGRx, xRGB, xBGR, RGBA, BGRA, " \
    "ARGB, ABGR, GBR, GBRA, RGBP, BGRP"
#define CUDA_GRAY_SINK_FORMATS "{ " CUDA_GRAY_RGB_FORMATS ", GRAY8 }"

/* The caps of a pad template with the formats of a pad.  The features are
 * those under which frames are still ordinary frames in system memory. */
#define CUDA_GRAY_CAPS(formats) \
    GST_VIDEO_CAPS_MAKE (formats) "; " \
    GST_VIDEO_CAPS_MAKE_WITH_FEATURES ( \
        GST_CAPS_FEATURE_MEMORY_SYSTEM_MEMORY ", " \
        GST_CAPS_FEATURE_META_GST_VIDEO_OVERLAY_COMPOSITION, formats) "; " \
    GST_VIDEO_CAPS_MAKE_WITH_FEATURES ( \
        GST_CAPS_FEATURE_META_GST_VIDEO_OVERLAY_COMPOSITION, formats) "; " \
    GST_VIDEO_CAPS_MAKE_WITH_FEATURES (GST_CAPS_FEATURE_FORMAT_INTERLACED, \
        formats) ", interlace-mode = (string) alternate"

/* What the other pad can have for caps on the pad of direction.  Everything
 * but format, colorimetry and chroma-site stays.  (transfer full) */
GstCaps *cuda_gray_caps_transform (GstPadDirection direction, GstCaps * caps);

/* Chooses the output caps for an input: colorimetry as videoconvert does it.
 * No colorimetry in gives none out; otherwise the output gets GRAY8's default
 * range and matrix with the input's transfer and primaries, unless outcaps
 * asks for its own.  Takes outcaps.  (transfer full) */
GstCaps *cuda_gray_caps_fixate_output (const GstCaps * incaps,
    GstCaps * outcaps);

G_END_DECLS
