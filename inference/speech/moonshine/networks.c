/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/speech/network.h"
#include "inference/speech/moonshine/networks.h"

#include <string.h>

#include "inference/base/json.h"

#define START 1 /* tokens of the published models */
#define END 2

/* --- files --- */

/* config.json, if there is one.  NULL without error: there is none. */
static InferJson *
read_config (const SpeechFolder *folder, GError **error)
{
  if (!speech_folder_has (folder, "config.json"))
    return NULL;
  g_autofree char *path = speech_folder_file (folder, "config.json");
  return infer_json_read (path, error);
}

/* Whisper has files of the same names. */
static gboolean
is_ours (const SpeechFolder *folder)
{
  g_autoptr (InferJson) config = read_config (folder, NULL);
  const char *type = NULL;

  if (config != NULL)
    infer_json_opt_string (infer_json_root (config), "model_type", &type, NULL);
  return type != NULL && strcmp (type, "moonshine") == 0;
}

gboolean
moonshine_networks_probe (const SpeechFolder *folder)
{
  if (folder->file != NULL)
    return FALSE;
  if (speech_folder_network (folder, "uncached_decode") != NULL
      || speech_folder_network (folder, "cached_decode") != NULL)
    return TRUE;
  return speech_folder_network (folder, "encoder_model") != NULL
         && speech_folder_network (folder, "decoder_model_merged") != NULL
         && is_ours (folder);
}

static InferModel *
load_model (const SpeechFolder *folder, const char *name, guint inputs,
    guint outputs, InferRuntime *runtime, GError **error)
{
  const char *file = speech_folder_network (folder, name);

  if (file == NULL) {
    infer_fail (error, INFER_ERROR_NOT_FOUND,
        "%s: there is no %s.onnx; a Moonshine model is preprocess, encode, "
        "uncached_decode and cached_decode, or encoder_model and "
        "decoder_model_merged",
        folder->path, name);
    return NULL;
  }
  g_autofree char *what = g_strconcat ("Moonshine's ", name, NULL);
  return speech_network_load (
      folder, file, what, inputs, outputs, runtime, error);
}

/* --- what fits together --- */

/* The size of @desc along its last axis; INFER_DYNAMIC: not known. */
static gint64
last_dim (const InferDesc *desc)
{
  return desc->shape.rank < 1 ? INFER_DYNAMIC
                              : desc->shape.dims[desc->shape.rank - 1];
}

static gboolean
check_width (
    const InferModel *from, const InferModel *to, guint input, GError **error)
{
  gint64 given = last_dim (infer_model_output_desc (from, 0));
  gint64 taken = last_dim (infer_model_input_desc (to, input));

  return given == INFER_DYNAMIC || taken == INFER_DYNAMIC || given == taken
         || infer_fail (error, INFER_ERROR_INVALID_MODEL,
             "%s: its input '%s' takes %" G_GINT64_FORMAT
             " values, but %s gives %" G_GINT64_FORMAT
             "; they are not of one model",
             infer_model_get_path (to), infer_model_input_name (to, input),
             taken, infer_model_get_path (from), given);
}

static gboolean
read_classes (MoonshineNetworks *net, const InferModel *model, GError **error)
{
  const InferDesc *logits = infer_model_output_desc (model, 0);
  gint64 classes = last_dim (logits);

  if (classes < 1 || classes > G_MAXINT16 * 32) {
    g_autofree char *shape = infer_shape_to_string (&logits->shape);

    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%s: its first output is %s, so the number of its tokens is not known",
        infer_model_get_path (model), shape);
  }
  net->classes = (guint) classes;
  return TRUE;
}

static void
clear_link (gpointer link)
{
  g_free (((MoonshineLink *) link)->state);
}

static void
add_link (MoonshineNetworks *net, guint output, const char *state, guint input)
{
  MoonshineLink link = { output, g_strdup (state), input };

  g_array_append_val (net->links, link);
}

