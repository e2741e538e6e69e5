/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/ir/builder.h"

#include "inference/base/cancel.h"
#include "inference/graph/ops/body.h"

#include <string.h>

static gboolean
read_layers (InferIr *ir, const InferXmlNode *list, InferGraph *graph,
    GHashTable *layers, GError **error)
{
  for (const InferXmlNode *child = list->children; child != NULL;
       child = child->next) {
    InferIrLayer *layer;
    guint parameters = graph->parameters->len, results = graph->results->len;
    gboolean fresh;

    if (!infer_xml_is (child, "layer"))
      continue;
    if (!infer_cancel_check_current (error))
      return FALSE;
    layer = infer_ir_layer_new (ir, child, error);
    if (layer == NULL)
      return FALSE;
    infer_graph_add (graph, layer->op);
    if (graph->parameters->len > parameters)
      layer->place = (int) parameters;
    else if (graph->results->len > results)
      layer->place = (int) results;
    fresh = !g_hash_table_contains (layers, &layer->id);
    if (!fresh)
      infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "two layers have the id %" G_GINT64_FORMAT, layer->id);
    g_hash_table_replace (layers, &layer->id, layer);
    if (!fresh)
      return FALSE;
  }
  return TRUE;
}

/* --- edges --- */

typedef struct
{
  gint64 from_layer, from_port, to_layer, to_port;
} Edge;

static gboolean
connect (GHashTable *layers, const Edge *edge, GError **error)
{
  const InferIrLayer *from = g_hash_table_lookup (layers, &edge->from_layer);
  const InferIrLayer *to = g_hash_table_lookup (layers, &edge->to_layer);
  int output =
      from != NULL ? infer_ir_ports_find (&from->outputs, edge->from_port) : -1;
  int input =
      to != NULL ? infer_ir_ports_find (&to->inputs, edge->to_port) : -1;

  if (output < 0)
    return infer_fail (
        error, INFER_ERROR_INVALID_MODEL, "there is no such output");
  if (infer_op_is (from->op, &infer_op_result))
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "it comes from a Result, which nothing can read");
  if (input < 0)
    return infer_fail (
        error, INFER_ERROR_INVALID_MODEL, "there is no such input");
  if (to->op->inputs[input].op != NULL)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "another edge already goes into that input");
  infer_operation_connect (
      to->op, (guint) input, (InferPort){ from->op, (guint) output });
  return TRUE;
}

static gboolean
read_edges (const InferXmlNode *list, GHashTable *layers, GError **error)
{
  for (const InferXmlNode *child = list != NULL ? list->children : NULL;
       child != NULL; child = child->next) {
    Edge edge;

    if (!infer_xml_is (child, "edge"))
      continue;
    if (!infer_xml_id (child, "from-layer", &edge.from_layer, error)
        || !infer_xml_id (child, "from-port", &edge.from_port, error)
        || !infer_xml_id (child, "to-layer", &edge.to_layer, error)
        || !infer_xml_id (child, "to-port", &edge.to_port, error))
      return FALSE;
    if (!connect (layers, &edge, error)) {
      g_prefix_error (error,
          "line %u: edge from layer %" G_GINT64_FORMAT " port %" G_GINT64_FORMAT
          " to layer %" G_GINT64_FORMAT " port %" G_GINT64_FORMAT ": ",
          child->line, edge.from_layer, edge.from_port, edge.to_layer,
          edge.to_port);
      return FALSE;
    }
  }
  return TRUE;
}

static gboolean
check_connected (const InferGraph *graph, GError **error)
{
  for (guint i = 0; i < graph->operations->len; i++) {
    const InferOperation *op = graph->operations->pdata[i];

    for (guint k = 0; k < op->n_inputs; k++)
      if (op->inputs[k].op == NULL) {
        g_autofree char *name = infer_operation_describe (op);

        return infer_fail (error, INFER_ERROR_INVALID_MODEL,
            "operation %s: no edge goes into its input %u", name, k);
      }
  }
  return TRUE;
}

/* A Result without names gets those of the port it reads. */
static void
name_results (InferGraph *graph)
{
  for (guint i = 0; i < graph->results->len; i++) {
    InferOperation *op = graph->results->pdata[i];
    const InferPort *port = &op->inputs[0];

    if (op->outputs[0].names[0] != NULL)
      continue;
    infer_output_set_names (&op->outputs[0],
        (const char *const *) port->op->outputs[port->index].names);
  }
}

InferGraph *
infer_ir_graph_new (InferIr *ir, const InferXmlNode *holder,
    GHashTable **layers_out, GError **error)
{
  const InferXmlNode *list = infer_xml_child (holder, "layers");
  g_autoptr (InferGraph) graph = infer_graph_new ();
  g_autoptr (GHashTable) layers = g_hash_table_new_full (
      g_int64_hash, g_int64_equal, NULL, (GDestroyNotify) infer_ir_layer_free);

  if (list == NULL) {
    infer_fail (
        error, INFER_ERROR_INVALID_MODEL, "<%s> has no <layers>", holder->name);
    return NULL;
  }
  if (ir->depth >= INFER_MAX_NESTING) {
    infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "bodies are nested more than %d deep", INFER_MAX_NESTING);
    return NULL;
  }
  ir->depth++;
  if (!read_layers (ir, list, graph, layers, error)
      || !read_edges (infer_xml_child (holder, "edges"), layers, error)
      || !check_connected (graph, error) || !infer_graph_sort (graph, error))
    return NULL;
  ir->depth--;
  name_results (graph);
  if (layers_out != NULL)
    *layers_out = g_steal_pointer (&layers);
  return g_steal_pointer (&graph);
}
