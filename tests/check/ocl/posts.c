/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Post-ops of convolutions and matrix products compared with the CPU, as
 * vectors and by element: all operations, rows around the sizes of vectors,
 * both strides. */

#include "infer/request.h"
#include "tests/check/support/net.h"
#include "tests/check/support/session.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define CHANNELS 6
#define HEIGHT 5

/* An operation and its inputs: x is the convolution's output, c one number per
 * channel, n a single number, r an input of the same shape. */
static const struct
{
  const char *type, *inputs;
} posts[] = {
  { "Abs", "x" },
  { "Add", "x c" },
  { "Add", "r x" },
  { "Clamp", "x" },
  { "Divide", "x r" },
  { "Elu", "x" },
  { "Erf", "x" },
  { "Exp", "x" },
  { "FakeQuantize", "x low high low high" },
  { "Gelu", "x" },
  { "HSigmoid", "x" },
  { "HSwish", "x" },
  { "Maximum", "x r" },
  { "Minimum", "n x" },
  { "Mish", "x" },
  { "Multiply", "x c" },
  { "Negative", "x" },
  { "PReLU", "x slopes" },
  { "ReLU", "x" },
  { "Sigmoid", "x" },
  { "Sign", "x" },
  { "SoftPlus", "x" },
  { "SquaredDifference", "c x" },
  { "Subtract", "c x" },
  { "Swish", "x" },
  { "Tanh", "x" },
};

static const float channel_values[] = { -1.5f, 0.5f, 0.25f, 2, -0.75f, 1 };

/* @n channels, in the second dimension of @rank. */
static void
add_numbers (InferModel *net, gint64 n, guint rank)
{
  static const float numbers[] = { 0.5f, -2, 1.75f };
  const gint64 channels[] = { 1, n, 1, 1 };
  static const char *const names[] = { "n", "low", "high" };
  g_autofree float *slopes = g_new (float, n);

  for (gint64 i = 0; i < n; i++)
    slopes[i] = channel_values[i % CHANNELS];
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    net_const_f32 (net, names[i], 1, &numbers[i]);
  net_const_f32 (net, "slopes", n, slopes);
  net_const_i64 (net, "channels", rank, channels);
  net_add (
      net, "Reshape", "c", "slopes channels", 1, "special_zero", "false", NULL);
}

static void
add_weights (InferModel *net, gboolean depthwise)
{
  static const gint64 dense[] = { CHANNELS, CHANNELS, 3, 3 };
  static const gint64 each[] = { CHANNELS, 1, 1, 3, 3 };
  const gint64 n = depthwise ? CHANNELS * 9 : CHANNELS * CHANNELS * 9;
  g_autofree float *values = g_new (float, n);

  for (gint64 i = 0; i < n; i++)
    values[i] = (float) (i * 7 % 11 - 5) / (depthwise ? 8 : 16);
  net_const_f32 (net, "flat", n, values);
  net_const_i64 (net, "dims", depthwise ? 5 : 4, depthwise ? each : dense);
  net_add (
      net, "Reshape", "weights", "flat dims", 1, "special_zero", "false", NULL);
}

static void
add_post (InferModel *net, guint p, const char *name, const char *inputs)
{
  const char *type = posts[p].type;

  if (strcmp (type, "Clamp") == 0)
    net_add (net, type, name, inputs, 1, "min", "-0.5", "max", "1.25", NULL);
  else if (strcmp (type, "Elu") == 0)
    net_add (net, type, name, inputs, 1, "alpha", "0.75", NULL);
  else if (strcmp (type, "FakeQuantize") == 0)
    net_add (net, type, name, inputs, 1, "levels", "16", NULL);
  else
    net_add (net, type, name, inputs, 1, NULL);
}

/* y = post (x) n + c. */
static void
finish (InferModel *net, guint p)
{
  add_post (net, p, "p", posts[p].inputs);
  net_build (net, "q = Multiply p n; sum = Add q c; y = Result sum");
  net_settle (net);
}

/* x = in weights */
static InferModel *
make_product (guint p, gint64 columns)
{
  InferModel *net = net_new ();
  const gint64 dims[] = { CHANNELS, columns };
  const gint64 n = CHANNELS * columns;
  g_autofree char *other = g_strdup_printf ("9,%" G_GINT64_FORMAT, columns);
  g_autofree float *values = g_new (float, n);

  for (gint64 i = 0; i < n; i++)
    values[i] = (float) (i * 7 % 11 - 5) / 8;
  net_parameter (net, "in", "9,6");
  net_parameter (net, "r", other);
  add_numbers (net, columns, 2);
  net_const_f32 (net, "flat", n, values);
  net_const_i64 (net, "dims", 2, dims);
  net_build (net, "weights = Reshape flat dims special_zero=false; "
                  "x = MatMul in weights transpose_a=false transpose_b=false");
  finish (net, p);
  return net;
}

