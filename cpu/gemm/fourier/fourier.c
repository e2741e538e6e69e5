/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/gemm/fourier/fourier.h"

#include "cpu/base/widen.h"
#include "cpu/gemm/gemm.h"

#include <math.h>
#include <string.h>

/* Columns of the second transform that are computed at a time, of as many
 * frames as fit. */
#define COLUMNS 64
/* Each weight may be wrong by that much of its row's largest: no more than
 * what the sum of rounded products is wrong by anyway.  Even where products of
 * halves are allowed: errors of angles mix strong bins into weak ones. */
#define TOLERANCE 0x1p-22

/* A pack: this, and arrays of numbers (place_arrays). */
typedef struct
{
  guint64 length; /* a b; 0: the matrix is none */
  guint64 a, b, runs;
} Header;

struct _CpuFourier
{
  gsize taps, rows, length;
  CpuFourierPoints a, b;
  gsize kept;     /* columns of the second transform for a frame: a / 2 + 1 */
  gsize half_row; /* between rows of half of the b columns */
  gsize n_runs;
  gsize scratch; /* bytes for a thread */
  /* in the pack */
  float *window;
  float *roots[2]; /* of a and b */
  float *twist;    /* [2 halves][2 parts][kept][half_row] */
  float *scale;    /* [rows], and a vector */
  /* of rows in the results of a frame's second transform, [2
   * parts][b][COLUMNS] */
  CpuFourierRun *runs;
};

static gsize
align (gsize floats)
{
  return (floats + CPU_FOURIER_ALIGN - 1) & ~(gsize) (CPU_FOURIER_ALIGN - 1);
}

/* FALSE: it has other factors, or is too long. */
static gboolean
set_points (CpuFourierPoints *points, gsize n)
{
  static const guint8 factors[] = { 4, 2, 3, 5 };

  *points = (CpuFourierPoints){ .n = n };
  if (n < 2 || n > CPU_FOURIER_MOST)
    return FALSE;
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
  static const guint8 costs[] = { [2] = 12, [3] = 28, [4] = 36, [5] = 58 };
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

  return align (b->n / 2) / CPU_FOURIER_ALIGN * (cost_of_points (a) + 14 * kept)
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
  float **arrays[] = { &fourier->window, &fourier->roots[0], &fourier->roots[1],
    &fourier->twist, &fourier->scale };
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
    .half_row = align (header->b / 2) };
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
  const gsize part = row->sine ? f->b.n * COLUMNS : 0;

  return (guint32) (part + bin / f->a.n * COLUMNS + bin % f->a.n);
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
  if (!cpu_fourier_find (&matrix, TOLERANCE, is_good_length, &found))
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
    f.window[j] = (float) window[j];
  fill_roots (f.roots[0], f.a.n);
  fill_roots (f.roots[1], f.b.n);
  fill_twist (&f);
  fill_scales (&f, rows);
  find_runs (&f, rows, f.runs);
  return to;
}

/* --- running --- */

/* Floats of a thread: a frame, the first transform, the second. */
static gsize
frame_floats (const CpuFourier *f)
{
  return align (f->length) + 2 * CPU_FOURIER_ALIGN;
}

static gsize
first_floats (const CpuFourier *f)
{
  return 4 * COLUMNS * f->half_row;
}

CpuFourier *
cpu_fourier_new (CpuStep *step, guint input, const CpuFourierMatrix *matrix)
{
  const CpuValue *value = step->in[input];
  CpuFourierMatrix copy = *matrix;
  const gint64 params[] = { (gint64) matrix->rows, (gint64) matrix->taps,
    (gint64) matrix->row, (gint64) matrix->tap };

  if (!value->constant || value->desc.type != INFER_TYPE_F32
      || value->unpack != NULL || !is_faster (matrix->rows, matrix->taps))
    return NULL;
  Header *header = (Header *) (gsize) cpu_step_pack (
      step, input, "fourier", G_N_ELEMENTS (params), params, pack, &copy);
  if (header == NULL || header->length == 0)
    return NULL;
  CpuFourier *f = g_new (CpuFourier, 1);
  if (!set_lengths (f, header, matrix->taps, matrix->rows))
    g_assert_not_reached ();
  place_arrays (f, header);
  f->scratch = cpu_scratch_add (0,
      frame_floats (f) + first_floats (f) + 2 * f->b.n * COLUMNS
          + CPU_FOURIER_ALIGN,
      sizeof (float));
  cpu_step_need_scratch (step, step->threads * f->scratch);
  return f;
}

typedef struct
{
  const CpuStep *step;
  const CpuFourier *fourier;
  const CpuFourierJob *job;
} Run;

