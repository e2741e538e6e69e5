/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/kernels/kernelcheck.h"

#define MOST_CHANNELS 24

void
check_winograd_input_f32 (const CpuKernels *ref, const CpuKernels *opt)
{
  float *in = kc_floats (4, -1, 1), *want = kc_buffer (0), *got = kc_buffer (8);
  CpuWinogradInput tile = { .row = 160, .column = 25, .step = 27 };

  tile.in = in;
  for (tile.channels = 1; tile.channels <= MOST_CHANNELS; tile.channels++) {
    for (size_t i = 0; i < 6; i++) {
      for (size_t d = 0; d < 2; d++) {
        tile.first[d] = i == 0 ? 0 : kc_random () % 3;
        tile.last[d] = i == 0 ? 6 : 6 - kc_random () % 5;
      }
      kc_poison (got);
      tile.out = got;
      opt->winograd_input_f32 (&tile);
      tile.out = want;
      ref->winograd_input_f32 (&tile);
      for (size_t p = 0; p < CPU_WINOGRAD_PRODUCTS; p++)
        kc_check_f32 (got + p * tile.step, want + p * tile.step, tile.channels,
            1e-5f, 1e-5f);
      kc_check_beyond (
          got, ((CPU_WINOGRAD_PRODUCTS - 1) * tile.step + tile.channels)
                   * sizeof *got);
    }
  }
  kc_label ("24 channels");
  tile.channels = MOST_CHANNELS;
  tile.first[0] = tile.first[1] = 0;
  tile.last[0] = tile.last[1] = 6;
  tile.out = got;
  KC_BENCH (opt->winograd_input_f32 (&tile));
}

static const CpuAct acts[] = {
  { .kind = CPU_ACT_NONE },
  { .kind = CPU_ACT_RELU },
  { .kind = CPU_ACT_PRELU },
  { .kind = CPU_ACT_TANH },
};

/* The @i-th of 8 epilogues. */
static CpuEpilogue
make_epilogue (size_t i, const float *arrays, const float *residual)
{
  CpuEpilogue e = { .act = acts[i % 4],
    .bias = i % 3 ? arrays + 100 : NULL,
    .scale = i == 5 ? arrays + 200 : NULL,
    .residual = i >= 4 ? residual : NULL,
    .last_act = acts[i / 2 % 2] };

  e.act.slopes = i % 4 == 2 ? arrays : NULL;
  return e;
}

static void
check_output (const CpuKernels *ref, const CpuKernels *opt,
    CpuWinogradOutput *tile, float *want, float *got)
{
  kc_poison (got);
  tile->out = got;
  opt->winograd_output_f32 (tile);
  tile->out = want;
  ref->winograd_output_f32 (tile);
  for (size_t y = 0; y < tile->rows; y++)
    for (size_t x = 0; x < tile->columns; x++)
      kc_check_f32 (got + y * tile->row + x * tile->column,
          want + y * tile->row + x * tile->column, tile->channels, 1e-5f,
          2e-5f);
  kc_check_beyond (
      got, ((tile->rows - 1) * tile->row + (tile->columns - 1) * tile->column
               + tile->channels)
               * sizeof *got);
}

void
check_winograd_output_f32 (const CpuKernels *ref, const CpuKernels *opt)
{
  float *in = kc_floats (4, -1, 1), *arrays = kc_floats (8, -1, 1),
        *residual = kc_floats (4, -1, 1), *want = kc_buffer (0),
        *got = kc_buffer (8);
  CpuWinogradOutput tile = { .step = 27, .row = 140, .column = 26 };

  tile.in = in;
  for (size_t i = 0; i < 8; i++) {
    tile.epilogue = make_epilogue (i, arrays, residual);
    for (tile.channels = 1; tile.channels <= MOST_CHANNELS; tile.channels++) {
      tile.rows = 4 - kc_random () % 4;
      tile.columns = 4 - kc_random () % 4;
      check_output (ref, opt, &tile, want, got);
    }
    tile.channels = MOST_CHANNELS;
    tile.rows = tile.columns = 4;
    check_output (ref, opt, &tile, want, got);
  }
  kc_label ("24 channels");
  tile.out = got;
  KC_BENCH (opt->winograd_output_f32 (&tile));
}

/* --- along one dimension --- */

void
check_winograd_line_input_f32 (const CpuKernels *ref, const CpuKernels *opt)
{
  float *in = kc_floats (4, -1, 1), *want = kc_buffer (0), *got = kc_buffer (8);
  CpuWinogradLineInput tile = { .in = in, .column = 25, .step = 27 };

  for (size_t i = 0; i < 12 * MOST_CHANNELS; i++) {
    const size_t inputs = 3 + 3 * (1 + i % 2);

    tile.channels = 1 + i / 12;
    tile.stride = 1 + i % 2;
    tile.first = i % 12 < 2 ? 0 : kc_random () % 4;
    tile.last = i % 12 < 2 ? inputs : inputs - kc_random () % 6;
    kc_poison (got);
    tile.out = got;
    opt->winograd_line_input_f32 (&tile);
    tile.out = want;
    ref->winograd_line_input_f32 (&tile);
    for (size_t p = 0; p < inputs; p++)
      kc_check_f32 (got + p * tile.step, want + p * tile.step, tile.channels,
          1e-5f, 1e-5f);
    kc_check_beyond (
        got, ((inputs - 1) * tile.step + tile.channels) * sizeof *got);
  }
  tile.out = got;
  tile.channels = MOST_CHANNELS;
  tile.first = 0;
  for (tile.stride = 1; tile.stride <= 2; tile.stride++) {
    tile.last = 3 + 3 * tile.stride;
    kc_label (tile.stride == 1 ? "24 channels" : "24 channels, stride 2");
    KC_BENCH (opt->winograd_line_input_f32 (&tile));
  }
}

static void
check_line (const CpuKernels *ref, const CpuKernels *opt,
    CpuWinogradLineOutput *tile, float *want, float *got)
{
  kc_poison (got);
  tile->out = got;
  opt->winograd_line_output_f32 (tile);
  tile->out = want;
  ref->winograd_line_output_f32 (tile);
  for (size_t x = 0; x < tile->columns; x++)
    kc_check_f32 (got + x * tile->column, want + x * tile->column,
        tile->channels, 1e-5f, 2e-5f);
  kc_check_beyond (
      got, ((tile->columns - 1) * tile->column + tile->channels) * sizeof *got);
}

void
check_winograd_line_output_f32 (const CpuKernels *ref, const CpuKernels *opt)
{
  float *in = kc_floats (4, -1, 1), *arrays = kc_floats (8, -1, 1),
        *residual = kc_floats (4, -1, 1), *want = kc_buffer (0),
        *got = kc_buffer (8);
  CpuWinogradLineOutput tile = { .in = in, .step = 27, .column = 26 };

  for (size_t i = 0; i < 16; i++) {
    tile.stride = 1 + i / 8;
    tile.epilogue = make_epilogue (i % 8, arrays, residual);
    for (tile.channels = 1; tile.channels <= MOST_CHANNELS; tile.channels++)
      for (tile.columns = 1; tile.columns <= 4; tile.columns++)
        check_line (ref, opt, &tile, want, got);
  }
  tile.out = got;
  tile.channels = MOST_CHANNELS;
  tile.columns = 4;
  for (tile.stride = 1; tile.stride <= 2; tile.stride++) {
    kc_label (tile.stride == 1 ? "24 channels" : "24 channels, stride 2");
    KC_BENCH (opt->winograd_line_output_f32 (&tile));
  }
}
