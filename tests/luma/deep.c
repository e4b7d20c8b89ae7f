/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Samples of other than 8 bits, and gray values of 16. */

#include <glib.h>
#include <string.h>

#include "contract.h"
#include "job.h"
#include "random.h"

typedef enum
{
  RGB, Y, YUV
} Kind;

/* Where the samples of R, G and B, of Y alone, or of Y, U and V are; U and V
 * stand for 2^sub_x by 2^sub_y pixels. */
typedef struct
{
  const char *name;
  Kind kind;
  unsigned bytes;
  bool big_endian;
  unsigned depth[LUMA_COMPONENTS], shift[LUMA_COMPONENTS];
  unsigned plane[LUMA_COMPONENTS], offset[LUMA_COMPONENTS];
  unsigned step[LUMA_COMPONENTS];
  unsigned sub_x, sub_y, per_word;
  bool two_fields;
} Deep;

#define ALL(n) {n, n, n}
#define EACH {0, 1, 2}
static const Deep deep[] = {
  {"RGB16", RGB, 2, 0, {5, 6, 5}, {11, 5, 0}, ALL (0), ALL (0), ALL (2)},
  {"RGB15", RGB, 2, 0, ALL (5), {10, 5, 0}, ALL (0), ALL (0), ALL (2)},
  {"RGB10A2_LE", RGB, 4, 0, ALL (10), {0, 10, 20}, ALL (0), ALL (0), ALL (4)},
  {"r210", RGB, 4, 1, ALL (10), {20, 10, 0}, ALL (0), ALL (0), ALL (4)},
  {"ARGB64_LE", RGB, 2, 0, ALL (16), ALL (0), ALL (0), {2, 4, 6}, ALL (8)},
  {"BGRA64_BE", RGB, 2, 1, ALL (16), ALL (0), ALL (0), {4, 2, 0}, ALL (8)},
  {"GBR_10LE", RGB, 2, 0, ALL (10), ALL (0), EACH, ALL (0), ALL (2)},
  {"GBR_12BE", RGB, 2, 1, ALL (12), ALL (0), EACH, ALL (0), ALL (2)},
  {"GBR_16LE", RGB, 2, 0, ALL (16), ALL (0), EACH, ALL (0), ALL (2)},
  {"RGB", RGB, 1, 0, ALL (8), ALL (0), ALL (0), EACH, ALL (3)},
  {"unlike depths in one place", RGB, 1, 0, {8, 7, 5}, ALL (0), ALL (0),
      ALL (0), ALL (1)},

  {"P010", Y, 2, 0, ALL (10), ALL (6), ALL (0), ALL (0), ALL (2)},
  {"P012", Y, 2, 0, ALL (12), ALL (4), ALL (0), ALL (0), ALL (2)},
  {"I420_10BE", Y, 2, 1, ALL (10), ALL (0), ALL (0), ALL (0), ALL (2)},
  {"Y210", Y, 2, 0, ALL (10), ALL (6), ALL (0), ALL (0), ALL (4)},
  {"Y410", Y, 4, 0, ALL (10), ALL (10), ALL (0), ALL (0), ALL (4)},
  {"Y412", Y, 2, 0, ALL (12), ALL (4), ALL (0), ALL (2), ALL (8)},
  {"GRAY16_LE", Y, 2, 0, ALL (16), ALL (0), ALL (0), ALL (0), ALL (2)},
  {"GRAY16_BE", Y, 2, 1, ALL (16), ALL (0), ALL (0), ALL (0), ALL (2)},
  {"GRAY10_LE32", Y, 4, 0, ALL (10), ALL (0), ALL (0), ALL (0), ALL (4), 0, 0,
      3},
  {"GRAY8", Y, 1, 0, ALL (8), ALL (0), ALL (0), ALL (0), ALL (1)},

  {"I420", YUV, 1, 0, ALL (8), ALL (0), EACH, ALL (0), ALL (1), 1, 1},
  {"I420 of two fields", YUV, 1, 0, ALL (8), ALL (0), EACH, ALL (0), ALL (1), 1,
      1, 1, true},
  {"NV12", YUV, 1, 0, ALL (8), ALL (0), {0, 1, 1}, {0, 0, 1}, {1, 2, 2}, 1, 1},
  {"YUY2", YUV, 1, 0, ALL (8), ALL (0), ALL (0), {0, 1, 3}, {2, 4, 4}, 1, 0},
  {"Y41B", YUV, 1, 0, ALL (8), ALL (0), EACH, ALL (0), ALL (1), 2, 0},
  {"YUV9", YUV, 1, 0, ALL (8), ALL (0), EACH, ALL (0), ALL (1), 2, 2},
  {"Y444", YUV, 1, 0, ALL (8), ALL (0), EACH, ALL (0), ALL (1)},
  {"AYUV", YUV, 1, 0, ALL (8), ALL (0), ALL (0), {1, 2, 3}, ALL (4)},
  {"P010", YUV, 2, 0, ALL (10), ALL (6), {0, 1, 1}, {0, 0, 2}, {2, 4, 4}, 1, 1},
  {"Y444_10LE", YUV, 2, 0, ALL (10), ALL (0), EACH, ALL (0), ALL (2)},
  {"I422_12BE", YUV, 2, 1, ALL (12), ALL (0), EACH, ALL (0), ALL (2), 1, 0},
  {"Y210", YUV, 2, 0, ALL (10), ALL (6), ALL (0), {0, 2, 6}, {4, 8, 8}, 1, 0},
  {"Y410", YUV, 4, 0, ALL (10), {10, 0, 20}, ALL (0), ALL (0), ALL (4)},
  {"Y444_16LE", YUV, 2, 0, ALL (16), ALL (0), EACH, ALL (0), ALL (2)},
  {"AYUV64_BE", YUV, 2, 1, ALL (16), ALL (0), ALL (0), {2, 4, 6}, ALL (8)},
};

