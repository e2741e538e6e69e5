/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/speech/whisper/logits.h"

#include <math.h>
#include <string.h>

/* GCC's vector types; the width is that of every x86-64 and aarch64. */
#define LANES 4
typedef float Floats __attribute__ ((vector_size (4 * LANES)));
typedef gint32 Ints __attribute__ ((vector_size (4 * LANES)));

static Floats
load (const float *from)
{
  Floats x;

  memcpy (&x, from, sizeof x);
  return x;
}

static Floats
choose (Ints which, Floats a, Floats b)
{
  return (Floats) (((Ints) a & which) | ((Ints) b & ~which));
}

static Floats
fill (float x)
{
  return (Floats){ x, x, x, x };
}

/* exp (x) for x ≤ 0, within 2e-7 of it; 0 below -87.  2^n * 2^f, |f| ≤ 0.5, by
 * the Taylor series of exp (f * ln 2). */
static Floats
exp_negative (Floats x)
{
  Ints none = x < fill (-87.f);
  Floats y = choose (none, fill (0), x) * fill (1.44269504f);
  Floats shifted = y + fill (12582912.f); /* 1.5 * 2^23: rounds */
  Floats f = (y - (shifted - fill (12582912.f))) * fill (0.693147182f);
  Floats p = fill (1.f / 720);

  p = p * f + fill (1.f / 120);
  p = p * f + fill (1.f / 24);
  p = p * f + fill (1.f / 6);
  p = p * f + fill (0.5f);
  p = p * f + fill (1.f);
  p = p * f + fill (1.f);
  Ints power = ((Ints) shifted - (Ints) fill (12582912.f)) << 23;
  return choose (none, fill (0), (Floats) ((Ints) p + power));
}

static float
greatest (Floats x)
{
  float best = x[0];

  for (guint k = 1; k < LANES; k++)
    best = MAX (best, x[k]);
  return best;
}

/* NaN is passed over. */
static Floats
larger (Floats a, Floats b)
{
  return choose (a > b, a, b);
}

static float
most_of (const float *logits, gsize n)
{
  Floats a = fill (-INFINITY), b = a, c = a, d = a;
  gsize i = 0;
  float best = -INFINITY;

  /* Four chains, since each comparison waits for the one before. */
  for (; i + 4 * LANES <= n; i += 4 * LANES) {
    a = larger (load (logits + i), a);
    b = larger (load (logits + i + LANES), b);
    c = larger (load (logits + i + 2 * LANES), c);
    d = larger (load (logits + i + 3 * LANES), d);
  }
  for (; i < n; i++)
    best = logits[i] > best ? logits[i] : best;
  return MAX (best, greatest (larger (larger (a, b), larger (c, d))));
}

float
whisper_logits_most (const float *logits, gsize n)
{
  return most_of (logits, n);
}

gsize
whisper_logits_best (const float *logits, gsize n)
{
  float most = most_of (logits, n);

  for (gsize i = 0; i < n; i++)
    if (logits[i] >= most)
      return i;
  return 0; /* every logit is NaN */
}

/* sum (exp ((logits - most) * scale)) */
static double
sum_of (const float *logits, gsize n, float most, float scale)
{
  double total = 0;

  for (gsize i = 0; i < n;) {
    /* Parts keep the sum of floats exact enough. */
    gsize end = MIN (n, i + 4096);
    Floats sum = fill (0);

    for (; i + LANES <= end; i += LANES)
      sum += exp_negative ((load (logits + i) - fill (most)) * fill (scale));
    for (; i < end; i++)
      total += exp ((double) ((logits[i] - most) * scale));
    for (guint k = 0; k < LANES; k++)
      total += (double) sum[k];
  }
  return total;
}

float
whisper_logits_log_sum (const float *logits, gsize n, float scale)
{
  float most = most_of (logits, n);

  if (!isfinite (most))
    return -INFINITY;
  return most * scale + (float) log (sum_of (logits, n, most, scale));
}

gsize
whisper_logits_sample (const float *logits, gsize n, float scale, double at)
{
  float most = most_of (logits, n);
  double left = at * sum_of (logits, n, most, scale);
  gsize last = 0;

  for (gsize i = 0; i < n; i++) {
    double p = exp ((double) ((logits[i] - most) * scale));

    if (p > 0) {
      last = i;
      left -= p;
    }
    if (left < 0)
      break;
  }
  return last;
}
