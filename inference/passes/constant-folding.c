/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Evaluates operations whose inputs are all constants. */

#include "inference/passes/pass.h"

#include "inference/base/cancel.h"
#include "inference/graph/evaluate.h"
#include "inference/graph/work.h"
#include "inference/passes/fold-cache.h"

/* Limits the size of constants made from a small file (Broadcast, Tile, Range).
 */
#define MAX_BYTES ((gsize) 32 << 20)
#define MAX_GROWTH 8
#define SMALL_BYTES ((gsize) 64 << 10)
/* Decompressed weights have no more elements than the file. */
#define MAX_WEIGHTS_BYTES ((gsize) 1 << 30)

/* In all, elements read and written and multiplications: a second or so for a
 * small file, for a large one several passes over its constants. */
#define MAX_WORK ((double) (1 << 30))
#define MAX_PASSES 32

static gboolean
gather_values (
    const InferOperation *op, const InferTensor **values, gsize *bytes)
{
  *bytes = 0;
  for (guint i = 0; i < op->n_inputs; i++) {
    const InferOperation *producer = op->inputs[i].op;

    if (producer == NULL || producer->value == NULL)
      return FALSE;
    values[i] = producer->value;
    *bytes += producer->value->size;
  }
  return TRUE;
}

/* Whether the output has at most as many elements as the largest operand. */
static gboolean
keeps_count (const InferOperation *op, const InferTensor *const *values)
{
  const InferShape *out = &op->outputs[0].desc.shape;
  gsize most = 0;

  for (guint i = 0; i < op->n_inputs; i++)
    most = MAX (most, infer_shape_count (&values[i]->shape));
  return op->n_outputs == 1 && infer_shape_is_static (out)
         && infer_shape_count (out) <= most;
}

static double
work_of (const InferOperation *op, const InferTensor *const *values,
    const InferDesc *descs)
{
  double sum = infer_work_in_graph (op, descs);

  for (guint i = 0; i < op->n_inputs; i++)
    sum += (double) infer_shape_count (&values[i]->shape);
  for (guint k = 0; k < op->n_outputs; k++)
    sum += infer_work_elements (&descs[k]);
  return sum;
}

/* *@left: the work that may still be done. */
static gboolean
compute (const InferOperation *op, InferTensor **outputs, double *left)
{
  g_autofree const InferTensor **values =
      g_new0 (const InferTensor *, op->n_inputs + 1);
  g_autofree InferDesc *descs = g_new0 (InferDesc, op->n_outputs + 1);
  gsize bytes;

  if (infer_op_is (op, &infer_op_shape_of)) {
    const InferPort *port = &op->inputs[0];

    outputs[0] = infer_evaluate_shape (
        &port->op->outputs[port->index].desc.shape, &op->outputs[0].desc);
    return outputs[0] != NULL;
  }
  if (op->value != NULL || op->n_inputs == 0 || op->n_outputs == 0
      || infer_op_is (op, &infer_op_result)
      || !gather_values (op, values, &bytes))
    return FALSE;
  for (guint k = 0; k < op->n_outputs; k++)
    descs[k] = op->outputs[k].desc;
  bytes = MIN (MAX (bytes * MAX_GROWTH, SMALL_BYTES),
      keeps_count (op, values) ? MAX_WEIGHTS_BYTES : MAX_BYTES);
  if (!infer_can_evaluate (op, descs, bytes))
    return FALSE;
  const double work = work_of (op, values, descs);
  if (work > *left)
    return FALSE;
  *left -= work;
  return infer_evaluate (op, values, outputs);
}

static gboolean
replace (InferGraph *graph, InferOperation *op, guint k, InferTensor *value)
{
  g_autofree char *name = op->n_outputs == 1
                              ? g_strdup (op->name)
                              : g_strdup_printf ("%s.%u", op->name, k);
  InferOperation *constant = infer_operation_make_const (name, value, NULL);

  if (constant == NULL)
    return FALSE;
  infer_output_set_names (
      &constant->outputs[0], (const char *const *) op->outputs[k].names);
  infer_graph_add (graph, constant);
  return infer_port_replace ((InferPort){ op, k }, (InferPort){ constant, 0 });
}

static double
allowed_work (const InferGraph *graph)
{
  double elements = 0;

  for (guint i = 0; i < graph->operations->len; i++) {
    const InferOperation *op = graph->operations->pdata[i];

    if (op->value != NULL)
      elements += (double) infer_shape_count (&op->value->shape);
  }
  return MAX (MAX_WORK, MAX_PASSES * elements);
}

static gboolean
run (InferGraph *graph, InferCache *cache)
{
  g_autoptr (InferFoldCache) found = infer_fold_cache_new (graph, cache);
  const guint n = graph->operations->len;
  double left = allowed_work (graph);
  gboolean changed = FALSE;

  /* Where the load is cancelled, the driver sees it after this pass. */
  for (guint i = 0; i < n && infer_cancel_check_current (NULL); i++) {
    InferOperation *op = graph->operations->pdata[i];
    g_autofree InferTensor **outputs =
        g_new0 (InferTensor *, op->n_outputs + 1);

    if (op->kept)
      continue;
    InferFold fold = infer_fold_cache_look (found, op, outputs);
    if (fold == INFER_FOLD_SKIP
        || (fold == INFER_FOLD_COMPUTE && !compute (op, outputs, &left)))
      continue;
    infer_fold_cache_keep (found, op, outputs);
    for (guint k = 0; k < op->n_outputs; k++) {
      changed |= replace (graph, op, k, outputs[k]);
      infer_tensor_unref (outputs[k]);
    }
  }
  return changed;
}

const InferPass infer_pass_constant_folding = { "constant-folding",
  .run = run };
