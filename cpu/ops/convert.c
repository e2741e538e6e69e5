/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/base/step.h"

#include <string.h>

#include "cpu/ops/op-table.h"

#define GRAIN 16384

/* Elements at a time of a conversion through a type between. */
#define SOME 512

typedef struct
{
  const CpuKernels *kernels;
  const CpuValue *in;
  CpuValue *out;
  InferType between; /* dynamic: none */
} Conversion;

/* Private data of a step that also runs the Convert before it. */
typedef struct
{
  const CpuStep *earlier;
} Through;

static void
convert_some (const CpuKernels *kernels, gpointer dst, InferType to,
    gconstpointer src, InferType from, gsize n)
{
  if (from == to)
    memmove (dst, src, n * infer_type_size (to));
  else if (from == INFER_TYPE_F16 && to == INFER_TYPE_F32)
    kernels->f16_to_f32 (dst, src, n);
  else if (from == INFER_TYPE_F32 && to == INFER_TYPE_F16)
    kernels->f32_to_f16 (dst, src, n);
  else if (from == INFER_TYPE_I8 && to == INFER_TYPE_F32)
    kernels->i8_to_f32 (dst, src, n);
  else if (from == INFER_TYPE_U8 && to == INFER_TYPE_F32)
    kernels->u8_to_f32 (dst, src, n);
  else
    infer_convert (dst, to, src, from, n);
}

static void
convert_range (gpointer data, gsize begin, gsize end, guint thread)
{
  const Conversion *c = data;
  const InferType from = c->in->desc.type, to = c->out->desc.type;
  const char *src = (const char *) c->in->data + begin * infer_type_size (from);
  char *dst = (char *) c->out->data + begin * infer_type_size (to);
  guint64 between[SOME]; /* of the largest type */

  if (c->between == INFER_TYPE_DYNAMIC) {
    convert_some (c->kernels, dst, to, src, from, end - begin);
    return;
  }
  for (gsize left = end - begin, n; left > 0; left -= n) {
    n = MIN (left, SOME);
    convert_some (c->kernels, between, c->between, src, from, n);
    convert_some (c->kernels, dst, to, between, c->between, n);
    src += n * infer_type_size (from);
    dst += n * infer_type_size (to);
  }
}

static gboolean
convert (CpuStep *step, guint index)
{
  const Through *through = step->priv;
  Conversion c = { step->kernels, step->in[index], step->out[index],
    INFER_TYPE_DYNAMIC };
  gboolean bytes = infer_type_size (c.in->desc.type) > 0
                   && infer_type_size (c.out->desc.type) > 0;

  if (through != NULL) {
    c.in = through->earlier->in[0];
    c.between = through->earlier->out[0]->desc.type;
  }
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

static gboolean
has_bytes (const CpuValue *value)
{
  return infer_type_size (value->desc.type) > 0;
}

/* A Convert may round to a type that the next one leaves again: the values
 * between need no memory of their own. */
static gboolean
take_over (CpuStep *step, CpuStep *earlier, guint input)
{
  if (input != 0 || step->n_out != 1 || step->priv != NULL
      || earlier->priv != NULL
      || (earlier->cpu_op != &cpu_op_convert
          && earlier->cpu_op != &cpu_op_convert_like)
      || !has_bytes (earlier->in[0]) || !has_bytes (earlier->out[0])
      || !has_bytes (step->out[0]) || earlier->n_posts > 0)
    return FALSE;
  Through *through = g_new0 (Through, 1);
  through->earlier = earlier;
  step->priv = through;
  return TRUE;
}

#define CONVERT(name, flags_)                                                  \
  const CpuOp cpu_op_##name = {                                                \
    .flags = flags_,                                                           \
    .prepare = prepare,                                                        \
    .fuse_producer = take_over,                                                \
    .run = run,                                                                \
  };

/* In-place only for equal element sizes, which the plan checks. */
/* clang-format off */
CONVERT (convert, CPU_OP_INPLACE | CPU_OP_ANY_LAYOUT)
CONVERT (convert_like, CPU_OP_NONE)
CONVERT (convert_promote_types, CPU_OP_NONE)
/* clang-format on */
