/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/kernels/kernelcheck.h"

#include <string.h>

#define OUT_STEP 49
#define IN_STEP 7

static const struct
{
  const char *label;
  CpuAct act;
  bool bias, scale, residual;
} cases[] = {
  { "nothing", { .kind = CPU_ACT_NONE }, false, false, false },
  { "bias, ReLU", { .kind = CPU_ACT_RELU }, true, false, false },
  { "bias, Clamp", { .kind = CPU_ACT_CLAMP, .alpha = -0.5f, .beta = 1 }, true,
      false, false },
  { "scale, bias, PReLU", { .kind = CPU_ACT_PRELU }, true, true, false },
  { "bias, HSwish, residual", { .kind = CPU_ACT_HSWISH }, true, false, true },
  { "residual, ReLU", { .kind = CPU_ACT_NONE }, true, false, true },
  { "Sigmoid, residual", { .kind = CPU_ACT_SIGMOID }, false, false, true },
  { "Swish", { .kind = CPU_ACT_SWISH, .alpha = 1 }, false, false, false },
  { "Gelu", { .kind = CPU_ACT_GELU_ERF }, true, false, false },
  { "bias, PReLU", { .kind = CPU_ACT_PRELU }, true, false, false },
  { "Tanh", { .kind = CPU_ACT_TANH }, true, false, false },
  { "Elu", { .kind = CPU_ACT_ELU, .alpha = 0.7f }, false, false, false },
};
#define N_CASES (sizeof cases / sizeof *cases)

/* @arrays: KC_MAX floats. */
static CpuEpilogue
make_epilogue (size_t i, const float *arrays, const float *residual)
{
  CpuEpilogue e = { .act = cases[i].act,
    .last_act = { .kind = CPU_ACT_LEAKY_RELU } };

  e.last_act.alpha = 0.25f;
  if (e.act.kind == CPU_ACT_NONE)
    e.last_act.kind = CPU_ACT_RELU;
  e.act.slopes = e.act.kind == CPU_ACT_PRELU ? arrays : NULL;
  e.bias = cases[i].bias ? arrays + 100 : NULL;
  e.scale = cases[i].scale ? arrays + 200 : NULL;
  e.residual = cases[i].residual ? residual : NULL;
  return e;
}

/* The gaps between the pixels of @got must still be poisoned. */
static void
compare_pixels (const float *got, const float *want, size_t pixels, size_t step,
    size_t channels, float rel)
{
  for (size_t p = 0; p < pixels; p++)
    kc_check_f32 (got + p * step, want + p * step, channels, rel, 1e-5f);
}

static void
check_tile (const CpuKernels *ref, const CpuKernels *opt, CpuConvTile *tile,
    float *want, float *got)
{
  size_t lanes = opt->conv_lanes (), vectors = tile->vectors;

  kc_poison (got);
  tile->out = got;
  opt->conv_tile_f32 (tile);
  /* The same weights, packed for the reference's vector length. */
  tile->vectors = vectors * lanes / ref->conv_lanes ();
  tile->out = want;
  ref->conv_tile_f32 (tile);
  tile->vectors = vectors;
  compare_pixels (got, want, tile->pixels, OUT_STEP, tile->channels, 1e-5f);
  kc_check_beyond (
      got, ((tile->pixels - 1) * OUT_STEP + tile->channels) * sizeof *got);
}

