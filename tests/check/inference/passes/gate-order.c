/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* LSTM whose model puts the gates into another order: the pass gate_order takes
 * the weights as they are stored, and the results are the same. */

#include "inference/graph/ops/recurrent.h"
#include "inference/passes/pass.h"
#include "tests/check/support/recurrent-ir.h"
#include "tests/check/support/session.h"

#include <string.h>

#define INPUT 80
#define HIDDEN 64
#define GATES 4
#define N_W ((gsize) GATES * HIDDEN * INPUT)
#define N_R ((gsize) GATES * HIDDEN * HIDDEN)
#define N_B ((gsize) GATES * HIDDEN)
#define HEAD 16 /* floats: lengths, an axis */

static const char plain[] = IR_LSTM (
    "3", "80", "64", "256", "81920", "81984", "65536", "147520", "1024");

/* clang-format off */
#define REORDER(split, concat, from)                                           \
  IR_LAYER (split, "split" #from, "Split", "opset1",                           \
      IR_DATA ("num_splits=\"4\""), IR_PORT (0) IR_PORT (1),                   \
      IR_PORT (2) IR_PORT (3) IR_PORT (4) IR_PORT (5))                         \
  IR_LAYER (concat, "concat" #from, "Concat", "opset1",                        \
      IR_DATA ("axis=\"1\""),                                                  \
      IR_PORT (0) IR_PORT (1) IR_PORT (2) IR_PORT (3), IR_PORT (4))
#define REORDER_EDGES(split, concat, from)                                     \
  IR_EDGE (from, 0, split, 0) IR_EDGE (9, 0, split, 1)                         \
  IR_EDGE (split, 4, concat, 0) IR_EDGE (split, 2, concat, 1)                  \
  IR_EDGE (split, 5, concat, 2) IR_EDGE (split, 3, concat, 3)

static const char reordered[] = IR_NET ("11",
    IR_SEQUENCE_INPUTS (
        "3", "80", "64", "256", "81920", "81984", "65536")
    IR_PARAMETER (2, "c", "f32", "2,1,64")
    IR_CONST (6, "b", "f32", "1,256", "147520", "1024")
    IR_CONST (9, "axis", "i64", "1", "16", "8")
    REORDER (10, 11, 4) REORDER (12, 13, 5)
    IR_LAYER (7, "op", "LSTMSequence", "opset5",
        IR_DATA ("hidden_size=\"64\" direction=\"forward\""),
        IR_PORT (0) IR_PORT (1) IR_PORT (2) IR_PORT (3) IR_PORT (4) IR_PORT (5)
        IR_PORT (6), IR_PORT (7) IR_PORT (8) IR_PORT (9))
    IR_RESULT (8, "out"),
    IR_EDGE (0, 0, 7, 0) IR_EDGE (1, 0, 7, 1) IR_EDGE (2, 0, 7, 2)
    IR_EDGE (3, 0, 7, 3) IR_EDGE (11, 4, 7, 4) IR_EDGE (13, 4, 7, 5)
    IR_EDGE (6, 0, 7, 6) IR_EDGE (7, 7, 8, 0)
    REORDER_EDGES (10, 11, 4) REORDER_EDGES (12, 13, 5), "");
/* clang-format on */

/* Gate g (f, i, c, o) is the part order[g] that REORDER_EDGES picks. */
static const guint8 order[] = { 2, 0, 3, 1 };

static float stored[HEAD + N_W + N_R + N_B];

static void
fill_stored (void)
{
  const gint64 head[] = { 3, 2, 1 };

  test_fill (stored + HEAD, N_W + N_R + N_B, 1);
  memcpy (stored, head, sizeof head);
}

/* The gates of @n weights in their usual order. */
static void
sort_gates (float *to, const float *from, gsize n)
{
  const gsize part = n / GATES;

  for (guint g = 0; g < GATES; g++)
    memcpy (to + g * part, from + order[g] * part, part * sizeof *to);
}

static InferTensor *
run (const char *xml, const float *weights, const char *isa)
{
  g_auto (TestSession) session = { 0 };
  g_autoptr (InferModel) model = ir_load_good (xml, weights, sizeof stored);

  test_session_open (&session, model, isa, "CPU", "");
  for (guint i = 0; i < infer_model_n_inputs (model); i++) {
    InferTensor *input = test_session_input (&session, i);

    test_fill (input->data, input->size / sizeof (float), i + 2);
  }
  test_session_infer (&session);
  return test_session_output (&session, 0);
}

static void
test_results (gconstpointer isa)
{
  static float usual[G_N_ELEMENTS (stored)];

  memcpy (usual, stored, sizeof usual);
  sort_gates (usual + HEAD, stored + HEAD, N_W);
  sort_gates (usual + HEAD + N_W, stored + HEAD + N_W, N_R);
  g_autoptr (InferTensor) want = run (plain, usual, isa);
  g_autoptr (InferTensor) got = run (reordered, stored, isa);
  g_autoptr (InferTensor) other = run (plain, stored, isa);
  g_assert_cmpmem (got->data, got->size, want->data, want->size);
  g_assert_cmpint (memcmp (other->data, want->data, want->size), !=, 0);
}

static const InferOperation *
find_op (const InferModel *model)
{
  const InferGraph *graph = infer_model_get_graph (model);

  for (guint i = 0; i < graph->operations->len; i++)
    if (infer_op_is (graph->operations->pdata[i], &infer_op_lstm_sequence))
      return graph->operations->pdata[i];
  g_assert_not_reached ();
}

/* Only for backends that ask for it; the model itself stays as it is. */
static void
test_pass (void)
{
  const InferPassOptions options = { .as_stored = TRUE };
  g_autoptr (InferModel) model =
      ir_load_good (reordered, stored, sizeof stored);
  g_autoptr (InferModel) ours = infer_passes_run (model, &options, NULL);
  g_autoptr (InferModel) theirs = infer_passes_run (model, NULL, NULL);
  const InferOperation *op = find_op (ours);
  const InferRecurrent *attrs = op->attrs;

  g_assert_cmpmem (attrs->order, sizeof attrs->order, order, sizeof order);
  g_assert_cmpmem (op->inputs[4].op->value->data, N_W * sizeof (float),
      stored + HEAD, N_W * sizeof (float));
  g_assert_cmpmem (op->inputs[5].op->value->data, N_R * sizeof (float),
      stored + HEAD + N_W, N_R * sizeof (float));
  g_assert_false (infer_recurrent_is_reordered (find_op (theirs)->attrs));
  g_assert_nonnull (find_op (theirs)->inputs[4].op->value);
  g_assert_false (infer_recurrent_is_reordered (find_op (model)->attrs));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  fill_stored ();
  g_test_add_data_func ("/passes/gate-order/results", NULL, test_results);
  g_test_add_data_func ("/passes/gate-order/results-c", "c", test_results);
  g_test_add_func ("/passes/gate-order/pass", test_pass);
  return g_test_run ();
}
