/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/ops/recurrent.h"

#include "cpu/base/f16-gemm.h"
#include "cpu/base/unpack.h"
#include "cpu/gemm/gemm.h"

#include <math.h>
#include <string.h>

static void
find_dims (CpuRecurrentDims *dims, const CpuStep *step)
{
  const InferRecurrent *attrs = step->op->attrs;
  const gint64 *x = cpu_in_shape (step, 0)->dims;
  dims->attrs = attrs;
  dims->batch = (gsize) x[0];
  dims->time = attrs->sequence ? (gsize) x[1] : 1;
  dims->input = (gsize) x[attrs->sequence ? 2 : 1];
  dims->hidden = (gsize) attrs->hidden_size;
  dims->directions = attrs->direction == INFER_DIRECTION_BIDIRECTIONAL ? 2 : 1;
  dims->gates = infer_recurrent_gates (attrs);
  dims->biases = infer_recurrent_biases (attrs);
  dims->w = infer_recurrent_w (attrs);
}

/* Kernels exist for the usual non-linear functions. */
static gboolean
is_plain (const CpuStep *step, const InferRecurrent *attrs)
{
  static const InferGate usual[][3] = {
    { INFER_GATE_SIGMOID, INFER_GATE_TANH, INFER_GATE_TANH },
    { INFER_GATE_SIGMOID, INFER_GATE_TANH },
    { INFER_GATE_TANH },
  };
  if (step->in[0]->desc.type == INFER_TYPE_F64 || attrs->input_forget
      || cpu_has_in (step, infer_recurrent_w (attrs) + 3))
    return TRUE;
  for (guint i = 0; i < attrs->n_activations; i++)
    if (attrs->activations[i].kind != usual[attrs->cell][i])
      return TRUE;
  return FALSE;
}

/* --- preparing --- */

static gsize
place (gsize *total, gsize a, gsize b)
{
  gsize at = *total / sizeof (float), n;
  *total = g_size_checked_mul (&n, a, b)
               ? cpu_scratch_add (*total, n, sizeof (float))
               : G_MAXSIZE;
  return at;
}

static const char *
kernel_name (const CpuRecurrent *rec)
{
  static const char *const names[][5] = {
    { "lstm_f32", "lstm_f16", "lstm_half", "lstm_bf16", "lstm_i8" },
    { "gru_f32", "gru_f16", "gru_half", "gru_bf16", "gru_i8" },
    { "rnn_f32", "rnn_f16", "rnn_half", "rnn_bf16", "rnn_i8" },
  };
  const CpuRecurrentWeights *weights = rec->r.products ? &rec->r : &rec->w;

  return names[rec->dims.attrs->cell][rec->r.integers     ? 4
                                      : weights->products ? 2 + weights->bf16
                                                          : rec->r.half];
}

/* Weights that do not stay in the first-level cache are better read for two
 * steps at once. */
#define LEAST_PAIRED 32768

/* Whether the weights are such; several threads share the products of each
 * step, with the same bits. */
static gboolean
may_pair (const CpuStep *step, const CpuRecurrent *rec)
{
  const CpuRecurrentDims *d = &rec->dims;
  const CpuRecurrentWeights *r = &rec->r;

  return d->attrs->cell == INFER_CELL_LSTM && d->batch == 1 && d->time > 1
         && d->hidden == rec->padded && !r->half && !r->products && !r->integers
         && r->step * sizeof (float) > LEAST_PAIRED
         && (step->isa & CPU_ISA_AVX512) != 0;
}

static gboolean
is_paired (const CpuStep *step, const CpuRecurrent *rec)
{
  return rec->pairs && step->threads == 1;
}

