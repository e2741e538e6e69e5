/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/speech/whisper/graph/context.h"

#include <string.h>

#include "inference/base/tensor.h"
#include "inference/graph/ops/parameter.h"
#include "inference/speech/whisper/graph/edit.h"
#include "inference/speech/whisper/graph/graphs.h"

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

/* The value of @port, a constant of f32 or one that a Convert makes f32; NULL:
 * it is neither. (transfer full) */
static InferTensor *
value_of (const InferPort *port)
{
  const InferOperation *op = port->op;
  const InferTensor *stored =
      infer_op_is (op, &infer_op_convert) ? op->inputs[0].op->value : op->value;

  if (stored == NULL || speech_port_desc (port)->type != INFER_TYPE_F32)
    return NULL;
  InferTensor *value = infer_tensor_new (INFER_TYPE_F32, &stored->shape, NULL);
  if (value != NULL && !infer_tensor_copy (value, stored, NULL))
    g_clear_pointer (&value, infer_tensor_unref);
  return value;
}

/* Input @input of @op, the positional embedding, becomes a parameter: the rows
 * of *@embedding that there are positions for.  Were it cut in the graph, each
 * length would keep a copy. */
static gboolean
take_embedding (InferModel *model, InferOperation *op, guint input, int axis,
    InferTensor **embedding)
{
  const InferPort port = op->inputs[input];
  InferDesc desc = *speech_port_desc (&port);

  for (int d = 0; d < axis; d++)
    if (desc.shape.dims[d] != 1)
      return FALSE;
  if (*embedding != NULL)
    return FALSE;
  *embedding = value_of (&port);
  desc.shape.dims[axis] = INFER_DYNAMIC;
  InferOperation *parameter =
      *embedding == NULL
          ? NULL
          : speech_add_parameter (model, WHISPER_POSITIONS, &desc, NULL);
  if (parameter == NULL)
    return FALSE;
  infer_operation_connect (op, input, (InferPort){ parameter, 0 });
  return TRUE;
}

/* A constant of @positions rows that is added to what is computed. */
static gboolean
open_sum (InferModel *model, InferOperation *op, const guint8 *on,
    gint64 positions, InferTensor **embedding)
{
  for (guint i = 0; i < 2; i++) {
    const InferOperation *from = op->inputs[i].op;
    const InferOperation *other = op->inputs[1 - i].op;
    const InferShape *shape = &speech_port_desc (&op->inputs[i])->shape;
    const InferShape *to = &speech_port_desc (&op->inputs[1 - i])->shape;

    if (on[from->index] != SPEECH_ON_CONSTANTS
        || on[other->index] == SPEECH_ON_CONSTANTS || shape->rank < 2)
      continue;
    for (int d = 0; d < shape->rank; d++) {
      int like = d + to->rank - shape->rank;

      if (shape->dims[d] != positions)
        continue;
      if (like < 0 || !take_embedding (model, op, i, d, embedding))
        return FALSE;
    }
  }
  return TRUE;
}

/* @was_open: a stacked encoder of any length, which cuts its embedding itself.
 */
static gboolean
open_all (InferModel *model, gint64 positions, gboolean was_open,
    InferTensor **embedding)
{
  InferGraph *graph = model->graph;
  g_autofree guint8 *on = speech_dependence (graph, NULL);
  guint n = graph->operations->len;

  for (guint i = 0; i < n; i++) {
    InferOperation *op = graph->operations->pdata[i];

    if (infer_op_is (op, &infer_op_reshape)
        && !open_target (model, op, positions))
      return FALSE;
    if (infer_op_is (op, &infer_op_add)
        && !open_sum (model, op, on, positions, embedding))
      return FALSE;
  }
  return *embedding != NULL || was_open;
}

/* Whether the rewritten @model keeps the width and leaves the length open. */
static gboolean
is_open (const InferModel *model, gint64 width)
{
  const InferShape *out = &infer_model_output_desc (model, 0)->shape;

  return out->rank >= 3 && out->dims[out->rank - 2] == INFER_DYNAMIC
         && out->dims[out->rank - 1] == width;
}

/* The last dimension of what it gives. */
static gint64
width_of (const InferModel *model)
{
  const InferShape *out = &infer_model_output_desc (model, 0)->shape;

  return out->rank < 1 ? INFER_DYNAMIC : out->dims[out->rank - 1];
}

gboolean
whisper_open_context (
    InferModel *model, gint64 positions, InferTensor **embedding)
{
  g_autoptr (InferModel) copy = infer_model_copy (model);
  const gint64 width = width_of (model);
  const gboolean was_open =
      infer_model_output_desc (model, 0)->shape.rank == 4
      && infer_model_input_desc (model, 0)->shape.dims[2] == INFER_DYNAMIC;

  if (positions > 0 && width > 0) {
    set_length (copy, INFER_DYNAMIC);
    if (open_all (copy, positions, was_open, embedding)
        && speech_settle (copy, NULL) && is_open (copy, width)) {
      InferGraph *graph = model->graph;

      model->graph = copy->graph;
      copy->graph = graph;
      return TRUE;
    }
  }
  g_clear_pointer (embedding, infer_tensor_unref);
  set_length (model, 2 * positions);
  speech_settle (model, NULL);
  return FALSE;
}
