/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Types of the kernels for numbers of 8 bits.  A level q of a range stands for
 * q * step + out_low; what becomes a level is rint ((x - in_low) * in_scale),
 * within 0 … top. */

#pragma once

#include <stddef.h>
#include <stdint.h>

#include "cpu/epilogue.h"

typedef struct
{
  float in_low, in_scale, top;
  float step, out_low;
} CpuQuant;

/* Output channels of a vector. */
#define CPU_U8_LANES 16

/* What becomes of sums of products: act (v * scale[c] + bias[c]), then levels
 * of @to, or floats where that is NULL.  @act has no slopes for each channel.
 */
typedef struct
{
  const int32_t *start; /* the sums begin with */
  const float *scale, *bias;
  CpuAct act;
  const CpuQuant *to;
} CpuQuantEnd;

/* Some pixels of a row times one block of output channels:
 *
 *   sum[p][c] = start[c] + sum over s, i: in[p * in_step + segments[s] + i]
 *       * weights[s][i / 4][c][i % 4]
 *
 * Arrays by channel have @vectors * CPU_U8_LANES elements.  Up to three bytes
 * behind a segment are read. */
typedef struct
{
  const uint8_t *in;
  size_t in_step;
  const size_t *segments;
  size_t n_segments, length;
  const int8_t *weights; /* zero beyond @length and @channels */
  size_t vectors;        /* 1 or 2 */
  size_t channels;
  size_t pixels;
  void *out; /* uint8_t or float */
  size_t out_step;
  CpuQuantEnd end;
  /* NULL, or what is to be added to each weight of a channel; then @sums are
   * those of the inputs of each pixel, of conv_sums_u8. */
  const float *offset;
  const float *sums;
} CpuConvTileU8;

/* Some pixels of a row where each channel has its own filter; strides in
 * elements.  Weights are of 9 bits, in 32.  Arrays by channel are not padded.
 */
typedef struct
{
  const uint8_t *in;
  const int32_t *weights; /* [taps][channels] */
  void *out;
  size_t in_step, out_step;
  size_t n[3], in_stride[3];
  size_t pixels, channels;
  CpuQuantEnd end;
} CpuConvDepthwiseU8;
