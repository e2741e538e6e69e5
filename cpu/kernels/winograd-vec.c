/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/conv-vec.h"

#define A CPU_WINOGRAD_A
#define B CPU_WINOGRAD_B
#define A2 (A * A)
#define B2 (B * B)
#define C CPU_WINOGRAD_C
#define D CPU_WINOGRAD_D
#define C2 (C * C)
#define D2 (D * D)

/* B' d, with common subexpressions. */
INLINE void
input_side (const vf *d, size_t from, vf *to, size_t step)
{
  vf d0 = d[0], d1 = d[from], d2 = d[2 * from], d3 = d[3 * from];
  vf d4 = d[4 * from], d5 = d[5 * from];
  vf even = d4 - B2 * d2, odd = d3 - B2 * d1;
  vf even_2 = d4 - A2 * d2, odd_2 = d3 - A2 * d1;

  to[0] = A2 * B2 * d0 - (A2 + B2) * d2 + d4;
  to[step] = even + A * odd;
  to[2 * step] = even - A * odd;
  to[3 * step] = even_2 + B * odd_2;
  to[4 * step] = even_2 - B * odd_2;
  to[5 * step] = A2 * B2 * d1 - (A2 + B2) * d3 + d5;
}

INLINE void
input_vector (const CpuWinogradInput *t, size_t c, size_t n, int whole)
{
  vf half[36];

#pragma GCC unroll 6
  for (size_t x = 0; x < 6; x++) {
    const float *in = t->in + x * t->column + c;
    vf d[6];

#pragma GCC unroll 6
    for (size_t y = 0; y < 6; y++)
      d[y] = whole
                     || (y >= t->first[0] && y < t->last[0] && x >= t->first[1]
                         && x < t->last[1])
                 ? load_part (in + y * t->row, n)
                 : vf_set (0);
    input_side (d, 1, half + x, 6);
  }
#pragma GCC unroll 6
  for (size_t y = 0; y < 6; y++) {
    vf v[6];

    input_side (half + y * 6, 1, v, 1);
#pragma GCC unroll 6
    for (size_t x = 0; x < 6; x++)
      store_part (t->out + (y * 6 + x) * t->step + c, v[x], n);
  }
}

void
CPU_KERNEL (winograd_input_f32) (const CpuWinogradInput *t)
{
  const int whole = t->first[0] == 0 && t->last[0] == 6 && t->first[1] == 0
                    && t->last[1] == 6;
  size_t c = 0;

  if (whole) {
    for (; c + VF_N <= t->channels; c += VF_N)
      input_vector (t, c, VF_N, 1);
  }
  for (; c < t->channels; c += VF_N)
    input_vector (t, c, t->channels - c < VF_N ? t->channels - c : VF_N, 0);
}

INLINE void
output_side (const vf *m, vf *to, size_t step)
{
  vf sum = m[1] + m[2], difference = m[1] - m[2];
  vf sum_2 = m[3] + m[4], difference_2 = m[3] - m[4];

  to[0] = m[0] + sum + sum_2;
  to[step] = A * difference + B * difference_2;
  to[2 * step] = A2 * sum + B2 * sum_2;
  to[3 * step] = A2 * A * difference + B2 * B * difference_2 + m[5];
}

INLINE void
output_vector (const CpuWinogradOutput *t, size_t c, size_t n)
{
  const CpuEpilogue *e = &t->epilogue;
  CpuSums s = { .epilogue = e,
    .c = c,
    .last = n,
    .step = t->column,
    .residual_step = t->column,
    .residual_channels = n };
  const vf bias = sums_bias (&s, 0, 1);
  vf half[24];

#pragma GCC unroll 6
  for (size_t x = 0; x < 6; x++) {
    vf m[6];

#pragma GCC unroll 6
    for (size_t y = 0; y < 6; y++)
      m[y] = load_part (t->in + (y * 6 + x) * t->step + c, n);
    output_side (m, half + x, 6);
  }
  for (size_t y = 0; y < t->rows; y++) {
    const size_t at = y * t->row + c;
    vf v[4];

    output_side (half + y * 6, v, 1);
#pragma GCC unroll 4
    for (size_t x = 0; x < 4; x++)
      v[x] += bias;
    s.out = t->out + at;
    s.residual = e->residual ? e->residual + at : NULL;
    if (t->columns == 4) {
      sums_store (&s, v, 4, 1);
      continue;
    }
    for (size_t x = 0; x < t->columns; x++) {
      sums_store (&s, v + x, 1, 1);
      s.out += t->column;
      s.residual += s.residual ? t->column : 0;
    }
  }
}

