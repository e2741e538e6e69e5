/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Graph construction and edits: for the reader, model edits and passes.  Others
 * read graphs through operation.h. */

#pragma once

#include "inference/graph/op.h"

/* An operation outside of any graph: inputs unconnected, outputs of dynamic
 * desc and without names, attrs zeroed. */
InferOperation *infer_operation_new (const InferOpClass *klass, guint version,
    const char *opset, const char *name, guint n_inputs, guint n_outputs);
/* @op: nullable, in no graph. */
void infer_operation_free (InferOperation *op);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InferOperation, infer_operation_free)
/* A copy outside of any graph with the inputs of @op; shares attributes and
 * value. */
InferOperation *infer_operation_copy (const InferOperation *op);

/* An operation of the newest version of @type, with attributes as NAME, value
 * pairs, NULL at the end.  NULL with INFER_ERROR_UNSUPPORTED if this build
 * has no such class. */
InferOperation *infer_operation_make (const char *type, const char *name,
    guint n_inputs, guint n_outputs, GError **error,
    ...) G_GNUC_NULL_TERMINATED;
/* A Const. */
InferOperation *infer_operation_make_const (
    const char *name, InferTensor *value, GError **error);

/* An unconnected ReadValue of the variable @id, with an initialiser if
 * @n_inputs is 1, and an Assign to it. */
InferOperation *infer_operation_make_read (
    const char *id, const InferDesc *desc, guint n_inputs, GError **error);
InferOperation *infer_operation_make_assign (
    const char *name, const char *id, GError **error);

/* "opset13", somewhere in @text. */
#define INFER_OPSET_TEXT 16
const char *infer_opset_text (guint version, char text[INFER_OPSET_TEXT]);

/* Replace the tensor names by copies of @names (nullable: none). */
void infer_output_set_names (InferOutput *output, const char *const *names);
void infer_output_set_name (InferOutput *output, const char *name);
/* An output more, for LowLatency2; (transfer none). */
InferOutput *infer_operation_add_output (InferOperation *op);

/* To be called with the attributes that @op was made of. */
void infer_operation_note_attributes (
    InferOperation *op, InferAttributes *attributes);

/* Input @input of @op reads @from. */
void infer_operation_connect (InferOperation *op, guint input, InferPort from);

/* Gives @op zeroed attributes of its own; copies share them. */
void infer_operation_renew_attrs (InferOperation *op);

InferGraph *infer_graph_new (void);
void infer_graph_free (InferGraph *graph); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InferGraph, infer_graph_free)

/* Copies bodies too; shares constants and attributes. */
InferGraph *infer_graph_copy (const InferGraph *graph);

/* Appends @op (transfer full) to the operations, and to the parameters, results
 * or assigns by its class.  Its inputs become uses of their producers. */
void infer_graph_add (InferGraph *graph, InferOperation *op);

/* Removes and frees @op, which has no uses. */
void infer_graph_remove (InferGraph *graph, InferOperation *op);

/* Moves the operations of @body to @graph, but frees its results and its
 * parameters, which must have no uses. */
void infer_graph_take_body (InferGraph *graph, InferGraph *body);

/* Reconnects every input that reads @from to @to; FALSE if there was none. */
gboolean infer_port_replace (InferPort from, InferPort to);

/* For tests: whether the use lists agree with the inputs, in bodies too. */
gboolean infer_graph_check_uses (const InferGraph *graph);

/* Sorts operations topologically, stable if they are sorted already, and
 * numbers them.  INFER_ERROR_INVALID_MODEL if there is a cycle. */
gboolean infer_graph_sort (InferGraph *graph, GError **error);

/* Frees operations that no result and no assign needs; parameters stay.
 * Returns whether there were any. */
gboolean infer_graph_sweep (InferGraph *graph);

/* The value of @port if it is a constant of one element.  The second also looks
 * through a Convert. */
gboolean infer_port_number (const InferPort *port, double *number);
gboolean infer_port_stored_number (const InferPort *port, double *number);

static inline gboolean
infer_port_equal (const InferPort *a, const InferPort *b)
{
  return a->op == b->op && a->index == b->index;
}
