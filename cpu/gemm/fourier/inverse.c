/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The steps of fourier.c, transposed and in the opposite order. */

#include "cpu/gemm/fourier/private.h"

#include <string.h>

typedef struct
{
  const CpuStep *step;
  const CpuFourier *fourier;
  const CpuFourierJob *job;
} Run;

/* The rows of a frame to where they are results of the second transform. */
static void
read_rows (const CpuFourier *f, const float *rows, float *second)
{
  gsize r = 0;

  for (gsize i = 0; i < f->n_runs; i++) {
    float *to = second + f->runs[i].from;

    for (gsize j = 0; j < f->runs[i].n; j++, r++, to += f->runs[i].step)
      *to += f->scale[r] * rows[r];
  }
}

/* The second transform of @n columns, and its rows as columns of the first. */
static void
transform_columns (const Run *run, float *second, float *first, gsize n)
{
  const CpuFourier *f = run->fourier;
  /* Parts are exchanged: the inverse. */
  const CpuFourierColumns t = { .points = &f->b,
    .in = { second + f->b.n * CPU_FOURIER_COLUMNS, second },
    .in_row = CPU_FOURIER_COLUMNS,
    .out = { second + f->b.n * CPU_FOURIER_COLUMNS, second },
    .out_row = CPU_FOURIER_COLUMNS,
    .columns = n };

  run->step->kernels->fourier_columns_f32 (&t);
  for (guint h = 0; h < 2; h++)
    for (guint p = 0; p < 2; p++)
      run->step->kernels->transpose_u32 (
          (gpointer) (first + cpu_fourier_first_part (f, h, p)), f->half_row,
          (gconstpointer) (second + cpu_fourier_second_part (f, h, p)),
          CPU_FOURIER_COLUMNS, f->b.n / 2, n);
}

/* The first transform of a frame: its halves of rows, to @frame. */
static void
transform_frame (const Run *run, const float *first, float *frame)
{
  const CpuFourier *f = run->fourier;
  CpuFourierBack t = { .points = &f->a,
    .in_row = f->half_row,
    .twist_row = f->half_row,
    .out = { frame, frame + f->a.n * f->half_row },
    .out_row = f->half_row,
    .columns = f->b.n / 2 };

  for (guint h = 0; h < 2; h++)
    for (guint p = 0; p < 2; p++) {
      t.in[h][p] = first + cpu_fourier_first_part (f, h, p);
      t.twist[h][p] = cpu_fourier_twist (f, h, p);
    }
  run->step->kernels->fourier_back_f32 (&t);
}

/* Times the window. */
static void
write_frame (const CpuFourier *f, const float *frame, float *to)
{
  const gsize half = f->b.n / 2;

  for (gsize at = 0; at < f->taps; at += half) {
    const gsize row = at / f->b.n, h = at / half % 2;
    const float *from = frame + (h * f->a.n + row) * f->half_row;
    const gsize n = MIN (half, f->taps - at);

    for (gsize j = 0; j < n; j++)
      to[at + j] = f->window[at + j] * from[j];
  }
}

static void
run_chunks (gpointer data, gsize begin, gsize end, guint thread)
{
  const Run *run = data;
  const CpuFourier *f = run->fourier;
  const gsize most = cpu_fourier_at_a_time (f);
  float *frame = (float *) ((char *) run->step->scratch + thread * f->scratch);
  float *first = frame + cpu_fourier_frame (f);
  float *second = first + cpu_fourier_first (f);

  for (gsize chunk = begin; chunk < end; chunk++) {
    const gsize i = chunk * most, n = MIN (run->job->frames - i, most);

    memset (second, 0, cpu_fourier_second (f) * sizeof *second);
    for (gsize j = 0; j < n; j++)
      read_rows (
          f, run->job->in + (i + j) * run->job->step, second + j * f->kept);
    transform_columns (run, second, first, n * f->kept);
    for (gsize j = 0; j < n; j++) {
      transform_frame (run, first + j * f->kept * f->half_row, frame);
      write_frame (f, frame, run->job->out + (i + j) * f->taps);
    }
  }
}

void
cpu_fourier_run_inverse (
    CpuStep *step, const CpuFourier *fourier, const CpuFourierJob *job)
{
  const gsize most = cpu_fourier_at_a_time (fourier);
  Run run = { step, fourier, job };

  cpu_step_parallel (
      step, (job->frames + most - 1) / most, 1, run_chunks, &run);
}
