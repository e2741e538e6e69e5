/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Recurrent cells after their matrix products, for one sequence.
 *
 * @x and @r hold the gates' sums over the input (with the biases) and over the
 * hidden state, @n of each gate, the gates @stride apart.  Sums are clamped to
 * ±@clip first.  Input and output state may be the same memory.
 *
 * Everything is padded to a multiple of CPU_GEMM_PANEL numbers, which may be
 * read and written like the others. */

#pragma once

#include <stddef.h>

typedef struct
{
  size_t n, stride;
  const float *x, *r;
  float clip; /* INFINITY: none */
} CpuGates;
