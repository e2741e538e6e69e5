/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which operation of a graph runs where, when no single place runs all of it.
 *
 * Every operation goes to the first place that can run it, bodies included;
 * what touches one variable goes to one place where there is such a place.
 * Operations of a place are cut into levels: an operation's level is at least
 * that of what it reads, and more where that is on another place.  Place and
 * level name a part; since levels only grow along edges between parts, parts
 * can run one after the other in the order of their levels, whatever the graph.
 *
 * Constants, inputs of the model, and what is computed of these and of shapes
 * alone (the targets of Reshape and the like) are on no place: every part that
 * reads them has a copy. */

#pragma once

#include "inference/runtime/backend.h"
#include "inference/graph/graph.h"

G_BEGIN_DECLS

/* A device, opened. */
typedef struct
{
  const InferBackend *backend;
  gpointer scope;
  const char *name; /* "OPENCL.1" */
} InferPlace;

#define INFER_MAX_PLACES 8

#define INFER_PLACE_COPIED (-1)  /* wherever it is read */
#define INFER_PLACE_FOLLOWS (-2) /* a Result: where its value comes from */

typedef struct
{
  int place; /* index, or one of the above */
  guint level;
  guint32 allowed; /* bit i: place i can run it */
} InferPlacing;

/* Fills `allowed`, one entry of @placings for each operation.
 * INFER_ERROR_UNSUPPORTED, listing all that no place can run. */
gboolean infer_partition_query (const InferGraph *graph,
    const InferPlace *places, guint n_places, InferPlacing *placings,
    GError **error);

/* Fills place and level from `allowed`, which is not empty anywhere. */
gboolean infer_partition (const InferGraph *graph, guint n_places,
    InferPlacing *placings, GError **error);

/* Distinct "Type opset (reason)" of what no place can run of @graph and the
 * bodies in it; *@n (nullable) counts all such operations.
 * (transfer full) (element-type utf8) */
GPtrArray *infer_graph_unsupported (const InferGraph *graph,
    const InferPlace *places, guint n_places, guint *n);

G_END_DECLS
