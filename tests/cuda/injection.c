/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#include "injection.h"

#include <nvtx3/nvToolsExt.h>
#include <stdio.h>
#include <string.h>

#define EXPORT __attribute__ ((visibility ("default")))

static char written[1024], taken[sizeof written];
static int depth;

/* Any address that NVTX does not use. */
static const nvtxDomainHandle_t ours = (nvtxDomainHandle_t) written;

static void
add (const char *text)
{
  size_t used = strlen (written);

  snprintf (written + used, sizeof written - used, "%s", text);
}

static nvtxDomainHandle_t NVTX_API
create_domain (const char *name)
{
  return strcmp (name, "cudagray") == 0 ? ours : NULL;
}

static int NVTX_API
push (nvtxDomainHandle_t domain, const nvtxEventAttributes_t * attributes)
{
  if (domain != ours || attributes->messageType != NVTX_MESSAGE_TYPE_ASCII)
    return NVTX_NO_PUSH_POP_TRACKING;
  add ("(");
  add (attributes->message.ascii);
  return depth++;
}

static int NVTX_API
pop (nvtxDomainHandle_t domain)
{
  if (domain != ours)
    return NVTX_NO_PUSH_POP_TRACKING;
  add (")");
  return --depth;
}

EXPORT const char *
injection_take (void)
{
  memcpy (taken, written, sizeof taken);
  written[0] = '\0';
  return taken;
}

/* What NVTX looks for. */
EXPORT int InitializeInjectionNvtx2 (NvtxGetExportTableFunc_t get_table);

EXPORT int
InitializeInjectionNvtx2 (NvtxGetExportTableFunc_t get_table)
{
  const NvtxExportTableCallbacks *callbacks = get_table (NVTX_ETID_CALLBACKS);
  NvtxFunctionTable table;
  unsigned size;

  if (callbacks == NULL || !callbacks->GetModuleFunctionTable
      (NVTX_CB_MODULE_CORE2, &table, &size) ||
      size <= NVTX_CBID_CORE2_DomainCreateA)
    return 0;
  *table[NVTX_CBID_CORE2_DomainCreateA] = (NvtxFunctionPointer) create_domain;
  *table[NVTX_CBID_CORE2_DomainRangePushEx] = (NvtxFunctionPointer) push;
  *table[NVTX_CBID_CORE2_DomainRangePop] = (NvtxFunctionPointer) pop;
  return 1;
}
