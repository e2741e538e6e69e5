/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/gemm/fourier/find.h"

#include "cpu/gemm/fourier/fft.h"

#include <math.h>
#include <string.h>

/* How much of a row's norm its wave alone must explain; a window of Hann: 0.82.
 */
#define LEAST_LIKENESS 0.4
/* A row is like its wave as much as the rows before it were; one bin beside, it
 * is less like it, even where the length is four times the number of taps. */
#define LEAST_OF_BEFORE 0.97
/* The window and the scales of rows are improved in turn. */
#define MOST_ROUNDS 4
/* Mean square of waves that are zero. */
#define NO_WAVE 1e-20

typedef struct
{
  const CpuFourierMatrix *matrix;
  CpuFourierFound *found;
  double *waves; /* [length][2]: cos, sin of 2 pi j / length */
  CpuFft *fft;
  CpuComplex *spectrum; /* [length] */
  double likeness;      /* of the last row that was searched for */
} Search;

static double
weight (const CpuFourierMatrix *m, gsize row, gsize tap)
{
  return m->data[row * m->row + tap * m->tap];
}

static double
largest_of_row (const CpuFourierMatrix *m, gsize row)
{
  double largest = 0;

  for (gsize j = 0; j < m->taps; j++)
    largest = fmax (largest, fabs (weight (m, row, j)));
  return largest;
}

/* Element @j of the wave of a row. */
static double
wave (const Search *s, const CpuFourierRow *row, gsize j)
{
  return s->waves[row->bin * j % s->found->length * 2 + (row->sine ? 1 : 0)];
}

/* The cosine of the angle between row @r and the wave of @row, and the row's
 * scale with a window of ones. */
static double
measure_likeness (const Search *s, gsize r, CpuFourierRow *row)
{
  double product = 0, squares = 0, waves = 0;

  for (gsize j = 0; j < s->matrix->taps; j++) {
    const double a = weight (s->matrix, r, j), b = wave (s, row, j);

    product += a * b;
    squares += a * a;
    waves += b * b;
  }
  row->scale = waves > 0 ? product / waves : 0;
  return waves > 0 && squares > 0 ? fabs (product) / sqrt (squares * waves) : 0;
}

/* The wave that row @r is most like. */
static gboolean
search_row (Search *s, gsize r, CpuFourierRow *row)
{
  const gsize length = s->found->length;
  double most = -1;

  memset (s->spectrum, 0, length * sizeof *s->spectrum);
  for (gsize j = 0; j < s->matrix->taps; j++)
    s->spectrum[j].re = weight (s->matrix, r, j);
  cpu_fft_run (s->fft, s->spectrum, FALSE);
  for (gsize k = 0; k <= length / 2; k++) {
    const CpuComplex x = s->spectrum[k];
    /* The squares of the other waves have a mean of one half. */
    const double part = k == 0 || 2 * k == length ? 0.5 : 1;
    const double power = part * (x.re * x.re + x.im * x.im);

    if (power <= most)
      continue;
    most = power;
    row->bin = (guint32) k;
    row->sine = fabs (x.im) > fabs (x.re);
  }
  s->likeness = measure_likeness (s, r, row);
  return s->likeness >= LEAST_LIKENESS;
}

/* Rows go from bin to bin, or cosines and sines alternate. */
static gboolean
guess_row (const Search *s, gsize r, CpuFourierRow *row)
{
  const CpuFourierRow *rows = s->found->rows;

  for (gsize back = 1; back <= 2 && back <= r; back++) {
    *row = rows[r - back];
    row->bin++;
    if (rows[r - back].scale != 0 && row->bin <= s->found->length / 2
        && measure_likeness (s, r, row) >= LEAST_OF_BEFORE * s->likeness)
      return TRUE;
  }
  return FALSE;
}

static gboolean
find_rows (Search *s, double tolerance)
{
  const CpuFourierMatrix *m = s->matrix;
  const gsize middle = m->rows / 3;
  CpuFourierRow row;
  double largest = 0;

  /* Most matrices end here. */
  if (largest_of_row (m, middle) == 0 || !search_row (s, middle, &row))
    return FALSE;
  largest = largest_of_row (m, middle);
  for (gsize r = 0; r < m->rows; r++) {
    CpuFourierRow *to = &s->found->rows[r];

    if (largest_of_row (m, r) <= tolerance * largest)
      *to = (CpuFourierRow){ 0, 0, FALSE };
    else if (!guess_row (s, r, to) && !search_row (s, r, to))
      return FALSE;
  }
  return TRUE;
}

/* Least squares, the rows' scales given.  Where all waves are zero, but for
 * rounding, no window is known. */
