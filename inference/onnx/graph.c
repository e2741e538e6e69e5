/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* GraphProto: initializers, inputs, nodes, outputs. */

#include "infer/error.h"
#include "inference/onnx/proto.h"
#include "inference/onnx/scope.h"

static gboolean
add_initializer (
    OnnxScope *scope, const OnnxField *f, gboolean sparse, GError **error)
{
  const OnnxStore *store = &scope->file->store;
  g_autofree char *name = NULL;
  g_autoptr (InferTensor) value =
      sparse ? onnx_read_sparse (store, f->bytes, &name, error)
             : onnx_read_tensor (store, f->bytes, &name, error);

  if (value == NULL)
    return FALSE;
  InferOperation *op = infer_operation_make_const (name, value, error);
  if (op == NULL)
    return FALSE;
  infer_graph_add (scope->graph, op);
  return onnx_scope_set (scope, name, (InferPort){ op, 0 }, error);
}

static gboolean
fail_wire (const OnnxField *f, GError **error)
{
  return infer_fail (error, INFER_ERROR_INVALID_MODEL,
      "field %u of a graph is malformed", f->number);
}

static gboolean
add_initializers (OnnxScope *scope, OnnxSpan message, GError **error)
{
  OnnxReader r = onnx_reader (message);
  OnnxField f;

  while (onnx_next (&r, &f)) {
    if (f.number != ONNX_GRAPH_INITIALIZER
        && f.number != ONNX_GRAPH_SPARSE_INITIALIZER)
      continue;
    if (f.wire != ONNX_WIRE_BYTES)
      return fail_wire (&f, error);
    if (!add_initializer (
            scope, &f, f.number == ONNX_GRAPH_SPARSE_INITIALIZER, error))
      return FALSE;
  }
  return onnx_done (&r, "a graph", error);
}

/* An input with an initializer is a constant: so are weights in files of IR
 * version 3. */
static gboolean
add_input (OnnxScope *scope, const OnnxField *f, guint *index,
    OnnxMakeInput make_input, gpointer data, GError **error)
{
  g_autofree char *name = NULL;
  InferDesc desc;

  if (!onnx_read_value (f->bytes, &name, &desc, error)) {
    g_prefix_error (error, "input '%.200s': ", name);
    return FALSE;
  }
  const InferPort *known = g_hash_table_lookup (scope->values, name);
  if (known != NULL && known->op->value != NULL)
    return TRUE;
  if (make_input (scope, name, &desc, (*index)++, data, error))
    return TRUE;
  g_prefix_error (error, "input '%.200s': ", name);
  return FALSE;
}

static gboolean
add_inputs (OnnxScope *scope, OnnxSpan message, OnnxMakeInput make_input,
    gpointer data, GError **error)
{
  OnnxReader r = onnx_reader (message);
  guint index = 0;
  OnnxField f;

  while (onnx_next (&r, &f))
    if (f.number == ONNX_GRAPH_INPUT
        && (f.wire != ONNX_WIRE_BYTES
                ? !fail_wire (&f, error)
                : !add_input (scope, &f, &index, make_input, data, error)))
      return FALSE;
  return TRUE;
}

static gboolean
add_nodes (
    OnnxScope *scope, OnnxSpan message, GPtrArray *outputs, GError **error)
{
  OnnxReader r = onnx_reader (message);
  OnnxField f;

  while (onnx_next (&r, &f)) {
    InferDesc desc;
    char *name;

    if (f.number != ONNX_GRAPH_NODE && f.number != ONNX_GRAPH_OUTPUT)
      continue;
    if (f.wire != ONNX_WIRE_BYTES)
      return fail_wire (&f, error);
    if (f.number == ONNX_GRAPH_NODE) {
      if (!onnx_import_node (scope, f.bytes, error))
        return FALSE;
      continue;
    }
    gboolean ok = onnx_read_value (f.bytes, &name, &desc, error);
    g_ptr_array_add (outputs, name);
    if (!ok) {
      g_prefix_error (error, "output '%.200s': ", name);
      return FALSE;
    }
  }
  return TRUE;
}

gboolean
onnx_import_graph (OnnxScope *scope, OnnxSpan message, OnnxMakeInput make_input,
    gpointer data, GPtrArray **outputs, GError **error)
{
  gboolean ok;

  *outputs = g_ptr_array_new_with_free_func (g_free);
  if (++scope->file->depth > ONNX_MAX_DEPTH)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "graphs are nested more than %d deep", ONNX_MAX_DEPTH);
  ok = add_initializers (scope, message, error)
       && add_inputs (scope, message, make_input, data, error)
       && add_nodes (scope, message, *outputs, error);
  scope->file->depth--;
  return ok;
}
