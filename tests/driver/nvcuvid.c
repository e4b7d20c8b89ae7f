/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* libnvcuvid.so.1 without a decoder.  GStreamer's nvcodec plugin has its CUDA
 * memory elements only where this library is found; with nothing that it can
 * decode, no decoder comes with them. */

#define NOT_SUPPORTED 801       /* CUDA_ERROR_NOT_SUPPORTED */

#define REFUSE(name) \
  __attribute__ ((visibility ("default"))) int name (void); \
  int name (void) { return NOT_SUPPORTED; }

/* *INDENT-OFF* */
REFUSE (cuvidCreateDecoder)
REFUSE (cuvidCreateVideoParser)
REFUSE (cuvidCtxLock)
REFUSE (cuvidCtxLockCreate)
REFUSE (cuvidCtxLockDestroy)
REFUSE (cuvidCtxUnlock)
REFUSE (cuvidDecodePicture)
REFUSE (cuvidDestroyDecoder)
REFUSE (cuvidDestroyVideoParser)
REFUSE (cuvidGetDecoderCaps)
REFUSE (cuvidMapVideoFrame)
REFUSE (cuvidMapVideoFrame64)
REFUSE (cuvidParseVideoData)
REFUSE (cuvidReconfigureDecoder)
REFUSE (cuvidUnmapVideoFrame)
REFUSE (cuvidUnmapVideoFrame64)
/* *INDENT-ON* */