typedef struct
{
  unsigned depth;
  bool big_endian;
} Out;

static const Out outs[] = { {8, false}, {16, false}, {16, true} };

/* A conversion; matrix is that of YUV. */
typedef struct
{
  const Deep *deep;
  const Case *kase;
  LumaMatrix matrix;
  const Out *out;
  size_t width, height;
} Deed;

static bool
make_plan (const Deed * deed, LumaPlan * plan)
{
  const Deep *d = deed->deep;
  const Case *c = deed->kase;
  LumaComponent component[LUMA_COMPONENTS];

  for (unsigned i = 0; i < LUMA_COMPONENTS; i++) {
    component[i] = (LumaComponent) {
    .plane = d->plane[i],.offset = d->offset[i],.step = d->step[i],.shift =
          d->shift[i],.depth = d->depth[i],.bytes = d->bytes,.big_endian =
          d->big_endian,.per_word = d->per_word,.two_fields = d->two_fields};
    if (d->kind == YUV && i > 0) {
      component[i].sub_x = d->sub_x;
      component[i].sub_y = d->sub_y;
    }
  }
  if (d->kind == YUV)
    return luma_plan_init_yuv (plan, deed->width, deed->height, component,
        deed->matrix, c->matrix, c->from, c->to, deed->out->depth,
        deed->out->big_endian);
  return luma_plan_init_deep (plan, deed->width, deed->height, component,
      c->matrix, c->from, c->to, deed->out->depth, deed->out->big_endian);
}

/* n / over */
typedef struct
{
  __int128 n, over;
} Fraction;

/* Each component as a fraction of its own. */
static Fraction
luma_of_rgb (const Deed * deed, const unsigned sample[LUMA_COMPONENTS])
{
  const int *k = matrix_weights[deed->kase->matrix];
  Fraction l = { 0, k[0] };

  for (int i = 0; i < LUMA_COMPONENTS; i++) {
    unsigned depth = deed->deep->depth[i];
    bool limited = deed->kase->from == LUMA_RANGE_LIMITED && depth >= 8;
    int from = limited ? 16 << (depth - 8) : 0;
    int length = limited ? 219 << (depth - 8) : (1 << depth) - 1;

    l.n = l.n * length + l.over / k[0] * k[1 + i] * ((int) sample[i] - from);
    l.over *= length;
  }
  return l;
}

/* By way of R, G and B, which are r, g and b over J jg of Y's, U's and V's
 * common denominator. */
static Fraction
luma_of_yuv (const Deed * deed, const unsigned sample[LUMA_COMPONENTS])
{
  const unsigned up = deed->deep->depth[0] - 8;
  const bool limited = deed->kase->from == LUMA_RANGE_LIMITED;
  const __int128 y_length = limited ? 219 << up : (256 << up) - 1;
  const __int128 c_length = limited ? 224 << up : (256 << up) - 1;
  const __int128 y = ((int) sample[0] - (limited ? 16 << up : 0)) * c_length;
  const __int128 u = ((int) sample[1] - (128 << up)) * y_length;
  const __int128 v = ((int) sample[2] - (128 << up)) * y_length;
  const int *j = matrix_weights[deed->matrix], *k =
      matrix_weights[deed->kase->matrix];
  __int128 r = j[2] * (j[0] * y + 2 * (j[0] - j[1]) * v);
  __int128 b = j[2] * (j[0] * y + 2 * (j[0] - j[3]) * u);
  __int128 g = j[0] * (__int128) j[0] * y - (j[1] * r + j[3] * b) / j[2];

  return (Fraction) {
  k[1] * r + k[2] * g + k[3] * b, y_length * c_length * j[0] * j[2] * k[0]};
}

