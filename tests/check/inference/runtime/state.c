/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "infer/state.h"

#include "infer/error.h"
#include "inference/runtime/state-private.h"
#include "tests/check/support/fake-backend.h"

static InferStateSet *
set_new (const char *shape)
{
  g_autoptr (InferModel) model = fake_model (shape, shape);

  return infer_state_set_new (model);
}

static InferTensor *
tensor_of (int n, float first)
{
  InferShape shape = infer_shape_make (2, (gint64) 1, (gint64) n);
  InferTensor *tensor = infer_tensor_new (INFER_TYPE_F32, &shape, NULL);

  for (int i = 0; i < n; i++)
    ((float *) tensor->data)[i] = first + (float) i;
  return tensor;
}

static void
assert_value (InferState *state, int n, float first)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (InferTensor) value = infer_state_get_value (state, &error);

  g_assert_no_error (error);
  g_assert_cmpint (value->shape.rank, ==, 2);
  g_assert_cmpint (value->shape.dims[1], ==, n);
  for (int i = 0; i < n; i++)
    g_assert_cmpfloat (
        ((float *) value->data)[i], ==, first == 0 ? 0 : first + (float) i);
}

static void
test_names (void)
{
  g_autoptr (InferStateSet) set = set_new ("1,3");
  g_autoptr (GError) error = NULL;

  g_assert_cmpuint (infer_state_set_n_states (set), ==, 1);
  InferState *state = infer_state_set_find (set, "sum", &error);
  g_assert_true (state == infer_state_set_get (set, 0));
  g_assert_cmpstr (infer_state_get_name (state), ==, "sum");
  g_assert_null (infer_state_set_find (set, "other", &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_NOT_FOUND);
  g_assert_cmpstr (error->message, ==, "no variable 'other'; there are: 'sum'");
}

static void
test_set_and_reset (void)
{
  g_autoptr (InferStateSet) set = set_new ("1,3");
  g_autoptr (InferTensor) value = tensor_of (3, 5);
  InferState *state = infer_state_set_get (set, 0);

  g_assert_true (infer_state_is_reset (state));
  assert_value (state, 3, 0); /* zeros without an initialiser */
  g_assert_true (infer_state_set_value (state, value, NULL));
  g_assert_false (infer_state_is_reset (state));
  assert_value (state, 3, 5);
  ((float *) value->data)[0] = 99; /* the value is a copy */
  assert_value (state, 3, 5);
  infer_state_set_reset (set);
  g_assert_true (infer_state_is_reset (state));
  assert_value (state, 3, 0);
}

static void
test_wrong_values (void)
{
  g_autoptr (InferStateSet) set = set_new ("1,3");
  g_autoptr (InferTensor) value = tensor_of (4, 5);
  g_autoptr (GError) error = NULL;
  InferState *state = infer_state_set_get (set, 0);

  g_assert_false (infer_state_set_value (state, value, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_INVALID_ARGUMENT);
  g_assert_cmpstr (error->message, ==,
      "variable 'sum' has the shape [1,3]: a value of shape [1,4] does not "
      "fit");
  g_clear_error (&error);
  InferShape shape = infer_shape_make (2, (gint64) 1, (gint64) 3);
  g_autoptr (InferTensor) ints =
      infer_tensor_new (INFER_TYPE_I32, &shape, NULL);
  g_assert_false (infer_state_set_value (state, ints, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_INVALID_ARGUMENT);
  g_assert_cmpstr (error->message, ==, "variable 'sum' is of f32, not i32");
  g_assert_true (infer_state_is_reset (state));
}

static void
test_dynamic (void)
{
  g_autoptr (InferStateSet) set = set_new ("1,?");
  InferState *state = infer_state_set_get (set, 0);
  g_autoptr (GError) error = NULL;

  g_assert_null (infer_state_get_value (state, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_NOT_FOUND);
  for (int n = 0; n < 5; n++) {
    g_autoptr (InferTensor) value = tensor_of (n, 7);
    g_assert_true (infer_state_set_value (state, value, NULL));
    assert_value (state, n, 7);
  }
}

/* The two tensors of a state alternate; nothing is allocated again. */
static void
test_double_buffer (void)
{
  g_autoptr (InferStateSet) set = set_new ("1,3");
  InferState *state = infer_state_set_get (set, 0);
  InferShape shape = infer_shape_make (2, (gint64) 1, (gint64) 3);
  gpointer seen[2] = { NULL, NULL };

  for (guint step = 0; step < 10; step++) {
    InferTensor *now = infer_state_peek (state);
    InferTensor *next = infer_state_next (state, INFER_TYPE_F32, &shape, NULL);

    g_assert_true (now != next);
    g_assert_true ((now == NULL) == (step == 0));
    if (now != NULL)
      g_assert_cmpfloat (*(float *) now->data, ==, (float) step - 1);
    *(float *) next->data = (float) step;
    if (step < 2)
      seen[step] = next->data;
    g_assert_true (next->data == seen[step % 2]);
    infer_state_commit (state);
  }
  /* Not committed: the value does not change. */
  InferTensor *next = infer_state_next (state, INFER_TYPE_F32, &shape, NULL);
  *(float *) next->data = 99;
  g_assert_cmpfloat (*(float *) infer_state_peek (state)->data, ==, 9);
}

/* The spare tensor passes to another state, but not while a commit is deferred:
 * then it is about to be the value. */
static void
test_spare (void)
{
  g_autoptr (InferStateSet) a = set_new ("1,3");
  g_autoptr (InferStateSet) b = set_new ("1,3");
  InferState *from = infer_state_set_get (a, 0);
  InferState *to = infer_state_set_get (b, 0);
  g_autoptr (InferTensor) value = tensor_of (3, 5);
  InferShape shape = infer_shape_make (2, (gint64) 1, (gint64) 3);

  g_assert_null (infer_state_take_spare (from));
  g_assert_true (infer_state_set_value (from, value, NULL));
  infer_states_hold (infer_state_set_list (a));
  InferTensor *next = infer_state_next (from, INFER_TYPE_F32, &shape, NULL);
  infer_state_commit (from);
  g_assert_null (infer_state_take_spare (from));
  infer_states_settle (infer_state_set_list (a), FALSE);
  g_assert_true (infer_state_take_spare (from) == next);
  g_assert_null (infer_state_take_spare (from));
  assert_value (from, 3, 5);

  g_assert_true (infer_state_give_spare (to, next));
  g_assert_true (infer_state_next (to, INFER_TYPE_F32, &shape, NULL) == next);
  g_assert_false (infer_state_give_spare (to, value));
}

/* A reset requested during a step survives the step's commit. */
static void
test_reset_during_step (void)
{
  g_autoptr (InferStateSet) set = set_new ("1,3");
  InferState *state = infer_state_set_get (set, 0);
  InferShape shape = infer_shape_make (2, (gint64) 1, (gint64) 3);
  gboolean resets[1] = { FALSE };

  infer_state_set_take_resets (set, resets);
  infer_state_set_apply_resets (set, resets);
  g_assert_nonnull (infer_state_next (state, INFER_TYPE_F32, &shape, NULL));
  infer_state_reset (state);
  infer_state_commit (state);
  g_assert_true (infer_state_is_reset (state));
  g_assert_nonnull (infer_state_peek (state));
  infer_state_set_take_resets (set, resets);
  g_assert_true (resets[0]);
  infer_state_set_apply_resets (set, resets);
  g_assert_false (resets[0]);
  g_assert_null (infer_state_peek (state));
}

static void
test_copy (void)
{
  g_autoptr (InferStateSet) a = set_new ("1,3");
  g_autoptr (InferStateSet) b = set_new ("1,3");
  g_autoptr (InferTensor) value = tensor_of (3, 5);
  g_autoptr (InferModel) stateless = fake_model ("1,3", NULL);
  g_autoptr (InferStateSet) none = infer_state_set_new (stateless);
  g_autoptr (GError) error = NULL;

  infer_state_set_value (infer_state_set_get (a, 0), value, NULL);
  g_assert_true (infer_state_set_copy (b, a, NULL));
  assert_value (infer_state_set_get (b, 0), 3, 5);
  infer_state_set_reset (a);
  assert_value (infer_state_set_get (b, 0), 3, 5);
  g_assert_true (infer_state_set_copy (b, a, NULL));
  g_assert_true (infer_state_is_reset (infer_state_set_get (b, 0)));
  g_assert_false (infer_state_set_copy (none, a, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_INVALID_ARGUMENT);
}

/* --- growing --- */

/* [2, n, 2]: 100 · block + 10 · row + column, from row @from on. */
static void
write_rows (InferTensor *tensor, gint64 from)
{
  for (gint64 b = 0; b < 2; b++)
    for (gint64 r = from; r < tensor->shape.dims[1]; r++)
      for (gint64 c = 0; c < 2; c++)
        *(float *) (gpointer) ((char *) tensor->data + b * tensor->strides[0]
                               + r * tensor->strides[1]
                               + c * tensor->strides[2]) =
            (float) (100 * b + 10 * r + c);
}

static void
assert_rows (InferState *state, gint64 n)
{
  g_autoptr (InferTensor) value = infer_state_get_value (state, NULL);
  const float *data = value->data;

  g_assert_true (value->dense);
  g_assert_cmpint (value->shape.dims[1], ==, n);
  for (gint64 b = 0; b < 2; b++)
    for (gint64 r = 0; r < n; r++)
      for (gint64 c = 0; c < 2; c++)
        g_assert_cmpfloat (
            data[(b * n + r) * 2 + c], ==, (float) (100 * b + 10 * r + c));
}

static gboolean
grow_to (InferState *state, gint64 n, gboolean keep)
{
  InferShape shape = infer_shape_make (3, (gint64) 2, n, (gint64) 2);
  gboolean kept;
  InferTensor *next =
      infer_state_grow (state, INFER_TYPE_F32, &shape, 1, keep, &kept, NULL);

  g_assert_nonnull (next);
  g_assert_cmpint (next->shape.dims[1], ==, n);
  write_rows (next, kept ? n - 1 : 0);
  return kept;
}

/* Allocates only when the room is used up, doubling it; without a commit the
 * value does not change. */
static void
test_grow (void)
{
  g_autoptr (InferStateSet) set = set_new ("2,?,2");
  g_autoptr (InferStateSet) other = set_new ("2,?,2");
  InferState *state = infer_state_set_get (set, 0);
  guint moves = 0;

  for (gint64 n = 1; n <= 200; n++) {
    moves += !grow_to (state, n, TRUE);
    infer_state_commit (state);
    assert_rows (state, n);
  }
  g_assert_cmpuint (moves, <=, 6); /* capacities 16, 34, 70, 142, 286 */
  for (gint64 i = 0; i < 3; i++) { /* failing steps */
    grow_to (state, 201, i != 1);
    assert_rows (state, 200);
  }
  g_assert_false (infer_state_peek (state)->dense);
  g_assert_true (infer_states_make_dense (infer_state_set_list (set), NULL));
  g_assert_true (infer_state_peek (state)->dense);
  assert_rows (state, 200);
  g_assert_false (grow_to (state, 201, TRUE)); /* no room behind it */
  infer_state_commit (state);
  g_assert_true (grow_to (state, 202, TRUE));
  infer_state_commit (state);

  /* The value is replaced from outside in between. */
  g_assert_true (infer_state_set_copy (other, set, NULL));
  assert_rows (infer_state_set_get (other, 0), 202);
  g_autoptr (InferTensor) value = infer_state_get_value (state, NULL);
  g_assert_true (infer_state_set_value (state, value, NULL));
  assert_rows (state, 202);
  g_assert_false (grow_to (state, 203, TRUE));
  infer_state_commit (state);
  assert_rows (state, 203);

  /* With other rows than the present ones: not in place. */
  InferTensor *present = infer_state_peek (state);
  g_assert_false (grow_to (state, 204, FALSE));
  assert_rows (state, 203);
  g_assert_true (infer_state_peek (state) == present);
  infer_state_commit (state);
  assert_rows (state, 204);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/state/names", test_names);
  g_test_add_func ("/state/set-and-reset", test_set_and_reset);
  g_test_add_func ("/state/wrong-values", test_wrong_values);
  g_test_add_func ("/state/dynamic", test_dynamic);
  g_test_add_func ("/state/double-buffer", test_double_buffer);
  g_test_add_func ("/state/spare", test_spare);
  g_test_add_func ("/state/reset-during-step", test_reset_during_step);
  g_test_add_func ("/state/copy", test_copy);
  g_test_add_func ("/state/grow", test_grow);
  return g_test_run ();
}
