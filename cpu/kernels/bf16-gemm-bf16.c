/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* AVX512-BF16. */

#include "cpu/kernels/bf16-tile.inc"

TILES (1)
TILES (2)
TILES (3)
TILES (4)
TILES (5)
TILES (6)
TILES (7)
TILES (8)
TILE (9, 1)
TILE (10, 1)
TILE (11, 1)
TILE (12, 1)
TILE (13, 1)
TILE (14, 1)
TILE (9, 2)
TILE (10, 2)
TILE (11, 2)
TILE (12, 2)
TILE (13, 2)

static TileFunc *const tiles_1[MAX_1] = { tile_1_1, tile_2_1, tile_3_1,
  tile_4_1, tile_5_1, tile_6_1, tile_7_1, tile_8_1, tile_9_1, tile_10_1,
  tile_11_1, tile_12_1, tile_13_1, tile_14_1 };
static TileFunc *const tiles_2[MAX_2] = { tile_1_2, tile_2_2, tile_3_2,
  tile_4_2, tile_5_2, tile_6_2, tile_7_2, tile_8_2, tile_9_2, tile_10_2,
  tile_11_2, tile_12_2, tile_13_2 };
static TileFunc *const tiles_3[MAX_3] = { tile_1_3, tile_2_3, tile_3_3,
  tile_4_3, tile_5_3, tile_6_3, tile_7_3, tile_8_3 };

void
CPU_KERNEL (conv_tile_bf16) (const CpuConvTileF16 *t)
{
  static TileFunc *const *const tiles[] = { tiles_1, tiles_2, tiles_3 };
  static const size_t most[] = { MAX_1, MAX_2, MAX_3 };
  TileFunc *const *table = tiles[t->vectors - 1];
  /* Nearly equal parts: a small remainder would run at a fraction of the speed.
   */
  const size_t max = most[t->vectors - 1], n = (t->pixels + max - 1) / max;
  const bool quick = is_quick (t);

  for (size_t i = 0, first = 0; i < n; i++) {
    const size_t np = (t->pixels - first + n - i - 1) / (n - i);

    table[np - 1](t, first, quick);
    first += np;
  }
}
