/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/kernels/kernelcheck.h"

#define OUT_STEP 37
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
  { "Sigmoid, residual", { .kind = CPU_ACT_SIGMOID }, false, false, true },
  { "Swish", { .kind = CPU_ACT_SWISH, .alpha = 1 }, false, false, false },
  { "Gelu", { .kind = CPU_ACT_GELU_ERF }, true, false, false },
  { "Tanh", { .kind = CPU_ACT_TANH }, true, false, false },
  { "Elu", { .kind = CPU_ACT_ELU, .alpha = 0.7f }, false, false, false },
};
#define N_CASES (sizeof cases / sizeof *cases)

/* @arrays: KC_MAX numbers. */
static CpuEpilogue
make_epilogue (size_t i, const float *arrays, const float *residual)
{
  CpuEpilogue e = { .act = cases[i].act,
    .last_act = { .kind = CPU_ACT_LEAKY_RELU } };

  e.last_act.alpha = 0.25f;
  e.act.slopes = e.act.kind == CPU_ACT_PRELU ? arrays : NULL;
  e.bias = cases[i].bias ? arrays + 100 : NULL;
  e.scale = cases[i].scale ? arrays + 200 : NULL;
  e.residual = cases[i].residual ? residual : NULL;
  return e;
}

/* What lies between the pixels of @got is no one's: it must be as poisoned. */
static void
compare_pixels (const float *got, const float *want, size_t pixels,
    size_t channels, float rel, float abs)
{
  for (size_t p = 0; p < pixels; p++)
    kc_check_f32 (got + p * OUT_STEP, want + p * OUT_STEP, channels, rel, abs);
  kc_check_beyond (got, ((pixels - 1) * OUT_STEP + channels) * sizeof *got);
}

static void
check_tile (const CpuKernels *ref, const CpuKernels *opt, CpuConvTile *tile,
    float *want, float *got)
{
  size_t lanes = opt->conv_lanes (), vectors = tile->vectors;

  kc_poison (got);
  tile->out = got;
  opt->conv_tile_f32 (tile);
  /* The same weights, by the vectors of the reference. */
  tile->vectors = vectors * lanes / ref->conv_lanes ();
  tile->out = want;
  ref->conv_tile_f32 (tile);
  tile->vectors = vectors;
  compare_pixels (got, want, tile->pixels, tile->channels, 1e-5f, 1e-5f);
}

void
check_conv_tile_f32 (const CpuKernels *ref, const CpuKernels *opt)
{
  static const size_t segments[] = { 0, 9, 4 };
  float *in, *weights, *arrays, *residual, *want, *got;
  CpuConvTile tile = { .in_step = IN_STEP,
    .segments = segments,
    .n_segments = 3,
    .out_step = OUT_STEP };

  if (!kc_begin ("conv_tile_f32", (KcFunc) ref->conv_tile_f32,
          (KcFunc) opt->conv_tile_f32))
    return;
  in = kc_buffer (4);
  weights = kc_buffer (0);
  arrays = kc_buffer (4);
  residual = kc_buffer (8);
  want = kc_buffer (0);
  got = kc_buffer (4);
  kc_fill (in, KC_MAX, -1, 1);
  kc_fill (weights, KC_MAX, -1, 1);
  kc_fill (arrays, KC_MAX, -1, 1);
  kc_fill (residual, KC_MAX, -1, 1);
  tile.in = in;
  tile.weights = weights;
  for (size_t i = 0; i < N_CASES; i++) {
    kc_label (cases[i].label);
    tile.epilogue = make_epilogue (i, arrays, residual);
    for (tile.pixels = 1; tile.pixels <= 20; tile.pixels++) {
      size_t most;

      tile.length = tile.pixels % 10 + 1;
      tile.vectors = tile.pixels / 2 % 2 + 1;
      most = tile.vectors * opt->conv_lanes ();
      tile.channels = most - kc_random () % opt->conv_lanes ();
      check_tile (ref, opt, &tile, want, got);
    }
  }
  kc_label ("20 pixels");
  KC_BENCH (opt->conv_tile_f32 (&tile));
  kc_end ();
}

void
check_conv_depthwise_f32 (const CpuKernels *ref, const CpuKernels *opt)
{
  float *in, *weights, *arrays, *residual, *want, *got;
  CpuConvDepthwise row = { .in_step = 41,
    .out_step = OUT_STEP,
    .n = { 1, 2, 3 },
    .in_stride = { 0, 70, 36 },
    .weight_stride = { 0, 108, 36 } };

  if (!kc_begin ("conv_depthwise_f32", (KcFunc) ref->conv_depthwise_f32,
          (KcFunc) opt->conv_depthwise_f32))
    return;
  in = kc_buffer (4);
  weights = kc_buffer (8);
  arrays = kc_buffer (4);
  residual = kc_buffer (8);
  want = kc_buffer (0);
  got = kc_buffer (4);
  kc_fill (in, KC_MAX, -1, 1);
  kc_fill (weights, KC_MAX, -1, 1);
  kc_fill (arrays, KC_MAX, -1, 1);
  kc_fill (residual, KC_MAX, -1, 1);
  row.in = in;
  row.weights = weights;
  for (size_t i = 0; i < N_CASES; i++) {
    kc_label (cases[i].label);
    row.epilogue = make_epilogue (i, arrays, residual);
    for (row.channels = 1; row.channels <= 36; row.channels++) {
      row.pixels = kc_random () % 17 + 1;
      kc_poison (got);
      row.out = got;
      opt->conv_depthwise_f32 (&row);
      row.out = want;
      ref->conv_depthwise_f32 (&row);
      compare_pixels (got, want, row.pixels, row.channels, 1e-5f, 1e-5f);
    }
  }
  row.out = got;
  row.pixels = 17;
  kc_label ("17 pixels of 36 channels");
  KC_BENCH (opt->conv_depthwise_f32 (&row));
  kc_end ();
}

void
check_pool_box_f32 (const CpuKernels *ref, const CpuKernels *opt)
{
  float *in, *want, *got;
  CpuPoolBox box = { .n = { 2, 2, 3 }, .stride = { 300, 120, 40 } };

  if (!kc_begin ("pool_box_f32", (KcFunc) ref->pool_box_f32,
          (KcFunc) opt->pool_box_f32))
    return;
  in = kc_buffer (4);
  want = kc_buffer (0);
  got = kc_buffer (4);
  kc_fill (in, KC_MAX, -1, 1);
  box.in = in;
  box.scale = 1.0f / 12;
  for (box.max = 0; box.max < 2; box.max++) {
    kc_label (box.max ? "max" : "average");
    for (box.channels = 1; box.channels <= 40; box.channels++) {
      kc_poison (got);
      box.out = got;
      opt->pool_box_f32 (&box);
      box.out = want;
      ref->pool_box_f32 (&box);
      kc_check_f32 (got, want, box.channels, 1e-6f, 1e-6f);
      kc_check_beyond (got, box.channels * sizeof *got);
    }
    box.channels = 40;
    box.out = got;
    KC_BENCH (opt->pool_box_f32 (&box));
    /* The largest of what has a NaN is NaN. */
    kc_sprinkle (in);
  }
  kc_end ();
}