static gboolean
prepare_fast (CpuStep *step, CpuRecurrent *rec, GError **error)
{
  const CpuRecurrentDims *d = &rec->dims;
  gsize total = 0;
  guint32 skip = 0;
  rec->padded =
      (d->hidden + CPU_GEMM_PANEL - 1) / CPU_GEMM_PANEL * CPU_GEMM_PANEL;
  cpu_recurrent_place_gates (rec);
  rec->w.step = rec->row * d->input;
  rec->r.step = d->gates * rec->padded * d->hidden;
  rec->b.step = d->attrs->linear_before_reset ? 2 * rec->row : rec->row;
  if (!cpu_recurrent_place_weights (
          step, rec, d->w, &rec->w, &total, &skip, error)
      || !cpu_recurrent_place_weights (
          step, rec, d->w + 1, &rec->r, &total, &skip, error)
      || !cpu_recurrent_place_weights (
          step, rec, d->w + 2, &rec->b, &total, &skip, error))
    return FALSE;
  rec->few =
      cpu_recurrent_has_few_units (d) && !rec->r.products && !rec->r.integers;
  rec->pairs = may_pair (step, rec);
  rec->at_x = place (&total, d->batch * d->time,
      rec->few ? d->directions * rec->row : rec->row);
  rec->at_h = place (&total, d->batch,
      (rec->pairs ? CPU_LSTM_SCRATCH : d->gates) * rec->padded);
  rec->at_state = place (
      &total, d->batch, rec->few ? d->directions * rec->padded : rec->padded);
  rec->at_cell = place (&total, d->batch, rec->padded);
  rec->at_z = place (&total, d->batch, rec->padded);
  rec->at_lengths = place (&total, d->batch, 2);
  if (rec->w.products || rec->r.products)
    rec->at_f16 = place (&total,
        MAX (cpu_f16_scratch (d->batch * d->time, d->input, rec->w.bf16),
            cpu_f16_scratch (d->batch, rec->padded, rec->r.bf16)),
        1);
  rec->at_digits = place (&total, rec->digits_room / sizeof (float), 1);
  step->kernel = is_paired (step, rec) ? "lstm_pairs_f32" : kernel_name (rec);
  return cpu_widen_prepare (
      &rec->widen, step, INFER_TYPE_F32, skip, total, error);
}

static gboolean
recurrent_prepare (CpuStep *step, GError **error)
{
  CpuRecurrent *rec = g_new0 (CpuRecurrent, 1);
  step->priv = rec;
  find_dims (&rec->dims, step);
  rec->plain = is_plain (step, rec->dims.attrs);
  if (!rec->plain)
    return prepare_fast (step, rec, error);
  for (guint i = rec->dims.w; i < step->n_in; i++)
    if (cpu_has_in (step, i) && !cpu_step_want_data (step, i, error))
      return FALSE;
  gsize total =
      cpu_scratch_add (0, cpu_recurrent_ref_size (&rec->dims), sizeof (double));
  rec->at_lengths = total / sizeof (float);
  total = cpu_scratch_add (total, rec->dims.batch, sizeof (gint64));
  step->kernel = "ref_f64";
  return cpu_widen_prepare (&rec->widen, step, INFER_TYPE_F64, 0, total, error);
}

/* --- running --- */

typedef struct
{
  CpuStep *step;
  const CpuRecurrent *rec;
  CpuRecurrentData data;
  gconstpointer w, r; /* packed weights of the current direction */
  const float *b;
  float *x, *h, *state, *cell, *z, *halves, *digits;
} Run;

/* As `product` below, with f16 or bf16 weights. */
static void
product_f16 (const Run *run, const char *weights, gboolean bf16, gsize k,
    float *c, const float *a, gsize a_row, gsize rows, gsize first, gsize gates,
    const float *bias)
{
  const CpuRecurrent *rec = run->rec;
  const gsize column = first * rec->padded;
  const CpuF16Product p = { .m = rows,
    .n = rec->padded,
    .k = k,
    .matrices = gates,
    .bf16 = bf16,
    .a = a,
    .a_row = a_row,
    .b = weights + first * cpu_f16_matrix_size (k, rec->padded, bf16),
    .c = c + column,
    .c_row = rec->dims.gates * rec->padded,
    .epilogue = { .bias = bias },
    .scratch = run->halves };

  cpu_f16_product (run->step, &p);
}

