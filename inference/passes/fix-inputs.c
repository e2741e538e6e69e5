/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Turns inputs into constants. */

#include "inference/base/npy.h"
#include "inference/graph/model-private.h"

#include <string.h>

#define MOST_VALUES 64

typedef struct
{
  guint input;
  InferTensor *value;
} Fixed;

static void
fixed_clear (gpointer data)
{
  infer_tensor_unref (((Fixed *) data)->value);
}

/* --- values --- */

static gboolean
parse_value (const char *text, gboolean real, gint64 *integer, double *number)
{
  char *end;

  if (!real && g_ascii_strcasecmp (text, "true") == 0)
    return *integer = 1, TRUE;
  if (!real && g_ascii_strcasecmp (text, "false") == 0)
    return *integer = 0, TRUE;
  if (!real)
    return g_ascii_string_to_signed (
        text, 10, G_MININT64, G_MAXINT64, integer, NULL);
  *number = g_ascii_strtod (text, &end);
  return end != text && *end == '\0';
}

/* The shape of @n values for an input of shape @open: dims that are not known
 * are 1, but the last of them takes what is left.  FALSE: they do not fit. */
static gboolean
shape_for (const InferShape *open, gsize n, InferShape *shape)
{
  gsize count;
  int last = -1;

  *shape = *open;
  if (open->rank < 0) {
    *shape = n == 1 ? infer_shape_scalar () : infer_shape_make (1, (gint64) n);
    return TRUE;
  }
  for (int d = 0; d < shape->rank; d++)
    if (shape->dims[d] < 0) {
      shape->dims[d] = 1;
      last = d;
    }
  if (!infer_shape_elements (shape, &count))
    return FALSE;
  if (last >= 0 && count > 0 && n % count == 0) {
    shape->dims[last] = (gint64) (n / count);
    return TRUE;
  }
  /* One value stands for all. */
  return count == n || (n == 1 && count > 0 && count <= MOST_VALUES);
}

/* @texts: one value, or one for each element.  (transfer full) */
static InferTensor *
make_value (const InferDesc *desc, char **texts, GError **error)
{
  const gsize n = g_strv_length (texts);
  const gboolean real = infer_type_is_real (desc->type);
  union
  {
    gint64 integers[MOST_VALUES];
    double numbers[MOST_VALUES];
  } values;
  InferShape shape;

  for (gsize i = 0; i < n && n <= MOST_VALUES; i++)
    if (!parse_value (
            texts[i], real, &values.integers[i], &values.numbers[i])) {
      infer_fail (error, INFER_ERROR_INVALID_ARGUMENT, "'%.100s' is not a %s",
          texts[i], real ? "number" : "whole number");
      return NULL;
    }
  if (n < 1 || n > MOST_VALUES || !shape_for (&desc->shape, n, &shape)) {
    g_autofree char *text = infer_shape_to_string (&desc->shape);

    infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "%" G_GSIZE_FORMAT " values do not fill a shape of %s", n, text);
    return NULL;
  }
  g_autoptr (InferTensor) value = infer_tensor_new (desc->type, &shape, error);
  if (value == NULL)
    return NULL;
  const gsize count = infer_shape_count (&shape);
  for (gsize i = n; i < count; i++)
    values.integers[i] = values.integers[0]; /* either kind has 64 bits */
  if (!infer_convert (value->data, desc->type, &values,
          real ? INFER_TYPE_F64 : INFER_TYPE_I64, count)) {
    infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "values of %s cannot be given as text", infer_type_name (desc->type));
    return NULL;
  }
  return g_steal_pointer (&value);
}

/* The array in @path, converted.  (transfer full) */
static InferTensor *
read_value (const InferDesc *desc, const char *path, GError **error)
{
  g_autoptr (InferTensor) array = infer_npy_read (path, error);

  if (array == NULL)
    return NULL;
  if (!infer_shape_matches (&desc->shape, &array->shape)) {
    g_autofree char *have = infer_shape_to_string (&array->shape);
    g_autofree char *want = infer_shape_to_string (&desc->shape);

    infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "%s has the shape %s, the input %s", path, have, want);
    return NULL;
  }
  g_autoptr (InferTensor) value =
      infer_tensor_new (desc->type, &array->shape, error);
  return value != NULL && infer_tensor_copy (value, array, error)
             ? g_steal_pointer (&value)
             : NULL;
}

/* --- which inputs --- */

/* @values: NULL where there was no '='. */
static gboolean
read_fixed (const InferModel *model, int input, const char *values, GArray *all,
    GError **error)
{
  if (values == NULL)
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "it is not INPUT=VALUE, INPUT=VALUE:VALUE or INPUT=FILE.npy");
  g_auto (GStrv) texts = g_strsplit (values, ":", -1);
  for (guint i = 0; i < all->len; i++)
    if (g_array_index (all, Fixed, i).input == (guint) input)
      return infer_fail (
          error, INFER_ERROR_INVALID_ARGUMENT, "the input already has a value");
  for (guint i = 0; texts[i] != NULL; i++)
    g_strstrip (texts[i]);
  const InferDesc *desc = infer_model_input_desc (model, (guint) input);
  const Fixed fixed = { (guint) input, g_str_has_suffix (values, ".npy")
                                           ? read_value (desc, values, error)
                                           : make_value (desc, texts, error) };
  if (fixed.value != NULL)
    g_array_append_val (all, fixed);
  return fixed.value != NULL;
}

static gboolean
read_text (
    const InferModel *model, const char *text, GArray *all, GError **error)
{
  const char *equals = strchr (text, '=');
  g_autofree char *name =
      equals != NULL ? g_strndup (text, (gsize) (equals - text)) : NULL;
  const int input =
      name != NULL ? infer_model_find_input (model, name, error) : -1;

  if (name != NULL && input < 0)
    return FALSE; /* the message names the model and the input */
  if (read_fixed (model, input, equals != NULL ? equals + 1 : NULL, all, error))
    return TRUE;
  g_prefix_error (error,
      "%s: value of an input '%.200s': ", infer_model_get_path (model), text);
  return FALSE;
}

static gboolean
fix (InferGraph *graph, InferOperation *parameter, InferTensor *value,
    GError **error)
{
  InferOperation *op =
      infer_operation_make_const (parameter->name, value, error);

  if (op == NULL)
    return FALSE;
  infer_graph_add (graph, op);
  infer_port_replace ((InferPort){ parameter, 0 }, (InferPort){ op, 0 });
  infer_graph_remove (graph, parameter);
  return TRUE;
}

InferModel *
infer_model_fix_inputs (
    const InferModel *model, const char *const *values, GError **error)
{
  g_autoptr (InferModel) copy = infer_model_copy (model);
  g_autoptr (GArray) all = g_array_new (FALSE, TRUE, sizeof (Fixed));
  g_autoptr (GPtrArray) parameters = g_ptr_array_new ();

  g_array_set_clear_func (all, fixed_clear);
  for (guint i = 0; values[i] != NULL; i++)
    if (!read_text (model, values[i], all, error))
      return NULL;
  /* Indices change as inputs go. */
  for (guint i = 0; i < all->len; i++)
    g_ptr_array_add (parameters,
        copy->graph->parameters->pdata[g_array_index (all, Fixed, i).input]);
  for (guint i = 0; i < all->len; i++)
    if (!fix (copy->graph, parameters->pdata[i],
            g_array_index (all, Fixed, i).value, error))
      return NULL;
  if (infer_model_settle (copy, error))
    return g_steal_pointer (&copy);
  g_prefix_error (error, "%s: ", infer_model_get_path (model));
  return NULL;
}
