/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/ops/recurrent.h"

#include "cpu/base/f16-gemm.h"
#include "cpu/base/scope.h"
#include "cpu/gemm/gemm.h"

#include <string.h>

/* Where gate @g of a direction lies in W and R. */
static gsize
part_of (const CpuRecurrentDims *d, gsize direction, guint g)
{
  return direction * d->gates
         + (d->attrs->cell == INFER_CELL_LSTM ? d->attrs->order[g] : g);
}

static void
pack_weights (
    const CpuRecurrent *rec, float *to, const CpuLooseFloat *from, gsize k)
{
  const CpuRecurrentDims *d = &rec->dims;
  for (gsize direction = 0; direction < d->directions; direction++)
    for (guint g = 0; g < d->gates; g++) {
      const gsize part = part_of (d, direction, g);
      cpu_gemm_pack (to + (direction * d->gates + g) * rec->padded * k,
          from + part * d->hidden * k, k, d->hidden, 1, k);
    }
}

/* Those of W, whose gates may not be padded to panels. */
static void
pack_input_weights (
    const CpuRecurrent *rec, float *to, const CpuLooseFloat *from)
{
  const CpuRecurrentDims *d = &rec->dims;
  const gsize k = d->input;

  if (rec->gate == rec->padded) {
    pack_weights (rec, to, from, k);
    return;
  }
  memset (to, 0, d->directions * rec->w.step * sizeof *to);
  for (gsize direction = 0; direction < d->directions; direction++)
    for (guint g = 0; g < d->gates; g++)
      for (gsize j = 0; j < d->hidden; j++) {
        const gsize column = g * rec->gate + j;
        const CpuLooseFloat *src =
            from + (part_of (d, direction, g) * d->hidden + j) * k;
        float *dst = to + direction * rec->w.step
                     + column / CPU_GEMM_PANEL * CPU_GEMM_PANEL * k
                     + column % CPU_GEMM_PANEL;

        for (gsize i = 0; i < k; i++)
          dst[i * CPU_GEMM_PANEL] = src[i];
      }
}

/* Packs gate by gate, so that some can be computed alone. */
static gpointer
pack_products (const CpuRecurrent *rec, const float *from, gsize k,
    gboolean bf16, gsize *bytes)
{
  const CpuRecurrentDims *d = &rec->dims;
  const gsize size = cpu_f16_matrix_size (k, rec->padded, bf16);
  const gsize parts = d->directions * d->gates;
  char *to = NULL;

  if (g_size_checked_mul (bytes, parts, size))
    to = cpu_alloc_pack (*bytes);
  for (gsize part = 0; part < parts && to != NULL; part++) {
    const gsize at =
        part_of (d, part / d->gates, (guint) (part % d->gates)) * d->hidden * k;

    if (!cpu_f16_pack_matrix (
            to + part * size, from + at, k, d->hidden, 1, k, bf16))
      g_clear_pointer (&to, cpu_free);
  }
  return to;
}

static void
pack_bias (const CpuRecurrent *rec, float *to, const CpuLooseFloat *from)
{
  const CpuRecurrentDims *d = &rec->dims;
  memset (to, 0, d->directions * rec->b.step * sizeof *to);
  for (gsize direction = 0; direction < d->directions && from; direction++)
    for (guint g = 0; g < d->biases; g++) {
      gsize part = direction * d->biases + g;
      /* linear_before_reset has a bias more, of gate h for R alone. */
      gsize place = g < d->gates ? g * rec->gate : rec->row + 2 * rec->gate;
      memcpy (to + direction * rec->b.step + place, from + part * d->hidden,
          d->hidden * sizeof *to);
    }
}

static gpointer
make_packed (const CpuStep *step, guint input, gpointer data, gsize *bytes)
{
  const CpuRecurrent *rec = data;
  const CpuRecurrentDims *d = &rec->dims;
  const CpuValue *value = step->in[input];
  gsize k = input == d->w ? d->input : d->hidden;
  const CpuRecurrentWeights *weights = input == d->w       ? &rec->w
                                       : input == d->w + 1 ? &rec->r
                                                           : &rec->b;
  gsize floats = d->directions * weights->step;
  g_autoptr (CpuBorrowedFloats) copy = NULL;
  const CpuLooseFloat *from = cpu_gemm_floats (step->kernels, value, &copy);
  if (weights->products)
    return from ? pack_products (
               rec, (const float *) from, k, weights->bf16, bytes)
                : NULL;
  const gsize room = MAX (floats, 1) * sizeof (float);
  /* Halves are copied to memory of their own. */
  float *to = weights->half ? cpu_borrow (room) : cpu_alloc_pack (room);
  if (!to || !from) {
    (weights->half ? cpu_return : cpu_free) (to);
    return NULL;
  }
  if (input == d->w + 2)
    pack_bias (rec, to, from);
  else if (input == d->w)
    pack_input_weights (rec, to, from);
  else
    pack_weights (rec, to, from, k);
  return cpu_gemm_finish_pack (step->kernels, to, floats, weights->half, bytes);
}

