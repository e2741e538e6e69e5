/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tools/picture/picture.h"

#include <string.h>

#include "inference/graph/op.h"
#include "inference/graph/ops/state.h"

/* Characters of a name, outputs and constants that a node shows; characters of
 * a tooltip.  Graphviz refuses a text of more than 16384 bytes. */
#define MOST_NAME 48
#define MOST_OUTPUTS 4
#define MOST_CONSTANTS 8
#define MOST_TOOLTIP 1000

#define COLOUR_PORT "#d5ecd4"
#define COLOUR_WORK "#cfe0f5"
#define COLOUR_STATE "#fde6bf"
#define COLOUR_BODY "#e8ddf3"
#define COLOUR_REFUSED "#f6c4c2"
#define COLOUR_PLAIN "#f5f5f5"

typedef struct
{
  const ToolPicture *picture;
  GString *out;
  GHashTable *ids;       /* InferOperation → 1 + number of its node */
  GHashTable *variables; /* variable_id → 1 + number of its node */
  guint n_nodes, n_clusters;
} Drawing;

char *
tool_picture_key (const InferOperation *op)
{
  return g_strdup_printf ("%s\n%s", op->klass->type, op->name);
}

/* --- what is constant --- */

static gboolean
is_computed_of_constants (const InferOperation *op, const gboolean *constant)
{
  guint connected = 0;

  if (op->n_bodies > 0 || infer_op_is (op, &infer_op_result)
      || (op->klass->flags & (INFER_OP_STATEFUL | INFER_OP_IMPURE)) != 0)
    return FALSE;
  for (guint i = 0; i < op->n_inputs; i++) {
    if (op->inputs[i].op == NULL)
      continue;
    if (!constant[op->inputs[i].op->index])
      return FALSE;
    connected++;
  }
  return connected > 0;
}

/* By the index of the operation. */
static gboolean *
find_constants (const InferGraph *graph)
{
  gboolean *constant = g_new0 (gboolean, graph->operations->len + 1);

  for (guint i = 0; i < graph->operations->len; i++) {
    const InferOperation *op = graph->operations->pdata[i];

    constant[i] = op->value != NULL || is_computed_of_constants (op, constant);
  }
  return constant;
}

/* --- nodes --- */

static guint
node_of (const Drawing *d, const InferOperation *op)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (d->ids, op)) - 1;
}

/* Where the outputs of @op leave: n7, or e7 for one with bodies. */
static char
leaves_from (const InferOperation *op)
{
  return op->n_bodies > 0 ? 'e' : 'n';
}

static gboolean
is_refused (const Drawing *d, const InferOperation *op)
{
  g_autofree char *described = infer_operation_describe (op);

  for (guint i = 0;
       d->picture->unsupported != NULL && d->picture->unsupported[i] != NULL;
       i++)
    if (g_str_has_prefix (d->picture->unsupported[i], described))
      return TRUE;
  return FALSE;
}

static const char *
colour_of (const Drawing *d, const InferOperation *op)
{
  if (is_refused (d, op))
    return COLOUR_REFUSED;
  if (infer_op_is (op, &infer_op_parameter)
      || infer_op_is (op, &infer_op_result))
    return COLOUR_PORT;
  if ((op->klass->flags & INFER_OP_STATEFUL) != 0)
    return COLOUR_STATE;
  if (op->n_bodies > 0)
    return COLOUR_BODY;
  return op->klass->work != NULL ? COLOUR_WORK : COLOUR_PLAIN;
}

static void
append_outputs (GString *out, const InferOperation *op)
{
  if (infer_op_is (op, &infer_op_result))
    return;
  for (guint i = 0; i < MIN (op->n_outputs, MOST_OUTPUTS); i++) {
    g_string_append (out, "\\n");
    if (op->n_outputs > 1)
      g_string_append_printf (out, "%u: ", i);
    tool_label_append_desc (out, &op->outputs[i].desc);
  }
  if (op->n_outputs > MOST_OUTPUTS)
    g_string_append_printf (out, "\\n… %u more", op->n_outputs - MOST_OUTPUTS);
}

