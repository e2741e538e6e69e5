/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/speech/whisper/model.h"

#include <string.h>

#include "inference/base/json.h"
#include "inference/speech/whisper/folder/files.h"
#include "inference/speech/whisper/graph/stacked.h"
#include "inference/speech/whisper/folder/metadata.h"

/* Moonshine has files of the same names. */
static gboolean
is_moonshine (const SpeechFolder *folder)
{
  g_autofree char *path = speech_folder_file (folder, "config.json");
  g_autoptr (InferJson) config = infer_json_read (path, NULL);
  const char *type = NULL;

  if (config != NULL)
    infer_json_opt_string (infer_json_root (config), "model_type", &type, NULL);
  return type != NULL && strcmp (type, "moonshine") == 0;
}

gboolean
whisper_model_probe (const SpeechFolder *folder)
{
  WhisperFiles files;

  return folder->file == NULL && whisper_files_find (folder, &files)
         && !is_moonshine (folder);
}

/* Of 50 per second: those that a short utterance has. */
#define WARM_POSITIONS 400

/* --- files --- */

static gboolean
require_file (const SpeechFolder *folder, const char *name, GError **error)
{
  return speech_folder_has (folder, name)
         || infer_fail (error, INFER_ERROR_NOT_FOUND,
             "%s: there is no %s in it", folder->path, name);
}

static InferModel *
load_network (const SpeechFolder *folder, const char *name,
    InferRuntime *runtime, GError **error)
{
  g_autofree char *path = speech_folder_file (folder, name);

  return infer_runtime_load (runtime, path, NULL, error);
}

static gboolean
find_files (const SpeechFolder *folder, WhisperFiles *files, GError **error)
{
  if (whisper_files_find (folder, files))
    return TRUE;
  const char *missing = files->encoder == NULL   ? "encoder"
                        : files->decoder == NULL ? "decoder"
                                                 : "tokens";
  if (files->stacked)
    return infer_fail (error, INFER_ERROR_NOT_FOUND,
        "%s: there is no *%s.%s beside %s", folder->path, missing,
        strcmp (missing, "tokens") == 0 ? "txt" : "onnx",
        files->encoder != NULL ? files->encoder : files->decoder);
  return infer_fail (error, INFER_ERROR_NOT_FOUND,
      "%s: there is no openvino_%s_model.xml or %s_model.onnx in it",
      folder->path, missing, missing);
}

/* --- what must agree --- */

static gboolean
check_agree (const WhisperConfig *c, const char *what, gint64 stated,
    const char *path, gint64 found, GError **error)
{
  return stated < 0 || found < 0 || stated == found
         || infer_fail (error, INFER_ERROR_INVALID_MODEL,
             "%s says %" G_GINT64_FORMAT " %s, but %s has %" G_GINT64_FORMAT,
             c->path, stated, what, path, found);
}

/* A vocabulary may lack the timestamps, which have numbers alone. */
static gboolean
check_vocabulary (
    const WhisperConfig *c, const WhisperGraphs *graphs, GError **error)
{
  const char *file = infer_vocabulary_name (c->vocabulary_file);
  const char *decoder = infer_model_get_path (graphs->decoder);
  guint size = infer_vocabulary_size (c->vocabulary_file);

  if ((gint64) size > graphs->vocabulary)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%s has %u tokens, but %s gives logits of only %" G_GINT64_FORMAT, file,
        size, decoder, graphs->vocabulary);
  if (graphs->vocabulary <= (gint64) c->timestamps)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%s ends with timestamps from token %u on, but %s gives logits of only "
        "%" G_GINT64_FORMAT " tokens",
        file, c->timestamps, decoder, graphs->vocabulary);
  /* Tokens beyond those named are all timestamps. */
  gint64 timestamps = graphs->vocabulary - c->timestamps;
  if (graphs->positions > 0 && timestamps < graphs->positions / 2)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%s gives logits of %" G_GINT64_FORMAT
        " tokens, which leaves %" G_GINT64_FORMAT
        " timestamps after the %u tokens of %s",
        decoder, graphs->vocabulary, timestamps, c->timestamps, file);
  return TRUE;
}

static gboolean
check_graphs (const WhisperConfig *c, const WhisperGraphs *graphs,
    const InferModel *encoder, GError **error)
{
  const char *path = infer_model_get_path (encoder);
  const InferShape *out = &infer_model_output_desc (encoder, 0)->shape;
  const gint64 width = out->dims[out->rank - 1];

  return check_agree (c, "mel bands (num_mel_bins)", c->bands, path,
             graphs->bands, error)
         && check_agree (c, "positions (max_source_positions)", c->positions,
             path, graphs->positions, error)
         && check_agree (c, "features (d_model)", c->width, path, width, error)
         && check_agree (c, "tokens (vocab_size)", c->vocabulary,
             infer_model_get_path (graphs->decoder), graphs->vocabulary, error)
         && check_vocabulary (c, graphs, error);
}

/* --- loading --- */

