/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* AVX512-BF16. */

#include "cpu/kernels/bf16-tile.inc"

#define TILES_8(nv, half)                                                      \
  TILE (2, nv, half)                                                           \
  TILE (3, nv, half)                                                           \
  TILE (4, nv, half)                                                           \
  TILE (5, nv, half)                                                           \
  TILE (6, nv, half)                                                           \
  TILE (7, nv, half)                                                           \
  TILE (8, nv, half)
#define TILES_13(nv, half)                                                     \
  TILES_8 (nv, half)                                                           \
  TILE (9, nv, half)                                                           \
  TILE (10, nv, half)                                                          \
  TILE (11, nv, half)                                                          \
  TILE (12, nv, half)                                                          \
  TILE (13, nv, half)
#define TILES_14(nv, half) TILES_13 (nv, half) TILE (14, nv, half)

#define ROW_8(nv, half)                                                        \
  tile_1_##nv##_0, tile_2_##nv##_##half, tile_3_##nv##_##half,                 \
      tile_4_##nv##_##half, tile_5_##nv##_##half, tile_6_##nv##_##half,        \
      tile_7_##nv##_##half, tile_8_##nv##_##half
#define ROW_13(nv, half)                                                       \
  ROW_8 (nv, half), tile_9_##nv##_##half, tile_10_##nv##_##half,               \
      tile_11_##nv##_##half, tile_12_##nv##_##half, tile_13_##nv##_##half
#define ROW_14(nv, half) ROW_13 (nv, half), tile_14_##nv##_##half

TILE (1, 1, 0)
TILE (1, 2, 0)
TILE (1, 3, 0)
TILES_14 (1, 0)
TILES_14 (1, 1)
TILES_13 (2, 0)
TILES_13 (2, 1)
TILES_8 (3, 0)
TILES_8 (3, 1)

/* By pixels of a tile, less one, and vectors, of which the last may be a half.
 */
static TileFunc *const table[2][3][MAX_1] = {
  { { ROW_14 (1, 0) }, { ROW_13 (2, 0) }, { ROW_8 (3, 0) } },
  { { ROW_14 (1, 1) }, { ROW_13 (2, 1) }, { ROW_8 (3, 1) } },
};

void
CPU_KERNEL (conv_tile_bf16) (const CpuConvTileF16 *t)
{
  static const size_t most[] = { MAX_1, MAX_2, MAX_3 };
  const size_t v = t->vectors - 1;
  TileFunc *const *row = table[t->channels <= v * VF_N + VF_N / 2][v];
  /* Nearly equal parts: a small remainder would run at a fraction of the speed.
   */
  const size_t max = most[v], n = (t->pixels + max - 1) / max;
  const bool quick = is_quick (t);

  for (size_t i = 0, first = 0; i < n; i++) {
    const size_t np = (t->pixels - first + n - i - 1) / (n - i);

    row[np - 1](t, first, quick);
    first += np;
  }
}
