/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Activations and normalisations from their parts, in several orders, become
 * one operation that computes the same. */

#include "inference/passes/pass.h"
#include "infer/request.h"
#include "tests/check/support/net.h"
#include "tests/check/support/session.h"

#include <math.h>

#define N 40

typedef struct
{
  const char *label;
  const InferOpClass *klass; /* the fused class; NULL: not fused */
  double (*value) (double x);
  const char *net; /* from "x" to "y" */
  guint before;    /* other operations that stay */
} Form;

static double
swish (double x)
{
  return x / (1 + exp (-x));
}

static double
hswish (double x)
{
  return x * CLAMP (x + 3, 0, 6) / 6;
}

static double
gelu_erf (double x)
{
  return x * (1 + erf (x / sqrt (2))) / 2;
}

static double
gelu_tanh (double x)
{
  return x * (1 + tanh (sqrt (2 / G_PI) * (x + 0.044715 * x * x * x))) / 2;
}

static double
near_gelu (double x)
{
  return x * (1 + erf (x / 1.5)) / 2;
}

static double
squared (double x)
{
  return x / 2 * fabs (x / 2);
}

static double
swish_of_product (double x)
{
  return swish (squared (x));
}

/* x is rows of 10: -5 … in quarters. */
static double
normalised (double x)
{
  double position = (x + N / 2 / 4.0) * 4, row = floor (position / 10) * 10;
  double variance = (10 * 10 - 1) / 12.0 / 16;

  return (position - row - 4.5) / 4 / sqrt (variance + 0.5);
}

/* Of squares of other numbers: not fused. */
static double
halved (double x)
{
  double whole = normalised (x) * sqrt (99 / 12.0 / 16 + 0.5);

  return whole / sqrt (4 * 99 / 12.0 / 16 + 0.5);
}

#define CLAMPED                                                                \
  "three = f32 3; six = f32 6; a = Add three x; c = Clamp a min=0 max=6; "
#define ERF(root)                                                              \
  "root = f32 " root "; one = f32 1; half = f32 0.5; d = Divide x root; "      \
  "e = Erf d; a = Add e one; "
#define TANH_OF_CUBE                                                           \
  "factor = f32 0.044715; root = f32 0.79788456; one = f32 1; "                \
  "half = f32 0.5; term = Multiply factor cube; sum = Add x term; "            \
  "scaled = Multiply sum root; t = Tanh scaled; a = Add one t; "               \
  "p = Multiply half a; y = Multiply p x"
#define CENTRED                                                                \
  "axes = i64 -1; m = ReduceMean x axes keep_dims=true; d = Subtract x m; "    \
  "two = f32 2; eps = f32 0.5; "

static const Form forms[] = {
  { "swish", &infer_op_swish, swish, "s = Sigmoid x; y = Multiply s x", 0 },
  { "hswish", &infer_op_hswish, hswish,
      CLAMPED "p = Multiply x c; y = Divide p six", 0 },
  { "hswish, divided inside", &infer_op_hswish, hswish,
      CLAMPED "sixth = f32 0.16666667; p = Multiply c sixth; y = Multiply p x",
      0 },
  { "hsigmoid", &infer_op_hswish, hswish, "s = HSigmoid x; y = Multiply x s",
      0 },
  { "gelu", &infer_op_gelu, gelu_erf,
      ERF ("1.41421356") "p = Multiply x a; y = Multiply p half", 0 },
  { "gelu, half first", &infer_op_gelu, gelu_erf,
      ERF ("1.41421356") "p = Multiply half x; y = Multiply p a", 0 },
  { "gelu by tanh", &infer_op_gelu, gelu_tanh,
      "square = Multiply x x; cube = Multiply square x; " TANH_OF_CUBE, 0 },
  { "gelu by tanh of a power", &infer_op_gelu, gelu_tanh,
      "three = f32 3; cube = Power x three; " TANH_OF_CUBE, 0 },
  { "layer norm", &infer_op_mvn, normalised,
      CENTRED "q = Power d two; v = ReduceMean q axes keep_dims=true; "
              "a = Add v eps; r = Sqrt a; y = Divide d r",
      0 },
  { "layer norm, inverse", &infer_op_mvn, normalised,
      CENTRED "power = f32 -0.5; q = SquaredDifference x m; "
              "v = ReduceMean q axes keep_dims=true; a = Add eps v; "
              "r = Power a power; y = Multiply r d",
      0 },
  { "swish of a product", &infer_op_swish, swish_of_product,
      "four = f32 4; quarter = Divide x four; more = Add quarter quarter; "
      "positive = Abs more; square = Multiply more positive; "
      "s = Sigmoid square; y = Multiply s square",
      4 },
  { "not quite layer norm", NULL, halved,
      CENTRED "twice = Multiply d two; q = Multiply twice twice; "
              "v = ReduceMean q axes keep_dims=true; a = Add v eps; "
              "r = Sqrt a; y = Divide d r",
      0 },
  { "not quite gelu", NULL, near_gelu,
      ERF ("1.5") "p = Multiply x a; y = Multiply p half", 0 },
};

/* Operations of @klass (NULL: of any) with inputs, Results excluded. */
static guint
count (const InferModel *model, const InferOpClass *klass)
{
  const InferGraph *graph = infer_model_get_graph (model);
  guint n = 0;

  for (guint i = 0; i < graph->operations->len; i++) {
    const InferOperation *one = graph->operations->pdata[i];

    if (one->n_inputs > 0 && !infer_op_is (one, &infer_op_result))
      n += klass == NULL || infer_op_is (one, klass);
  }
  return n;
}

static void
check_values (InferModel *net, const Form *form)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (InferRequest) request = test_request (net, "CPU", NULL);

  float *x = infer_request_get_input (request, 0, NULL)->data;
  for (guint i = 0; i < N; i++)
    x[i] = ((float) i - N / 2) / 4;
  infer_request_infer (request, &error);
  g_assert_no_error (error);
  const float *y = infer_request_get_output (request, 0, NULL)->data;
  for (guint i = 0; i < N; i++)
    g_assert_cmpfloat_with_epsilon (
        (double) y[i], form->value ((double) x[i]), 2e-6);
}

static void
test_form (gconstpointer data)
{
  const Form *form = data;
  g_autoptr (InferModel) net = net_new (), smaller = NULL;
  g_autoptr (GError) error = NULL;

  net_parameter (net, "x", "4,10");
  net_build (net, form->net);
  net_result (net, "result", "y");
  net_settle (net);
  smaller = infer_passes_run (net, NULL, &error);
  g_assert_no_error (error);
  if (form->klass != NULL) {
    g_assert_cmpuint (count (smaller, form->klass), ==, 1);
    g_assert_cmpuint (count (smaller, NULL), ==, 1 + form->before);
  } else {
    g_assert_cmpuint (count (smaller, NULL), ==, count (net, NULL));
  }
  check_values (net, form);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (forms); i++) {
    g_autofree char *path =
        g_strconcat ("/inference/activations/", forms[i].label, NULL);

    g_test_add_data_func (path, &forms[i], test_form);
  }
  return g_test_run ();
}
