/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/graph/model-private.h"

#include "inference/base/file.h"
#include "inference/ir/builder.h"
#include "inference/ir/ir.h"
#include "inference/graph/ops/parameter.h"

#include <string.h>

/* Keys of rt_info ("a/b/c") that are longer are ignored. */
#define MAX_KEY_LENGTH 1000

/* --- unknown operations --- */

typedef struct
{
  char *text; /* "Type opset (reason)" */
  guint count;
} Unknown;

static void
unknown_free (gpointer data)
{
  g_free (((Unknown *) data)->text);
  g_free (data);
}

static void
note_unknown (GPtrArray *unknowns, GHashTable *seen, const InferXmlNode *node)
{
  const char *type = infer_xml_attribute (node, "type");
  const char *version = infer_xml_attribute (node, "version");
  const char *reason;
  guint class_version;

  /* An incomplete layer fails later with its own message. */
  if (type == NULL || version == NULL
      || infer_ir_find_class (type, version, &class_version, &reason) != NULL)
    return;
  g_autofree char *text =
      g_strdup_printf ("%.100s %.40s (%s", type, version, reason);
  Unknown *unknown = g_hash_table_lookup (seen, text);
  if (unknown == NULL) {
    unknown = g_new0 (Unknown, 1);
    unknown->text = g_steal_pointer (&text);
    g_ptr_array_add (unknowns, unknown);
    g_hash_table_insert (seen, unknown->text, unknown);
  }
  unknown->count++;
}

/* After reading failed: lists all unknown operations at once. */
static gboolean
check_known (const InferXmlNode *root, GError **error)
{
  g_autoptr (GPtrArray) unknowns =
      g_ptr_array_new_with_free_func (unknown_free);
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GString) list = g_string_new (NULL);

  for (const InferXmlNode *node = root; node != NULL;
       node = infer_xml_walk (node, root))
    if (infer_xml_is (node, "layer"))
      note_unknown (unknowns, seen, node);
  if (unknowns->len == 0)
    return TRUE;
  for (guint i = 0; i < unknowns->len; i++) {
    const Unknown *unknown = unknowns->pdata[i];

    if (list->len > 4000) {
      g_string_append (list, ", …");
      break;
    }
    g_string_append_printf (
        list, "%s%s; %u×)", i > 0 ? ", " : "", unknown->text, unknown->count);
  }
  return infer_fail (error, INFER_ERROR_UNSUPPORTED,
      "%u operation type%s that this build does not know: %s", unknowns->len,
      unknowns->len == 1 ? "" : "s", list->str);
}

/* --- rt_info --- */

/* XML is at most 256 elements deep. */
static void
read_info (const InferXmlNode *node, const char *prefix, GHashTable *info)
{
  for (const InferXmlNode *child = node->children; child != NULL;
       child = child->next) {
    const char *value = infer_xml_attribute (child, "value");
    g_autofree char *key = NULL;

    key = g_strdup_printf (
        "%s%s%s", prefix, *prefix != '\0' ? "/" : "", child->name);
    if (strlen (key) > MAX_KEY_LENGTH)
      continue;
    if (value != NULL)
      g_hash_table_replace (info, g_strdup (key), g_strdup (value));
    read_info (child, key, info);
  }
}

/* --- IR v10 --- */

/* The output types that OpenVINO gives a v10 model. */
static InferType
legacy_result_type (InferType type)
{
  switch (type) {
    case INFER_TYPE_I64:
    case INFER_TYPE_U64:
    case INFER_TYPE_I32:
    case INFER_TYPE_U32:
      return INFER_TYPE_I32;
    case INFER_TYPE_DYNAMIC:
      return INFER_TYPE_DYNAMIC;
    default:
      return INFER_TYPE_F32;
  }
}

static InferOperation *
make_convert (const char *name, InferType type, GError **error)
{
  InferOperation *convert = infer_operation_make ("Convert", name, 1, 1, error,
      "destination_type", infer_type_name (type), NULL);

  if (convert == NULL)
    g_prefix_error (error, "converting '%.200s' as IR v10 needs: ", name);
  return convert;
}

static gboolean
convert_parameter (InferGraph *graph, InferOperation *op, GError **error)
{
  const InferParameterAttrs old = *(const InferParameterAttrs *) op->attrs;
  InferPort from = { op, 0 }, to = { NULL, 0 };

  if (old.desc.type != INFER_TYPE_F16)
    return TRUE;
  to.op = make_convert (op->name, INFER_TYPE_F16, error);
  if (to.op == NULL)
    return FALSE;
  infer_port_replace (from, to);
  infer_operation_connect (to.op, 0, from);
  infer_graph_add (graph, to.op);
  infer_operation_renew_attrs (op);
  *(InferParameterAttrs *) op->attrs = old;
  ((InferParameterAttrs *) op->attrs)->desc.type = INFER_TYPE_F32;
  return TRUE;
}

static gboolean
convert_result (InferGraph *graph, InferOperation *op, GError **error)
{
  const InferType type = op->outputs[0].desc.type;

  if (legacy_result_type (type) == type)
    return TRUE;
  InferOperation *convert =
      make_convert (op->name, legacy_result_type (type), error);
  if (convert == NULL)
    return FALSE;
  infer_operation_connect (convert, 0, op->inputs[0]);
  infer_operation_connect (op, 0, (InferPort){ convert, 0 });
  infer_graph_add (graph, convert);
  return TRUE;
}

static gboolean
convert_edges (InferModel *model, GError **error)
{
  InferGraph *graph = model->graph;

  for (guint i = 0; i < graph->parameters->len; i++)
    if (!convert_parameter (graph, graph->parameters->pdata[i], error))
      return FALSE;
  for (guint i = 0; i < graph->results->len; i++)
    if (!convert_result (graph, graph->results->pdata[i], error))
      return FALSE;
  return infer_model_settle (model, error);
}

