/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Plans of any arrangement, and the rows of those that are accepted, by every
 * implementation that this CPU has.  All rows of a plane lie in just as many
 * bytes as the plan says, with memory that can't be touched before them or
 * behind. */

#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "arith.h"
#include "input.h"
#include "random.h"
#include "rows.h"

#define MAX_WIDTH 200
#define NARROW 40
#define MAX_HEIGHT 12
#define MAX_GAP 300
/* Where planes, and the gray rows, lie. */
#define ROOM ((size_t) 32 << 10)
#define FIELDS (LUMA_PLANES + 1)

/* The arguments of luma_plan_init_deep and luma_plan_init_yuv. */
typedef struct
{
  size_t width, height;
  LumaComponent rgb[LUMA_COMPONENTS];
  LumaMatrix matrix, of_yuv;    /* N_MATRICES for RGB */
  LumaRange from, to;
  unsigned out_depth;
  bool out_big_endian;
} Asked;

/* Rows in memory: the first byte of all and their extent, and row 0. */
typedef struct
{
  uint8_t *start, *row0;
  size_t extent;
  ptrdiff_t stride;
} Rows;

static uint8_t *room[FIELDS];
static uint64_t asked_count, plan_count, row_count;

static void
print_counts (void)
{
  fprintf (stderr, "fuzz-plan: %" PRIu64 " plans asked for, %" PRIu64
      " made, %" PRIu64 " rows converted\n", asked_count, plan_count,
      row_count);
}

int
LLVMFuzzerInitialize (int *argc, char ***argv)
{
  size_t page = (size_t) sysconf (_SC_PAGESIZE);

  for (unsigned i = 0; i < FIELDS; i++) {
    uint8_t *fence = mmap (NULL, ROOM + 2 * page, PROT_NONE,
        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    MUST (fence != MAP_FAILED, "no memory");
    room[i] = fence + page;
    MUST (mprotect (room[i], ROOM, PROT_READ | PROT_WRITE) == 0, "no memory");
  }
  atexit (print_counts);
  return 0;
}

/* Mostly below limit. */
static unsigned
take_field (Input * input, unsigned limit)
{
  unsigned value = (unsigned) input_take (input, 1);

  return value < 252 ? value % limit : (unsigned) input_number (input);
}

static unsigned
take_depth (Input * input)
{
  static const unsigned depths[] = { 8, 8, 8, 16, 10, 12, 5, 6 };
  unsigned i = input_below (input, 32);

  return i < 16 ? depths[i % 8] : i < 31 ? i - 15 :
      (unsigned) input_number (input);
}

/* Components have in common what own has no bit for. */
static void
take_component (Input * input, LumaComponent rgb[], int i, unsigned own)
{
  static const unsigned bytes[] = { 1, 0, 2, 4, 2, 1, 3, 8 };
  LumaComponent *c = &rgb[i];

  *c = rgb[0];
  if (i == 0 || own & 1)
    c->plane = take_field (input, LUMA_PLANES + 1);
  if (i == 0 || own & 2)
    c->offset = take_field (input, LUMA_MAX_STEP + 1);
  if (i == 0 || own & 4)
    c->shift = take_field (input, 32);
  if (i == 0 || own & 8)
    c->depth = take_depth (input);
  if (i == 0 || own & 16)
    c->step = take_field (input, LUMA_MAX_STEP + 2);
  if (i == 0 || own & 32)
    c->bytes = bytes[input_below (input, 8)];
  if (i == 0 || own & 64)
    c->big_endian = input_below (input, 2);
  if (i == 0 || own & 128) {
    unsigned kind = (unsigned) input_take (input, 1);

    c->sub_x = kind < 128 ? 0 : kind % LUMA_MAX_SUB;
    c->sub_y = kind < 160 ? 0 : kind / 3 % (LUMA_MAX_SUB + 2);
    c->two_fields = kind >= 240;
    c->per_word = kind % 16 == 15 ? take_field (input, 6) : kind % 2;
  }
}

/* Samples of 8 bits as those formats have them that fast rows are for; rgb is
 * all 0. */
static void
take_plain (Input * input, LumaComponent rgb[])
{
  static const unsigned orders[][LUMA_COMPONENTS] = {
    {0, 1, 2}, {2, 1, 0}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}
  };
  static const unsigned steps[] = { 3, 4, 4, 1, 3, 1, 2, 4 };
  unsigned kind = input_below (input, 8);
  const unsigned *order = orders[input_below (input, 6)];
  unsigned first = kind == 2 ? 1 : 0;

  for (int i = 0; i < LUMA_COMPONENTS; i++) {
    rgb[i].depth = 8;
    rgb[i].step = steps[kind];
    if (kind == 3)
      rgb[i].plane = order[i];
    else
      rgb[i].offset = kind > 4 ? order[0] % steps[kind] : first + order[i];
  }
}

