/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/speech/whisper/graph/stacked.h"

#include "inference/graph/ops/state.h"
#include "inference/speech/whisper/graph/edit.h"
#include "inference/speech/whisper/graph/graphs.h"
#include "inference/speech/whisper/graph/position.h"

#include <string.h>

#define BATCH_AXIS 1

static const char *const cross_names[] = { "n_layer_cross_k",
  "n_layer_cross_v" };
static const char *const cache_names[] = { "n_layer_self_k_cache",
  "n_layer_self_v_cache" };

static InferOperation *
find_input (const InferModel *model, const char *name)
{
  int index = infer_model_find_input (model, name, NULL);

  return index < 0 ? NULL : model->graph->parameters->pdata[(guint) index];
}

gboolean
whisper_stacked_is_encoder (const InferModel *encoder)
{
  return infer_model_find_output (encoder, cross_names[0], NULL) >= 0;
}

/* --- what fits together --- */

static gboolean
check_cross (const InferModel *encoder, const InferModel *decoder, guint i,
    GError **error)
{
  const char *name = cross_names[i];
  const int from = infer_model_find_output (encoder, name, error);
  const int to = from < 0 ? -1 : infer_model_find_input (decoder, name, error);
  InferShape shape;

  if (to < 0)
    return FALSE;
  const InferDesc *a = infer_model_output_desc (encoder, (guint) from);
  const InferDesc *b = infer_model_input_desc (decoder, (guint) to);
  if (from == (int) i && a->type == b->type && a->shape.rank == 4
      && infer_shape_merge (&a->shape, &b->shape, &shape))
    return TRUE;
  g_autofree char *gives = infer_shape_to_string (&a->shape);
  g_autofree char *takes = infer_shape_to_string (&b->shape);
  return infer_fail (error, INFER_ERROR_INVALID_MODEL,
      "%s gives '%s' as %s %s, but %s takes it as %s %s: they are not of the "
      "same model",
      infer_model_get_path (encoder), name, infer_type_name (a->type), gives,
      infer_model_get_path (decoder), infer_type_name (b->type), takes);
}

static gboolean
check_cache (const InferModel *decoder, const char *name, GError **error)
{
  g_autofree char *in = g_strconcat ("in_", name, NULL);
  g_autofree char *out = g_strconcat ("out_", name, NULL);
  const int input = infer_model_find_input (decoder, in, error);

  if (input < 0 || infer_model_find_output (decoder, out, error) < 0)
    return FALSE;
  const InferShape *shape =
      &infer_model_input_desc (decoder, (guint) input)->shape;
  if (shape->rank == 4 && shape->dims[0] > 0 && shape->dims[2] > 0
      && shape->dims[3] > 0)
    return TRUE;
  g_autofree char *text = infer_shape_to_string (shape);
  return infer_fail (error, INFER_ERROR_INVALID_MODEL,
      "%s: its input '%s' is %s, not [layers, batch, context, width]",
      infer_model_get_path (decoder), in, text);
}

static gboolean
check_tokens (const InferModel *decoder, GError **error)
{
  const InferOperation *tokens = find_input (decoder, "tokens");

  if (tokens == NULL || tokens->outputs[0].desc.shape.rank != 2
      || find_input (decoder, "offset") == NULL)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%s: it has no inputs 'tokens' [batch, tokens] and 'offset', as a "
        "decoder beside %s has",
        infer_model_get_path (decoder), cross_names[0]);
  return TRUE;
}

gboolean
whisper_stacked_check (
    const InferModel *encoder, const InferModel *decoder, GError **error)
{
  if (!check_tokens (decoder, error))
    return FALSE;
  for (guint i = 0; i < 2; i++)
    if (!check_cross (encoder, decoder, i, error)
        || !check_cache (decoder, cache_names[i], error))
      return FALSE;
  return TRUE;
}

/* --- decoder --- */

static InferModel *
tie_caches (const InferModel *decoder, GError **error)
{
  g_autoptr (GStrvBuilder) pairs = g_strv_builder_new ();

  for (guint i = 0; i < G_N_ELEMENTS (cache_names); i++) {
    g_autofree char *pair =
        g_strdup_printf ("in_%s=out_%s", cache_names[i], cache_names[i]);

    g_strv_builder_add (pairs, pair);
  }
  g_auto (GStrv) list = g_strv_builder_end (pairs);
  return infer_model_tie_states (decoder, (const char *const *) list, error);
}

static gboolean
rename_tokens (InferModel *model, GError **error)
{
  InferOperation *from = find_input (model, "tokens");
  InferOperation *to = speech_add_parameter (
      model, WHISPER_TOKENS, &from->outputs[0].desc, error);

  if (to == NULL)
    return FALSE;
  infer_port_replace ((InferPort){ from, 0 }, (InferPort){ to, 0 });
  infer_graph_remove (model->graph, from);
  return TRUE;
}

InferModel *
whisper_stacked_decoder (const InferModel *decoder, GError **error)
{
  g_autoptr (InferModel) model = tie_caches (decoder, error);

  return model != NULL && whisper_add_beams (model, BATCH_AXIS, error)
                 && rename_tokens (model, error)
                 && whisper_take_position (model, FALSE, error)
                 && speech_settle (model, error)
             ? g_steal_pointer (&model)
             : NULL;
}

GArray *
whisper_stacked_cross (const InferModel *decoder)
{
  GArray *ports = g_array_new (FALSE, FALSE, sizeof (InferPort));

  for (guint i = 0; i < G_N_ELEMENTS (cross_names); i++) {
    const InferPort port = { find_input (decoder, cross_names[i]), 0 };

    g_array_append_val (ports, port);
  }
  return ports;
}

/* --- encoder --- */

InferModel *
whisper_stacked_encoder (const InferModel *encoder, GError **error)
{
  g_autoptr (InferModel) model = infer_model_copy (encoder);
  InferPort ports[G_N_ELEMENTS (cross_names)];

  for (guint i = 0; i < G_N_ELEMENTS (ports); i++) {
    const InferOperation *result = model->graph->results->pdata[i];

    ports[i] = result->inputs[0];
  }
  speech_drop_results (model);
  for (guint i = 0; i < G_N_ELEMENTS (ports); i++) {
    g_autofree char *name = g_strdup_printf (WHISPER_CROSS, i);

    if (speech_add_result (model, name, ports[i], error) == NULL)
      return NULL;
  }
  return speech_settle (model, error) ? g_steal_pointer (&model) : NULL;
}
