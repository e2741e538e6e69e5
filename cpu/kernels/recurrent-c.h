/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Gates of recurrent cells, for the portable versions. */

#pragma once

#include <math.h>

static inline float
gate_clamp_c (float sum, float clip)
{
  return fminf (fmaxf (sum, -clip), clip);
}

static inline float
sigmoid_c (float v)
{
  return 1.0f / (1.0f + expf (-v));
}
