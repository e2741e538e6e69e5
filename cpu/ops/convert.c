/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/base/step.h"

#include <string.h>

#define GRAIN 16384

typedef struct
{
  const CpuKernels *kernels;
  const CpuValue *in;
  CpuValue *out;
} Conversion;

static void
convert_range (gpointer data, gsize begin, gsize end, guint thread)
{
  const Conversion *c = data;
  InferType from = c->in->desc.type, to = c->out->desc.type;
  const char *src = (const char *) c->in->data + begin * infer_type_size (from);
  char *dst = (char *) c->out->data + begin * infer_type_size (to);

  if (from == to)
    memmove (dst, src, (end - begin) * infer_type_size (to));
  else if (from == INFER_TYPE_F16 && to == INFER_TYPE_F32)
    c->kernels->f16_to_f32 ((gpointer) dst, (gconstpointer) src, end - begin);
  else if (from == INFER_TYPE_F32 && to == INFER_TYPE_F16)
    c->kernels->f32_to_f16 ((gpointer) dst, (gconstpointer) src, end - begin);
  else if (from == INFER_TYPE_I8 && to == INFER_TYPE_F32)
    c->kernels->i8_to_f32 ((gpointer) dst, (gconstpointer) src, end - begin);
  else if (from == INFER_TYPE_U8 && to == INFER_TYPE_F32)
    c->kernels->u8_to_f32 ((gpointer) dst, (gconstpointer) src, end - begin);
  else
    infer_convert (dst, to, src, from, end - begin);
}

static gboolean
convert (CpuStep *step, guint index)
{
  Conversion c = { step->kernels, step->in[index], step->out[index] };
  gboolean bytes = infer_type_size (c.in->desc.type) > 0
                   && infer_type_size (c.out->desc.type) > 0;

  /* Elements smaller than a byte cannot be addressed by themselves. */
  if (bytes)
    cpu_step_parallel (step, c.in->n, GRAIN, convert_range, &c);
  else if (c.in->desc.type == c.out->desc.type)
    memmove (c.out->data, c.in->data,
        (c.in->n * infer_type_bits (c.in->desc.type) + 7) / 8);
  else
    infer_convert (
        c.out->data, c.out->desc.type, c.in->data, c.in->desc.type, c.in->n);
  return TRUE;
}

static gboolean
prepare (CpuStep *step, GError **error)
{
  for (guint i = 0; i < step->n_out; i++) {
    InferType from = step->in[i]->desc.type, to = step->out[i]->desc.type;

    if (from != to && !infer_convert (NULL, to, NULL, from, 0))
      return infer_fail (error, INFER_ERROR_UNSUPPORTED,
          "no conversion from %s to %s", infer_type_name (from),
          infer_type_name (to));
  }
  step->kernel = "ref";
  return TRUE;
}

static gboolean
run (CpuStep *step, GError **error)
{
  for (guint i = 0; i < step->n_out; i++)
    convert (step, i);
  return TRUE;
}

#define CONVERT(name, flags_)                                                  \
  const CpuOp cpu_op_##name = {                                                \
    .flags = flags_,                                                           \
    .prepare = prepare,                                                        \
    .run = run,                                                                \
  };

/* In-place only for equal element sizes, which the plan checks. */
/* clang-format off */
CONVERT (convert, CPU_OP_INPLACE | CPU_OP_ANY_LAYOUT)
CONVERT (convert_like, CPU_OP_NONE)
CONVERT (convert_promote_types, CPU_OP_NONE)
/* clang-format on */
