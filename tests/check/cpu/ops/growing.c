/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Attention caches that grow with each step: compared with values computed
 * here; existing rows are not copied. */

#include "infer/request.h"
#include "inference/runtime/state-backend.h"
#include "tests/check/support/ir.h"
#include "tests/check/support/session.h"

#include <math.h>
#include <string.h>

#define HEADS 3
#define SIZE 4

#define VARIABLE(id)                                                           \
  IR_DATA ("variable_id=\"" id                                                 \
           "\" variable_shape=\"?,3,?,4\" variable_type=\"f32\"")
#define CONCAT(id, name, axis)                                                 \
  IR_LAYER (id, name, "Concat", "opset1", IR_DATA ("axis=\"" axis "\""),       \
      IR_PORT (0) IR_PORT (1), IR_PORT (2))
#define READ(id, name, variable)                                               \
  IR_LAYER (id, name, "ReadValue", "opset6", VARIABLE (variable), IR_PORT (0), \
      IR_PORT (1))
#define ASSIGN(id, name, variable)                                             \
  IR_LAYER (id, name, "Assign", "opset6", VARIABLE (variable), IR_PORT (0), "")
#define GATHER(id, name)                                                       \
  IR_LAYER (id, name, "Gather", "opset8", IR_DATA ("batch_dims=\"0\""),        \
      IR_PORT (0) IR_PORT (1) IR_PORT (2), IR_PORT (3))

/* Inputs q, k, v [beams,3,?,4] and beam [beams]; the weights hold the axis 0.
 */
#define INPUTS                                                                 \
  IR_PARAMETER (0, "q", "f32", "?,3,?,4")                                      \
  IR_PARAMETER (1, "k", "f32", "?,3,?,4")                                      \
  IR_PARAMETER (2, "v", "f32", "?,3,?,4")                                      \
  IR_PARAMETER (3, "beam", "i32", "?")                                         \
  IR_CONST (4, "zero", "i64", "", "0", "8")                                    \
  IR_CONST (5, "none", "f32", "1,3,0,4", "8", "0")

/* keys and values grow; out = attention (q, keys, values). */
#define CACHE_NET(more_layers, more_edges)                                     \
  IR_NET ("11",                                                                \
      INPUTS READ (6, "read_k", "keys") READ (7, "read_v", "values")           \
          GATHER (8, "pick_k") GATHER (9, "pick_v") CONCAT (10, "cat_k", "2")  \
              CONCAT (11, "cat_v", "-2") ASSIGN (12, "save_k", "keys")         \
                  ASSIGN (13, "save_v", "values")                              \
                      IR_LAYER (14, "attention", "ScaledDotProductAttention",  \
                          "opset13", IR_DATA ("causal=\"false\""),             \
                          IR_PORT (0) IR_PORT (1) IR_PORT (2), IR_PORT (3))    \
                          IR_RESULT (15, "out") more_layers,                   \
      IR_EDGE (5, 0, 6, 0) IR_EDGE (5, 0, 7, 0) IR_EDGE (6, 1, 8, 0)           \
          IR_EDGE (7, 1, 9, 0) IR_EDGE (3, 0, 8, 1) IR_EDGE (3, 0, 9, 1)       \
              IR_EDGE (4, 0, 8, 2) IR_EDGE (4, 0, 9, 2) IR_EDGE (8, 3, 10, 0)  \
                  IR_EDGE (9, 3, 11, 0) IR_EDGE (1, 0, 10, 1)                  \
                      IR_EDGE (2, 0, 11, 1) IR_EDGE (10, 2, 12, 0)             \
                          IR_EDGE (11, 2, 13, 0) IR_EDGE (0, 0, 14, 0)         \
                              IR_EDGE (10, 2, 14, 1) IR_EDGE (11, 2, 14, 2)    \
                                  IR_EDGE (14, 3, 15, 0) more_edges,           \
      "")

/* The same with readers that need dense caches: a result, a second ReadValue.
 */
#define DENSE_NET                                                              \
  CACHE_NET (IR_RESULT (16, "whole_k") READ (17, "again", "values")            \
                 IR_UNARY (18, "twice", "Abs") IR_RESULT (19, "abs_v"),        \
      IR_EDGE (10, 2, 16, 0) IR_EDGE (5, 0, 17, 0) IR_EDGE (17, 1, 18, 0)      \
          IR_EDGE (18, 1, 19, 0))

/* The same where the length of the past is read. */
#define LENGTH_NET                                                             \
  CACHE_NET (IR_LAYER (16, "shape", "ShapeOf", "opset3",                       \
                 IR_DATA ("output_type=\"i64\""), IR_PORT (0), IR_PORT (1))    \
                 IR_RESULT (17, "past"),                                       \
      IR_EDGE (8, 3, 16, 0) IR_EDGE (16, 1, 17, 0))