void
check_conv_tile_f32 (const CpuKernels *ref, const CpuKernels *opt)
{
  static const size_t segments[] = { 0, 9, 4 };
  const size_t lanes = opt->conv_lanes ();
  float *in = kc_floats (4, -1, 1), *weights = kc_floats (0, -1, 1),
        *arrays = kc_floats (4, -1, 1), *residual = kc_floats (8, -1, 1),
        *want = kc_buffer (0), *got = kc_buffer (4);
  CpuConvTile tile = {
    .in_step = IN_STEP, .segments = segments, .out_step = OUT_STEP
  };

  tile.in = in;
  tile.weights = weights;
  for (size_t i = 0; i < N_CASES; i++) {
    kc_label (cases[i].label);
    tile.epilogue = make_epilogue (i, arrays, residual);
    for (size_t j = 0; j < 20 * cpu_conv_most_vectors (lanes); j++) {
      tile.pixels = j % 20 + 1;
      tile.n_segments = (i + j) % 4;
      tile.vectors = j / 20 + 1;
      size_t most = tile.vectors * lanes;
      tile.length = j % 2 > 0 && 27 * most <= KC_MAX ? 9 : j % 7 + 1;
      tile.weights_step = tile.length;
      if (kc_random () % 4 == 0 && 3 * most * (tile.length + 2) <= KC_MAX)
        tile.weights_step += kc_random () % 3;
      tile.channels = kc_random () % 2 ? most : most - kc_random () % lanes;
      tile.residual_step = OUT_STEP - j % 2;
      tile.residual_channels = tile.channels;
      if (kc_random () % 2)
        tile.residual_channels -= kc_random () % tile.channels;
      tile.ahead = weights;
      tile.n_ahead = kc_random () % 1000;
      check_tile (ref, opt, &tile, want, got);
    }
  }
  kc_label ("20 pixels");
  tile.n_segments = 3;
  KC_BENCH (opt->conv_tile_f32 (&tile));
}

/* Outputs in one row or two, whose gap must still be poisoned. */
static void
check_dots (const CpuKernels *ref, const CpuKernels *opt, CpuConvTile *tile,
    float *want, float *got)
{
  const size_t n = tile->pixels * tile->channels;
  const size_t row = tile->rows == 2 ? n / 2 : n;

  tile->out_row = row + 3;
  kc_poison (got);
  tile->out = got;
  opt->conv_dots_f32 (tile);
  kc_poison (want);
  tile->out = want;
  ref->conv_dots_f32 (tile);
  kc_check_f32 (got, want, row, 1e-5f, 1e-5f);
  if (tile->rows == 2) {
    kc_check_bytes (got + row, want + row, 3 * sizeof *got);
    kc_check_f32 (got + tile->out_row, want + tile->out_row, row, 1e-5f, 1e-5f);
  }
  kc_check_beyond (
      got, (tile->rows == 2 ? tile->out_row + row : row) * sizeof *got);
}

void
check_conv_dots_f32 (const CpuKernels *ref, const CpuKernels *opt)
{
  static const size_t segments[] = { 0, 9, 4 };
  const size_t lanes = opt->conv_lanes (), least = lanes < 8 ? 2 : lanes / 4;
  float *in = kc_floats (4, -1, 1), *weights = kc_floats (0, -1, 1),
        *arrays = kc_buffer (4), *residual = kc_floats (8, -1, 1),
        *want = kc_buffer (0), *got = kc_buffer (4);
  CpuConvTile tile = { .segments = segments, .n_segments = 3 };

  tile.in = in;
  tile.weights = weights;
  for (size_t i = 0; i < N_CASES; i++) {
    kc_label (cases[i].label);
    tile.epilogue = make_epilogue (i, arrays, residual);
    for (tile.dot = least; tile.dot <= lanes; tile.dot *= 2) {
      tile.channels = lanes / tile.dot;
      kc_fill (arrays, KC_MAX, -1, 1);
      for (size_t j = tile.channels; j < 300; j++)
        if (j % 100 >= tile.channels)
          arrays[j] = arrays[j - tile.channels];
      for (tile.pixels = 1; tile.pixels < 2 * lanes + 4; tile.pixels++) {
        tile.length = tile.dot + kc_random () % (2 * tile.dot + 1);
        tile.in_step = tile.length - kc_random () % 2;
        if (tile.pixels * tile.in_step + 9 + tile.length > KC_MAX)
          tile.length = tile.in_step = tile.dot;
        tile.rows =
            tile.channels > 1 && !cases[i].residual ? 1 + kc_random () % 2 : 1;
        check_dots (ref, opt, &tile, want, got);
      }
    }
  }
  tile.dot = least;
  tile.channels = lanes / least;
  tile.length = tile.in_step = 32;
  tile.n_segments = 1;
  tile.pixels = 32;
  tile.out = got;
  tile.rows = 1;
  kc_label ("32 pixels of few channels");
  KC_BENCH (opt->conv_dots_f32 (&tile));
  if (lanes >= 8) {
    tile.length = tile.in_step = 16;
    tile.rows = 2;
    kc_label ("32 pixels of 4 channels, two rows");
    KC_BENCH (opt->conv_dots_f32 (&tile));
  }
}

