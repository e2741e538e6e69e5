/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the ONNX reader makes of DynamicQuantizeLinear, MatMulInteger, Cast and
 * Mul (inference/onnx/ops/quantize.c), matched from its end:
 *
 *     Multiply (Convert (Convert (MatMul (levels - zero, w - zero)) to i32)),
 *         scale of x * scale of w) */

#include "cpu/passes/fuse/fuse.h"

#include "cpu/ops/dynamic-matmul.h"
#include "inference/graph/ops/elementwise.h"
#include "inference/graph/ops/matmul.h"

#define MAX_DEPTH 32767

typedef struct
{
  InferPort x, scale; /* scale: of x, computed */
  InferPort w, w_scale, w_zero;
} Found;

static const InferDesc *
desc_of (const InferPort *port)
{
  return &port->op->outputs[port->index].desc;
}

/* Input @input of @port's operation if that is a @klass; else op NULL. */
static InferPort
input_of (InferPort port, const InferOpClass *klass, guint input)
{
  return port.op != NULL && infer_op_is (port.op, klass)
                 && input < port.op->n_inputs
             ? port.op->inputs[input]
             : (InferPort){ NULL, 0 };
}

/* What a Convert from @from to @to reads. */
static InferPort
converted (InferPort port, InferType from, InferType to)
{
  const InferPort x = input_of (port, &infer_op_convert, 0);

  return x.op != NULL && desc_of (&x)->type == from
                 && desc_of (&port)->type == to
             ? x
             : (InferPort){ NULL, 0 };
}

static gboolean
is_number (InferPort port, double want)
{
  double number;

  return port.op != NULL && infer_port_number (&port, &number)
         && number == want;
}

static gboolean
same (InferPort a, InferPort b)
{
  return a.op != NULL && infer_port_equal (&a, &b);
}

/* --- DynamicQuantizeLinear --- */

static InferPort
clamped (InferPort port)
{
  const InferPort x = input_of (port, &infer_op_clamp, 0);
  const InferUnary *attrs = x.op != NULL ? port.op->attrs : NULL;

  return attrs != NULL && attrs->a == 0 && attrs->b == 255
             ? x
             : (InferPort){ NULL, 0 };
}

static InferPort
rounded (InferPort port)
{
  const InferPort x = input_of (port, &infer_op_round, 0);
  const InferUnary *attrs = x.op != NULL ? port.op->attrs : NULL;

  return attrs != NULL && attrs->mode == INFER_ROUND_HALF_TO_EVEN
             ? x
             : (InferPort){ NULL, 0 };
}

/* Of all of @x, by @klass, and 0. */
static gboolean
is_extreme (InferPort port, const InferOpClass *with_zero,
    const InferOpClass *klass, InferPort x)
{
  const InferPort extreme = input_of (port, with_zero, 0);

  return extreme.op != NULL && is_number (input_of (port, with_zero, 1), 0)
         && same (input_of (extreme, klass, 0), x)
         && desc_of (&extreme)->shape.rank == 0;
}

/* found->scale is that of found->x. */
static gboolean
is_scale (const Found *found, InferPort *low)
{
  const InferPort range = input_of (found->scale, &infer_op_divide, 0);

  *low = input_of (range, &infer_op_subtract, 1);
  return is_number (input_of (found->scale, &infer_op_divide, 1), 255)
         && is_extreme (*low, &infer_op_minimum, &infer_op_reduce_min, found->x)
         && is_extreme (input_of (range, &infer_op_subtract, 0),
             &infer_op_maximum, &infer_op_reduce_max, found->x);
}

static gboolean
is_zero_point (InferPort zero, const Found *found, InferPort low)
{
  const InferPort ratio =
      clamped (rounded (converted (zero, INFER_TYPE_F32, INFER_TYPE_U8)));

  return same (input_of (ratio, &infer_op_divide, 1), found->scale)
         && same (input_of (input_of (ratio, &infer_op_divide, 0),
                      &infer_op_negative, 0),
             low);
}

/* @port: the levels of x minus their zero point, as floats. */
static gboolean
find_levels (InferPort port, Found *found)
{
  const InferPort zero = converted (
      input_of (port, &infer_op_subtract, 1), INFER_TYPE_U8, INFER_TYPE_F32);
  const InferPort levels = converted (
      input_of (port, &infer_op_subtract, 0), INFER_TYPE_U8, INFER_TYPE_F32);
  const InferPort sum =
      clamped (converted (levels, INFER_TYPE_F32, INFER_TYPE_U8));
  const InferPort ratio = rounded (input_of (sum, &infer_op_add, 0));
  InferPort low;

  found->x = input_of (ratio, &infer_op_divide, 0);
  found->scale = input_of (ratio, &infer_op_divide, 1);
  return zero.op != NULL && found->x.op != NULL
         && desc_of (&found->x)->type == INFER_TYPE_F32
         && desc_of (&found->x)->shape.rank > 0
         && same (converted (input_of (sum, &infer_op_add, 1), INFER_TYPE_U8,
                      INFER_TYPE_F32),
             zero)
         && is_scale (found, &low) && is_zero_point (zero, found, low);
}

