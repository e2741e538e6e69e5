/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Attributes of a node, for importers. */

#include <string.h>

#include "inference/onnx/proto.h"
#include "inference/onnx/scope.h"

/* NULL: absent, or of another kind, which ends the import. */
static const OnnxAttribute *
find (OnnxNode *n, const char *name, int kind)
{
  const OnnxAttribute *a = onnx_attribute (n, name);

  if (a == NULL || a->kind == kind)
    return a;
  onnx_fail (n, INFER_ERROR_INVALID_MODEL,
      "its attribute '%s' is of a wrong type", name);
  return NULL;
}

gboolean
onnx_has (const OnnxNode *n, const char *attribute)
{
  return onnx_attribute (n, attribute) != NULL;
}

/* Importers compute with attributes, and check no overflow. */
static gboolean
is_within (gint64 value, gint64 most)
{
  return value >= -most && value <= most;
}

static void
fail_large (OnnxNode *n, const char *attribute, gint64 value)
{
  onnx_fail (n, INFER_ERROR_INVALID_MODEL,
      "its %s is out of range: %" G_GINT64_FORMAT, attribute, value);
}

gint64
onnx_int (OnnxNode *n, const char *attribute, gint64 otherwise)
{
  const OnnxAttribute *a = find (n, attribute, ONNX_ATTRIBUTE_I);

  if (a == NULL)
    return otherwise;
  const gint64 value = (gint64) a->number;
  if (strcmp (attribute, "value_int") == 0 || is_within (value, ONNX_MAX_DIM))
    return value;
  fail_large (n, attribute, value);
  return otherwise;
}

double
onnx_float (OnnxNode *n, const char *attribute, double otherwise)
{
  const OnnxAttribute *a = find (n, attribute, ONNX_ATTRIBUTE_F);

  return a != NULL ? (double) a->real : otherwise;
}

char *
onnx_text (OnnxNode *n, const char *attribute, const char *otherwise)
{
  const OnnxAttribute *a = find (n, attribute, ONNX_ATTRIBUTE_S);
  char *text = a != NULL ? onnx_string (a->bytes) : NULL;

  if (a != NULL && text == NULL)
    onnx_fail (n, INFER_ERROR_INVALID_MODEL,
        "its attribute '%s' is no UTF-8 text", attribute);
  return text != NULL ? text : g_strdup (otherwise);
}

gboolean
onnx_text_is (OnnxNode *n, const char *attribute, const char *value,
    const char *otherwise)
{
  g_autofree char *text = onnx_text (n, attribute, otherwise);

  return g_strcmp0 (text, value) == 0;
}

const GArray *
onnx_ints (OnnxNode *n, const char *attribute)
{
  static const char *const windows[] = { "strides", "dilations", "pads",
    "kernel_shape", "output_padding", "output_shape", NULL };
  const OnnxAttribute *a = find (n, attribute, ONNX_ATTRIBUTE_INTS);
  const gboolean bounded = g_strv_contains (windows, attribute);

  for (guint i = 0; a != NULL && bounded && i < a->ints->len; i++) {
    const gint64 value = g_array_index (a->ints, gint64, i);

    if (!is_within (value, G_MAXINT32)) {
      fail_large (n, attribute, value);
      return NULL;
    }
  }
  return a != NULL ? a->ints : NULL;
}

const GArray *
onnx_floats (OnnxNode *n, const char *attribute)
{
  const OnnxAttribute *a = find (n, attribute, ONNX_ATTRIBUTE_FLOATS);

  return a != NULL ? a->floats : NULL;
}

const GPtrArray *
onnx_strings (OnnxNode *n, const char *attribute)
{
  const OnnxAttribute *a = find (n, attribute, ONNX_ATTRIBUTE_STRINGS);

  return a != NULL ? a->strings : NULL;
}

InferTensor *
onnx_tensor (OnnxNode *n, const char *attribute)
{
  const OnnxAttribute *a = onnx_attribute (n, attribute);
  GError *error = NULL;
  InferTensor *tensor;

  if (a == NULL)
    return NULL;
  tensor =
      a->kind == ONNX_ATTRIBUTE_SPARSE_TENSOR
          ? onnx_read_sparse (&n->scope->file->store, a->bytes, NULL, &error)
          : onnx_read_tensor (&n->scope->file->store, a->bytes, NULL, &error);
  if (tensor == NULL) {
    onnx_fail (
        n, error->code, "its attribute '%s': %s", attribute, error->message);
    g_error_free (error);
  }
  return tensor;
}

InferType
onnx_type_attribute (OnnxNode *n, const char *attribute, InferType otherwise)
{
  const OnnxAttribute *a = find (n, attribute, ONNX_ATTRIBUTE_I);
  InferType type = otherwise;
  g_autoptr (GError) error = NULL;

  if (a != NULL && !onnx_element_type ((gint64) a->number, &type, &error))
    onnx_fail (n, error->code, "%s", error->message);
  return type;
}

char *
onnx_list (const GArray *ints)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; ints != NULL && i < ints->len; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? "," : "",
        g_array_index (ints, gint64, i));
  return g_string_free (text, FALSE);
}
