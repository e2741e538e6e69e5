/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* From sums of u8 convolutions to their results, for the portable versions. */

#pragma once

#include "cpu/kernels/epilogue-c.h"
#include "cpu/kernels/quantized-c.h"

static inline uint8_t
plain_level (const CpuQuantEnd *end, float v)
{
  v = rintf (v);
  return (uint8_t) (v >= end->high ? end->high : v > end->low ? v : end->low);
}

static inline void
finish (const CpuQuantEnd *end, void *out, size_t at, float v, size_t c)
{
  v = v * end->scale[c] + end->bias[c];
  if (end->plain)
    ((uint8_t *) out)[at] = plain_level (end, v);
  else if (end->to)
    ((uint8_t *) out)[at] =
        quantize_c (end->to, epilogue_act_c (&end->act, v, c));
  else
    ((float *) out)[at] = epilogue_act_c (&end->act, v, c);
}