static gboolean
compile (InferModel *model, InferRuntime *runtime, InferExecutable **executable,
    GError **error)
{
  *executable = infer_executable_new (model, runtime, error);
  return *executable != NULL;
}

/* --- preprocess, encode, uncached_decode, cached_decode --- */

#define FIXED 3 /* inputs of the decoders: tokens, encoder's output, length */

/* States follow in the order of the outputs. */
static InferModel *
tie_by_order (MoonshineNetworks *net, const InferModel *first,
    const InferModel *next, GError **error)
{
  guint n = infer_model_n_outputs (next) - 1;
  g_autoptr (GStrvBuilder) pairs = g_strv_builder_new ();

  if (infer_model_n_inputs (next) != n + FIXED
      || infer_model_n_outputs (first) != n + 1) {
    infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%s: it takes %u states and gives %u, but %s gives %u; they are not of "
        "one model",
        infer_model_get_path (next), infer_model_n_inputs (next) - FIXED, n,
        infer_model_get_path (first), infer_model_n_outputs (first) - 1);
    return NULL;
  }
  for (guint i = 0; i < n; i++) {
    const char *state = infer_model_input_name (next, i + FIXED);
    g_autofree char *pair =
        g_strconcat (state, "=", infer_model_output_name (next, i + 1), NULL);

    g_strv_builder_add (pairs, pair);
    add_link (net, i + 1, state, 0);
  }
  g_auto (GStrv) list = g_strv_builder_end (pairs);
  return infer_model_tie_states (next, (const char *const *) list, error);
}

static gboolean
load_separate (MoonshineNetworks *net, const SpeechFolder *folder,
    InferRuntime *runtime, GError **error)
{
  g_autoptr (InferModel) preprocess =
      load_model (folder, "preprocess", 1, 1, runtime, error);
  g_autoptr (InferModel) encoder =
      preprocess == NULL ? NULL
                         : load_model (folder, "encode", 2, 1, runtime, error);
  g_autoptr (InferModel) first =
      encoder == NULL
          ? NULL
          : load_model (folder, "uncached_decode", FIXED, 2, runtime, error);
  g_autoptr (InferModel) next =
      first == NULL
          ? NULL
          : load_model (folder, "cached_decode", FIXED + 1, 2, runtime, error);

  if (next == NULL || !check_width (preprocess, encoder, 0, error)
      || !check_width (encoder, first, 1, error)
      || !check_width (encoder, next, 1, error)
      || !read_classes (net, first, error))
    return FALSE;
  g_autoptr (InferModel) tied = tie_by_order (net, first, next, error);
  return tied != NULL && compile (preprocess, runtime, &net->preprocess, error)
         && compile (encoder, runtime, &net->encoder, error)
         && compile (first, runtime, &net->first, error)
         && compile (tied, runtime, &net->next, error);
}

/* --- encoder_model, decoder_model_merged --- */

/* past_key_values.L.decoder.key and present.L.decoder.key. */
static InferModel *
tie_by_name (MoonshineNetworks *net, const InferModel *model, GError **error)
{
  static const char past[] = "past_key_values.";
  g_autoptr (GStrvBuilder) pairs = g_strv_builder_new ();

  for (guint i = 0; i < infer_model_n_inputs (model); i++) {
    const char *input = infer_model_input_name (model, i);

    if (!g_str_has_prefix (input, past))
      continue;
    g_autofree char *name =
        g_strconcat ("present.", input + strlen (past), NULL);
    int output = infer_model_find_output (model, name, error);
    if (output < 0)
      return NULL;
    if (strstr (input, ".encoder.") != NULL) {
      add_link (net, (guint) output, NULL, i);
    } else {
      g_autofree char *pair = g_strconcat (input, "=", name, NULL);

      g_strv_builder_add (pairs, pair);
      add_link (net, (guint) output, input, 0);
    }
  }
  g_auto (GStrv) list = g_strv_builder_end (pairs);
  return infer_model_tie_states (model, (const char *const *) list, error);
}

