/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#include "frame.h"

#include <glib.h>

#include "random.h"

#define BOUNDARY 64

void
frame_init (Frame * frame, unsigned n_planes, size_t row_bytes,
    size_t height, Place place)
{
  LumaExtent extent[LUMA_PLANES];

  for (unsigned p = 0; p < n_planes; p++)
    extent[p] = (LumaExtent) {
    row_bytes, height};
  frame_init_planes (frame, n_planes, extent, place);
}

void
frame_init_planes (Frame * frame, unsigned n_planes,
    const LumaExtent extent[LUMA_PLANES], Place place)
{
  size_t end = 0;

  *frame = (Frame) {
  .n_planes = n_planes};
  for (unsigned p = 0; p < n_planes; p++) {
    size_t pitch = extent[p].row_bytes + place.gap + (place.gap != 0 ? p : 0);
    size_t first = (end + place.guard + BOUNDARY - 1) / BOUNDARY * BOUNDARY +
        (place.offset + 21 * p) % BOUNDARY;
    size_t last = first + (extent[p].rows - 1) * pitch;

    frame->start[p] = place.upside_down ? last : first;
    frame->stride[p] = place.upside_down ? -(ptrdiff_t) pitch :
        (ptrdiff_t) pitch;
    end = last + extent[p].row_bytes + place.guard;
  }
  frame->size = end;
  frame->bytes = g_malloc (end);
  random_fill (frame->bytes, end);
}

void
frame_clear (Frame * frame)
{
  g_clear_pointer (&frame->bytes, g_free);
}

Frame
frame_copy (const Frame * frame)
{
  Frame copy = *frame;

  copy.bytes = g_memdup2 (frame->bytes, frame->size);
  return copy;
}

LumaSource
frame_source (const Frame * frame, const uint8_t * base)
{
  LumaSource src = { 0 };

  for (unsigned p = 0; p < frame->n_planes; p++) {
    src.data[p] = base + frame->start[p];
    src.stride[p] = frame->stride[p];
  }
  return src;
}

LumaTarget
frame_target (const Frame * frame, uint8_t * base)
{
  return (LumaTarget) {
  base + frame->start[0], frame->stride[0]};
}