static void
append_constants (
    GString *out, const InferOperation *op, const gboolean *constant)
{
  guint n = 0;

  for (guint i = 0; i < op->n_inputs; i++) {
    const InferPort *port = &op->inputs[i];

    if (port->op == NULL || !constant[port->op->index])
      continue;
    if (++n > MOST_CONSTANTS)
      continue;
    g_string_append_printf (out, "\\nin %u = ", i);
    if (port->op->value != NULL) {
      tool_label_append_constant (out, port->op->value);
      continue;
    }
    tool_label_append_desc (out, &port->op->outputs[port->index].desc);
    g_string_append (out, ", by ");
    tool_label_append (out, port->op->klass->type, 0);
    g_string_append (out, " of constants");
  }
  if (n > MOST_CONSTANTS)
    g_string_append_printf (out, "\\n… %u more", n - MOST_CONSTANTS);
}

static const char *
look_up (GHashTable *table, const InferOperation *op)
{
  g_autofree char *key = tool_picture_key (op);

  return table != NULL ? g_hash_table_lookup (table, key) : NULL;
}

static const char *
shape_of (const InferOperation *op)
{
  gboolean is_port = infer_op_is (op, &infer_op_parameter)
                     || infer_op_is (op, &infer_op_result);

  return is_port ? "ellipse" : "box";
}

static void
draw_node (Drawing *d, InferOperation *op, const gboolean *constant)
{
  const char *kernel = look_up (d->picture->kernels, op);
  gboolean removed = kernel != NULL && g_str_equal (kernel, "optimized out");

  g_hash_table_insert (d->ids, op, GUINT_TO_POINTER (1 + d->n_nodes));
  g_string_append_printf (d->out, "n%u [label=\"", d->n_nodes++);
  tool_label_append (d->out, op->klass->type, 0);
  g_string_append (d->out, "\\n");
  tool_label_append (d->out, op->name, MOST_NAME);
  if (op->n_bodies == 0)
    append_outputs (d->out, op);
  append_constants (d->out, op, constant);
  if (kernel != NULL) {
    g_string_append (d->out, "\\n(");
    tool_label_append (d->out, kernel, MOST_NAME);
    g_string_append (d->out, ")");
  }
  g_string_append (d->out, "\", tooltip=\"");
  tool_label_append (d->out, op->name, MOST_TOOLTIP);
  g_string_append_printf (d->out, "\", shape=%s, fillcolor=\"%s\"%s];\n",
      shape_of (op), colour_of (d, op),
      removed ? ", style=\"rounded,filled,dashed\"" : "");
}

/* --- edges --- */

/* From output @index of the last operation that was drawn there. */
static void
append_edge (Drawing *d, InferPort from, const char *to, guint node,
    guint input, const char *more)
{
  g_string_append_printf (d->out, "%c%u -> %s%u [tooltip=\"",
      leaves_from (from.op), node_of (d, from.op), to, node);
  tool_label_append (d->out, from.op->name, MOST_TOOLTIP);
  g_string_append_printf (d->out, ":%u, ", from.index);
  tool_label_append_desc (d->out, &from.op->outputs[from.index].desc);
  g_string_append_printf (d->out, ", to input %u\"", input);
  if (from.op->n_outputs > 1)
    g_string_append_printf (d->out, ", taillabel=\"%u\"", from.index);
  g_string_append_printf (d->out, "%s];\n", more);
}

static void
draw_edges (Drawing *d, const InferOperation *op, const gboolean *constant)
{
  for (guint i = 0; i < op->n_inputs; i++) {
    const InferPort *port = &op->inputs[i];

    if (port->op != NULL && !constant[port->op->index])
      append_edge (d, *port, "n", node_of (d, op), i, "");
  }
}

