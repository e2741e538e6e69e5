/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* TreeEnsemble: lists of nodes and of leaves.  Here, leaves follow the nodes,
 * and behind them are what a node that asks for a member of a set becomes: a
 * chain of comparisons. */

#include <math.h>

#include "inference/base/tensor.h"
#include "inference/onnx/ml/importers.h"
#include "inference/onnx/ml/transform.h"
#include "inference/onnx/ml/trees.h"

/* Integers, and tensors as numbers. */
typedef struct
{
  const GArray *features, *yes, *yes_leaf, *no, *no_leaf, *missing, *targets;
  GArray *splits, *modes, *weights, *members; /* members: nullable */
} Lists;

static void
lists_clear (Lists *l)
{
  g_clear_pointer (&l->splits, g_array_unref);
  g_clear_pointer (&l->modes, g_array_unref);
  g_clear_pointer (&l->weights, g_array_unref);
  g_clear_pointer (&l->members, g_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Lists, lists_clear)

static GArray *
read_tensor (OnnxNode *n, const char *name)
{
  g_autoptr (InferTensor) tensor =
      onnx_has (n, name) ? onnx_tensor (n, name) : NULL;

  return tensor != NULL ? infer_tensor_to_doubles (tensor) : NULL;
}

static gboolean
are_of (const GArray *list, const GArray *other)
{
  return list != NULL && other != NULL && list->len == other->len;
}

static gboolean
read_lists (OnnxNode *n, Lists *l)
{
  l->features = onnx_ints (n, "nodes_featureids");
  l->yes = onnx_ints (n, "nodes_truenodeids");
  l->yes_leaf = onnx_ints (n, "nodes_trueleafs");
  l->no = onnx_ints (n, "nodes_falsenodeids");
  l->no_leaf = onnx_ints (n, "nodes_falseleafs");
  l->missing = onnx_ints (n, "nodes_missing_value_tracks_true");
  l->targets = onnx_ints (n, "leaf_targetids");
  l->splits = read_tensor (n, "nodes_splits");
  l->modes = read_tensor (n, "nodes_modes");
  l->weights = read_tensor (n, "leaf_weights");
  l->members = read_tensor (n, "membership_values");
  if (are_of (l->yes, l->features) && are_of (l->yes_leaf, l->features)
      && are_of (l->no, l->features) && are_of (l->no_leaf, l->features)
      && are_of (l->splits, l->features) && are_of (l->modes, l->features)
      && are_of (l->targets, l->weights)
      && (l->missing == NULL || are_of (l->missing, l->features)))
    return TRUE;
  onnx_fail (n, INFER_ERROR_INVALID_MODEL,
      "its lists of nodes, or those of leaves, are not of one length");
  return FALSE;
}

/* @index of a leaf or a node; -1 if there is none. */
static gint64
place_of (const Lists *l, gint64 index, gint64 is_leaf)
{
  const gint64 n = l->features->len;

  if (index < 0 || index >= (is_leaf != 0 ? l->targets->len : n))
    return -1;
  return is_leaf != 0 ? n + index : index;
}

/* ONNX_TREE_LEAF: there is no such mode. */
static OnnxTreeMode
mode_of (double number)
{
  return number >= 0 && number <= ONNX_TREE_MEMBER ? (OnnxTreeMode) number
                                                   : ONNX_TREE_LEAF;
}

static gboolean
check_modes (OnnxTrees *t, const Lists *l)
{
  for (guint i = 0; i < l->modes->len; i++) {
    const double number = g_array_index (l->modes, double, i);

    if (mode_of (number) == ONNX_TREE_LEAF) {
      onnx_fail (t->n, INFER_ERROR_INVALID_MODEL, "its node %u is of mode %g",
          i, number);
      return FALSE;
    }
  }
  return TRUE;
}

static void
add_nodes (OnnxTrees *t, const Lists *l)
{
  for (guint i = 0; i < l->features->len; i++) {
    const OnnxTreeNode node = {
      .mode = mode_of (g_array_index (l->modes, double, i)),
      .feature = g_array_index (l->features, gint64, i),
      .split = g_array_index (l->splits, double, i),
      .yes = place_of (l, g_array_index (l->yes, gint64, i),
          g_array_index (l->yes_leaf, gint64, i)),
      .no = place_of (l, g_array_index (l->no, gint64, i),
          g_array_index (l->no_leaf, gint64, i)),
      .missing =
          l->missing != NULL && g_array_index (l->missing, gint64, i) != 0,
    };

    g_array_append_val (t->nodes, node);
  }
  for (guint i = 0; i < l->targets->len; i++) {
    const gint64 self = t->nodes->len;
    const OnnxTreeNode leaf = { ONNX_TREE_LEAF, .yes = self, .no = self };

    g_array_append_val (t->nodes, leaf);
  }
}

/* Sets, in the order of the nodes that ask for them, end with NaN. */
static gboolean
expand_sets (OnnxTrees *t, const Lists *l)
{
  guint at = 0;

  for (guint i = 0; i < l->features->len; i++) {
    OnnxTreeNode node = g_array_index (t->nodes, OnnxTreeNode, i);
    gint64 place = i;

    if (node.mode != ONNX_TREE_MEMBER)
      continue;
    const gint64 no = node.no;
    gboolean any = FALSE;
    node.mode = ONNX_TREE_EQ;
    for (; l->members != NULL && at < l->members->len
           && !isnan (g_array_index (l->members, double, at));
         at++) {
      node.split = g_array_index (l->members, double, at);
      if (any) {
        g_array_index (t->nodes, OnnxTreeNode, place).no = t->nodes->len;
        place = t->nodes->len;
        g_array_append_val (t->nodes, node);
      } else
        g_array_index (t->nodes, OnnxTreeNode, place) = node;
      any = TRUE;
    }
    if (!any || at == l->members->len) {
      onnx_fail (t->n, INFER_ERROR_INVALID_MODEL,
          "the set of its node %u is empty or has no end", i);
      return FALSE;
    }
    g_array_index (t->nodes, OnnxTreeNode, place).no = no;
    at++;
  }
  return TRUE;
}

static gboolean
read_trees (OnnxTrees *t, const Lists *l)
{
  const GArray *roots = onnx_ints (t->n, "tree_roots");
  const gint64 result = onnx_int (t->n, "aggregate_function", 1);

  if (result < ONNX_TREES_AVERAGE || result > ONNX_TREES_MAX) {
    onnx_fail (t->n, INFER_ERROR_INVALID_MODEL,
        "its aggregate_function is %" G_GINT64_FORMAT, result);
    return FALSE;
  }
  t->result = (OnnxTreesResult) result;
  if (roots != NULL)
    g_array_append_vals (t->roots, roots->data, roots->len);
  add_nodes (t, l);
  if (!check_modes (t, l) || !expand_sets (t, l) || !onnx_trees_settle (t))
    return FALSE;
  for (guint i = 0; i < l->targets->len; i++)
    if (!onnx_trees_add (t, (gint64) l->features->len + i,
            g_array_index (l->targets, gint64, i),
            g_array_index (l->weights, double, i))) {
      onnx_fail (t->n, INFER_ERROR_INVALID_MODEL,
          "its leaf %u is of a target that is not there", i);
      return FALSE;
    }
  return TRUE;
}

void
onnx_import_ml_tree_ensemble (OnnxNode *n)
{
  static const char *const transforms[] = { "NONE", "SOFTMAX", "LOGISTIC",
    "SOFTMAX_ZERO", "PROBIT" };
  const gint64 how = onnx_int (n, "post_transform", 0);
  const InferType type = onnx_known_type (n, n->inputs[0]);
  g_auto (OnnxTrees) t = { 0 };
  g_auto (Lists) lists = { 0 };

  onnx_trees_init (&t, n, onnx_int (n, "n_targets", 1));
  if (how < 0 || how >= (gint64) G_N_ELEMENTS (transforms)) {
    onnx_fail (n, INFER_ERROR_INVALID_MODEL,
        "its post_transform is %" G_GINT64_FORMAT, how);
    return;
  }
  if (!read_lists (n, &lists) || !read_trees (&t, &lists))
    return;
  n->outputs[0] = onnx_convert (
      n, onnx_ml_transform (n, onnx_trees_compute (&t), transforms[how]), type);
}
