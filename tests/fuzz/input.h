/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* The bytes that libFuzzer makes, taken as choices.  Past their end every
 * choice is 0, which is the plain one wherever there is one. */

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct
{
  const uint8_t *at, *end;
} Input;

/* libFuzzer's entries. */
int LLVMFuzzerInitialize (int *argc, char ***argv);
int LLVMFuzzerTestOneInput (const uint8_t * data, size_t size);

/* What must never be.  libFuzzer keeps the input. */
#define MUST(condition, ...) do { \
  if (!(condition)) { \
    fprintf (stderr, "%s:%d: %s: ", __FILE__, __LINE__, #condition); \
    fprintf (stderr, __VA_ARGS__); \
    fputc ('\n', stderr); \
    abort (); \
  } \
} while (0)

static inline bool
input_has_more (const Input * input)
{
  return input->at < input->end;
}

/* A number of so many bytes. */
static inline uint64_t
input_take (Input * input, unsigned bytes)
{
  uint64_t value = 0;

  for (unsigned b = 0; b < bytes && input_has_more (input); b++)
    value |= (uint64_t) *input->at++ << 8 * b;
  return value;
}

/* 0 to limit - 1. */
static inline unsigned
input_below (Input * input, unsigned limit)
{
  return (unsigned) input_take (input, limit <= 256 ? 1 : 2) % limit;
}

/* True one time in so many. */
static inline bool
input_rarely (Input * input, unsigned times)
{
  return input_below (input, times) == times - 1;
}

/* A number of any size, of those that code gets wrong. */
static inline int64_t
input_number (Input * input)
{
  static const int64_t edges[] = {
    0, 1, -1, INT16_MAX, UINT16_MAX, INT32_MAX, INT32_MIN, UINT32_MAX,
    (int64_t) UINT32_MAX + 1, INT64_MAX, INT64_MIN, INT64_MAX / 2,
    INT32_MIN + 1, INT32_MAX - 1, (int64_t) 1 << 53, (int64_t) 1 << 40
  };
  unsigned kind = input_below (input, 8);

  if (kind < 4)
    return (int64_t) ((uint64_t) edges[input_below (input,
                sizeof edges / sizeof *edges)] + kind - 1);
  return (int64_t) input_take (input, 1u << (kind - 4));
}
