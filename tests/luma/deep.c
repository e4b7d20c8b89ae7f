/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Samples of other than 8 bits, and gray values of 16. */

#include <glib.h>
#include <string.h>

#include "contract.h"
#include "job.h"
#include "random.h"

/* For the samples of red, green and blue, or of gray or Y for all three. */
typedef struct
{
  const char *name;
  unsigned planes, step, bytes;
  bool big_endian, single;
  unsigned offset[LUMA_COMPONENTS], shift[LUMA_COMPONENTS];
  unsigned depth[LUMA_COMPONENTS];
} Deep;

#define ALL(n) {n, n, n}
static const Deep deep[] = {
  {"RGB16", 1, 2, 2, false, false, ALL (0), {11, 5, 0}, {5, 6, 5}},
  {"RGB15", 1, 2, 2, false, false, ALL (0), {10, 5, 0}, ALL (5)},
  {"RGB10A2_LE", 1, 4, 4, false, false, ALL (0), {0, 10, 20}, ALL (10)},
  {"r210", 1, 4, 4, true, false, ALL (0), {20, 10, 0}, ALL (10)},
  {"ARGB64_LE", 1, 8, 2, false, false, {2, 4, 6}, ALL (0), ALL (16)},
  {"BGRA64_BE", 1, 8, 2, true, false, {4, 2, 0}, ALL (0), ALL (16)},
  {"GBR_10LE", 3, 2, 2, false, false, ALL (0), ALL (0), ALL (10)},
  {"GBR_12BE", 3, 2, 2, true, false, ALL (0), ALL (0), ALL (12)},
  {"GBR_16LE", 3, 2, 2, false, false, ALL (0), ALL (0), ALL (16)},
  {"RGB", 1, 3, 1, false, false, {0, 1, 2}, ALL (0), ALL (8)},
  {"P010", 1, 2, 2, false, true, ALL (0), ALL (6), ALL (10)},
  {"P012", 1, 2, 2, false, true, ALL (0), ALL (4), ALL (12)},
  {"I420_10BE", 1, 2, 2, true, true, ALL (0), ALL (0), ALL (10)},
  {"Y210", 1, 4, 2, false, true, ALL (0), ALL (6), ALL (10)},
  {"Y410", 1, 4, 4, false, true, ALL (0), ALL (10), ALL (10)},
  {"Y412", 1, 8, 2, false, true, ALL (2), ALL (4), ALL (12)},
  {"GRAY16_LE", 1, 2, 2, false, true, ALL (0), ALL (0), ALL (16)},
  {"GRAY16_BE", 1, 2, 2, true, true, ALL (0), ALL (0), ALL (16)},
  {"GRAY8", 1, 1, 1, false, true, ALL (0), ALL (0), ALL (8)},
};

typedef struct
{
  unsigned depth;
  bool big_endian;
} Out;

static const Out outs[] = { {8, false}, {16, false}, {16, true} };

static void
components (const Deep * d, LumaComponent rgb[LUMA_COMPONENTS])
{
  for (unsigned i = 0; i < LUMA_COMPONENTS; i++)
    rgb[i] = (LumaComponent) {
    .plane = d->planes == 3 ? i : 0,.offset = d->offset[i],.step =
          d->step,.shift = d->shift[i],.depth = d->depth[i],.bytes =
          d->bytes,.big_endian = d->big_endian};
}

/* Straight from the formula, each component as a fraction of its own. */
static unsigned
oracle (const Case * c, const Deep * d, const Out * out,
    const unsigned sample[LUMA_COMPONENTS])
{
  static const int k[LUMA_N_MATRICES][4] = {
    [LUMA_MATRIX_BT601] = {1000, 299, 587, 114},
    [LUMA_MATRIX_BT709] = {10000, 2126, 7152, 722},
    [LUMA_MATRIX_BT2020] = {10000, 2627, 6780, 593},
    [LUMA_MATRIX_SMPTE240M] = {1000, 212, 701, 87},
    [LUMA_MATRIX_FCC] = {100, 30, 59, 11},
  };
  /* Y is y / over. */
  __int128 y = 0, over = 1, whole, max = ((__int128) 1 << out->depth) - 1;

  for (int i = 0; i < LUMA_COMPONENTS; i++) {
    bool limited = c->from == LUMA_RANGE_LIMITED && d->depth[i] >= 8;
    int from = limited ? 16 << (d->depth[i] - 8) : 0;
    int length = limited ? 219 << (d->depth[i] - 8) : (1 << d->depth[i]) - 1;
    __int128 part = (__int128) k[c->matrix][1 + i] * ((int) sample[i] - from);

    y = y * length + part * over;
    over *= length;
  }
  over *= k[c->matrix][0];
  if (c->to == LUMA_RANGE_LIMITED)
    y = (y * 219 + 16 * over) << (out->depth - 8);
  else
    y = y * max;
  whole = (2 * y + over) / (2 * over);
  if ((2 * y + over) % (2 * over) < 0)
    whole--;
  return (unsigned) (whole < 0 ? 0 : whole > max ? max : whole);
}

