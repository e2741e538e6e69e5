/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/speech/whisper/graph/graphs.h"

#include "inference/graph/ops/state.h"
#include "inference/speech/whisper/graph/attention.h"
#include "inference/speech/whisper/graph/context.h"
#include "inference/speech/whisper/graph/cut.h"
#include "inference/speech/whisper/graph/edit.h"
#include "inference/speech/whisper/graph/past.h"
#include "inference/speech/whisper/graph/position.h"
#include "inference/speech/whisper/graph/stacked.h"

#include <string.h>

/* While the networks are being rewritten. */
typedef struct
{
  InferModel *encoder, *decoder;
  InferModel *next; /* nullable: of an export without variables, the decoder of
                     * later tokens */
  gboolean stacked;
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

/* @what: "an encoder", for the message. */
static gboolean
require_input (const InferModel *model, const InferOperation *op,
    const char *name, const char *what, GError **error)
{
  return op != NULL
         || infer_fail (error, INFER_ERROR_INVALID_MODEL,
             "%s: it has no input '%s', as %s of Whisper has", model->path,
             name, what);
}

static gboolean
check_encoder (const InferModel *model, WhisperGraphs *graphs, GError **error)
{
  const int rank = graphs->stacked ? 4 : 3;
  const char *name = graphs->stacked ? "mel" : "input_features";
  const InferOperation *input = find_parameter (model, name, NULL);

  if (!require_input (model, input, name, "an encoder", error))
    return FALSE;
  const InferShape *in = &input->outputs[0].desc.shape;
  if (infer_model_n_inputs (model) != 1 || infer_model_n_outputs (model) < 1
      || in->rank != 3 || in->dims[1] < 1
      || infer_model_output_desc (model, 0)->shape.rank != rank)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%s: not an encoder of Whisper: it should have one input [1, bands, "
        "frames] and an output %s",
        model->path,
        graphs->stacked ? "[layers, 1, positions, width]"
                        : "[1, positions, width]");
  if (input->outputs[0].desc.type != INFER_TYPE_F32)
    return infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "%s: its input '%s' is %s; take the export whose inputs and outputs "
        "are f32",
        model->path, name, infer_type_name (input->outputs[0].desc.type));
  const InferShape *out = &infer_model_output_desc (model, 0)->shape;
  graphs->bands = in->dims[1];
  graphs->positions = out->dims[rank - 2];
  return TRUE;
}

static gboolean
check_logits (const InferModel *model, WhisperGraphs *graphs, GError **error)
{
  const InferDesc *logits = infer_model_n_outputs (model) > 0
                                ? infer_model_output_desc (model, 0)
                                : NULL;

  if (logits == NULL || logits->shape.rank != 3 || logits->shape.dims[2] < 2)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%s: not a decoder of Whisper: its first output should be logits "
        "[sequences, tokens, vocabulary]",
        model->path);
  graphs->vocabulary = logits->shape.dims[2];
  return TRUE;
}

static gboolean
check_decoder (const InferModel *model, WhisperGraphs *graphs, GError **error)
{
  const InferOperation *ids =
      find_parameter (model, WHISPER_TOKENS, "decoder_input_ids");
  const InferOperation *hidden =
      find_parameter (model, "encoder_hidden_states", NULL);

  return require_input (model, ids, WHISPER_TOKENS, "a decoder", error)
         && require_input (
             model, hidden, "encoder_hidden_states", "a decoder", error)
         && check_logits (model, graphs, error);
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
  g_autofree guint8 *on = speech_dependence (graph, parts->hidden);
  g_autoptr (GPtrArray) kept = g_ptr_array_new ();

  for (guint i = 0; i < graph->assigns->len; i++) {
    InferOperation *assign = graph->assigns->pdata[i];
    InferOperation *read = assign->inputs[0].op;

    if (infer_op_is (read, &infer_op_read_value) && read->n_inputs == 1
        && strcmp (infer_op_variable_id (read), infer_op_variable_id (assign))
               == 0
        && on[read->inputs[0].op->index] == SPEECH_ON_ENCODER)
      g_ptr_array_add (kept, assign);
  }
  for (guint i = 0; i < kept->len; i++) {
    InferOperation *assign = kept->pdata[i];
    InferOperation *read = assign->inputs[0].op;

    infer_graph_remove (graph, assign);
    infer_port_replace ((InferPort){ read, 0 }, read->inputs[0]);
  }
}

/* The part of the decoder that depends on the encoder's output alone; *@all:
 * the keys and values in it. */