/* c = a · w (+ bias), @gates columns of padded gates from @first on. */
static void
product (const Run *run, const CpuRecurrentWeights *weights, float *c,
    const float *a, gsize rows, gsize first, gsize gates, const float *bias)
{
  const CpuRecurrent *rec = run->rec;
  gboolean of_input = weights == &rec->w;
  gsize k = of_input ? rec->dims.input : rec->dims.hidden;
  gsize column = first * rec->padded;
  gsize size = weights->half ? sizeof (guint16) : sizeof (float);
  const char *w = of_input ? run->w : run->r;
  if (weights->products) {
    product_f16 (run, w, weights->bf16, k, c, a, of_input ? k : rec->padded,
        rows, first, gates, bias);
    return;
  }
  CpuGemm g = { .m = rows,
    .n = of_input ? rec->row : gates * rec->padded,
    .k = k,
    .a = a,
    .a_row = of_input ? k : rec->padded,
    .a_k = 1,
    .b = w + column * k * size,
    .b_panel = k * CPU_GEMM_PANEL,
    .b_k = CPU_GEMM_PANEL,
    .c = c + column,
    .c_row = of_input ? rec->row : rec->dims.gates * rec->padded,
    .bias = bias };
  const CpuGemmType type = weights->half ? CPU_GEMM_F16 : CPU_GEMM_F32;

  if (weights->integers) {
    cpu_gemm_run_integers (run->step, &g, w, run->digits);
    return;
  }
  cpu_gemm_set_order (run->step, &g, type);
  if (rec->pairs && !of_input)
    g.b_in_order = FALSE; /* as in lstm_steps_f32 */
  cpu_gemm_run (run->step, &g, type);
}

/* The gates of sequence @b at time @t, from gate @first on. */
static CpuGates
gates_of (const Run *run, gsize b, gsize t, gsize first)
{
  const CpuRecurrent *rec = run->rec;
  const CpuRecurrentDims *d = &rec->dims;
  gsize row = d->gates * rec->padded, at = first * rec->padded;
  return (CpuGates){ .n = d->hidden,
    .stride = rec->padded,
    .x = run->x + (b * d->time + t) * row + at,
    .r = run->h + b * row + at,
    .clip = d->attrs->clip > 0 ? (float) d->attrs->clip : INFINITY };
}

/* Finished sequences keep their state. */
static gboolean
at_step (const Run *run, guint direction, gsize b, gsize i, gsize *t)
{
  const CpuRecurrentDims *d = &run->rec->dims;
  gsize length = run->data.lengths ? (gsize) run->data.lengths[b] : d->time;
  if (i >= length)
    return FALSE;
  *t = cpu_recurrent_time (d, direction, length, i);
  return TRUE;
}

/* Computes step @i of all sequences, after the products with R.  GRU without
 * linear_before_reset needs one more product, of the state after reset. */
static void
update_states (const Run *run, guint direction, gsize i)
{
  const CpuKernels *kernels = run->step->kernels;
  const CpuRecurrentDims *d = &run->rec->dims;
  gboolean two_f16 =
      d->attrs->cell == INFER_CELL_GRU && !d->attrs->linear_before_reset;
  gsize t;
  for (gsize b = 0; b < d->batch && two_f16; b++)
    if (at_step (run, direction, b, i, &t)) {
      CpuGates gates = gates_of (run, b, t, 0);
      kernels->gru_gates_f32 (&gates, run->state + b * run->rec->padded,
          run->z + b * run->rec->padded, run->cell + b * run->rec->padded);
    }
  if (two_f16)
    product (run, &run->rec->r, run->h, run->cell, d->batch, 2, 1, NULL);
  for (gsize b = 0; b < d->batch; b++) {
    float *h = run->state + b * run->rec->padded,
          *c = run->cell + b * run->rec->padded;
    if (!at_step (run, direction, b, i, &t))
      continue;
    CpuGates gates = gates_of (run, b, t, two_f16 ? 2 : 0);
    if (d->attrs->cell == INFER_CELL_LSTM)
      kernels->lstm_f32 (&gates, c, c, h);
    else if (d->attrs->cell == INFER_CELL_RNN)
      kernels->rnn_f32 (&gates, h);
    else if (two_f16)
      kernels->gru_state_f32 (&gates, run->z + b * run->rec->padded, h, h);
    else
      kernels->gru_linear_f32 (&gates, h, h);
    if (run->data.y)
      memcpy ((float *) run->data.y
                  + ((b * d->directions + direction) * d->time + t) * d->hidden,
          h, d->hidden * sizeof *h);
  }
}

/* Copies state rows of one direction between [batch, directions, hidden] and
 * [batch, hidden]. */
static void
copy_states (const CpuRecurrentDims *d, float *to, gsize to_step,
    const float *from, gsize from_step)
{
  for (gsize b = 0; b < d->batch; b++)
    memcpy (to + b * to_step, from + b * from_step, d->hidden * sizeof *to);
}