typedef struct
{
  float *want, *got;
} Outputs;

/* The numbers of @from, which are bf16, as floats. */
static void
widen (float *to, const float *from, size_t n)
{
  const uint16_t *numbers = (const uint16_t *) (const void *) from;

  for (size_t i = 0; i < n; i++) {
    const uint32_t bits = (uint32_t) numbers[i] << 16;

    memcpy (to + i, &bits, sizeof bits);
  }
}

static void
compare_depthwise (
    const CpuConvDepthwise *row, const float *got, const float *want, float rel)
{
  const size_t last = (row->pixels - 1) * row->out_step;

  for (size_t y = 0; y < row->rows; y++) {
    compare_pixels (
        got, want, row->pixels - 1, row->out_step, row->channels, rel);
    compare_pixels (got + last, want + last, 1, row->out_step, row->last, rel);
    got += row->out_row;
    want += row->out_row;
  }
}

static size_t
elements_of (const CpuConvDepthwise *row)
{
  return (row->rows - 1) * row->out_row + (row->pixels - 1) * row->out_step
         + row->last;
}

static void
check_depthwise (const CpuKernels *ref, const CpuKernels *opt,
    CpuConvDepthwise *row, const Outputs *outputs)
{
  kc_poison (outputs->got);
  row->out = outputs->got;
  opt->conv_depthwise_f32 (row);
  row->out = outputs->want;
  ref->conv_depthwise_f32 (row);
  compare_depthwise (row, outputs->got, outputs->want, 1e-5f);
  kc_check_beyond (outputs->got, elements_of (row) * sizeof (float));
}

/* Cuts off the lower half of @f. */
static uint16_t
bf16_of (float f)
{
  uint32_t bits;

  memcpy (&bits, &f, sizeof bits);
  return (uint16_t) (bits >> 16);
}

/* Weights that are bf16 numbers, as pairs. */
static void
fill_pairs (CpuConvDepthwise *row, uint16_t *to)
{
  row->pairs = to;
  row->pair_stride[0] = 0;
  row->pair_stride[1] = 2 * row->n[2] * row->channels;
  for (size_t y = 0; y < row->n[1]; y++)
    for (size_t x = 0; x < row->n[2]; x++)
      for (size_t c = 0; c < row->channels; c++) {
        const float *w =
            row->weights + y * row->weight_stride[1] + x * row->channels + c;
        uint16_t *pair =
            to + y * row->pair_stride[1] + (x * row->channels + c) * 2;

        pair[0] = bf16_of (w[0]);
        pair[1] = y + 1 < row->n[1] ? bf16_of (w[row->weight_stride[1]]) : 0;
      }
}

