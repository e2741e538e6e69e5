/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/speech/whisper/graph/graphs.h"

#include "inference/graph/ops/state.h"
#include "inference/speech/whisper/graph/attention.h"
#include "inference/speech/whisper/graph/context.h"
#include "inference/speech/whisper/graph/edit.h"

#include <string.h>

/* While the networks are being rewritten. */
typedef struct
{
  InferModel *encoder, *decoder;
  InferOperation *hidden; /* the decoder's input of the encoder's output */
  GArray *cross;          /* (element-type InferPort): of the decoder */
} Parts;

/* --- the two as they come --- */

static InferOperation *
find_parameter (const InferModel *model, const char *a, const char *b)
{
  int i = infer_model_find_input (model, a, NULL);

  if (i < 0 && b != NULL)
    i = infer_model_find_input (model, b, NULL);
  return i < 0 ? NULL : model->graph->parameters->pdata[i];
}

static gboolean
require_input (const InferModel *model, const InferOperation *op,
    const char *name, GError **error)
{
  return op != NULL
         || infer_fail (error, INFER_ERROR_INVALID_MODEL,
             "%s: it has no input '%s', as %s of Whisper has", model->path,
             name,
             strcmp (name, "input_features") == 0 ? "an encoder" : "a decoder");
}

static gboolean
check_encoder (const InferModel *model, WhisperGraphs *graphs, GError **error)
{
  const InferOperation *input = find_parameter (model, "input_features", NULL);

  if (!require_input (model, input, "input_features", error))
    return FALSE;
  const InferShape *in = &input->outputs[0].desc.shape;
  if (infer_model_n_inputs (model) != 1 || infer_model_n_outputs (model) < 1
      || in->rank != 3 || in->dims[1] < 1
      || infer_model_output_desc (model, 0)->shape.rank != 3)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%s: not an encoder of Whisper: it should have one input [1, bands, "
        "frames] and an output [1, positions, width]",
        model->path);
  const InferShape *out = &infer_model_output_desc (model, 0)->shape;
  graphs->bands = in->dims[1];
  graphs->positions = out->dims[1];
  return TRUE;
}

static gboolean
check_decoder (const InferModel *model, WhisperGraphs *graphs, GError **error)
{
  const InferOperation *ids =
      find_parameter (model, WHISPER_TOKENS, "decoder_input_ids");
  const InferOperation *hidden =
      find_parameter (model, "encoder_hidden_states", NULL);
  const InferDesc *logits = infer_model_n_outputs (model) > 0
                                ? infer_model_output_desc (model, 0)
                                : NULL;

  if (!require_input (model, ids, WHISPER_TOKENS, error)
      || !require_input (model, hidden, "encoder_hidden_states", error))
    return FALSE;
  if (logits == NULL || logits->shape.rank != 3 || logits->shape.dims[2] < 2)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%s: not a decoder of Whisper: its first output should be logits "
        "[sequences, tokens, vocabulary]",
        model->path);
  if (infer_model_n_variables (model) == 0)
    return infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "%s: the decoder keeps no variables; export it as a stateful model "
        "(optimum-cli export openvino does by default)",
        model->path);
  graphs->vocabulary = logits->shape.dims[2];
  return TRUE;
}

static gboolean
check_width (
    const InferModel *encoder, const InferModel *decoder, GError **error)
{
  const InferOperation *hidden =
      find_parameter (decoder, "encoder_hidden_states", NULL);
  const InferShape *out = &infer_model_output_desc (encoder, 0)->shape;
  const InferShape *in = &hidden->outputs[0].desc.shape;

  if (in->rank == 3 && infer_shape_matches (in, out))
    return TRUE;
  for (int d = 0; in->rank == 3 && d < 3; d++)
    if (in->dims[d] >= 0 && out->dims[d] >= 0 && in->dims[d] != out->dims[d])
      break;
    else if (d == 2)
      return TRUE;
  g_autofree char *gives = infer_shape_to_string (out);
  g_autofree char *wants = infer_shape_to_string (in);
  return infer_fail (error, INFER_ERROR_INVALID_MODEL,
      "%s gives %s, but %s takes %s: they are not of the same model",
      infer_model_get_path (encoder), gives, infer_model_get_path (decoder),
      wants);
}

/* --- keys and values --- */

/* A variable that keeps what its initialiser computes of the encoder's output
 * is no state: its readers read the initialiser. */