/* Steps of LSTM between which the run may be cancelled. */
#define STEPS 64

static void
run_paired (const Run *run, guint direction)
{
  const CpuRecurrentDims *d = &run->rec->dims;
  const gsize row = d->gates * d->hidden;
  const gsize length =
      run->data.lengths != NULL ? (gsize) run->data.lengths[0] : d->time;
  const gboolean back = cpu_recurrent_time (d, direction, 2, 0) > 0;
  CpuLstmSteps s = { .n = d->hidden,
    .r = run->r,
    .state = run->state,
    .cell = run->cell,
    .scratch = run->h,
    .x_step = back ? -(ptrdiff_t) row : (ptrdiff_t) row,
    .y_step = back ? -(ptrdiff_t) d->hidden : (ptrdiff_t) d->hidden,
    .clip = d->attrs->clip > 0 ? (float) d->attrs->clip : INFINITY };

  for (gsize i = 0; i < length && !cpu_step_is_cancelled (run->step);
       i += s.steps) {
    const gsize t = cpu_recurrent_time (d, direction, length, i);

    s.steps = MIN (length - i, STEPS);
    s.x = run->x + t * row;
    s.y = (float *) run->data.y + (direction * d->time + t) * d->hidden;
    run->step->kernels->lstm_steps_f32 (&s);
  }
}

static void
run_steps (const Run *run, guint direction)
{
  const CpuRecurrent *rec = run->rec;
  const CpuRecurrentDims *d = &rec->dims;
  const gboolean linear = d->attrs->linear_before_reset;
  const gboolean two_f16 = d->attrs->cell == INFER_CELL_GRU && !linear;

  for (gsize i = 0; i < d->time && !cpu_step_is_cancelled (run->step); i++) {
    product (run, &rec->r, run->h, run->state, d->batch, 0,
        two_f16 ? 2 : d->gates, linear ? run->b + rec->b.step / 2 : NULL);
    update_states (run, direction, i);
  }
}

static void
run_direction (const Run *run, guint direction)
{
  const CpuRecurrent *rec = run->rec;
  const CpuRecurrentDims *d = &rec->dims;
  gsize outer = d->directions * d->hidden, at = direction * d->hidden;
  gboolean lstm = d->attrs->cell == INFER_CELL_LSTM;

  product (run, &rec->w, run->x, run->data.x, d->batch * d->time, 0, d->gates,
      run->b);
  if (d->batch > 0) {
    memset (run->state, 0, d->batch * rec->padded * sizeof (float));
    memset (run->cell, 0, d->batch * rec->padded * sizeof (float));
  }
  copy_states (
      d, run->state, rec->padded, (const float *) run->data.h + at, outer);
  if (lstm)
    copy_states (
        d, run->cell, rec->padded, (const float *) run->data.c + at, outer);
  if (is_paired (run->step, rec))
    run_paired (run, direction);
  else
    run_steps (run, direction);
  copy_states (d, (float *) run->data.ho + at, outer, run->state, rec->padded);
  if (lstm)
    copy_states (d, (float *) run->data.co + at, outer, run->cell, rec->padded);
}

/* Steps beyond a sequence's length stay zero. */
static void
clear_ends (const Run *run)
{
  const CpuRecurrentDims *d = &run->rec->dims;
  for (gsize b = 0; run->data.y && run->data.lengths && b < d->batch; b++)
    for (gsize direction = 0; direction < d->directions; direction++) {
      gsize length = (gsize) run->data.lengths[b];
      if (length == d->time)
        continue;
      float *y =
          (float *) run->data.y
          + ((b * d->directions + direction) * d->time + length) * d->hidden;
      memset (y, 0, (d->time - length) * d->hidden * sizeof *y);
    }
}

static gboolean
read_lengths (const CpuStep *step, const CpuRecurrentDims *d, gint64 *lengths,
    GError **error)
{
  const CpuValue *value = step->in[d->w - 1];
  infer_convert (
      lengths, INFER_TYPE_I64, value->data, value->desc.type, d->batch);
  for (gsize b = 0; b < d->batch; b++)
    if (lengths[b] < 0 || (guint64) lengths[b] > d->time)
      return infer_fail (error, INFER_ERROR_INVALID_DATA,
          "sequence_lengths[%" G_GSIZE_FORMAT "] is %" G_GINT64_FORMAT
          ", not between 0 and %" G_GSIZE_FORMAT,
          b, lengths[b], d->time);
  return TRUE;
}