/* Inputs have other numbers without those that became variables. */
static gboolean
find_inputs (MoonshineNetworks *net, const InferModel *model,
    const InferModel *tied, GError **error)
{
  for (guint i = 0; i < net->links->len; i++) {
    MoonshineLink *link = &g_array_index (net->links, MoonshineLink, i);

    if (link->state != NULL)
      continue;
    int input = infer_model_find_input (
        tied, infer_model_input_name (model, link->input), error);
    if (input < 0)
      return FALSE;
    link->input = (guint) input;
  }
  return TRUE;
}

static gboolean
check_merged (
    const InferModel *encoder, const InferModel *decoder, GError **error)
{
  static const char *const names[] = { "input_ids", "encoder_hidden_states",
    "use_cache_branch" };
  const InferDesc *samples = infer_model_input_desc (encoder, 0);
  int inputs[G_N_ELEMENTS (names)];

  if (samples->shape.rank != 2)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%s: its first input is not [batch, samples]",
        infer_model_get_path (encoder));
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    inputs[i] = infer_model_find_input (decoder, names[i], error);
    if (inputs[i] < 0)
      return FALSE;
  }
  return check_width (encoder, decoder, (guint) inputs[1], error);
}

static gboolean
read_tokens (MoonshineNetworks *net, const SpeechFolder *folder, GError **error)
{
  GError *failed = NULL;
  g_autoptr (InferJson) config = read_config (folder, &failed);

  if (failed != NULL) {
    g_propagate_error (error, failed);
    return FALSE;
  }
  return config == NULL
         || (infer_json_opt_int (infer_json_root (config),
                 "decoder_start_token_id", &net->start, error)
             && infer_json_opt_int (
                 infer_json_root (config), "eos_token_id", &net->end, error));
}

static gboolean
load_merged (MoonshineNetworks *net, const SpeechFolder *folder,
    InferRuntime *runtime, GError **error)
{
  g_autoptr (InferModel) encoder =
      load_model (folder, "encoder_model", 1, 1, runtime, error);
  g_autoptr (InferModel) decoder =
      encoder == NULL
          ? NULL
          : load_model (folder, "decoder_model_merged", 5, 3, runtime, error);

  net->merged = TRUE;
  if (decoder == NULL || !check_merged (encoder, decoder, error)
      || !read_classes (net, decoder, error)
      || !read_tokens (net, folder, error))
    return FALSE;
  g_autoptr (InferModel) tied = tie_by_name (net, decoder, error);
  return tied != NULL && find_inputs (net, decoder, tied, error)
         && compile (encoder, runtime, &net->encoder, error)
         && compile (decoder, runtime, &net->first, error)
         && compile (tied, runtime, &net->next, error);
}

/* --- both --- */

gboolean
moonshine_networks_load (MoonshineNetworks *net, const SpeechFolder *folder,
    InferRuntime *runtime, GError **error)
{
  gboolean merged =
      speech_folder_network (folder, "decoder_model_merged") != NULL;

  net->start = START;
  net->end = END;
  net->links = g_array_new (FALSE, TRUE, sizeof (MoonshineLink));
  g_array_set_clear_func (net->links, clear_link);
  if (!(merged ? load_merged : load_separate) (net, folder, runtime, error))
    return FALSE;
  return (net->start >= 0 && net->start < net->classes && net->end >= 0
             && net->end < net->classes)
         || infer_fail (error, INFER_ERROR_INVALID_MODEL,
             "%s: its tokens for start and end are %" G_GINT64_FORMAT
             " and %" G_GINT64_FORMAT ", but the decoder has %u tokens",
             folder->path, net->start, net->end, net->classes);
}

void
moonshine_networks_clear (MoonshineNetworks *net)
{
  g_clear_pointer (&net->preprocess, infer_executable_unref);
  g_clear_pointer (&net->encoder, infer_executable_unref);
  g_clear_pointer (&net->first, infer_executable_unref);
  g_clear_pointer (&net->next, infer_executable_unref);
  g_clear_pointer (&net->links, g_array_unref);
}
