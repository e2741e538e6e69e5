/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/kernels.h"
#include "cpu/kernels/epilogue-c.h"

#define A CPU_WINOGRAD_A
#define B CPU_WINOGRAD_B
#define A2 (A * A)
#define B2 (B * B)

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
