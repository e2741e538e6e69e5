/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* TreeEnsembleRegressor: nodes and leaves in one list, found by the numbers of
 * their tree and node. */

#include "inference/base/tensor.h"
#include "inference/onnx/ml/importers.h"
#include "inference/onnx/ml/transform.h"
#include "inference/onnx/ml/trees.h"

typedef struct
{
  OnnxTrees *t;
  GHashTable *places; /* tree and node → index */
} Ensemble;

static gint64
item (const GArray *list, guint i)
{
  return g_array_index (list, gint64, i);
}

static gint64
place_of (const Ensemble *e, gint64 tree, gint64 node)
{
  const gint64 key[2] = { tree, node };
  g_autoptr (GBytes) bytes = g_bytes_new_static (key, sizeof key);
  gpointer index;

  return g_hash_table_lookup_extended (e->places, bytes, NULL, &index)
             ? GPOINTER_TO_INT (index)
             : -1;
}

static gboolean
is_list (OnnxNode *n, const GArray *list, const char *name, guint length)
{
  if (list != NULL && list->len == length)
    return TRUE;
  onnx_fail (n, INFER_ERROR_INVALID_MODEL, "its %s has %u numbers, not %u",
      name, list != NULL ? list->len : 0, length);
  return FALSE;
}

/* The list @name, or the tensor @name_as_tensor, as numbers.  (transfer full)
 * (nullable) */
static GArray *
read_numbers (OnnxNode *n, const char *name)
{
  g_autofree char *other = g_strconcat (name, "_as_tensor", NULL);
  const GArray *floats = onnx_floats (n, name);
  GArray *numbers;

  if (onnx_has (n, other)) {
    g_autoptr (InferTensor) tensor = onnx_tensor (n, other);

    return tensor != NULL ? infer_tensor_to_doubles (tensor) : NULL;
  }
  numbers = g_array_new (FALSE, FALSE, sizeof (double));
  for (guint i = 0; floats != NULL && i < floats->len; i++) {
    const double number = (double) g_array_index (floats, float, i);

    g_array_append_val (numbers, number);
  }
  return numbers;
}

static gboolean
read_mode (OnnxNode *n, const char *text, OnnxTreeMode *mode)
{
  static const char *const names[] = { "BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE",
    "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ", NULL };

  for (guint i = 0; names[i] != NULL; i++)
    if (g_str_equal (text, names[i])) {
      *mode = (OnnxTreeMode) i;
      return TRUE;
    }
  *mode = ONNX_TREE_LEAF;
  if (g_str_equal (text, "LEAF"))
    return TRUE;
  onnx_fail (
      n, INFER_ERROR_UNSUPPORTED, "its mode %.40s is not supported", text);
  return FALSE;
}

/* The first of the nodes that none leads to is a root. */
static void
find_roots (Ensemble *e)
{
  OnnxTrees *t = e->t;
  g_autofree gboolean *led_to = g_new0 (gboolean, t->nodes->len);

  for (guint i = 0; i < t->nodes->len; i++) {
    const OnnxTreeNode *node = &g_array_index (t->nodes, OnnxTreeNode, i);

    if (node->mode == ONNX_TREE_LEAF)
      continue;
    if (node->yes >= 0)
      led_to[node->yes] = TRUE;
    if (node->no >= 0)
      led_to[node->no] = TRUE;
  }
  for (gint64 i = 0; i < (gint64) t->nodes->len; i++)
    if (!led_to[i])
      g_array_append_val (t->roots, i);
}

