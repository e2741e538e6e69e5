/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Decides where each operation of a graph runs if no single place can run all.
 *
 * Each operation, bodies included, goes to the first place that can run it; all
 * operations on one variable go to one place if a place can run them all.  A
 * place's operations are divided into levels: an operation's level is at least
 * that of its inputs, and greater if an input is on another place.  Place and
 * level identify a part.  Levels only grow along edges between parts, so parts
 * can run in the order of their levels, whatever the graph.
 *
 * Constants, the model's inputs, and values computed from them and from shapes
 * alone (the targets of Reshape and the like) have no place: every part that
 * reads them has a copy. */

#pragma once

#include "inference/runtime/backend.h"
#include "inference/graph/graph.h"

/* An open device. */
typedef struct
{
  const InferBackend *backend;
  gpointer scope;
  const char *name; /* "OPENCL.1" */
} InferPlace;

#define INFER_MAX_PLACES 8

#define INFER_PLACE_COPIED (-1)  /* copied to every reader */
#define INFER_PLACE_FOLLOWS (-2) /* a Result: at its input's place */

typedef struct
{
  int place; /* index, or one of the above */
  guint level;
  guint32 allowed; /* bit i: place i can run it */
} InferPlacing;

/* Fills `allowed` for each operation.  INFER_ERROR_UNSUPPORTED, listing all
 * operations that no place can run. */
gboolean infer_partition_query (const InferGraph *graph,
    const InferPlace *places, guint n_places, InferPlacing *placings,
    GError **error);

/* Fills place and level from `allowed`, which must not be empty. */
gboolean infer_partition (const InferGraph *graph, guint n_places,
    InferPlacing *placings, GError **error);

/* Distinct "Type opset (reason)" of the operations of @graph and its bodies
 * that no place can run; *@n (nullable) gets their total number.  (transfer
 * full) (element-type utf8) */
GPtrArray *infer_graph_unsupported (const InferGraph *graph,
    const InferPlace *places, guint n_places, guint *n);
