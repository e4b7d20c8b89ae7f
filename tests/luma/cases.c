/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#include "cases.h"

#include <glib.h>

const Format formats[N_FORMATS] = {
  {"RGB", 1, 3, {0, 0, 0}, {0, 1, 2}},
  {"BGR", 1, 3, {0, 0, 0}, {2, 1, 0}},
  {"RGBx", 1, 4, {0, 0, 0}, {0, 1, 2}},
  {"BGRx", 1, 4, {0, 0, 0}, {2, 1, 0}},
  {"xRGB", 1, 4, {0, 0, 0}, {1, 2, 3}},
  {"xBGR", 1, 4, {0, 0, 0}, {3, 2, 1}},
  {"RGBA", 1, 4, {0, 0, 0}, {0, 1, 2}},
  {"BGRA", 1, 4, {0, 0, 0}, {2, 1, 0}},
  {"ARGB", 1, 4, {0, 0, 0}, {1, 2, 3}},
  {"ABGR", 1, 4, {0, 0, 0}, {3, 2, 1}},
  {"GBR", 3, 1, {2, 0, 1}, {0, 0, 0}},
  {"GBRA", 4, 1, {2, 0, 1}, {0, 0, 0}},
  {"RGBP", 3, 1, {0, 1, 2}, {0, 0, 0}},
  {"BGRP", 3, 1, {2, 1, 0}, {0, 0, 0}},
  {"Y", 1, 1, {0, 0, 0}, {0, 0, 0}},
  {"YUY2", 1, 2, {0, 0, 0}, {0, 0, 0}},
  {"UYVY", 1, 2, {0, 0, 0}, {1, 1, 1}},
  {"AYUV", 1, 4, {0, 0, 0}, {1, 1, 1}},
  {"VUYA", 1, 4, {0, 0, 0}, {2, 2, 2}},
};

const int matrix_weights[LUMA_N_MATRICES][4] = {
  [LUMA_MATRIX_BT601] = {1000, 299, 587, 114},
  [LUMA_MATRIX_BT709] = {10000, 2126, 7152, 722},
  [LUMA_MATRIX_BT2020] = {10000, 2627, 6780, 593},
  [LUMA_MATRIX_SMPTE240M] = {1000, 212, 701, 87},
  [LUMA_MATRIX_FCC] = {100, 30, 59, 11},
};

#define FULL LUMA_RANGE_FULL
#define LIMITED LUMA_RANGE_LIMITED

/* From exact arithmetic of arbitrary precision, outside of this project. */
const Case cases[N_CASES] = {
  {LUMA_MATRIX_BT601, FULL, FULL,
      "a8bf1e9707fd2b7b355ece2312ac22668e78e0320f5cb508d93f25ef9bccde5b"},
  {LUMA_MATRIX_BT601, FULL, LIMITED,
      "199aff824114183bc41aec84c0311a1087885dc1bedf8bd0979a6fac7734167c"},
  {LUMA_MATRIX_BT601, LIMITED, FULL,
      "f06b5b021eb2e24f9e663372fe8653613e2e09c10a5c0e7cf0d6fee0dcf43470"},
  {LUMA_MATRIX_BT601, LIMITED, LIMITED,
      "a8bf1e9707fd2b7b355ece2312ac22668e78e0320f5cb508d93f25ef9bccde5b"},
  {LUMA_MATRIX_BT709, FULL, FULL,
      "0b850a469c7d179d2be7dda0a71d3e7c7ba3c949e1c2a73120427eb83dc8d89b"},
  {LUMA_MATRIX_BT709, FULL, LIMITED,
      "ee83d31f00f01f85b91bdd8b92f78a8a19ebd7be8de92962f923a28fe479947c"},
  {LUMA_MATRIX_BT709, LIMITED, FULL,
      "d6c08b412cf61ac459324591ca987013378985c8ed3869dfccd2d48a41563f9f"},
  {LUMA_MATRIX_BT709, LIMITED, LIMITED,
      "0b850a469c7d179d2be7dda0a71d3e7c7ba3c949e1c2a73120427eb83dc8d89b"},
  {LUMA_MATRIX_BT2020, FULL, FULL,
      "c0d4661e0eea8369af6f5fdf0d7f036484e0e135076ecefc645ab6439018b4af"},
  {LUMA_MATRIX_BT2020, FULL, LIMITED,
      "e54c1c991dee72852c98d291f41feb54a6f4a08250be8b453c8fd79d98d30694"},
  {LUMA_MATRIX_BT2020, LIMITED, FULL,
      "9a6d8054e9b86d80e9e86556b14afb842dab39825ba5cf13e10e3420e3bd1d8c"},
  {LUMA_MATRIX_BT2020, LIMITED, LIMITED,
      "c0d4661e0eea8369af6f5fdf0d7f036484e0e135076ecefc645ab6439018b4af"},
  {LUMA_MATRIX_SMPTE240M, FULL, FULL,
      "ada3121bbdffe06b48d2f07a5ba4c658993afc27e924738f3d1e9915f85e92ef"},
  {LUMA_MATRIX_SMPTE240M, FULL, LIMITED,
      "956b0605080ab27a1580f1659391b2de52b443eb392e6780e4ecb0d10312ed60"},
  {LUMA_MATRIX_SMPTE240M, LIMITED, FULL,
      "26b0e2b93213b7910b7c1a2e6e8a7e821098daa6051f8fccafa2154f63dfa7a2"},
  {LUMA_MATRIX_SMPTE240M, LIMITED, LIMITED,
      "ada3121bbdffe06b48d2f07a5ba4c658993afc27e924738f3d1e9915f85e92ef"},
  {LUMA_MATRIX_FCC, FULL, FULL,
      "15d59a8ba3b49f631f8c6e2bcb77a6c7f3111451a2d9f609b6bd05136831b903"},
  {LUMA_MATRIX_FCC, FULL, LIMITED,
      "c6e7824843aa17cb36d6ff0908a71b80763a91571d3337c22e19912050042884"},
  {LUMA_MATRIX_FCC, LIMITED, FULL,
      "fb0071661382a0f4c1b6bf2a0aab63036ff34d4f536fbbeeda3fb1ded626dd0b"},
  {LUMA_MATRIX_FCC, LIMITED, LIMITED,
      "15d59a8ba3b49f631f8c6e2bcb77a6c7f3111451a2d9f609b6bd05136831b903"},
};

const Format *
format_named (const char *name)
{
  for (int i = 0; i < N_FORMATS; i++) {
    if (g_str_equal (formats[i].name, name))
      return &formats[i];
  }
  g_error ("no format %s", name);
}

const char *
case_name (const Case * c)
{
  static const char *const matrices[LUMA_N_MATRICES] = {
    "bt601", "bt709", "bt2020", "smpte240m", "fcc"
  };
  static const char *const ranges[LUMA_N_RANGES] = { "full", "limited" };
  static char name[64];

  g_snprintf (name, sizeof name, "%s %s->%s", matrices[c->matrix],
      ranges[c->from], ranges[c->to]);
  return name;
}

void
format_components (const Format * format, LumaComponent rgb[LUMA_COMPONENTS])
{
  for (int i = 0; i < LUMA_COMPONENTS; i++)
    rgb[i] = (LumaComponent) {
    .plane = format->plane[i],.offset = format->offset[i],.step =
        format->step,.depth = 8};
}