/* Without a list, OpenAI takes all heads of the upper half of the layers. */
static void
complete_heads (WhisperConfig *c, guint n_layers)
{
  if (c->heads_of_words->len > 0 || c->heads < 1)
    return;
  for (guint layer = n_layers / 2; layer < n_layers; layer++)
    for (guint head = 0; head < c->heads; head++) {
      WhisperHead one = { layer, head };
      g_array_append_val (c->heads_of_words, one);
    }
}

static void
list_languages (WhisperModel *model)
{
  GPtrArray *codes = g_ptr_array_new ();

  if (model->config.multilingual)
    for (guint i = 0; i < model->config.languages->len; i++)
      g_ptr_array_add (codes,
          g_strdup (g_array_index (model->config.languages, WhisperLanguage, i)
                        .code));
  else
    g_ptr_array_add (codes, g_strdup ("en"));
  g_ptr_array_add (codes, NULL);
  model->languages = (char **) g_ptr_array_free (codes, FALSE);
}

/* Where the encoder says what the model is, there are no files of JSON. */
static gboolean
load_config (WhisperConfig *config, const SpeechFolder *folder,
    const WhisperFiles *files, const InferModel *encoder, GError **error)
{
  if (files->stacked && !whisper_stacked_is_encoder (encoder))
    return infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "%s: it does not give 'n_layer_cross_k', as Whisper's encoders of this "
        "name do: only models of Whisper are supported with an encoder, a "
        "decoder and no joiner",
        infer_model_get_path (encoder));
  if (files->stacked)
    return whisper_metadata_read (config, encoder, folder, error);
  return require_file (folder, "config.json", error)
         && whisper_config_read (config, folder, error);
}

static gboolean
load_graphs (WhisperModel *model, const SpeechFolder *folder,
    InferRuntime *runtime, WhisperGraphs *graphs, GError **error)
{
  g_autoptr (InferModel) encoder = NULL;
  g_autoptr (InferModel) decoder = NULL;
  g_autoptr (InferModel) past = NULL;
  WhisperFiles files;

  if (!find_files (folder, &files, error))
    return FALSE;
  encoder = load_network (folder, files.encoder, runtime, error);
  if (encoder == NULL
      || !load_config (&model->config, folder, &files, encoder, error))
    return FALSE;
  decoder = load_network (folder, files.decoder, runtime, error);
  if (decoder == NULL)
    return FALSE;
  if (files.past != NULL) {
    past = load_network (folder, files.past, runtime, error);
    if (past == NULL)
      return FALSE;
  }
  return whisper_graphs_make (
             graphs, encoder, decoder, past, model->config.positions, error)
         && check_graphs (&model->config, graphs, encoder, error);
}

static gboolean
load_networks (WhisperModel *model, const SpeechFolder *folder,
    InferRuntime *runtime, GError **error)
{
  g_auto (WhisperGraphs) graphs = { 0 };

  if (!load_graphs (model, folder, runtime, &graphs, error))
    return FALSE;
  model->config.vocabulary = graphs.vocabulary;
  model->config.positions = graphs.positions;
  model->config.bands = graphs.bands;
  complete_heads (&model->config, graphs.n_layers);
  return whisper_networks_open (&model->networks, &graphs, runtime, error);
}

/* Runs each network once, so that the first text takes no longer than others:
 * weights are packed when they are first used. */
static gboolean
run_once (const WhisperModel *model, WhisperSession *session, GError **error)
{
  const WhisperConfig *c = &model->config;
  const gint64 context = MIN (c->positions, WARM_POSITIONS);
  const gint64 start = c->start;
  const InferTensor **scores =
      g_newa (const InferTensor *, model->networks.graphs.n_layers + 1);
  const float row = 0, *logits;
  gsize stride;

  if (!whisper_session_encode (session, &row, 0, 0, context, error))
    return FALSE;
  whisper_session_restart (session);
  for (guint i = 0; i < 2; i++)
    if (!whisper_session_step (
            session, &start, 1, 1, NULL, &logits, &stride, error))
      return FALSE;
  return model->networks.aligner == NULL
         || (whisper_session_begin_alignment (session, error)
             && whisper_session_align (session, &start, 1, scores, error));
}

static gboolean
warm_up (WhisperModel *model, GError **error)
{
  WhisperSession session;
  gboolean ok = whisper_session_open (&session, &model->networks, error)
                && run_once (model, &session, error);

  whisper_session_close (&session);
  return ok;
}

WhisperModel *
whisper_model_load (
    const SpeechFolder *folder, InferRuntime *runtime, GError **error)
{
  g_autoptr (WhisperModel) model = g_new0 (WhisperModel, 1);

  if (!load_networks (model, folder, runtime, error) || !warm_up (model, error))
    return NULL;
  list_languages (model);
  return g_steal_pointer (&model);
}

void
whisper_model_free (WhisperModel *model)
{
  if (model == NULL)
    return;
  whisper_networks_close (&model->networks);
  whisper_config_clear (&model->config);
  g_strfreev (model->languages);
  g_free (model);
}
