/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/kernels.h"
#include "cpu/kernels/epilogue-c.h"

#define A CPU_WINOGRAD_A
#define B CPU_WINOGRAD_B
#define A2 (A * A)
#define B2 (B * B)
#define C CPU_WINOGRAD_C
#define D CPU_WINOGRAD_D
#define C2 (C * C)
#define D2 (D * D)

/* clang-format off */
static const float input_matrix[6][6] = {
  { A2 * B2, 0, -(A2 + B2), 0, 1, 0 },
  { 0, -(A * B2), -B2, A, 1, 0 },
  { 0, A * B2, -B2, -A, 1, 0 },
  { 0, -(B * A2), -A2, B, 1, 0 },
  { 0, B * A2, -A2, -B, 1, 0 },
  { 0, A2 * B2, 0, -(A2 + B2), 0, 1 },
};
static const float output_matrix[4][6] = {
  { 1, 1, 1, 1, 1, 0 },
  { 0, A, -A, B, -B, 0 },
  { 0, A2, A2, B2, B2, 0 },
  { 0, A2 * A, -(A2 * A), B2 * B, -(B2 * B), 1 },
};
/* F(4, 2) */
static const float input_pairs[5][5] = {
  { C2 * D, -C2, -D, 1, 0 },
  { 0, -(C * D), C - D, 1, 0 },
  { 0, C * D, -(C + D), 1, 0 },
  { 0, -C2, 0, 1, 0 },
  { 0, C2 * D, -C2, -D, 1 },
};
static const float output_pairs[4][5] = {
  { 1, 1, 1, 1, 0 },
  { 0, C, -C, D, 0 },
  { 0, C2, C2, D2, 0 },
  { 0, C2 * C, -(C2 * C), D2 * D, 1 },
};
/* clang-format on */

/* @matrix m @matrix', [@n][6]. */
static void
both_sides (const float matrix[][6], size_t n, float m[6][6], float *to)
{
  float half[6][6];

  for (size_t i = 0; i < n; i++) {
    for (size_t x = 0; x < 6; x++) {
      half[i][x] = 0;
      for (size_t k = 0; k < 6; k++)
        half[i][x] += matrix[i][k] * m[k][x];
    }
  }
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) {
      to[i * n + j] = 0;
      for (size_t k = 0; k < 6; k++)
        to[i * n + j] += half[i][k] * matrix[j][k];
    }
  }
}

void
cpu_winograd_input_f32_c (const CpuWinogradInput *t)
{
  for (size_t c = 0; c < t->channels; c++) {
    float d[6][6] = { { 0 } }, v[36];

    for (size_t y = t->first[0]; y < t->last[0]; y++)
      for (size_t x = t->first[1]; x < t->last[1]; x++)
        d[y][x] = t->in[y * t->row + x * t->column + c];
    both_sides (input_matrix, 6, d, v);
    for (size_t i = 0; i < 36; i++)
      t->out[i * t->step + c] = v[i];
  }
}

void
cpu_winograd_output_f32_c (const CpuWinogradOutput *t)
{
  for (size_t c = 0; c < t->channels; c++) {
    float m[6][6], v[16];

    for (size_t i = 0; i < 36; i++)
      m[i / 6][i % 6] = t->in[i * t->step + c];
    both_sides (output_matrix, 4, m, v);
    for (size_t y = 0; y < t->rows; y++) {
      for (size_t x = 0; x < t->columns; x++) {
        size_t at = y * t->row + x * t->column + c;

        t->out[at] = epilogue_c (&t->epilogue, v[y * 4 + x], c, at);
      }
    }
  }
}

/* --- along one dimension --- */

static float
dot (const float *a, const float *b, size_t b_step, size_t n)
{
  float sum = 0;

  for (size_t i = 0; i < n; i++)
    sum += a[i] * b[i * b_step];
  return sum;
}

void
cpu_winograd_line_input_f32_c (const CpuWinogradLineInput *t)
{
  const size_t products = t->stride == 1 ? CPU_WINOGRAD_LINE_PRODUCTS
                                         : CPU_WINOGRAD_LINE_PRODUCTS_2;

  for (size_t c = 0; c < t->channels; c++) {
    float d[9] = { 0 };

    for (size_t x = t->first; x < t->last; x++)
      d[x] = t->in[x * t->column + c];
    for (size_t i = 0; i < products; i++)
      t->out[i * t->step + c] = t->stride == 1 ? dot (input_matrix[i], d, 1, 6)
                                : i < 5        ? dot (input_pairs[i], d, 2, 5)
                                               : d[2 * (i - 5) + 1];
  }
}

void
cpu_winograd_line_output_f32_c (const CpuWinogradLineOutput *t)
{
  const size_t step = t->step;

  for (size_t c = 0; c < t->channels; c++) {
    const float *m = t->in + c;

    for (size_t x = 0; x < t->columns; x++) {
      const size_t at = x * t->column + c;
      const float sum = t->stride == 1 ? dot (output_matrix[x], m, step, 6)
                                       : dot (output_pairs[x], m, step, 5)
                                             + m[(5 + x) * step];

      t->out[at] = epilogue_c (&t->epilogue, sum, c, at);
    }
  }
}
