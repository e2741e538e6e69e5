/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* NodeProto and AttributeProto. */

#include <string.h>

#include "infer/error.h"
#include "inference/base/tensor.h"
#include "inference/onnx/proto.h"
#include "inference/onnx/scope.h"

/* Longer messages are not prefixed. */
#define MAX_MESSAGE 400

/* --- attributes --- */

void
onnx_attribute_free (gpointer data)
{
  OnnxAttribute *a = data;

  if (a == NULL)
    return;
  g_clear_pointer (&a->ints, g_array_unref);
  g_clear_pointer (&a->floats, g_array_unref);
  g_clear_pointer (&a->strings, g_ptr_array_unref);
  g_free (a->name);
  g_free (a);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (OnnxAttribute, onnx_attribute_free)

static gboolean
append_string (GPtrArray **strings, OnnxSpan bytes)
{
  char *text = onnx_string (bytes);

  if (*strings == NULL)
    *strings = g_ptr_array_new_with_free_func (g_free);
  if (text != NULL)
    g_ptr_array_add (*strings, text);
  return text != NULL;
}

/* An empty list has no field of its own. */
static void
set_type (OnnxAttribute *a, guint64 type)
{
  switch (type) {
    case 1:
      a->kind = ONNX_ATTRIBUTE_F;
      break;
    case 2:
      a->kind = ONNX_ATTRIBUTE_I;
      break;
    case 3:
      a->kind = ONNX_ATTRIBUTE_S;
      break;
    case 6:
      a->kind = ONNX_ATTRIBUTE_FLOATS;
      a->floats = infer_numbers_new (0);
      break;
    case 7:
      a->kind = ONNX_ATTRIBUTE_INTS;
      a->ints = infer_numbers_new (0);
      break;
    case 8:
      a->kind = ONNX_ATTRIBUTE_STRINGS;
      break;
    default:
      break;
  }
}

/* Files of IR version 1 and 2 have no type: then the field that is there
 * tells. */
static gboolean
read_attribute_field (OnnxAttribute *a, OnnxSpan message, const OnnxField *f,
    char **reference, GError **error)
{
  switch (f->number) {
    case ONNX_ATTRIBUTE_NAME:
      g_free (a->name);
      a->name = f->wire == ONNX_WIRE_BYTES ? onnx_string (f->bytes) : NULL;
      return a->name != NULL;
    case ONNX_ATTRIBUTE_REFERENCE:
      g_free (*reference);
      *reference = f->wire == ONNX_WIRE_BYTES ? onnx_string (f->bytes) : NULL;
      return *reference != NULL;
    case ONNX_ATTRIBUTE_F:
      a->real = onnx_field_float (f);
      a->kind = ONNX_ATTRIBUTE_F;
      return f->wire == ONNX_WIRE_32;
    case ONNX_ATTRIBUTE_I:
      a->number = f->value;
      a->kind = ONNX_ATTRIBUTE_I;
      return f->wire == ONNX_WIRE_VARINT;
    case ONNX_ATTRIBUTE_S:
    case ONNX_ATTRIBUTE_T:
    case ONNX_ATTRIBUTE_G:
    case ONNX_ATTRIBUTE_SPARSE_TENSOR:
      a->bytes = f->bytes;
      a->kind = (int) f->number;
      return f->wire == ONNX_WIRE_BYTES;
    case ONNX_ATTRIBUTE_INTS:
      a->kind = ONNX_ATTRIBUTE_INTS;
      return a->ints != NULL /* all of the list */
             || onnx_read_list (
                 message, f->number, ONNX_WIRE_VARINT, &a->ints, error);
    case ONNX_ATTRIBUTE_FLOATS:
      a->kind = ONNX_ATTRIBUTE_FLOATS;
      return a->floats != NULL
             || onnx_read_list (
                 message, f->number, ONNX_WIRE_32, &a->floats, error);
    case ONNX_ATTRIBUTE_STRINGS:
      a->kind = ONNX_ATTRIBUTE_STRINGS;
      return f->wire == ONNX_WIRE_BYTES
             && append_string (&a->strings, f->bytes);
    case ONNX_ATTRIBUTE_TYPE:
      /* The type matters where the value is empty: a list of no elements. */
      if (a->kind == 0)
        set_type (a, f->value);
      return TRUE;
    default:
      return TRUE;
  }
}

static OnnxAttribute *
read_attribute (OnnxSpan message, char **reference, GError **error)
{
  g_autoptr (OnnxAttribute) a = infer_new0 (OnnxAttribute, 1);
  OnnxReader r = onnx_reader (message);
  GError *cause = NULL;
  OnnxField f;

  while (onnx_next (&r, &f))
    if (!read_attribute_field (a, message, &f, reference, &cause)) {
      const char *name = a->name != NULL ? a->name : "";

      if (cause == NULL)
        infer_fail (&cause, INFER_ERROR_INVALID_MODEL,
            "field %u of attribute '%.100s' is malformed", f.number, name);
      else
        g_prefix_error (&cause, "attribute '%.100s': ", name);
      g_propagate_error (error, cause);
      return NULL;
    }
  if (!onnx_done (&r, "an attribute", error))
    return NULL;
  if (a->name == NULL) {
    infer_fail (error, INFER_ERROR_INVALID_MODEL, "an attribute has no name");
    return NULL;
  }
  return g_steal_pointer (&a);
}

OnnxAttribute *
onnx_read_attribute (OnnxSpan message, GError **error)
{
  g_autofree char *reference = NULL;

  return read_attribute (message, &reference, error);
}

static OnnxAttribute *
copy_attribute (const OnnxAttribute *a, const char *name)
{
  OnnxAttribute *copy = g_memdup2 (a, sizeof *a);

  copy->name = g_strdup (name);
  copy->ints = a->ints != NULL ? g_array_ref (a->ints) : NULL;
  copy->floats = a->floats != NULL ? g_array_ref (a->floats) : NULL;
  copy->strings = a->strings != NULL ? g_ptr_array_ref (a->strings) : NULL;
  return copy;
}

GHashTable *
onnx_attributes (OnnxNode *n)
{
  if (n->attributes == NULL)
    n->attributes = g_hash_table_new_full (
        g_str_hash, g_str_equal, NULL, onnx_attribute_free);
  return n->attributes;
}

const OnnxAttribute *
onnx_attribute (const OnnxNode *n, const char *name)
{
  return n->attributes != NULL ? g_hash_table_lookup (n->attributes, name)
                               : NULL;
}

/* An attribute that refers to one of the function's call takes its value. */
static gboolean
add_attribute (OnnxNode *n, OnnxSpan message, GError **error)
{
  g_autofree char *reference = NULL;
  const OnnxAttribute *argument;
  OnnxAttribute *a = read_attribute (message, &reference, error);

  if (a == NULL)
    return FALSE;
  if (reference != NULL) {
    g_autofree char *name = g_strdup (a->name);

    onnx_attribute_free (a);
    argument = n->scope->arguments != NULL
                   ? g_hash_table_lookup (n->scope->arguments, reference)
                   : NULL;
    if (argument == NULL)
      return TRUE; /* not given: the default of the operation */
    a = copy_attribute (argument, name);
  }
  g_hash_table_replace (onnx_attributes (n), a->name, a);
  return TRUE;
}

/* --- nodes --- */

static void
node_clear (OnnxNode *n)
{
  g_free (n->block);
  g_free (n->prefixed);
  g_clear_pointer (&n->attributes, g_hash_table_unref);
  g_clear_pointer (&n->texts, g_ptr_array_unref);
  g_clear_error (&n->error);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (OnnxNode, node_clear)

static gboolean
is_text (guint number)
{
  return number == ONNX_NODE_INPUT || number == ONNX_NODE_OUTPUT
         || number == ONNX_NODE_NAME || number == ONNX_NODE_OP_TYPE
         || number == ONNX_NODE_DOMAIN || number == ONNX_NODE_OVERLOAD;
}

/* One allocation for ports, names and texts of a node, which hold what its
 * fields need.  @at: where the texts begin. */
static void
make_room (OnnxNode *n, OnnxSpan message, char **at)
{
  OnnxReader r = onnx_reader (message);
  gsize inputs = 0, outputs = 0, size = 0;
  OnnxField f;

  while (onnx_next (&r, &f)) {
    if (f.wire != ONNX_WIRE_BYTES || !is_text (f.number))
      continue;
    size += onnx_length (f.bytes) + 1;
    inputs += f.number == ONNX_NODE_INPUT;
    outputs += f.number == ONNX_NODE_OUTPUT;
  }
  const gsize ports = (inputs + outputs + 2 * ONNX_SPARE) * sizeof (InferPort);
  const gsize names = (inputs + outputs) * sizeof (char *);
  n->block = g_malloc (ports + names + size);
  memset (n->block, 0, ports);
  n->inputs = n->block;
  n->outputs = n->inputs + inputs + ONNX_SPARE;
  n->input_names = (gpointer) ((char *) n->block + ports);
  n->output_names = n->input_names + inputs;
  *at = (char *) (n->output_names + outputs);
}

static gboolean
take_text (const OnnxField *f, char **at, const char **text)
{
  const gsize length = onnx_length (f->bytes);

  if (f->wire != ONNX_WIRE_BYTES
      || !g_utf8_validate_len ((const char *) f->bytes.at, length, NULL))
    return FALSE;
  *text = *at;
  if (length > 0)
    memcpy (*at, f->bytes.at, length);
  (*at)[length] = '\0';
  *at += length + 1;
  return TRUE;
}

static gboolean
read_fields (OnnxNode *n, OnnxSpan message, GError **error)
{
  OnnxReader r = onnx_reader (message);
  OnnxField f;
  char *at;

  make_room (n, message, &at);
  while (onnx_next (&r, &f)) {
    gboolean ok = TRUE;

    switch (f.number) {
      case ONNX_NODE_INPUT:
        ok = take_text (&f, &at, &n->input_names[n->n_inputs]);
        n->n_inputs += ok;
        break;
      case ONNX_NODE_OUTPUT:
        ok = take_text (&f, &at, &n->output_names[n->n_outputs]);
        n->n_outputs += ok;
        break;
      case ONNX_NODE_NAME:
        ok = take_text (&f, &at, &n->name);
        break;
      case ONNX_NODE_OP_TYPE:
        ok = take_text (&f, &at, &n->type);
        break;
      case ONNX_NODE_DOMAIN:
        ok = take_text (&f, &at, &n->domain);
        break;
      case ONNX_NODE_OVERLOAD:
        ok = take_text (&f, &at, &n->overload);
        break;
      case ONNX_NODE_ATTRIBUTE:
        if (f.wire == ONNX_WIRE_BYTES && !add_attribute (n, f.bytes, error))
          return FALSE;
        ok = f.wire == ONNX_WIRE_BYTES;
        break;
      default:
        break;
    }
    if (!ok)
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "field %u of a node is malformed", f.number);
  }
  return onnx_done (&r, "a node", error);
}

/* A node without a name is called as its first output, as other tools do. */
static void
name_node (OnnxNode *n)
{
  if (n->name == NULL || *n->name == '\0')
    n->name = n->n_outputs > 0 ? n->output_names[0] : n->type;
  if (*n->scope->prefix != '\0')
    n->name = n->prefixed = g_strconcat (n->scope->prefix, n->name, NULL);
}

static gboolean
read_node (OnnxNode *n, OnnxSpan message, GError **error)
{
  if (!read_fields (n, message, error))
    return FALSE;
  if (n->type == NULL)
    return infer_fail (
        error, INFER_ERROR_INVALID_MODEL, "a node has no operation type");
  if (n->n_outputs == 0)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "a node of type '%.100s' has no outputs", n->type);
  if (n->domain == NULL || g_str_equal (n->domain, "ai.onnx"))
    n->domain = "";
  name_node (n);
  return TRUE;
}

