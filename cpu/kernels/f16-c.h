/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* f16 elements in portable kernels. */

#pragma once

#include <math.h>
#include <string.h>

#include "cpu/kernels/kernels.h"

static inline float
widened_c (const uint16_t *f16)
{
  float value;

  cpu_f16_to_f32_c (&value, f16, 1);
  return value;
}

static inline float
widened_bf16_c (const uint16_t *bf16)
{
  const uint32_t bits = (uint32_t) *bf16 << 16;
  float value;

  memcpy (&value, &bits, sizeof value);
  return value;
}

static inline void
put_c (float *out, const CpuF16Results *f16, size_t at, float value)
{
  const float scaled = value * f16->scale;

  if (f16->out == NULL) {
    out[at] = value;
    return;
  }
  if (f16->bf16) {
    cpu_f32_to_bf16_c (f16->out + at, &value, 1);
    return;
  }
  cpu_f32_to_f16_c (f16->out + at, &scaled, 1);
  if (isfinite (value) && fabsf (value) > *f16->largest)
    *f16->largest = fabsf (value);
}
