/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/speech/whisper/graph/past.h"

#include "inference/passes/pass.h"
#include "inference/passes/state-names.h"
#include "inference/speech/whisper/graph/cut.h"
#include "inference/speech/whisper/graph/edit.h"
#include "inference/speech/whisper/graph/graphs.h"
#include "inference/speech/whisper/graph/position.h"

#define HIDDEN "encoder_hidden_states"
#define PAST "past_key_values"
#define PRESENT "present"
#define MAX_LAYERS 256

/* --- names --- */

/* Of the keys (@k 0) or values (@k 1) of a layer. (transfer full) */
static char *
cache_name (const char *prefix, guint layer, const char *of, guint k)
{
  return g_strdup_printf (
      "%s.%u.%s.%s", prefix, layer, of, k == 0 ? "key" : "value");
}

static guint
count_layers (const InferModel *next)
{
  guint n = 0;

  for (int found = 0; found >= 0 && n <= MAX_LAYERS; n++) {
    g_autofree char *name = cache_name (PAST, n, "decoder", 0);

    found = infer_model_find_input (next, name, NULL);
  }
  return n - 1;
}

/* The port that output @name of @model is the value of. */
static gboolean
find_result (
    const InferModel *model, const char *name, InferPort *port, GError **error)
{
  int index = infer_model_find_output (model, name, error);

  if (index < 0)
    return FALSE;
  const InferOperation *result = model->graph->results->pdata[(guint) index];
  *port = result->inputs[0];
  return TRUE;
}

/* --- two in one file --- */

static InferOperation *
find_branch (const InferModel *model)
{
  int index = infer_model_find_input (model, INFER_STATE_BRANCH, NULL);

  return index < 0 ? NULL : model->graph->parameters->pdata[(guint) index];
}

gboolean
whisper_past_is_merged (const InferModel *decoder)
{
  return find_branch (decoder) != NULL;
}

/* The decoder that @merged is where the input is @later. */
static InferModel *
take_branch (const InferModel *merged, gboolean later, GError **error)
{
  const InferPassOptions options = { .as_stored = TRUE };
  g_autoptr (InferModel) copy = infer_model_copy (merged);
  InferOperation *parameter = find_branch (copy);
  InferShape shape = parameter->outputs[0].desc.shape.rank == 1
                         ? infer_shape_make (1, (gint64) 1)
                         : infer_shape_scalar ();
  g_autoptr (InferTensor) value =
      infer_tensor_new (INFER_TYPE_BOOLEAN, &shape, error);

  if (value == NULL)
    return NULL;
  *(guint8 *) value->data = later ? 1 : 0;
  InferOperation *constant =
      infer_operation_make_const (parameter->name, value, error);
  if (constant == NULL)
    return NULL;
  infer_graph_add (copy->graph, constant);
  infer_port_replace ((InferPort){ parameter, 0 }, (InferPort){ constant, 0 });
  infer_graph_remove (copy->graph, parameter);
  return speech_settle (copy, error) ? infer_passes_run (copy, &options, error)
                                     : NULL;
}

gboolean
whisper_past_split (const InferModel *merged, InferModel **first,
    InferModel **next, GError **error)
{
  *first = take_branch (merged, FALSE, error);
  *next = *first == NULL ? NULL : take_branch (merged, TRUE, error);
  return *next != NULL;
}

/* --- what fits together --- */

static gboolean
check_type (const InferModel *first, const char *output, const InferModel *next,
    const char *input, GError **error)
{
  int from = infer_model_find_output (first, output, error);
  int to = from < 0 ? -1 : infer_model_find_input (next, input, error);
  InferShape shape;

  if (to < 0)
    return FALSE;
  const InferDesc *a = infer_model_output_desc (first, (guint) from);
  const InferDesc *b = infer_model_input_desc (next, (guint) to);
  if (a->type == b->type && infer_shape_merge (&a->shape, &b->shape, &shape))
    return TRUE;
  g_autofree char *gives = infer_shape_to_string (&a->shape);
  g_autofree char *takes = infer_shape_to_string (&b->shape);
  return infer_fail (error, INFER_ERROR_INVALID_MODEL,
      "%s gives '%s' as %s %s, but %s takes '%s' as %s %s: they are not of the "
      "same model",
      infer_model_get_path (first), output, infer_type_name (a->type), gives,
      infer_model_get_path (next), input, infer_type_name (b->type), takes);
}