/* Straight from the formula. */
static unsigned
oracle (const Deed * deed, const unsigned sample[LUMA_COMPONENTS])
{
  const unsigned depth = deed->out->depth;
  const __int128 max = ((__int128) 1 << depth) - 1;
  Fraction y = deed->deep->kind == YUV && deed->matrix != deed->kase->matrix ?
      luma_of_yuv (deed, sample) : luma_of_rgb (deed, sample);
  __int128 whole;

  if (deed->kase->to == LUMA_RANGE_LIMITED)
    y.n = (y.n * 219 + 16 * y.over) * (1 << (depth - 8));
  else
    y.n = y.n * max;
  whole = (2 * y.n + y.over) / (2 * y.over);
  if ((2 * y.n + y.over) % (2 * y.over) < 0)
    whole--;
  return (unsigned) (whole < 0 ? 0 : whole > max ? max : whole);
}

static unsigned
samples_a_word (const Deep * d)
{
  return d->per_word > 0 ? d->per_word : 1;
}

/* Of two fields, each row has the chroma of its own. */
static size_t
chroma_row (const Deep * d, size_t y)
{
  return d->two_fields ? y / 2 / (1u << d->sub_y) * 2 + y % 2 : y >> d->sub_y;
}

/* Component i of pixel x in row y. */
static unsigned
sample_at (const Deep * d, const Frame * in, int i, size_t x, size_t y)
{
  unsigned per_word = samples_a_word (d);
  uint32_t word = 0;
  const uint8_t *p;

  if (d->kind == Y)
    i = 0;
  if (d->kind == YUV && i > 0) {
    x >>= d->sub_x;
    y = chroma_row (d, y);
  }
  p = in->bytes + in->start[d->plane[i]] +
      (ptrdiff_t) y *in->stride[d->plane[i]] + d->offset[i] +
      x / per_word * d->step[i];
  for (unsigned b = 0; b < d->bytes; b++)
    word |= (uint32_t) p[b] << 8 * (d->big_endian ? d->bytes - 1 - b : b);
  return word >> (d->shift[i] + x % per_word * d->depth[i]) &
      ((1u << d->depth[i]) - 1);
}

static void
expect (const Deed * deed, const Frame * in, const Frame * gray)
{
  const Deep *d = deed->deep;

  for (size_t y = 0; y < deed->height; y++) {
    uint8_t *dst = gray->bytes + gray->start[0] +
        (ptrdiff_t) y * gray->stride[0];

    for (size_t x = 0; x < deed->width; x++) {
      /* Of YUV in one matrix the Y alone. */
      bool three = d->kind != Y && (d->kind != YUV ||
          deed->matrix != deed->kase->matrix);
      unsigned sample[LUMA_COMPONENTS], value;

      for (int i = 0; i < LUMA_COMPONENTS; i++)
        sample[i] = sample_at (d, in, three ? i : 0, x, y);
      value = oracle (deed, sample);
      if (deed->out->depth == 8) {
        dst[x] = (uint8_t) value;
      } else {
        dst[2 * x + deed->out->big_endian] = (uint8_t) value;
        dst[2 * x + !deed->out->big_endian] = (uint8_t) (value >> 8);
      }
    }
  }
}

/* Every value in turn, for a sample alone. */
static void
count_up (const Deed * deed, const Frame * in)
{
  const Deep *d = deed->deep;
  unsigned per_word = samples_a_word (d);

  for (size_t i = 0; i < deed->width; i += per_word) {
    uint8_t *p = in->bytes + in->start[0] + i / per_word * d->step[0] +
        d->offset[0];
    uint32_t word = 0;

    for (unsigned j = 0; j < per_word; j++)
      word |= (uint32_t) (i + j) << (d->shift[0] + j * d->depth[0]);
    for (unsigned b = 0; b < d->bytes; b++)
      p[b] = (uint8_t) (word >> 8 * (d->big_endian ? d->bytes - 1 - b : b));
  }
}

/* Just the bytes that the rows need; returns the number of planes. */
static unsigned
find_extents (const Deed * deed, LumaExtent extent[LUMA_PLANES])
{
  const Deep *d = deed->deep;
  unsigned planes = 0;

  for (int i = 0; i < LUMA_COMPONENTS; i++) {
    bool chroma = d->kind == YUV && i > 0;
    unsigned sub_x = chroma ? d->sub_x : 0, per_word = samples_a_word (d);
    size_t samples = (deed->width + (1u << sub_x) - 1) >> sub_x;
    LumaExtent own = { (samples + per_word - 1) / per_word * d->step[i], 0 };

    if (d->plane[i] == planes)
      extent[planes++] = (LumaExtent) {
      0, 0};
    for (size_t y = 0; y < deed->height; y++)
      own.rows = MAX (own.rows, (chroma ? chroma_row (d, y) : y) + 1);
    extent[d->plane[i]].row_bytes = MAX (extent[d->plane[i]].row_bytes,
        own.row_bytes);
    extent[d->plane[i]].rows = MAX (extent[d->plane[i]].rows, own.rows);
  }
  return planes;
}

