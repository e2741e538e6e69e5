/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/ops/gemm.h"

#include "inference/small-float.h"

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

/* Below this weights stay in the first-level caches anyway. */
#define HALF_MIN_BYTES 65536

static gboolean
fits_f16 (const float *values, gsize n)
{
  guint16 half[256];
  float back[256];
  for (gsize i = 0; i < n; i += G_N_ELEMENTS (half)) {
    gsize m = MIN (n - i, G_N_ELEMENTS (half));
    infer_f32_to_f16_n (half, values + i, m);
    infer_f16_to_f32_n (back, half, m);
    if (memcmp (back, values + i, m * sizeof (float)) != 0)
      return FALSE;
  }
  return TRUE;
}

static gpointer
make_fits (const CpuStep *step, guint input, gpointer data, gsize *bytes)
{
  const CpuValue *value = step->in[input];
  gboolean *fits = cpu_alloc (sizeof *fits);
  *bytes = sizeof *fits;
  if (fits)
    *fits = fits_f16 (value->data, value->n);
  return fits;
}

gboolean
cpu_gemm_wants_f16 (CpuStep *step, guint input)
{
  const CpuValue *value = step->in[input];
  if (!(step->isa & (CPU_ISA_AVX2 | CPU_ISA_AVX512))
      || value->n < HALF_MIN_BYTES / sizeof (float))
    return FALSE;
  if (value->desc.type == INFER_TYPE_F16)
    return TRUE;
  if (value->desc.type != INFER_TYPE_F32)
    return FALSE;
  const gboolean *fits =
      cpu_step_pack (step, input, "fits_f16", 0, NULL, make_fits, NULL);
  return fits && *fits;
}

gpointer
cpu_gemm_finish_pack (float *packed, gsize floats, gboolean half, gsize *bytes)
{
  *bytes = MAX (floats, 1) * (half ? sizeof (guint16) : sizeof (float));
  if (!half || !packed)
    return packed;
  guint16 *to = cpu_alloc (*bytes);
  if (to)
    infer_f32_to_f16_n (to, packed, floats);
  cpu_free (packed);
  return to;
}

const float *
cpu_gemm_floats (const CpuValue *value, float **copy)
{
  *copy = NULL;
  if (value->desc.type == INFER_TYPE_F32)
    return value->data;
  *copy = g_try_new (float, MAX (value->n, 1));
  if (*copy)
    infer_convert (
        *copy, INFER_TYPE_F32, value->data, value->desc.type, value->n);
  return *copy;
}
