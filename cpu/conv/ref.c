/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/conv/impl.h"
#include "cpu/base/unpack.h"
#include "cpu/base/work-type.h"

/* The input position that tap @k of output position @o reads in dimension @d;
 * FALSE: it is padding, or lies between the strides of a transposed
 * convolution. */
static gboolean
input_of (const CpuConvGeometry *g, guint d, gsize o, gsize k, gsize *in)
{
  gint64 at;

  if (!g->transposed) {
    at = (gint64) o * g->stride[d] + (gint64) k * g->dilation[d] - g->pad[d];
  } else {
    at = (gint64) o + g->pad[d] - (gint64) k * g->dilation[d];
    if (at < 0 || at % g->stride[d] != 0)
      return FALSE;
    at /= g->stride[d];
  }
  *in = (gsize) at;
  return at >= 0 && at < (gint64) g->in[d];
}

/* Relative to the filter of the output channel. */
static gsize
filter_index (const CpuConvGeometry *g, gsize c, gsize kz, gsize ky, gsize kx)
{
  gsize channel = g->transposed ? c * g->oc : c;

  return ((channel * g->k[0] + kz) * g->k[1] + ky) * g->k[2] + kx;
}

#define REF_TYPE float
#define REF_NAME(what) what##_f32
#include "cpu/conv/ref.inc"
#define REF_TYPE double
#define REF_NAME(what) what##_f64
#include "cpu/conv/ref.inc"
/* Unsigned, because too large values wrap around, of either sign alike. */
#define REF_TYPE guint64
#define REF_NAME(what) what##_i64
#include "cpu/conv/ref.inc"

/* The type in which elements of @type are multiplied and added. */
static InferType
work_type (InferType type)
{
  if (type == INFER_TYPE_F64)
    return INFER_TYPE_F64;
  return infer_type_is_real (type) ? INFER_TYPE_F32 : INFER_TYPE_I64;
}

static gboolean
can (CpuStep *step, gconstpointer problem)
{
  return !cpu_conv_is_fast (step) && step->in[0]->form.quant == NULL;
}

static gpointer
prepare (CpuStep *step, gconstpointer problem, GError **error)
{
  InferType work = work_type (step->out[0]->desc.type);

  cpu_step_need_scratch (step, cpu_work_bytes (step->in[0], work)
                                   + cpu_work_bytes (step->in[1], work)
                                   + cpu_work_bytes (step->out[0], work));
  step->kernel = work == INFER_TYPE_F32   ? "ref_f32"
                 : work == INFER_TYPE_F64 ? "ref_f64"
                                          : "ref_i64";
  return cpu_step_want_data (step, 1, error) ? (gpointer) (gsize) problem
                                             : NULL;
}

static gboolean
run (CpuStep *step, gconstpointer problem, GError **error)
{
  const CpuConvGeometry *g = problem;
  CpuValue *out = step->out[0];
  InferType work = work_type (out->desc.type);
  char *scratch = step->scratch;
  gconstpointer data = cpu_work_input (step->in[0], work, &scratch);
  gconstpointer filters = cpu_work_input (step->in[1], work, &scratch);
  gpointer result = cpu_work_memory (out, work, &scratch);

  if (work == INFER_TYPE_F32)
    cpu_conv_ref_f32 (step, g, data, filters, result);
  else if (work == INFER_TYPE_F64)
    cpu_conv_ref_f64 (step, g, data, filters, result);
  else
    cpu_conv_ref_i64 (step, g, data, filters, result);
  cpu_work_output (out, work, result);
  return TRUE;
}

const CpuImpl cpu_conv_impl_ref = {
  .name = "ref",
  .can = can,
  .prepare = prepare,
  .run = run,
};
