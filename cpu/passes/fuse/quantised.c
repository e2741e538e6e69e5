/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* MatMul (FakeQuantize (x) to 256 levels, weights of 8 bits with a scale for
 * each column), as quantised networks in IR have it and QDQ pairs of ONNX
 * become. */

#include <math.h>

#include "cpu/passes/fuse/fuse.h"

#include "cpu/ops/dynamic-matmul.h"
#include "inference/graph/compressed.h"
#include "inference/graph/ops/elementwise.h"
#include "inference/graph/ops/matmul.h"

#define MAX_DEPTH 32767
#define LEVELS 256
/* In levels: how far rounding may move the zero point from a whole level. */
#define NEAR 1e-3f

typedef struct
{
  InferPort x;
  CpuDynamicAttrs attrs;
  InferTensor *codes;          /* (transfer none) */
  InferTensor *scales, *zeros; /* of columns */
  gboolean has_zeros;
} Found;

static void
found_clear (Found *found)
{
  g_clear_pointer (&found->scales, infer_tensor_unref);
  g_clear_pointer (&found->zeros, infer_tensor_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Found, found_clear)

/* --- what is quantised --- */

static gboolean
find_levels (const InferPort *port, Found *found)
{
  const InferOperation *op = port->op;
  double limits[4];

  if (!infer_op_is (op, &infer_op_fake_quantize)
      || ((const InferBinary *) op->attrs)->levels != LEVELS)
    return FALSE;
  for (guint i = 0; i < 4; i++)
    if (!infer_port_number (&op->inputs[1 + i], &limits[i]))
      return FALSE;
  const float step = (float) ((limits[1] - limits[0]) / (LEVELS - 1));
  const float zero = (float) (-limits[0] / step);
  found->x = op->inputs[0];
  found->attrs.scale = step;
  found->attrs.zero = (int) rintf (zero);
  const InferDesc *x = &found->x.op->outputs[found->x.index].desc;
  return limits[0] == limits[2] && limits[1] == limits[3] && isnormal (step)
         && step > 0 && zero > -NEAR && zero < LEVELS - 1 + NEAR
         && fabsf (zero - rintf (zero)) < NEAR && x->type == INFER_TYPE_F32
         && x->shape.rank > 0;
}

/* --- weights --- */

static gboolean
find_weights (const InferPort *port, gboolean transposed, Found *found)
{
  InferCompressed c;
  float scale;
  int zero;

  if (!infer_compressed_find (port, &c) || c.shape.rank != 2
      || !infer_shape_equal (&c.shape, &c.codes->shape))
    return FALSE;
  const gsize k = (gsize) c.shape.dims[transposed ? 1 : 0];
  const gsize n = (gsize) c.shape.dims[transposed ? 0 : 1];
  const InferShape columns = infer_shape_make (1, (gint64) n);
  found->codes = c.codes;
  found->attrs.transposed = transposed;
  found->scales = infer_tensor_new (INFER_TYPE_F32, &columns, NULL);
  found->zeros = infer_tensor_new (INFER_TYPE_F32, &columns, NULL);
  if (k > MAX_DEPTH || found->scales == NULL || found->zeros == NULL)
    return FALSE;
  for (gsize j = 0; j < n; j++) {
    if (!infer_compressed_integers (
            &c, transposed ? j * k : j, transposed ? 1 : n, k, &scale, &zero))
      return FALSE;
    ((float *) found->scales->data)[j] = scale;
    ((float *) found->zeros->data)[j] = (float) zero;
    found->has_zeros = found->has_zeros || zero != 0;
  }
  return TRUE;
}

/* --- the pattern --- */

static void
connect (
    CpuFusion *fusion, InferOperation *op, guint input, InferTensor *constant)
{
  InferOperation *made = infer_operation_make_const (op->name, constant, NULL);

  infer_graph_add (fusion->graph, made);
  infer_operation_connect (op, input, (InferPort){ made, 0 });
}

static void
fuse_product (CpuFusion *fusion, InferOperation *product)
{
  const InferMatMul *attrs = product->attrs;
  g_auto (Found) found = { 0 };

  if (attrs->transpose_a || !find_levels (&product->inputs[0], &found)
      || !find_weights (&product->inputs[1], attrs->transpose_b, &found))
    return;
  InferOperation *op = infer_operation_new (&cpu_dynamic_matmul_class, 1,
      "opset1", product->name, found.has_zeros ? 4 : 3, 1);
  found.attrs.fixed = TRUE;
  *(CpuDynamicAttrs *) op->attrs = found.attrs;
  infer_operation_connect (op, CPU_DYNAMIC_X, found.x);
  connect (fusion, op, CPU_DYNAMIC_W, found.codes);
  connect (fusion, op, CPU_DYNAMIC_SCALE, found.scales);
  if (found.has_zeros)
    connect (fusion, op, CPU_DYNAMIC_ZERO, found.zeros);
  cpu_fusion_replace (fusion, product, op);
}

void
cpu_fuse_quantised (CpuFusion *fusion)
{
  const guint n = fusion->graph->operations->len;

  if (!cpu_isa_has_int8 (fusion->isa))
    return;
  for (guint i = 0; i < n; i++) {
    InferOperation *op = fusion->graph->operations->pdata[i];

    if (infer_op_is (op, &infer_op_matmul))
      fuse_product (fusion, op);
  }
}