static void
bypass_kept_values (Parts *parts)
{
  InferGraph *graph = parts->decoder->graph;
  g_autofree guint8 *on = whisper_dependence (graph, parts->hidden);
  g_autoptr (GPtrArray) kept = g_ptr_array_new ();

  for (guint i = 0; i < graph->assigns->len; i++) {
    InferOperation *assign = graph->assigns->pdata[i];
    InferOperation *read = assign->inputs[0].op;

    if (infer_op_is (read, &infer_op_read_value) && read->n_inputs == 1
        && strcmp (infer_op_variable_id (read), infer_op_variable_id (assign))
               == 0
        && on[read->inputs[0].op->index] == WHISPER_ON_ENCODER)
      g_ptr_array_add (kept, assign);
  }
  for (guint i = 0; i < kept->len; i++) {
    InferOperation *assign = kept->pdata[i];
    InferOperation *read = assign->inputs[0].op;

    infer_graph_remove (graph, assign);
    infer_port_replace ((InferPort){ read, 0 }, read->inputs[0]);
  }
}

/* What depends on the encoder's output alone, and is read by what depends on
 * more. */
static void
find_cross (Parts *parts)
{
  const InferGraph *graph = parts->decoder->graph;
  g_autofree guint8 *on = whisper_dependence (graph, parts->hidden);

  parts->cross = g_array_new (FALSE, FALSE, sizeof (InferPort));
  for (guint i = 0; i < graph->operations->len; i++) {
    const InferOperation *op = graph->operations->pdata[i];

    for (guint k = 0; k < op->n_inputs; k++) {
      const InferPort *from = &op->inputs[k];
      gboolean known = FALSE;

      if (from->op == NULL || on[from->op->index] != WHISPER_ON_ENCODER
          || (on[i] & WHISPER_ON_REST) == 0)
        continue;
      for (guint n = 0; n < parts->cross->len && !known; n++)
        known = infer_port_equal (
            from, &g_array_index (parts->cross, InferPort, n));
      if (!known)
        g_array_append_val (parts->cross, *from);
    }
  }
}

/* @cross: of a copy of the decoder, whose operations have the same indices. */
static InferPort
in_copy (const InferModel *copy, const InferPort *port)
{
  return (InferPort){ copy->graph->operations->pdata[port->op->index],
    port->index };
}

/* The part of the decoder that depends on the encoder's output alone; @ports:
 * the keys and values in it. */
static InferModel *
make_tail (const Parts *parts, GArray *ports, GError **error)
{
  g_autoptr (InferModel) tail = infer_model_copy (parts->decoder);

  for (guint i = 0; i < parts->cross->len; i++) {
    InferPort port =
        in_copy (tail, &g_array_index (parts->cross, InferPort, i));
    g_array_append_val (ports, port);
  }
  whisper_drop_results (tail);
  whisper_drop_assigns (tail);
  for (guint i = 0; i < ports->len; i++)
    if (whisper_add_result (
            tail, "kept", g_array_index (ports, InferPort, i), error)
        == NULL)
      return NULL;
  infer_graph_sweep (tail->graph);
  return g_steal_pointer (&tail);
}

/* The encoder, followed by that part. */
static InferModel *
make_encoder (const Parts *parts, GError **error)
{
  g_autoptr (InferModel) model = infer_model_copy (parts->encoder);
  g_autoptr (GArray) ports = g_array_new (FALSE, FALSE, sizeof (InferPort));
  g_autoptr (InferModel) tail = make_tail (parts, ports, error);
  const InferOperation *result = model->graph->results->pdata[0];
  InferPort output = result->inputs[0];

  if (tail == NULL)
    return NULL;
  InferOperation *hidden = find_parameter (tail, "encoder_hidden_states", NULL);
  for (guint i = 0; i < ports->len; i++)
    if (g_array_index (ports, InferPort, i).op == hidden)
      g_array_index (ports, InferPort, i) = output;
  infer_port_replace ((InferPort){ hidden, 0 }, output);
  infer_graph_take_body (model->graph, tail->graph);
  whisper_drop_results (model);
  for (guint i = 0; i < ports->len; i++) {
    g_autofree char *name = g_strdup_printf (WHISPER_CROSS, i);

    if (whisper_add_result (
            model, name, g_array_index (ports, InferPort, i), error)
        == NULL)
      return NULL;
  }
  return whisper_settle (model, error) ? g_steal_pointer (&model) : NULL;
}

/* @model: a copy of the decoder.  Keys and values become parameters. */
static gboolean
cut_cross (const Parts *parts, InferModel *model, GError **error)
{
  for (guint i = 0; i < parts->cross->len; i++) {
    InferPort port =
        in_copy (model, &g_array_index (parts->cross, InferPort, i));
    g_autofree char *name = g_strdup_printf (WHISPER_CROSS, i);
    InferOperation *parameter =
        whisper_add_parameter (model, name, whisper_port_desc (&port), error);

    if (parameter == NULL)
      return FALSE;
    infer_port_replace (port, (InferPort){ parameter, 0 });
  }
  return TRUE;
}

