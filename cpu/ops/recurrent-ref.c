/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/ops/recurrent.h"

#include <math.h>
#include <string.h>

static double
activate (const InferActivation *f, double v)
{
  switch (f->kind) {
    case INFER_GATE_SIGMOID:
      return 1 / (1 + exp (-v));
    case INFER_GATE_TANH:
      return tanh (v);
    case INFER_GATE_RELU:
      return MAX (v, 0);
    case INFER_GATE_HARD_SIGMOID:
      return CLAMP (f->alpha * v + f->beta, 0, 1);
    case INFER_GATE_AFFINE:
      return f->alpha * v + f->beta;
    case INFER_GATE_LEAKY_RELU:
      return v < 0 ? f->alpha * v : v;
    case INFER_GATE_THRESHOLDED_RELU:
      return v > f->alpha ? v : 0;
    case INFER_GATE_SCALED_TANH:
      return f->alpha * tanh (f->beta * v);
    case INFER_GATE_ELU:
      return v < 0 ? f->alpha * expm1 (v) : v;
    case INFER_GATE_SOFTSIGN:
      return v / (1 + fabs (v));
    case INFER_GATE_SOFTPLUS:
      return log1p (exp (v));
    default:
      return v;
  }
}

static double
gate (const CpuRecurrentDims *dims, guint function, double sum)
{
  double clip = dims->attrs->clip;
  if (clip > 0)
    sum = CLAMP (sum, -clip, clip);
  return activate (&dims->attrs->activations[function], sum);
}

static double
dot (const double *a, const double *b, gsize n)
{
  double sum = 0;
  for (gsize i = 0; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}

/* One sequence's view of one direction. */
typedef struct
{
  const CpuRecurrentDims *dims;
  const double *w, *r, *b, *p; /* b, p nullable */
  double *gates, *reset;       /* working memory: gates × hidden, hidden */
} Cell;

static double
bias (const Cell *cell, gsize row)
{
  return cell->b ? cell->b[row] : 0;
}

/* Row @row of W·x + R·h + B; @stored: where it lies in W and R. */
static double
sum_row (
    const Cell *cell, gsize row, gsize stored, const double *x, const double *h)
{
  const CpuRecurrentDims *d = cell->dims;
  return dot (cell->w + stored * d->input, x, d->input)
         + dot (cell->r + stored * d->hidden, h, d->hidden) + bias (cell, row);
}

static void
lstm (const Cell *cell, const double *x, double *h, double *c)
{
  const CpuRecurrentDims *d = cell->dims;
  const InferRecurrent *attrs = d->attrs;
  gsize n = d->hidden;
  for (gsize row = 0; row < 4 * n; row++)
    cell->gates[row] =
        sum_row (cell, row, attrs->order[row / n] * n + row % n, x, h);
  for (gsize i = 0; i < n; i++) {
    double sums[4];
    for (guint g = 0; g < 4; g++)
      sums[g] = cell->gates[g * n + i];
    if (cell->p) { /* peepholes: i, o, f */
      sums[1] += cell->p[i] * c[i];
      sums[0] += cell->p[2 * n + i] * c[i];
    }
    double f = gate (d, 0, sums[0]);
    double in = attrs->input_forget ? 1 - f : gate (d, 0, sums[1]);
    c[i] = f * c[i] + in * gate (d, 1, sums[2]);
    if (cell->p)
      sums[3] += cell->p[n + i] * c[i];
    h[i] = gate (d, 0, sums[3]) * activate (&attrs->activations[2], c[i]);
  }
}

static void
gru (const Cell *cell, const double *x, double *h)
{
  const CpuRecurrentDims *d = cell->dims;
  gsize n = d->hidden;
  double *z = cell->gates, *r = z + n, *candidate = r + n;
  for (gsize i = 0; i < 2 * n; i++)
    cell->gates[i] = gate (d, 0, sum_row (cell, i, i, x, h));
  for (gsize i = 0; i < n; i++)
    cell->reset[i] = r[i] * h[i];
  for (gsize i = 0; i < n; i++) {
    gsize row = 2 * n + i;
    const double *w = cell->w + row * d->input;
    const double *recurrent = cell->r + row * n;
    double sum = dot (w, x, d->input) + bias (cell, row);
    sum += d->attrs->linear_before_reset
               ? r[i] * (dot (recurrent, h, n) + bias (cell, 3 * n + i))
               : dot (recurrent, cell->reset, n);
    candidate[i] = gate (d, 1, sum);
  }
  for (gsize i = 0; i < n; i++)
    h[i] = (1 - z[i]) * candidate[i] + z[i] * h[i];
}

static void
rnn (const Cell *cell, const double *x, double *h)
{
  gsize n = cell->dims->hidden;
  for (gsize i = 0; i < n; i++)
    cell->gates[i] = gate (cell->dims, 0, sum_row (cell, i, i, x, h));
  memcpy (h, cell->gates, n * sizeof *h);
}

static void
run_sequence (const CpuStep *step, const Cell *cell,
    const CpuRecurrentData *data, guint direction, gsize b)
{
  const CpuRecurrentDims *d = cell->dims;
  gsize state = (b * d->directions + direction) * d->hidden;
  gsize length = data->lengths ? (gsize) data->lengths[b] : d->time;
  const double *x = (const double *) data->x + b * d->time * d->input;
  double *h = (double *) data->ho + state;
  double *c = data->co ? (double *) data->co + state : NULL;
  double *y = data->y ? (double *) data->y + state * d->time : NULL;
  memcpy (h, (const double *) data->h + state, d->hidden * sizeof *h);
  if (c)
    memcpy (c, (const double *) data->c + state, d->hidden * sizeof *c);
  if (y)
    memset (y, 0, d->time * d->hidden * sizeof *y);
  for (gsize i = 0; i < length && !cpu_step_is_cancelled (step); i++) {
    gsize t = cpu_recurrent_time (d, direction, length, i);
    if (d->attrs->cell == INFER_CELL_LSTM)
      lstm (cell, x + t * d->input, h, c);
    else if (d->attrs->cell == INFER_CELL_GRU)
      gru (cell, x + t * d->input, h);
    else
      rnn (cell, x + t * d->input, h);
    if (y)
      memcpy (y + t * d->hidden, h, d->hidden * sizeof *h);
  }
}

gsize
cpu_recurrent_ref_size (const CpuRecurrentDims *dims)
{
  return (dims->gates + 1) * dims->hidden;
}

void
cpu_recurrent_ref (const CpuStep *step, const CpuRecurrentDims *dims,
    const CpuRecurrentData *data, double *scratch)
{
  gsize rows = dims->gates * dims->hidden;
  for (guint direction = 0; direction < dims->directions; direction++) {
    Cell cell = { .dims = dims,
      .w = (const double *) data->w + direction * rows * dims->input,
      .r = (const double *) data->r + direction * rows * dims->hidden,
      .p = data->p,
      .gates = scratch,
      .reset = scratch + rows };
    if (data->b)
      cell.b =
          (const double *) data->b + direction * dims->biases * dims->hidden;
    for (gsize b = 0; b < dims->batch; b++)
      run_sequence (step, &cell, data, direction, b);
  }
}