/* --- the net --- */

static gboolean
read_version (const InferXmlNode *net, guint *version, GError **error)
{
  if (!infer_xml_is (net, "net"))
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "its root is <%.40s>, that of an IR is <net>", net->name);
  const char *text = infer_xml_require (net, "version", error);
  if (text == NULL)
    return FALSE;
  if (strcmp (text, "10") != 0 && strcmp (text, "11") != 0)
    return infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "IR version '%.40s' is not supported, 10 and 11 are; "
        "convert the model anew",
        text);
  *version = strcmp (text, "10") == 0 ? 10 : 11;
  return TRUE;
}

static gboolean
read_net (
    InferModel *model, InferIr *ir, const InferXmlNode *net, GError **error)
{
  const InferXmlNode *info = infer_xml_child (net, "rt_info");
  g_autoptr (GError) failure = NULL;

  infer_graph_free (model->graph);
  model->graph = infer_ir_graph_new (ir, net, NULL, &failure);
  if (model->graph == NULL) {
    model->graph = infer_graph_new ();
    if (check_known (net, error))
      g_propagate_error (error, g_steal_pointer (&failure));
    return FALSE;
  }
  if (model->graph->results->len == 0)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "it has no Result, so there is nothing to compute");
  if (info != NULL)
    read_info (info, "", model->rt_info);
  return infer_model_settle (model, error)
         && (model->ir_version > 10 || convert_edges (model, error));
}

static InferModel *
load (InferXml *doc, GBytes *weights, gboolean mapped,
    const char *weights_problem, const char *path, GError **error)
{
  const char *name;
  InferIr ir = { 0, weights, mapped, weights_problem, 0 };
  const InferXmlNode *net = doc != NULL ? infer_xml_root (doc) : NULL;

  if (net == NULL || !read_version (net, &ir.ir_version, error)) {
    g_prefix_error (error, "%s: ", path);
    return NULL;
  }
  name = infer_xml_attribute (net, "name");
  g_autoptr (InferModel) model =
      infer_model_new (name != NULL ? name : "", path, ir.ir_version);
  if (!read_net (model, &ir, net, error)) {
    g_prefix_error (error, "%s: ", path);
    return NULL;
  }
  return g_steal_pointer (&model);
}

InferModel *
infer_ir_load_bytes (
    GBytes *xml, GBytes *weights, const char *name, GError **error)
{
  g_autoptr (InferXml) doc = infer_xml_new (xml, error);

  return load (doc, weights, FALSE, "none were given",
      name != NULL ? name : "model in memory", error);
}

/* --- parsed XML in the cache --- */

#define KIND "xml"

static char *
key_of_bytes (GBytes *bytes)
{
  gsize size;
  gconstpointer data = g_bytes_get_data (bytes, &size);
  InferHash hash = infer_hash (data, size, &(InferHash){ { size } });
  char digits[33];

  infer_hash_to_string (&hash, digits);
  return g_strdup_printf ("%s %d", digits, G_BYTE_ORDER);
}

/* @cache: nullable.  A copy of the file is parsed, so what was hashed is what
 * is read. */
static InferXml *
read_xml (const char *path, InferCache *cache, GError **error)
{
  g_autoptr (GBytes) bytes = infer_file_read (path, INFER_XML_MAX_BYTES, error);

  if (bytes == NULL)
    return NULL;
  g_autofree char *key = cache != NULL ? key_of_bytes (bytes) : NULL;
  g_autoptr (GBytes) before = infer_cache_get_copy (cache, KIND, key);
  InferXml *xml = before != NULL ? infer_xml_unpack (before) : NULL;
  if (xml != NULL)
    return xml;
  xml = infer_xml_new (bytes, error);
  if (xml == NULL) {
    g_prefix_error (error, "%s: ", path);
    return NULL;
  }
  g_autoptr (GBytes) packed = cache != NULL ? infer_xml_pack (xml) : NULL;
  if (packed != NULL)
    infer_cache_put (cache, KIND, key, packed);
  return xml;
}

/* --- loading --- */

static char *
default_weights (const char *path)
{
  gsize length = strlen (path);

  if (g_str_has_suffix (path, ".xml"))
    length -= strlen (".xml");
  return g_strdup_printf ("%.*s.bin", (int) length, path);
}

/* @file: cleared where there are no weights, for the reason @problem. */
static InferModel *
load_with (const char *path, InferXml *doc, const InferFile *file,
    const char *problem, GError **error)
{
  g_autoptr (InferModel) model =
      load (doc, file->bytes, file->mapped, problem, path, error);

  return file->bytes == NULL || infer_file_confirm (file, error)
             ? g_steal_pointer (&model)
             : NULL;
}

InferModel *
infer_ir_load (const char *path, const char *weights_path, InferCache *cache,
    gboolean map, GError **error)
{
  g_autoptr (InferXml) doc = read_xml (path, cache, error);
  g_autoptr (GError) problem = NULL;
  g_autofree char *beside = NULL;
  g_auto (InferFile) weights = { 0 };

  if (doc == NULL)
    return NULL;
  if (weights_path == NULL)
    weights_path = beside = default_weights (path);
  /* Default weights may be missing: a model may have no constants. */
  if (!infer_file_open (&weights, weights_path, map, &problem)
      && beside == NULL) {
    g_propagate_error (error, g_steal_pointer (&problem));
    return NULL;
  }
  return load_with (
      path, doc, &weights, problem != NULL ? problem->message : NULL, error);
}