/* Frame @i times the window, zeros around it. */
static void
read_frame (const Run *run, gsize i, float *to)
{
  const CpuFourier *f = run->fourier;
  const CpuFourierJob *job = run->job;
  const gint64 start = (gint64) (i * job->step) - (gint64) job->padding;
  const gsize first = (gsize) CLAMP (-start, 0, (gint64) f->taps);
  const gsize last = (gsize) CLAMP (
      (gint64) job->length - start, (gint64) first, (gint64) f->taps);

  memset (to, 0, first * sizeof *to);
  memset (to + last, 0, (f->length - last) * sizeof *to);
  run->step->kernels->binary_f32 (CPU_BINARY_MUL, to + first,
      job->in + start + (gint64) first, 1, f->window + first, 1, last - first);
}

/* The first transform of a frame: row k of half h and part p is @first + ((2 h
 * + p) COLUMNS + k) half_row. */
static void
transform_frame (const Run *run, const float *frame, float *first)
{
  const CpuFourier *f = run->fourier;
  CpuFourierReal t = { .points = &f->a,
    .in = { frame, frame + f->b.n / 2 },
    .in_row = f->b.n,
    .out_row = f->half_row,
    .twist_row = f->half_row,
    .columns = f->b.n / 2 };

  for (guint h = 0; h < 2; h++)
    for (guint p = 0; p < 2; p++) {
      t.out[h][p] = first + (2 * h + p) * COLUMNS * f->half_row;
      t.twist[h][p] = f->twist + (2 * h + p) * f->kept * f->half_row;
    }
  run->step->kernels->fourier_real_f32 (&t);
}

/* Its @n rows become columns; then the second one. */
static void
transform_columns (const Run *run, const float *first, float *second, gsize n)
{
  const CpuFourier *f = run->fourier;
  const gsize half = f->b.n / 2;
  const CpuFourierColumns t = { .points = &f->b,
    .in = { second, second + f->b.n * COLUMNS },
    .in_row = COLUMNS,
    .out = { second, second + f->b.n * COLUMNS },
    .out_row = COLUMNS,
    .columns = n };

  for (guint h = 0; h < 2; h++)
    for (guint p = 0; p < 2; p++)
      run->step->kernels->transpose_u32 (
          (gpointer) (second + (p * f->b.n + h * half) * COLUMNS), COLUMNS,
          (gconstpointer) (first + (2 * h + p) * COLUMNS * f->half_row),
          f->half_row, n, half);
  run->step->kernels->fourier_columns_f32 (&t);
}

static void
write_rows (const Run *run, gsize i, const float *second)
{
  const CpuFourier *f = run->fourier;
  const CpuFourierRows rows = { .in = second,
    .scale = f->scale,
    .out = run->job->out + i * f->rows,
    .runs = f->runs,
    .n_runs = f->n_runs,
    .rows = f->rows };

  run->step->kernels->fourier_rows_f32 (&rows);
}

static void
run_frames (gpointer data, gsize begin, gsize end, guint thread)
{
  const Run *run = data;
  const CpuFourier *f = run->fourier;
  const gsize at_a_time = COLUMNS / f->kept;
  float *frame = (float *) ((char *) run->step->scratch + thread * f->scratch);
  float *first = frame + frame_floats (f), *second = first + first_floats (f);

  for (gsize i = begin; i < end; i += at_a_time) {
    const gsize n = MIN (end - i, at_a_time);

    for (gsize j = 0; j < n; j++) {
      read_frame (run, i + j, frame);
      transform_frame (run, frame, first + j * f->kept * f->half_row);
    }
    transform_columns (run, first, second, n * f->kept);
    for (gsize j = 0; j < n; j++)
      write_rows (run, i + j, second + j * f->kept);
  }
}

void
cpu_fourier_run (
    CpuStep *step, const CpuFourier *fourier, const CpuFourierJob *job)
{
  Run run = { step, fourier, job };

  cpu_step_parallel (
      step, job->frames, COLUMNS / fourier->kept, run_frames, &run);
}

void
cpu_fourier_run_epilogue (CpuStep *step, const CpuEpilogue *epilogue,
    const CpuValue *residual, gsize frames, gsize rows)
{
  CpuEpilogue copy = *epilogue;
  float *out = step->out[0]->data;
  CpuGemm g = { .m = frames,
    .n = rows,
    .a = out,
    .b = out,
    .c = out,
    .c_row = rows,
    .epilogue = &copy };

  if (residual != NULL)
    copy.residual = residual->data;
  cpu_gemm_run_epilogue (step, &g);
}
