/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/check/support/net.h"

#include <stdlib.h>
#include <string.h>

InferModel *
net_new (void)
{
  return infer_model_new ("net", "net.xml", 11);
}

static InferOperation *
find (const InferModel *net, const char *name)
{
  const GPtrArray *operations = net->graph->operations;

  for (guint i = 0; i < operations->len; i++)
    if (strcmp (((const InferOperation *) operations->pdata[i])->name, name)
        == 0)
      return operations->pdata[i];
  g_error ("no operation %s", name);
}

static void
connect (InferModel *net, InferOperation *op, guint index, const char *text)
{
  g_auto (GStrv) parts = g_strsplit (text, ":", 2);

  infer_operation_connect (op, index,
      (InferPort){ find (net, parts[0]),
          parts[1] != NULL ? (guint) atoi (parts[1]) : 0 });
}

/* @inputs: NULL-terminated. */
static InferOperation *
add (InferModel *net, const char *type, const char *name, char **inputs,
    guint n_outputs, const InferAttributes *attributes)
{
  const InferOpClass *klass = infer_op_class_find (type);
  guint n = g_strv_length (inputs);
  guint version = infer_op_class_version (klass, G_MAXUINT);
  g_autofree char *opset = g_strdup_printf ("opset%u", version);
  InferOperation *op =
      infer_operation_new (klass, version, opset, name, n, n_outputs);
  g_autoptr (GError) error = NULL;

  if (klass->parse != NULL)
    klass->parse (op, attributes, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < n; i++)
    connect (net, op, i, inputs[i]);
  infer_graph_add (net->graph, op);
  return op;
}

InferOperation *
net_add (InferModel *net, const char *type, const char *name,
    const char *inputs, guint n_outputs, ...)
{
  g_auto (GStrv) words = g_strsplit (inputs, " ", -1);
  g_autoptr (InferAttributes) attributes = infer_attr_new ();
  const char *key;
  va_list args;

  va_start (args, n_outputs);
  while ((key = va_arg (args, const char *)) != NULL)
    infer_attr_set (attributes, key, va_arg (args, const char *));
  va_end (args);
  return add (net, type, name, words, n_outputs, attributes);
}

InferOperation *
net_parameter (InferModel *net, const char *name, const char *shape)
{
  return net_add (net, "Parameter", name, "", 1, "element_type", "f32", "shape",
      shape, NULL);
}

static InferOperation *
add_const (InferModel *net, const char *name, InferType type, gint64 n,
    gconstpointer values)
{
  InferShape shape = infer_shape_of_rank (1);

  shape.dims[0] = n;
  g_autoptr (InferTensor) value = infer_tensor_new (type, &shape, NULL);
  memcpy (value->data, values, value->size);
  InferOperation *op = infer_operation_make_const (name, value, NULL);
  infer_graph_add (net->graph, op);
  return op;
}

InferOperation *
net_const_f32 (InferModel *net, const char *name, gint64 n, const float *values)
{
  return add_const (net, name, INFER_TYPE_F32, n, values);
}

InferOperation *
net_const_shaped (InferModel *net, const char *name, gsize rank,
    const gint64 *dims, const float *values)
{
  g_autofree char *flat = g_strconcat (name, "-flat", NULL);
  g_autofree char *shape = g_strconcat (name, "-shape", NULL);
  g_autofree char *inputs = g_strconcat (flat, " ", shape, NULL);
  gint64 n = 1;

  for (gsize i = 0; i < rank; i++)
    n *= dims[i];
  net_const_f32 (net, flat, n, values);
  net_const_i64 (net, shape, (gint64) rank, dims);
  return net_add (
      net, "Reshape", name, inputs, 1, "special_zero", "false", NULL);
}

InferOperation *
net_const_i64 (
    InferModel *net, const char *name, gint64 n, const gint64 *values)
{
  return add_const (net, name, INFER_TYPE_I64, n, values);
}

static void
build_const (InferModel *net, const char *name, char **words, gboolean real)
{
  guint n = g_strv_length (words);
  g_autofree float *reals = g_new (float, n);
  g_autofree gint64 *integers = g_new (gint64, n);

  for (guint i = 0; i < n; i++) {
    reals[i] = (float) g_ascii_strtod (words[i], NULL);
    integers[i] = g_ascii_strtoll (words[i], NULL, 10);
  }
  if (real)
    net_const_f32 (net, name, n, reals);
  else
    net_const_i64 (net, name, n, integers);
}

