/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Running a plan over buffers.
 *
 * With backend=auto a frame goes to the GPU where that reads and writes it in
 * place, to the CPU where it is too small to be worth a launch, and otherwise
 * whichever way is found to be better: docs/design.md, "Who converts a
 * frame".  From the GPU's first failure on it is the CPU alone, within the same
 * frame and with the same bytes; where the GPU merely had no memory for a copy,
 * only for frames that need one, until it has. */

#pragma once

#include <gst/video/video.h>

#include "backend.h"
#include "cudamemory.h"
#include "gpu.h"
#include "trial.h"

G_BEGIN_DECLS

#define GST_TYPE_CUDA_GRAY_BACKEND (cuda_gray_backend_get_type ())
GType cuda_gray_backend_get_type (void);

typedef enum
{
  GST_CUDA_GRAY_BACKEND_AUTO,
  GST_CUDA_GRAY_BACKEND_CUDA,
  GST_CUDA_GRAY_BACKEND_CPU
} GstCudaGrayBackend;

/* Opens the GPU; a test puts its own here. */
typedef LumaBackend *(*CudaGrayOpenFunc) (int device, GpuStatus * status);
extern CudaGrayOpenFunc cuda_gray_open_gpu;

typedef struct
{
  GstElement *element;          /* not owned; for messages */
  LumaBackend *backend;         /* in use; NULL while closed */
  GstCudaContext *context;      /* that it works in; NULL: the primary one */
  gboolean automatic;           /* the CPU may do what the GPU does not */
  gboolean explained;           /* that frames are out of reach */
  CudaGrayTrial trial;          /* for these; init it for new caps */
  gint64 short_until;           /* no copies before, monotonic time; 0: none has
                                   been refused since the last */
  gboolean lost;                /* a frame is unknown: only refusing and closing
                                   are left */
  gint device;                  /* -1 for the CPU */
} CudaGrayConverter;

/* Opens what wanted and device_id ask for.  FALSE after an element error:
 * CUDA asked for and not to be had, or a device that does not exist where
 * others do.  With AUTO and no usable GPU it is the CPU: with an INFO log
 * where there is no GPU, and an element warning where there is one. */
gboolean cuda_gray_converter_open (CudaGrayConverter * self,
    GstElement * element, GstCudaGrayBackend wanted, gint device_id);

void cuda_gray_converter_close (CudaGrayConverter * self);

/* Moves the work to a context of others, on whichever device, for frames in
 * its memory.  Where that fails, or the CPU is at work, nothing changes: such
 * frames are then copied. */
void cuda_gray_converter_use_context (CudaGrayConverter * self,
    GstCudaContext * context);

/* Of a lost converter: the element error that its frames get. */
GstFlowReturn cuda_gray_converter_refuse (CudaGrayConverter * self);

typedef enum
{
  CUDA_GRAY_CONVERTED,
  CUDA_GRAY_BAD_INPUT,          /* with a problem to report; nothing done */
  CUDA_GRAY_CONVERT_FAILED      /* after an element error */
} CudaGrayConvertResult;

/* What one frame did, for the stats. */
typedef struct
{
  LumaPath path;
  gboolean failed_over, set_aside;
} CudaGrayOutcome;

/* Converts in into out.  A frame in a GPU's memory is always the GPU's, unless
 * that failed before.  Where in and out both name a stream, the work may still
 * be under way on these when this returns.
 *
 * Where a GPU may still be at work on a frame after its time is up, in and
 * out's memory are kept for good, and out gets fresh memory for the CPU's
 * result.  *problem: see cuda_gray_frame_map. */
CudaGrayConvertResult cuda_gray_converter_run (CudaGrayConverter * self,
    const LumaPlan * plan, const GstVideoInfo * in_info, GstBuffer * in,
    const GstVideoInfo * out_info, GstBuffer * out, CudaGrayOutcome * outcome,
    gchar ** problem);

G_END_DECLS