/* Expected contents: [beam][head][time][SIZE]. */
typedef struct
{
  guint beams;
  gsize time;
  float *keys, *values;
} Oracle;

static float *
regrow (float *old, const Oracle *self, const gint32 *beam, guint beams,
    const float *more, gsize n)
{
  const gsize time = self->time + n;
  float *now = g_new (float, beams *HEADS *time *SIZE);

  for (guint b = 0; b < beams; b++)
    for (guint h = 0; h < HEADS; h++) {
      float *to = now + (b * HEADS + h) * time * SIZE;

      if (self->time > 0)
        memcpy (to, old + ((guint) beam[b] * HEADS + h) * self->time * SIZE,
            self->time * SIZE * sizeof (float));
      memcpy (to + self->time * SIZE, more + (b * HEADS + h) * n * SIZE,
          n * SIZE * sizeof (float));
    }
  g_free (old);
  return now;
}

static void
oracle_step (Oracle *self, const gint32 *beam, guint beams, const float *k,
    const float *v, gsize n)
{
  self->keys = regrow (self->keys, self, beam, beams, k, n);
  self->values = regrow (self->values, self, beam, beams, v, n);
  self->time += n;
  self->beams = beams;
}

static void
oracle_reset (Oracle *self)
{
  self->time = 0;
}

static void
oracle_clear (Oracle *self)
{
  g_free (self->keys);
  g_free (self->values);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Oracle, oracle_clear)

static void
assert_attention (const Oracle *self, const float *q, gsize n, const float *out)
{
  g_autofree double *scores = g_new (double, self->time);

  for (gsize row = 0; row < self->beams * HEADS * n; row++) {
    const float *keys = self->keys + row / n * self->time * SIZE;
    const float *values = self->values + row / n * self->time * SIZE;
    double total = 0;

    for (gsize t = 0; t < self->time; t++) {
      double dot = 0;

      for (gsize c = 0; c < SIZE; c++)
        dot += (double) q[row * SIZE + c] * (double) keys[t * SIZE + c];
      total += scores[t] = exp (dot / sqrt (SIZE));
    }
    for (gsize c = 0; c < SIZE; c++) {
      double sum = 0;

      for (gsize t = 0; t < self->time; t++)
        sum += scores[t] / total * (double) values[t * SIZE + c];
      g_assert_cmpfloat_with_epsilon (
          (double) out[row * SIZE + c], sum, 2e-5 * (fabs (sum) + 1));
    }
  }
}

/* --- running --- */

static InferExecutable *
compile (const char *xml)
{
  static const gint64 zero = 0;
  g_autoptr (InferModel) model = ir_load_good (xml, &zero, sizeof zero);
  return test_compile (model, "CPU", NULL);
}

static float *
set_random (
    InferRequest *request, guint index, guint beams, gsize n, GRand *rand)
{
  InferShape shape = infer_shape_make (
      4, (gint64) beams, (gint64) HEADS, (gint64) n, (gint64) SIZE);
  InferTensor *tensor =
      infer_request_set_input_shape (request, index, &shape, NULL);
  float *data = tensor->data;

  for (gsize i = 0; i < beams * HEADS * n * SIZE; i++)
    data[i] = (float) g_rand_double_range (rand, -1, 1);
  return data;
}

static void
run_step (InferRequest *request, Oracle *oracle, const gint32 *beam,
    guint beams, gsize n, GRand *rand)
{
  InferShape shape = infer_shape_make (1, (gint64) beams);
  g_autoptr (GError) error = NULL;
  float *q = set_random (request, 0, beams, n, rand);
  float *k = set_random (request, 1, beams, n, rand);
  float *v = set_random (request, 2, beams, n, rand);
  InferTensor *indices =
      infer_request_set_input_shape (request, 3, &shape, NULL);

  memcpy (indices->data, beam, beams * sizeof *beam);
  infer_request_infer (request, &error);
  g_assert_no_error (error);
  oracle_step (oracle, beam, beams, k, v, n);
  assert_attention (
      oracle, q, n, infer_request_get_output (request, 0, NULL)->data);
}

static void
assert_states (InferRequest *request, const Oracle *oracle)
{
  InferStateSet *states = infer_request_get_states (request);
  const gsize bytes =
      oracle->beams * HEADS * oracle->time * SIZE * sizeof (float);

  for (guint i = 0; i < 2; i++) {
    InferState *state = infer_state_set_get (states, i);
    gboolean keys = strcmp (infer_state_get_name (state), "keys") == 0;
    g_autoptr (InferTensor) value = infer_state_get_value (state, NULL);

    g_assert_cmpint (value->shape.dims[0], ==, oracle->beams);
    g_assert_cmpint (value->shape.dims[2], ==, (gint64) oracle->time);
    g_assert_true (value->dense);
    g_assert_cmpmem (
        value->data, value->size, keys ? oracle->keys : oracle->values, bytes);
  }
}

