/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#include <string.h>
#include <tmmintrin.h>

#include "row-tables.h"

#define V __m128i
#define V_PIXELS 4
#define V_NAME "ssse3"
#define V_ROWS luma_rows_ssse3

#define v_set(x) _mm_set1_epi32 (x)
#define v_and(a, b) _mm_and_si128 (a, b)
#define v_or(a, b) _mm_or_si128 (a, b)
#define v_add(a, b) _mm_add_epi32 (a, b)
#define v_madd(a, b) _mm_madd_epi16 (a, b)
#define v_left16(a) _mm_slli_epi32 (a, 16)
#define v_right8_16(a) _mm_srli_epi16 (a, 8)
#define v_right(a, n) _mm_srai_epi32 (a, n)

static inline V
v_load4 (const uint8_t * p)
{
  return _mm_loadu_si128 ((const V *) p);
}

/* 12 bytes are an 8-byte and a 4-byte load: a 16-byte one would read past the
 * row's end. */
static inline V
v_load3 (const uint8_t * p)
{
  const V widen = _mm_setr_epi8 (0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1,
      9, 10, 11, -1);
  int32_t tail;

  memcpy (&tail, p + 8, 4);
  return _mm_shuffle_epi8 (_mm_unpacklo_epi64 (_mm_loadl_epi64 ((const V *) p),
          _mm_cvtsi32_si128 (tail)), widen);
}

static inline V
v_load1 (const uint8_t * p)
{
  const V zero = _mm_setzero_si128 ();
  int32_t four;

  memcpy (&four, p, 4);
  return _mm_unpacklo_epi16 (_mm_unpacklo_epi8 (_mm_cvtsi32_si128 (four),
          zero), zero);
}

static inline void
v_store (uint8_t * p, const V y[4])
{
  _mm_storeu_si128 ((V *) p, _mm_packus_epi16 (_mm_packs_epi32 (y[0], y[1]),
          _mm_packs_epi32 (y[2], y[3])));
}

#include "row-simd.h"
