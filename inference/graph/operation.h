/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The operation graph of a model, for readers.  Immutable once the model is
 * loaded; then any thread may read it.  graph.h declares the edits. */

#pragma once

#include "infer/model.h"
#include "inference/base/hash.h"
#include "inference/base/shape.h"
#include "inference/base/tensor.h"
#include "inference/base/type.h"

typedef struct _InferGraph InferGraph;
typedef struct _InferOperation InferOperation;
typedef struct _InferOpClass InferOpClass;

/* An output of an operation. */
typedef struct
{
  InferOperation *op; /* NULL: an optional input that is not connected */
  guint index;
} InferPort;

/* An input that reads an output of an operation. */
typedef struct
{
  InferOperation *op;
  guint input;
} InferUse;

typedef struct
{
  InferDesc desc; /* as inferred at load; may be partial */
  GStrv names;    /* tensor names; NULL-terminated, never NULL; see
                     infer_output_set_names */
} InferOutput;

/* Connects an input or output of the owner to a parameter or result of a
 * body. */
typedef struct
{
  int external; /* input or output index of the operation; -1: none */
  int internal; /* index into the body's parameters or results */
  /* TensorIterator and Loop only. */
  gboolean sliced; /* axis was given */
  gint64 axis, start, end, stride, part_size;
} InferBodyPort;

typedef struct
{
  int from_result, to_parameter; /* indices in the body */
} InferBackEdge;

typedef struct
{
  InferGraph *graph;
  GArray *inputs;     /* (element-type InferBodyPort) */
  GArray *outputs;    /* (element-type InferBodyPort) */
  GArray *back_edges; /* (element-type InferBackEdge) */
  /* Loop: body parameter that gets the iteration number, body result that is
   * the condition; -1: none. */
  int iteration_parameter, condition_result;
} InferBody;

/* Uses of an operation without an allocation of their own. */
#define INFER_FEW_USES 2

/* Allocated as one block, in which names, inputs, places and outputs lie. */
struct _InferOperation
{
  guint index; /* in graph->operations: a topological order */
  char *name;  /* friendly name; not unique, never NULL */
  const InferOpClass *klass;
  guint version; /* the class's version in force: 8 for a Slice of opset13 */
  char *opset;   /* as written: "opset13" */
  guint n_inputs;
  const InferPort *inputs; /* changed by infer_operation_connect alone */
  guint n_outputs;
  InferOutput *outputs;
  guint n_uses;
  InferUse *uses; /* the inputs in the graph that read its outputs */
  InferUse few_uses[INFER_FEW_USES];
  /* Per input: its index in its producer's uses; NULL: in no graph; graph.c */
  guint *places;
  gpointer attrs; /* klass->attrs_size bytes */
  /* Of the attributes' texts; zero if code changed the attributes. */
  InferHash attrs_hash;
  /* The attributes' texts, "name\0value\0…\0" (g_atomic_rc_box); nullable. */
  char *attrs_texts;
  guint n_bodies; /* If: then, else; Loop and TensorIterator: one */
  InferBody *bodies;
  InferTensor *value; /* Const only */
  gboolean kept;      /* not folded: unpacks weights (compressed.h) */
};

struct _InferGraph
{
  GPtrArray *operations; /* (element-type InferOperation), topological */
  GPtrArray *parameters; /* in document order */
  GPtrArray *results;    /* in document order */
  GPtrArray *assigns;
};

const InferGraph *infer_model_get_graph (const InferModel *model);

/* "'name' (Type opset)", for messages; (transfer full). */
char *infer_operation_describe (const InferOperation *op);
