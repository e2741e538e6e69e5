/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Contexts that requests take turns with. */

#include "cpu/plan/contexts.h"

#include "cpu/base/context.h"
#include "infer/request.h"
#include "inference/runtime/state-backend.h"
#include "tests/check/support/ir.h"
#include "tests/check/support/session.h"

#define N_REQUESTS 5
#define N_THREADS 4
#define N_RUNS 300

/* y = x + x of any length. */
#define DOUBLE_NET                                                             \
  IR_NET ("11",                                                                \
      IR_PARAMETER (0, "x", "f32", "?") IR_BINARY (1, "y", "Add")              \
          IR_RESULT (2, "out"),                                                \
      IR_EDGE (0, 0, 1, 0) IR_EDGE (0, 0, 1, 1) IR_EDGE (1, 2, 2, 0), "")

/* y = the sum of all x of a sequence, which begins with twice its first x. */
#define SUM_NET                                                                \
  IR_NET ("11",                                                                \
      IR_PARAMETER (0, "x", "f32", "?") IR_BINARY (1, "first", "Add")          \
          IR_LAYER (2, "read", "ReadValue", "opset6",                          \
              IR_DATA ("variable_id=\"sum\" variable_type=\"f32\" "            \
                       "variable_shape=\"?\""),                                \
              IR_PORT (0), IR_PORT (1)) IR_BINARY (3, "y", "Add")              \
              IR_LAYER (4, "assign", "Assign", "opset6",                       \
                  IR_DATA ("variable_id=\"sum\" variable_type=\"f32\" "        \
                           "variable_shape=\"?\""),                            \
                  IR_PORT (0), IR_PORT (1)) IR_RESULT (5, "out"),              \
      IR_EDGE (0, 0, 1, 0) IR_EDGE (0, 0, 1, 1) IR_EDGE (1, 2, 2, 0)           \
          IR_EDGE (2, 1, 3, 0) IR_EDGE (0, 0, 3, 1) IR_EDGE (3, 2, 4, 0)       \
              IR_EDGE (3, 2, 5, 0),                                            \
      "")

static InferModel *
load (const char *text)
{
  g_autoptr (GBytes) xml = g_bytes_new_static (text, strlen (text));
  g_autoptr (GError) error = NULL;
  InferModel *model = infer_model_load_bytes (xml, NULL, "test.xml", &error);

  g_assert_no_error (error);
  return model;
}

/* --- the contexts themselves --- */

typedef struct
{
  CpuScope *scope;
  InferModel *model;
  CpuGraph *graph;
  CpuContexts *contexts;
  InferTensor *tensors[2]; /* of two shapes */
  CpuInput inputs[2];      /* the same */
  InferTensor *output[1];
} Fixture;

static void
set_up (Fixture *f, gconstpointer data)
{
  const InferConfig config = { .streams = 1, .threads = 1 };

  f->scope = cpu_scope_new (&config);
  f->model = load (DOUBLE_NET);
  f->graph = cpu_graph_new (
      f->scope, f->model, infer_model_get_graph (f->model), NULL);
  f->contexts = cpu_contexts_new (f->scope, f->model, f->graph);
  for (guint i = 0; i < N_REQUESTS; i++)
    cpu_contexts_join (f->contexts);
  f->tensors[0] = test_tensor (INFER_TYPE_F32, "3");
  f->tensors[1] = test_tensor (INFER_TYPE_F32, "7");
  for (guint k = 0; k < 2; k++) {
    const InferTensor *x = f->tensors[k];

    f->inputs[k] = (CpuInput){ .desc = { x->type, x->shape }, .data = x->data };
  }
  f->output[0] = test_tensor (INFER_TYPE_F32, "3");
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  while (cpu_contexts_get_number (f->contexts) > 0)
    cpu_contexts_leave (f->contexts);
  infer_tensor_unref (f->tensors[0]);
  infer_tensor_unref (f->tensors[1]);
  infer_tensor_unref (f->output[0]);
  cpu_contexts_free (f->contexts);
  cpu_graph_free (f->graph);
  infer_model_unref (f->model);
  cpu_scope_free (f->scope);
}

/* Runs it with inputs of shape @k. */
static void
run_in (Fixture *f, CpuContext *context, guint k)
{
  g_autoptr (GError) error = NULL;

  ((float *) f->tensors[k]->data)[2] = 4;
  cpu_runner_run (context->main, &f->inputs[k], f->output, &error);
  cpu_runner_end (context->main);
  g_assert_no_error (error);
  g_assert_cmpfloat (((const float *) f->output[0]->data)[2], ==, 8);
}