/* Of bf16, to f32 and to bf16, whose sums may round to neighbours. */
static void
check_depthwise_bf16 (const CpuKernels *ref, const CpuKernels *opt,
    CpuConvDepthwise *row, const Outputs *outputs)
{
  float got[KC_MAX], want[KC_MAX];
  uint16_t pairs[4 * KC_MAX];

  row->pairs = NULL;
  if (kc_random () % 8 > 0)
    fill_pairs (row, pairs);
  kc_poison (outputs->got);
  row->out = outputs->got;
  opt->conv_depthwise_bf16 (row);
  row->out = outputs->want;
  ref->conv_depthwise_bf16 (row);
  compare_depthwise (row, outputs->got, outputs->want, 1e-5f);
  kc_check_beyond (outputs->got, elements_of (row) * sizeof (float));
  kc_poison (outputs->got);
  row->out = NULL;
  row->out_bf16 = (uint16_t *) (void *) outputs->got;
  opt->conv_depthwise_bf16 (row);
  row->out_bf16 = (uint16_t *) (void *) outputs->want;
  ref->conv_depthwise_bf16 (row);
  row->out_bf16 = NULL;
  widen (got, outputs->got, KC_MAX);
  widen (want, outputs->want, KC_MAX);
  compare_depthwise (row, got, want, 8e-3f);
  kc_check_beyond (outputs->got, elements_of (row) * sizeof (uint16_t));
  row->pairs = NULL;
}

typedef void CheckDepthwise (const CpuKernels *ref, const CpuKernels *opt,
    CpuConvDepthwise *row, const Outputs *outputs);

/* Rows whose pixels are one column apart, and two. */
static void
check_rows (const CpuKernels *ref, const CpuKernels *opt, CpuConvDepthwise *row,
    const Outputs *outputs, CheckDepthwise *check)
{
  static const struct
  {
    size_t taps, step, dilation;
  } kinds[] = {
    { 3, 1, 1 },
    { 3, 2, 1 },
    { 5, 1, 1 },
    { 5, 2, 1 },
    { 2, 1, 1 },
    { 3, 1, 2 },
    { 3, 1, 4 },
    { 5, 1, 3 },
    { 3, 3, 1 },
    { 1, 1, 1 },
    { 1, 2, 1 },
    { 7, 1, 1 },
  };

  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    size_t taps = kinds[i].taps, reach = (taps - 1) * kinds[i].dilation;

    row->n[2] = taps;
    row->step = kinds[i].step;
    row->dilation = kinds[i].dilation;
    row->pixels = kc_random () % 44 + 1;
    row->weight_stride[1] = taps * row->channels;
    row->first = (ptrdiff_t) (kc_random () % 4) - 2;
    row->columns = (row->pixels - 1) * row->step + reach + kc_random () % 3;
    row->columns = row->columns > 2 ? row->columns - 2 : 1;
    row->rows = 1 + kc_random () % 4;
    row->n[1] = 1 + kc_random () % 4;
    if (row->n[1] * row->weight_stride[1] > KC_MAX)
      row->n[1] = KC_MAX / row->weight_stride[1];
    const size_t apart = 1 + kc_random () % 2;
    row->in_stride[1] = KC_MAX / (row->n[1] + (row->rows - 1) * apart);
    row->in_row = apart * row->in_stride[1];
    if (row->columns * row->column > row->in_stride[1])
      row->columns = row->in_stride[1] / row->column;
    row->out_row = row->pixels * row->out_step;
    if (row->rows * row->out_row > KC_MAX) {
      row->pixels = KC_MAX / row->out_step / row->rows;
      row->out_row = row->pixels * row->out_step;
    }
    check (ref, opt, row, outputs);
  }
}

/* @row has inputs and weights. */
static void
check_any_depthwise (const CpuKernels *ref, const CpuKernels *opt,
    CpuConvDepthwise row, const Outputs *outputs, CheckDepthwise *check)
{
  float *arrays = kc_floats (4, -1, 1), *residual = kc_floats (8, -1, 1);

  row.n[0] = 1;
  for (size_t i = 0; i < N_CASES; i++) {
    kc_label (cases[i].label);
    row.epilogue = make_epilogue (i, arrays, residual);
    for (row.column = 1; row.column <= 36; row.column++) {
      row.channels = row.last = row.column;
      row.out_step = OUT_STEP;
      check_rows (ref, opt, &row, outputs, check);
      row.channels = row.out_step = 2 * row.column;
      row.last = row.channels - kc_random () % 2 * row.column;
      check_rows (ref, opt, &row, outputs, check);
    }
  }
}