static const gint32 same[] = { 0, 1, 2, 3 };

/* Bytes written: the new rows, and all rows each time the room doubles: less
 * than three times the final size, not quadratic. */
static void
check_appends (const char *xml)
{
  const gsize steps = 500;
  g_autoptr (InferExecutable) executable = compile (xml);
  g_autoptr (InferRequest) request = infer_request_new (executable, NULL);
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  g_auto (Oracle) oracle = { 0 };
  const gsize row = HEADS * SIZE * sizeof (float);

  for (gsize t = 0; t < steps; t++)
    run_step (request, &oracle, same, 1, 1, rand);
  assert_states (request, &oracle);
  for (guint i = 0; i < 2; i++) {
    guint64 written = infer_state_get_written (
        infer_state_set_get (infer_request_get_states (request), i));

    g_assert_cmpuint (written, >=, steps * row);
    g_assert_cmpuint (written, <=, 3 * steps * row);
  }
}

static void
test_appends (void)
{
  check_appends (CACHE_NET ("", ""));
  check_appends (LENGTH_NET);
}

/* Prompts of several rows; beams that stay, swap, branch and end; resets;
 * values set from outside. */
static void
check_life (const char *xml)
{
  static const gint32 swapped[] = { 1, 0 }, branched[] = { 0, 0, 1 },
                      one[] = { 2 };
  g_autoptr (InferExecutable) executable = compile (xml);
  g_autoptr (InferRequest) request = infer_request_new (executable, NULL);
  g_autoptr (InferRequest) other = infer_request_new (executable, NULL);
  g_autoptr (GRand) rand = g_rand_new_with_seed (2);
  g_auto (Oracle) oracle = { 0 };

  for (guint round = 0; round < 2; round++) {
    run_step (request, &oracle, same, 1, 7, rand);
    run_step (request, &oracle, same, 1, 1, rand);
    assert_states (request, &oracle);
    for (guint i = 0; i < 20; i++)
      run_step (request, &oracle, same, 1, 1 + i % 3, rand);
    /* From one beam to two: both continue the first. */
    run_step (request, &oracle, (const gint32[]){ 0, 0 }, 2, 1, rand);
    run_step (request, &oracle, same, 2, 1, rand);
    run_step (request, &oracle, swapped, 2, 2, rand);
    run_step (request, &oracle, same, 2, 1, rand);
    run_step (request, &oracle, branched, 3, 1, rand);
    assert_states (request, &oracle);
    /* The copy continues in another request; this one does not change. */
    g_assert_true (infer_state_set_copy (infer_request_get_states (other),
        infer_request_get_states (request), NULL));
    assert_states (request, &oracle);
    run_step (other, &oracle, same, 3, 1, rand);
    run_step (other, &oracle, one, 1, 1, rand);
    assert_states (other, &oracle);
    /* And back. */
    g_assert_true (infer_state_set_copy (infer_request_get_states (request),
        infer_request_get_states (other), NULL));
    run_step (request, &oracle, same, 1, 1, rand);
    run_step (request, &oracle, same, 1, 1, rand);
    assert_states (request, &oracle);
    infer_state_set_reset (infer_request_get_states (request));
    oracle_reset (&oracle);
  }
}

static void
test_life (void)
{
  check_life (CACHE_NET ("", ""));
  check_life (LENGTH_NET);
}

static void
test_life_dense (void)
{
  check_life (DENSE_NET);
}

/* Other readers get the right values. */
static void
test_dense (void)
{
  g_autoptr (InferExecutable) executable = compile (DENSE_NET);
  g_autoptr (InferRequest) request = infer_request_new (executable, NULL);
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);
  g_auto (Oracle) oracle = { 0 };

  for (guint t = 0; t < 40; t++) {
    g_autofree float *before =
        g_memdup2 (oracle.values, HEADS * SIZE * sizeof (float) * oracle.time);
    const gsize n = HEADS * oracle.time * SIZE;

    run_step (request, &oracle, same, 1, 1, rand);
    const InferTensor *keys = infer_request_get_output (request, 1, NULL);
    const InferTensor *values = infer_request_get_output (request, 2, NULL);
    g_assert_cmpmem (keys->data, keys->size, oracle.keys,
        HEADS * SIZE * sizeof (float) * oracle.time);
    g_assert_cmpuint (infer_shape_count (&values->shape), ==, n);
    for (gsize i = 0; i < n; i++)
      g_assert_cmpfloat (((float *) values->data)[i], ==, fabsf (before[i]));
  }
}

