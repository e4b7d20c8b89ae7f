/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* What GStreamer's loaders look up, from 1.22 to 1.28, and which works for
 * nobody here: OpenGL, modules and kernels, textures, other processes.  What
 * they can do without (virtual memory, memory pools, external memory) is not
 * there at all.
 *
 * cuda.h is not included, for these take no arguments. */

#define NOT_SUPPORTED 801       /* CUDA_ERROR_NOT_SUPPORTED */

#define REFUSE(name) \
  __attribute__ ((visibility ("default"))) int name (void); \
  int name (void) { return NOT_SUPPORTED; }

/* *INDENT-OFF* */
REFUSE (cuCtxGetLimit)
REFUSE (cuCtxSetLimit)
REFUSE (cuDeviceGetUuid)
REFUSE (cuDeviceGetUuid_v2)
REFUSE (cuGetExportTable)
REFUSE (cuGLGetDevices_v2)
REFUSE (cuGraphicsEGLRegisterImage)
REFUSE (cuGraphicsGLRegisterBuffer)
REFUSE (cuGraphicsGLRegisterImage)
REFUSE (cuGraphicsMapResources)
REFUSE (cuGraphicsResourceGetMappedEglFrame)
REFUSE (cuGraphicsResourceGetMappedPointer_v2)
REFUSE (cuGraphicsResourceSetMapFlags_v2)
REFUSE (cuGraphicsSubResourceGetMappedArray)
REFUSE (cuGraphicsUnmapResources)
REFUSE (cuGraphicsUnregisterResource)
REFUSE (cuIpcCloseMemHandle)
REFUSE (cuIpcGetEventHandle)
REFUSE (cuIpcGetMemHandle)
REFUSE (cuIpcOpenEventHandle)
REFUSE (cuIpcOpenMemHandle)
REFUSE (cuIpcOpenMemHandle_v2)
REFUSE (cuLaunchKernel)
REFUSE (cuModuleGetFunction)
REFUSE (cuModuleLoadData)
REFUSE (cuModuleUnload)
REFUSE (cuTexObjectCreate)
REFUSE (cuTexObjectDestroy)
/* *INDENT-ON* */
