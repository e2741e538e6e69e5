/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Winograd's convolutions, channels last: common to filters of 3 × 3 and of 3
 * taps along one dimension.  Tiles of outputs are computed in blocks, by matrix
 * products over the channels (cpu/kernels/winograd.h). */

#pragma once

#include "cpu/conv/impl.h"

/* Output channels whose filters are transformed together: divides the lanes. */
#define CPU_WINOGRAD_TOGETHER 8

typedef double CpuWinogradWeights[CPU_WINOGRAD_TOGETHER];

typedef struct _CpuWinograd CpuWinograd;

/* A shape. */
typedef struct
{
  const char *pack;   /* name of the transformed weights among packs */
  const char *kernel; /* name of the step's kernel */
  guint taps;         /* of a filter */
  gsize tile[2];      /* outputs of a tile: rows, columns */
  guint products;     /* of a tile */
  guint matrices;     /* of weights; the last is that of all further products */
  gsize most_channels; /* output channels computed at a time */

  /* Transforms a filter of each channel, times @scale: the number of matrix i
   * goes to to[i * to_step]. */
  void (*transform) (CpuWinogradWeights *taps, const CpuWinogradWeights scale,
      float *to, gsize to_step);

  /* Products of tile @tile: to[i * conv->in_step]. */
  void (*read_tile) (
      const CpuStep *step, const CpuWinograd *conv, gsize tile, float *to);

  /* Outputs of @channels channels from @first on of tile @tile, from
   * from[i * conv->out_step]. */
  void (*write_tile) (const CpuStep *step, const CpuWinograd *conv, gsize tile,
      const float *from, gsize first, gsize channels);
} CpuWinogradForm;

struct _CpuWinograd
{
  const CpuWinogradForm *form;
  CpuConvGeometry g;
  gsize lanes, padded_oc;
  gsize tiles[2];      /* of an image: rows, columns */
  gsize blocks, block; /* number of blocks; tiles of a block at most */
  gsize parts;         /* of the output channels, computed one after another */
  gsize shares;        /* of the parts, one for each thread */
  gsize in_step, out_step, floats; /* floats of one product; of a block */
  const float *weights;
  const float
      *scale; /* by output channel, multiplied into the weights; nullable */
  CpuEpilogue epilogue;
  const CpuValue *residual; /* nullable */
  gpointer owned;
};

/* F(4, 3): six numbers of each channel, @to_step apart: G times three of them,
 * @step apart.  Rows of G:
 *
 *   (1 0 0) / A²B² | (1 ±A A²) / 2A²(A² - B²) | (1 ±B B²) / 2B²(B² - A²) |
 *   0 0 1 */
void cpu_winograd_transform (
    CpuWinogradWeights *to, gsize to_step, CpuWinogradWeights *g, gsize step);
/* Six numbers of each channel times @scale, as CpuWinogradForm.transform. */
void cpu_winograd_store (CpuWinogradWeights *all,
    const CpuWinogradWeights scale, float *to, gsize to_step);

/* Conditions of both: f32, channels last, constant weights, one group, at most
 * two dimensions, AVX2. */
gboolean cpu_winograd_can (CpuStep *step, const CpuConvGeometry *g);

/* As CpuImpl.prepare; NULL if memory is short. */
CpuWinograd *cpu_winograd_prepare (
    CpuStep *step, const CpuConvGeometry *g, const CpuWinogradForm *form);

/* As those of CpuImpl. */
gboolean cpu_winograd_run (CpuStep *step, gconstpointer self, GError **error);
void cpu_winograd_free (gpointer self);

/* Tile @tile: its image, and its first output. */
static inline void
cpu_winograd_locate (const CpuWinograd *conv, gsize tile, gsize *n, gsize at[2])
{
  at[1] = tile % conv->tiles[1] * conv->form->tile[1];
  at[0] = tile / conv->tiles[1] % conv->tiles[0] * conv->form->tile[0];
  *n = tile / conv->tiles[1] / conv->tiles[0];
}