/* The length of the past is that before this step. */
static void
test_length (void)
{
  g_autoptr (InferExecutable) executable = compile (LENGTH_NET);
  g_autoptr (InferRequest) request = infer_request_new (executable, NULL);
  g_autoptr (GRand) rand = g_rand_new_with_seed (5);
  g_auto (Oracle) oracle = { 0 };

  for (gint64 t = 0; t < 10; t++) {
    run_step (request, &oracle, same, 1, 1, rand);
    const gint64 *dims = infer_request_get_output (request, 1, NULL)->data;
    g_assert_cmpint (dims[2], ==, t);
  }
}

/* A failing step leaves the caches unchanged, although it has appended rows. */
static void
test_failure (void)
{
  g_autoptr (InferExecutable) executable = compile (CACHE_NET ("", ""));
  g_autoptr (InferRequest) request = infer_request_new (executable, NULL);
  g_autoptr (GRand) rand = g_rand_new_with_seed (4);
  g_auto (Oracle) oracle = { 0 };

  for (guint t = 0; t < 5; t++) {
    run_step (request, &oracle, same, 1, 1, rand);
    /* Values and keys of different lengths: the attention fails. */
    set_random (request, 2, 1, 2, rand);
    g_assert_false (infer_request_infer (request, NULL));
    assert_states (request, &oracle);
  }
}

/* Growing along the first axis keeps the value dense; with a second ReadValue.
 */
#define ROWS_NET                                                               \
  IR_NET ("11",                                                                \
      IR_PARAMETER (0, "x", "f32", "?,2") IR_CONST (1, "none", "f32", "0,2",   \
          "0", "0") IR_LAYER (2, "read", "ReadValue", "opset6",                \
          IR_DATA ("variable_id=\"rows\" variable_shape=\"?,2\" "              \
                   "variable_type=\"f32\""),                                   \
          IR_PORT (0), IR_PORT (1)) CONCAT (3, "cat", "0") IR_LAYER (4,        \
          "save", "Assign", "opset6", IR_DATA ("variable_id=\"rows\""),        \
          IR_PORT (0), "") IR_CONST (5, "zero", "i64", "1", "0", "8")          \
          IR_LAYER (6, "sum", "ReduceSum", "opset1",                           \
              IR_DATA ("keep_dims=\"false\""), IR_PORT (0) IR_PORT (1),        \
              IR_PORT (2)) IR_LAYER (7, "before", "ReduceSum", "opset1",       \
              IR_DATA ("keep_dims=\"false\""), IR_PORT (0) IR_PORT (1),        \
              IR_PORT (2)) IR_RESULT (8, "y") IR_RESULT (9, "z"),              \
      IR_EDGE (1, 0, 2, 0) IR_EDGE (2, 1, 3, 0) IR_EDGE (0, 0, 3, 1)           \
          IR_EDGE (3, 2, 4, 0) IR_EDGE (3, 2, 6, 0) IR_EDGE (5, 0, 6, 1)       \
              IR_EDGE (2, 1, 7, 0) IR_EDGE (5, 0, 7, 1) IR_EDGE (6, 2, 8, 0)   \
                  IR_EDGE (7, 2, 9, 0),                                        \
      "")

static void
test_rows (void)
{
  g_autoptr (InferExecutable) executable = compile (ROWS_NET);
  g_autoptr (InferRequest) request = infer_request_new (executable, NULL);
  InferShape shape = infer_shape_make (2, (gint64) 1, (gint64) 2);
  float sum = 0;

  for (guint t = 1; t <= 100; t++) {
    float *x = infer_request_set_input_shape (request, 0, &shape, NULL)->data;

    x[0] = (float) t;
    x[1] = 1;
    g_assert_true (infer_request_infer (request, NULL));
    float *y = infer_request_get_output (request, 0, NULL)->data;
    float *z = infer_request_get_output (request, 1, NULL)->data;
    g_assert_cmpfloat (z[0], ==, sum);
    sum += (float) t;
    g_assert_cmpfloat (y[0], ==, sum);
    g_assert_cmpfloat (y[1], ==, (float) t);
  }
  g_assert_cmpuint (infer_state_get_written (infer_state_set_get (
                        infer_request_get_states (request), 0)),
      <=, 3 * 100 * 2 * sizeof (float));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/growing/appends", test_appends);
  g_test_add_func ("/growing/life", test_life);
  g_test_add_func ("/growing/life-dense", test_life_dense);
  g_test_add_func ("/growing/dense", test_dense);
  g_test_add_func ("/growing/length", test_length);
  g_test_add_func ("/growing/failure", test_failure);
  g_test_add_func ("/growing/rows", test_rows);
  return g_test_run ();
}