static CpuConvDepthwise
timed_row (const float *weights, float *out)
{
  return (CpuConvDepthwise){ .weights = weights,
    .out = out,
    .n = { 1, 2, 3 },
    .in_stride = { 0, 512 },
    .weight_stride = { 0, 96 },
    .column = 32,
    .columns = 16,
    .first = -1,
    .step = 1,
    .dilation = 1,
    .pixels = 16,
    .channels = 32,
    .out_step = 32,
    .rows = 1,
    .last = 32 };
}

void
check_conv_depthwise_f32 (const CpuKernels *ref, const CpuKernels *opt)
{
  const Outputs outputs = { kc_buffer (0), kc_buffer (4) };
  const float *in = kc_floats (4, -1, 1), *weights = kc_floats (8, -1, 1);
  CpuConvDepthwise row = timed_row (weights, outputs.got);

  check_any_depthwise (ref, opt,
      (CpuConvDepthwise){ .in = in, .weights = weights }, &outputs,
      check_depthwise);
  row.in = in;
  kc_label ("16 pixels of 32 channels");
  KC_BENCH (opt->conv_depthwise_f32 (&row));
}

void
check_conv_depthwise_bf16 (const CpuKernels *ref, const CpuKernels *opt)
{
  const Outputs outputs = { kc_buffer (0), kc_buffer (4) };
  const float *numbers = kc_floats (4, -1, 1);
  float *weights = kc_floats (8, -1, 1);
  uint16_t *in = kc_buffer (2), pairs[2 * 3 * 2 * 32];
  CpuConvDepthwise row = timed_row (weights, outputs.got);

  ref->f32_to_bf16 (in, weights, KC_MAX);
  widen (weights, (const float *) (const void *) in, KC_MAX);
  ref->f32_to_bf16 (in, numbers, KC_MAX);
  check_any_depthwise (ref, opt,
      (CpuConvDepthwise){ .in_bf16 = in, .weights = weights }, &outputs,
      check_depthwise_bf16);
  row.in_bf16 = in;
  fill_pairs (&row, pairs);
  kc_label ("16 pixels of 32 channels");
  KC_BENCH (opt->conv_depthwise_bf16 (&row));
}

void
check_pool_box_f32 (const CpuKernels *ref, const CpuKernels *opt)
{
  static const size_t taps[][3] = { { 2, 2, 3 }, { 1, 2, 2 }, { 1, 3, 3 },
    { 1, 1, 6 } };
  float *in = kc_floats (4, -1, 1), *want = kc_buffer (0), *got = kc_buffer (4);
  CpuPoolBox box = { .stride = { 300, 120, 40 }, .in_step = 80 };

  box.in = in;
  for (box.max = 0; box.max < 2; box.max++) {
    kc_label (box.max ? "max" : "average");
    for (size_t i = 0; i < 160; i++) {
      memcpy (box.n, taps[i % 4], sizeof box.n);
      box.scale = 1.0f / (float) (box.n[0] * box.n[1] * box.n[2]);
      box.channels = i / 4 + 1;
      box.pixels = kc_random () % 4 + 1;
      kc_poison (got);
      box.out = got;
      opt->pool_box_f32 (&box);
      box.out = want;
      ref->pool_box_f32 (&box);
      kc_check_f32 (got, want, box.pixels * box.channels, 1e-6f, 1e-6f);
      kc_check_beyond (got, box.pixels * box.channels * sizeof *got);
    }
    box.channels = 40;
    box.out = got;
    KC_BENCH (opt->pool_box_f32 (&box));
    /* The maximum of values that include NaN is NaN. */
    kc_sprinkle (in);
  }
}
