/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* FEAT_BF16: rows stored as bf16, which a shift widens to f32; weights and sums
 * of f32. */

#include "cpu/kernels/bf16-results-neon.inc"

INLINE vf
load_in_range (const uint16_t *p, size_t lo, size_t hi)
{
  uint16_t some[VF_N] = { 0 };

  memcpy (some + lo, p + lo, (hi - lo) * sizeof *some);
  return widen_bf16 (vld1_u16 (some));
}

#include "cpu/kernels/conv-depthwise-bf16.inc"
