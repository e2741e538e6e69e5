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
/* Rows that are searched for until it is clear that others do not follow them,
 * and rows that are far from their waves times the window. */
#define MOST_SEARCHES 16
#define MOST_FAR_ROWS 16
/* How far: that part of their size. */
#define FAR 0.1
/* The window is found from that part of the rows; an odd one, since cosines and
 * sines may alternate. */
#define PART 7
/* Mean square of waves that are zero. */
#define NO_WAVE 1e-20
/* Size of a row, beside another one, that is zero but for rounding. */
#define NO_ROW 1e-10
/* Rows that are read at a time: of a transposed matrix, a cache line. */
#define ROWS 16
/* Sums that are added up side by side. */
#define LANES 4

typedef struct
{
  const CpuFourierMatrix *matrix;
  CpuFourierFound *found;
  gsize room;       /* taps, rounded up to LANES; arrays are zero behind taps */
  double *waves[2]; /* [length] cos, sin of 2 pi j / length */
  CpuFft *fft;
  CpuComplex *spectrum; /* [length] */
  float *rows;          /* [ROWS][room] from `first` on */
  gsize first;
  double *wave;               /* [room] of the row that is looked at */
  double *window;             /* [room]; 0 where it is not known */
  double *products, *squares; /* [room] sums that give the window */
  double likeness;            /* of the last row that was searched for */
  gsize back; /* how far back the row was that told the last one's bin */
} Search;

static const float *
read_row (Search *s, gsize r)
{
  const CpuFourierMatrix *m = s->matrix;

  if (r < s->first || r >= s->first + ROWS) {
    s->first = r / ROWS * ROWS;
    const gsize n = MIN (ROWS, m->rows - s->first);
    for (gsize j = 0; j < m->taps; j++)
      for (gsize i = 0; i < n; i++)
        s->rows[i * s->room + j] =
            m->data[(s->first + i) * m->row + j * m->tap];
  }
  return s->rows + (r - s->first) * s->room;
}

/* Fills s->wave for @row. */
static void
make_wave (const Search *s, const CpuFourierRow *row)
{
  const gsize length = s->found->length, step = LANES * row->bin % length;
  const double *wave = s->waves[row->sine ? 1 : 0];
  gsize at[LANES];

  for (gsize i = 0; i < LANES; i++)
    at[i] = row->bin * i % length;
  for (gsize j = 0; j < s->room; j += LANES)
    for (gsize i = 0; i < LANES; i++) {
      s->wave[j + i] = wave[at[i]];
      at[i] += step;
      at[i] -= at[i] >= length ? length : 0;
    }
  for (gsize j = s->matrix->taps; j < s->room; j++)
    s->wave[j] = 0;
}

