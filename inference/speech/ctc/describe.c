/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/speech/ctc/describe.h"

#include <math.h>
#include <string.h>

#include "inference/base/json.h"
#include "inference/media/features/kind.h"
#include "inference/speech/network.h"

/* --- keys --- */

gboolean
ctc_describe_number (const InferModel *model, const char *key, double least,
    double most, double *value, GError **error)
{
  const char *text = speech_network_info (model, key);
  char *end;

  if (text == NULL)
    return TRUE;
  const double number = g_ascii_strtod (text, &end);
  if (end == text || *end != '\0' || !(number >= least) || !(number <= most))
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%s: '%s' is '%s', not a number from %g to %g",
        infer_model_get_path (model), key, text, least, most);
  *value = number;
  return TRUE;
}

gboolean
ctc_describe_integer (const InferModel *model, const char *key, gint64 least,
    gint64 most, gint64 *value, GError **error)
{
  double number = 0.5;

  if (!ctc_describe_number (
          model, key, (double) least, (double) most, &number, error))
    return FALSE;
  if (number == 0.5)
    return TRUE;
  if (number != floor (number))
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%s: '%s' is '%s', not an integer", infer_model_get_path (model), key,
        speech_network_info (model, key));
  *value = (gint64) number;
  return TRUE;
}

/* --- the rate --- */

static gboolean
read_config (const char *path, gint64 *rate, gboolean *normal, GError **error)
{
  g_autoptr (InferJson) json = infer_json_read (path, error);

  if (json == NULL)
    return FALSE;
  InferJsonValue root = infer_json_root (json);
  if (!infer_json_opt_int (root, "sampling_rate", rate, error)
      || !infer_json_opt_bool (root, "do_normalize", normal, error))
    return FALSE;
  return (*rate >= 1 && *rate <= 768000)
         || infer_json_fail (infer_json_find (root, "sampling_rate"), error,
             "a rate from 1 to 768000 Hz was expected");
}

gboolean
ctc_describe_rate (const InferModel *model, const SpeechFolder *folder,
    const char *path, gint64 *rate, gboolean *unit_variance, GError **error)
{
  g_autofree char *file =
      speech_folder_file (folder, "preprocessor_config.json");
  gint64 own = -1, configured = *rate;

  *unit_variance = FALSE;
  if (!ctc_describe_integer (model, "sample_rate", 1, 768000, &own, error))
    return FALSE;
  if (!speech_folder_has (folder, "preprocessor_config.json")) {
    *rate = own > 0 ? own : configured;
    return TRUE;
  }
  if (!read_config (file, &configured, unit_variance, error))
    return FALSE;
  if (own > 0 && own != configured)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%s is for %" G_GINT64_FORMAT " Hz, but %s says %" G_GINT64_FORMAT,
        path, own, file, configured);
  *rate = configured;
  return TRUE;
}

/* --- features --- */

static gboolean
set_integer (
    const InferModel *model, const char *key, guint *field, GError **error)
{
  gint64 value = *field;

  if (!ctc_describe_integer (model, key, 1, 1 << 20, &value, error))
    return FALSE;
  *field = (guint) value;
  return TRUE;
}

/* Keys of docs/model-info.md. */
static gboolean
set_fields (
    const InferModel *model, InferFeaturesConfig *config, GError **error)
{
  return set_integer (model, "window", &config->window, error)
         && set_integer (model, "hop", &config->hop, error)
         && set_integer (model, "fft", &config->fft, error)
         && set_integer (model, "bands", &config->bands, error)
         && ctc_describe_number (model, "fmin", 0, 1e6, &config->fmin, error)
         && ctc_describe_number (model, "fmax", 0, 1e6, &config->fmax, error)
         && ctc_describe_number (
             model, "floor", 1e-30, 1, &config->floor, error);
}

/* icefall's: samples in [-1, 1], frames at the edges, 20 Hz to 400 Hz below
 * half the rate. */
static void
set_icefall (InferFeaturesConfig *config, guint rate)
{
  config->scale = 1;
  config->fmin = 20;
  config->fmax = rate / 2.0 - 400;
  config->snip_edges = FALSE;
  config->bands = config->bands > 0 ? config->bands : 80;
}

/* E.g. "zipformer2_ctc".  In model_info, "ctc" is what the model does, and says
 * nothing of its layers. */
static const char *
find_architecture (const InferModel *model)
{
  const char *type = infer_model_get_info (model, "model_type");

  return type != NULL && strcmp (type, "ctc") != 0
             ? type
             : infer_model_get_rt_info (model, "metadata/model_type");
}

gboolean
ctc_describe_features (const InferModel *model, const char *path, guint rate,
    const InferFeaturesKind **kind, InferFeaturesConfig *config, GError **error)
{
  const char *input = infer_model_get_info (model, "input");
  const char *type = find_architecture (model);
  const char *gigaam = speech_network_info (model, "is_giga_am");

  *config = infer_features_unset ();
  if (gigaam != NULL && strcmp (gigaam, "0") != 0)
    return infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "%s: it takes GigaAM's features, which are not known here", path);
  if (!set_fields (model, config, error))
    return FALSE;
  if (input != NULL
      && (strcmp (input, "logmel") == 0 || strcmp (input, "log-mel") == 0)) {
    *kind = &infer_features_log_mel;
    return TRUE;
  }
  if (input != NULL && strcmp (input, "fbank") == 0) {
    *kind = &infer_features_fbank;
    return TRUE;
  }
  if ((input != NULL && strcmp (input, "nemo") == 0)
      || (input == NULL
          && (speech_network_info (model, "normalize_type") != NULL
              || (type != NULL && g_str_has_prefix (type, "EncDec"))))) {
    *kind = &infer_features_nemo;
    return TRUE;
  }
  if (input == NULL && type != NULL
      && (strstr (type, "zipformer") != NULL
          || strstr (type, "conformer") != NULL)) {
    *kind = &infer_features_fbank;
    set_icefall (config, rate);
    return TRUE;
  }
  return infer_fail (error, INFER_ERROR_UNSUPPORTED,
      "%s: it takes features, but does not say which are known here: model_info "
      "'input' is %s (logmel, fbank, nemo), metadata 'model_type' is %s (zipformer…, "
      "conformer…)",
      path, input != NULL ? input : "not there",
      type != NULL ? type : "not there");
}

gboolean
ctc_describe_per_feature (const InferModel *model)
{
  const char *type = speech_network_info (model, "normalize_type");

  return type != NULL && strcmp (type, "per_feature") == 0;
}

float
ctc_describe_pad (
    const InferFeaturesKind *kind, const InferFeaturesConfig *config)
{
  g_autofree float *frame = NULL;
  const float silence[64] = { 0 };
  g_autoptr (InferFeatures) features = infer_features_new (kind, config, NULL);
  gboolean complete = FALSE;

  frame = g_new0 (float, infer_features_width (features));
  while (!complete)
    infer_features_push (
        features, silence, G_N_ELEMENTS (silence), frame, &complete);
  return frame[0];
}
