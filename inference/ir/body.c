/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/ir/builder.h"

#include <string.h>

/* The XML elements of bodies and port maps. */
typedef struct
{
  const InferOpClass *klass;
  const char *body[2], *map[2];
} BodyElements;

static const BodyElements kinds[] = {
  { &infer_op_if, { "then_body", "else_body" },
      { "then_port_map", "else_port_map" } },
  { &infer_op_loop, { "body", NULL }, { "port_map", NULL } },
  { &infer_op_tensor_iterator, { "body", NULL }, { "port_map", NULL } },
};

typedef struct
{
  const InferIrLayer *owner;
  GHashTable *layers; /* of the body */
  InferBody *body;
  gboolean is_loop;
} Mapping;

static gboolean
fail_node (
    const InferXmlNode *node, const char *what, gint64 id, GError **error)
{
  return infer_fail (error, INFER_ERROR_INVALID_MODEL,
      "line %u: <%s>: %s %" G_GINT64_FORMAT, node->line, node->name, what, id);
}

/* The index of a body's layer among its parameters or results. */
static int
find_internal (const Mapping *m, gint64 id, gboolean parameter)
{
  const InferIrLayer *layer = g_hash_table_lookup (m->layers, &id);
  const InferOpClass *klass =
      parameter ? &infer_op_parameter : &infer_op_result;

  if (layer == NULL || !infer_op_is (layer->op, klass))
    return -1;
  return layer->place;
}

static gboolean
read_slicing (const InferXmlNode *node, InferBodyPort *port, GError **error)
{
  const char *axis = infer_xml_attribute (node, "axis");

  port->sliced = axis != NULL;
  port->start = 0;
  port->end = -1;
  port->stride = 1;
  port->part_size = 1;
  return infer_xml_int (node, "axis", &port->axis, error)
         && infer_xml_int (node, "start", &port->start, error)
         && infer_xml_int (node, "end", &port->end, error)
         && infer_xml_int (node, "stride", &port->stride, error)
         && infer_xml_int (node, "part_size", &port->part_size, error);
}

/* The two ports of a Loop that may have no external port. */
static gboolean
read_purpose (const Mapping *m, const InferXmlNode *node,
    const InferBodyPort *port, gboolean input, GError **error)
{
  const char *purpose = infer_xml_attribute (node, "purpose");

  if (purpose == NULL || *purpose == '\0')
    return TRUE;
  if (m->is_loop && input && strcmp (purpose, "current_iteration") == 0) {
    m->body->iteration_parameter = port->internal;
    return TRUE;
  }
  if (m->is_loop && !input && strcmp (purpose, "execution_condition") == 0) {
    m->body->condition_result = port->internal;
    return TRUE;
  }
  return infer_fail (error, INFER_ERROR_INVALID_MODEL,
      "line %u: <%s>: purpose '%.40s' is not known", node->line, node->name,
      purpose);
}

static gboolean
read_port (
    const Mapping *m, const InferXmlNode *node, gboolean input, GError **error)
{
  const InferIrPorts *ports = input ? &m->owner->inputs : &m->owner->outputs;
  InferBodyPort port = { .external = -1 };
  gint64 external = -1, internal = -1;

  if (!infer_xml_int (node, "external_port_id", &external, error)
      || !infer_xml_id (node, "internal_layer_id", &internal, error)
      || !read_slicing (node, &port, error))
    return FALSE;
  port.internal = find_internal (m, internal, input);
  if (port.internal < 0)
    return fail_node (node,
        input ? "its body has no Parameter with the id"
              : "its body has no Result with the id",
        internal, error);
  if (external >= 0)
    port.external = infer_ir_ports_find (ports, external);
  if (port.external < 0 && (external != -1 || !m->is_loop))
    return fail_node (node, "it has no port", external, error);
  if (!read_purpose (m, node, &port, input, error))
    return FALSE;
  g_array_append_val (input ? m->body->inputs : m->body->outputs, port);
  return TRUE;
}

