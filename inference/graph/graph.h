/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Making and changing graphs: for the reader, model edits and passes.  Others
 * see graphs through model.h and never change them. */

#pragma once

#include "inference/graph/op.h"

G_BEGIN_DECLS

/* Not in a graph yet; inputs unconnected, outputs without desc and names, attrs
 * zeroed. */
InferOperation *infer_operation_new (const InferOpClass *klass, guint version,
    const char *opset, const char *name, guint n_inputs, guint n_outputs);
/* Only of an operation that is in no graph. */
void infer_operation_free (InferOperation *op);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InferOperation, infer_operation_free)
/* In no graph yet, its inputs those of @op; shares attributes and values. */
InferOperation *infer_operation_copy (const InferOperation *op);

/* An operation of the newest version of @type, with attributes as NAME, value
 * pairs, NULL at the end.  NULL with INFER_ERROR_UNSUPPORTED where this build
 * has no such class. */
InferOperation *infer_operation_make (const char *type, const char *name,
    guint n_inputs, guint n_outputs, GError **error,
    ...) G_GNUC_NULL_TERMINATED;
/* A Const; @value: (transfer none). */
InferOperation *infer_operation_make_const (
    const char *name, InferTensor *value, GError **error);

/* A ReadValue of the variable @id, with an initialiser if @n_inputs is 1, and
 * an Assign to it; unconnected. */
InferOperation *infer_operation_make_read (
    const char *id, const InferDesc *desc, guint n_inputs, GError **error);
InferOperation *infer_operation_make_assign (
    const char *name, const char *id, GError **error);

/* Input @input of @op reads @from. */
void infer_operation_connect (InferOperation *op, guint input, InferPort from);

/* New zeroed attributes in place of those that @op may share with others. */
void infer_operation_renew_attrs (InferOperation *op);

InferGraph *infer_graph_new (void);
void infer_graph_free (InferGraph *graph); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InferGraph, infer_graph_free)

/* Bodies too; shares constants and attributes. */
InferGraph *infer_graph_copy (const InferGraph *graph);

/* Appends @op (transfer full) to operations, and to parameters, results or
 * assigns by its type. */
void infer_graph_add (InferGraph *graph, InferOperation *op);

/* Frees @op, whose outputs nothing reads. */
void infer_graph_remove (InferGraph *graph, InferOperation *op);

/* Moves every operation of @body to @graph but parameters, which nothing reads
 * any more, and results, which it frees. */
void infer_graph_take_body (InferGraph *graph, InferGraph *body);

/* Every input that reads @from reads @to instead; FALSE: there was none. */
gboolean infer_port_replace (InferPort from, InferPort to);

/* For tests: whether the uses are what the inputs say, in bodies too. */
gboolean infer_graph_check_uses (const InferGraph *graph);

/* Puts operations into a topological order, the present one where it is, and
 * numbers them.  INFER_ERROR_INVALID_MODEL where there is a cycle. */
gboolean infer_graph_sort (InferGraph *graph, GError **error);

/* Frees operations that no result and no assign needs; parameters stay.
 * TRUE where there were any. */
gboolean infer_graph_sweep (InferGraph *graph);

/* The one number that @port is known to give; FALSE: it is not one, or not
 * known.  The second also looks through a Convert of it. */
gboolean infer_port_number (const InferPort *port, double *number);
gboolean infer_port_stored_number (const InferPort *port, double *number);

static inline gboolean
infer_port_equal (const InferPort *a, const InferPort *b)
{
  return a->op == b->op && a->index == b->index;
}

G_END_DECLS
