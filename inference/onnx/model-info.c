/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/onnx/model-info.h"

#include <math.h>
#include <string.h>

#include "inference/graph/model-private.h"

#define MAX_LABELS 100000

static const char *
metadata (const InferModel *model, const char *key)
{
  g_autofree char *path = g_strconcat ("metadata/", key, NULL);

  return infer_model_get_rt_info (model, path);
}

/* Sets model_info/@key, unless it is set already. */
static void
say (InferModel *model, const char *key, const char *value)
{
  g_autofree char *path = g_strconcat ("model_info/", key, NULL);

  if (!g_hash_table_contains (model->rt_info, path))
    g_hash_table_insert (
        model->rt_info, g_steal_pointer (&path), g_strdup (value));
}

/* --- labels --- */

/* A string of Python or JSON that begins at *@at, with its escapes resolved as
 * far as labels need it; @at moves behind it.  (transfer full) */
static char *
read_quoted (const char **at)
{
  const char quote = **at;
  GString *text = g_string_new (NULL);

  for ((*at)++; **at != '\0' && **at != quote; (*at)++) {
    if (**at == '\\' && (*at)[1] != '\0')
      (*at)++;
    /* A line is a label. */
    g_string_append_c (text, **at == '\n' || **at == '\r' ? ' ' : **at);
  }
  if (**at == quote)
    (*at)++;
  return g_string_free (text, FALSE);
}

static void
put_label (GPtrArray *labels, guint64 index, char *label)
{
  if (index >= MAX_LABELS) {
    g_free (label);
    return;
  }
  if (index >= labels->len)
    g_ptr_array_set_size (labels, (int) index + 1);
  g_free (labels->pdata[index]);
  labels->pdata[index] = label;
}

/* "{0: 'person', 1: 'car'}", "{\"0\": \"person\"}", "['person', 'car']".
 * (element-type utf8), with NULL where a number has none */
static GPtrArray *
read_names (const char *text)
{
  GPtrArray *labels = g_ptr_array_new_with_free_func (g_free);
  guint64 index = 0;

  for (const char *at = text; *at != '\0';) {
    if (*at == '\'' || *at == '"') {
      g_autofree char *word = read_quoted (&at);

      at += strspn (at, " ");
      if (*at == ':')
        g_ascii_string_to_unsigned (word, 10, 0, MAX_LABELS, &index, NULL);
      else
        put_label (labels, index++, g_steal_pointer (&word));
    } else if (g_ascii_isdigit (*at)) {
      char *end;

      index = g_ascii_strtoull (at, &end, 10);
      at = end;
    } else
      at++;
  }
  return labels;
}

/* The labels as lines. */
static void
say_labels (InferModel *model, const char *text)
{
  g_autoptr (GString) lines = g_string_new (NULL);

  if (*text != '{' && *text != '[') {
    say (model, "labels", text);
    return;
  }
  g_autoptr (GPtrArray) labels = read_names (text);
  for (guint i = 0; i < labels->len; i++) {
    const char *label = labels->pdata[i];

    if (label != NULL && *label != '\0')
      g_string_append_printf (lines, "%s\n", label);
    else
      g_string_append_printf (lines, "%u\n", i);
  }
  if (labels->len > 0)
    say (model, "labels", lines->str);
}

/* --- Ultralytics --- */

static gboolean
contains (const char *text, const char *lower)
{
  g_autofree char *copy = text != NULL ? g_ascii_strdown (text, -1) : NULL;

  return copy != NULL && strstr (copy, lower) != NULL;
}

/* As its exporter to OpenVINO IR writes them.  Its RT-DETR, which has no
 * metadata of its own kind, sees the whole picture without borders. */
static void
derive_ultralytics (InferModel *model)
{
  static const struct
  {
    const char *task, *type, *resize;
  } tasks[] = {
    { "detect", "YOLO", "fit_to_window_letterbox" },
    { "segment", "yolov8-seg", "fit_to_window_letterbox" },
    { "pose", "yolov8-pose", "fit_to_window_letterbox" },
    { "obb", "yolov8-obb", "fit_to_window_letterbox" },
    { "classify", "classification", "crop" },
  };
  const char *task = metadata (model, "task");
  const char *stride = metadata (model, "stride");

  if (task == NULL || stride == NULL || metadata (model, "names") == NULL)
    return;
  if (contains (metadata (model, "description"), "rtdetr")
      || contains (metadata (model, "description"), "rt-detr")) {
    say (model, "model_type", "rtdetr");
    say (model, "resize_type", "standard");
  }
  for (guint i = 0; i < G_N_ELEMENTS (tasks); i++)
    if (g_str_equal (task, tasks[i].task)) {
      say (model, "model_type", tasks[i].type);
      say (model, "resize_type", tasks[i].resize);
    }
  say (model, "scale_values", "255");
  say (model, "pad_value", "114");
  if (g_ascii_string_to_unsigned (stride, 10, 1, 4096, NULL, NULL))
    say (model, "size_multiple", stride);
}

