/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/base/integers.h"

#include "inference/base/small-float.h"

#include <math.h>
#include <string.h>

#define LARGEST 255

/* Rounding errors: a value is a rounded product, and so is the largest one,
 * from which the scale is derived. */
typedef struct
{
  float relative, absolute;
} Tolerance;

static const Tolerance of_floats = { 0, LARGEST * 5e-7f };
static const Tolerance of_f16 = { 1.1e-3f, 1e-3f };

/* Fewer f16 values than this may be near integers by chance. */
#define MIN_F16 64

static float
largest_of (const CpuLooseFloat *values, gsize n, gsize stride)
{
  float largest = 0;

  for (gsize i = 0; i < n; i++) {
    float v = fabsf (values[i * stride]);

    if (!(v <= G_MAXFLOAT))
      return INFINITY;
    largest = MAX (largest, v);
  }
  return largest;
}

static gboolean
all_fit (const CpuLooseFloat *values, gsize n, gsize stride, float per_unit,
    const Tolerance *tolerance)
{
  for (gsize i = 0; i < n; i++) {
    float v = values[i * stride] * per_unit;

    if (fabsf (v - cpu_rounded (v))
        > tolerance->absolute + fabsf (v) * tolerance->relative)
      return FALSE;
  }
  return TRUE;
}

/* How many steps, the coarsest of which all are multiples, the largest is; 0:
 * there are none. */
static int
find_steps (const CpuLooseFloat *values, gsize n, gsize stride, float largest,
    const Tolerance *tolerance)
{
  for (int i = 1; i <= LARGEST; i++)
    if (all_fit (values, n, stride, (float) i / largest, tolerance))
      return i;
  return 0;
}

static gboolean
is_f16 (float value)
{
  guint16 f16;
  float back;

  infer_f32_to_f16_n (&f16, &value, 1);
  infer_f16_to_f32_n (&back, &f16, 1);
  return back == value;
}

static gboolean
are_f16 (const CpuLooseFloat *values, gsize n, gsize stride)
{
  /* f16 has no room for the last 13 bits. */
  for (gsize i = 0; i < n; i++) {
    guint32 bits;

    memcpy (&bits, values + i * stride, sizeof bits);
    if ((bits & 0x1fff) != 0 && !is_f16 (values[i * stride]))
      return FALSE;
  }
  for (gsize i = 0; i < n; i++)
    if (!is_f16 (values[i * stride]))
      return FALSE;
  return TRUE;
}

/* The least-squares scale. */
static float
best_scale (const CpuLooseFloat *values, gsize n, gsize stride, float scale)
{
  double products = 0, squares = 0;

  for (gsize i = 0; i < n; i++) {
    double integer = rint (values[i * stride] / scale);

    products += integer * values[i * stride];
    squares += integer * integer;
  }
  return (float) (products / squares);
}

gboolean
cpu_integers_find (
    const CpuLooseFloat *values, gsize n, gsize stride, CpuIntegers *found)
{
  float largest = largest_of (values, n, stride);
  gboolean f16 = FALSE;

  *found = (CpuIntegers){ .scale = 1 };
  if (largest == 0)
    return TRUE;
  if (!isnormal (largest) || largest < 1e-30f)
    return FALSE;
  int steps = find_steps (values, n, stride, largest, &of_floats);
  if (steps == 0 && n >= MIN_F16 && are_f16 (values, n, stride)) {
    steps = find_steps (values, n, stride, largest, &of_f16);
    f16 = TRUE;
  }
  if (steps == 0)
    return FALSE;
  found->scale = largest / (float) steps;
  if (f16)
    found->scale = best_scale (values, n, stride, found->scale);
  for (gsize i = 0; i < n; i++) {
    int v = cpu_integers_of (found, values[i * stride]);

    found->low = MIN (found->low, v);
    found->high = MAX (found->high, v);
  }
  return TRUE;
}
