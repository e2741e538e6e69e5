/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "infer/preprocess.h"

#include <math.h>
#include <string.h>

static gboolean
is_channels (gint64 dim)
{
  return dim == 1 || dim == 3 || dim == 4;
}

void
infer_preprocess_defaults (InferPreprocess *settings, const InferDesc *input)
{
  const gint64 *dims = input->shape.dims;

  *settings = (InferPreprocess){ .source = INFER_IMAGE_NHWC };
  settings->model =
      input->shape.rank == 4 && !is_channels (dims[1]) && is_channels (dims[3])
          ? INFER_IMAGE_NHWC
          : INFER_IMAGE_NCHW;
  for (guint i = 0; i < INFER_IMAGE_MAX_CHANNELS; i++)
    settings->scale[i] = 1;
}

static gboolean
fail_value (const char *key, const char *value, GError **error)
{
  return infer_fail (error, INFER_ERROR_INVALID_MODEL,
      "model_info: %s: invalid value '%s'", key, value);
}

static gboolean
parse_float (const char *key, const char *text, float *value, GError **error)
{
  char *end;
  double number = g_ascii_strtod (text, &end);

  if (end == text || *end != '\0' || !isfinite (number))
    return fail_value (key, text, error);
  *value = (float) number;
  return TRUE;
}

static gboolean
parse_size (
    const InferModel *model, const char *key, guint *value, GError **error)
{
  const char *text = infer_model_get_info (model, key);
  guint64 number;

  if (text == NULL || *text == '\0')
    return TRUE;
  if (!g_ascii_string_to_unsigned (text, 10, 1, 16384, &number, NULL))
    return fail_value (key, text, error);
  *value = (guint) number;
  return TRUE;
}

/* One value for all channels, or one for each. */
static gboolean
parse_channels (const InferModel *model, const char *key, float *values,
    gboolean divisor, GError **error)
{
  const char *text = infer_model_get_info (model, key);
  guint n = 0;

  if (text == NULL || *text == '\0')
    return TRUE;
  g_auto (GStrv) words = g_strsplit_set (text, " ,", -1);
  for (guint i = 0; words[i] != NULL; i++) {
    if (*words[i] == '\0')
      continue;
    if (n == INFER_IMAGE_MAX_CHANNELS)
      return fail_value (key, text, error);
    if (!parse_float (key, words[i], &values[n++], error))
      return FALSE;
    if (divisor && values[n - 1] == 0)
      return fail_value (key, text, error);
  }
  for (guint i = n; n == 1 && i < INFER_IMAGE_MAX_CHANNELS; i++)
    values[i] = values[0];
  return TRUE;
}

static gboolean
parse_name (const InferModel *model, const char *key, const char *const *names,
    int *index, GError **error)
{
  const char *text = infer_model_get_info (model, key);

  if (text == NULL || *text == '\0')
    return TRUE;
  for (int i = 0; names[i] != NULL; i++) {
    if (g_ascii_strcasecmp (text, names[i]) == 0) {
      *index = i;
      return TRUE;
    }
  }
  return fail_value (key, text, error);
}

/* "NCHW", "image:NCHW", "[N,C,H,W]". */
static gboolean
parse_layout (const InferModel *model, InferImageLayout *layout, GError **error)
{
  const char *text = infer_model_get_info (model, "layout");
  char axes[5] = { 0 };
  guint n = 0;

  if (text == NULL || *text == '\0')
    return TRUE;
  if (strrchr (text, ':') != NULL)
    text = strrchr (text, ':') + 1;
  for (const char *at = text; *at != '\0'; at++)
    if (g_ascii_isalpha (*at) && n < 4)
      axes[n++] = g_ascii_toupper (*at);
  if (strcmp (axes, "NCHW") != 0 && strcmp (axes, "NHWC") != 0)
    return fail_value ("layout", text, error);
  *layout = axes[1] == 'C' ? INFER_IMAGE_NCHW : INFER_IMAGE_NHWC;
  return TRUE;
}

gboolean
infer_preprocess_from_model (InferPreprocess *settings, const InferModel *model,
    guint input, GError **error)
{
  static const char *const resizes[] = { "standard", "fit_to_window",
    "fit_to_window_letterbox", "crop", NULL };
  static const char *const booleans[] = { "False", "True", "NO", "YES", NULL };
  static const char *const interpolations[] = { "linear", "nearest", "cubic",
    "area", NULL };
  int resize = INFER_RESIZE_STRETCH, reverse = 0;
  int interpolation = INFER_SAMPLING_LINEAR;
  const char *pad = infer_model_get_info (model, "pad_value");

  infer_preprocess_defaults (settings, infer_model_input_desc (model, input));
  if (!parse_name (model, "resize_type", resizes, &resize, error)
      || !parse_name (
          model, "reverse_input_channels", booleans, &reverse, error)
      || !parse_name (
          model, "interpolation", interpolations, &interpolation, error)
      || !parse_layout (model, &settings->model, error)
      || !parse_size (model, "input_height", &settings->open_height, error)
      || !parse_size (model, "size_multiple", &settings->open_multiple, error)
      || !parse_channels (model, "mean_values", settings->mean, FALSE, error)
      || !parse_channels (model, "scale_values", settings->scale, TRUE, error)
      || (pad != NULL && *pad != '\0'
          && !parse_float ("pad_value", pad, &settings->pad, error))) {
    g_prefix_error (error, "%s: ", infer_model_get_path (model));
    return FALSE;
  }
  settings->resize = (InferResize) resize;
  settings->interpolate = (InferSampling) interpolation;
  settings->reverse = reverse % 2 == 1;
  return TRUE;
}
