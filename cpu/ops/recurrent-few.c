/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/ops/recurrent.h"

#include "cpu/ops/strided-copy.h"

#include <math.h>

/* Sequences that the kernel gets at a time, and steps: between them, the run
 * may be cancelled. */
#define SEQUENCES 8
#define STEPS 256

static void
copy_state (float *to, const float *from, const CpuRecurrentDims *d)
{
  cpu_copy_run ((gpointer) to, (gconstpointer) from, d->hidden * sizeof *to);
}

/* Sequence @index: direction by direction, then by batch. */
static CpuGruSteps
sequence_of (const CpuRecurrentDims *d, const CpuRecurrentData *data,
    const CpuRecurrentFew *few, gsize index)
{
  const gboolean both = d->directions > 1;
  const guint direction = both ? index % 2 : 0;
  const gsize b = both ? index / 2 : index;
  const gsize row = few->row;
  const gsize length = data->lengths ? (gsize) data->lengths[b] : d->time;
  const gboolean back =
      length > 1 && cpu_recurrent_time (d, direction, length, 0) > 0;
  const gsize first = back ? length - 1 : 0;
  CpuGruSteps s = { .n = d->hidden,
    .steps = length,
    .gate = few->gate,
    .x = few->x + ((direction * d->batch + b) * d->time + first) * row,
    .r = few->r[direction],
    .bias = few->bias[direction],
    .state = few->state + index * CPU_GEMM_PANEL,
    .x_step = back ? -(ptrdiff_t) row : (ptrdiff_t) row,
    .clip = d->attrs->clip > 0 ? (float) d->attrs->clip : INFINITY };

  /* A cell's only step is its last. */
  s.y = data->y ? (float *) data->y + (index * d->time + first) * d->hidden
                : (float *) data->ho + index * d->hidden;
  s.y_step = back ? -(ptrdiff_t) d->hidden : (ptrdiff_t) d->hidden;
  copy_state (s.state, (const float *) data->h + index * d->hidden, d);
  return s;
}

/* Runs at most STEPS steps and goes on to the next ones.  FALSE: none are left.
 */
static gboolean
run_some (const CpuKernels *kernels, CpuGruSteps *sequences, gsize n)
{
  gsize left[SEQUENCES], sum = 0;

  for (gsize i = 0; i < n; i++) {
    left[i] = sequences[i].steps;
    sequences[i].steps = MIN (left[i], STEPS);
  }
  kernels->gru_steps_f32 (sequences, n);
  for (gsize i = 0; i < n; i++) {
    CpuGruSteps *s = sequences + i;

    s->x += (ptrdiff_t) s->steps * s->x_step;
    s->y += (ptrdiff_t) s->steps * s->y_step;
    s->steps = left[i] - s->steps;
    sum += s->steps;
  }
  return sum > 0;
}

void
cpu_recurrent_run_few (const CpuStep *step, const CpuRecurrentDims *d,
    const CpuRecurrentData *data, const CpuRecurrentFew *few)
{
  const gsize n = d->batch * d->directions;

  for (gsize first = 0; first < n; first += SEQUENCES) {
    const gsize some = MIN (n - first, SEQUENCES);
    CpuGruSteps sequences[SEQUENCES];

    for (gsize i = 0; i < some; i++)
      sequences[i] = sequence_of (d, data, few, first + i);
    while (!cpu_step_is_cancelled (step)
           && run_some (step->kernels, sequences, some))
      ;
    for (gsize i = 0; i < some; i++)
      copy_state (
          (float *) data->ho + (first + i) * d->hidden, sequences[i].state, d);
  }
}