/* Fewer weights are in the first-level cache anyway, and converting the state
 * takes longer than few products. */
#define LEAST_PRODUCTS 8192

/* Rows from which on integers are no faster than floats. */
#define MANY_ROWS 32

/* Packs one matrix all gates of which are computed together. */
static gboolean
pack_integers (
    CpuStep *step, CpuRecurrent *rec, guint input, CpuRecurrentWeights *weights)
{
  const CpuRecurrentDims *d = &rec->dims;
  const gboolean of_input = weights == &rec->w;
  const gsize k = of_input ? d->input : d->hidden;
  const gsize rows = d->batch * (of_input ? d->time : 1);

  if (weights == &rec->b || d->directions > 1 || d->hidden != rec->padded
      || infer_recurrent_is_reordered (d->attrs) || rows >= MANY_ROWS
      || (!of_input && d->attrs->cell == INFER_CELL_GRU
          && !d->attrs->linear_before_reset))
    return FALSE;
  weights->packed =
      cpu_gemm_integers (step, input, k, d->gates * d->hidden, 1, k);
  weights->integers = weights->packed != NULL;
  if (weights->integers)
    rec->digits_room = MAX (
        rec->digits_room, cpu_gemm_integers_room (weights->packed, rows, k, 0));
  return weights->integers;
}

gboolean
cpu_recurrent_has_few_units (const CpuRecurrentDims *d)
{
  return d->attrs->cell == INFER_CELL_GRU && d->attrs->linear_before_reset
         && d->hidden <= CPU_GEMM_PANEL;
}

void
cpu_recurrent_place_gates (CpuRecurrent *rec)
{
  const CpuRecurrentDims *d = &rec->dims;
  const gsize products = d->directions * d->gates * d->hidden * d->input;

  rec->gate =
      cpu_recurrent_has_few_units (d) && products < LEAST_PRODUCTS
          ? (d->hidden + CPU_GRU_LANES - 1) / CPU_GRU_LANES * CPU_GRU_LANES
          : rec->padded;
  rec->row = (d->gates * rec->gate + CPU_GEMM_PANEL - 1) / CPU_GEMM_PANEL
             * CPU_GEMM_PANEL;
}

gboolean
cpu_recurrent_place_weights (CpuStep *step, CpuRecurrent *rec, guint input,
    CpuRecurrentWeights *weights, gsize *total, guint32 *skip, GError **error)
{
  const CpuRecurrentDims *d = &rec->dims;
  if (!cpu_has_in (step, input) || !step->in[input]->constant) {
    weights->at = *total / sizeof (float);
    *total =
        cpu_scratch_add (*total, d->directions * weights->step, sizeof (float));
    return TRUE;
  }
  const gboolean f16 = cpu_f16_wanted (step, input);
  weights->bf16 = !f16
                  && cpu_bf16_wanted (step, input,
                      d->batch * (weights == &rec->w ? d->time : 1));
  weights->products = weights != &rec->b && step->in[input]->n >= LEAST_PRODUCTS
                      && (f16 || weights->bf16);
  *skip |= (guint32) 1 << input;
  if (!weights->products && pack_integers (step, rec, input, weights))
    return TRUE;
  weights->half = weights != &rec->b && !weights->products
                  && !cpu_recurrent_has_few_units (d)
                  && cpu_gemm_wants_f16 (step, input);
  if (weights->products)
    weights->step =
        d->gates
        * cpu_f16_matrix_size (weights == &rec->w ? d->input : d->hidden,
            rec->padded, weights->bf16);
  gint64 params[] = { (gint64) d->hidden, d->attrs->cell, input - d->w,
    weights->half + (weights->products ? 2 + weights->bf16 : 0),
    d->attrs->linear_before_reset, 0 };
  memcpy (&params[5], d->attrs->order, sizeof d->attrs->order);
  weights->packed =
      (weights->products ? cpu_step_pack : cpu_step_pack_loose) (step, input,
          CPU_PACK_RECURRENT, G_N_ELEMENTS (params), params, make_packed, rec);
  return weights->packed
         || infer_fail (
             error, INFER_ERROR_NO_MEMORY, "no memory to pack the weights");
}

void
cpu_recurrent_pack_now (
    const CpuRecurrent *rec, const CpuRecurrentData *data, float *memory)
{
  if (!rec->w.packed)
    pack_input_weights (rec, memory + rec->w.at, data->w);
  if (!rec->r.packed)
    pack_weights (rec, memory + rec->r.at, data->r, rec->dims.hidden);
  if (!rec->b.packed)
    pack_bias (rec, memory + rec->b.at, data->b);
}

gconstpointer
cpu_recurrent_weights_of (
    const CpuRecurrentWeights *weights, const float *memory, gsize direction)
{
  gsize size = weights->products ? 1
               : weights->half   ? sizeof (guint16)
                                 : sizeof (float);
  const char *base = weights->packed ? weights->packed
                                     : (gconstpointer) (memory + weights->at);
  return base + direction * weights->step * size;
}