/* --- weights --- */

/* A constant of f32: one number, or @n in the last dimension. */
static gboolean
is_per_column (InferPort port, gint64 n)
{
  const InferTensor *value = port.op != NULL ? port.op->value : NULL;

  if (value == NULL || value->type != INFER_TYPE_F32 || !value->dense)
    return FALSE;
  const gsize count = infer_shape_count (&value->shape);
  return count == 1
         || (count == (gsize) n && value->shape.rank > 0
             && value->shape.dims[value->shape.rank - 1] == n);
}

static gboolean
find_weights (InferPort port, Found *found)
{
  if (infer_op_is (port.op, &infer_op_subtract)) {
    found->w_zero = port.op->inputs[1];
    port = port.op->inputs[0];
  }
  found->w = input_of (port, &infer_op_convert, 0);
  const InferTensor *w = found->w.op != NULL ? found->w.op->value : NULL;
  if (w == NULL || !w->dense || w->shape.rank != 2 || w->shape.dims[0] < 1
      || w->shape.dims[0] > MAX_DEPTH || w->shape.dims[1] < 1)
    return FALSE;
  return (w->type == INFER_TYPE_I8 || w->type == INFER_TYPE_U8)
         && (found->w_zero.op == NULL
             || is_per_column (found->w_zero, w->shape.dims[1]));
}

/* The operand of Multiply @op that is @scale times a constant for columns. */
static gboolean
find_scale (const InferOperation *op, guint side, Found *found)
{
  const InferPort product = op->inputs[side];

  for (guint k = 0; k < 2; k++) {
    const InferPort w = input_of (product, &infer_op_multiply, k);

    if (w.op != NULL
        && same (input_of (product, &infer_op_multiply, 1 - k), found->scale)
        && is_per_column (w, found->w.op->value->shape.dims[1])) {
      found->w_scale = w;
      return TRUE;
    }
  }
  return FALSE;
}

/* --- the pattern --- */

static void
make (CpuFusion *fusion, const Found *found, const InferOperation *product,
    InferOperation *last)
{
  const guint n_inputs = found->w_zero.op != NULL ? 4 : 3;
  InferOperation *op = infer_operation_new (
      &cpu_dynamic_matmul_class, 1, "opset1", product->name, n_inputs, 1);

  infer_operation_connect (op, CPU_DYNAMIC_X, found->x);
  infer_operation_connect (op, CPU_DYNAMIC_W, found->w);
  infer_operation_connect (op, CPU_DYNAMIC_SCALE, found->w_scale);
  if (n_inputs > 3)
    infer_operation_connect (op, CPU_DYNAMIC_ZERO, found->w_zero);
  cpu_fusion_replace (fusion, last, op);
}

static void
fuse_product (CpuFusion *fusion, InferOperation *op)
{
  for (guint side = 0; side < 2; side++) {
    InferPort product =
        converted (converted (op->inputs[side], INFER_TYPE_I32, INFER_TYPE_F32),
            INFER_TYPE_F32, INFER_TYPE_I32);
    Found found = { .w_zero = { NULL, 0 } };

    /* DynamicQuantizeMatMul has no integers in between. */
    if (product.op == NULL)
      product = op->inputs[side];
    if (!infer_op_is (product.op, &infer_op_matmul))
      continue;
    const InferMatMul *attrs = product.op->attrs;
    if (!attrs->transpose_a && !attrs->transpose_b
        && find_levels (product.op->inputs[0], &found)
        && find_weights (product.op->inputs[1], &found)
        && find_scale (op, 1 - side, &found)) {
      make (fusion, &found, product.op, op);
      return;
    }
  }
}

void
cpu_fuse_dynamic (CpuFusion *fusion)
{
  const guint n = fusion->graph->operations->len;

  if (!cpu_isa_has_int8 (fusion->isa))
    return;
  for (guint i = 0; i < n; i++) {
    InferOperation *op = fusion->graph->operations->pdata[i];

    if (infer_op_is (op, &infer_op_multiply))
      fuse_product (fusion, op);
  }
}
