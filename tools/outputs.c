/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tools/outputs.h"

#include <errno.h>
#include <math.h>

#include "infer/error.h"
#include "inference/base/npy.h"

typedef struct
{
  gsize n, n_nan, n_infinite; /* n: finite */
  double least, most, sum;
} Range;

static void
add_value (Range *range, double value)
{
  if (isnan (value)) {
    range->n_nan++;
  } else if (isinf (value)) {
    range->n_infinite++;
  } else {
    range->least = range->n == 0 ? value : MIN (range->least, value);
    range->most = range->n == 0 ? value : MAX (range->most, value);
    range->sum += value;
    range->n++;
  }
}

/* FALSE: the type has no values here. */
static gboolean
find_range (const InferTensor *tensor, Range *range)
{
  const gsize n = infer_shape_count (&tensor->shape);
  const guint bits = infer_type_bits (tensor->type);
  const char *data = tensor->data;
  double values[512]; /* whole bytes of sub-byte elements */

  for (gsize at = 0; at < n; at += G_N_ELEMENTS (values)) {
    gsize count = MIN (n - at, G_N_ELEMENTS (values));

    if (!infer_convert (
            values, INFER_TYPE_F64, data + at * bits / 8, tensor->type, count))
      return FALSE;
    for (gsize i = 0; i < count; i++)
      add_value (range, values[i]);
  }
  return TRUE;
}

char *
tool_summarise (const InferTensor *tensor)
{
  g_autoptr (InferTensor) dense = NULL;
  Range range = { 0 };

  if (!tensor->dense) {
    dense = infer_tensor_new (tensor->type, &tensor->shape, NULL);
    if (dense == NULL || !infer_tensor_copy (dense, tensor, NULL))
      return g_strdup ("no memory for a summary");
    tensor = dense;
  }
  if (infer_shape_count (&tensor->shape) == 0)
    return g_strdup ("empty");
  if (!find_range (tensor, &range))
    return g_strdup ("no numbers");
  g_autoptr (GString) text = g_string_new (NULL);
  if (range.n > 0)
    g_string_printf (text, "from %.6g to %.6g, mean %.6g", range.least,
        range.most, range.sum / (double) range.n);
  if (range.n_nan > 0)
    g_string_append_printf (text, "%s%" G_GSIZE_FORMAT " NaN",
        text->len > 0 ? "; " : "", range.n_nan);
  if (range.n_infinite > 0)
    g_string_append_printf (text, "%s%" G_GSIZE_FORMAT " infinite",
        text->len > 0 ? "; " : "", range.n_infinite);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

gboolean
tool_write_outputs (InferRequest *request, const InferModel *model,
    const char *dir, GError **error)
{
  if (g_mkdir_with_parents (dir, 0777) != 0)
    return infer_fail (error, INFER_ERROR_FAILED,
        "%s: cannot make the folder: %s", dir, g_strerror (errno));
  for (guint i = 0; i < infer_model_n_outputs (model); i++) {
    InferTensor *tensor = infer_request_get_output (request, i, error);
    g_autofree char *name = g_strdup_printf ("out_%u.npy", i);
    g_autofree char *path = g_build_filename (dir, name, NULL);

    if (tensor == NULL || !infer_npy_write (path, tensor, error))
      return FALSE;
    g_autofree char *shape = infer_shape_to_string (&tensor->shape);
    g_autofree char *summary = tool_summarise (tensor);
    g_print ("%s: %s %s, %s -> %s\n", infer_model_output_name (model, i),
        infer_type_name (tensor->type), shape, summary, path);
  }
  return TRUE;
}