/* A variable is drawn once; Assign writes it, ReadValue reads it. */
static void
draw_variable (Drawing *d, const InferOperation *op)
{
  const char *id = infer_op_variable_id (op);
  gboolean reads = infer_op_is (op, &infer_op_read_value);
  guint node = GPOINTER_TO_UINT (g_hash_table_lookup (d->variables, id));

  if (node == 0) {
    node = 1 + d->n_nodes++;
    g_hash_table_insert (d->variables, g_strdup (id), GUINT_TO_POINTER (node));
    g_string_append_printf (d->out, "v%u [label=\"state\\n", node - 1);
    tool_label_append (d->out, id, MOST_NAME);
    g_string_append (d->out, "\", tooltip=\"");
    tool_label_append (d->out, id, MOST_TOOLTIP);
    g_string_append (
        d->out, "\", shape=cylinder, fillcolor=\"" COLOUR_STATE "\"];\n");
  }
  if (reads)
    g_string_append_printf (
        d->out, "v%u -> n%u [style=dashed];\n", node - 1, node_of (d, op));
  else
    g_string_append_printf (d->out,
        "n%u -> v%u [style=dashed, constraint=false];\n", node_of (d, op),
        node - 1);
}

/* --- bodies --- */

static void draw_graph (Drawing *d, const InferGraph *graph);

static void
append_slice (GString *out, const InferBodyPort *port)
{
  if (port->sliced)
    g_string_append_printf (
        out, ", label=\"axis %" G_GINT64_FORMAT "\"", port->axis);
}

/* From the node where inputs of @op arrive to the parameters, from the results
 * to the node that its outputs leave, and back for the next iteration. */
static void
draw_body_edges (Drawing *d, const InferOperation *op, const InferBody *body)
{
  const GPtrArray *parameters = body->graph->parameters;
  const GPtrArray *results = body->graph->results;
  guint node = node_of (d, op);

  for (guint i = 0; i < body->inputs->len; i++) {
    const InferBodyPort *port = &g_array_index (body->inputs, InferBodyPort, i);

    g_string_append_printf (d->out, "n%u -> n%u [style=dashed", node,
        node_of (d, parameters->pdata[port->internal]));
    append_slice (d->out, port);
    g_string_append_printf (
        d->out, ", tooltip=\"input %d\"];\n", port->external);
  }
  for (guint i = 0; i < body->outputs->len; i++) {
    const InferBodyPort *port =
        &g_array_index (body->outputs, InferBodyPort, i);

    g_string_append_printf (d->out, "n%u -> e%u [style=dashed",
        node_of (d, results->pdata[port->internal]), node);
    append_slice (d->out, port);
    g_string_append_printf (
        d->out, ", tooltip=\"output %d\"];\n", port->external);
  }
  for (guint i = 0; body->back_edges != NULL && i < body->back_edges->len;
       i++) {
    const InferBackEdge *edge =
        &g_array_index (body->back_edges, InferBackEdge, i);

    g_string_append_printf (d->out,
        "n%u -> n%u [style=dotted, constraint=false, tooltip=\"next "
        "iteration\"];\n",
        node_of (d, results->pdata[edge->from_result]),
        node_of (d, parameters->pdata[edge->to_parameter]));
  }
}

static const char *
name_body (const InferOperation *op, guint index)
{
  if (op->n_bodies != 2)
    return "each iteration";
  return index == 0 ? "then" : "else";
}

static void
begin_cluster (Drawing *d, const char *style, const char *label)
{
  g_string_append_printf (d->out,
      "subgraph cluster_%u {\nstyle=\"%s\"; color=\"#8a8a8a\"; label=\"",
      d->n_clusters++, style);
  tool_label_append (d->out, label, MOST_NAME);
  g_string_append (d->out, "\";\n");
}

