/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Builds a graph from the elements <layers> and <edges>.
 *
 *   layer.c   one <layer>: an operation with its ports, attributes, constant
 *   net.c     the layers and edges of a net or of a body
 *   body.c    bodies and port maps of If, Loop and TensorIterator */

#pragma once

#include "inference/graph/graph.h"
#include "inference/ir/ir-xml.h"

/* One IR being read. */
typedef struct
{
  guint ir_version;
  GBytes *weights;             /* nullable */
  gboolean mapped;             /* weights are a mapped file */
  const char *weights_problem; /* the reason if there are none */
  guint depth;                 /* of bodies */
} InferIr;

/* Port ids in the order of the ports. */
typedef struct
{
  guint n;
  gint64 *ids;
  gboolean ascending;
} InferIrPorts;

typedef struct
{
  gint64 id;
  InferOperation *op; /* in the graph */
  InferIrPorts inputs, outputs;
  /* Its index in graph->parameters or graph->results, -1: neither. */
  int place;
} InferIrLayer;

void infer_ir_layer_free (InferIrLayer *layer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InferIrLayer, infer_ir_layer_free)

/* Reads @node; layer->op is outside of any graph and unconnected. */
InferIrLayer *infer_ir_layer_new (
    InferIr *ir, const InferXmlNode *node, GError **error);

/* The index of the port @id; -1: none. */
int infer_ir_ports_find (const InferIrPorts *ports, gint64 id);

/* The graph in @holder (a <net> or <…body>), sorted.  *@layers (nullable): id →
 * InferIrLayer, to be unref'ed, valid as long as the graph. */
InferGraph *infer_ir_graph_new (InferIr *ir, const InferXmlNode *holder,
    GHashTable **layers, GError **error);

/* Reads the bodies and port maps of @layer if its class has any. */
gboolean infer_ir_read_bodies (
    InferIr *ir, const InferXmlNode *node, InferIrLayer *layer, GError **error);

/* The class and version of @type in the opset @version (e.g. "opset8"); NULL if
 * this build has none, with the reason in *@reason (static). */
const InferOpClass *infer_ir_find_class (const char *type, const char *version,
    guint *class_version, const char **reason);
