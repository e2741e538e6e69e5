/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include <math.h>

#include "cpu/kernels/quantized.h"

/* The quantised value; 0 for NaN. */
static inline uint8_t
quantize_c (const CpuQuant *q, float x)
{
  float v = rintf ((x - q->in_low) * q->in_scale);

  return v >= q->top ? (uint8_t) q->top : v > 0 ? (uint8_t) v : 0;
}
