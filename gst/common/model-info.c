/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/common/model-info.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>

#define EVENT_NAME "inferfilter/model-info"

/* One a line, in alphabetical order; docs/model-info.md says what they mean. */
/* clang-format off */
static const char *const keys[] = {
  "anchors",
  "blank",
  "channels",
  "confidence_threshold",
  "context",
  "embedded_processing",
  "floor",
  "frames_multiple",
  "hierarchical",
  "hop",
  "image_threshold",
  "input",
  "input_height",
  "interpolation",
  "iou_threshold",
  "labels",
  "latency_samples",
  "layout",
  "mean_values",
  "min_silence_duration_ms",
  "min_speech_duration_ms",
  "model_type",
  "multilabel",
  "neg_threshold",
  "normalization_scale",
  "orig_height",
  "orig_width",
  "output_range",
  "output_raw_scores",
  "pad_value",
  "pixel_threshold",
  "resize_type",
  "reverse_input_channels",
  "sample_rate",
  "samples_multiple",
  "scale_values",
  "size_multiple",
  "speech_pad_ms",
  "step_ms",
  "unclip_ratio",
};
/* clang-format on */

gboolean
gst_infer_model_info_has_key (const char *key)
{
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    if (g_str_equal (keys[i], key))
      return TRUE;
  return FALSE;
}

GstEvent *
gst_infer_model_info_event (const InferModel *model)
{
  GstStructure *s = gst_structure_new (
      EVENT_NAME, "model", G_TYPE_STRING, infer_model_get_path (model), NULL);
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();
  g_auto (GStrv) outputs = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (keys); i++) {
    const char *value = infer_model_get_info (model, keys[i]);

    if (value != NULL && g_utf8_validate (value, -1, NULL))
      gst_structure_set (s, keys[i], G_TYPE_STRING, value, NULL);
  }
  for (guint i = 0; i < infer_model_n_outputs (model); i++)
    g_strv_builder_add (names, infer_model_output_name (model, i));
  outputs = g_strv_builder_end (names);
  gst_structure_set (s, "outputs", G_TYPE_STRV, outputs, NULL);
  return gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM_STICKY, s);
}

GstEvent *
gst_infer_model_info_of_outputs (GStrv outputs)
{
  return gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM_STICKY,
      gst_structure_new (EVENT_NAME, "outputs", G_TYPE_STRV, outputs, NULL));
}

const GstStructure *
gst_infer_model_info_parse (GstEvent *event)
{
  return gst_event_has_name (event, EVENT_NAME)
             ? gst_event_get_structure (event)
             : NULL;
}

static gboolean
has_equal (GQuark field, const GValue *value, gpointer data)
{
  const GValue *other = gst_structure_id_get_value (data, field);

  if (other == NULL || other->g_type != value->g_type)
    return FALSE;
  /* GStreamer does not compare lists of strings. */
  if (value->g_type == G_TYPE_STRV)
    return g_strv_equal (g_value_get_boxed (value), g_value_get_boxed (other));
  return gst_value_compare (value, other) == GST_VALUE_EQUAL;
}

gboolean
gst_infer_model_info_equal (const GstStructure *a, const GstStructure *b)
{
  return gst_structure_n_fields (a) == gst_structure_n_fields (b)
         && gst_structure_foreach (a, has_equal, (gpointer) (gsize) b);
}

double
gst_infer_number_parse (const char *text, double fallback)
{
  char *end;

  if (text == NULL)
    return fallback;
  double value = g_ascii_strtod (text, &end);
  return end != text && *end == '\0' ? value : fallback;
}

double
gst_infer_model_info_number (
    const InferModel *model, const char *key, double fallback)
{
  return gst_infer_number_parse (infer_model_get_info (model, key), fallback);
}

GStrv
gst_infer_labels_parse (const char *text)
{
  g_autoptr (GStrvBuilder) labels = g_strv_builder_new ();
  const char *separators = strchr (text, '\n')  ? "\n\r"
                           : strchr (text, ',') ? ","
                                                : " \t";
  g_auto (GStrv) parts = g_strsplit_set (text, separators, -1);

  for (guint i = 0; parts[i] != NULL; i++) {
    if (parts[i][0] == '\0')
      continue;
    g_strdelimit (parts[i], "_", ' ');
    g_strv_builder_add (labels, parts[i]);
  }
  return g_strv_builder_end (labels);
}

/* Reading a FIFO or device might never end. */
static gboolean
check_regular (const char *path, GError **error)
{
  GStatBuf info;

  if (g_stat (path, &info) != 0 || S_ISREG (info.st_mode))
    return TRUE;
  g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
      "%s: it is %s; a regular file is needed", path,
      S_ISDIR (info.st_mode)    ? "a folder"
      : S_ISFIFO (info.st_mode) ? "a FIFO"
                                : "a device or socket");
  return FALSE;
}

GStrv
gst_infer_labels_load (const char *path, GError **error)
{
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;
  guint n;

  if (!check_regular (path, error)
      || !g_file_get_contents (path, &text, NULL, error)) {
    g_prefix_error (error, "Cannot read the labels: ");
    return NULL;
  }
  if (!g_utf8_validate (text, -1, NULL)) {
    g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_FAILED,
        "The labels in %s are not UTF-8", path);
    return NULL;
  }
  lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    if (g_str_has_suffix (lines[i], "\r"))
      lines[i][strlen (lines[i]) - 1] = '\0';
  n = g_strv_length (lines);
  if (n > 0 && lines[n - 1][0] == '\0')
    g_clear_pointer (&lines[n - 1], g_free);
  return g_steal_pointer (&lines);
}