static unsigned
sample_at (const Deep * d, int i, const uint8_t * p)
{
  uint32_t word = 0;

  for (unsigned b = 0; b < d->bytes; b++)
    word |= (uint32_t) p[b] << 8 * (d->big_endian ? d->bytes - 1 - b : b);
  return word >> d->shift[i] & ((1u << d->depth[i]) - 1);
}

static void
expect (const Deep * d, const Case * c, const Out * out, const LumaPlan * plan,
    const Frame * in, const Frame * gray)
{
  for (size_t y = 0; y < plan->height; y++) {
    uint8_t *dst = gray->bytes + gray->start[0] +
        (ptrdiff_t) y * gray->stride[0];

    for (size_t x = 0; x < plan->width; x++) {
      unsigned sample[LUMA_COMPONENTS], value;

      for (int i = 0; i < LUMA_COMPONENTS; i++) {
        unsigned p = d->planes == 3 ? i : 0;

        sample[i] = sample_at (d, i, in->bytes + in->start[p] +
            (ptrdiff_t) y * in->stride[p] + x * d->step + d->offset[i]);
      }
      value = oracle (c, d, out, sample);
      if (out->depth == 8) {
        dst[x] = (uint8_t) value;
      } else {
        dst[2 * x + out->big_endian] = (uint8_t) value;
        dst[2 * x + !out->big_endian] = (uint8_t) (value >> 8);
      }
    }
  }
}

/* Every value in turn, for a sample alone. */
static void
count_up (const Deep * d, const Frame * in, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    uint8_t *p = in->bytes + in->start[0] + i * d->step + d->offset[0];
    uint32_t word = (uint32_t) i << d->shift[0];

    for (unsigned b = 0; b < d->bytes; b++)
      p[b] = (uint8_t) (word >> 8 * (d->big_endian ? d->bytes - 1 - b : b));
  }
}

static void
check (const Variant * variant, const Deep * d, const Case * c,
    const Out * out, size_t width, size_t height, bool counted)
{
  Place from = {.offset = random_below (64),.gap = random_below (14) };
  Place to = {.offset = random_below (64),.gap = random_below (5),.guard = 64 };
  LumaComponent rgb[LUMA_COMPONENTS];
  Frame in, expected, got;
  LumaPlan plan;

  components (d, rgb);
  if (!luma_plan_init_deep (&plan, width, height, rgb, c->matrix, c->from,
          c->to, out->depth, out->big_endian))
    g_error ("no plan for %s, %s", d->name, case_name (c));
  frame_init (&in, d->planes, width * d->step, height, from);
  if (counted)
    count_up (d, &in, width);
  frame_init (&expected, 1, width * out->depth / 8, height, to);
  got = frame_copy (&expected);
  expect (d, c, out, &plan, &in, &expected);
  variant_convert (variant, &plan, &in, &got);
  job_count++;
  for (size_t i = 0; i < got.size; i++) {
    if (got.bytes[i] != expected.bytes[i])
      g_error ("%s: %s to %u bits, %s, %" G_GSIZE_FORMAT " x %" G_GSIZE_FORMAT
          ": byte %" G_GSSIZE_FORMAT " is %d instead of %d", variant->name,
          d->name, out->depth, case_name (c), width, height,
          (gssize) (i - expected.start[0]), got.bytes[i], expected.bytes[i]);
  }
  frame_clear (&in);
  frame_clear (&expected);
  frame_clear (&got);
}

static void
check_format (const Variant * variant, const Deep * d, const Out * out)
{
  /* All cases on colours enough, some sizes and places of each. */
  for (int c = 0; c < N_CASES; c++) {
    if (d->single)
      check (variant, d, &cases[c], out, (size_t) 1 << d->depth[0], 1, true);
    else
      check (variant, d, &cases[c], out, 4001, 25, false);
    for (size_t i = 0; i < 12; i++)
      check (variant, d, &cases[c], out, 1 + random_below (300),
          1 + random_below (4), false);
  }
}

void
test_deep (const Variant * variant)
{
  for (size_t i = 0; i < G_N_ELEMENTS (deep); i++) {
    for (size_t o = 0; o < G_N_ELEMENTS (outs); o++)
      check_format (variant, &deep[i], &outs[o]);
  }
}