static void
fit_window (Search *s)
{
  const CpuFourierMatrix *m = s->matrix;
  double all = 0;

  for (gsize r = 0; r < m->rows; r++)
    all += s->found->rows[r].scale * s->found->rows[r].scale;
  for (gsize j = 0; j < m->taps; j++) {
    double product = 0, squares = 0;

    for (gsize r = 0; r < m->rows; r++) {
      const CpuFourierRow *row = &s->found->rows[r];
      const double b = row->scale * wave (s, row, j);

      product += weight (m, r, j) * b;
      squares += b * b;
    }
    s->found->window[j] = squares > NO_WAVE * all ? product / squares : NAN;
  }
}

/* Element @j of a row whose scale is one. */
static double
windowed (const Search *s, const CpuFourierRow *row, gsize j)
{
  const double window = s->found->window[j];

  return isnan (window) ? 0 : window * wave (s, row, j);
}

/* … and the window given. */
static void
fit_scales (Search *s)
{
  const CpuFourierMatrix *m = s->matrix;

  for (gsize r = 0; r < m->rows; r++) {
    CpuFourierRow *row = &s->found->rows[r];
    double product = 0, squares = 0;

    if (row->scale == 0)
      continue;
    for (gsize j = 0; j < m->taps; j++) {
      const double b = windowed (s, row, j);

      product += weight (m, r, j) * b;
      squares += b * b;
    }
    row->scale = squares > 0 ? product / squares : 0;
  }
}

static gboolean
fits (const Search *s, double tolerance)
{
  const CpuFourierMatrix *m = s->matrix;

  for (gsize r = 0; r < m->rows; r++) {
    const CpuFourierRow *row = &s->found->rows[r];
    const double most = tolerance * largest_of_row (m, r);

    for (gsize j = 0; j < m->taps && row->scale != 0; j++) {
      const double b = row->scale * windowed (s, row, j);

      if (!(fabs (weight (m, r, j) - b) <= most))
        return FALSE;
    }
  }
  return TRUE;
}

/* The largest is 1, of those that sines know too, so that windows of several
 * matrices can be compared. */
static void
scale_window (Search *s)
{
  double largest = 0;

  for (gsize j = 0; j < s->matrix->taps; j++)
    if (2 * j % s->found->length != 0)
      largest = fmax (largest, fabs (s->found->window[j]));
  for (gsize j = 0; j < s->matrix->taps; j++)
    s->found->window[j] /= largest;
  for (gsize r = 0; r < s->matrix->rows; r++)
    s->found->rows[r].scale *= largest;
}

static gboolean
find_length (Search *s, double tolerance)
{
  const gsize length = s->found->length;

  for (gsize j = 0; j < length; j++) {
    const double angle = 2 * G_PI * (double) j / (double) length;

    s->waves[2 * j] = cos (angle);
    s->waves[2 * j + 1] = sin (angle);
  }
  if (!find_rows (s, tolerance))
    return FALSE;
  for (guint round = 0; round < MOST_ROUNDS; round++) {
    fit_window (s);
    fit_scales (s);
    if (fits (s, tolerance)) {
      scale_window (s);
      return TRUE;
    }
  }
  return FALSE;
}

static gboolean
try_length (
    const CpuFourierMatrix *matrix, double tolerance, CpuFourierFound *found)
{
  const gsize length = found->length;
  g_autofree double *waves = g_try_new (double, 2 * length);
  g_autofree CpuComplex *spectrum = g_try_new (CpuComplex, length);
  Search s = { matrix, found, waves, cpu_fft_new (length), spectrum, 0 };

  found->window = g_try_new0 (double, matrix->taps);
  found->rows = g_try_new0 (CpuFourierRow, matrix->rows);
  const gboolean is_found = waves != NULL && spectrum != NULL && s.fft != NULL
                            && found->window != NULL && found->rows != NULL
                            && find_length (&s, tolerance);
  cpu_fft_free (s.fft);
  if (!is_found) {
    g_clear_pointer (&found->window, g_free);
    g_clear_pointer (&found->rows, g_free);
  }
  return is_found;
}

gboolean
cpu_fourier_find (const CpuFourierMatrix *matrix, double tolerance,
    gboolean (*is_good_length) (gsize length), CpuFourierFound *found)
{
  gsize power = 1;

  while (power < matrix->taps)
    power *= 2;
  /* As long as the window, padded with zeros, or what all bins tell. */
  const gsize lengths[] = { matrix->taps, power, 2 * (matrix->rows - 1),
    matrix->rows - 2 };
  for (guint i = 0; i < G_N_ELEMENTS (lengths); i++) {
    gboolean tried = lengths[i] < matrix->taps || !is_good_length (lengths[i]);

    for (guint j = 0; j < i; j++)
      tried = tried || lengths[j] == lengths[i];
    found->length = lengths[i];
    if (!tried && try_length (matrix, tolerance, found))
      return TRUE;
  }
  return FALSE;
}
