/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/ir/writer.h"

#include <string.h>

#include "inference/base/file.h"
#include "inference/graph/model-private.h"
#include "inference/graph/ops/parameter.h"

/* Of constants in the file of weights, for kernels that read them there. */
#define ALIGNMENT 64

typedef struct
{
  GString *xml;
  GArray *parts;       /* (element-type InferFilePart) of the weights */
  GHashTable *offsets; /* hash of a constant, as text → guint64 */
  guint64 size;        /* of the weights */
} Writer;

static const guint8 padding[ALIGNMENT];

/* --- constants --- */

static guint64
add_constant (Writer *w, const InferTensor *value)
{
  const InferHash hash =
      infer_hash (value->data, value->size, &(InferHash){ { value->size } });
  char digits[33];

  infer_hash_to_string (&hash, digits);
  const guint64 *known = g_hash_table_lookup (w->offsets, digits);
  if (known != NULL)
    return *known;
  const InferFilePart gap = { padding,
    (gsize) ((ALIGNMENT - w->size % ALIGNMENT) % ALIGNMENT) };
  const InferFilePart part = { value->data, value->size };
  const guint64 offset = w->size + gap.size;
  g_array_append_val (w->parts, gap);
  g_array_append_val (w->parts, part);
  w->size = offset + value->size;
  g_hash_table_insert (
      w->offsets, g_strdup (digits), g_memdup2 (&offset, sizeof offset));
  return offset;
}

/* --- attributes --- */

static void
add_attribute (GString *xml, const char *name, const char *value)
{
  g_string_append_printf (xml, " %s=\"", name);
  infer_ir_write_text (xml, value);
  g_string_append_c (xml, '"');
}

/* "1,?,2..5"; "..." of a dynamic rank. */
static char *
shape_text (
    const InferShape *shape, const InferShape *lower, const InferShape *upper)
{
  GString *text = g_string_new (shape->rank < 0 ? "..." : NULL);

  for (int d = 0; d < shape->rank; d++) {
    g_string_append (text, d > 0 ? "," : "");
    if (shape->dims[d] >= 0)
      g_string_append_printf (text, "%" G_GINT64_FORMAT, shape->dims[d]);
    else if (lower == NULL
             || (lower->dims[d] <= 0 && upper->dims[d] == G_MAXINT64))
      g_string_append (text, "?");
    else if (upper->dims[d] == G_MAXINT64)
      g_string_append_printf (text, "%" G_GINT64_FORMAT "..", lower->dims[d]);
    else
      g_string_append_printf (text, "%" G_GINT64_FORMAT "..%" G_GINT64_FORMAT,
          lower->dims[d], upper->dims[d]);
  }
  return g_string_free (text, FALSE);
}

static void
write_parameter (GString *xml, const InferOperation *op)
{
  const InferParameterAttrs *attrs = op->attrs;
  g_autofree char *shape = shape_text (&op->outputs[0].desc.shape,
      attrs->lower.rank == op->outputs[0].desc.shape.rank ? &attrs->lower
                                                          : NULL,
      &attrs->upper);

  add_attribute (
      xml, "element_type", infer_type_name (op->outputs[0].desc.type));
  add_attribute (xml, "shape", shape);
}

static gboolean
write_constant (Writer *w, const InferOperation *op, GError **error)
{
  const InferTensor *value = op->value;

  if (!value->dense)
    return infer_fail (
        error, INFER_ERROR_UNSUPPORTED, "its value is not dense");
  g_autofree char *shape = shape_text (&value->shape, NULL, NULL);
  add_attribute (w->xml, "element_type", infer_type_name (value->type));
  add_attribute (w->xml, "shape", shape);
  g_string_append_printf (w->xml,
      " offset=\"%" G_GUINT64_FORMAT "\" size=\"%" G_GSIZE_FORMAT "\"",
      add_constant (w, value), value->size);
  return TRUE;
}

static gboolean
has_text (const InferOperation *op, const char *name)
{
  for (const char *at = op->attrs_texts; at != NULL && *at != '\0';) {
    if (strcmp (at, name) == 0)
      return TRUE;
    at += strlen (at) + 1;
    at += strlen (at) + 1;
  }
  return FALSE;
}