/* Writes what the samples are to be, or leaves them random. */
typedef void (*Fill) (const Deed * deed, const Frame * in);

static void
check (const Variant * variant, const Deed * deed, Fill fill)
{
  Place from = {.offset = random_below (64),.gap = random_below (14) };
  Place to = {.offset = random_below (64),.gap = random_below (5),.guard = 64 };
  LumaExtent extent[LUMA_PLANES];
  Frame in, expected, got;
  unsigned planes = find_extents (deed, extent);
  LumaPlan plan;

  if (!make_plan (deed, &plan))
    g_error ("no plan for %s, %s", deed->deep->name, case_name (deed->kase));
  frame_init_planes (&in, planes, extent, from);
  if (fill != NULL)
    fill (deed, &in);
  frame_init (&expected, 1, deed->width * deed->out->depth / 8, deed->height,
      to);
  got = frame_copy (&expected);
  expect (deed, &in, &expected);
  variant_convert (variant, &plan, &in, &got);
  job_count++;
  for (size_t i = 0; i < got.size; i++) {
    if (got.bytes[i] != expected.bytes[i])
      g_error ("%s: %s of matrix %d to %u bits, %s, %" G_GSIZE_FORMAT " x %"
          G_GSIZE_FORMAT ": byte %" G_GSSIZE_FORMAT " is %d instead of %d",
          variant->name, deed->deep->name, deed->matrix, deed->out->depth,
          case_name (deed->kase), deed->width, deed->height,
          (gssize) (i - expected.start[0]), got.bytes[i], expected.bytes[i]);
  }
  frame_clear (&in);
  frame_clear (&expected);
  frame_clear (&got);
}

/* So many colours, then some sizes and places. */
static void
check_case (const Variant * variant, Deed deed, size_t colours)
{
  bool counted = deed.deep->kind == Y;

  deed.width = counted ? (size_t) 1 << deed.deep->depth[0] : colours / 25;
  deed.height = counted ? 1 : 25;
  check (variant, &deed, counted ? count_up : NULL);
  for (size_t i = 0; i < 12; i++) {
    deed.width = 1 + random_below (300);
    deed.height = 1 + random_below (6);
    check (variant, &deed, NULL);
  }
}

static void
set_halves (const Deed * deed, const Frame * in)
{
  const unsigned sample[] = { deed->out->depth == 8 ? 664 : 323, 862, 457 };

  for (int i = 0; i < LUMA_COMPONENTS; i++) {
    uint8_t *row = in->bytes + in->start[i];

    for (size_t x = 0; x < deed->width; x++) {
      row[2 * x] = (uint8_t) sample[i];
      row[2 * x + 1] = (uint8_t) (sample[i] >> 8);
    }
  }
}

/* A colour whose gray value is a whole number and a half, and which doubles
 * alone would round down. */
static void
check_halves (const Variant * variant)
{
  static const Case full = { LUMA_MATRIX_SMPTE240M, LUMA_RANGE_FULL,
    LUMA_RANGE_FULL, NULL
  };
  Deed deed = { NULL, &full, LUMA_MATRIX_FCC, NULL, 150, 1 };

  for (size_t i = 0; i < G_N_ELEMENTS (deep); i++) {
    if (g_str_equal (deep[i].name, "Y444_10LE"))
      deed.deep = &deep[i];
  }
  for (size_t o = 0; o < G_N_ELEMENTS (outs); o++) {
    deed.out = &outs[o];
    check (variant, &deed, set_halves);
  }
}

static void
check_all (const Variant * variant, size_t colours)
{
  check_halves (variant);
  for (size_t i = 0; i < G_N_ELEMENTS (deep) * G_N_ELEMENTS (outs); i++) {
    Deed deed = {.deep = &deep[i / G_N_ELEMENTS (outs)],.out =
          &outs[i % G_N_ELEMENTS (outs)]
    };

    for (int c = 0; c < N_CASES; c++) {
      deed.kase = &cases[c];
      deed.matrix = (deed.kase->matrix + (unsigned) (i + c / 4)) %
          LUMA_N_MATRICES;
      check_case (variant, deed, colours);
    }
  }
}

void
test_deep (const Variant * variant)
{
  check_all (variant, 25 * 601);
}

/* Of each format to each gray value more than 10^7, in all cases together. */
void
test_deep_all (const Variant * variant)
{
  check_all (variant, 25 * 20001);
}