static gboolean
read_nodes (Ensemble *e)
{
  OnnxTrees *t = e->t;
  OnnxNode *n = t->n;
  const GPtrArray *modes = onnx_strings (n, "nodes_modes");
  const guint count = modes != NULL ? modes->len : 0;
  const GArray *trees = onnx_ints (n, "nodes_treeids");
  const GArray *ids = onnx_ints (n, "nodes_nodeids");
  const GArray *features = onnx_ints (n, "nodes_featureids");
  const GArray *yes = onnx_ints (n, "nodes_truenodeids");
  const GArray *no = onnx_ints (n, "nodes_falsenodeids");
  const GArray *missing = onnx_ints (n, "nodes_missing_value_tracks_true");
  g_autoptr (GArray) splits = read_numbers (n, "nodes_values");

  if (!is_list (n, trees, "nodes_treeids", count)
      || !is_list (n, ids, "nodes_nodeids", count)
      || !is_list (n, features, "nodes_featureids", count)
      || !is_list (n, yes, "nodes_truenodeids", count)
      || !is_list (n, no, "nodes_falsenodeids", count)
      || !is_list (n, splits, "nodes_values", count)
      || (missing != NULL
          && !is_list (n, missing, "nodes_missing_value_tracks_true", count)))
    return FALSE;
  for (guint i = 0; i < count; i++) {
    const gint64 key[2] = { item (trees, i), item (ids, i) };

    g_hash_table_replace (
        e->places, g_bytes_new (key, sizeof key), GINT_TO_POINTER (i));
  }
  for (guint i = 0; i < count; i++) {
    OnnxTreeNode node = { .yes = i, .no = i };

    if (!read_mode (n, modes->pdata[i], &node.mode))
      return FALSE;
    if (node.mode != ONNX_TREE_LEAF) {
      node.feature = item (features, i);
      node.split = g_array_index (splits, double, i);
      node.yes = place_of (e, item (trees, i), item (yes, i));
      node.no = place_of (e, item (trees, i), item (no, i));
      node.missing = missing != NULL && item (missing, i) != 0;
    }
    g_array_append_val (t->nodes, node);
  }
  find_roots (e);
  return onnx_trees_settle (t);
}

static gboolean
read_weights (Ensemble *e)
{
  OnnxNode *n = e->t->n;
  g_autoptr (GArray) weights = read_numbers (n, "target_weights");
  const guint count = weights != NULL ? weights->len : 0;
  const GArray *trees = onnx_ints (n, "target_treeids");
  const GArray *nodes = onnx_ints (n, "target_nodeids");
  const GArray *targets = onnx_ints (n, "target_ids");

  if (!is_list (n, trees, "target_treeids", count)
      || !is_list (n, nodes, "target_nodeids", count)
      || !is_list (n, targets, "target_ids", count))
    return FALSE;
  for (guint i = 0; i < count; i++)
    if (!onnx_trees_add (e->t, place_of (e, item (trees, i), item (nodes, i)),
            item (targets, i), g_array_index (weights, double, i))) {
      onnx_fail (n, INFER_ERROR_INVALID_MODEL,
          "its weight %u is of a node or a target that is not there", i);
      return FALSE;
    }
  return TRUE;
}

/* @y plus one number for each target. */
static InferPort
add_base (OnnxTrees *t, InferPort y)
{
  OnnxNode *n = t->n;
  g_autoptr (GArray) base = read_numbers (n, "base_values");

  if (base == NULL || base->len == 0)
    return y;
  if (!is_list (n, base, "base_values", (guint) t->targets))
    return y;
  const InferShape shape = infer_shape_make (1, t->targets);
  InferTensor *values = infer_tensor_new (onnx_type (y), &shape, NULL);
  if (values == NULL
      || !infer_convert (
          values->data, values->type, base->data, INFER_TYPE_F64, base->len)) {
    onnx_fail (n, INFER_ERROR_NO_MEMORY, "no memory for its base_values");
    infer_tensor_unref (values);
    return y;
  }
  return OP (n, "Add", "", y, onnx_const (n, values));
}

static gboolean
read_result (OnnxTrees *t)
{
  static const char *const names[] = { "AVERAGE", "SUM", "MIN", "MAX" };
  g_autofree char *text = onnx_text (t->n, "aggregate_function", "SUM");

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_str_equal (text, names[i])) {
      t->result = (OnnxTreesResult) i;
      return TRUE;
    }
  onnx_fail (t->n, INFER_ERROR_UNSUPPORTED,
      "aggregate_function=%.40s is not supported", text);
  return FALSE;
}

static void
bytes_free (gpointer bytes)
{
  g_bytes_unref (bytes);
}

void
onnx_import_ml_tree_ensemble_regressor (OnnxNode *n)
{
  g_autoptr (GHashTable) places =
      g_hash_table_new_full (g_bytes_hash, g_bytes_equal, bytes_free, NULL);
  g_auto (OnnxTrees) t = { 0 };
  Ensemble e = { &t, places };

  onnx_trees_init (&t, n, onnx_int (n, "n_targets", 1));
  if (!read_result (&t) || !read_nodes (&e) || !read_weights (&e))
    return;
  n->outputs[0] = onnx_ml_post_transform (n,
      onnx_convert (n, add_base (&t, onnx_trees_compute (&t)), INFER_TYPE_F32));
}
