/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/gemm/fourier/fourier.h"

#include "cpu/base/widen.h"
#include "cpu/gemm/fourier/private.h"
#include "cpu/gemm/gemm.h"

#include <math.h>
#include <string.h>

/* Bytes of results that are kept for another step, in the second-level cache.
 */
#define MOST_KEPT ((gsize) 1 << 20)

CpuFourier *
cpu_fourier_new (CpuStep *step, guint input, const CpuFourierMatrix *matrix)
{
  CpuFourier found;

  if (!cpu_fourier_pack (step, input, matrix, &found))
    return NULL;
  CpuFourier *f = g_memdup2 (&found, sizeof found);
  f->window = g_new (float, f->taps);
  for (gsize j = 0; j < f->taps; j++)
    f->window[j] = isnan (f->known_window[j]) ? 0 : f->known_window[j];
  f->scratch = cpu_scratch_add (0,
      cpu_fourier_frame (f) + cpu_fourier_first (f) + cpu_fourier_second (f),
      sizeof (float));
  cpu_step_need_scratch (step, cpu_fourier_scratch (step, f));
  return f;
}

gsize
cpu_fourier_scratch (const CpuStep *step, const CpuFourier *fourier)
{
  return step->threads * fourier->scratch;
}

static void
kept_unref (CpuFourierKept *kept)
{
  if (kept == NULL || --kept->references > 0)
    return;
  cpu_free (kept->results);
  g_free (kept);
}

void
cpu_fourier_free (CpuFourier *fourier)
{
  if (fourier == NULL)
    return;
  kept_unref (fourier->gives);
  kept_unref (fourier->takes);
  g_free (fourier->window);
  g_free (fourier);
}

static gboolean
is_same_window (const CpuFourier *a, const CpuFourier *b)
{
  for (gsize j = 0; j < a->taps; j++)
    if (fabsf (a->known_window[j] - b->known_window[j])
        > (float) CPU_FOURIER_TOLERANCE)
      return FALSE;
  return TRUE;
}

static CpuFourierKept *
kept_new (const CpuFourier *f, gsize frames)
{
  const gsize chunks =
      (frames + cpu_fourier_at_a_time (f) - 1) / cpu_fourier_at_a_time (f);
  const gsize bytes = chunks * cpu_fourier_second (f) * sizeof (float);
  CpuFourierKept *kept = g_new0 (CpuFourierKept, 1);

  kept->references = 1;
  kept->results = bytes <= MOST_KEPT ? cpu_alloc (bytes) : NULL;
  if (kept->results == NULL)
    g_clear_pointer (&kept, kept_unref);
  return kept;
}

gboolean
cpu_fourier_share (
    CpuStep *step, CpuFourier *fourier, CpuFourier *earlier, gsize frames)
{
  if (fourier->taps != earlier->taps || fourier->length != earlier->length
      || earlier->takes != NULL || !is_same_window (fourier, earlier))
    return FALSE;
  if (earlier->gives == NULL)
    earlier->gives = kept_new (earlier, frames);
  if (earlier->gives == NULL)
    return FALSE;
  fourier->takes = earlier->gives;
  fourier->takes->references++;
  fourier->takes->takers++;
  /* Cosines know what sines do not. */
  for (gsize j = 0; j < fourier->taps; j++)
    if (isnan (earlier->known_window[j]))
      earlier->window[j] = fourier->window[j];
  step->kernel = "fourier_shared_f32";
  return TRUE;
}

typedef struct
{
  const CpuStep *step;
  const CpuFourier *fourier;
  const CpuFourierJob *job;
  float *kept;      /* results of all chunks; NULL: in scratch */
  gboolean is_kept; /* they are there already */
} Run;

/* Frame @i times the window, zeros around it. */
static void
read_frame (const Run *run, gsize i, float *to)
{
  const CpuFourier *f = run->fourier;
  const CpuFourierJob *job = run->job;
  const gint64 start = (gint64) (i * job->step) - (gint64) job->padding;
  gsize first, last;

  cpu_fourier_clip (start, f->taps, job->length, &first, &last);

  memset (to, 0, first * sizeof *to);
  memset (to + last, 0, (f->length - last) * sizeof *to);
  run->step->kernels->binary_f32 (CPU_BINARY_MUL, to + first,
      job->in + start + (gint64) first, 1, f->window + first, 1, last - first);
}

/* The first transform of a frame. */
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
      t.out[h][p] = first + cpu_fourier_first_part (f, h, p);
      t.twist[h][p] = cpu_fourier_twist (f, h, p);
    }
  run->step->kernels->fourier_real_f32 (&t);
}

/* Its @n rows become columns; then the second one. */
static void
transform_columns (const Run *run, const float *first, float *second, gsize n)
{
  const CpuFourier *f = run->fourier;
  const CpuFourierColumns t = { .points = &f->b,
    .in = { second, second + f->b.n * CPU_FOURIER_COLUMNS },
    .in_row = CPU_FOURIER_COLUMNS,
    .out = { second, second + f->b.n * CPU_FOURIER_COLUMNS },
    .out_row = CPU_FOURIER_COLUMNS,
    .columns = n };

  for (guint h = 0; h < 2; h++)
    for (guint p = 0; p < 2; p++)
      run->step->kernels->transpose_u32 (
          (gpointer) (second + cpu_fourier_second_part (f, h, p)),
          CPU_FOURIER_COLUMNS,
          (gconstpointer) (first + cpu_fourier_first_part (f, h, p)),
          f->half_row, n, f->b.n / 2);
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

/* Chunks of frames_at_a_time frames, but for the last. */
static void
run_chunks (gpointer data, gsize begin, gsize end, guint thread)
{
  const Run *run = data;
  const CpuFourier *f = run->fourier;
  const gsize most = cpu_fourier_at_a_time (f);
  float *frame = (float *) ((char *) run->step->scratch + thread * f->scratch);
  float *first = frame + cpu_fourier_frame (f),
        *second = first + cpu_fourier_first (f);

  for (gsize chunk = begin; chunk < end; chunk++) {
    const gsize i = chunk * most, n = MIN (run->job->frames - i, most);

    if (run->kept != NULL)
      second = run->kept + chunk * cpu_fourier_second (f);
    for (gsize j = 0; j < n && !run->is_kept; j++) {
      read_frame (run, i + j, frame);
      transform_frame (run, frame, first + j * f->kept * f->half_row);
    }
    if (!run->is_kept)
      transform_columns (run, first, second, n * f->kept);
    for (gsize j = 0; j < n; j++)
      write_rows (run, i + j, second + j * f->kept);
  }
}

void
cpu_fourier_run (
    CpuStep *step, const CpuFourier *fourier, const CpuFourierJob *job)
{
  const gsize most = cpu_fourier_at_a_time (fourier);
  CpuFourierKept *gives = fourier->gives, *takes = fourier->takes;
  Run run = { step, fourier, job, .is_kept = takes != NULL && takes->left > 0 };

  run.kept = run.is_kept     ? takes->results
             : gives != NULL ? gives->results
                             : NULL;
  cpu_step_parallel (
      step, (job->frames + most - 1) / most, 1, run_chunks, &run);
  if (run.is_kept)
    takes->left--;
  if (gives != NULL)
    gives->left = gives->takers;
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