/* Defaults of the specification that OpenVINO's reader does not have. */
static void
write_defaults (GString *xml, const InferOperation *op)
{
  static const struct
  {
    const char *type, *name, *value;
  } defaults[] = {
    { "LSTMSequence", "activations", "sigmoid,tanh,tanh" },
    { "LSTMCell", "activations", "sigmoid,tanh,tanh" },
    { "GRUSequence", "activations", "sigmoid,tanh" },
    { "GRUCell", "activations", "sigmoid,tanh" },
    { "RNNSequence", "activations", "tanh" },
    { "RNNCell", "activations", "tanh" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (defaults); i++)
    if (strcmp (op->klass->type, defaults[i].type) == 0
        && !has_text (op, defaults[i].name))
      add_attribute (xml, defaults[i].name, defaults[i].value);
}

static void
write_texts (GString *xml, const InferOperation *op)
{
  for (const char *at = op->attrs_texts; at != NULL && *at != '\0';) {
    const char *value = at + strlen (at) + 1;

    add_attribute (xml, at, value);
    at = value + strlen (value) + 1;
  }
}

static gboolean
write_data (Writer *w, const InferOperation *op, GError **error)
{
  const gsize before = w->xml->len;
  gboolean ok = TRUE;

  g_string_append (w->xml, "<data");
  if (infer_op_is (op, &infer_op_parameter))
    write_parameter (w->xml, op);
  else if (op->value != NULL)
    ok = write_constant (w, op, error);
  else {
    write_texts (w->xml, op);
    write_defaults (w->xml, op);
  }
  if (w->xml->len == before + strlen ("<data"))
    g_string_truncate (w->xml, before);
  else
    g_string_append (w->xml, "/>");
  return ok;
}

/* --- ports --- */

/* "f32" → "FP32", as IR names types of ports. */
static char *
precision_of (InferType type)
{
  switch (type) {
    case INFER_TYPE_F16:
      return g_strdup ("FP16");
    case INFER_TYPE_F32:
      return g_strdup ("FP32");
    case INFER_TYPE_F64:
      return g_strdup ("FP64");
    case INFER_TYPE_BOOLEAN:
      return g_strdup ("BOOL");
    default:
      return g_ascii_strup (infer_type_name (type), -1);
  }
}

/* "a", "b,c" → "a,b\,c". */
static void
write_names (GString *xml, const char *attribute, char *const *names)
{
  g_autoptr (GString) list = g_string_new (NULL);

  for (guint i = 0; names[i] != NULL; i++) {
    g_string_append (list, i > 0 ? "," : "");
    for (const char *at = names[i]; *at != '\0'; at++) {
      if (*at == ',' || *at == '\\')
        g_string_append_c (list, '\\');
      g_string_append_c (list, *at);
    }
  }
  if (list->len > 0)
    add_attribute (xml, attribute, list->str);
}

/* @names: NULL for inputs. */
static void
write_port (GString *xml, guint id, const InferDesc *desc, char *const *names)
{
  g_string_append_printf (xml, "<port id=\"%u\"", id);
  if (desc->type != INFER_TYPE_DYNAMIC) {
    g_autofree char *precision = precision_of (desc->type);

    add_attribute (xml, "precision", precision);
  }
  if (names != NULL)
    write_names (xml, "names", names);
  g_string_append (xml, desc->shape.rank > 0 ? ">" : "/>");
  for (int d = 0; d < desc->shape.rank; d++)
    g_string_append_printf (
        xml, "<dim>%" G_GINT64_FORMAT "</dim>", MAX (desc->shape.dims[d], -1));
  g_string_append (xml, desc->shape.rank > 0 ? "</port>" : "");
}

/* The names of the results that read output @k are names of it, too. */
static GStrv
names_of (const InferOperation *op, guint k)
{
  GStrv names = g_strdupv (op->outputs[k].names);

  for (guint i = 0; i < op->n_uses; i++) {
    const InferOperation *result = op->uses[i].op;

    if (!infer_op_is (result, &infer_op_result) || result->inputs[0].index != k)
      continue;
    for (guint j = 0; result->outputs[0].names[j] != NULL; j++) {
      const char *name = result->outputs[0].names[j];

      if (g_strv_contains ((const char *const *) names, name))
        continue;
      const guint n = g_strv_length (names);
      names = g_renew (char *, names, n + 2);
      names[n] = g_strdup (name);
      names[n + 1] = NULL;
    }
  }
  return names;
}

static void
write_ports (GString *xml, const InferOperation *op)
{
  const gboolean result = infer_op_is (op, &infer_op_result);

  g_string_append (xml, op->n_inputs > 0 ? "<input>" : "");
  for (guint i = 0; i < op->n_inputs; i++) {
    const InferPort *from = &op->inputs[i];
    const InferDesc unknown = { INFER_TYPE_DYNAMIC, infer_shape_dynamic () };

    write_port (xml, i,
        from->op != NULL ? &from->op->outputs[from->index].desc : &unknown,
        NULL);
  }
  g_string_append (xml, op->n_inputs > 0 ? "</input>" : "");
  if (result || op->n_outputs == 0)
    return;
  g_string_append (xml, "<output>");
  for (guint k = 0; k < op->n_outputs; k++) {
    g_auto (GStrv) names = names_of (op, k);

    write_port (xml, op->n_inputs + k, &op->outputs[k].desc, names);
  }
  g_string_append (xml, "</output>");
}

/* --- operations --- */

/* Parameters and results first and last, in their order; ids are places. */
static GPtrArray *
list_operations (const InferGraph *graph)
{
  GPtrArray *list = g_ptr_array_new ();

  g_ptr_array_extend (list, graph->parameters, NULL, NULL);
  for (guint i = 0; i < graph->operations->len; i++) {
    const InferOperation *op = graph->operations->pdata[i];

    if (!infer_op_is (op, &infer_op_parameter)
        && !infer_op_is (op, &infer_op_result))
      g_ptr_array_add (list, graph->operations->pdata[i]);
  }
  g_ptr_array_extend (list, graph->results, NULL, NULL);
  return list;
}

static gboolean write_graph (
    Writer *w, const InferGraph *graph, GError **error);

static guint
id_of (const GPtrArray *list, gconstpointer op)
{
  guint id = 0;

  g_ptr_array_find ((GPtrArray *) (gsize) list, op, &id);
  return id;
}

static void
write_map_port (GString *xml, const InferBodyPort *port, gboolean input,
    int external, guint internal, const char *purpose)
{
  g_string_append_printf (xml,
      "<%s external_port_id=\"%d\" internal_layer_id=\"%u\"",
      input ? "input" : "output", external, internal);
  if (port != NULL && port->sliced)
    g_string_append_printf (xml,
        " axis=\"%" G_GINT64_FORMAT "\" start=\"%" G_GINT64_FORMAT
        "\" end=\"%" G_GINT64_FORMAT "\" stride=\"%" G_GINT64_FORMAT
        "\" part_size=\"%" G_GINT64_FORMAT "\"",
        port->axis, port->start, port->end, port->stride, port->part_size);
  if (purpose != NULL)
    add_attribute (xml, "purpose", purpose);
  g_string_append (xml, "/>");
}

static void
write_map (GString *xml, const char *element, const InferOperation *op,
    const InferBody *body, const GPtrArray *list)
{
  gboolean iteration = FALSE, condition = FALSE;

  g_string_append_printf (xml, "<%s>", element);
  for (guint i = 0; i < body->inputs->len; i++) {
    const InferBodyPort *port = &g_array_index (body->inputs, InferBodyPort, i);
    const gboolean is = port->internal == body->iteration_parameter;

    iteration = iteration || is;
    write_map_port (xml, port, TRUE, port->external,
        id_of (list, body->graph->parameters->pdata[port->internal]),
        is ? "current_iteration" : NULL);
  }
  if (!iteration && body->iteration_parameter >= 0)
    write_map_port (xml, NULL, TRUE, -1,
        id_of (list, body->graph->parameters->pdata[body->iteration_parameter]),
        "current_iteration");
  for (guint i = 0; i < body->outputs->len; i++) {
    const InferBodyPort *port =
        &g_array_index (body->outputs, InferBodyPort, i);
    const gboolean is =
        port->internal == body->condition_result && port->external < 0;

    condition = condition || is;
    write_map_port (xml, port, FALSE,
        port->external < 0 ? -1 : port->external + (int) op->n_inputs,
        id_of (list, body->graph->results->pdata[port->internal]),
        is ? "execution_condition" : NULL);
  }
  if (!condition && body->condition_result >= 0)
    write_map_port (xml, NULL, FALSE, -1,
        id_of (list, body->graph->results->pdata[body->condition_result]),
        "execution_condition");
  g_string_append_printf (xml, "</%s>", element);
}

static void
write_back_edges (GString *xml, const InferBody *body, const GPtrArray *list)
{
  if (body->back_edges->len == 0)
    return;
  g_string_append (xml, "<back_edges>");
  for (guint i = 0; i < body->back_edges->len; i++) {
    const InferBackEdge *edge =
        &g_array_index (body->back_edges, InferBackEdge, i);

    g_string_append_printf (xml, "<edge from-layer=\"%u\" to-layer=\"%u\"/>",
        id_of (list, body->graph->results->pdata[edge->from_result]),
        id_of (list, body->graph->parameters->pdata[edge->to_parameter]));
  }
  g_string_append (xml, "</back_edges>");
}

static gboolean
write_bodies (Writer *w, const InferOperation *op, GError **error)
{
  static const char *const maps[] = { "then_port_map", "else_port_map" };
  static const char *const bodies[] = { "then_body", "else_body" };
  const gboolean branches = op->n_bodies == 2;

  for (guint b = 0; b < op->n_bodies; b++) {
    const char *element = branches ? bodies[b] : "body";
    g_autoptr (GPtrArray) list = list_operations (op->bodies[b].graph);

    write_map (
        w->xml, branches ? maps[b] : "port_map", op, &op->bodies[b], list);
    write_back_edges (w->xml, &op->bodies[b], list);
    g_string_append_printf (w->xml, "<%s>", element);
    if (!write_graph (w, op->bodies[b].graph, error))
      return FALSE;
    g_string_append_printf (w->xml, "</%s>", element);
  }
  return TRUE;
}

static gboolean
write_layer (Writer *w, const InferOperation *op, guint id, GError **error)
{
  if ((op->klass->flags & INFER_OP_INTERNAL) != 0)
    return infer_fail (
        error, INFER_ERROR_UNSUPPORTED, "OpenVINO IR has no such operation");
  g_string_append_printf (w->xml, "<layer id=\"%u\"", id);
  add_attribute (w->xml, "name", op->name);
  add_attribute (w->xml, "type", op->klass->type);
  add_attribute (w->xml, "version", op->opset);
  if (infer_op_is (op, &infer_op_result))
    write_names (w->xml, "output_names", op->outputs[0].names);
  g_string_append_c (w->xml, '>');
  if (!write_data (w, op, error))
    return FALSE;
  write_ports (w->xml, op);
  if (!write_bodies (w, op, error))
    return FALSE;
  g_string_append (w->xml, "</layer>\n");
  return TRUE;
}

static void
write_edges (GString *xml, const GPtrArray *list, GHashTable *ids)
{
  g_string_append (xml, "<edges>\n");
  for (guint i = 0; i < list->len; i++) {
    const InferOperation *op = list->pdata[i];

    for (guint k = 0; k < op->n_inputs; k++) {
      const InferPort *from = &op->inputs[k];

      if (from->op != NULL)
        g_string_append_printf (xml,
            "<edge from-layer=\"%u\" from-port=\"%u\" to-layer=\"%u\" "
            "to-port=\"%u\"/>\n",
            GPOINTER_TO_UINT (g_hash_table_lookup (ids, from->op)),
            from->op->n_inputs + from->index, i, k);
    }
  }
  g_string_append (xml, "</edges>");
}

static gboolean
write_graph (Writer *w, const InferGraph *graph, GError **error)
{
  g_autoptr (GPtrArray) list = list_operations (graph);
  g_autoptr (GHashTable) ids = g_hash_table_new (NULL, NULL);

  g_string_append (w->xml, "<layers>\n");
  for (guint i = 0; i < list->len; i++) {
    const InferOperation *op = list->pdata[i];

    g_hash_table_insert (ids, list->pdata[i], GUINT_TO_POINTER (i));
    if (!write_layer (w, op, i, error)) {
      g_prefix_error (
          error, "operation '%.200s' (%s): ", op->name, op->klass->type);
      return FALSE;
    }
  }
  g_string_append (w->xml, "</layers>\n");
  write_edges (w->xml, list, ids);
  return TRUE;
}

/* --- files --- */

static gboolean
write_files (const Writer *w, const char *path, GError **error)
{
  g_autofree char *weights = g_strdup_printf (
      "%.*s.bin", (int) (strlen (path) - strlen (".xml")), path);
  const InferFilePart xml = { w->xml->str, w->xml->len };

  return infer_file_write (weights,
             (const InferFilePart *) (gpointer) w->parts->data, w->parts->len,
             0666, error)
         && infer_file_write (path, &xml, 1, 0666, error);
}

gboolean
infer_ir_write (const InferModel *model, const char *path, GError **error)
{
  g_autoptr (GString) xml = g_string_new ("<?xml version=\"1.0\"?>\n<net");
  g_autoptr (GArray) parts = g_array_new (FALSE, FALSE, sizeof (InferFilePart));
  g_autoptr (GHashTable) offsets =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  Writer w = { xml, parts, offsets, 0 };

  if (!g_str_has_suffix (path, ".xml"))
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "%s: the name of an OpenVINO IR ends with .xml", path);
  add_attribute (xml, "name", model->name);
  g_string_append (xml, " version=\"11\">\n");
  if (!write_graph (&w, model->graph, error)) {
    g_prefix_error (error, "%s: ", path);
    return FALSE;
  }
  infer_ir_write_info (xml, model->rt_info);
  g_string_append (xml, "</net>\n");
  return write_files (&w, path, error);
}