static gboolean
bind (const CpuStep *step, const CpuRecurrent *rec, CpuRecurrentData *data,
    float *memory, GError **error)
{
  const CpuRecurrentDims *d = &rec->dims;
  gboolean lstm = d->attrs->cell == INFER_CELL_LSTM;
  guint state = d->attrs->sequence ? 1 : 0;
  const CpuWiden *widen = &rec->widen;
  if (d->attrs->sequence) {
    gint64 *lengths = (gint64 *) (gpointer) (memory + rec->at_lengths);
    if (!read_lengths (step, d, lengths, error))
      return FALSE;
    data->lengths = lengths;
    data->y = cpu_widen_out (widen, step, 0);
  }
  data->x = cpu_widen_in (widen, step, 0);
  data->h = cpu_widen_in (widen, step, 1);
  data->c = lstm ? cpu_widen_in (widen, step, 2) : NULL;
  data->ho = cpu_widen_out (widen, step, state);
  data->co = lstm ? cpu_widen_out (widen, step, state + 1) : NULL;
  if (!rec->w.packed)
    data->w = cpu_widen_in (widen, step, d->w);
  if (!rec->r.packed)
    data->r = cpu_widen_in (widen, step, d->w + 1);
  if (!rec->b.packed && cpu_has_in (step, d->w + 2))
    data->b = cpu_widen_in (widen, step, d->w + 2);
  if (cpu_has_in (step, d->w + 3))
    data->p = cpu_widen_in (widen, step, d->w + 3);
  return TRUE;
}

static void
set_direction (Run *run, const float *memory, guint direction)
{
  run->w = cpu_recurrent_weights_of (&run->rec->w, memory, direction);
  run->r = cpu_recurrent_weights_of (&run->rec->r, memory, direction);
  run->b = cpu_recurrent_weights_of (&run->rec->b, memory, direction);
}

static void
run_few (Run *run, const float *memory)
{
  const CpuRecurrent *rec = run->rec;
  const CpuRecurrentDims *d = &rec->dims;
  const gsize rows = d->batch * d->time;
  CpuRecurrentFew few = {
    .x = run->x, .row = rec->row, .gate = rec->gate, .state = run->state
  };

  for (guint direction = 0; direction < d->directions; direction++) {
    set_direction (run, memory, direction);
    few.r[direction] = run->r;
    few.bias[direction] = run->b + rec->b.step / 2;
    product (run, &rec->w, run->x + direction * rows * rec->row, run->data.x,
        rows, 0, d->gates, run->b);
  }
  cpu_recurrent_run_few (run->step, d, &run->data, &few);
}

static gboolean
recurrent_run (CpuStep *step, GError **error)
{
  const CpuRecurrent *rec = step->priv;
  float *memory = cpu_widen_more (&rec->widen, step);
  Run run = { .step = step, .rec = rec };
  if (!bind (step, rec, &run.data, memory, error))
    return FALSE;
  if (rec->plain) {
    cpu_recurrent_ref (
        step, &rec->dims, &run.data, (double *) (gpointer) memory);
  } else {
    cpu_recurrent_pack_now (rec, &run.data, memory);
    run.x = memory + rec->at_x;
    run.h = memory + rec->at_h;
    run.state = memory + rec->at_state;
    run.cell = memory + rec->at_cell;
    run.z = memory + rec->at_z;
    run.halves = memory + rec->at_f16;
    run.digits = memory + rec->at_digits;
    if (rec->few)
      run_few (&run, memory);
    for (guint i = 0; i < rec->dims.directions && !rec->few; i++) {
      set_direction (&run, memory, i);
      run_direction (&run, i);
    }
    clear_ends (&run);
  }
  cpu_widen_finish (&rec->widen, step);
  return TRUE;
}

#define RECURRENT(symbol)                                                      \
  const CpuOp cpu_op_##symbol = {                                              \
    .prepare = recurrent_prepare,                                              \
    .run = recurrent_run,                                                      \
  };

/* clang-format off */
RECURRENT (lstm_cell)
RECURRENT (lstm_sequence)
RECURRENT (gru_cell)
RECURRENT (gru_sequence)
RECURRENT (rnn_cell)
RECURRENT (rnn_sequence)
/* clang-format on */