/* --- speech --- */

/* Features come every 10 ms in all of these models. */
#define FEATURE_MS 10

static void
derive_speech (InferModel *model)
{
  const char *type = metadata (model, "model_type");
  const char *factor = metadata (model, "subsampling_factor");
  const char *blank = metadata (model, "blank_id");
  guint64 number;

  /* "zipformer2_ctc", "EncDecCTCModelBPE" */
  if (!contains (type, "ctc"))
    return;
  say (model, "model_type", "ctc");
  if (factor != NULL
      && g_ascii_string_to_unsigned (factor, 10, 1, 1000, &number, NULL)) {
    g_autofree char *step = g_strdup_printf ("%u", (guint) number * FEATURE_MS);

    say (model, "step_ms", step);
  }
  if (blank != NULL
      && g_ascii_string_to_unsigned (blank, 10, 0, G_MAXINT, NULL, NULL))
    say (model, "blank", blank);
}

/* --- pictures --- */

/* "[0.485, 0.456, 0.406]", "123.7,116.3,103.5"; the number of values. */
static guint
read_numbers (const char *text, double values[4])
{
  guint n = 0;

  for (const char *at = text; *at != '\0';) {
    char *end;
    const double value = g_ascii_strtod (at, &end);

    if (end == at) {
      if (strchr ("[](), \t", *at) == NULL)
        return 0;
      at++;
      continue;
    }
    if (n == 4 || !isfinite (value))
      return 0;
    values[n++] = value;
    at = end;
  }
  return n;
}

/* Of pixels from 0 to 1, or from 0 to 255. */
static void
derive_mean (InferModel *model)
{
  static const char *const from[] = { "mean", "std" };
  static const char *const to[] = { "mean_values", "scale_values" };
  double values[2][4] = { { 0 } }, largest = 0;
  guint n[2];

  for (guint k = 0; k < 2; k++) {
    const char *text = metadata (model, from[k]);

    n[k] = text != NULL ? read_numbers (text, values[k]) : 0;
    for (guint i = 0; i < n[k]; i++)
      largest = MAX (largest, fabs (values[k][i]));
    if (n[k] == 0)
      return;
  }
  for (guint k = 0; k < 2; k++) {
    g_autoptr (GString) text = g_string_new (NULL);

    for (guint i = 0; i < n[k]; i++) {
      char buffer[G_ASCII_DTOSTR_BUF_SIZE];

      g_ascii_formatd (buffer, sizeof buffer, "%.7g",
          values[k][i] * (largest <= 1 ? 255 : 1));
      g_string_append_printf (text, "%s%s", i > 0 ? " " : "", buffer);
    }
    say (model, to[k], text->str);
  }
}

/* --- all --- */

/* "model_info KEY" */
static void
take_model_api (InferModel *model)
{
  static const char prefix[] = "metadata/model_info ";
  g_autoptr (GPtrArray) keys = g_ptr_array_new_with_free_func (g_free);
  GHashTableIter iter;
  gpointer key;

  g_hash_table_iter_init (&iter, model->rt_info);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    if (g_str_has_prefix (key, prefix))
      g_ptr_array_add (keys, g_strdup (key));
  for (guint i = 0; i < keys->len; i++)
    say (model, (const char *) keys->pdata[i] + strlen (prefix),
        g_hash_table_lookup (model->rt_info, keys->pdata[i]));
}

void
onnx_derive_model_info (InferModel *model)
{
  static const char *const labels[] = { "names", "labels", "classes",
    "class_names" };

  take_model_api (model);
  for (guint i = 0; i < G_N_ELEMENTS (labels); i++) {
    const char *text = metadata (model, labels[i]);

    if (text != NULL)
      say_labels (model, text);
  }
  derive_ultralytics (model);
  derive_speech (model);
  derive_mean (model);
}
