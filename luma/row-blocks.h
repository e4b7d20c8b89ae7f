/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Rows made of blocks, written once.  A file for an instruction set defines,
 * before it includes this text,
 *
 *     V_BLOCK               the number of pixels in a block
 *     V_NAME, V_ROWS        the name and the table to define
 *     Weights, weights_of   what the blocks need of a plan
 *     block_packed3 .. block_single4
 *                           V_BLOCK pixels from x on, for each layout
 */

#include "row-any.h"
#include "row-tables.h"

typedef void (*BlockFunc) (const Weights * w,
    const uint8_t * const src[LUMA_COMPONENTS], size_t x, uint8_t * dst);

/* Inlined into each caller, so that block is too and the weights stay in
 * registers.  Whole blocks, then one more that ends with the row and does some
 * pixels a second time: no byte outside the row is touched. */
static inline void __attribute__ ((always_inline))
run (BlockFunc block, LumaLayout layout, const LumaPlan * plan,
    const uint8_t * const src[LUMA_COMPONENTS], uint8_t * dst, size_t width)
{
  const Weights w = weights_of (plan);
  size_t x;

  if (width < V_BLOCK) {
    luma_rows_c.row[layout] (plan, src, dst, width);
    return;
  }
  for (x = 0; x + V_BLOCK <= width; x += V_BLOCK)
    block (&w, src, x, dst);
  if (x < width)
    block (&w, src, width - V_BLOCK, dst);
}

#define ROW(name, layout) \
static void \
name (const LumaPlan * plan, const uint8_t * const src[LUMA_COMPONENTS], \
    uint8_t * dst, size_t width) \
{ \
  run (block_##name, layout, plan, src, dst, width); \
}

/* *INDENT-OFF* */
ROW (packed3, LUMA_LAYOUT_PACKED3)
ROW (packed4, LUMA_LAYOUT_PACKED4)
ROW (planar, LUMA_LAYOUT_PLANAR)
ROW (single1, LUMA_LAYOUT_SINGLE1)
ROW (single2, LUMA_LAYOUT_SINGLE2)
ROW (single4, LUMA_LAYOUT_SINGLE4)
/* *INDENT-ON* */

const LumaRows V_ROWS = {
  V_NAME, {packed3, packed4, planar, single1, single2, single4, any_row}
};
