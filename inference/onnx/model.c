/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* ModelProto. */

#include "inference/onnx/onnx.h"

#include "inference/base/file.h"
#include "inference/graph/model-private.h"
#include "inference/onnx/info.h"
#include "inference/onnx/model-info.h"
#include "inference/onnx/proto.h"
#include "inference/onnx/scope.h"

#include <string.h>

#define OLDEST_OPSET 1
#define NEWEST_OPSET 28
#define OLDEST_IR 3

static void
operation_free (gpointer op)
{
  infer_operation_free (op);
}

static void
file_clear (OnnxFile *file)
{
  g_clear_pointer (&file->opsets, g_hash_table_unref);
  g_clear_pointer (&file->functions, g_ptr_array_unref);
  g_clear_pointer (&file->sequences, g_hash_table_unref);
  g_clear_pointer (&file->store.externals, g_hash_table_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (OnnxFile, file_clear)

/* --- header --- */

static gboolean
read_field (InferModel *model, OnnxFile *file, const OnnxField *f,
    OnnxSpan *graph, GError **error)
{
  if (f->number == ONNX_MODEL_IR_VERSION && f->wire == ONNX_WIRE_VARINT) {
    file->ir_version = (gint64) f->value;
    return TRUE;
  }
  if (f->wire != ONNX_WIRE_BYTES)
    return TRUE;
  if (f->number == ONNX_MODEL_GRAPH)
    *graph = f->bytes;
  else if (f->number == ONNX_MODEL_OPSET)
    return onnx_read_opset (f->bytes, file->opsets, error);
  else if (f->number == ONNX_MODEL_METADATA)
    return onnx_read_metadata (model, f->bytes, error);
  else if (f->number == ONNX_MODEL_FUNCTION) {
    OnnxFunction *function = onnx_read_function (f->bytes, error);

    if (function == NULL)
      return FALSE;
    g_ptr_array_add (file->functions, function);
  }
  return TRUE;
}

static gboolean
check_header (const OnnxFile *file, OnnxSpan graph, GError **error)
{
  int opset = GPOINTER_TO_INT (g_hash_table_lookup (file->opsets, ""));

  if (graph.at == NULL)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "it has no graph, so it is no ONNX model");
  if (file->ir_version < OLDEST_IR)
    return infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "ONNX IR version %" G_GINT64_FORMAT " is not supported, %d and newer "
        "are",
        file->ir_version, OLDEST_IR);
  if (opset != 0 && (opset < OLDEST_OPSET || opset > NEWEST_OPSET))
    return infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "opset %d is not supported, %d to %d are; convert the model with "
        "onnx.version_converter",
        opset, OLDEST_OPSET, NEWEST_OPSET);
  return TRUE;
}

/* --- unknown operations --- */

static void note_unknown (const OnnxFile *file, OnnxSpan node, guint depth,
    GHashTable *seen, GString *list);

/* The nodes of graphs and functions are fields of these numbers. */
static void
note_all (const OnnxFile *file, OnnxSpan message, guint number, guint depth,
    GHashTable *seen, GString *list)
{
  OnnxReader r = onnx_reader (message);
  OnnxField f;

  while (depth < ONNX_MAX_DEPTH && onnx_next (&r, &f))
    if (f.number == number && f.wire == ONNX_WIRE_BYTES)
      note_unknown (file, f.bytes, depth, seen, list);
}

static void
note_bodies (const OnnxFile *file, OnnxSpan attribute, guint depth,
    GHashTable *seen, GString *list)
{
  OnnxReader r = onnx_reader (attribute);
  OnnxField f;

  while (onnx_next (&r, &f))
    if (f.number == ONNX_ATTRIBUTE_G && f.wire == ONNX_WIRE_BYTES)
      note_all (file, f.bytes, ONNX_GRAPH_NODE, depth + 1, seen, list);
}

static gboolean
is_function (const OnnxFile *file, const char *domain, const char *type)
{
  for (guint i = 0; i < file->functions->len; i++) {
    const OnnxFunction *f = file->functions->pdata[i];

    if (g_str_equal (f->name, type) && g_str_equal (f->domain, domain))
      return TRUE;
  }
  return FALSE;
}

static void
note_unknown (const OnnxFile *file, OnnxSpan node, guint depth,
    GHashTable *seen, GString *list)
{
  OnnxSpan type = { NULL, NULL }, domain = { NULL, NULL };
  OnnxReader r = onnx_reader (node);
  OnnxField f;

  while (onnx_next (&r, &f)) {
    if (f.wire != ONNX_WIRE_BYTES)
      continue;
    if (f.number == ONNX_NODE_OP_TYPE)
      type = f.bytes;
    else if (f.number == ONNX_NODE_DOMAIN)
      domain = f.bytes;
    else if (f.number == ONNX_NODE_ATTRIBUTE)
      note_bodies (file, f.bytes, depth, seen, list);
  }
  g_autofree char *name = onnx_string (type), *from = onnx_string (domain);
  const char *space = from == NULL || g_str_equal (from, "ai.onnx") ? "" : from;
  if (name == NULL || list->len > 4000
      || onnx_find_importer (space, name) != NULL
      || is_function (file, space, name))
    return;
  char *text = g_strdup_printf (
      "%.100s%s%.100s", space, *space != '\0' ? "." : "", name);
  if (!g_hash_table_contains (seen, text))
    g_string_append_printf (list, "%s%s", list->len > 0 ? ", " : "", text);
  g_hash_table_add (seen, text);
}

