/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#include "random.h"

#include <string.h>

static uint64_t state;

/* splitmix64: any seed is a good one. */
static uint64_t
next (void)
{
  uint64_t z = state += 0x9e3779b97f4a7c15u;

  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

void
random_start (uint64_t seed)
{
  state = seed;
}

size_t
random_below (size_t limit)
{
  return next () % limit;
}

void
random_fill (uint8_t * bytes, size_t size)
{
  while (size != 0) {
    uint64_t word = next ();
    size_t part = size < sizeof word ? size : sizeof word;

    memcpy (bytes, &word, part);
    bytes += part;
    size -= part;
  }
}
