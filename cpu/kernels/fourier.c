/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* By definition. */

#include "cpu/kernels/kernels.h"

typedef struct
{
  float re, im;
} Complex;

/* Number @k of the transform of column @c. */
static Complex
sum_of (const CpuFourierPoints *points, const float *const in[2], size_t in_row,
    size_t k, size_t c)
{
  Complex sum = { 0, 0 };

  for (size_t j = 0; j < points->n; j++) {
    const float *root = points->roots + j * k % points->n * 2;
    const float re = in[0][j * in_row + c], im = in[1][j * in_row + c];

    sum.re += re * root[0] + im * root[1];
    sum.im += im * root[0] - re * root[1];
  }
  return sum;
}

void
cpu_fourier_columns_f32_c (const CpuFourierColumns *t)
{
  Complex all[CPU_FOURIER_MOST];

  for (size_t c = 0; c < t->columns; c++) {
    for (size_t k = 0; k < t->points->n; k++)
      all[k] = sum_of (t->points, t->in, t->in_row, k, c);
    for (size_t k = 0; k < t->points->n; k++) {
      t->out[0][k * t->out_row + c] = all[k].re;
      t->out[1][k * t->out_row + c] = all[k].im;
    }
  }
}

void
cpu_fourier_real_f32_c (const CpuFourierReal *t)
{
  const size_t n = t->points->n;

  for (size_t k = 0; k <= n / 2; k++)
    for (size_t c = 0; c < t->columns; c++) {
      const Complex a = sum_of (t->points, t->in, t->in_row, k, c);
      const Complex b = sum_of (t->points, t->in, t->in_row, (n - k) % n, c);
      const Complex twice[2] = { { a.re + b.re, a.im - b.im },
        { a.im + b.im, b.re - a.re } };

      for (size_t h = 0; h < 2; h++) {
        const float re = t->twist[h][0][k * t->twist_row + c];
        const float im = t->twist[h][1][k * t->twist_row + c];

        t->out[h][0][k * t->out_row + c] = twice[h].re * re - twice[h].im * im;
        t->out[h][1][k * t->out_row + c] = twice[h].re * im + twice[h].im * re;
      }
    }
}

void
cpu_fourier_back_f32_c (const CpuFourierBack *t)
{
  const size_t n = t->points->n;

  for (size_t h = 0; h < 2; h++)
    for (size_t j = 0; j < n; j++)
      for (size_t c = 0; c < t->columns; c++) {
        float sum = 0;

        for (size_t k = 0; k <= n / 2; k++) {
          const float *root = t->points->roots + j * k % n * 2;
          const float re = t->in[h][0][k * t->in_row + c];
          const float im = t->in[h][1][k * t->in_row + c];
          const float twist_re = t->twist[h][0][k * t->twist_row + c];
          const float twist_im = t->twist[h][1][k * t->twist_row + c];

          sum += 2 * (re * twist_re + im * twist_im) * root[0]
                 - 2 * (im * twist_re - re * twist_im) * root[1];
        }
        t->out[h][j * t->out_row + c] = sum;
      }
}

void
cpu_fourier_rows_f32_c (const CpuFourierRows *rows)
{
  size_t r = 0;

  for (size_t i = 0; i < rows->n_runs; i++) {
    const CpuFourierRun *run = &rows->runs[i];
    const float *in = rows->in + run->from;

    for (size_t j = 0; j < run->n; j++, r++, in += run->step)
      rows->out[r] = rows->scale[r] * *in;
  }
}
