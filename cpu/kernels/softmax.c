/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <math.h>

#include "cpu/kernels/kernels.h"

static float
largest (const float *src, size_t n)
{
  float best = src[0];

  for (size_t i = 1; i < n; i++)
    best = src[i] > best ? src[i] : best;
  return best;
}

void
cpu_softmax_f32_c (float *dst, const float *src, size_t n)
{
  double max = (double) largest (src, n), sum = 0;

  for (size_t i = 0; i < n; i++)
    sum += exp ((double) src[i] - max);
  for (size_t i = 0; i < n; i++)
    dst[i] = (float) (exp ((double) src[i] - max) / sum);
}

float
cpu_scores_f32_c (float *row, size_t n, const CpuScores *scores)
{
  double sum = 0;

  for (size_t i = 0; i < n; i++) {
    row[i] = row[i] * scores->scale + (scores->mask ? scores->mask[i] : 0);
    if (scores->drop && scores->drop[i])
      row[i] = scores->fill;
  }
  float max = largest (row, n);
  for (size_t i = 0; i < n; i++) {
    double x = exp ((double) row[i] - (double) max);

    row[i] = (float) x;
    sum += x;
  }
  return (float) sum;
}

void
cpu_log_softmax_f32_c (float *dst, const float *src, size_t n)
{
  double max = (double) largest (src, n), sum = 0;

  for (size_t i = 0; i < n; i++)
    sum += exp ((double) src[i] - max);
  sum = log (sum) + max;
  for (size_t i = 0; i < n; i++)
    dst[i] = (float) ((double) src[i] - sum);
}
