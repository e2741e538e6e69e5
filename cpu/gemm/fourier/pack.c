/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A transform as a pack: it is recognised once. */

#include "cpu/gemm/fourier/private.h"

#include <math.h>
#include <string.h>

/* A pack: this, and arrays of numbers (place_arrays). */
typedef struct
{
  guint64 length; /* a b; 0: the matrix is none */
  guint64 a, b, runs;
} Header;

/* FALSE: it has other factors, or is too long. */
static gboolean
set_points (CpuFourierPoints *points, gsize n)
{
  static const guint8 factors[] = { 4, 2, 3, 5 };

  *points = (CpuFourierPoints){ .n = n };
  if (n < 2 || n > CPU_FOURIER_MOST)
    return FALSE;
  /* One of 8 is faster than 4 and 2. */
  if (n % 8 == 0 && g_bit_nth_lsf (n, -1) % 2 == 1) {
    points->factors[points->n_factors++] = 8;
    n /= 8;
  }
  for (guint i = 0; i < G_N_ELEMENTS (factors); i++)
    for (; n % factors[i] == 0 && points->n_factors < CPU_FOURIER_FACTORS;
         n /= factors[i])
      points->factors[points->n_factors++] = factors[i];
  return n == 1;
}

/* --- choosing a and b --- */

/* Instructions for a vector of columns. */
static gsize
cost_of_points (const CpuFourierPoints *points)
{
  static const guint8 costs[] = {
    [2] = 12, [3] = 28, [4] = 36, [5] = 58, [8] = 100
  };
  gsize cost = 0;

  for (gsize i = 0; i < points->n_factors; i++)
    cost += points->n / points->factors[i] * costs[points->factors[i]];
  return cost;
}

/* … for a frame, with vectors of CPU_FOURIER_ALIGN numbers. */
static gsize
cost_of_split (const CpuFourierPoints *a, const CpuFourierPoints *b)
{
  const gsize kept = a->n / 2 + 1;

  return cpu_fourier_align (b->n / 2) / CPU_FOURIER_ALIGN
             * (cost_of_points (a) + 14 * kept)
         + cost_of_points (b) * kept / CPU_FOURIER_ALIGN
         + kept * b->n / 2 /* transposition */
         + 20 * b->n;      /* runs of rows */
}

/* FALSE: @length has no split. */
static gboolean
split (gsize length, CpuFourierPoints *a, CpuFourierPoints *b, gsize *cost)
{
  *cost = G_MAXSIZE;
  for (gsize n = 2; n <= CPU_FOURIER_MOST; n++) {
    CpuFourierPoints first, second;

    if (length % n != 0 || length / n % 2 != 0 || !set_points (&first, n)
        || !set_points (&second, length / n)
        || cost_of_split (&first, &second) >= *cost)
      continue;
    *cost = cost_of_split (&first, &second);
    *a = first;
    *b = second;
  }
  return *cost < G_MAXSIZE;
}

static gboolean
is_good_length (gsize length)
{
  CpuFourierPoints a, b;
  gsize cost;

  return split (length, &a, &b, &cost);
}

/* Whether a transform of about @taps numbers, of which @rows are wanted, takes
 * less time than a product: by counts of instructions, with some room. */
static gboolean
is_faster (gsize rows, gsize taps)
{
  const gsize product = rows * taps / CPU_FOURIER_ALIGN;

  return rows > 1 && taps <= CPU_FOURIER_MOST * CPU_FOURIER_MOST
         && product > 2 * (300 + 2 * taps + 2 * rows);
}

/* --- packing --- */

/* Places the arrays of @fourier, whose lengths are set, behind @header.
 * Returns the bytes of all. */
static gsize
place_arrays (CpuFourier *fourier, Header *header)
{
  float *at = (float *) (header + 1);
  float **arrays[] = { &fourier->known_window, &fourier->roots[0],
    &fourier->roots[1], &fourier->twist, &fourier->scale };
  const gsize sizes[] = { fourier->taps, 2 * fourier->a.n, 2 * fourier->b.n,
    4 * fourier->kept * fourier->half_row, fourier->rows + CPU_FOURIER_ALIGN };

  for (guint i = 0; i < G_N_ELEMENTS (arrays); i++) {
    *arrays[i] = at;
    at += sizes[i];
  }
  fourier->runs = (CpuFourierRun *) at;
  fourier->a.roots = fourier->roots[0];
  fourier->b.roots = fourier->roots[1];
  return (gsize) ((char *) (fourier->runs + fourier->n_runs) - (char *) header);
}

static gboolean
set_lengths (CpuFourier *fourier, const Header *header, gsize taps, gsize rows)
{
  *fourier = (CpuFourier){ .taps = taps,
    .rows = rows,
    .length = header->length,
    .kept = header->a / 2 + 1,
    .n_runs = header->runs,
    .half_row = cpu_fourier_align (header->b / 2) };
  return set_points (&fourier->a, header->a)
         && set_points (&fourier->b, header->b);
}

static void
fill_roots (float *roots, gsize n)
{
  for (gsize j = 0; j < n; j++) {
    const double angle = 2 * G_PI * (double) j / (double) n;

    roots[2 * j] = (float) cos (angle);
    roots[2 * j + 1] = (float) sin (angle);
  }
}