/* Logits of the last token alone, where they are a product with a constant. */
static gboolean
cut_logits (InferModel *model, GError **error)
{
  const InferOperation *result = model->graph->results->pdata[0];
  InferOperation *op = result->inputs[0].op;
  InferPort hidden;

  while (infer_op_is (op, &infer_op_convert) || infer_op_is (op, &infer_op_add))
    op = op->inputs[0].op;
  if (!infer_op_is (op, &infer_op_matmul)
      || whisper_port_desc (&op->inputs[0])->shape.rank != 3)
    return TRUE;
  hidden = op->inputs[0];
  if (!whisper_add_last (model, &hidden, 1, error))
    return FALSE;
  infer_operation_connect (op, 0, hidden);
  return TRUE;
}

static void
drop_unused_parameters (InferModel *model)
{
  GPtrArray *parameters = model->graph->parameters;

  for (guint i = parameters->len; i-- > 0;) {
    InferOperation *op = parameters->pdata[i];

    if (op->n_uses == 0)
      infer_graph_remove (model->graph, op);
  }
}

static InferModel *
make_decoder (const Parts *parts, GError **error)
{
  g_autoptr (InferModel) model = infer_model_copy (parts->decoder);

  if (!cut_cross (parts, model, error) || !cut_logits (model, error)
      || !whisper_settle (model, error))
    return NULL;
  drop_unused_parameters (model);
  return whisper_settle (model, error) ? g_steal_pointer (&model) : NULL;
}

/* The scores of each layer in place of logits and variables; NULL without
 * @error where they are not found. */
static InferModel *
make_aligner (const Parts *parts, guint *n_layers, GError **error)
{
  g_autoptr (InferModel) model = infer_model_copy (parts->decoder);
  g_autoptr (GArray) scores = NULL;

  if (!cut_cross (parts, model, error))
    return NULL;
  if (!whisper_find_scores (model, &scores, error))
    return NULL;
  if (scores->len == 0)
    return NULL;
  whisper_drop_results (model);
  whisper_forget_variables (model);
  for (guint i = 0; i < scores->len; i++)
    if (whisper_add_result (
            model, "scores", g_array_index (scores, InferPort, i), error)
        == NULL)
      return NULL;
  *n_layers = scores->len;
  if (!whisper_settle (model, error))
    return NULL;
  drop_unused_parameters (model);
  return whisper_settle (model, error) ? g_steal_pointer (&model) : NULL;
}

/* --- all --- */

static gboolean
make_all (WhisperGraphs *graphs, Parts *parts, GError **error)
{
  GError *failed = NULL;

  bypass_kept_values (parts);
  if (!whisper_settle (parts->decoder, error))
    return FALSE;
  parts->hidden =
      find_parameter (parts->decoder, "encoder_hidden_states", NULL);
  find_cross (parts);
  if (parts->cross->len == 0)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%s: nothing in it reads 'encoder_hidden_states'",
        infer_model_get_path (parts->decoder));
  graphs->n_cross = parts->cross->len;
  graphs->any_context = whisper_open_context (
      parts->encoder, graphs->positions, &graphs->embedding);
  graphs->encoder = make_encoder (parts, error);
  if (graphs->encoder == NULL)
    return FALSE;
  graphs->decoder = make_decoder (parts, error);
  if (graphs->decoder == NULL)
    return FALSE;
  graphs->aligner = make_aligner (parts, &graphs->n_layers, &failed);
  if (failed != NULL) {
    g_propagate_error (error, failed);
    return FALSE;
  }
  return TRUE;
}

gboolean
whisper_graphs_make (WhisperGraphs *graphs, const InferModel *encoder,
    const InferModel *decoder, gint64 positions, GError **error)
{
  *graphs = (WhisperGraphs){ 0 };
  if (!check_encoder (encoder, graphs, error)
      || !check_decoder (decoder, graphs, error)
      || !check_width (encoder, decoder, error))
    return FALSE;
  if (graphs->positions < 0)
    graphs->positions = positions;
  if (graphs->positions < 1)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%s: the number of its positions is not known: config.json should have "
        "max_source_positions",
        infer_model_get_path (encoder));
  Parts parts = { .encoder = infer_model_copy (encoder),
    .decoder = infer_model_copy (decoder) };
  parts.hidden = find_parameter (parts.decoder, "encoder_hidden_states", NULL);
  gboolean ok = make_all (graphs, &parts, error);
  infer_model_unref (parts.encoder);
  infer_model_unref (parts.decoder);
  g_clear_pointer (&parts.cross, g_array_unref);
  if (!ok)
    whisper_graphs_clear (graphs);
  return ok;
}

void
whisper_graphs_clear (WhisperGraphs *graphs)
{
  g_clear_pointer (&graphs->encoder, infer_model_unref);
  g_clear_pointer (&graphs->decoder, infer_model_unref);
  g_clear_pointer (&graphs->aligner, infer_model_unref);
  g_clear_pointer (&graphs->embedding, infer_tensor_unref);
}
