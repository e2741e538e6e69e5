/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/speech/whisper/graph/edit.h"

#include "inference/speech/whisper/graph/graphs.h"

#include <string.h>

InferOperation *
whisper_add_ints (InferModel *model, const char *name, gboolean scalar,
    gint64 n, const gint64 *values, GError **error)
{
  InferShape shape =
      scalar ? infer_shape_scalar () : infer_shape_make (1, (gint64) n);
  g_autoptr (InferTensor) tensor =
      infer_tensor_new (INFER_TYPE_I64, &shape, error);

  if (tensor == NULL)
    return NULL;
  memcpy (tensor->data, values, (gsize) n * sizeof *values);
  InferOperation *op = infer_operation_make_const (name, tensor, error);
  if (op != NULL)
    infer_graph_add (model->graph, op);
  return op;
}

gboolean
whisper_add_last (
    InferModel *model, InferPort *port, gint64 axis, GError **error)
{
  static const gint64 last = -1, end = G_MAXINT32, step = 1;
  const gint64 *const values[] = { &last, &end, &step, &axis };
  InferOperation *slice =
      infer_operation_make ("Slice", "last", 5, 1, error, NULL);

  if (slice == NULL)
    return FALSE;
  infer_operation_connect (slice, 0, *port);
  for (guint i = 0; i < G_N_ELEMENTS (values); i++) {
    InferOperation *ints =
        whisper_add_ints (model, "last", FALSE, 1, values[i], error);

    if (ints == NULL) {
      infer_operation_free (slice);
      return FALSE;
    }
    infer_operation_connect (slice, i + 1, (InferPort){ ints, 0 });
  }
  infer_graph_add (model->graph, slice);
  *port = (InferPort){ slice, 0 };
  return TRUE;
}

gboolean
whisper_add_beams (InferModel *model, gint64 along, GError **error)
{
  const InferDesc desc = { INFER_TYPE_I32,
    infer_shape_make (1, (gint64) INFER_DYNAMIC) };
  const guint n = model->graph->operations->len;
  InferOperation *beams =
      speech_add_parameter (model, WHISPER_BEAMS, &desc, error);
  InferOperation *axis =
      beams == NULL ? NULL
                    : whisper_add_ints (model, "axis", TRUE, 1, &along, error);

  if (axis == NULL)
    return FALSE;
  for (guint i = 0; i < n; i++) {
    InferOperation *read = model->graph->operations->pdata[i];

    if (!infer_op_is (read, &infer_op_read_value))
      continue;
    InferOperation *gather = infer_operation_make (
        "Gather", "beams", 3, 1, error, "batch_dims", "0", NULL);
    if (gather == NULL)
      return FALSE;
    infer_port_replace ((InferPort){ read, 0 }, (InferPort){ gather, 0 });
    infer_operation_connect (gather, 0, (InferPort){ read, 0 });
    infer_operation_connect (gather, 1, (InferPort){ beams, 0 });
    infer_operation_connect (gather, 2, (InferPort){ axis, 0 });
    infer_graph_add (model->graph, gather);
  }
  return TRUE;
}