static void
take_asked (Input * input, Asked * asked)
{
  static const unsigned depths[] = { 8, 16, 8, 16, 8, 0, 10, 32 };
  unsigned own = (unsigned) input_take (input, 1);

  memset (asked, 0, sizeof *asked);
  if (own >= 160)
    take_plain (input, asked->rgb);
  for (int i = 0; i < LUMA_COMPONENTS && own < 160; i++)
    take_component (input, asked->rgb, i, own);
  asked->width = input_rarely (input, 16) ? (size_t) input_number (input) :
      1 + input_below (input, input_below (input, 2) ? MAX_WIDTH : NARROW);
  asked->height = input_rarely (input, 16) ? (size_t) input_number (input) :
      1 + input_below (input, MAX_HEIGHT);
  asked->matrix = (LumaMatrix) take_field (input, LUMA_N_MATRICES);
  asked->of_yuv = input_below (input, 2) ? LUMA_N_MATRICES :
      (LumaMatrix) take_field (input, LUMA_N_MATRICES);
  asked->from = (LumaRange) take_field (input, LUMA_N_RANGES);
  asked->to = (LumaRange) take_field (input, LUMA_N_RANGES);
  asked->out_depth = depths[input_below (input, 8)];
  asked->out_big_endian = input_below (input, 2);
}

/* luma_plan_init takes what has fast rows, and no more. */
static bool
make_rgb_plan (LumaPlan * plan, const Asked * asked)
{
  bool deep, fast = luma_plan_init (plan, asked->width, asked->height,
      asked->rgb, asked->matrix, asked->from, asked->to);

  deep = luma_plan_init_deep (plan, asked->width, asked->height, asked->rgb,
      asked->matrix, asked->from, asked->to, asked->out_depth,
      asked->out_big_endian);
  MUST (asked->out_depth != 8 ||
      fast == (deep && plan->layout != LUMA_LAYOUT_ANY), "layout %d",
      plan->layout);
  return deep;
}

static bool
make_plan (LumaPlan * plan, const Asked * asked)
{
  return asked->of_yuv == LUMA_N_MATRICES ? make_rgb_plan (plan, asked) :
      luma_plan_init_yuv (plan, asked->width, asked->height, asked->rgb,
      asked->of_yuv, asked->matrix, asked->from, asked->to, asked->out_depth,
      asked->out_big_endian);
}

/* What a caller may rely on before it maps a byte. */
static void
check_extents (const LumaPlan * plan, const Asked * asked)
{
  LumaExtent out = luma_plan_out_extent (plan);

  MUST (plan->width == asked->width && plan->height == asked->height, "size");
  MUST (out.rows == plan->height, "%zu rows", out.rows);
  MUST (out.row_bytes / (asked->out_depth / 8) == plan->width,
      "%zu gray bytes", out.row_bytes);
  for (int i = 0; i < LUMA_COMPONENTS; i++) {
    const LumaComponent *c = &plan->component[i];
    LumaExtent extent = luma_plan_extent (plan, c->plane);

    MUST (c->plane < LUMA_PLANES, "plane %u", c->plane);
    MUST (extent.row_bytes / c->step >
        ((plan->width - 1) >> c->sub_x) / c->per_word, "%zu bytes a row",
        extent.row_bytes);
    MUST (extent.rows > (plan->height - 1) >> c->sub_y ||
        c->two_fields, "%zu rows", extent.rows);
    MUST (c->offset + c->bytes <= c->step, "offset");
  }
}

