/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* What is tested: one way to execute a plan, and the memory that its frames
 * lie in.  The tests are the same for all of them. */

#pragma once

#include "backend.h"
#include "frame.h"
#include "rows.h"

/* For the exit status of a test whose needs the machine does not meet. */
#define SKIPPED 77

typedef struct
{
  uint8_t *base;                /* what the code under test gets */
  size_t size;
  void *owner;                  /* what put needs to know */
} Memory;

/* get makes memory of at least memory->size bytes, on a boundary of 128. */
typedef struct
{
  void (*get) (Memory * memory);
  void (*put) (Memory * memory);
  void (*write) (const Memory * memory, const uint8_t * bytes);
  void (*read) (const Memory * memory, uint8_t * bytes);
} MemoryKind;

typedef struct
{
  const char *name;
  const MemoryKind *memory;
  const LumaRows *rows;         /* on the CPU; or */
  LumaBackend *backend;         /* on a GPU, which has to take */
  LumaPath path;
} Variant;

/* Memory of malloc; these two serve whatever memory the CPU reaches. */
extern const MemoryKind memory_heap;
void host_write (const Memory * memory, const uint8_t * bytes);
void host_read (const Memory * memory, uint8_t * bytes);

/* Opens the variant of that name.  Ends the program, with a line that says
 * why, where there is none. */
void variant_open (Variant * variant, const char *name);
void variant_close (Variant * variant);

/* The same for one of a GPU, called by variant_open: false where the name is
 * none of them. */
bool variant_open_gpu (Variant * variant, const char *name);

/* Places both frames in the variant's memory, converts, and fetches what is in
 * the target's then: all of its bytes, those outside the rows as well. */
void variant_convert (const Variant * variant, const LumaPlan * plan,
    const Frame * in, const Frame * out);