static gboolean
check_layer (const InferModel *first, const InferModel *next, guint layer,
    GError **error)
{
  static const char *const of[] = { "encoder", "decoder" };

  for (guint i = 0; i < 2 * G_N_ELEMENTS (of); i++) {
    g_autofree char *output = cache_name (PRESENT, layer, of[i / 2], i % 2);
    g_autofree char *input = cache_name (PAST, layer, of[i / 2], i % 2);

    if (!check_type (first, output, next, input, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
check_layers (
    const InferModel *first, const InferModel *next, guint n, GError **error)
{
  g_autofree char *more = cache_name (PRESENT, n, "decoder", 0);

  if (n == 0 || n > MAX_LAYERS)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%s: it has no input '" PAST ".0.decoder.key', as a decoder with past "
        "has",
        infer_model_get_path (next));
  for (guint layer = 0; layer < n; layer++)
    if (!check_layer (first, next, layer, error))
      return FALSE;
  return infer_model_find_output (first, more, NULL) < 0
         || infer_fail (error, INFER_ERROR_INVALID_MODEL,
             "%s has more than the %u layers of %s: they are not of the same "
             "model",
             infer_model_get_path (first), n, infer_model_get_path (next));
}

static gboolean
find_cross (
    const InferModel *first, guint layers, GArray *ports, GError **error)
{
  for (guint i = 0; i < 2 * layers; i++) {
    g_autofree char *name = cache_name (PRESENT, i / 2, "encoder", i % 2);
    InferPort port;

    if (!find_result (first, name, &port, error))
      return FALSE;
    g_array_append_val (ports, port);
  }
  return TRUE;
}

GArray *
whisper_past_cross (
    const InferModel *first, const InferModel *next, GError **error)
{
  guint layers = count_layers (next);
  g_autoptr (GArray) ports = g_array_new (FALSE, FALSE, sizeof (InferPort));

  return check_layers (first, next, layers, error)
                 && find_cross (first, layers, ports, error)
             ? g_steal_pointer (&ports)
             : NULL;
}

/* --- behind the encoder --- */

/* @first for one sequence of one token: what the batch decides is then known.
 */
static InferModel *
fix_batch (const InferModel *first, GError **error)
{
  const char *const names[] = { WHISPER_TOKENS, HIDDEN };
  guint inputs[G_N_ELEMENTS (names)];
  InferShape shapes[G_N_ELEMENTS (names)];

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    int index = infer_model_find_input (first, names[i], NULL);

    if (index < 0 && i == 0)
      index = infer_model_find_input (first, "decoder_input_ids", error);
    if (index < 0)
      return NULL;
    inputs[i] = (guint) index;
    shapes[i] = infer_model_input_desc (first, inputs[i])->shape;
    if (shapes[i].rank > 0)
      shapes[i].dims[0] = 1;
  }
  shapes[0] = infer_shape_make (2, (gint64) 1, (gint64) 1);
  return infer_model_reshape (
      first, G_N_ELEMENTS (names), inputs, shapes, error);
}

InferModel *
whisper_past_tail (const InferModel *first, GArray **ports, GError **error)
{
  const InferPassOptions options = { .as_stored = TRUE };
  g_autoptr (InferModel) fixed = fix_batch (first, error);
  g_autoptr (GArray) cross = g_array_new (FALSE, FALSE, sizeof (InferPort));

  for (guint i = 0; fixed != NULL; i++) {
    g_autofree char *name = cache_name (PRESENT, i / 2, "encoder", i % 2);
    InferPort port;

    if (infer_model_find_output (fixed, name, NULL) < 0
        || !find_result (fixed, name, &port, NULL))
      break;
    g_array_append_val (cross, port);
  }
  if (fixed == NULL)
    return NULL;
  speech_drop_results (fixed);
  for (guint i = 0; i < cross->len; i++)
    if (speech_add_result (
            fixed, "kept", g_array_index (cross, InferPort, i), error)
        == NULL)
      return NULL;
  infer_graph_sweep (fixed->graph);
  g_autoptr (InferModel) tail = infer_passes_run (fixed, &options, error);
  if (tail == NULL || !speech_settle_parameters (tail, error))
    return NULL;
  for (guint i = 0; i < cross->len; i++) {
    const InferOperation *result = tail->graph->results->pdata[i];

    g_array_index (cross, InferPort, i) = result->inputs[0];
  }
  *ports = g_steal_pointer (&cross);
  return g_steal_pointer (&tail);
}

/* --- the first tokens --- */

/* The number of the first tokens is what a decoder of later ones that counts
 * them begins with. */
static gboolean
add_count (InferModel *model, GArray *kept, GStrvBuilder *names, GError **error)
{
  InferPort count;

  if (!whisper_add_count (model, &count, error))
    return FALSE;
  g_array_append_val (kept, count);
  g_strv_builder_add (names, WHISPER_COUNT);
  return TRUE;
}

InferModel *
whisper_past_first (const InferModel *first, const InferModel *next,
    const GArray *cross, GStrv *states, GError **error)
{
  g_autoptr (InferModel) model = infer_model_copy (first);
  g_autoptr (GArray) kept = g_array_new (FALSE, FALSE, sizeof (InferPort));
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();
  InferPort port =
      ((const InferOperation *) model->graph->results->pdata[0])->inputs[0];

  g_array_append_val (kept, port);
  for (guint i = 0; i < cross->len; i++) {
    g_autofree char *output = cache_name (PRESENT, i / 2, "decoder", i % 2);
    g_autofree char *state = cache_name (PAST, i / 2, "decoder", i % 2);

    if (!find_result (model, output, &port, error))
      return NULL;
    g_array_append_val (kept, port);
    g_strv_builder_add (names, state);
  }
  if (!whisper_cut_cross (model, cross, error))
    return NULL;
  speech_drop_results (model);
  if (!whisper_take_position (model, TRUE, error))
    return NULL;
  if (whisper_wants_position (next) && !add_count (model, kept, names, error))
    return NULL;
  for (guint i = 0; i < kept->len; i++)
    if (speech_add_result (model, i == 0 ? "logits" : "kept",
            g_array_index (kept, InferPort, i), error)
        == NULL)
      return NULL;
  if (!whisper_cut_logits (model, error)
      || !speech_settle_parameters (model, error))
    return NULL;
  *states = g_strv_builder_end (names);
  return g_steal_pointer (&model);
}

/* --- the others --- */

static InferModel *
tie_caches (const InferModel *next, guint layers, GError **error)
{
  g_autoptr (GStrvBuilder) pairs = g_strv_builder_new ();

  for (guint i = 0; i < 2 * layers; i++) {
    g_autofree char *input = cache_name (PAST, i / 2, "decoder", i % 2);
    g_autofree char *output = cache_name (PRESENT, i / 2, "decoder", i % 2);
    g_autofree char *pair = g_strconcat (input, "=", output, NULL);

    g_strv_builder_add (pairs, pair);
  }
  g_auto (GStrv) list = g_strv_builder_end (pairs);
  return infer_model_tie_states (next, (const char *const *) list, error);
}

/* Only the logits remain, and the keys and values get their names. */
static gboolean
rename_ports (InferModel *model, guint layers, GError **error)
{
  InferPort logits =
      ((const InferOperation *) model->graph->results->pdata[0])->inputs[0];

  speech_drop_results (model);
  if (speech_add_result (model, "logits", logits, error) == NULL)
    return FALSE;
  for (guint i = 0; i < 2 * layers; i++) {
    g_autofree char *old = cache_name (PAST, i / 2, "encoder", i % 2);
    g_autofree char *name = g_strdup_printf (WHISPER_CROSS, i);
    int index = infer_model_find_input (model, old, error);

    if (index < 0)
      return FALSE;
    InferOperation *from = model->graph->parameters->pdata[(guint) index];
    InferOperation *to =
        speech_add_parameter (model, name, &from->outputs[0].desc, error);
    if (to == NULL)
      return FALSE;
    infer_port_replace ((InferPort){ from, 0 }, (InferPort){ to, 0 });
  }
  return TRUE;
}

InferModel *
whisper_past_next (const InferModel *next, GError **error)
{
  guint layers = count_layers (next);
  g_autoptr (InferModel) model = tie_caches (next, layers, error);

  return model != NULL && rename_ports (model, layers, error)
                 && whisper_add_beams (model, 0, error)
                 && whisper_take_position (model, FALSE, error)
                 && speech_settle_parameters (model, error)
             ? g_steal_pointer (&model)
             : NULL;
}
