/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Functions of a model: their nodes replace the node that calls them. */

#include "infer/error.h"
#include "inference/onnx/proto.h"
#include "inference/onnx/scope.h"

void
onnx_function_free (gpointer data)
{
  OnnxFunction *f = data;

  if (f == NULL)
    return;
  g_free (f->domain);
  g_free (f->name);
  g_free (f->overload);
  g_hash_table_unref (f->opsets);
  g_free (f);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OnnxFunction, onnx_function_free)

static void
set_text (char **text, const OnnxField *f)
{
  char *value = f->wire == ONNX_WIRE_BYTES ? onnx_string (f->bytes) : NULL;

  g_free (*text);
  *text = value != NULL ? value : g_strdup ("");
}

OnnxFunction *
onnx_read_function (OnnxSpan message, GError **error)
{
  g_autoptr (OnnxFunction) function = g_new0 (OnnxFunction, 1);
  OnnxReader r = onnx_reader (message);
  OnnxField f;

  function->message = message;
  function->domain = g_strdup ("");
  function->name = g_strdup ("");
  function->overload = g_strdup ("");
  function->opsets =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  while (onnx_next (&r, &f)) {
    if (f.number == ONNX_FUNCTION_NAME)
      set_text (&function->name, &f);
    else if (f.number == ONNX_FUNCTION_DOMAIN)
      set_text (&function->domain, &f);
    else if (f.number == ONNX_FUNCTION_OVERLOAD)
      set_text (&function->overload, &f);
    else if (f.number == ONNX_FUNCTION_OPSET && f.wire == ONNX_WIRE_BYTES
             && !onnx_read_opset (f.bytes, function->opsets, error))
      return NULL;
  }
  return onnx_done (&r, "a function", error) ? g_steal_pointer (&function)
                                             : NULL;
}

OnnxFunction *
onnx_find_function (const OnnxNode *n)
{
  const GPtrArray *functions = n->scope->file->functions;

  for (guint i = 0; i < functions->len; i++) {
    OnnxFunction *f = functions->pdata[i];

    if (g_str_equal (f->name, n->type) && g_str_equal (f->domain, n->domain)
        && g_strcmp0 (f->overload, n->overload != NULL ? n->overload : "") == 0)
      return f;
  }
  return NULL;
}

/* The defaults of attributes that the call does not give. */
static gboolean
add_default (GHashTable *arguments, OnnxSpan message, GError **error)
{
  OnnxAttribute *a = onnx_read_attribute (message, error);

  if (a == NULL)
    return FALSE;
  if (g_hash_table_contains (arguments, a->name))
    onnx_attribute_free (a);
  else
    g_hash_table_insert (arguments, a->name, a);
  return TRUE;
}

/* Binds input @index of the function to that of the call; one that is omitted
 * stays unnamed. */
static gboolean
bind_input (OnnxScope *scope, const OnnxNode *n, const OnnxField *f,
    guint index, GError **error)
{
  g_autofree char *name = onnx_string (f->bytes);

  if (name == NULL)
    return infer_fail (
        error, INFER_ERROR_INVALID_MODEL, "an input of a function has no name");
  return onnx_scope_set (scope, name,
      index < n->n_inputs ? n->inputs[index] : (InferPort){ NULL, 0 }, error);
}

static gboolean
bind_output (OnnxScope *scope, OnnxNode *n, const OnnxField *f, guint index,
    GError **error)
{
  g_autofree char *name = onnx_string (f->bytes);

  if (name == NULL || index >= n->n_outputs)
    return TRUE;
  return onnx_scope_find (scope, name, &n->outputs[index], error);
}

static gboolean
import_body (
    OnnxScope *scope, OnnxNode *n, const OnnxFunction *function, GError **error)
{
  /* Inputs and defaults come first, then nodes, then outputs: messages may have
   * any order. */
  for (guint round = 0; round < 3; round++) {
    OnnxReader r = onnx_reader (function->message);
    guint inputs = 0, outputs = 0;
    OnnxField f;

    while (onnx_next (&r, &f)) {
      gboolean ok = TRUE;

      if (f.wire != ONNX_WIRE_BYTES)
        continue;
      if (round == 0 && f.number == ONNX_FUNCTION_INPUT)
        ok = bind_input (scope, n, &f, inputs++, error);
      else if (round == 0 && f.number == ONNX_FUNCTION_ATTRIBUTE_DEFAULT)
        ok = add_default (scope->arguments, f.bytes, error);
      else if (round == 1 && f.number == ONNX_FUNCTION_NODE)
        ok = onnx_import_node (scope, f.bytes, error);
      else if (round == 2 && f.number == ONNX_FUNCTION_OUTPUT)
        ok = bind_output (scope, n, &f, outputs++, error);
      if (!ok)
        return FALSE;
    }
  }
  return TRUE;
}

void
onnx_import_call (OnnxNode *n, OnnxFunction *function)
{
  OnnxFile *file = n->scope->file;
  g_autofree char *prefix = g_strconcat (n->name, "/", NULL);
  g_auto (OnnxScope) scope = { 0 };
  g_autoptr (GError) error = NULL;

  if (function->running || file->depth >= ONNX_MAX_DEPTH) {
    onnx_fail (n, INFER_ERROR_INVALID_MODEL, "a function calls itself");
    return;
  }
  onnx_scope_init (&scope, file, NULL, n->scope->graph, function->opsets);
  scope.arguments = onnx_attributes (n);
  scope.prefix = prefix;
  function->running = TRUE;
  file->depth++;
  if (!import_body (&scope, n, function, &error))
    onnx_fail (n, error->code, "%s", error->message);
  file->depth--;
  function->running = FALSE;
}