static void
build_one (InferModel *net, char **words)
{
  g_autoptr (InferAttributes) attributes = infer_attr_new ();
  g_autoptr (GPtrArray) inputs = g_ptr_array_new ();
  char *times = strchr (words[0], '*');
  const char *type = words[2];

  g_assert_cmpstr (words[1], ==, "=");
  if (times != NULL)
    *times = '\0';
  if (strcmp (type, "f32") == 0 || strcmp (type, "i64") == 0) {
    build_const (net, words[0], words + 3, *type == 'f');
    return;
  }
  for (guint i = 3; words[i] != NULL; i++) {
    char *value = strchr (words[i], '=');

    if (value == NULL) {
      g_ptr_array_add (inputs, words[i]);
      continue;
    }
    *value = '\0';
    infer_attr_set (attributes, words[i], value + 1);
  }
  g_ptr_array_add (inputs, NULL);
  if (strcmp (type, "Parameter") == 0)
    net_parameter (net, words[0], inputs->pdata[0]);
  else
    add (net, type, words[0], (char **) inputs->pdata,
        times != NULL ? (guint) atoi (times + 1) : 1, attributes);
}

void
net_build (InferModel *net, const char *text)
{
  g_auto (GStrv) statements = g_strsplit (text, ";", -1);

  for (guint i = 0; statements[i] != NULL; i++) {
    g_auto (GStrv) words = g_strsplit (g_strstrip (statements[i]), " ", -1);

    build_one (net, words);
  }
}

InferOperation *
net_read (
    InferModel *net, const char *id, const char *shape, const char *initial)
{
  return net_add (net, "ReadValue", id, initial != NULL ? initial : "", 1,
      "variable_id", id, "variable_type", "f32", "variable_shape", shape, NULL);
}

InferOperation *
net_assign (InferModel *net, const char *id, const char *value)
{
  g_autofree char *name = g_strconcat ("assign-", id, NULL);

  return net_add (net, "Assign", name, value, 1, "variable_id", id, NULL);
}

InferOperation *
net_result (InferModel *net, const char *name, const char *value)
{
  return net_add (net, "Result", name, value, 1, NULL);
}

void
net_settle (InferModel *net)
{
  g_autoptr (GError) error = NULL;

  infer_model_settle (net, &error);
  g_assert_no_error (error);
}

InferModel *
net_of (const char *text)
{
  InferModel *net = net_new ();

  net_build (net, text);
  net_settle (net);
  return net;
}

static void
fill (InferTensor *tensor, guint32 seed)
{
  float *values = tensor->data;

  for (gsize i = 0; i < tensor->size / sizeof (float); i++) {
    seed = seed * 1664525u + 1013904223u;
    values[i] = (float) (seed >> 8) / (1 << 22) - 2;
  }
}

gboolean
net_fill (InferRequest *request, gint64 open, guint step, GError **error)
{
  const InferModel *model =
      infer_executable_get_model (infer_request_get_executable (request));

  for (guint i = 0; i < infer_model_n_inputs (model); i++) {
    InferShape shape = infer_model_input_desc (model, i)->shape;

    for (int d = 0; d < shape.rank; d++)
      if (shape.dims[d] == INFER_DYNAMIC)
        shape.dims[d] = open;
    InferTensor *tensor =
        infer_request_set_input_shape (request, i, &shape, error);
    if (tensor == NULL)
      return FALSE;
    g_assert_cmpint (tensor->type, ==, INFER_TYPE_F32);
    float *data = tensor->data;
    for (gsize k = 0; k < tensor->size / sizeof *data; k++)
      data[k] = (float) ((k * 7 + step * 13 + i) % 29) / 29;
  }
  return TRUE;
}

void
net_run (InferRequest *request, const gint64 *rows, guint32 seed)
{
  const InferModel *model =
      infer_executable_get_model (infer_request_get_executable (request));
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < infer_model_n_inputs (model); i++) {
    InferShape shape = infer_model_input_desc (model, i)->shape;

    if (shape.dims[0] < 0)
      shape.dims[0] = *rows;
    fill (infer_request_set_input_shape (request, i, &shape, &error), seed + i);
    g_assert_no_error (error);
  }
  infer_request_infer (request, &error);
  g_assert_no_error (error);
}