static gboolean
find_inputs (OnnxNode *n, GError **error)
{
  for (guint i = 0; i < n->n_inputs; i++)
    if (*n->input_names[i] != '\0'
        && !onnx_scope_find (n->scope, n->input_names[i], &n->inputs[i], error))
      return FALSE;
  return TRUE;
}

static void
add_tensor_name (InferOutput *output, const char *name)
{
  const guint n = g_strv_length (output->names);

  if (n == 0) {
    infer_output_set_name (output, name);
    return;
  }
  if (g_strv_contains ((const char *const *) output->names, name))
    return;
  g_autofree const char **names = g_new (const char *, n + 2);
  memcpy (names, output->names, n * sizeof *names);
  names[n] = name;
  names[n + 1] = NULL;
  infer_output_set_names (output, names);
}

static gboolean
set_outputs (OnnxNode *n, GError **error)
{
  for (guint k = 0; k < n->n_outputs; k++) {
    InferPort port = n->outputs[k];

    if (*n->output_names[k] == '\0')
      continue;
    if (port.op == NULL || port.index >= port.op->n_outputs)
      return infer_fail (
          error, INFER_ERROR_UNSUPPORTED, "its output %u is not supported", k);
    if (*n->scope->prefix == '\0')
      add_tensor_name (&port.op->outputs[port.index], n->output_names[k]);
    if (!onnx_scope_set (n->scope, n->output_names[k], port, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
takes_sequences (const OnnxNode *n)
{
  return strstr (n->type, "Sequence") != NULL
         || g_str_has_prefix (n->type, "Optional")
         || g_str_equal (n->type, "Identity");
}

static gboolean
check_sequences (OnnxNode *n)
{
  for (guint i = 0; !takes_sequences (n) && i < n->n_inputs; i++)
    if (n->inputs[i].op != NULL && onnx_sequence (n, n->inputs[i]) != NULL) {
      onnx_fail (n, INFER_ERROR_UNSUPPORTED,
          "its input %u is a sequence, which it cannot take here", i);
      return FALSE;
    }
  return TRUE;
}

static void
import (OnnxNode *n)
{
  OnnxFunction *function = onnx_find_function (n);
  const OnnxImporter *importer = onnx_find_importer (n->domain, n->type);

  if (function != NULL)
    onnx_import_call (n, function);
  else if (!check_sequences (n))
    return;
  else if (importer == NULL)
    onnx_fail (n, INFER_ERROR_UNSUPPORTED, "this build does not know it");
  else
    importer->import (n);
}

gboolean
onnx_import_node (OnnxScope *scope, OnnxSpan message, GError **error)
{
  g_auto (OnnxNode) n = { .scope = scope };

  if (++scope->file->n_nodes > ONNX_MAX_NODES)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "more than %d nodes, with those of functions", ONNX_MAX_NODES);
  if (!read_node (&n, message, error))
    return FALSE;
  n.opset = GPOINTER_TO_INT (g_hash_table_lookup (scope->opsets, n.domain));
  GError *failure = NULL;
  if (find_inputs (&n, &failure))
    import (&n);
  if (failure == NULL && n.error == NULL)
    set_outputs (&n, &failure);
  if (failure == NULL)
    failure = g_steal_pointer (&n.error);
  if (failure == NULL)
    return TRUE;
  /* Of nodes inside nodes, the innermost. */
  if (strlen (failure->message) < MAX_MESSAGE)
    g_prefix_error (&failure, "node '%.200s' (%.40s%s%.100s): ", n.name,
        n.domain, *n.domain != '\0' ? "." : "", n.type);
  g_propagate_error (error, failure);
  return FALSE;
}
