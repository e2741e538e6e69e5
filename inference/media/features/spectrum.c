/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/media/features/spectrum.h"

#include <math.h>

#define MAX_FACTORS 32

typedef struct
{
  double re, im;
} Value;

struct _InferSpectrum
{
  guint points;
  guint factors[MAX_FACTORS]; /* of points, ending with 1 */
  Value *twiddle;             /* [points]: e^(-2 πi k / points) */
  Value *in, *out, *scratch;  /* [points]; [the largest factor] */
  double *power;
};

static guint
factorize (guint n, guint *factors)
{
  guint k = 0, most = 1;

  for (guint p = 2; n > 1; p++) {
    if (p * p > n)
      p = n;
    for (; n % p == 0; n /= p) {
      factors[k++] = p;
      most = p;
    }
  }
  factors[k] = 1;
  return most;
}

InferSpectrum *
infer_spectrum_new (guint points)
{
  InferSpectrum *s = g_new0 (InferSpectrum, 1);

  s->points = points;
  s->scratch = g_try_new (Value, factorize (points, s->factors));
  s->twiddle = g_try_new (Value, points);
  s->in = g_try_new (Value, points);
  s->out = g_try_new (Value, points);
  s->power = g_try_new (double, points / 2 + 1);
  if (s->scratch == NULL || s->twiddle == NULL || s->in == NULL
      || s->out == NULL || s->power == NULL) {
    infer_spectrum_free (s);
    return NULL;
  }
  for (guint k = 0; k < points; k++)
    s->twiddle[k] = (Value){ cos (2.0 * G_PI * k / points),
      -sin (2.0 * G_PI * k / points) };
  return s;
}

void
infer_spectrum_free (InferSpectrum *s)
{
  if (s == NULL)
    return;
  g_free (s->twiddle);
  g_free (s->in);
  g_free (s->out);
  g_free (s->scratch);
  g_free (s->power);
  g_free (s);
}

static Value
times (Value a, Value b)
{
  return (Value){ a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re };
}

/* Joins transforms of length @m of every second value. */
static void
join_two (const InferSpectrum *s, Value *out, guint m, guint stride)
{
  for (guint u = 0; u < m; u++) {
    Value odd = times (out[m + u], s->twiddle[(gsize) u * stride]);

    out[m + u] = (Value){ out[u].re - odd.re, out[u].im - odd.im };
    out[u].re += odd.re;
    out[u].im += odd.im;
  }
}

/* The same of every @p-th value. */
static void
join_any (const InferSpectrum *s, Value *out, guint p, guint m, guint stride)
{
  guint turn = stride * m; /* twiddle of length p */

  for (guint u = 0; u < m; u++) {
    for (guint q = 0; q < p; q++)
      s->scratch[q] =
          times (out[q * m + u], s->twiddle[(gsize) q * u * stride]);
    for (guint r = 0; r < p; r++) {
      Value sum = s->scratch[0];

      for (guint q = 1; q < p; q++) {
        Value part =
            times (s->scratch[q], s->twiddle[(gsize) (q * r % p) * turn]);

        sum.re += part.re;
        sum.im += part.im;
      }
      out[r * m + u] = sum;
    }
  }
}

/* Every @stride-th value of @in, points / stride in all, to @out. */
static void
transform (const InferSpectrum *s, const Value *in, Value *out, guint stride,
    const guint *factors)
{
  guint p = factors[0], m = s->points / stride / p;

  if (p == 1) {
    out[0] = in[0];
    return;
  }
  for (guint q = 0; q < p; q++)
    transform (s, in + (gsize) q * stride, out + (gsize) q * m, stride * p,
        factors + 1);
  if (p == 2)
    join_two (s, out, m, stride);
  else
    join_any (s, out, p, m, stride);
}

const double *
infer_spectrum_power (InferSpectrum *s, const double *samples, guint n)
{
  for (guint i = 0; i < s->points; i++)
    s->in[i] = (Value){ i < n ? samples[i] : 0.0, 0.0 };
  transform (s, s->in, s->out, 1, s->factors);
  for (guint k = 0; k <= s->points / 2; k++)
    s->power[k] = s->out[k].re * s->out[k].re + s->out[k].im * s->out[k].im;
  return s->power;
}
