/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#include "ranges.h"

#include <nvtx3/nvToolsExt.h>
#include <pthread.h>
#include <sys/auxv.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static nvtxDomainHandle_t domain;       /* NULL without a profiler */

/* The first call of NVTX loads the library that the environment names, which a
 * process with more rights than its user must not do. */
static void
create_domain (void)
{
  if (!getauxval (AT_SECURE))
    domain = nvtxDomainCreateA ("cudagray");
}

void
gpu_range_begin (const char *name)
{
  nvtxEventAttributes_t attributes = {
    .version = NVTX_VERSION,
    .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE,
    .messageType = NVTX_MESSAGE_TYPE_ASCII,
    .message.ascii = name,
  };

  pthread_once (&once, create_domain);
  if (domain != NULL)
    nvtxDomainRangePushEx (domain, &attributes);
}

void
gpu_range_end (void)
{
  if (domain != NULL)
    nvtxDomainRangePop (domain);
}
