/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#include <immintrin.h>

#include "row-tables.h"

#define V __m512i
#define V_PIXELS 16
#define V_NAME "avx512"
#define V_ROWS luma_rows_avx512

#define v_set(x) _mm512_set1_epi32 (x)
#define v_and(a, b) _mm512_and_si512 (a, b)
#define v_or(a, b) _mm512_or_si512 (a, b)
#define v_add(a, b) _mm512_add_epi32 (a, b)
#define v_madd(a, b) _mm512_madd_epi16 (a, b)
#define v_low8(a, b) _mm512_unpacklo_epi8 (a, b)
#define v_high8(a, b) _mm512_unpackhi_epi8 (a, b)
#define v_low16(a, b) _mm512_unpacklo_epi16 (a, b)
#define v_high16(a, b) _mm512_unpackhi_epi16 (a, b)
#define v_load(p) _mm512_loadu_si512 (p)
#define v_load1(p) \
    _mm512_cvtepu8_epi32 (_mm_loadu_si128 ((const __m128i *) (p)))
#define v_load2(p) \
    _mm512_cvtepu16_epi32 (_mm256_loadu_si256 ((const __m256i *) (p)))
#define v_left16(a) _mm512_slli_epi32 (a, 16)
#define v_right8_16(a) _mm512_srli_epi16 (a, 8)
#define v_right(a, n) _mm512_sra_epi32 (a, _mm_cvtsi32_si128 (n))

/* Each 128-bit lane gets the three 32-bit words of its four pixels. */
static inline V
v_load3 (const uint8_t * p)
{
  const V spread = _mm512_setr_epi32 (0, 1, 2, 2, 3, 4, 5, 5, 6, 7, 8, 8,
      9, 10, 11, 11);
  __m256i low = _mm256_loadu_si256 ((const __m256i *) p);
  __m128i high = _mm_loadu_si128 ((const __m128i *) (p + 32));
  V bytes = _mm512_inserti32x4 (_mm512_castsi256_si512 (low), high, 2);

  return _mm512_permutexvar_epi32 (spread, bytes);
}

static inline V
v_even3 (V bytes)
{
  return _mm512_shuffle_epi8 (bytes, _mm512_broadcast_i32x4 (_mm_setr_epi8 (0,
              -1, 2, -1, 3, -1, 5, -1, 6, -1, 8, -1, 9, -1, 11, -1)));
}

static inline V
v_odd3 (V bytes)
{
  return _mm512_shuffle_epi8 (bytes, _mm512_broadcast_i32x4 (_mm_setr_epi8 (1,
              -1, -1, -1, 4, -1, -1, -1, 7, -1, -1, -1, 10, -1, -1, -1)));
}

static inline V
lanes (const V y[4])
{
  return _mm512_packus_epi16 (_mm512_packs_epi32 (y[0], y[1]),
      _mm512_packs_epi32 (y[2], y[3]));
}

static inline void
v_store_lanes (uint8_t * p, const V y[4])
{
  _mm512_storeu_si512 (p, lanes (y));
}

/* The packs work within 128-bit lanes; the permutation undoes that. */
static inline void
v_store (uint8_t * p, const V y[4])
{
  const V order = _mm512_setr_epi32 (0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14,
      3, 7, 11, 15);

  _mm512_storeu_si512 (p, _mm512_permutexvar_epi32 (order, lanes (y)));
}

#include "row-simd.h"
