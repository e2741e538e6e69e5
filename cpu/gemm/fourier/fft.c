/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/gemm/fourier/fft.h"

#include <math.h>
#include <string.h>

#define MAX_FACTORS 64
#define MAX_RADIX 61 /* the largest prime that is computed directly */

struct _CpuFft
{
  gsize n;
  guint n_factors;
  guint factors[MAX_FACTORS];
  CpuComplex *roots; /* e^(-2 pi i k / n) */
  CpuComplex *work;  /* n; of Bluestein: as many as inner->n */
  /* Bluestein: a convolution with e^(pi i k^2 / n), by a power of two. */
  CpuFft *inner;
  CpuComplex *chirp, *filter;
};

static inline CpuComplex
mul (CpuComplex a, CpuComplex b)
{
  return (CpuComplex){ a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re };
}

static inline CpuComplex
add (CpuComplex a, CpuComplex b)
{
  return (CpuComplex){ a.re + b.re, a.im + b.im };
}

static inline CpuComplex
sub (CpuComplex a, CpuComplex b)
{
  return (CpuComplex){ a.re - b.re, a.im - b.im };
}

/* e^(-2 pi i k / n) */
static CpuComplex
root (gsize k, gsize n)
{
  double angle = -2 * G_PI * (double) k / (double) n;
  return (CpuComplex){ cos (angle), sin (angle) };
}

/* Factors of 4 first, then primes; FALSE: one is too large. */
static gboolean
factorize (CpuFft *fft)
{
  gsize rest = fft->n;
  for (guint p = 4; rest > 1;) {
    if (rest % p == 0) {
      fft->factors[fft->n_factors++] = p;
      rest /= p;
    } else {
      p = p == 4 ? 2 : p == 2 ? 3 : p + 2;
      if (p > MAX_RADIX)
        return FALSE;
    }
  }
  return TRUE;
}

static gboolean
init_bluestein (CpuFft *fft)
{
  gsize n = fft->n, m = 1;
  while (m < 2 * n - 1)
    m *= 2;
  fft->inner = cpu_fft_new (m);
  fft->chirp = g_try_new (CpuComplex, n);
  fft->filter = g_try_new0 (CpuComplex, m);
  fft->work = g_try_new (CpuComplex, m);
  if (!fft->inner || !fft->chirp || !fft->filter || !fft->work)
    return FALSE;
  gsize square = 0; /* k^2 modulo 2 n */
  for (gsize k = 0; k < n; k++) {
    fft->chirp[k] = root (square, 2 * n);
    square = (square + 2 * k + 1) % (2 * n);
    CpuComplex conjugate = { fft->chirp[k].re, -fft->chirp[k].im };
    fft->filter[k] = conjugate;
    if (k > 0)
      fft->filter[m - k] = conjugate;
  }
  cpu_fft_run (fft->inner, fft->filter, FALSE);
  return TRUE;
}

static gboolean
init_roots (CpuFft *fft)
{
  fft->roots = g_try_new (CpuComplex, fft->n);
  fft->work = g_try_new (CpuComplex, fft->n);
  for (gsize k = 0; k < fft->n && fft->roots; k++)
    fft->roots[k] = root (k, fft->n);
  return fft->roots && fft->work;
}

CpuFft *
cpu_fft_new (gsize n)
{
  if (n > G_MAXSIZE / 64)
    return NULL;
  CpuFft *fft = g_new0 (CpuFft, 1);
  fft->n = n;
  if (factorize (fft) ? init_roots (fft) : init_bluestein (fft))
    return fft;
  cpu_fft_free (fft);
  return NULL;
}

void
cpu_fft_free (CpuFft *fft)
{
  if (!fft)
    return;
  cpu_fft_free (fft->inner);
  g_free (fft->chirp);
  g_free (fft->filter);
  g_free (fft->roots);
  g_free (fft->work);
  g_free (fft);
}

gsize
cpu_fft_length (const CpuFft *fft)
{
  return fft->n;
}

/* --- mixed radix, decimation in time --- */

static void
radix2 (const CpuFft *fft, CpuComplex *out, gsize m, gsize step)
{
  for (gsize k = 0; k < m; k++) {
    CpuComplex b = mul (out[m + k], fft->roots[k * step]);
    out[m + k] = sub (out[k], b);
    out[k] = add (out[k], b);
  }
}