static double
add_lanes (const double *sums)
{
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/* About the largest of a row, but faster to find: twice the root of the mean
 * square. */
static double
size_of_row (const Search *s, const float *weights)
{
  double squares[LANES] = { 0 };

  for (gsize j = 0; j < s->room; j += LANES)
    for (gsize i = 0; i < LANES; i++)
      squares[i] += (double) weights[j + i] * (double) weights[j + i];
  return 2 * sqrt (add_lanes (squares) / (double) s->matrix->taps);
}

/* Of @weights, the cosine of the angle between them and s->wave; *@scale is
 * what the wave is multiplied by to be closest to them. */
static double
measure_likeness (const Search *s, const float *weights, double *scale)
{
  double product[LANES] = { 0 }, squares[LANES] = { 0 }, waves[LANES] = { 0 };

  for (gsize j = 0; j < s->room; j += LANES)
    for (gsize i = 0; i < LANES; i++) {
      const double a = (double) weights[j + i], b = s->wave[j + i];

      product[i] += a * b;
      squares[i] += a * a;
      waves[i] += b * b;
    }
  const double all = add_lanes (squares) * add_lanes (waves);
  *scale = all > 0 ? add_lanes (product) / add_lanes (waves) : 0;
  return all > 0 ? fabs (add_lanes (product)) / sqrt (all) : 0;
}

static double
try_row (const Search *s, const float *weights, CpuFourierRow *row)
{
  make_wave (s, row);
  return measure_likeness (s, weights, &row->scale);
}

/* The wave that @weights are most like. */
static gboolean
search_row (Search *s, const float *weights, CpuFourierRow *row)
{
  const gsize length = s->found->length;
  double most = -1;

  memset (s->spectrum, 0, length * sizeof *s->spectrum);
  for (gsize j = 0; j < s->matrix->taps; j++)
    s->spectrum[j].re = (double) weights[j];
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
  s->likeness = try_row (s, weights, row);
  return s->likeness >= LEAST_LIKENESS;
}

/* Rows go from bin to bin, or cosines and sines alternate. */
static gboolean
guess_row (Search *s, gsize r, const float *weights, CpuFourierRow *row)
{
  for (guint i = 0; i < 2; i++) {
    const gsize back = i == 0 ? s->back : 3 - s->back;

    if (back > r || s->found->rows[r - back].scale == 0)
      continue;
    *row = s->found->rows[r - back];
    row->bin++;
    if (row->bin <= s->found->length / 2
        && try_row (s, weights, row) >= LEAST_OF_BEFORE * s->likeness) {
      s->back = back;
      return TRUE;
    }
  }
  return FALSE;
}

/* Adds a row, whose wave s->wave is, to the sums of the window that makes all
 * closest. */
static void
add_to_window (const Search *s, const float *weights, double scale)
{
  for (gsize j = 0; j < s->room; j++) {
    const double b = scale * s->wave[j];

    s->products[j] += (double) weights[j] * b;
    s->squares[j] += b * b;
  }
}

static void
clear_window (const Search *s)
{
  memset (s->products, 0, s->room * sizeof *s->products);
  memset (s->squares, 0, s->room * sizeof *s->squares);
}

/* Where all waves are zero, but for rounding, no window is known. */
static void
set_window (const Search *s)
{
  double all = 0;

  for (gsize r = 0; r < s->matrix->rows; r += PART)
    all += s->found->rows[r].scale * s->found->rows[r].scale;
  for (gsize j = 0; j < s->matrix->taps; j++) {
    const gboolean known = s->squares[j] > NO_WAVE * all;

    s->window[j] = known ? s->products[j] / s->squares[j] : 0;
    s->found->window[j] = known ? s->window[j] : NAN;
  }
  clear_window (s);
}

static gboolean
find_rows (Search *s)
{
  const gsize middle = s->matrix->rows / 3;
  const float *weights = read_row (s, middle);
  const double size = size_of_row (s, weights);
  guint searches = 0;
  CpuFourierRow row;

  /* Most matrices end here. */
  if (size == 0 || !search_row (s, weights, &row))
    return FALSE;
  for (gsize r = 0; r < s->matrix->rows; r++) {
    CpuFourierRow *to = &s->found->rows[r];

    weights = read_row (s, r);
    if (size_of_row (s, weights) <= NO_ROW * size)
      *to = (CpuFourierRow){ 0, 0, FALSE };
    else if (!guess_row (s, r, weights, to)
             && (searches++ == MOST_SEARCHES || !search_row (s, weights, to)))
      return FALSE;
    else if (r % PART == 0)
      add_to_window (s, weights, to->scale);
  }
  set_window (s);
  return TRUE;
}

/* The scale of @row with the window.  Returns the largest difference then, as a
 * part of its size. */
static double
fit_row (const Search *s, const float *weights, CpuFourierRow *row)
{
  double product[LANES] = { 0 }, squares[LANES] = { 0 }, most[LANES] = { 0 };
  const double size = size_of_row (s, weights);

  if (!isfinite (size))
    return INFINITY;
  for (gsize j = 0; j < s->room; j += LANES)
    for (gsize i = 0; i < LANES; i++) {
      const double b = s->window[j + i] * s->wave[j + i];

      product[i] += (double) weights[j + i] * b;
      squares[i] += b * b;
    }
  row->scale = add_lanes (product) / MAX (add_lanes (squares), G_MINDOUBLE);
  for (gsize j = 0; j < s->room; j += LANES)
    for (gsize i = 0; i < LANES; i++) {
      const double b = s->window[j + i] * s->wave[j + i];
      const double by = fabs ((double) weights[j + i] - row->scale * b);

      most[i] = by > most[i] ? by : most[i];
    }
  return MAX (MAX (most[0], most[1]), MAX (most[2], most[3])) / size;
}

/* The scales of every @step-th row with the window, and for some rows the next
 * window with these.  Returns the largest difference of all. */
static double
fit_rows (Search *s, gsize step)
{
  double most = 0;
  guint far = 0;

  for (gsize r = 0; r < s->matrix->rows && far <= MOST_FAR_ROWS; r += step) {
    CpuFourierRow *row = &s->found->rows[r];

    if (row->scale == 0)
      continue;
    const float *weights = read_row (s, r);
    make_wave (s, row);
    const double by = fit_row (s, weights, row);
    most = by <= most ? most : by;
    far += by > FAR;
    if (step > 1)
      add_to_window (s, weights, row->scale);
  }
  return most;
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

    s->waves[0][j] = cos (angle);
    s->waves[1][j] = sin (angle);
  }
  if (!find_rows (s))
    return FALSE;
  for (guint round = 0; round < MOST_ROUNDS; round++) {
    const double by = fit_rows (s, PART);

    if (by <= tolerance)
      break;
    if (round > 0 && !(by <= FAR))
      return FALSE;
    set_window (s);
  }
  if (!(fit_rows (s, 1) <= tolerance))
    return FALSE;
  scale_window (s);
  return TRUE;
}

static gboolean
try_length (
    const CpuFourierMatrix *matrix, double tolerance, CpuFourierFound *found)
{
  const gsize length = found->length;
  const gsize room = (matrix->taps + LANES - 1) / LANES * LANES;
  g_autofree double *doubles = g_try_new0 (double, 2 * length + 4 * room);
  g_autofree float *rows = g_try_new0 (float, ROWS *room);
  g_autofree CpuComplex *spectrum = g_try_new (CpuComplex, length);
  Search s = { .matrix = matrix,
    .found = found,
    .room = room,
    .fft = cpu_fft_new (length),
    .spectrum = spectrum,
    .rows = rows,
    .first = G_MAXSIZE - ROWS,
    .back = 1 };
  gboolean is_found = FALSE;

  found->window = g_try_new0 (double, matrix->taps);
  found->rows = g_try_new0 (CpuFourierRow, matrix->rows);
  if (doubles != NULL && rows != NULL && spectrum != NULL && s.fft != NULL
      && found->window != NULL && found->rows != NULL) {
    s.waves[0] = doubles;
    s.waves[1] = doubles + length;
    s.wave = doubles + 2 * length;
    s.window = s.wave + room;
    s.products = s.window + room;
    s.squares = s.products + room;
    is_found = find_length (&s, tolerance);
  }
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
