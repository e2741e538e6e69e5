/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/ops/gemm.h"

#include <string.h>

static void
pack_panel (float *to, const float *b, gsize k, gsize columns, gsize k_stride,
    gsize n_stride)
{
  if (columns == CPU_GEMM_PANEL && n_stride == 1) {
    for (gsize i = 0; i < k; i++)
      memcpy (to + i * CPU_GEMM_PANEL, b + i * k_stride,
          CPU_GEMM_PANEL * sizeof *to);
    return;
  }
  if (columns < CPU_GEMM_PANEL)
    memset (to, 0, k * CPU_GEMM_PANEL * sizeof *to);
  for (gsize j = 0; j < columns; j++)
    for (gsize i = 0; i < k; i++)
      to[i * CPU_GEMM_PANEL + j] = b[i * k_stride + j * n_stride];
}

void
cpu_gemm_pack (float *packed, const float *b, gsize k, gsize n, gsize k_stride,
    gsize n_stride)
{
  for (gsize j = 0; j < n; j += CPU_GEMM_PANEL)
    pack_panel (packed + j * k, b + j * n_stride, k,
        MIN (n - j, CPU_GEMM_PANEL), k_stride, n_stride);
}
