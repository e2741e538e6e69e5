/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <math.h>

#include "tests/kernels/kernelcheck.h"

#define ROW 48 /* columns rounded up, with some of room */

static const CpuFourierPoints lengths[] = {
  { .n = 2, .n_factors = 1, .factors = { 2 } },
  { .n = 3, .n_factors = 1, .factors = { 3 } },
  { .n = 4, .n_factors = 1, .factors = { 4 } },
  { .n = 5, .n_factors = 1, .factors = { 5 } },
  { .n = 8, .n_factors = 1, .factors = { 8 } },
  { .n = 12, .n_factors = 2, .factors = { 4, 3 } },
  { .n = 15, .n_factors = 2, .factors = { 3, 5 } },
  { .n = 20, .n_factors = 2, .factors = { 4, 5 } },
  { .n = 16, .n_factors = 2, .factors = { 8, 2 } },
  { .n = 16, .n_factors = 2, .factors = { 4, 4 } },
};
#define N_LENGTHS (sizeof lengths / sizeof *lengths)
#define MOST 20

/* The @i-th of them, with its roots in memory. */
static CpuFourierPoints
take_length (size_t i, float roots[2 * MOST])
{
  CpuFourierPoints points = lengths[i];

  for (size_t j = 0; j < points.n; j++) {
    const double angle =
        2 * 3.14159265358979323846 * (double) j / (double) points.n;

    roots[2 * j] = (float) cos (angle);
    roots[2 * j + 1] = (float) sin (angle);
  }
  points.roots = roots;
  return points;
}

void
check_fourier_columns_f32 (const CpuKernels *ref, const CpuKernels *opt)
{
  float *re = kc_floats (4, -1, 1), *im = kc_floats (8, -1, 1);
  float *want[2] = { kc_buffer (0), kc_buffer (0) };
  float *got[2] = { kc_buffer (4), kc_buffer (12) }, roots[2 * MOST];
  CpuFourierPoints points;
  CpuFourierColumns t = {
    .points = &points, .in = { re, im }, .in_row = ROW, .out_row = ROW
  };

  for (size_t i = 0; i < N_LENGTHS; i++)
    for (t.columns = 1; t.columns <= ROW - CPU_FOURIER_ALIGN; t.columns++) {
      points = take_length (i, roots);
      for (size_t p = 0; p < 2; p++) {
        kc_poison (got[p]);
        t.out[p] = want[p];
      }
      ref->fourier_columns_f32 (&t);
      t.out[0] = got[0];
      t.out[1] = got[1];
      opt->fourier_columns_f32 (&t);
      for (size_t p = 0; p < 2; p++) {
        for (size_t k = 0; k < points.n; k++)
          kc_check_f32 (got[p] + k * ROW, want[p] + k * ROW, t.columns, 0,
              2e-6f * (float) points.n);
        kc_check_beyond (got[p], points.n * ROW * sizeof **got);
      }
    }
  kc_label ("16 points, 16 columns");
  t.columns = 16;
  KC_BENCH (opt->fourier_columns_f32 (&t));
}

void
check_fourier_real_f32 (const CpuKernels *ref, const CpuKernels *opt)
{
  float *in = kc_floats (4, -1, 1), *twist = kc_floats (8, -1, 1);
  float *want = kc_buffer (0), *got = kc_buffer (4), roots[2 * MOST];
  const size_t room = (MOST / 2 + 1) * 16;
  CpuFourierPoints points;
  CpuFourierReal t = { .points = &points,
    .in = { in, in + 300 },
    .in_row = 21,
    .out_row = 16,
    .twist = { { twist, twist + 60 }, { twist + 110, twist + 170 } },
    .twist_row = 16 };

  for (size_t i = 0; i < N_LENGTHS; i++)
    for (t.columns = 1; t.columns <= 16; t.columns++) {
      points = take_length (i, roots);
      kc_poison (got);
      for (size_t version = 0; version < 2; version++) {
        for (size_t part = 0; part < 4; part++)
          t.out[part / 2][part % 2] = (version ? got : want) + part * room;
        (version ? opt : ref)->fourier_real_f32 (&t);
      }
      for (size_t part = 0; part < 4; part++)
        for (size_t k = 0; k <= points.n / 2; k++)
          kc_check_f32 (got + part * room + k * 16, want + part * room + k * 16,
              t.columns, 0, 8e-6f * (float) points.n);
      kc_check_beyond (got, (3 * room + (points.n / 2 + 1) * 16) * sizeof *got);
    }
  kc_label ("16 points, 16 columns");
  t.columns = 16;
  KC_BENCH (opt->fourier_real_f32 (&t));
}

void
check_fourier_back_f32 (const CpuKernels *ref, const CpuKernels *opt)
{
  float *in = kc_floats (4, -1, 1), *twist = kc_floats (8, -1, 1);
  float *want = kc_buffer (0), *got = kc_buffer (4), roots[2 * MOST];
  CpuFourierPoints points;
  CpuFourierBack t = { .points = &points,
    .in = { { in, in + 200 }, { in + 400, in + 600 } },
    .in_row = 17,
    .twist = { { twist, twist + 60 }, { twist + 110, twist + 170 } },
    .twist_row = 16,
    .out_row = 16 };

  for (size_t i = 0; i < N_LENGTHS; i++)
    for (t.columns = 1; t.columns <= 16; t.columns++) {
      points = take_length (i, roots);
      kc_poison (got);
      for (size_t version = 0; version < 2; version++) {
        t.out[0] = version ? got : want;
        t.out[1] = t.out[0] + MOST * 16;
        (version ? opt : ref)->fourier_back_f32 (&t);
      }
      for (size_t h = 0; h < 2; h++)
        for (size_t j = 0; j < points.n; j++)
          kc_check_f32 (got + (h * MOST + j) * 16, want + (h * MOST + j) * 16,
              t.columns, 0, 8e-6f * (float) points.n);
      kc_check_beyond (got, (MOST + points.n) * 16 * sizeof *got);
    }
  kc_label ("16 points, 16 columns");
  t.columns = 16;
  KC_BENCH (opt->fourier_back_f32 (&t));
}

void
check_fourier_rows_f32 (const CpuKernels *ref, const CpuKernels *opt)
{
  float *in = kc_floats (4, -1, 1), *scale = kc_floats (8, -1, 1);
  float *want = kc_buffer (0), *got = kc_buffer (4);
  CpuFourierRun runs[20];
  CpuFourierRows rows = { .in = in + 16, .scale = scale, .runs = runs };

  for (size_t i = 0; i < 200; i++) {
    rows.n_runs = 1 + kc_random () % 20;
    rows.rows = 0;
    for (size_t r = 0; r < rows.n_runs; r++) {
      runs[r].n = 1 + kc_random () % 40;
      runs[r].step = kc_random () % 2 ? 1 : -1;
      runs[r].from = 40 + kc_random () % 900;
      rows.rows += runs[r].n;
    }
    kc_poison (got);
    rows.out = want;
    ref->fourier_rows_f32 (&rows);
    rows.out = got;
    opt->fourier_rows_f32 (&rows);
    kc_check_bytes (got, want, rows.rows * sizeof *got);
    kc_check_beyond (got, rows.rows * sizeof *got);
  }
  kc_label ("up to 20 runs");
  KC_BENCH (opt->fourier_rows_f32 (&rows));
}
