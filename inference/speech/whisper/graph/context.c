/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/speech/whisper/graph/context.h"

#include <string.h>

#include "inference/base/tensor.h"
#include "inference/graph/ops/parameter.h"
#include "inference/speech/whisper/graph/edit.h"

static void
set_length (InferModel *model, gint64 frames)
{
  InferOperation *op = model->graph->parameters->pdata[0];
  InferParameterAttrs attrs = *(const InferParameterAttrs *) op->attrs;

  attrs.desc.shape.dims[0] = 1;
  attrs.desc.shape.dims[2] = frames;
  attrs.lower = attrs.upper = attrs.desc.shape;
  if (frames < 0) {
    attrs.lower.dims[2] = 0;
    attrs.upper.dims[2] = G_MAXINT64;
  }
  infer_operation_renew_attrs (op);
  *(InferParameterAttrs *) op->attrs = attrs;
}

/* [0, positions, heads, size] → [0, -1, heads, size] */
static gboolean
open_target (InferModel *model, InferOperation *reshape, gint64 positions)
{
  const InferOperation *target = reshape->inputs[1].op;
  g_autoptr (GArray) values = NULL;
  guint place = 0, n = 0;

  if (target == NULL || target->value == NULL)
    return TRUE;
  values = infer_tensor_to_ints (target->value);
  for (guint i = 0; values != NULL && i < values->len; i++) {
    gint64 value = g_array_index (values, gint64, i);

    if (value == -1)
      return TRUE;
    if (value == positions) {
      place = i;
      n++;
    }
  }
  if (n == 0)
    return TRUE;
  if (n > 1)
    return FALSE;
  g_array_index (values, gint64, place) = -1;
  InferOperation *open = whisper_add_ints (model, "open", FALSE, values->len,
      (const gint64 *) (gpointer) values->data, NULL);
  if (open == NULL)
    return FALSE;
  infer_operation_connect (reshape, 1, (InferPort){ open, 0 });
  return TRUE;
}

/* Output 0 of a new operation @type of @inputs. */
static gboolean
add (InferModel *model, const char *type, guint n, const InferPort *inputs,
    InferPort *out)
{
  InferOperation *op = infer_operation_make (type, "open", n, 1, NULL, NULL);

  if (op == NULL)
    return FALSE;
  for (guint i = 0; i < n; i++)
    infer_operation_connect (op, i, inputs[i]);
  infer_graph_add (model->graph, op);
  *out = (InferPort){ op, 0 };
  return TRUE;
}

static gboolean
add_int (InferModel *model, gint64 value, InferPort *out)
{
  InferOperation *op = whisper_add_ints (model, "open", FALSE, 1, &value, NULL);

  *out = (InferPort){ op, 0 };
  return op != NULL;
}

/* Input @input of @op, the positional embedding, is cut at its dimension @axis
 * to the length of the other input's dimension @like. */
static gboolean
cut_embedding (
    InferModel *model, InferOperation *op, guint input, int axis, int like)
{
  InferPort shape[3], length, zero, one, dim, cut;

  if (!add (model, "ShapeOf", 1, &op->inputs[1 - input], &shape[0])
      || !add_int (model, like, &shape[1]) || !add_int (model, 0, &shape[2])
      || !add (model, "Gather", 3, shape, &length) || !add_int (model, 0, &zero)
      || !add_int (model, 1, &one) || !add_int (model, axis, &dim))
    return FALSE;
  const InferPort slice[] = { op->inputs[input], zero, length, one, dim };
  if (!add (model, "Slice", G_N_ELEMENTS (slice), slice, &cut))
    return FALSE;
  infer_operation_connect (op, input, cut);
  return TRUE;
}

/* A constant of @positions rows that is added to what is computed. */
static gboolean
open_sum (InferModel *model, InferOperation *op, const guint8 *on,
    gint64 positions, guint *n_cut)
{
  for (guint i = 0; i < 2; i++) {
    const InferOperation *from = op->inputs[i].op;
    const InferOperation *other = op->inputs[1 - i].op;
    const InferShape *shape = &whisper_port_desc (&op->inputs[i])->shape;
    const InferShape *to = &whisper_port_desc (&op->inputs[1 - i])->shape;

    if (on[from->index] != WHISPER_ON_CONSTANTS
        || on[other->index] == WHISPER_ON_CONSTANTS || shape->rank < 2)
      continue;
    for (int d = 0; d < shape->rank; d++) {
      int like = d + to->rank - shape->rank;

      if (shape->dims[d] != positions)
        continue;
      if (like < 0 || !cut_embedding (model, op, i, d, like))
        return FALSE;
      (*n_cut)++;
    }
  }
  return TRUE;
}

static gboolean
open_all (InferModel *model, gint64 positions)
{
  InferGraph *graph = model->graph;
  g_autofree guint8 *on = whisper_dependence (graph, NULL);
  guint n = graph->operations->len, n_cut = 0;

  for (guint i = 0; i < n; i++) {
    InferOperation *op = graph->operations->pdata[i];

    if (infer_op_is (op, &infer_op_reshape)
        && !open_target (model, op, positions))
      return FALSE;
    if (infer_op_is (op, &infer_op_add)
        && !open_sum (model, op, on, positions, &n_cut))
      return FALSE;
  }
  return n_cut > 0;
}

/* Whether the rewritten @model keeps the width and leaves the length open. */
static gboolean
is_open (const InferModel *model, gint64 width)
{
  const InferShape *out = &infer_model_output_desc (model, 0)->shape;

  return out->rank == 3 && out->dims[1] == INFER_DYNAMIC
         && out->dims[2] == width;
}

gboolean
whisper_open_context (InferModel *model, gint64 positions)
{
  g_autoptr (InferModel) copy = infer_model_copy (model);
  gint64 width = infer_model_output_desc (model, 0)->shape.dims[2];

  if (positions > 0 && width > 0) {
    set_length (copy, INFER_DYNAMIC);
    if (open_all (copy, positions) && whisper_settle (copy, NULL)
        && is_open (copy, width)) {
      InferGraph *graph = model->graph;

      model->graph = copy->graph;
      copy->graph = graph;
      return TRUE;
    }
  }
  set_length (model, 2 * positions);
  whisper_settle (model, NULL);
  return FALSE;
}