/* x = conv (in) */
static InferModel *
make_model (guint p, gint64 width, gboolean depthwise, gboolean twice)
{
  InferModel *net = net_new ();
  g_autofree char *in =
      g_strdup_printf ("1,%d,%d,%" G_GINT64_FORMAT, CHANNELS, HEIGHT, width);
  const gint64 out = twice ? (width + 1) / 2 : width;
  g_autofree char *other = g_strdup_printf ("1,%d,%d,%" G_GINT64_FORMAT,
      CHANNELS, twice ? (HEIGHT + 1) / 2 : HEIGHT, out);

  net_parameter (net, "in", in);
  net_parameter (net, "r", other);
  add_numbers (net, CHANNELS, 4);
  add_weights (net, depthwise);
  net_add (net, depthwise ? "GroupConvolution" : "Convolution", "x",
      "in weights", 1, "strides", twice ? "2,2" : "1,1", "pads_begin", "1,1",
      "pads_end", "1,1", "dilations", "1,1", NULL);
  finish (net, p);
  return net;
}

static InferRequest *
run (InferModel *model, InferRuntime *runtime)
{
  g_autoptr (GError) error = NULL;
  InferRequest *request = test_request_on (runtime, model);

  for (guint i = 0; i < 2; i++) {
    InferTensor *in = infer_request_get_input (request, i, &error);
    float *data = in->data;

    for (gsize k = 0; k < in->size / sizeof *data; k++)
      data[k] = (float) ((k * 13 + i * 5) % 23) / 8 - 1.3f;
  }
  infer_request_infer (request, &error);
  g_assert_no_error (error);
  return request;
}

/* Post-ops run no kernel of their own; @kernel: how the names of kernels begin
 * that compute such an operation. */
static void
assert_fused (InferRequest *request, const char *kernel)
{
  g_autoptr (GArray) timings = infer_request_get_op_timings (request);
  guint launched = 0;

  for (guint i = 0; i < timings->len; i++)
    launched += g_str_has_prefix (
        g_array_index (timings, InferOpTiming, i).kernel, kernel);
  g_assert_cmpuint (launched, ==, 1);
}

static void
check (InferRuntime *cpu, InferRuntime *opencl, InferModel *model,
    const char *kernel, const char *what)
{
  g_autoptr (InferRequest) a = run (model, cpu);
  g_autoptr (InferRequest) b = run (model, opencl);
  const InferTensor *x = infer_request_get_output (a, 0, NULL);
  const InferTensor *y = infer_request_get_output (b, 0, NULL);
  const float *want = x->data, *got = y->data;

  assert_fused (b, kernel);
  for (gsize i = 0; i < x->size / sizeof *want; i++)
    if (!(fabsf (want[i] - got[i]) <= 2e-4f * (1 + fabsf (want[i]))))
      g_error ("%s: [%" G_GSIZE_FORMAT "] is %g, not %g", what, i,
          (double) got[i], (double) want[i]);
}

static void
check_convolution (InferRuntime *cpu, InferRuntime *opencl, guint p,
    gint64 width, gboolean depthwise, gboolean twice)
{
  g_autoptr (InferModel) model = make_model (p, width, depthwise, twice);
  g_autofree char *what =
      g_strdup_printf ("%s, rows of %" G_GINT64_FORMAT "%s%s", posts[p].type,
          width, depthwise ? ", depthwise" : "", twice ? ", stride 2" : "");

  check (cpu, opencl, model, "conv", what);
}

static void
check_product (InferRuntime *cpu, InferRuntime *opencl, guint p, gint64 columns)
{
  g_autoptr (InferModel) model = make_product (p, columns);
  g_autofree char *what = g_strdup_printf (
      "%s, %" G_GINT64_FORMAT " columns", posts[p].type, columns);

  check (cpu, opencl, model, "gem", what);
}

int
main (void)
{
  static const gint64 widths[] = { 3, 5, 9, 17, 35 };
  g_autoptr (InferRuntime) opencl =
      infer_runtime_new ("OPENCL", "PERF_COUNT=YES", NULL);
  g_autoptr (InferRuntime) cpu = infer_runtime_new ("CPU", NULL, NULL);
  guint n = 0;

  if (opencl == NULL) {
    printf ("skipped: no OpenCL device\n");
    return 77;
  }
  /* Each operation in some variants, each variant with some operations. */
  for (guint p = 0; p < G_N_ELEMENTS (posts); p++, n++) {
    check_convolution (cpu, opencl, p, widths[n % G_N_ELEMENTS (widths)],
        (n / 2) % 2, (n / 4) % 2);
    check_product (cpu, opencl, p, n % 3 == 0 ? 17 : 32);
  }
  printf ("%u checked\n", n);
  return 0;
}
