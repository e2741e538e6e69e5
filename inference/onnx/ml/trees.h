/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Decision trees: all go down at once, a step for each level. */

#pragma once

#include "inference/onnx/import.h"

typedef enum
{
  ONNX_TREE_LEQ,
  ONNX_TREE_LT,
  ONNX_TREE_GTE,
  ONNX_TREE_GT,
  ONNX_TREE_EQ,
  ONNX_TREE_NEQ,
  ONNX_TREE_MEMBER, /* of a set; only while nodes are read */
  ONNX_TREE_LEAF,
} OnnxTreeMode;

typedef struct
{
  OnnxTreeMode mode;
  gint64 feature; /* column of x */
  double split;
  gint64 yes, no;   /* the next node; of a leaf: itself */
  gboolean missing; /* NaN goes to `yes` */
} OnnxTreeNode;

typedef enum
{
  ONNX_TREES_AVERAGE,
  ONNX_TREES_SUM,
  ONNX_TREES_MIN,
  ONNX_TREES_MAX,
} OnnxTreesResult;

typedef struct
{
  OnnxNode *n;
  GArray *nodes; /* (element-type OnnxTreeNode) */
  GArray *roots; /* (element-type gint64) */
  gint64 targets;
  GArray *weights; /* (element-type double) [node, target] */
  OnnxTreesResult result;
} OnnxTrees;

void onnx_trees_init (OnnxTrees *t, OnnxNode *n, gint64 targets);
void onnx_trees_clear (OnnxTrees *t);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (OnnxTrees, onnx_trees_clear)

/* After all nodes are there: a weight of each for each target, 0 so far.
 * FALSE: nodes lead to nowhere or in circles, and the import has failed. */
gboolean onnx_trees_settle (OnnxTrees *t);
/* FALSE: there is no such node or target. */
gboolean onnx_trees_add (
    OnnxTrees *t, gint64 node, gint64 target, double weight);

/* [batch, target] of input 0, [batch, feature], as f32 or f64. */
InferPort onnx_trees_compute (const OnnxTrees *t);
