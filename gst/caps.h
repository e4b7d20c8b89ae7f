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

/* GStreamer's own CUDA elements lack xRGB and xBGR. */
#define CUDA_GRAY_CUDA_FORMATS "{ RGB, BGR, RGBx, BGRx, RGBA, BGRA, ARGB, " \
    "ABGR, GBR, GBRA, RGBP, BGRP, GRAY8 }"

#define CUDA_GRAY_FEATURE_CUDA "memory:CUDAMemory"

/* Caps in a GPU's memory; none in a build without. */
#ifdef HAVE_CUDA_MEMORY
#define CUDA_GRAY_CUDA_CAPS(formats) \
    GST_VIDEO_CAPS_MAKE_WITH_FEATURES (CUDA_GRAY_FEATURE_CUDA, formats) "; " \
    GST_VIDEO_CAPS_MAKE_WITH_FEATURES (CUDA_GRAY_FEATURE_CUDA ", " \
        GST_CAPS_FEATURE_META_GST_VIDEO_OVERLAY_COMPOSITION, formats) "; "
#else
#define CUDA_GRAY_CUDA_CAPS(formats) ""
#endif

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

#define CUDA_GRAY_SINK_CAPS CUDA_GRAY_CUDA_CAPS (CUDA_GRAY_CUDA_FORMATS) \
    CUDA_GRAY_CAPS (CUDA_GRAY_SINK_FORMATS)
#define CUDA_GRAY_SRC_CAPS CUDA_GRAY_CUDA_CAPS ("GRAY8") \
    CUDA_GRAY_CAPS ("GRAY8")

/* Whether the frames of a caps structure are in a GPU's memory. */
gboolean cuda_gray_caps_is_cuda (const GstCaps * caps, guint index);

/* What the other pad can have for caps on the pad of direction.  Everything
 * but format, colorimetry, chroma-site and memory stays; the same memory comes
 * first, and a GPU's only where cuda says that there may be such.  (transfer
 * full) */
GstCaps *cuda_gray_caps_transform (GstPadDirection direction, GstCaps * caps,
    gboolean cuda);

/* The same caps with a GPU's memory first, for who can give either.  (transfer
 * full) */
GstCaps *cuda_gray_caps_cuda_first (GstCaps * caps);

/* Chooses the output caps for an input: colorimetry as videoconvert does it.
 * No colorimetry in gives none out; otherwise the output gets GRAY8's default
 * range and matrix with the input's transfer and primaries, unless outcaps
 * asks for its own.  The input's kind of memory is preferred.  Takes outcaps.
 * (transfer full) */
GstCaps *cuda_gray_caps_fixate_output (const GstCaps * incaps,
    GstCaps * outcaps);

G_END_DECLS
