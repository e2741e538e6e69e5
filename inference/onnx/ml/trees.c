/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/onnx/ml/trees.h"

#include <math.h>

#include "inference/base/tensor.h"

/* Levels of a tree, each of which is a few operations. */
#define MAX_DEPTH 64
#define MAX_WEIGHTS (1 << 26)

void
onnx_trees_init (OnnxTrees *t, OnnxNode *n, gint64 targets)
{
  *t = (OnnxTrees){ .n = n,
    .targets = targets,
    .nodes = g_array_new (FALSE, TRUE, sizeof (OnnxTreeNode)),
    .roots = g_array_new (FALSE, TRUE, sizeof (gint64)),
    .weights = g_array_new (FALSE, TRUE, sizeof (double)) };
}

void
onnx_trees_clear (OnnxTrees *t)
{
  g_array_unref (t->nodes);
  g_array_unref (t->roots);
  g_array_unref (t->weights);
}

static OnnxTreeNode *
node_at (const OnnxTrees *t, gint64 index)
{
  return index >= 0 && index < (gint64) t->nodes->len
             ? &g_array_index (t->nodes, OnnxTreeNode, index)
             : NULL;
}

/* --- what is read --- */

gboolean
onnx_trees_settle (OnnxTrees *t)
{
  const gint64 columns = onnx_dim (t->n->inputs[0], 1);

  if (t->targets < 1 || t->nodes->len == 0 || t->roots->len == 0
      || t->targets > MAX_WEIGHTS / (gint64) t->nodes->len) {
    onnx_fail (t->n, INFER_ERROR_UNSUPPORTED,
        "%u nodes, %u trees, %" G_GINT64_FORMAT " targets", t->nodes->len,
        t->roots->len, t->targets);
    return FALSE;
  }
  for (gint64 i = 0; i < (gint64) t->nodes->len; i++) {
    const OnnxTreeNode *node = node_at (t, i);

    if (node_at (t, node->yes) != NULL && node_at (t, node->no) != NULL
        && node->feature >= 0
        && node->feature < (columns >= 0 ? columns : G_MAXINT32))
      continue;
    onnx_fail (t->n, INFER_ERROR_INVALID_MODEL,
        "its node %" G_GINT64_FORMAT " names a node or a feature that is not "
        "there",
        i);
    return FALSE;
  }
  for (guint i = 0; i < t->roots->len; i++)
    if (node_at (t, g_array_index (t->roots, gint64, i)) == NULL) {
      onnx_fail (t->n, INFER_ERROR_INVALID_MODEL, "its root %u is no node", i);
      return FALSE;
    }
  g_array_set_size (t->weights, t->nodes->len * (guint) t->targets);
  return TRUE;
}

gboolean
onnx_trees_add (OnnxTrees *t, gint64 node, gint64 target, double weight)
{
  if (node_at (t, node) == NULL || target < 0 || target >= t->targets)
    return FALSE;
  g_array_index (t->weights, double, node * t->targets + target) += weight;
  return TRUE;
}

/* The number of levels below the roots; MAX_DEPTH: as many or more, or a
 * circle. */
static guint
find_depth (const OnnxTrees *t)
{
  g_autofree gboolean *reached = g_new0 (gboolean, t->nodes->len);
  guint depth = 0;

  for (guint i = 0; i < t->roots->len; i++)
    reached[g_array_index (t->roots, gint64, i)] = TRUE;
  for (gboolean more = TRUE; more && depth < MAX_DEPTH; depth += more) {
    g_autofree gboolean *next = g_new0 (gboolean, t->nodes->len);

    more = FALSE;
    for (gint64 i = 0; i < (gint64) t->nodes->len; i++) {
      const OnnxTreeNode *node = node_at (t, i);

      if (!reached[i] || node->mode == ONNX_TREE_LEAF)
        continue;
      next[node->yes] = next[node->no] = more = TRUE;
    }
    g_free (reached);
    reached = g_steal_pointer (&next);
  }
  return depth;
}

/* --- what is computed --- */

typedef struct
{
  const OnnxTrees *t;
  OnnxNode *n;
  InferType type;
  InferPort x, zero; /* zero: a scalar, as axis */
  /* of each node */
  InferPort feature, split, yes, no, mode, missing;
  guint modes;       /* as bits */
  gboolean may_miss; /* `missing` of a node is set */
} Walk;

/* A number of each node, which @get gives. */
static InferPort
table (const Walk *w, InferType type, double (*get) (const OnnxTreeNode *))
{
  const GArray *nodes = w->t->nodes;
  const InferShape shape = infer_shape_make (1, (gint64) nodes->len);
  g_autofree double *numbers = g_new (double, nodes->len);
  InferTensor *value = infer_tensor_new (type, &shape, NULL);

  for (guint i = 0; i < nodes->len; i++)
    numbers[i] = get (&g_array_index (nodes, OnnxTreeNode, i));
  if (value == NULL
      || !infer_convert (
          value->data, type, numbers, INFER_TYPE_F64, nodes->len)) {
    onnx_fail (w->n, INFER_ERROR_NO_MEMORY, "no memory for its nodes");
    infer_tensor_unref (value);
    return (InferPort){ NULL, 0 };
  }
  return onnx_const (w->n, value);
}

static double
get_feature (const OnnxTreeNode *node)
{
  return (double) node->feature;
}

static double
get_split (const OnnxTreeNode *node)
{
  return node->split;
}