/* Takes one, runs shape @k in it. */
static CpuContext *
take (Fixture *f, guint k, const CpuContext *last)
{
  CpuContext *context = cpu_contexts_take (f->contexts, &f->inputs[k], last);

  run_in (f, context, k);
  return context;
}

/* As many as run at a time, not as many as requests; no more than requests. */
static void
test_turns (Fixture *f, gconstpointer data)
{
  CpuContext *a = take (f, 0, NULL);

  cpu_contexts_give (f->contexts, a, f);
  for (guint i = 0; i < N_REQUESTS; i++) {
    g_assert_true (take (f, 0, NULL) == a);
    cpu_contexts_give (f->contexts, a, f);
  }
  g_assert_cmpuint (cpu_contexts_get_number (f->contexts), ==, 1);
  g_assert_true (take (f, 0, NULL) == a);
  CpuContext *b = take (f, 0, NULL);
  g_assert_true (b != a);
  g_assert_cmpuint (cpu_contexts_get_number (f->contexts), ==, 2);
  cpu_contexts_give (f->contexts, a, f);
  cpu_contexts_give (f->contexts, b, f);
  for (guint i = 0; i < N_REQUESTS - 1; i++)
    cpu_contexts_leave (f->contexts);
  g_assert_cmpuint (cpu_contexts_get_number (f->contexts), ==, 1);
}

/* One with a plan for the shapes first, then the one of before, then a new one
 * if there may be more. */
static void
test_choice (Fixture *f, gconstpointer data)
{
  CpuContext *a = take (f, 0, NULL), *b = take (f, 1, NULL);

  for (guint order = 0; order < 2; order++) {
    cpu_contexts_give (f->contexts, order == 0 ? a : b, f);
    cpu_contexts_give (f->contexts, order == 0 ? b : a, f);
    g_assert_true (take (f, 0, b) == a);
    g_assert_true (take (f, 1, a) == b);
  }
  cpu_contexts_give (f->contexts, a, f);
  cpu_contexts_give (f->contexts, b, f);
  f->inputs[0].desc.shape.dims[0] = 2; /* of its three elements */
  g_assert_true (cpu_contexts_take (f->contexts, &f->inputs[0], a) == a);
  cpu_contexts_give (f->contexts, a, f);
  g_assert_true (cpu_contexts_take (f->contexts, &f->inputs[0], b) == b);
  cpu_contexts_give (f->contexts, b, f);
  CpuContext *c = cpu_contexts_take (f->contexts, &f->inputs[0], NULL);
  g_assert_true (c != a && c != b);
  cpu_contexts_give (f->contexts, c, f);
  for (guint i = 0; i < N_REQUESTS - 3; i++)
    cpu_contexts_leave (f->contexts);
  g_assert_cmpuint (cpu_contexts_get_number (f->contexts), ==, 3);
  c = cpu_contexts_take (f->contexts, &f->inputs[0], NULL);
  g_assert_cmpuint (cpu_contexts_get_number (f->contexts), ==, 3);
  cpu_contexts_give (f->contexts, c, f);
  f->inputs[0].desc.shape.dims[0] = 3;
}

/* A request that rests does not take memory from those that run. */
static void
test_rest (Fixture *f, gconstpointer data)
{
  CpuContext *a = take (f, 0, NULL);

  for (gint64 n = 4; n < 7; n++) {
    f->inputs[1].desc.shape.dims[0] = n;
    run_in (f, a, 1);
  }
  f->inputs[1].desc.shape.dims[0] = 7;
  cpu_contexts_give (f->contexts, a, a);
  cpu_contexts_rest (f->contexts, f);
  g_assert_true (cpu_runner_has_plan (a->main, &f->inputs[0]));
  cpu_contexts_rest (f->contexts, a);
  g_assert_false (cpu_runner_has_plan (a->main, &f->inputs[0]));
  g_assert_true (take (f, 1, a) == a);
  cpu_contexts_give (f->contexts, a, a);
}

/* --- requests --- */

static float
sum_up (InferRequest *request, float x, guint n)
{
  const InferShape shape = infer_shape_make (1, (gint64) n);
  g_autoptr (GError) error = NULL;
  InferTensor *in;

  infer_request_set_input_shape (request, 0, &shape, &error);
  g_assert_no_error (error);
  in = infer_request_get_input (request, 0, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < n; i++)
    ((float *) in->data)[i] = x;
  infer_request_infer (request, &error);
  g_assert_no_error (error);
  const InferTensor *out = infer_request_get_output (request, 0, NULL);
  g_assert_cmpuint (out->size, ==, n * sizeof (float));
  return ((const float *) out->data)[n - 1];
}