void
CPU_KERNEL (winograd_output_f32) (const CpuWinogradOutput *t)
{
  size_t c = 0;

  for (; c + VF_N <= t->channels; c += VF_N)
    output_vector (t, c, VF_N);
  if (c < t->channels)
    output_vector (t, c, t->channels - c);
}

/* --- along one dimension --- */

/* B' e of F(4, 2), e in d[0], d[2], … */
INLINE void
input_pairs (const vf *d, vf *to)
{
  vf low = d[2] - D * d[0], mid = d[4] - D * d[2];
  vf even = d[6] - D * d[4], high = d[8] - D * d[6];

  to[0] = even - C2 * low;
  to[1] = even + C * mid;
  to[2] = even - C * mid;
  to[3] = d[6] - C2 * d[2];
  to[4] = high - C2 * mid;
}

INLINE void
line_input (const CpuWinogradLineInput *t, size_t c, size_t n, size_t stride,
    bool whole)
{
  const size_t inputs = 3 + 3 * stride;
  const float *in = t->in + c;
  vf d[9], v[9];

#pragma GCC unroll 9
  for (size_t x = 0; x < inputs; x++)
    d[x] = whole || (x >= t->first && x < t->last)
               ? load_part (in + x * t->column, n)
               : vf_set (0);
  if (stride == 1)
    input_side (d, 1, v, 1);
  else {
    input_pairs (d, v);
#pragma GCC unroll 4
    for (size_t i = 0; i < 4; i++)
      v[5 + i] = d[2 * i + 1];
  }
#pragma GCC unroll 9
  for (size_t i = 0; i < 3 + 3 * stride; i++)
    store_part (t->out + i * t->step + c, v[i], n);
}

INLINE void
line_inputs (const CpuWinogradLineInput *t, size_t stride)
{
  const bool whole = t->first == 0 && t->last == (stride == 1 ? 6 : 9);
  size_t c = 0;

  if (whole)
    for (; c + VF_N <= t->channels; c += VF_N)
      line_input (t, c, VF_N, stride, true);
  for (; c < t->channels; c += VF_N)
    line_input (
        t, c, t->channels - c < VF_N ? t->channels - c : VF_N, stride, false);
}

void
CPU_KERNEL (winograd_line_input_f32) (const CpuWinogradLineInput *t)
{
  if (t->stride == 1)
    line_inputs (t, 1);
  else
    line_inputs (t, 2);
}

/* A' of F(4, 2), and the products of the weight between. */
INLINE void
output_pairs (const vf *m, vf *to)
{
  vf sum = m[1] + m[2], difference = m[1] - m[2];

  to[0] = m[0] + sum + m[3] + m[5];
  to[1] = C * difference + (D * m[3] + m[6]);
  to[2] = C2 * sum + (D2 * m[3] + m[7]);
  to[3] = C2 * C * difference + (D2 * D * m[3] + (m[4] + m[8]));
}

INLINE void
line_output (const CpuWinogradLineOutput *t, size_t c, size_t n, size_t stride)
{
  const CpuEpilogue *e = &t->epilogue;
  CpuSums s = { .out = t->out + c,
    .epilogue = e,
    .c = c,
    .last = n,
    .step = t->column,
    .residual = e->residual ? e->residual + c : NULL,
    .residual_step = t->column,
    .residual_channels = n };
  const vf bias = sums_bias (&s, 0, 1);
  vf m[9], v[4];

#pragma GCC unroll 9
  for (size_t i = 0; i < 3 + 3 * stride; i++)
    m[i] = load_part (t->in + i * t->step + c, n);
  if (stride == 1)
    output_side (m, v, 1);
  else
    output_pairs (m, v);
#pragma GCC unroll 4
  for (size_t x = 0; x < 4; x++)
    v[x] += bias;
  if (t->columns == 4) {
    sums_store (&s, v, 4, 1);
    return;
  }
  for (size_t x = 0; x < t->columns; x++) {
    sums_store (&s, v + x, 1, 1);
    s.out += t->column;
    s.residual += s.residual ? t->column : 0;
  }
}

INLINE void
line_outputs (const CpuWinogradLineOutput *t, size_t stride)
{
  size_t c = 0;

  for (; c + VF_N <= t->channels; c += VF_N)
    line_output (t, c, VF_N, stride);
  if (c < t->channels)
    line_output (t, c, t->channels - c, stride);
}

void
CPU_KERNEL (winograd_line_output_f32) (const CpuWinogradLineOutput *t)
{
  if (t->stride == 1)
    line_outputs (t, 1);
  else
    line_outputs (t, 2);
}
