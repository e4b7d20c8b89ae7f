/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Frames as the tests lay them out: bytes, and where in them the rows are. */

#pragma once

#include "plan.h"

typedef struct
{
  uint8_t *bytes;
  size_t size;
  unsigned n_planes;
  size_t start[LUMA_PLANES];    /* of row 0 */
  ptrdiff_t stride[LUMA_PLANES];
} Frame;

typedef struct
{
  size_t offset;                /* of the first row, from a boundary of 64 */
  size_t gap;                   /* bytes between rows */
  bool upside_down;             /* negative stride */
  size_t guard;                 /* bytes before and after each plane */
} Place;

/* Allocates the bytes and fills them at random; all planes are alike, or each
 * is of its own extent.  Planes after the first get offsets and gaps of their
 * own, which follow from those of the place.  With no guard the last plane
 * ends with the memory. */
void frame_init (Frame * frame, unsigned n_planes, size_t row_bytes,
    size_t height, Place place);
void frame_init_planes (Frame * frame, unsigned n_planes,
    const LumaExtent extent[LUMA_PLANES], Place place);
void frame_clear (Frame * frame);

/* The same with an allocation of its own. */
Frame frame_copy (const Frame * frame);

/* The frame in memory that holds its bytes from base on. */
LumaSource frame_source (const Frame * frame, const uint8_t * base);
LumaTarget frame_target (const Frame * frame, uint8_t * base);