/* Lays rows out in a field, against its start or its end.  Rows that are
 * written must not overlap. */
static Rows
take_rows (Input * input, unsigned field, LumaExtent extent, bool written)
{
  unsigned kind = input_below (input, 16);
  Rows rows = {.stride = (ptrdiff_t) extent.row_bytes };
  size_t above;

  if (kind & 1)
    rows.stride += input_below (input, MAX_GAP);
  if ((kind & 12) == 12 && !written)
    rows.stride = input_below (input, (unsigned) extent.row_bytes);
  above = (extent.rows - 1) * (size_t) rows.stride;
  rows.extent = above + extent.row_bytes;
  MUST (rows.extent <= ROOM, "%zu bytes", rows.extent);
  rows.start = room[field] + (kind & 2 ? 0 : ROOM - rows.extent);
  rows.row0 = rows.start;
  if (kind & 4) {
    rows.row0 += above;
    rows.stride = -rows.stride;
  }
  return rows;
}

/* Each row finds its bytes for itself, not through luma_rows_convert. */
static void
convert_exactly (const LumaPlan * plan, const LumaSource * src,
    uint8_t * row0, ptrdiff_t stride)
{
  for (size_t y = 0; y < plan->height; y++) {
    const uint8_t *row[LUMA_COMPONENTS];

    for (int i = 0; i < LUMA_COMPONENTS; i++) {
      const LumaComponent *c = &plan->component[i];

      row[i] = src->data[c->plane] +
          (ptrdiff_t) luma_plane_row (c, y) * src->stride[c->plane];
    }
    luma_row_exact (plan, row, row0 + (ptrdiff_t) y * stride, plan->width);
  }
}

/* Every byte from the first gray one to the last, the gaps too. */
static void
check_rows (const LumaRows * rows, const LumaPlan * plan,
    const LumaSource * src, const Rows * gray, const uint8_t * junk,
    const uint8_t * expected)
{
  const LumaTarget dst = { gray->row0, gray->stride };
  size_t i = 0;

  memcpy (gray->start, junk, gray->extent);
  luma_rows_convert (rows, plan, src, &dst);
  row_count += plan->height;
  if (memcmp (gray->start, expected, gray->extent) == 0)
    return;
  while (gray->start[i] == expected[i])
    i++;
  MUST (false, "%s, layout %d, %zu x %zu: byte %zu of %zu is %u instead of %u",
      rows->name, plan->layout, plan->width, plan->height, i, gray->extent,
      gray->start[i], expected[i]);
}

static void
run_plan (Input * input, const LumaPlan * plan)
{
  static uint8_t junk[ROOM], expected[ROOM];
  LumaSource src = { 0 };
  Rows gray;

  random_start (input_take (input, 2));
  for (unsigned p = 0; p < LUMA_PLANES; p++) {
    LumaExtent extent = luma_plan_extent (plan, p);
    Rows rows;

    if (extent.rows == 0)
      continue;
    rows = take_rows (input, p, extent, false);
    random_fill (rows.start, rows.extent);
    src.data[p] = rows.row0;
    src.stride[p] = rows.stride;
  }
  gray = take_rows (input, LUMA_PLANES, luma_plan_out_extent (plan), true);
  random_fill (junk, gray.extent);
  memcpy (expected, junk, gray.extent);
  convert_exactly (plan, &src, expected + (gray.row0 - gray.start),
      gray.stride);
  for (unsigned i = 0; luma_rows_nth (i) != NULL; i++)
    check_rows (luma_rows_nth (i), plan, &src, &gray, junk, expected);
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  Input input = { data, data + size };

  while (input_has_more (&input)) {
    LumaPlan plan;
    Asked asked;

    take_asked (&input, &asked);
    asked_count++;
    if (!make_plan (&plan, &asked))
      continue;
    plan_count++;
    check_extents (&plan, &asked);
    if (plan.width <= MAX_WIDTH && plan.height <= MAX_HEIGHT)
      run_plan (&input, &plan);
  }
  return 0;
}
