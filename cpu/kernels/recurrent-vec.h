/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A unit of LSTM, for the *-vec.c files. */

#pragma once

#include "cpu/kernels/vec-math.h"

static inline vf
clamp_sum (vf sum, float clip)
{
  return vf_min (vf_max (sum, vf_set (-clip)), vf_set (clip));
}

/* Of sums of the gates f i c o; @c: the cell before.  Returns the cell. */
static inline vf
lstm_unit (const vf sums[4], float clip, vf c, vf *h)
{
  const vf cell = vf_sigmoid (clamp_sum (sums[0], clip)) * c
                  + vf_sigmoid (clamp_sum (sums[1], clip))
                        * vf_tanh (clamp_sum (sums[2], clip));

  *h = vf_sigmoid (clamp_sum (sums[3], clip)) * vf_tanh (cell);
  return cell;
}
