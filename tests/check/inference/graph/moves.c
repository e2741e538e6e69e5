/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Constants that are only moved: as the backend's kernels move them, wherever
 * they lie. */

#include "inference/base/tensor.h"
#include "inference/graph/evaluate.h"
#include "inference/graph/graph.h"

#include <string.h>

#define MOST_INPUTS 5

typedef struct
{
  const char *name, *type;
  const char *attributes[4]; /* name, value, … */
  InferType of;
  gint64 shape[4]; /* of input 0; ends with 0 */
  guint n_lists, n_outputs;
  gint64 lists[4][4]; /* inputs 1 on: a length, and so many numbers */
  gboolean moves;     /* not left to the kernels */
} Case;

#define F32 INFER_TYPE_F32
#define I64 INFER_TYPE_I64

static const Case cases[] = {
  { "whole-blocks", "Slice", { NULL }, F32, { 1, 96, 32 }, 4, 1,
      { { 1, 24 }, { 1, 48 }, { 1, 1 }, { 1, 1 } }, TRUE },
  { "rows", "Slice", { NULL }, F32, { 4, 96, 32 }, 4, 1,
      { { 1, -90 }, { 1, 1000 }, { 1, 1 }, { 1, -2 } }, TRUE },
  { "small", "Slice", { NULL }, F32, { 5, 3 }, 4, 1,
      { { 1, 1 }, { 1, 3 }, { 1, 1 }, { 1, 0 } }, TRUE },
  { "empty", "Slice", { NULL }, F32, { 5, 3 }, 4, 1,
      { { 1, 4 }, { 1, 2 }, { 1, 1 }, { 1, 0 } }, TRUE },
  { "steps", "Slice", { NULL }, F32, { 96, 32 }, 4, 1,
      { { 1, 0 }, { 1, 96 }, { 1, 2 }, { 1, 0 } }, FALSE },
  { "backwards", "Slice", { NULL }, F32, { 96, 32 }, 4, 1,
      { { 1, 95 }, { 1, 0 }, { 1, -1 }, { 1, 0 } }, FALSE },
  { "two-axes", "Slice", { NULL }, F32, { 96, 32 }, 4, 1,
      { { 2, 1, 2 }, { 2, 90, 30 }, { 2, 1, 1 }, { 2, 0, 1 } }, FALSE },
  { "split", "Split", { "num_splits", "4" }, F32, { 1, 128, 64 }, 1, 4,
      { { 1, 1 } }, TRUE },
  { "split-rows", "Split", { "num_splits", "2" }, F32, { 3, 128, 64 }, 1, 2,
      { { 1, -1 } }, TRUE },
  { "reshape", "Reshape", { "special_zero", "true" }, F32, { 64, 4, 16 }, 1, 1,
      { { 2, 0, -1 } }, TRUE },
  { "reshape-ints", "Reshape", { "special_zero", "false" }, I64, { 64, 16 }, 1,
      1, { { 1, 1024 } }, TRUE },
  { "unsqueeze", "Unsqueeze", { NULL }, F32, { 64, 32 }, 1, 1, { { 1, 0 } },
      TRUE },
  { "squeeze", "Squeeze", { NULL }, F32, { 1, 64, 32 }, 1, 1, { { 1, 0 } },
      TRUE },
  { "gather", "Gather", { NULL }, I64, { 5 }, 2, 1,
      { { 3, 4, -5, 2 }, { 1, 0 } }, TRUE },
  { "gather-outside", "Gather", { NULL }, I64, { 5 }, 2, 1,
      { { 2, 4, 7 }, { 1, 0 } }, FALSE },
  { "gather-rows", "Gather", { NULL }, F32, { 5, 3 }, 2, 1,
      { { 2, 4, 1 }, { 1, 0 } }, FALSE },
};

/* Random bytes at an odd address, as in a file. */
static InferTensor *
make_values (GRand *rand, InferType type, const InferShape *shape)
{
  const gsize size = infer_shape_count (shape) * infer_type_size (type);
  guint8 *memory = g_malloc (size + 1);
  GError *error = NULL;

  for (gsize i = 0; i <= size; i++)
    memory[i] = (guint8) g_rand_int_range (rand, 0, 120);
  InferTensor *t = infer_tensor_new_wrapped (
      type, shape, memory + 1, size, memory, g_free, &error);
  g_assert_no_error (error);
  return t;
}

static InferTensor *
make_list (const gint64 *numbers)
{
  const InferShape shape = infer_shape_make (1, numbers[0]);
  InferTensor *t = infer_tensor_new (I64, &shape, NULL);

  memcpy (t->data, numbers + 1, t->size);
  return t;
}