static void
draw_with_bodies (Drawing *d, InferOperation *op, const gboolean *constant)
{
  begin_cluster (d, "rounded", op->name);
  draw_node (d, op, constant);
  guint node = node_of (d, op);
  for (guint b = 0; b < op->n_bodies; b++) {
    begin_cluster (d, "rounded,dashed", name_body (op, b));
    draw_graph (d, op->bodies[b].graph);
    g_string_append (d->out, "}\n");
  }
  g_string_append_printf (
      d->out, "e%u [label=\"end of %s", node, op->klass->type);
  append_outputs (d->out, op);
  g_string_append_printf (d->out,
      "\", tooltip=\"outputs\", shape=box, fillcolor=\"%s\"];\n",
      colour_of (d, op));
  for (guint b = 0; b < op->n_bodies; b++)
    draw_body_edges (d, op, &op->bodies[b]);
  /* The end stays below the beginning without bodies' ports, too. */
  g_string_append_printf (d->out, "n%u -> e%u [style=invis];\n}\n", node, node);
}

/* --- steps --- */

/* Frames around the operations that are computed as one. */
static void
draw_steps (Drawing *d, const InferGraph *graph)
{
  g_autoptr (GHashTable) members = g_hash_table_new_full (
      g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_ptr_array_unref);

  if (d->picture->steps == NULL)
    return;
  for (guint i = 0; i < graph->operations->len; i++) {
    InferOperation *op = graph->operations->pdata[i];
    const char *step = look_up (d->picture->steps, op);

    if (step == NULL || op->n_bodies > 0 || node_of (d, op) == G_MAXUINT)
      continue;
    GPtrArray *list = g_hash_table_lookup (members, step);
    if (list == NULL) {
      list = g_ptr_array_new ();
      g_hash_table_insert (members, g_strdup (step), list);
    }
    g_ptr_array_add (list, op);
  }
  for (guint i = 0; i < graph->operations->len; i++) {
    const InferOperation *op = graph->operations->pdata[i];
    g_autofree char *key = tool_picture_key (op);
    const GPtrArray *list = g_hash_table_lookup (members, key);

    if (list == NULL || op->n_bodies > 0 || node_of (d, op) == G_MAXUINT)
      continue;
    begin_cluster (d, "rounded,filled", "one step");
    g_string_append_printf (
        d->out, "fillcolor=\"#fbfbe8\"; n%u;", node_of (d, op));
    for (guint k = 0; k < list->len; k++)
      g_string_append_printf (d->out, " n%u;", node_of (d, list->pdata[k]));
    g_string_append (d->out, "\n}\n");
    g_hash_table_remove (members, key); /* names are not unique */
  }
}

/* --- all --- */

static void
draw_graph (Drawing *d, const InferGraph *graph)
{
  g_autofree gboolean *constant = find_constants (graph);

  for (guint i = 0; i < graph->operations->len; i++) {
    InferOperation *op = graph->operations->pdata[i];

    if (constant[i])
      continue;
    if (op->n_bodies > 0)
      draw_with_bodies (d, op, constant);
    else
      draw_node (d, op, constant);
  }
  draw_steps (d, graph);
  for (guint i = 0; i < graph->operations->len; i++) {
    const InferOperation *op = graph->operations->pdata[i];

    if (constant[i])
      continue;
    draw_edges (d, op, constant);
    if (infer_op_is (op, &infer_op_read_value)
        || infer_op_is (op, &infer_op_assign))
      draw_variable (d, op);
  }
}

char *
tool_picture_draw (const InferModel *model, const ToolPicture *picture)
{
  g_autoptr (GHashTable) ids = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) variables =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  Drawing d = { picture, g_string_new ("digraph model {\n"), ids, variables, 0,
    0 };

  g_string_append (d.out,
      "fontname=\"Helvetica\"; fontsize=11; labelloc=t; ranksep=0.35; "
      "nodesep=0.2; label=\"");
  tool_label_append (d.out, infer_model_get_name (model), MOST_NAME);
  g_string_append (d.out,
      "\";\nnode [fontname=\"Helvetica\", fontsize=10, style=\"rounded,filled\", "
      "margin=\"0.12,0.05\", height=0.2];\n"
      "edge [fontname=\"Helvetica\", fontsize=9, arrowsize=0.6];\n");
  draw_graph (&d, infer_model_get_graph (model));
  g_string_append (d.out, "}\n");
  return g_string_free (d.out, FALSE);
}