/* Sequences that are begun, computed and begun anew in turns, of two lengths.
 */
static void
test_sequences (void)
{
  g_autoptr (InferModel) model = load (SUM_NET);
  g_autoptr (InferExecutable) executable = test_compile (model, "CPU", NULL);
  InferRequest *requests[N_REQUESTS];
  float sums[N_REQUESTS] = { 0 };

  for (guint i = 0; i < N_REQUESTS; i++)
    requests[i] = infer_request_new (executable, NULL);
  for (guint k = 0; k < 40; k++) {
    const guint i = k * 3 % N_REQUESTS;
    const float x = (float) (k + 1);

    if (k % 11 == 7) {
      infer_state_set_reset (infer_request_get_states (requests[i]));
      sums[i] = 0;
    }
    sums[i] = sums[i] == 0 ? 3 * x : sums[i] + x;
    g_assert_cmpfloat (sum_up (requests[i], x, 2 + i % 2), ==, sums[i]);
  }
  for (guint i = 0; i < N_REQUESTS; i++)
    infer_request_free (requests[i]);
}

/* Between steps a sequence has the memory of its value only: what the next
 * value is written to is the context's. */
static void
test_spares (void)
{
  g_autoptr (InferModel) model = load (SUM_NET);
  g_autoptr (InferExecutable) executable = test_compile (model, "CPU", NULL);

  for (guint i = 0; i < N_REQUESTS; i++) {
    g_autoptr (InferRequest) request = infer_request_new (executable, NULL);
    InferState *sum =
        infer_state_set_get (infer_request_get_states (request), 0);

    for (guint step = 0; step < 4; step++) {
      g_assert_cmpfloat (sum_up (request, 1, 2), ==, (float) (3 + step));
      g_assert_null (infer_state_take_spare (sum));
    }
  }
}

static gpointer
run_sequences (gpointer executable)
{
  for (guint k = 0; k < N_RUNS / 10; k++) {
    g_autoptr (InferRequest) request = infer_request_new (executable, NULL);

    for (guint i = 0; i < 10; i++)
      g_assert_cmpfloat (sum_up (request, 1, 1 + k % 3), ==, (float) (3 + i));
  }
  return NULL;
}

/* Requests come and go while others run. */
static void
test_threads (void)
{
  g_autoptr (InferModel) model = load (SUM_NET);
  g_autoptr (InferExecutable) executable = test_compile (model, "CPU", NULL);
  GThread *threads[N_THREADS];

  for (guint i = 0; i < N_THREADS; i++)
    threads[i] = g_thread_new ("run", run_sequences, executable);
  for (guint i = 0; i < N_THREADS; i++)
    g_thread_join (threads[i]);
}

/* Times of operations are those of the request's own last run. */
static void
test_timings (void)
{
  g_autoptr (InferModel) model = load (SUM_NET);
  g_autoptr (InferExecutable) executable =
      test_compile (model, "CPU", "PERF_COUNT=YES");
  g_autoptr (InferRequest) one = infer_request_new (executable, NULL);
  g_autoptr (InferRequest) two = infer_request_new (executable, NULL);

  sum_up (one, 1, 1 << 16);
  sum_up (two, 1, 1);
  g_autoptr (GArray) large = infer_request_get_op_timings (one);
  g_autoptr (GArray) small = infer_request_get_op_timings (two);
  guint64 ns[2] = { 0 };
  for (guint i = 0; i < large->len; i++)
    ns[0] += g_array_index (large, InferOpTiming, i).ns;
  for (guint i = 0; i < small->len; i++)
    ns[1] += g_array_index (small, InferOpTiming, i).ns;
  g_assert_cmpuint (ns[0], >, 2 * ns[1]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name)                                                              \
  g_test_add (                                                                 \
      "/cpu/contexts/" #name, Fixture, NULL, set_up, test_##name, tear_down)
  ADD (turns);
  ADD (choice);
  ADD (rest);
  g_test_add_func ("/cpu/contexts/sequences", test_sequences);
  g_test_add_func ("/cpu/contexts/spares", test_spares);
  g_test_add_func ("/cpu/contexts/threads", test_threads);
  g_test_add_func ("/cpu/contexts/timings", test_timings);
  return g_test_run ();
}