/* Evaluating @op must give the same values as its kernel. */
static void
compare (const InferOperation *op, InferTensor *const *inputs, gboolean moves)
{
  InferTensor *got[4] = { NULL }, *want[4] = { NULL };
  InferTensor *aligned[MOST_INPUTS] = { NULL };
  GError *error = NULL;

  for (guint i = 0; i < op->n_inputs; i++)
    aligned[i] = infer_tensor_align (inputs[i], NULL);
  g_assert_true (infer_find_evaluator ()->evaluate (op, aligned, want, &error));
  g_assert_no_error (error);
  g_assert_cmpint (
      infer_evaluate_move (op, (const InferTensor *const *) inputs, got), ==,
      moves);
  for (guint k = 0; k < op->n_outputs; k++) {
    if (!moves) {
      g_assert_null (got[k]);
    } else {
      g_assert_cmpint (got[k]->type, ==, want[k]->type);
      g_assert_true (infer_shape_equal (&got[k]->shape, &want[k]->shape));
      g_assert_cmpmem (
          got[k]->data, got[k]->size, want[k]->data, want[k]->size);
    }
    infer_tensor_unref (got[k]);
    infer_tensor_unref (want[k]);
  }
  for (guint i = 0; i < op->n_inputs; i++)
    infer_tensor_unref (aligned[i]);
}

static void
test_case (gconstpointer data)
{
  const Case *c = data;
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  InferTensor *inputs[MOST_INPUTS];
  InferShape shape = { .rank = 0 };
  GError *error = NULL;

  while (shape.rank < 4 && c->shape[shape.rank] != 0) {
    shape.dims[shape.rank] = c->shape[shape.rank];
    shape.rank++;
  }
  g_autoptr (InferOperation) op =
      infer_operation_make (c->type, "x", 1 + c->n_lists, c->n_outputs, &error,
          c->attributes[0], c->attributes[1], NULL);
  g_assert_no_error (error);
  inputs[0] = make_values (rand, c->of, &shape);
  for (guint i = 0; i < c->n_lists; i++)
    inputs[i + 1] = make_list (c->lists[i]);
  /* The number of splits and the axis of Gather are scalars. */
  if (infer_op_is (op, &infer_op_split) || infer_op_is (op, &infer_op_gather)) {
    const InferShape scalar = infer_shape_scalar ();

    g_assert_true (infer_tensor_reshape (
        inputs[c->n_lists], INFER_TYPE_I64, &scalar, NULL));
  }
  compare (op, inputs, c->moves);
  for (guint i = 0; i < op->n_inputs; i++)
    infer_tensor_unref (inputs[i]);
}

static void
test_concat (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (2);

  for (gint64 outer = 1; outer < 4; outer++) {
    InferTensor *inputs[4];
    g_autoptr (InferOperation) op =
        infer_operation_make ("Concat", "x", 4, 1, NULL, "axis", "-2", NULL);

    for (guint i = 0; i < 4; i++) {
      const InferShape shape =
          infer_shape_make (3, outer, (gint64) (7 * i), (gint64) 5);

      inputs[i] = make_values (rand, F32, &shape);
    }
    compare (op, inputs, TRUE);
    for (guint i = 0; i < 4; i++)
      infer_tensor_unref (inputs[i]);
  }
}

/* A large part of what is large shares its memory, a small one does not keep
 * it. */
static void
test_shared (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);
  const InferShape shape = infer_shape_make (2, (gint64) 64, (gint64) 64);
  const gint64 flat[] = { 1, -1 };
  InferTensor *inputs[] = { make_values (rand, F32, &shape), make_list (flat) };
  InferTensor *got = NULL;
  g_autofree gpointer before = g_memdup2 (inputs[0]->data, inputs[0]->size);
  g_autoptr (InferOperation) op = infer_operation_make (
      "Reshape", "x", 2, 1, NULL, "special_zero", "false", NULL);

  g_assert_true (
      infer_evaluate_move (op, (const InferTensor *const *) inputs, &got));
  g_assert_true (got->data == inputs[0]->data);
  infer_tensor_unref (inputs[0]); /* the part keeps it */
  g_assert_cmpmem (got->data, got->size, before, got->size);
  infer_tensor_unref (got);
  infer_tensor_unref (inputs[1]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *path = g_strdup_printf ("/moves/%s", cases[i].name);

    g_test_add_data_func (path, &cases[i], test_case);
  }
  g_test_add_func ("/moves/concat", test_concat);
  g_test_add_func ("/moves/shared", test_shared);
  return g_test_run ();
}