static gboolean
read_map (const Mapping *m, const InferXmlNode *list, GError **error)
{
  for (const InferXmlNode *child = list != NULL ? list->children : NULL;
       child != NULL; child = child->next)
    if (infer_xml_is (child, "input") || infer_xml_is (child, "output"))
      if (!read_port (m, child, infer_xml_is (child, "input"), error))
        return FALSE;
  return TRUE;
}

static gboolean
read_back_edges (const Mapping *m, const InferXmlNode *list, GError **error)
{
  for (const InferXmlNode *child = list != NULL ? list->children : NULL;
       child != NULL; child = child->next) {
    InferBackEdge edge;
    gint64 from, to;

    if (!infer_xml_is (child, "edge"))
      continue;
    if (!infer_xml_id (child, "from-layer", &from, error)
        || !infer_xml_id (child, "to-layer", &to, error))
      return FALSE;
    edge.from_result = find_internal (m, from, FALSE);
    edge.to_parameter = find_internal (m, to, TRUE);
    if (edge.from_result < 0)
      return fail_node (
          child, "its body has no Result with the id", from, error);
    if (edge.to_parameter < 0)
      return fail_node (
          child, "its body has no Parameter with the id", to, error);
    g_array_append_val (m->body->back_edges, edge);
  }
  return TRUE;
}

/* Every parameter of a body has exactly one input, also a loop-carried one. */
static gboolean
check_parameters (const InferBody *body, GError **error)
{
  const guint n = body->graph->parameters->len;
  g_autofree gboolean *given = g_new0 (gboolean, n + 1);

  for (guint i = 0; i < body->inputs->len; i++) {
    int to = g_array_index (body->inputs, InferBodyPort, i).internal;

    if (given[to])
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "two inputs go to parameter %d of its body", to);
    given[to] = g_array_index (body->inputs, InferBodyPort, i).external >= 0
                || to == body->iteration_parameter;
  }
  for (guint i = 0; i < n; i++)
    if (!given[i]) {
      const InferOperation *op = body->graph->parameters->pdata[i];

      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "no input goes to parameter '%.200s' of its body", op->name);
    }
  return TRUE;
}

static gboolean
read_body (InferIr *ir, const InferXmlNode *node, const BodyElements *kind,
    guint i, const InferIrLayer *layer, GError **error)
{
  InferBody *body = &layer->op->bodies[i];
  const InferXmlNode *element = infer_xml_child (node, kind->body[i]);
  g_autoptr (GHashTable) layers = NULL;
  Mapping m = { layer, NULL, body, kind->klass == &infer_op_loop };

  if (element == NULL)
    return infer_fail (
        error, INFER_ERROR_INVALID_MODEL, "it has no <%s>", kind->body[i]);
  body->graph = infer_ir_graph_new (ir, element, &layers, error);
  if (body->graph == NULL) {
    g_prefix_error (error, "in <%s>: ", kind->body[i]);
    return FALSE;
  }
  m.layers = layers;
  return read_map (&m, infer_xml_child (node, kind->map[i]), error)
         && read_back_edges (&m, infer_xml_child (node, "back_edges"), error)
         && check_parameters (body, error);
}

gboolean
infer_ir_read_bodies (
    InferIr *ir, const InferXmlNode *node, InferIrLayer *layer, GError **error)
{
  InferOperation *op = layer->op;
  const BodyElements *kind = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (infer_op_is (op, kinds[i].klass))
      kind = &kinds[i];
  if (kind == NULL)
    return TRUE;
  op->n_bodies = kind->body[1] != NULL ? 2 : 1;
  op->bodies = g_new0 (InferBody, op->n_bodies);
  for (guint i = 0; i < op->n_bodies; i++) {
    InferBody *body = &op->bodies[i];

    body->inputs = g_array_new (FALSE, TRUE, sizeof (InferBodyPort));
    body->outputs = g_array_new (FALSE, TRUE, sizeof (InferBodyPort));
    body->back_edges = g_array_new (FALSE, TRUE, sizeof (InferBackEdge));
    body->iteration_parameter = body->condition_result = -1;
  }
  for (guint i = 0; i < op->n_bodies; i++)
    if (!read_body (ir, node, kind, i, layer, error))
      return FALSE;
  return TRUE;
}