static void
radix4 (const CpuFft *fft, CpuComplex *out, gsize m, gsize step)
{
  for (gsize k = 0; k < m; k++) {
    CpuComplex a = out[k];
    CpuComplex b = mul (out[m + k], fft->roots[k * step]);
    CpuComplex c = mul (out[2 * m + k], fft->roots[2 * k * step]);
    CpuComplex d = mul (out[3 * m + k], fft->roots[3 * k * step]);
    CpuComplex even = add (a, c), odd = add (b, d);
    CpuComplex even_minus = sub (a, c), odd_minus = sub (b, d);
    CpuComplex rotated = { odd_minus.im, -odd_minus.re }; /* times -i */
    out[k] = add (even, odd);
    out[2 * m + k] = sub (even, odd);
    out[m + k] = add (even_minus, rotated);
    out[3 * m + k] = sub (even_minus, rotated);
  }
}

static void
radix_any (const CpuFft *fft, CpuComplex *out, guint p, gsize m, gsize step)
{
  CpuComplex in[MAX_RADIX + 1];
  for (gsize k = 0; k < m; k++) {
    for (guint r = 0; r < p; r++)
      in[r] = mul (out[r * m + k], fft->roots[r * k * step]);
    for (guint q = 0; q < p; q++) {
      CpuComplex sum = in[0];
      for (guint r = 1; r < p; r++)
        sum =
            add (sum, mul (in[r], fft->roots[(gsize) (r * q % p) * m * step]));
      out[q * m + k] = sum;
    }
  }
}

/* Transforms @n elements of @in, @step apart, to @out.  Recursion depth: number
 * of factors. */
static void
transform (const CpuFft *fft, CpuComplex *out, const CpuComplex *in, gsize n,
    gsize step, guint factor)
{
  if (n == 1) {
    *out = *in;
    return;
  }
  guint p = fft->factors[factor];
  gsize m = n / p;
  for (guint r = 0; r < p; r++)
    transform (fft, out + r * m, in + r * step, m, step * p, factor + 1);
  if (p == 2)
    radix2 (fft, out, m, step);
  else if (p == 4)
    radix4 (fft, out, m, step);
  else
    radix_any (fft, out, p, m, step);
}

/* --- any length --- */

static void
bluestein (CpuFft *fft, CpuComplex *data)
{
  gsize n = fft->n, m = fft->inner->n;
  for (gsize k = 0; k < n; k++)
    fft->work[k] = mul (data[k], fft->chirp[k]);
  memset (fft->work + n, 0, (m - n) * sizeof *fft->work);
  cpu_fft_run (fft->inner, fft->work, FALSE);
  for (gsize k = 0; k < m; k++)
    fft->work[k] = mul (fft->work[k], fft->filter[k]);
  cpu_fft_run (fft->inner, fft->work, TRUE);
  for (gsize k = 0; k < n; k++)
    data[k] = mul (fft->work[k], fft->chirp[k]);
}

/* Exchanging real and imaginary parts before and after gives the inverse
 * transform. */
static void
exchange (CpuComplex *data, gsize n, double scale)
{
  for (gsize k = 0; k < n; k++)
    data[k] = (CpuComplex){ data[k].im * scale, data[k].re * scale };
}

void
cpu_fft_run (CpuFft *fft, CpuComplex *data, gboolean inverse)
{
  if (inverse)
    exchange (data, fft->n, 1);
  if (fft->inner) {
    bluestein (fft, data);
  } else {
    memcpy (fft->work, data, fft->n * sizeof *data);
    transform (fft, data, fft->work, fft->n, 1, 0);
  }
  if (inverse)
    exchange (data, fft->n, 1 / (double) fft->n);
}

CpuFft *
cpu_fft_cache_get (CpuFftCache *cache, gsize n)
{
  if (!cache->all)
    cache->all = g_ptr_array_new_with_free_func ((GDestroyNotify) cpu_fft_free);
  for (guint i = 0; i < cache->all->len; i++)
    if (cpu_fft_length (cache->all->pdata[i]) == n)
      return cache->all->pdata[i];
  CpuFft *fft = cpu_fft_new (n);
  if (fft)
    g_ptr_array_add (cache->all, fft);
  return fft;
}

void
cpu_fft_cache_clear (CpuFftCache *cache)
{
  g_clear_pointer (&cache->all, g_ptr_array_unref);
}
