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
#define v_low8(a, b) _mm_unpacklo_epi8 (a, b)
#define v_high8(a, b) _mm_unpackhi_epi8 (a, b)
#define v_low16(a, b) _mm_unpacklo_epi16 (a, b)
#define v_high16(a, b) _mm_unpackhi_epi16 (a, b)
#define v_load(p) _mm_loadu_si128 ((const V *) (p))
#define v_load2(p) _mm_unpacklo_epi16 ( \
    _mm_loadl_epi64 ((const V *) (p)), _mm_setzero_si128 ())
#define v_left16(a) _mm_slli_epi32 (a, 16)
#define v_right8_16(a) _mm_srli_epi16 (a, 8)
#define v_right(a, n) _mm_sra_epi32 (a, _mm_cvtsi32_si128 (n))

/* 12 bytes are an 8-byte and a 4-byte load: a 16-byte one would read past the
 * row's end. */
static inline V
v_load3 (const uint8_t * p)
{
  int32_t tail;

  memcpy (&tail, p + 8, 4);
  return _mm_unpacklo_epi64 (_mm_loadl_epi64 ((const V *) p),
      _mm_cvtsi32_si128 (tail));
}

static inline V
v_load1 (const uint8_t * p)
{
  int32_t word;

  memcpy (&word, p, 4);
  return _mm_shuffle_epi8 (_mm_cvtsi32_si128 (word), _mm_setr_epi8 (0, -1, -1,
          -1, 1, -1, -1, -1, 2, -1, -1, -1, 3, -1, -1, -1));
}

static inline V
v_even3 (V bytes)
{
  return _mm_shuffle_epi8 (bytes, _mm_setr_epi8 (0, -1, 2, -1, 3, -1, 5, -1,
          6, -1, 8, -1, 9, -1, 11, -1));
}

static inline V
v_odd3 (V bytes)
{
  return _mm_shuffle_epi8 (bytes, _mm_setr_epi8 (1, -1, -1, -1, 4, -1, -1, -1,
          7, -1, -1, -1, 10, -1, -1, -1));
}

static inline void
v_store_lanes (uint8_t * p, const V y[4])
{
  _mm_storeu_si128 ((V *) p, _mm_packus_epi16 (_mm_packs_epi32 (y[0], y[1]),
          _mm_packs_epi32 (y[2], y[3])));
}

#define v_store(p, y) v_store_lanes (p, y)

#include "row-simd.h"
