/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/speech/whisper/graph/cut.h"

#include "inference/speech/whisper/graph/edit.h"
#include "inference/speech/whisper/graph/graphs.h"

gboolean
whisper_cut_cross (InferModel *copy, const GArray *cross, GError **error)
{
  g_autofree InferPort *ports = g_new (InferPort, cross->len + 1);

  for (guint i = 0; i < cross->len; i++)
    ports[i] = speech_port_in (copy, &g_array_index (cross, InferPort, i));
  for (guint i = 0; i < cross->len; i++) {
    g_autofree char *name = g_strdup_printf (WHISPER_CROSS, i);
    InferOperation *parameter =
        speech_add_parameter (copy, name, speech_port_desc (&ports[i]), error);

    if (parameter == NULL)
      return FALSE;
    infer_port_replace (ports[i], (InferPort){ parameter, 0 });
  }
  return TRUE;
}

gboolean
whisper_cut_logits (InferModel *model, GError **error)
{
  const InferOperation *result = model->graph->results->pdata[0];
  InferOperation *op = result->inputs[0].op;
  InferPort hidden;

  while (infer_op_is (op, &infer_op_convert) || infer_op_is (op, &infer_op_add))
    op = op->inputs[0].op;
  if (!infer_op_is (op, &infer_op_matmul)
      || speech_port_desc (&op->inputs[0])->shape.rank != 3)
    return TRUE;
  hidden = op->inputs[0];
  if (!whisper_add_last (model, &hidden, 1, error))
    return FALSE;
  infer_operation_connect (op, 0, hidden);
  return TRUE;
}
