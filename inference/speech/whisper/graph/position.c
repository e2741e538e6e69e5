/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/speech/whisper/graph/position.h"

#include "inference/speech/whisper/graph/edit.h"
#include "inference/speech/whisper/graph/graphs.h"

#define POSITION "cache_position"
#define OFFSET "offset"

static InferOperation *
find_input (const InferModel *model, const char *name)
{
  int index = infer_model_find_input (model, name, NULL);

  return index < 0 ? NULL : model->graph->parameters->pdata[(guint) index];
}

gboolean
whisper_wants_position (const InferModel *model)
{
  return find_input (model, POSITION) != NULL
         || find_input (model, OFFSET) != NULL;
}

/* --- operations --- */

/* Takes @op (nullable) into the graph; FALSE: it is NULL. */
static gboolean
take (InferModel *model, InferOperation *op, guint n, const InferPort *inputs)
{
  if (op == NULL)
    return FALSE;
  for (guint i = 0; i < n; i++)
    infer_operation_connect (op, i, inputs[i]);
  infer_graph_add (model->graph, op);
  return TRUE;
}

static gboolean
add_sum (
    InferModel *model, InferPort a, InferPort b, InferPort *sum, GError **error)
{
  InferOperation *op = infer_operation_make (
      "Add", "position", 2, 1, error, "auto_broadcast", "numpy", NULL);

  *sum = (InferPort){ op, 0 };
  return take (model, op, 2, (InferPort[]){ a, b });
}

/* Element 1 of the shape of the tokens; @scalar or [1]. */
static gboolean
add_length (
    InferModel *model, gboolean scalar, InferPort *length, GError **error)
{
  static const gint64 zero = 0, one = 1;
  InferOperation *ids = find_input (model, WHISPER_TOKENS);

  if (ids == NULL)
    ids = find_input (model, "decoder_input_ids");
  if (ids == NULL)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%s: it has no input '" WHISPER_TOKENS "', as a decoder of Whisper has",
        infer_model_get_path (model));
  InferOperation *axis =
      whisper_add_ints (model, "axis", TRUE, 1, &zero, error);
  InferOperation *which =
      axis == NULL ? NULL
                   : whisper_add_ints (model, "which", scalar, 1, &one, error);
  if (which == NULL)
    return FALSE;
  InferOperation *shape = infer_operation_make (
      "ShapeOf", "shape", 1, 1, error, "output_type", "i64", NULL);
  if (!take (model, shape, 1, (InferPort[]){ { ids, 0 } }))
    return FALSE;
  InferOperation *gather = infer_operation_make (
      "Gather", "length", 3, 1, error, "batch_dims", "0", NULL);
  *length = (InferPort){ gather, 0 };
  return take (model, gather, 3,
      (InferPort[]){ { shape, 0 }, { which, 0 }, { axis, 0 } });
}

gboolean
whisper_add_count (InferModel *model, InferPort *count, GError **error)
{
  return add_length (model, FALSE, count, error);
}

/* 0, 1, … for each token. */
static gboolean
add_numbers (InferModel *model, InferPort *numbers, GError **error)
{
  static const gint64 zero = 0, one = 1;
  InferPort length;

  if (!add_length (model, TRUE, &length, error))
    return FALSE;
  InferOperation *start =
      whisper_add_ints (model, "start", TRUE, 1, &zero, error);
  InferOperation *step =
      start == NULL ? NULL
                    : whisper_add_ints (model, "step", TRUE, 1, &one, error);
  InferOperation *range = step == NULL
                              ? NULL
                              : infer_operation_make ("Range", "numbers", 3, 1,
                                  error, "output_type", "i64", NULL);
  *numbers = (InferPort){ range, 0 };
  return take (
      model, range, 3, (InferPort[]){ { start, 0 }, length, { step, 0 } });
}

/* --- the count --- */

/* A variable to which each call adds its tokens; *@before: without them. */
static gboolean
add_variable (InferModel *model, InferPort *before, GError **error)
{
  static const gint64 zero = 0;
  const InferDesc desc = { INFER_TYPE_I64, infer_shape_make (1, (gint64) 1) };
  InferPort count, next;
  InferOperation *start =
      whisper_add_ints (model, WHISPER_COUNT, FALSE, 1, &zero, error);

  if (start == NULL)
    return FALSE;
  InferOperation *read =
      infer_operation_make_read (WHISPER_COUNT, &desc, 1, error);
  *before = (InferPort){ read, 0 };
  if (!take (model, read, 1, (InferPort[]){ { start, 0 } })
      || !whisper_add_count (model, &count, error)
      || !add_sum (model, *before, count, &next, error))
    return FALSE;
  InferOperation *assign =
      infer_operation_make_assign (WHISPER_COUNT "/next", WHISPER_COUNT, error);
  return take (model, assign, 1, &next);
}

static gboolean
add_before (
    InferModel *model, gboolean first, InferPort *before, GError **error)
{
  static const gint64 zero = 0;

  if (!first)
    return add_variable (model, before, error);
  InferOperation *start =
      whisper_add_ints (model, WHISPER_COUNT, FALSE, 1, &zero, error);
  *before = (InferPort){ start, 0 };
  return start != NULL;
}

gboolean
whisper_take_position (InferModel *model, gboolean first, GError **error)
{
  InferOperation *position = find_input (model, POSITION);
  InferOperation *offset = position == NULL ? find_input (model, OFFSET) : NULL;
  InferPort value;

  if (position == NULL && offset == NULL)
    return TRUE;
  InferOperation *input = position != NULL ? position : offset;
  if (input->outputs[0].desc.type != INFER_TYPE_I64
      || input->outputs[0].desc.shape.rank != 1)
    return infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "%s: its input '%s' should be i64 of one dimension",
        infer_model_get_path (model), input->name);
  if (!add_before (model, first, &value, error))
    return FALSE;
  if (position != NULL) {
    const InferPort before = value;
    InferPort numbers;

    if (!add_numbers (model, &numbers, error)
        || !add_sum (model, before, numbers, &value, error))
      return FALSE;
  }
  infer_port_replace ((InferPort){ input, 0 }, value);
  infer_graph_remove (model->graph, input);
  return TRUE;
}
