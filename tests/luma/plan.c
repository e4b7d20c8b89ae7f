/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* What luma_plan_init takes, and what it refuses. */

#include <glib.h>

#include "cases.h"

/* The arguments of luma_plan_init, good ones to make bad one at a time. */
typedef struct
{
  size_t width, height;
  LumaComponent rgb[LUMA_COMPONENTS];
  LumaMatrix matrix;
  LumaRange from, to;
} Arguments;

static Arguments
good (const char *format)
{
  Arguments a = { 4, 3, {{0}}, LUMA_MATRIX_BT709, LUMA_RANGE_FULL,
    LUMA_RANGE_LIMITED
  };

  for (int i = 0; i < N_FORMATS; i++) {
    if (g_str_equal (formats[i].name, format))
      format_components (&formats[i], a.rgb);
  }
  return a;
}

static bool
accepted (const Arguments * a)
{
  LumaPlan plan;

  return luma_plan_init (&plan, a->width, a->height, a->rgb, a->matrix,
      a->from, a->to);
}

static bool
accepted_deep (LumaPlan * plan, size_t width, const LumaComponent rgb[])
{
  return luma_plan_init_deep (plan, width, 3, rgb, LUMA_MATRIX_BT709,
      LUMA_RANGE_FULL, LUMA_RANGE_LIMITED, 16, false);
}

#define REFUSES(format, change) G_STMT_START { \
  Arguments a = good (format); \
  g_assert_true (accepted (&a)); \
  a.change; \
  g_assert_false (accepted (&a)); \
} G_STMT_END

static void
test_size (void)
{
  REFUSES ("RGB", width = 0);
  REFUSES ("RGB", height = 0);
}

static void
test_enums (void)
{
  REFUSES ("RGB", matrix = LUMA_N_MATRICES);
  REFUSES ("RGB", from = LUMA_N_RANGES);
  REFUSES ("RGB", to = LUMA_N_RANGES);
  REFUSES ("RGB", matrix = (LumaMatrix) - 1);
  REFUSES ("RGB", from = (LumaRange) - 1);
  REFUSES ("RGB", to = (LumaRange) - 1);
}

static void
test_samples (void)
{
  for (int i = 0; i < LUMA_COMPONENTS; i++) {
    REFUSES ("RGB", rgb[i].depth = 0);
    REFUSES ("RGB", rgb[i].depth = 7);
    REFUSES ("RGB", rgb[i].depth = 10);
    REFUSES ("RGB", rgb[i].shift = 1);
    REFUSES ("RGB", rgb[i].plane = LUMA_PLANES);
    REFUSES ("GBR", rgb[i].plane = LUMA_PLANES);
  }
}

static void
set_step (Arguments * a, unsigned step)
{
  for (int i = 0; i < LUMA_COMPONENTS; i++)
    a->rgb[i].step = step;
}

static void
test_steps (void)
{
  static const unsigned steps[] = { 0, 2, 5, 6, 8, 64, UINT_MAX };

  for (int i = 0; i < LUMA_COMPONENTS; i++) {
    REFUSES ("RGB", rgb[i].step = 4);
    REFUSES ("RGBx", rgb[i].step = 3);
    REFUSES ("GBR", rgb[i].step = 3);
  }
  for (size_t i = 0; i < G_N_ELEMENTS (steps); i++) {
    Arguments a = good ("RGB");

    set_step (&a, steps[i]);
    g_assert_false (accepted (&a));
    /* An offset within the step, but past the bits of an int. */
    a.rgb[0].offset = 40;
    g_assert_false (accepted (&a));
  }
}

static void
test_offsets (void)
{
  for (int i = 0; i < LUMA_COMPONENTS; i++) {
    REFUSES ("RGB", rgb[i].offset = 3);
    REFUSES ("RGBx", rgb[i].offset = 4);
    REFUSES ("GBR", rgb[i].offset = 1);
    REFUSES ("RGB", rgb[i].plane = 1);
    REFUSES ("RGBx", rgb[i].plane = 1);
    /* Twice the same. */
    REFUSES ("RGB", rgb[i].offset = a.rgb[(i + 1) % 3].offset);
    REFUSES ("RGBx", rgb[i].offset = a.rgb[(i + 1) % 3].offset);
  }
  /* Padding amid the samples. */
  REFUSES ("RGBx", rgb[1].offset = 3);
  REFUSES ("xRGB", rgb[1].offset = 0);
}

