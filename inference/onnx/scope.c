/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/onnx/scope.h"

#include <string.h>

#include "infer/error.h"
#include "inference/onnx/proto.h"

/* An entry of a scope's values: the port is first, as readers see it. */
typedef struct
{
  InferPort port;
  char name[]; /* the key */
} Value;

void
onnx_scope_init (OnnxScope *scope, OnnxFile *file, OnnxScope *parent,
    InferGraph *graph, GHashTable *opsets)
{
  *scope = (OnnxScope){ .file = file,
    .parent = parent,
    .graph = graph,
    .values = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free),
    .captures = g_array_new (FALSE, FALSE, sizeof (OnnxCapture)),
    .reals = g_hash_table_new_full (NULL, NULL, NULL, g_free),
    .opsets = opsets,
    .arguments = parent != NULL ? parent->arguments : NULL,
    .prefix = parent != NULL ? parent->prefix : "" };
}

void
onnx_scope_clear (OnnxScope *scope)
{
  g_clear_pointer (&scope->values, g_hash_table_unref);
  g_clear_pointer (&scope->captures, g_array_unref);
  g_clear_pointer (&scope->reals, g_hash_table_unref);
}

gboolean
onnx_scope_set (
    OnnxScope *scope, const char *name, InferPort port, GError **error)
{
  const gsize size = strlen (name) + 1;
  Value *value = g_malloc (sizeof *value + size);

  value->port = port;
  memcpy (value->name, name, size);
  return g_hash_table_replace (scope->values, value->name, value)
         || infer_fail (error, INFER_ERROR_INVALID_MODEL,
             "two values are called '%.200s'", name);
}

InferOperation *
onnx_make_parameter (const char *name, const InferDesc *desc, GError **error)
{
  g_autofree char *shape = infer_shape_to_string (&desc->shape);

  /* "[1,?]" → "1,?" */
  shape[strlen (shape) - 1] = '\0';
  InferOperation *op = infer_operation_make ("Parameter", name, 0, 1, error,
      "element_type", infer_type_name (desc->type), "shape", shape + 1, NULL);
  if (op != NULL)
    op->outputs[0].desc = *desc;
  return op;
}

gboolean
onnx_file_add_sequence (OnnxFile *file, const char *name, GArray *ports,
    InferPort *port, GError **error)
{
  const InferShape none = infer_shape_make (1, (gint64) 0);
  g_autoptr (InferTensor) value =
      infer_tensor_new (INFER_TYPE_I64, &none, error);

  *port = (InferPort){ NULL, 0 };
  if (value != NULL)
    port->op = infer_operation_make_const (name, value, error);
  if (port->op == NULL) {
    g_array_unref (ports);
    return FALSE;
  }
  g_hash_table_insert (file->sequences, port->op, ports);
  return TRUE;
}

static gboolean capture (OnnxScope *scope, const char *name, InferPort outer,
    InferPort *port, GError **error);

/* Each of its tensors by itself. */
static gboolean
capture_sequence (OnnxScope *scope, const char *name, const GArray *outer,
    InferPort *port, GError **error)
{
  g_autoptr (GArray) ports = g_array_new (FALSE, FALSE, sizeof (InferPort));

  for (guint i = 0; i < outer->len; i++) {
    g_autofree char *part = g_strdup_printf ("%s %u", name, i);
    InferPort inner;

    if (!capture (
            scope, part, g_array_index (outer, InferPort, i), &inner, error))
      return FALSE;
    g_array_append_val (ports, inner);
  }
  if (!onnx_file_add_sequence (
          scope->file, name, g_steal_pointer (&ports), port, error))
    return FALSE;
  return onnx_scope_set (scope, name, *port, error);
}

/* Makes @outer, a port of another graph, readable in the graph of @scope. */
static gboolean
capture (OnnxScope *scope, const char *name, InferPort outer, InferPort *port,
    GError **error)
{
  const GArray *sequence =
      g_hash_table_lookup (scope->file->sequences, outer.op);

  if (sequence != NULL)
    return capture_sequence (scope, name, sequence, port, error);
  InferOperation *op =
      outer.op->value != NULL
          ? infer_operation_make_const (name, outer.op->value, error)
          : onnx_make_parameter (
              name, &outer.op->outputs[outer.index].desc, error);

  if (op == NULL)
    return FALSE;
  op->outputs[0].desc = outer.op->outputs[outer.index].desc;
  infer_graph_add (scope->graph, op);
  *port = (InferPort){ op, 0 };
  if (op->value == NULL) {
    const OnnxCapture c = { outer, op };

    g_array_append_val (scope->captures, c);
  }
  return onnx_scope_set (scope, name, *port, error);
}

gboolean
onnx_scope_find (
    OnnxScope *scope, const char *name, InferPort *port, GError **error)
{
  const InferPort *value = g_hash_table_lookup (scope->values, name);
  InferPort outer;

  if (value != NULL) {
    *port = *value;
    return TRUE;
  }
  if (scope->parent == NULL)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "there is no value called '%.200s' before it", name);
  if (!onnx_scope_find (scope->parent, name, &outer, error))
    return FALSE;
  if (scope->graph != scope->parent->graph)
    return capture (scope, name, outer, port, error);
  *port = outer;
  return TRUE;
}

gboolean
onnx_read_opset (OnnxSpan message, GHashTable *opsets, GError **error)
{
  g_autofree char *domain = g_strdup ("");
  OnnxReader r = onnx_reader (message);
  gint64 version = 0;
  OnnxField f;

  while (onnx_next (&r, &f)) {
    if (f.number == ONNX_OPSET_DOMAIN && f.wire == ONNX_WIRE_BYTES) {
      g_free (domain);
      domain = onnx_string (f.bytes);
    } else if (f.number == ONNX_OPSET_VERSION) {
      version = (gint64) f.value;
    }
  }
  if (r.problem != NULL || domain == NULL || version < 1 || version > G_MAXINT)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "an entry of opset_import is malformed");
  /* Two names of one domain. */
  g_hash_table_replace (opsets,
      g_strdup (g_str_equal (domain, "ai.onnx") ? "" : domain),
      GINT_TO_POINTER ((int) version));
  return TRUE;
}