/* Lists all unknown operations at once. */
static gboolean
check_known (const OnnxFile *file, OnnxSpan graph, GError **error)
{
  g_autoptr (GHashTable) seen =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GString) list = g_string_new (NULL);

  note_all (file, graph, ONNX_GRAPH_NODE, 0, seen, list);
  for (guint i = 0; i < file->functions->len; i++)
    note_all (file, ((OnnxFunction *) file->functions->pdata[i])->message,
        ONNX_FUNCTION_NODE, 0, seen, list);
  return list->len == 0
         || infer_fail (error, INFER_ERROR_UNSUPPORTED,
             "operations that this build does not know: %s", list->str);
}

/* --- the graph --- */

static gboolean
add_parameter (OnnxScope *scope, const char *name, const InferDesc *desc,
    guint index, gpointer data, GError **error)
{
  InferOperation *op = onnx_make_parameter (name, desc, error);

  if (op == NULL)
    return FALSE;
  if (*name != '\0')
    infer_output_set_name (&op->outputs[0], name);
  infer_graph_add (scope->graph, op);
  return onnx_scope_set (scope, name, (InferPort){ op, 0 }, error);
}

static gboolean
add_result (OnnxScope *scope, const char *name, GError **error)
{
  InferPort port;
  InferOperation *op;

  if (!onnx_scope_find (scope, name, &port, error))
    return FALSE;
  if (g_hash_table_contains (scope->file->sequences, port.op))
    return infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "output '%.200s' is a sequence, which is not supported", name);
  op = infer_operation_make ("Result", name, 1, 1, error, NULL);
  if (op == NULL)
    return FALSE;
  if (*name != '\0')
    infer_output_set_name (&op->outputs[0], name);
  infer_operation_connect (op, 0, port);
  op->outputs[0].desc = port.op->outputs[port.index].desc;
  infer_graph_add (scope->graph, op);
  return TRUE;
}

static gboolean
read_graph (InferModel *model, OnnxFile *file, OnnxSpan graph, GError **error)
{
  g_auto (OnnxScope) scope = { 0 };
  g_autoptr (GPtrArray) outputs = NULL;

  onnx_scope_init (&scope, file, NULL, model->graph, file->opsets);
  if (!onnx_import_graph (&scope, graph, add_parameter, NULL, &outputs, error))
    return FALSE;
  if (outputs->len == 0)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "it has no output, so there is nothing to compute");
  for (guint i = 0; i < outputs->len; i++)
    if (!add_result (&scope, outputs->pdata[i], error))
      return FALSE;
  infer_graph_sweep (model->graph);
  onnx_read_dim_names (model, graph);
  onnx_derive_model_info (model);
  return TRUE;
}

static gboolean
read_model (InferModel *model, OnnxFile *file, OnnxSpan message, GError **error)
{
  OnnxReader r = onnx_reader (message);
  OnnxSpan graph = { NULL, NULL };
  OnnxField f;

  while (onnx_next (&r, &f))
    if (!read_field (model, file, &f, &graph, error))
      return FALSE;
  return onnx_done (&r, "the file", error) && check_header (file, graph, error)
         && check_known (file, graph, error)
         && read_graph (model, file, graph, error)
         && infer_model_settle_inferred (model, error);
}

static char *
name_of (const char *path)
{
  char *name = g_path_get_basename (path);

  if (g_str_has_suffix (name, ".onnx"))
    name[strlen (name) - strlen (".onnx")] = '\0';
  return name;
}

static gboolean
check_weights (const OnnxStore *store, GError **error)
{
  return store->weights == NULL || g_hash_table_size (store->externals) > 0
         || infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
             "weights were given, but all of them are in the model itself");
}

static InferModel *
read_from (const OnnxStore *store, GError **error)
{
  const char *path = store->path;
  gsize size;
  const guint8 *data = g_bytes_get_data (store->bytes, &size);
  g_autofree char *name = name_of (path);
  g_autoptr (InferModel) model = infer_model_new (name, path, 11);
  g_auto (OnnxFile) file = { .store = *store };

  file.opsets = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  file.functions = g_ptr_array_new_with_free_func (onnx_function_free);
  file.sequences = g_hash_table_new_full (
      NULL, NULL, operation_free, (GDestroyNotify) g_array_unref);
  file.store.externals = onnx_externals_new ();
  if (!read_model (model, &file, (OnnxSpan){ data, data + size }, error)
      || !check_weights (&file.store, error)
      || !onnx_externals_check (file.store.externals, error)) {
    g_prefix_error (error, "%s: ", path);
    return NULL;
  }
  model->external_files = onnx_externals_paths (file.store.externals);
  return g_steal_pointer (&model);
}

InferModel *
onnx_model_read (GBytes *bytes, gboolean mapped, const char *folder,
    const char *path, GError **error)
{
  return read_from (
      &(OnnxStore){
          .bytes = bytes, .mapped = mapped, .folder = folder, .path = path },
      error);
}

InferModel *
onnx_model_read_bytes (
    GBytes *bytes, GBytes *weights, const char *path, GError **error)
{
  return read_from (
      &(OnnxStore){ .bytes = bytes, .weights = weights, .path = path }, error);
}