/* Of the layout for any arrangement. */
static void
test_deep (void)
{
  static const LumaComponent good = { 0, 0, 2, 0, 10, 0, 2, false };
  static const LumaComponent bad[] = {
    {0, UINT_MAX, 2, 0, 10, 0, 2, false}, {0, 1, 2, 0, 10, 0, 2, false},
    {0, 0, 2, UINT_MAX, 1, 0, 2, false}, {0, 0, 2, 7, 10, 0, 2, false},
    {0, 0, 9, 0, 10, 0, 2, false}, {4, 0, 2, 0, 10, 0, 2, false},
    {0, 0, 2, 0, 17, 0, 4, false}, {0, 0, 2, 0, 0, 0, 2, false},
    {0, 0, 8, 0, 10, 0, 8, false}, {0, 0, 4, 0, 10, 0, 3, false},
  };
  LumaComponent rgb[LUMA_COMPONENTS] = { good, good, good };
  LumaPlan plan;

  g_assert_true (accepted_deep (&plan, 4, rgb));
  g_assert_true (accepted_deep (&plan, SIZE_MAX / LUMA_MAX_STEP, rgb));
  g_assert_false (accepted_deep (&plan, SIZE_MAX / LUMA_MAX_STEP + 1, rgb));
  for (size_t i = 0; i < G_N_ELEMENTS (bad); i++) {
    for (int c = 0; c < LUMA_COMPONENTS; c++)
      rgb[c] = bad[i];
    g_assert_false (accepted_deep (&plan, 4, rgb));
  }
}

/* The lengths of the ranges need a small common multiple. */
static void
test_unlike_depths (void)
{
  static const LumaComponent good = { 0, 0, 2, 0, 8, 0, 2, false };
  LumaComponent rgb[LUMA_COMPONENTS] = { good, good, good };
  LumaPlan plan;

  rgb[1].depth = 7;
  rgb[2].depth = 5;
  g_assert_true (accepted_deep (&plan, 4, rgb));
  rgb[0].depth = 16;
  g_assert_false (accepted_deep (&plan, 4, rgb));
}

static void
check_extents (const LumaPlan * plan, const Format * format)
{
  for (unsigned p = 0; p < 2 * LUMA_PLANES; p++) {
    bool used = false;

    for (int i = 0; i < LUMA_COMPONENTS; i++)
      used |= format->plane[i] == p;
    g_assert_cmpuint (luma_plan_extent (plan, p).row_bytes, ==,
        used ? plan->width * format->step : 0);
    g_assert_cmpuint (luma_plan_extent (plan, p).rows, ==,
        used ? plan->height : 0);
  }
}

static LumaLayout
layout_of (int f)
{
  unsigned step = formats[f].step;

  if (f >= FIRST_SINGLE)
    return step == 1 ? LUMA_LAYOUT_SINGLE1 : step == 2 ? LUMA_LAYOUT_SINGLE2 :
        LUMA_LAYOUT_SINGLE4;
  return step == 3 ? LUMA_LAYOUT_PACKED3 : step == 4 ? LUMA_LAYOUT_PACKED4 :
      LUMA_LAYOUT_PLANAR;
}

static void
test_accepts (void)
{
  for (int f = 0; f < N_FORMATS; f++) {
    LumaComponent rgb[LUMA_COMPONENTS];

    format_components (&formats[f], rgb);
    for (int c = 0; c < N_CASES; c++) {
      LumaPlan plan;

      g_assert_true (luma_plan_init (&plan, 77, 5, rgb, cases[c].matrix,
              cases[c].from, cases[c].to));
      g_assert_cmpuint (plan.width, ==, 77);
      g_assert_cmpuint (plan.height, ==, 5);
      g_assert_cmpint (plan.layout, ==, layout_of (f));
      check_extents (&plan, &formats[f]);
    }
  }
}

static void
test_gray (void)
{
  Format gray = { "GRAY8", 1, 1, {0}, {0} };
  LumaPlan plan;
  LumaComponent rgb[LUMA_COMPONENTS];

  format_components (&gray, rgb);
  g_assert_true (luma_plan_init (&plan, 9, 1, rgb, LUMA_MATRIX_FCC,
          LUMA_RANGE_LIMITED, LUMA_RANGE_LIMITED));
  g_assert_cmpint (plan.layout, ==, LUMA_LAYOUT_SINGLE1);
  check_extents (&plan, &gray);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/plan/size", test_size);
  g_test_add_func ("/plan/enums", test_enums);
  g_test_add_func ("/plan/samples", test_samples);
  g_test_add_func ("/plan/steps", test_steps);
  g_test_add_func ("/plan/offsets", test_offsets);
  g_test_add_func ("/plan/deep", test_deep);
  g_test_add_func ("/plan/unlike-depths", test_unlike_depths);
  g_test_add_func ("/plan/accepts", test_accepts);
  g_test_add_func ("/plan/gray", test_gray);
  return g_test_run ();
}