static double
get_yes (const OnnxTreeNode *node)
{
  return (double) node->yes;
}

static double
get_no (const OnnxTreeNode *node)
{
  return (double) node->no;
}

static double
get_mode (const OnnxTreeNode *node)
{
  return node->mode;
}

static double
get_missing (const OnnxTreeNode *node)
{
  return node->missing;
}

static InferPort
gather (const Walk *w, InferPort values, InferPort at)
{
  OnnxNode *n = w->n;

  return OP (n, "Gather", "", values, at, w->zero);
}

static void
make_tables (Walk *w)
{
  for (gint64 i = 0; i < (gint64) w->t->nodes->len; i++) {
    const OnnxTreeNode *node = node_at (w->t, i);

    w->modes |= 1u << node->mode;
    w->may_miss |= node->missing;
  }
  w->feature = table (w, INFER_TYPE_I64, get_feature);
  w->split = table (w, w->type, get_split);
  w->yes = table (w, INFER_TYPE_I64, get_yes);
  w->no = table (w, INFER_TYPE_I64, get_no);
  w->mode = table (w, INFER_TYPE_I64, get_mode);
  w->missing = table (w, INFER_TYPE_BOOLEAN, get_missing);
}

/* Whether @x goes to `yes` of the nodes @at. */
static InferPort
decide (const Walk *w, InferPort x, InferPort at)
{
  static const char *const types[] = { "LessEqual", "Less", "GreaterEqual",
    "Greater", "Equal", "NotEqual" };
  OnnxNode *n = w->n;
  InferPort split = gather (w, w->split, at), yes = { NULL, 0 };

  for (guint mode = 0; mode < G_N_ELEMENTS (types); mode++) {
    if ((w->modes & 1u << mode) == 0)
      continue;
    InferPort so = OP (n, types[mode], "", x, split);
    yes = yes.op == NULL ? so
                         : OP (n, "Select", "",
                             OP (n, "Equal", "", gather (w, w->mode, at),
                                 onnx_i64 (n, mode)),
                             so, yes);
  }
  if (w->may_miss)
    yes = OP (n, "LogicalOr", "", yes,
        OP (n, "LogicalAnd", "", OP (n, "IsNaN", "", x),
            gather (w, w->missing, at)));
  return yes;
}

/* The leaves [batch, tree] that x ends in. */
static InferPort
walk (const Walk *w, guint depth)
{
  OnnxNode *n = w->n;
  InferPort at = onnx_i64_list (n, w->t->roots);

  at = OP (n, "Broadcast", "mode=numpy", at,
      OP (n, "Concat", "axis=0", onnx_dim_of (n, w->x, 0),
          I64S (n, (gint64) w->t->roots->len)));
  for (guint level = 0; level < depth; level++) {
    InferPort x =
        OP (n, "GatherElements", "axis=1", w->x, gather (w, w->feature, at));

    at = OP (n, "Select", "", decide (w, x, at), gather (w, w->yes, at),
        gather (w, w->no, at));
  }
  return at;
}

static InferPort
weights_of (const Walk *w)
{
  const GArray *weights = w->t->weights;
  const InferShape shape =
      infer_shape_make (2, (gint64) w->t->nodes->len, w->t->targets);
  InferTensor *value = infer_tensor_new (w->type, &shape, NULL);

  if (value == NULL
      || !infer_convert (
          value->data, w->type, weights->data, INFER_TYPE_F64, weights->len)) {
    onnx_fail (w->n, INFER_ERROR_NO_MEMORY, "no memory for its weights");
    infer_tensor_unref (value);
    return (InferPort){ NULL, 0 };
  }
  return onnx_const (w->n, value);
}

/* f32 where that says of every number on which side of a split it is. */
static InferType
type_of (const OnnxTrees *t, InferType x)
{
  if (x != INFER_TYPE_F32 && x != INFER_TYPE_F16)
    return INFER_TYPE_F64;
  for (gint64 i = 0; i < (gint64) t->nodes->len; i++) {
    const double split = node_at (t, i)->split;

    if (!isnan (split) && (double) (float) split != split)
      return INFER_TYPE_F64;
  }
  return INFER_TYPE_F32;
}

InferPort
onnx_trees_compute (const OnnxTrees *t)
{
  static const char *const types[] = { "ReduceMean", "ReduceSum", "ReduceMin",
    "ReduceMax" };
  OnnxNode *n = t->n;
  const guint depth = find_depth (t);
  Walk w = {
    .t = t, .n = n, .type = type_of (t, onnx_known_type (n, n->inputs[0]))
  };

  if (depth >= MAX_DEPTH
      || (t->targets > 1 && t->result != ONNX_TREES_SUM
          && t->result != ONNX_TREES_AVERAGE)
      || onnx_known_rank (n, n->inputs[0]) != 2) {
    onnx_fail (n, INFER_ERROR_UNSUPPORTED,
        "its trees have circles or %d and more levels, its input is not of "
        "rank 2, or it takes the least or greatest of several targets",
        MAX_DEPTH);
    return (InferPort){ NULL, 0 };
  }
  w.x = onnx_convert (n, n->inputs[0], w.type);
  w.zero = onnx_i64 (n, 0);
  make_tables (&w);
  return OP (n, types[t->result], "keep_dims=false",
      gather (&w, weights_of (&w), walk (&w, depth)), I64S (n, 1));
}
