/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#include "config.h"

#include "gstcudagray.h"

/* Always registers: whether there is a GPU is asked when the element starts,
 * so that a registry made on one machine is right on another. */
static gboolean
plugin_init (GstPlugin * plugin)
{
  return GST_ELEMENT_REGISTER (cudagray, plugin);
}

GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, cudagray,
    "RGB and YUV to gray on NVIDIA GPUs, or on the CPU with the same bytes",
    plugin_init, PACKAGE_VERSION, "MIT/X11", "cudagray",
    "https://github.com/cudagray/cudagray")