static InferModel *
make_tail (const Parts *parts, GArray **all, GError **error)
{
  if (parts->next != NULL)
    return whisper_past_tail (parts->decoder, all, error);
  g_autoptr (InferModel) tail = infer_model_copy (parts->decoder);
  g_autoptr (GArray) ports = g_array_new (FALSE, FALSE, sizeof (InferPort));

  for (guint i = 0; i < parts->cross->len; i++) {
    InferPort port =
        speech_port_in (tail, &g_array_index (parts->cross, InferPort, i));
    g_array_append_val (ports, port);
  }
  speech_drop_results (tail);
  speech_drop_assigns (tail);
  for (guint i = 0; i < ports->len; i++)
    if (speech_add_result (
            tail, "kept", g_array_index (ports, InferPort, i), error)
        == NULL)
      return NULL;
  infer_graph_sweep (tail->graph);
  *all = g_steal_pointer (&ports);
  return g_steal_pointer (&tail);
}

/* The encoder, followed by that part. */
static InferModel *
make_encoder (const Parts *parts, GError **error)
{
  g_autoptr (InferModel) model = infer_model_copy (parts->encoder);
  g_autoptr (GArray) ports = NULL;
  g_autoptr (InferModel) tail = make_tail (parts, &ports, error);
  const InferOperation *result = model->graph->results->pdata[0];
  InferPort output = result->inputs[0];

  if (tail == NULL)
    return NULL;
  InferOperation *hidden = find_parameter (tail, "encoder_hidden_states", NULL);
  if (hidden == NULL) {
    infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%s: its keys and values do not depend on 'encoder_hidden_states'",
        infer_model_get_path (parts->decoder));
    return NULL;
  }
  for (guint i = 0; i < ports->len; i++)
    if (g_array_index (ports, InferPort, i).op == hidden)
      g_array_index (ports, InferPort, i) = output;
  infer_port_replace ((InferPort){ hidden, 0 }, output);
  infer_graph_take_body (model->graph, tail->graph);
  speech_drop_results (model);
  for (guint i = 0; i < ports->len; i++) {
    g_autofree char *name = g_strdup_printf (WHISPER_CROSS, i);

    if (speech_add_result (
            model, name, g_array_index (ports, InferPort, i), error)
        == NULL)
      return NULL;
  }
  return speech_settle (model, error) ? g_steal_pointer (&model) : NULL;
}

/* @all: the logits of all tokens, else of the last. */
static InferModel *
make_decoder (const Parts *parts, gboolean all, GError **error)
{
  g_autoptr (InferModel) model = infer_model_copy (parts->decoder);

  return whisper_cut_cross (model, parts->cross, error)
                 && (all || whisper_cut_logits (model, error))
                 && speech_settle_parameters (model, error)
             ? g_steal_pointer (&model)
             : NULL;
}

/* The scores of each layer in place of the logits; NULL without @error where
 * they are not found. */
static InferModel *
make_aligner (const Parts *parts, WhisperGraphs *graphs, GError **error)
{
  g_autoptr (InferModel) model = infer_model_copy (parts->decoder);
  g_autoptr (GArray) scores = NULL;

  if (!whisper_cut_cross (model, parts->cross, error))
    return NULL;
  if (!whisper_find_scores (model, &scores, error))
    return NULL;
  if (scores->len == 0)
    return NULL;
  speech_drop_results (model);
  graphs->n_layers = scores->len;
  graphs->scales = g_new (float, scores->len);
  for (guint i = 0; i < scores->len; i++) {
    const WhisperScores *one = &g_array_index (scores, WhisperScores, i);

    graphs->scales[i] = one->scale;
    if (speech_add_result (model, "scores", one->port, error) == NULL)
      return NULL;
  }
  return speech_settle_parameters (model, error) ? g_steal_pointer (&model)
                                                 : NULL;
}

/* --- all --- */

/* Finds the ports where the decoder is cut. */
static gboolean
find_cuts (Parts *parts, GError **error)
{
  if (parts->next != NULL) {
    parts->cross = whisper_past_cross (parts->decoder, parts->next, error);
    return parts->cross != NULL;
  }
  if (parts->stacked) {
    parts->cross = whisper_stacked_cross (parts->decoder);
    return TRUE;
  }
  if (!whisper_take_position (parts->decoder, FALSE, error))
    return FALSE;
  parts->hidden =
      find_parameter (parts->decoder, "encoder_hidden_states", NULL);
  bypass_kept_values (parts);
  if (!speech_settle (parts->decoder, error))
    return FALSE;
  /* The keys and values of the cross-attention. */
  parts->cross = speech_find_crossing (
      parts->decoder->graph, parts->hidden, SPEECH_ON_ENCODER);
  return parts->cross->len > 0
         || infer_fail (error, INFER_ERROR_INVALID_MODEL,
             "%s: nothing in it reads 'encoder_hidden_states'",
             infer_model_get_path (parts->decoder));
}

