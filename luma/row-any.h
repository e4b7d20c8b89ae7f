/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* The row for LUMA_LAYOUT_ANY, written once, and compiled for each instruction
 * set: the compiler makes vectors of its plain loops.  A file that includes it
 * takes any_row.
 *
 * A block of samples is first brought into int32, by a loop for each size of
 * pixel, and then turned gray by one loop for all formats. */

#include <string.h>

#include "arith.h"
#include "rows.h"

#define ANY_BLOCK 128

/* From word, of a component's own size, its sample. */
static inline int32_t
sample_of (const LumaComponent * c, uint32_t word, unsigned bytes, bool swap)
{
  if (swap)
    word = bytes == 2 ? __builtin_bswap16 ((uint16_t) word) :
        __builtin_bswap32 (word);
  return (int32_t) (word >> c->shift & ((1u << c->depth) - 1));
}

/* Pixels that are words: vectors of these can be loaded, and the component's
 * own word be shifted down. */
#define TAKE(name, Pixel) \
static inline void \
name (const LumaComponent * c, const uint8_t * p, int32_t * to, size_t n, \
    unsigned bytes, bool swap) \
{ \
  const unsigned down = 8 * c->offset; \
  const uint32_t own = bytes == 4 ? 0xffffffff : (1u << 8 * bytes) - 1; \
\
  for (size_t i = 0; i < n; i++) { \
    Pixel pixel; \
\
    memcpy (&pixel, p + i * sizeof pixel, sizeof pixel); \
    to[i] = sample_of (c, (uint32_t) (pixel >> down) & own, bytes, swap); \
  } \
}

TAKE (take_pixels2, uint16_t)
TAKE (take_pixels4, uint32_t)
TAKE (take_pixels8, uint64_t)

/* Any others. */
static inline void
take_bytes (const LumaComponent * c, const uint8_t * row, size_t first,
    int32_t * to, size_t n, unsigned per_word)
{
  for (size_t i = 0; i < n; i++) {
    const uint8_t *at = row + (first + i) / per_word * c->step + c->offset;
    uint32_t word = 0;

    for (unsigned b = 0; b < c->bytes; b++)
      word |= (uint32_t) at[b] << 8 * (c->big_endian ? c->bytes - 1 - b : b);
    word >>= (first + i) % per_word * c->depth;
    to[i] = sample_of (c, word, c->bytes, false);
  }
}

/* Constants where the compiler can make vectors of them. */
static void
take (const LumaComponent * c, const uint8_t * row, size_t first, int32_t * to,
    size_t n)
{
  const bool swap = c->bytes > 1 && c->big_endian;
  const uint8_t *p = row + first * c->step;

  if (c->per_word > 1)
    take_bytes (c, row, first, to, n, c->per_word);
  else if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ || c->bytes == 1)
    take_bytes (c, row, first, to, n, 1);
  else if (c->step == 2 && !swap)
    take_pixels2 (c, p, to, n, 2, false);
  else if (c->step == 2)
    take_pixels2 (c, p, to, n, 2, true);
  else if (c->step == 4 && c->bytes == 4)
    take_pixels4 (c, p, to, n, 4, swap);
  else if (c->step == 4)
    take_pixels4 (c, p, to, n, 2, swap);
  else if (c->step == 8 && c->bytes == 2 && !swap)
    take_pixels8 (c, p, to, n, 2, false);
  else if (c->step == 8 && c->bytes == 2)
    take_pixels8 (c, p, to, n, 2, true);
  else
    take_bytes (c, row, first, to, n, 1);
}

/* n pixels from x on, which is a multiple of what a sample stands for. */
static void
take_pixels (const LumaComponent * c, const uint8_t * row, size_t x,
    int32_t * to, size_t n)
{
  take (c, row, x >> c->sub_x, to, ((n - 1) >> c->sub_x) + 1);
  if (c->sub_x == 0)
    return;
  for (size_t i = n; i-- > 0;)
    to[i] = to[i >> c->sub_x];
}

static void
store_any (const LumaPlan * plan, uint8_t * dst, const int32_t * gray, size_t n)
{
  const bool swap = plan->out_big_endian !=
      (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);

  if (plan->out_bytes == 1) {
    for (size_t i = 0; i < n; i++)
      dst[i] = (uint8_t) gray[i];
    return;
  }
  for (size_t i = 0; i < n; i++) {
    uint16_t word = (uint16_t) gray[i];

    word = swap ? __builtin_bswap16 (word) : word;
    memcpy (dst + 2 * i, &word, 2);
  }
}

static void
any_row (const LumaPlan * plan, const uint8_t * const src[LUMA_COMPONENTS],
    uint8_t * dst, size_t width)
{
  const LumaExact exact = luma_exact (plan);
  const LumaWide wide = luma_wide (plan);
  const bool single = luma_plan_is_single (plan);
  int32_t sample[LUMA_COMPONENTS][ANY_BLOCK], gray[ANY_BLOCK];
  const int32_t *s1 = sample[single ? 0 : 1], *s2 = sample[single ? 0 : 2];

  for (size_t x = 0; x < width; x += ANY_BLOCK) {
    size_t n = width - x < ANY_BLOCK ? width - x : ANY_BLOCK;

    for (int i = 0; i < (single ? 1 : LUMA_COMPONENTS); i++)
      take_pixels (&plan->component[i], src[i], x, sample[i], n);
    if (plan->wide) {
      for (size_t i = 0; i < n; i++)
        gray[i] = luma_wide_gray (&wide, sample[0][i], s1[i], s2[i]);
    } else {
      for (size_t i = 0; i < n; i++)
        gray[i] = luma_exact_gray (&exact, sample[0][i], s1[i], s2[i]);
    }
    store_any (plan, dst + x * plan->out_bytes, gray, n);
  }
}
