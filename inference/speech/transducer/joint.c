/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/speech/transducer/joint.h"

#include "inference/speech/edit.h"

#define ROW "decoder_outputs"

/* The port of the decoder's row. */
static gboolean
find_row (const InferModel *model, InferPort *row, GError **error)
{
  const InferOperation *frames = model->graph->parameters->pdata[0];
  g_autoptr (GArray) crossing =
      speech_find_crossing (model->graph, frames, SPEECH_ON_REST);

  if (crossing->len != 1)
    return infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "%s: %u values of its decoder meet those of '%s', but it can be cut "
        "into decoder and joiner at one only; export these as two files",
        infer_model_get_path (model), crossing->len,
        infer_model_input_name (model, 0));
  *row = g_array_index (crossing, InferPort, 0);
  return TRUE;
}

/* Scores are of frame and token, the other outputs of the token alone. */
static gboolean
check_outputs (const InferModel *model, GError **error)
{
  const InferOperation *frames = model->graph->parameters->pdata[0];
  g_autofree guint8 *on = speech_dependence (model->graph, frames);

  for (guint i = 0; i < infer_model_n_outputs (model); i++) {
    const InferOperation *result = model->graph->results->pdata[i];
    const gboolean joined = (on[result->index] & SPEECH_ON_ENCODER) != 0;

    if (joined != (i == 0))
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "%s: its output '%s' %s '%s'; of decoder and joiner of a transducer "
          "in one network the first output does, and no other",
          infer_model_get_path (model), infer_model_output_name (model, i),
          joined ? "depends on" : "does not depend on",
          infer_model_input_name (model, 0));
  }
  return TRUE;
}

static InferModel *
make_decoder (const InferModel *model, const InferPort *row, GError **error)
{
  g_autoptr (InferModel) copy = infer_model_copy (model);
  const guint n = infer_model_n_outputs (model);
  g_autofree InferPort *ports = g_new (InferPort, n);

  ports[0] = speech_port_in (copy, row);
  for (guint i = 1; i < n; i++)
    ports[i] = ((InferOperation *) copy->graph->results->pdata[i])->inputs[0];
  speech_drop_results (copy);
  for (guint i = 0; i < n; i++)
    if (speech_add_result (copy,
            i == 0 ? ROW : infer_model_output_name (model, i), ports[i], error)
        == NULL)
      return NULL;
  return speech_settle_parameters (copy, error) ? g_steal_pointer (&copy)
                                                : NULL;
}

static InferModel *
make_joiner (const InferModel *model, const InferPort *row, GError **error)
{
  g_autoptr (InferModel) copy = infer_model_copy (model);
  const InferOperation *result = copy->graph->results->pdata[0];
  const InferPort scores = result->inputs[0];
  const InferPort port = speech_port_in (copy, row);
  InferOperation *parameter =
      speech_add_parameter (copy, ROW, speech_port_desc (&port), error);

  if (parameter == NULL)
    return NULL;
  infer_port_replace (port, (InferPort){ parameter, 0 });
  speech_drop_results (copy);
  if (speech_add_result (
          copy, infer_model_output_name (model, 0), scores, error)
      == NULL)
    return NULL;
  return speech_settle_parameters (copy, error) ? g_steal_pointer (&copy)
                                                : NULL;
}

gboolean
transducer_joint_cut (const InferModel *model, InferModel **decoder,
    InferModel **joiner, GError **error)
{
  InferPort row;

  if (!find_row (model, &row, error) || !check_outputs (model, error))
    return FALSE;
  *decoder = make_decoder (model, &row, error);
  *joiner = *decoder == NULL ? NULL : make_joiner (model, &row, error);
  if (*joiner == NULL)
    g_clear_pointer (decoder, infer_model_unref);
  return *joiner != NULL;
}