static gboolean
make_decoders (WhisperGraphs *graphs, const Parts *parts, GError **error)
{
  if (parts->next == NULL) {
    graphs->decoder = make_decoder (parts, FALSE, error);
    if (graphs->decoder == NULL || graphs->one_by_one)
      return graphs->decoder != NULL;
    graphs->verifier = make_decoder (parts, TRUE, error);
    return graphs->verifier != NULL;
  }
  graphs->first = whisper_past_first (
      parts->decoder, parts->next, parts->cross, &graphs->states, error);
  if (graphs->first == NULL)
    return FALSE;
  graphs->decoder = whisper_past_next (parts->next, error);
  return graphs->decoder != NULL;
}

static gboolean
make_all (WhisperGraphs *graphs, Parts *parts, GError **error)
{
  GError *failed = NULL;

  if (!find_cuts (parts, error))
    return FALSE;
  graphs->n_cross = parts->cross->len;
  graphs->any_context = whisper_open_context (
      parts->encoder, graphs->positions, &graphs->embedding);
  graphs->encoder = parts->stacked
                        ? whisper_stacked_encoder (parts->encoder, error)
                        : make_encoder (parts, error);
  if (graphs->encoder == NULL || !make_decoders (graphs, parts, error))
    return FALSE;
  graphs->aligner = make_aligner (parts, graphs, &failed);
  if (failed != NULL) {
    g_propagate_error (error, failed);
    return FALSE;
  }
  return TRUE;
}

/* Makes of the files' decoders the one of all tokens, or those of the first and
 * of later ones. */
static gboolean
find_form (Parts *parts, const InferModel *decoder, const InferModel *past,
    GError **error)
{
  if (parts->stacked) {
    parts->decoder = whisper_stacked_decoder (decoder, error);
    return parts->decoder != NULL;
  }
  if (whisper_past_is_merged (decoder))
    return whisper_past_split (decoder, &parts->decoder, &parts->next, error);
  parts->decoder = infer_model_copy (decoder);
  if (infer_model_n_variables (decoder) > 0)
    return TRUE;
  if (past == NULL)
    return infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "%s: the decoder keeps no variables, and there is none with past beside "
        "it: export the model with past (optimum's task "
        "automatic-speech-recognition-with-past), or as a stateful one",
        infer_model_get_path (decoder));
  parts->next = infer_model_copy (past);
  return TRUE;
}

static void
clear_parts (Parts *parts)
{
  g_clear_pointer (&parts->encoder, infer_model_unref);
  g_clear_pointer (&parts->decoder, infer_model_unref);
  g_clear_pointer (&parts->next, infer_model_unref);
  g_clear_pointer (&parts->cross, g_array_unref);
}

gboolean
whisper_graphs_make (WhisperGraphs *graphs, const InferModel *encoder,
    const InferModel *decoder, const InferModel *past, gint64 positions,
    GError **error)
{
  Parts parts = { .encoder = NULL };

  *graphs = (WhisperGraphs){ .stacked = whisper_stacked_is_encoder (encoder) };
  parts.stacked = graphs->one_by_one = graphs->stacked;
  if (!check_encoder (encoder, graphs, error))
    return FALSE;
  if (graphs->stacked ? !whisper_stacked_check (encoder, decoder, error)
                            || !check_logits (decoder, graphs, error)
                      : !check_decoder (decoder, graphs, error)
                            || !check_width (encoder, decoder, error))
    return FALSE;
  if (graphs->positions < 0)
    graphs->positions = positions;
  if (graphs->positions < 1)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%s: the number of its positions is not known: config.json should have "
        "max_source_positions",
        infer_model_get_path (encoder));
  parts.encoder = infer_model_copy (encoder);
  gboolean ok = find_form (&parts, decoder, past, error)
                && make_all (graphs, &parts, error);
  clear_parts (&parts);
  if (!ok)
    whisper_graphs_clear (graphs);
  return ok;
}

void
whisper_graphs_clear (WhisperGraphs *graphs)
{
  g_clear_pointer (&graphs->encoder, infer_model_unref);
  g_clear_pointer (&graphs->first, infer_model_unref);
  g_clear_pointer (&graphs->decoder, infer_model_unref);
  g_clear_pointer (&graphs->verifier, infer_model_unref);
  g_clear_pointer (&graphs->states, g_strfreev);
  g_clear_pointer (&graphs->aligner, infer_model_unref);
  g_clear_pointer (&graphs->scales, g_free);
  g_clear_pointer (&graphs->embedding, infer_tensor_unref);
}