/* Half of e^(-2 pi i k column / length): the first transform is twice what it
 * should be. */
static void
fill_twist (CpuFourier *f)
{
  const gsize half = f->b.n / 2, part = f->kept * f->half_row;

  memset (f->twist, 0, 4 * part * sizeof *f->twist);
  for (gsize k = 0; k < f->kept; k++)
    for (gsize column = 0; column < f->b.n; column++) {
      float *to =
          f->twist + column / half * 2 * part + k * f->half_row + column % half;
      const double angle =
          -2 * G_PI * (double) (k * column) / (double) f->length;

      to[0] = (float) (0.5 * cos (angle));
      to[part] = (float) (0.5 * sin (angle));
    }
}

/* A bin is number bin / a of column bin % a of the second transform; of the
 * columns that are left out, the conjugate of another is. */
static gboolean
is_left_out (const CpuFourier *f, const CpuFourierRow *row)
{
  return row->bin % f->a.n >= f->kept;
}

static guint32
find_row (const CpuFourier *f, const CpuFourierRow *row)
{
  const gsize bin = is_left_out (f, row) ? f->length - row->bin : row->bin;
  const gsize part = row->sine ? f->b.n * CPU_FOURIER_COLUMNS : 0;

  return (guint32) (part + bin / f->a.n * CPU_FOURIER_COLUMNS + bin % f->a.n);
}

/* Returns how many; @runs: nullable. */
static gsize
find_runs (const CpuFourier *f, const CpuFourierRow *rows, CpuFourierRun *runs)
{
  CpuFourierRun run = { find_row (f, &rows[0]), 1, 1 };
  gsize n = 0;

  for (gsize r = 1; r <= f->rows; r++) {
    const gint64 last = (gint64) run.from + (gint64) (run.n - 1) * run.step;
    const gint64 step =
        r < f->rows ? (gint64) find_row (f, &rows[r]) - last : 0;

    if (run.n == 1 && (step == 1 || step == -1))
      run.step = (gint32) step;
    if (r < f->rows && step == run.step) {
      run.n++;
      continue;
    }
    if (runs != NULL)
      runs[n] = run;
    n++;
    if (r < f->rows)
      run = (CpuFourierRun){ find_row (f, &rows[r]), 1, 1 };
  }
  return n;
}

/* The imaginary part is minus the sum of sines. */
static void
fill_scales (CpuFourier *f, const CpuFourierRow *rows)
{
  memset (f->scale, 0, (f->rows + CPU_FOURIER_ALIGN) * sizeof *f->scale);
  for (gsize r = 0; r < f->rows; r++)
    f->scale[r] =
        (float) (rows[r].sine && !is_left_out (f, &rows[r]) ? -rows[r].scale
                                                            : rows[r].scale);
}

static gpointer
pack_none (gsize *bytes)
{
  Header *header = cpu_alloc_pack (sizeof *header);

  *bytes = sizeof *header;
  if (header != NULL)
    *header = (Header){ 0 };
  return header;
}

static gpointer
pack (const CpuStep *step, guint input, gpointer data, gsize *bytes)
{
  CpuFourierMatrix matrix = *(const CpuFourierMatrix *) data;
  CpuFourierFound found;
  CpuFourier f;
  Header header;
  gsize cost;

  matrix.data = step->in[input]->data;
  if (!cpu_fourier_find (
          &matrix, CPU_FOURIER_TOLERANCE, is_good_length, &found))
    return pack_none (bytes);
  g_autofree double *window = found.window;
  g_autofree CpuFourierRow *rows = found.rows;
  split (found.length, &f.a, &f.b, &cost);
  header = (Header){ found.length, f.a.n, f.b.n, 0 };
  set_lengths (&f, &header, matrix.taps, matrix.rows);
  header.runs = f.n_runs = find_runs (&f, rows, NULL);
  *bytes = place_arrays (&f, &header);
  Header *to = cpu_alloc_pack (*bytes);
  if (to == NULL)
    return NULL;
  *to = header;
  place_arrays (&f, to);
  for (gsize j = 0; j < f.taps; j++)
    f.known_window[j] = (float) window[j];
  fill_roots (f.roots[0], f.a.n);
  fill_roots (f.roots[1], f.b.n);
  fill_twist (&f);
  fill_scales (&f, rows);
  find_runs (&f, rows, f.runs);
  return to;
}

gboolean
cpu_fourier_pack (CpuStep *step, guint input, const CpuFourierMatrix *matrix,
    CpuFourier *fourier)
{
  const CpuValue *value = step->in[input];
  CpuFourierMatrix copy = *matrix;
  const gint64 params[] = { (gint64) matrix->rows, (gint64) matrix->taps,
    (gint64) matrix->row, (gint64) matrix->tap };

  if (!value->constant || value->desc.type != INFER_TYPE_F32
      || value->unpack != NULL || !is_faster (matrix->rows, matrix->taps))
    return FALSE;
  Header *header = (Header *) (gsize) cpu_step_pack (
      step, input, "fourier", G_N_ELEMENTS (params), params, pack, &copy);
  if (header == NULL || header->length == 0
      || !set_lengths (fourier, header, matrix->taps, matrix->rows))
    return FALSE;
  place_arrays (fourier, header);
  return TRUE;
}
