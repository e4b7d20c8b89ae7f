/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#include <immintrin.h>

#include "row-tables.h"

#define V __m256i
#define V_PIXELS 8
#define V_NAME "avx2"
#define V_ROWS luma_rows_avx2

#define v_set(x) _mm256_set1_epi32 (x)
#define v_and(a, b) _mm256_and_si256 (a, b)
#define v_or(a, b) _mm256_or_si256 (a, b)
#define v_add(a, b) _mm256_add_epi32 (a, b)
#define v_madd(a, b) _mm256_madd_epi16 (a, b)
#define v_low8(a, b) _mm256_unpacklo_epi8 (a, b)
#define v_high8(a, b) _mm256_unpackhi_epi8 (a, b)
#define v_low16(a, b) _mm256_unpacklo_epi16 (a, b)
#define v_high16(a, b) _mm256_unpackhi_epi16 (a, b)
#define v_load(p) _mm256_loadu_si256 ((const V *) (p))
#define v_load1(p) \
    _mm256_cvtepu8_epi32 (_mm_loadl_epi64 ((const __m128i *) (p)))
#define v_load2(p) \
    _mm256_cvtepu16_epi32 (_mm_loadu_si128 ((const __m128i *) (p)))
#define v_left16(a) _mm256_slli_epi32 (a, 16)
#define v_right8_16(a) _mm256_srli_epi16 (a, 8)
#define v_right(a, n) _mm256_sra_epi32 (a, _mm_cvtsi32_si128 (n))

/* 24 bytes are two overlapping loads of 16, one for each 128-bit lane: the
 * upper lane's four pixels start at its byte 4. */
static inline V
v_load3 (const uint8_t * p)
{
  __m128i low = _mm_loadu_si128 ((const __m128i *) p);
  __m128i high = _mm_loadu_si128 ((const __m128i *) (p + 8));

  return _mm256_set_m128i (high, low);
}

static inline V
v_even3 (V bytes)
{
  return _mm256_shuffle_epi8 (bytes, _mm256_setr_epi8 (0, -1, 2, -1,
          3, -1, 5, -1, 6, -1, 8, -1, 9, -1, 11, -1, 4, -1, 6, -1,
          7, -1, 9, -1, 10, -1, 12, -1, 13, -1, 15, -1));
}

static inline V
v_odd3 (V bytes)
{
  return _mm256_shuffle_epi8 (bytes, _mm256_setr_epi8 (1, -1, -1, -1,
          4, -1, -1, -1, 7, -1, -1, -1, 10, -1, -1, -1, 5, -1, -1, -1,
          8, -1, -1, -1, 11, -1, -1, -1, 14, -1, -1, -1));
}

static inline V
lanes (const V y[4])
{
  return _mm256_packus_epi16 (_mm256_packs_epi32 (y[0], y[1]),
      _mm256_packs_epi32 (y[2], y[3]));
}

static inline void
v_store_lanes (uint8_t * p, const V y[4])
{
  _mm256_storeu_si256 ((V *) p, lanes (y));
}

/* The packs work within 128-bit lanes; the permutation undoes that. */
static inline void
v_store (uint8_t * p, const V y[4])
{
  const V order = _mm256_setr_epi32 (0, 4, 1, 5, 2, 6, 3, 7);

  _mm256_storeu_si256 ((V *) p, _mm256_permutevar8x32_epi32 (lanes (y), order));
}

#include "row-simd.h"
