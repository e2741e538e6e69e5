/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The parts of an ONNX file while it is imported: model, functions, graphs. */

#pragma once

#include "inference/onnx/import.h"
#include "inference/onnx/tensor.h"

/* Of functions and subgraphs, one inside the other. */
#define ONNX_MAX_DEPTH 32
/* Nodes in all, with those of a function counted for each call: a small file of
 * functions that call functions must not become a large graph. */
#define ONNX_MAX_NODES 250000

typedef struct
{
  char *domain, *name, *overload;
  OnnxSpan message;
  GHashTable *opsets; /* domain → version */
  gboolean running;   /* being imported: a call would never end */
} OnnxFunction;

/* One file. */
typedef struct
{
  OnnxStore store;
  gint64 ir_version;
  GHashTable *opsets;    /* domain → version, as GINT_TO_POINTER */
  GPtrArray *functions;  /* (element-type OnnxFunction) */
  GHashTable *sequences; /* InferOperation → GArray of InferPort */
  guint depth, n_nodes;
} OnnxFile;

/* A value that a subgraph reads from outside. */
typedef struct
{
  InferPort outer;           /* in the graph of the parent's scope */
  InferOperation *parameter; /* of the subgraph */
} OnnxCapture;

/* The names that nodes see: of a graph, a subgraph or a function's body. */
struct _OnnxScope
{
  OnnxFile *file;
  OnnxScope *parent;  /* of a subgraph; its names are seen too */
  InferGraph *graph;  /* a function's is its caller's */
  GHashTable *values; /* name → InferPort */
  GArray *captures;   /* (element-type OnnxCapture) */
  GHashTable *reals;  /* InferOperation → InferPort, of onnx_set_real */
  GHashTable *opsets;
  GHashTable *arguments; /* of a function: name → OnnxAttribute of the call */
  const char *prefix;    /* of the names of a function's nodes; "" */
};

void onnx_scope_init (OnnxScope *scope, OnnxFile *file, OnnxScope *parent,
    InferGraph *graph, GHashTable *opsets);
void onnx_scope_clear (OnnxScope *scope);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (OnnxScope, onnx_scope_clear)

/* A Parameter of @desc, unconnected.  (transfer full) */
InferOperation *onnx_make_parameter (
    const char *name, const InferDesc *desc, GError **error);

/* A port that stands for the sequence @ports (transfer full, on failure too),
 * of an operation that is in no graph and lives as long as @file. */
gboolean onnx_file_add_sequence (OnnxFile *file, const char *name,
    GArray *ports, InferPort *port, GError **error);

/* Names a value.  FALSE: there is one of the name already. */
gboolean onnx_scope_set (
    OnnxScope *scope, const char *name, InferPort port, GError **error);
/* Finds a value, in the parents too: then it becomes a parameter of the graph,
 * or a constant of its own.  FALSE: there is none. */
gboolean onnx_scope_find (
    OnnxScope *scope, const char *name, InferPort *port, GError **error);

/* node.c: reads and imports a node. */
gboolean onnx_import_node (OnnxScope *scope, OnnxSpan message, GError **error);
/* node.c: for attributes of functions. */
OnnxAttribute *onnx_read_attribute (OnnxSpan message, GError **error);
void onnx_attribute_free (gpointer attribute);
/* node.c: NULL: @n has none of that name. */
const OnnxAttribute *onnx_attribute (const OnnxNode *n, const char *name);
/* node.c: those of @n, never NULL. */
GHashTable *onnx_attributes (OnnxNode *n);

/* graph.c: imports the initializers and nodes of a graph.  *@outputs: the names
 * of its outputs (transfer full).  @parameter makes a value of an input that
 * has no initializer. */
typedef gboolean (*OnnxMakeInput) (OnnxScope *scope, const char *name,
    const InferDesc *desc, guint index, gpointer data, GError **error);
gboolean onnx_import_graph (OnnxScope *scope, OnnxSpan message,
    OnnxMakeInput make_input, gpointer data, GPtrArray **outputs,
    GError **error);

/* function.c: reads a FunctionProto; NULL on failure. */
OnnxFunction *onnx_read_function (OnnxSpan message, GError **error);
void onnx_function_free (gpointer function);
/* function.c: the function that @n calls; NULL: it calls none. */
OnnxFunction *onnx_find_function (const OnnxNode *n);
/* function.c: imports the body of @function in place of @n. */
void onnx_import_call (OnnxNode *n, OnnxFunction *function);

/* An opset_import entry into @opsets (domain → version). */
gboolean onnx_read_opset (OnnxSpan message, GHashTable *opsets, GError **error);
