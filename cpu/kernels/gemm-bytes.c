/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/kernels.h"

#include <math.h>
#include <string.h>

#define LEAST 1e-36f

static int8_t *
integers_of (const CpuBytes *bytes, size_t n, size_t group)
{
  return (int8_t *) (uintptr_t) bytes + cpu_bytes_at (n, group);
}

/* The scale; 0 if all elements are zero. */
static float
fill_group (int8_t *to, const float *src, size_t n)
{
  float most = 0, per;

  for (size_t i = 0; i < n; i++)
    most = fmaxf (most, fabsf (src[i]));
  per = most >= LEAST ? 127 / most : 0;
  for (size_t i = 0; i < n; i++)
    to[i] = (int8_t) rintf (src[i] * per);
  return most >= LEAST ? most / 127 : 0;
}

void
cpu_bytes_f32_c (CpuBytes *to, const float *src, size_t n, size_t group)
{
  int8_t *integers = integers_of (to, n, group);
  double sum = 0;

  memset (to, 0, cpu_bytes_size (n, group));
  to->sum = NAN;
  for (size_t i = 0; i < n; i++)
    if (!isfinite (src[i]))
      return;
  for (size_t i = 0; i < n; i += group) {
    const size_t left = n - i < group ? n - i : group;
    CpuBytesGroup *g = &to->groups[i / group];
    int32_t total = 0;

    g->scale = fill_group (integers + i, src + i, left);
    for (size_t k = 0; k < left; k++)
      total += integers[i + k];
    g->start = -128 * total;
    sum += (double) g->scale * total;
  }
  to->sum = (float) sum;
}

/* Non-finite values are multiplied in f32. */
static float
number (const CpuGemm *g, size_t i, size_t k)
{
  const CpuBytes *row =
      (const void *) ((const char *) g->a_packed + i * g->a_packed_row);

  if (isnan (row->sum))
    return g->a[i * g->a_row + k];
  return row->groups[k / g->a_group].scale
         * (float) integers_of (row, g->k, g->a_group)[k];
}

void
cpu_gemm_bytes_c (const CpuGemm *g)
{
  const uint8_t *b = g->b;

  for (size_t i = 0; i < g->m; i++)
    for (size_t j = 0; j < g->n; j++) {
      const size_t column =
          j / CPU_GEMM_PANEL * g->b_panel + j % CPU_GEMM_PANEL * 4;
      float sum = 0;

      for (size_t k = 0; k < g->k; k++) {
        float weight = (float) b[column + k / 4 * 64 + k % 4] - 128;

        weight += g->b_offset ? g->b_offset[j] : 0;
        sum += number (g, i, k) * weight;
      }
      g->c[i * g->c_row + j] = sum * g->b_scale[j];
    }
}
