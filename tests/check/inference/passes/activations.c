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
  void (*build) (InferModel *net); /* from "x" to "y" */
  guint before;                    /* other operations that stay */
} Form;

static void
add_number (InferModel *net, const char *name, float number)
{
  net_const_f32 (net, name, 1, &number);
}

static void
op (InferModel *net, const char *type, const char *name, const char *inputs)
{
  net_add (net, type, name, inputs, 1, NULL);
}

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

static void
build_swish (InferModel *net)
{
  op (net, "Sigmoid", "s", "x");
  op (net, "Multiply", "y", "s x");
}

/* x / 2 |x / 2| */
static void
add_product (InferModel *net)
{
  add_number (net, "four", 4);
  op (net, "Divide", "quarter", "x four");
  op (net, "Add", "more", "quarter quarter");
  op (net, "Abs", "positive", "more");
  op (net, "Multiply", "square", "more positive");
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

static void
build_swish_of_product (InferModel *net)
{
  add_product (net);
  op (net, "Sigmoid", "s", "square");
  op (net, "Multiply", "y", "s square");
}

static void
add_clamp (InferModel *net)
{
  add_number (net, "three", 3);
  add_number (net, "six", 6);
  op (net, "Add", "a", "three x");
  net_add (net, "Clamp", "c", "a", 1, "min", "0", "max", "6", NULL);
}

static void
build_hswish (InferModel *net)
{
  add_clamp (net);
  op (net, "Multiply", "p", "x c");
  op (net, "Divide", "y", "p six");
}

static void
build_hswish_inside (InferModel *net)
{
  add_clamp (net);
  add_number (net, "sixth", 1.0f / 6);
  op (net, "Multiply", "p", "c sixth");
  op (net, "Multiply", "y", "p x");
}

static void
build_hsigmoid (InferModel *net)
{
  op (net, "HSigmoid", "s", "x");
  op (net, "Multiply", "y", "x s");
}

static void
add_erf (InferModel *net, float root)
{
  add_number (net, "root", root);
  add_number (net, "one", 1);
  add_number (net, "half", 0.5f);
  op (net, "Divide", "d", "x root");
  op (net, "Erf", "e", "d");
  op (net, "Add", "a", "e one");
}

static void
build_gelu (InferModel *net)
{
  add_erf (net, 1.41421356f);
  op (net, "Multiply", "p", "x a");
  op (net, "Multiply", "y", "p half");
}

static void
build_gelu_half_first (InferModel *net)
{
  add_erf (net, 1.41421356f);
  op (net, "Multiply", "p", "half x");
  op (net, "Multiply", "y", "p a");
}

/* Another root: not fused. */
static void
build_near_gelu (InferModel *net)
{
  add_erf (net, 1.5f);
  op (net, "Multiply", "p", "x a");
  op (net, "Multiply", "y", "p half");
}

static void
finish_tanh (InferModel *net)
{
  add_number (net, "factor", 0.044715f);
  add_number (net, "root", 0.79788456f);
  add_number (net, "one", 1);
  add_number (net, "half", 0.5f);
  op (net, "Multiply", "term", "factor cube");
  op (net, "Add", "sum", "x term");
  op (net, "Multiply", "scaled", "sum root");
  op (net, "Tanh", "t", "scaled");
  op (net, "Add", "a", "one t");
  op (net, "Multiply", "p", "half a");
  op (net, "Multiply", "y", "p x");
}

static void
build_gelu_tanh (InferModel *net)
{
  op (net, "Multiply", "square", "x x");
  op (net, "Multiply", "cube", "square x");
  finish_tanh (net);
}

static void
build_gelu_power (InferModel *net)
{
  add_number (net, "three", 3);
  op (net, "Power", "cube", "x three");
  finish_tanh (net);
}

/* x is rows of 10: -5 … in quarters. */
static double
normalised (double x)
{
  double position = (x + N / 2 / 4.0) * 4, row = floor (position / 10) * 10;
  double variance = (10 * 10 - 1) / 12.0 / 16;

  return (position - row - 4.5) / 4 / sqrt (variance + 0.5);
}

static void
add_centred (InferModel *net)
{
  const gint64 axes[] = { -1 };

  net_const_i64 (net, "axes", 1, axes);
  net_add (net, "ReduceMean", "m", "x axes", 1, "keep_dims", "true", NULL);
  op (net, "Subtract", "d", "x m");
  add_number (net, "two", 2);
  add_number (net, "eps", 0.5f);
}

static void
build_norm (InferModel *net)
{
  add_centred (net);
  op (net, "Power", "q", "d two");
  net_add (net, "ReduceMean", "v", "q axes", 1, "keep_dims", "true", NULL);
  op (net, "Add", "a", "v eps");
  op (net, "Sqrt", "r", "a");
  op (net, "Divide", "y", "d r");
}

static void
build_norm_inverse (InferModel *net)
{
  add_centred (net);
  add_number (net, "power", -0.5f);
  op (net, "SquaredDifference", "q", "x m");
  net_add (net, "ReduceMean", "v", "q axes", 1, "keep_dims", "true", NULL);
  op (net, "Add", "a", "eps v");
  op (net, "Power", "r", "a power");
  op (net, "Multiply", "y", "r d");
}

/* Squares of other numbers: not fused. */
static double
halved (double x)
{
  double whole = normalised (x) * sqrt (99 / 12.0 / 16 + 0.5);

  return whole / sqrt (4 * 99 / 12.0 / 16 + 0.5);
}

static void
build_near_norm (InferModel *net)
{
  add_centred (net);
  op (net, "Multiply", "twice", "d two");
  op (net, "Multiply", "q", "twice twice");
  net_add (net, "ReduceMean", "v", "q axes", 1, "keep_dims", "true", NULL);
  op (net, "Add", "a", "v eps");
  op (net, "Sqrt", "r", "a");
  op (net, "Divide", "y", "d r");
}

static const Form forms[] = {
  { "swish", &infer_op_swish, swish, build_swish, 0 },
  { "hswish", &infer_op_hswish, hswish, build_hswish, 0 },
  { "hswish, divided inside", &infer_op_hswish, hswish, build_hswish_inside,
      0 },
  { "hsigmoid", &infer_op_hswish, hswish, build_hsigmoid, 0 },
  { "gelu", &infer_op_gelu, gelu_erf, build_gelu, 0 },
  { "gelu, half first", &infer_op_gelu, gelu_erf, build_gelu_half_first, 0 },
  { "gelu by tanh", &infer_op_gelu, gelu_tanh, build_gelu_tanh, 0 },
  { "gelu by tanh of a power", &infer_op_gelu, gelu_tanh, build_gelu_power, 0 },
  { "layer norm", &infer_op_mvn, normalised, build_norm, 0 },
  { "layer norm, inverse", &infer_op_mvn, normalised, build_norm_inverse, 0 },
  { "swish of a product", &infer_op_swish, swish_of_product,
      build_swish_of_product, 4 },
  { "not quite layer norm", NULL, halved, build_near_norm, 0 },
  { "not quite gelu", NULL, near_gelu, build_near_gelu, 0 },
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
  float *x;
  const float *y;

  x = infer_request_get_input (request, 0, NULL)->data;
  for (guint i = 0; i < N; i++)
    x[i] = ((float) i - N / 2) / 4;
  infer_request_infer (request, &error);
  g_assert_no_error (error);
  y = infer_request_get_output (request, 0, NULL)->data;
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
  form->build (net);
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
