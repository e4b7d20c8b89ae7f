/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Negotiation: which gray caps go with which input caps. */

#pragma once

#include <gst/video/video.h>

G_BEGIN_DECLS

/* In one list, so that the source's own order decides. */
#define CUDA_GRAY_RGB_FORMATS "RGB, BGR, RGBx, BGRx, xRGB, xBGR, RGBA, BGRA, " \
    "ARGB, ABGR, GBR, GBRA, RGBP, BGRP"
#define CUDA_GRAY_DEEP_RGB_FORMATS "RGB16, BGR16, RGB15, BGR15, RGB10A2_LE, " \
    "BGR10A2_LE, r210, GBR_10LE, GBR_10BE, GBRA_10LE, GBRA_10BE, GBR_12LE, " \
    "GBR_12BE, GBRA_12LE, GBRA_12BE, ARGB64, ARGB64_LE, ARGB64_BE, " \
    "RGBA64_LE, RGBA64_BE, BGRA64_LE, BGRA64_BE, ABGR64_LE, ABGR64_BE"
/* Of these the Y is read alone, unless downstream asks for another matrix. */
#define CUDA_GRAY_YUV_FORMATS "I420, YV12, NV12, NV21, NV16, NV61, NV24, " \
    "Y41B, Y42B, Y444, YUV9, YVU9, YUY2, UYVY, YVYU, VYUY, AYUV, VUYA"
#define CUDA_GRAY_DEEP_YUV_FORMATS "P010_10LE, P010_10BE, P012_LE, P012_BE, " \
    "P016_LE, P016_BE, I420_10LE, I420_10BE, I420_12LE, I420_12BE, " \
    "I422_10LE, I422_10BE, I422_12LE, I422_12BE, Y444_10LE, Y444_10BE, " \
    "Y444_12LE, Y444_12BE, Y444_16LE, Y444_16BE, A420_10LE, A420_10BE, " \
    "A422_10LE, A422_10BE, A444_10LE, A444_10BE, AYUV64, Y210, Y410, " \
    "Y212_LE, Y212_BE, Y412_LE, Y412_BE"
#define CUDA_GRAY_SINK_FORMATS "{ " CUDA_GRAY_RGB_FORMATS ", " \
    CUDA_GRAY_DEEP_RGB_FORMATS ", " CUDA_GRAY_YUV_FORMATS ", " \
    CUDA_GRAY_DEEP_YUV_FORMATS ", GRAY8, GRAY10_LE32, GRAY16_LE, " \
    "GRAY16_BE }"
/* The first where downstream leaves it open. */
#define CUDA_GRAY_SRC_FORMATS "{ GRAY8, GRAY16_LE, GRAY16_BE }"

/* GStreamer's own CUDA elements lack xRGB and xBGR. */
#define CUDA_GRAY_CUDA_FORMATS "{ RGB, BGR, RGBx, BGRx, RGBA, BGRA, ARGB, " \
    "ABGR, GBR, GBRA, RGBP, BGRP, RGB10A2_LE, BGR10A2_LE, I420, YV12, NV12, " \
    "NV21, Y42B, Y444, YUY2, UYVY, VUYA, P010_10LE, P012_LE, P016_LE, " \
    "I420_10LE, I420_12LE, I422_10LE, I422_12LE, Y444_10LE, Y444_12LE, " \
    "Y444_16LE, GRAY8, GRAY16_LE, GRAY16_BE }"

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
#define CUDA_GRAY_SRC_CAPS CUDA_GRAY_CUDA_CAPS (CUDA_GRAY_SRC_FORMATS) \
    CUDA_GRAY_CAPS (CUDA_GRAY_SRC_FORMATS)

/* Whether the frames of a caps structure are in a GPU's memory. */
gboolean cuda_gray_caps_is_cuda (const GstCaps * caps, guint index);

/* What the other pad can have for caps on the pad of direction.  Everything
 * but format, colorimetry, chroma-site and memory stays; the same memory comes
 * first, and a GPU's only where cuda says that there may be such.  (transfer
 * full) */
GstCaps *cuda_gray_caps_transform (GstPadDirection direction, GstCaps * caps,
    gboolean cuda);

/* The same caps with a GPU's memory first, for who can give either, and without
 * structures that others contain: the base class puts GRAY8, which could pass
 * through, before the list that has it, and the source's own order is to
 * decide.  (transfer full) */
GstCaps *cuda_gray_caps_for_upstream (GstCaps * caps);

/* Chooses the output caps for an input, unless outcaps asks for its own
 * colorimetry.  RGB as videoconvert does it: no colorimetry in gives none out;
 * otherwise the output gets GRAY8's default range and matrix with the input's
 * transfer and primaries.  YUV: full range in the input's matrix, which is that
 * of its height where the input has no colorimetry; none out where that is
 * GRAY8's default.  The input's kind of memory is preferred.  Takes outcaps.
 * (transfer full) */
GstCaps *cuda_gray_caps_fixate_output (const GstCaps * incaps,
    GstCaps * outcaps);

G_END_DECLS
