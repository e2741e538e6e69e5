/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Floats that are small integers times one scale: weights that were quantised
 * when the model was made, however the file expresses that. */

#pragma once

#include <glib.h>

#include "cpu/kernels/loose.h"

typedef struct
{
  float scale;
  int low, high; /* of the integers */
} CpuIntegers;

/* Whether values[i * @stride], i < @n, are integers of at most 8 bits and a
 * sign, times found->scale, to within the rounding of a float; or to within
 * that of f16, where all are f16 numbers.  The scale is the largest
 * such number. */
gboolean cpu_integers_find (
    const CpuLooseFloat *values, gsize n, gsize stride, CpuIntegers *found);

/* To the nearest integer, ties to even; |@value| < 2^22. */
static inline float
cpu_rounded (float value)
{
  const float shift = 3 << 22;

  return (value + shift) - shift;
}

/* The integer that @value, one of the floats, stands for. */
static inline int
cpu_integers_of (const CpuIntegers *integers, float value)
{
  return (int) cpu_rounded (value / integers->scale);
}
