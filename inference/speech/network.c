/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/speech/network.h"

InferModel *
speech_network_load (const SpeechFolder *folder, const char *file,
    const char *what, guint inputs, guint outputs, InferRuntime *runtime,
    GError **error)
{
  g_autofree char *path = speech_folder_file (folder, file);
  g_autoptr (InferModel) model =
      infer_runtime_load (runtime, path, NULL, error);

  if (model == NULL)
    return NULL;
  guint n_in = infer_model_n_inputs (model);
  guint n_out = infer_model_n_outputs (model);
  if (n_in >= inputs && n_out >= outputs)
    return g_steal_pointer (&model);
  infer_fail (error, INFER_ERROR_INVALID_MODEL,
      "%s: it has %u inputs and %u outputs; %s has at least %u and %u", path,
      n_in, n_out, what, inputs, outputs);
  return NULL;
}

const char *
speech_network_info (const InferModel *model, const char *key)
{
  g_autofree char *metadata = g_strconcat ("metadata/", key, NULL);
  const char *value = infer_model_get_info (model, key);

  return value != NULL ? value : infer_model_get_rt_info (model, metadata);
}

gboolean
speech_network_check_tokens (const InferModel *model, guint classes,
    const InferVocabulary *vocabulary, guint n, guint unnamed, GError **error)
{
  return (n <= classes && classes - n <= unnamed)
         || infer_fail (error, INFER_ERROR_INVALID_MODEL,
             "%s: it has %u tokens, but %s gives scores of %u; they are not of "
             "one model",
             infer_vocabulary_name (vocabulary), n,
             infer_model_get_path (model), classes);
}
