/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Graphs that become bodies of If, Loop and TensorIterator. */

#pragma once

#include "inference/onnx/import.h"
#include "inference/onnx/scope.h"

/* A graph that becomes a body. */
typedef struct
{
  OnnxNode *n;
  OnnxScope scope;
  InferBody body;
  GPtrArray *outputs;       /* (element-type utf8) */
  const InferDesc *params;  /* of its inputs; NULL: it has none */
  guint n_params, n_inputs; /* n_inputs: that its graph has */
  gint64 *squeeze;          /* per input: axis to take away; -1: none */
} OnnxBody;

/* @graph: nullable, then operations are added to that of the node. */
void onnx_body_init (OnnxBody *b, OnnxNode *n, InferGraph *graph);
void onnx_body_clear (OnnxBody *b);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (OnnxBody, onnx_body_clear)

/* Imports the graph in the attribute of the node.  FALSE: the node failed. */
gboolean onnx_body_import (OnnxBody *b, const char *attribute);
InferPort onnx_body_output (OnnxBody *b, guint k);

/* Adds a result of @port to the body.  Returns its index. */
int onnx_body_add_result (OnnxBody *b, InferPort port);

/* Input @external of the operation (-1: none) is parameter @internal. */
void onnx_body_map_input (OnnxBody *b, int external, guint internal);
/* The same, a slice along @axis for each iteration. */
void onnx_body_map_sliced_input (
    OnnxBody *b, int external, guint internal, gint64 axis, gboolean backwards);
void onnx_body_map_output (OnnxBody *b, guint external, int internal);
/* The next iteration's parameter is a result of this one. */
void onnx_body_map_back (OnnxBody *b, int from_result, guint to_parameter);
/* A result of which each iteration gives a slice along @axis. */
void onnx_body_map_slices (OnnxBody *b, guint external, InferPort port,
    gint64 axis, gboolean backwards);
/* The captured values become inputs after those of @inputs. */
void onnx_body_map_captures (OnnxBody *b, GArray *inputs);

/* Moves @bodies into an operation with @inputs.  NULL: the node failed. */
InferOperation *onnx_body_finish (OnnxNode *n, const InferOpClass *klass,
    OnnxBody *bodies, guint n_bodies, const GArray *inputs, guint n_outputs);
