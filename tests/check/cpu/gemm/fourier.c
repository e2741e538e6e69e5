/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Convolutions and products whose weights are a Fourier transform: compared
 * with loops here, errors beside those of sums of direct products; weights that
 * are almost one are used as they are. */

#include "infer/request.h"
#include "tests/check/cpu/conv/errors.h"
#include "tests/check/support/ir.h"
#include "tests/check/support/session.h"

#include <math.h>
#include <string.h>

typedef enum
{
  BOTH,     /* rows of cosines, then rows of sines */
  COSINES,  /* only */
  SINES,    /* only */
  ALTERNATE /* cosine, sine, cosine… */
} Order;

typedef struct
{
  guint taps, length;
  guint first, bins; /* the bins */
  Order order;
  double offset; /* of the window of Hann, so that it is not zero at the end */
  guint signal, stride, before, after;
} Case;

static const Case cases[] = {
  { 256, 256, 0, 129, BOTH, 0, 640, 128, 0, 0 },
  { 400, 512, 1, 243, BOTH, 0, 1840, 160, 0, 0 },
  { 512, 512, 0, 257, COSINES, 0.1, 1760, 160, 0, 0 },
  { 512, 512, 0, 257, SINES, 0, 1760, 160, 0, 0 },
  { 400, 400, 0, 201, ALTERNATE, 0.08, 8000, 160, 0, 0 },
  { 480, 480, 0, 241, BOTH, 0, 900, 240, 240, 240 },
  { 320, 320, 3, 150, COSINES, 0.5, 1000, 100, 7, 300 },
  { 1024, 1024, 0, 513, BOTH, 0, 1024, 256, 0, 0 },
  { 600, 1024, 20, 300, BOTH, 0, 2000, 77, 0, 0 },
  { 2048, 2048, 0, 1025, BOTH, 0, 5000, 512, 0, 0 },
  { 960, 960, 0, 481, ALTERNATE, 0, 960, 480, 0, 0 },
  { 300, 300, 0, 151, BOTH, 0, 3000, 100, 0, 0 },
};

static guint
n_rows (const Case *c)
{
  return c->order == BOTH || c->order == ALTERNATE ? 2 * c->bins : c->bins;
}

static guint
n_frames (const Case *c)
{
  return (c->signal + c->before + c->after - c->taps) / c->stride + 1;
}

static double
weight_of (const Case *c, guint row, guint tap)
{
  const gboolean sine = c->order == SINES
                        || (c->order == BOTH && row >= c->bins)
                        || (c->order == ALTERNATE && row % 2 == 1);
  const guint bin =
      c->first + (c->order == ALTERNATE ? row / 2 : row % c->bins);
  const double angle =
      2 * G_PI * (double) ((guint64) bin * tap % c->length) / c->length;
  const double window =
      0.5 + c->offset - 0.5 * cos (2 * G_PI * tap / (double) c->taps);

  return window * (sine ? -sin (angle) : cos (angle));
}

/* [rows][taps], of which weight @changed becomes larger by @by. */
static float *
make_weights (const Case *c, gsize changed, double by)
{
  float *weights = g_new (float, (gsize) n_rows (c) * c->taps);

  for (guint r = 0; r < n_rows (c); r++)
    for (guint j = 0; j < c->taps; j++)
      weights[r * c->taps + j] = (float) weight_of (c, r, j);
  weights[changed] += (float) by;
  return weights;
}

static float
signal_at (const Case *c, gint64 i)
{
  return i < 0 || i >= c->signal
             ? 0
             : (float) (sin ((double) (i * i) * 1e-3) * cos ((double) i / 7));
}

static char *
make_convolution (const Case *c)
{
  static const char ir[] = IR_NET ("11",
      IR_PARAMETER (0, "x", "f32", "1,1,%u") IR_CONST (1, "w", "f32", "%u,1,%u",
          "0", "%u") IR_LAYER (2, "op", "Convolution", "opset1",
          IR_DATA ("strides=\"%u\" dilations=\"1\" pads_begin=\"%u\" "
                   "pads_end=\"%u\""),
          IR_PORT (0) IR_PORT (1), IR_PORT (2)) IR_RESULT (3, "out"),
      IR_EDGE (0, 0, 2, 0) IR_EDGE (1, 0, 2, 1) IR_EDGE (2, 2, 3, 0), "");

  return g_strdup_printf (ir, c->signal, n_rows (c), c->taps,
      4 * n_rows (c) * c->taps, c->stride, c->before, c->after);
}

static InferTensor *
run_convolution (
    const Case *c, const float *weights, const char *config, char **kernel)
{
  g_autofree char *ir = make_convolution (c);
  g_autoptr (InferModel) model =
      ir_load_good (ir, weights, 4 * (gsize) n_rows (c) * c->taps);
  g_auto (TestSession) session = { 0 };

  test_session_open (&session, model, NULL, "CPU", config);
  float *x = test_session_input (&session, 0)->data;
  for (guint i = 0; i < c->signal; i++)
    x[i] = signal_at (c, i);
  test_session_infer (&session);
  *kernel = test_session_kernel (&session, "op");
  return test_session_output (&session, 0);
}

/* Exact, and as a sum of floats. */
static void
sum_directly (const Case *c, const float *weights, guint row, guint frame,
    double *exact, float *direct)
{
  *exact = *direct = 0;
  for (guint j = 0; j < c->taps; j++) {
    const float x =
        signal_at (c, (gint64) frame * c->stride + j - (gint64) c->before);
    const float w = weights[(gsize) row * c->taps + j];

    *exact += (double) x * (double) w;
    *direct = fmaf (x, w, *direct);
  }
}

static void
test_accuracy (void)
{
  for (gsize k = 0; k < G_N_ELEMENTS (cases); k++) {
    const Case *c = &cases[k];
    g_autofree float *weights = make_weights (c, 0, 0);
    g_autofree char *kernel = NULL;
    g_autofree char *what = g_strdup_printf ("case %" G_GSIZE_FORMAT, k);
    g_autoptr (InferTensor) got =
        run_convolution (c, weights, "PERF_COUNT=YES", &kernel);
    const float *data = got->data;
    Errors errors = { 0 }, direct_errors = { 0 };

    g_assert_cmpstr (kernel, ==, "fourier_f32");
    g_assert_cmpuint (got->size, ==, 4 * (gsize) n_rows (c) * n_frames (c));
    for (guint r = 0; r < n_rows (c); r++)
      for (guint i = 0; i < n_frames (c); i++) {
        double exact;
        float direct;

        sum_directly (c, weights, r, i, &exact, &direct);
        errors_add (&errors, (double) data[r * n_frames (c) + i] - exact);
        errors_add (&direct_errors, (double) direct - exact);
      }
    errors_check (&errors, &direct_errors, what);
  }
}

static void
test_threads (void)
{
  for (gsize k = 0; k < G_N_ELEMENTS (cases); k++) {
    g_autofree float *weights = make_weights (&cases[k], 0, 0);
    g_autofree char *kernel = NULL, *again = NULL;
    g_autoptr (InferTensor) one = run_convolution (
        &cases[k], weights, "PERF_COUNT=YES,INFERENCE_NUM_THREADS=1", &kernel);
    g_autoptr (InferTensor) two = run_convolution (
        &cases[k], weights, "PERF_COUNT=YES,INFERENCE_NUM_THREADS=2", &again);

    g_assert_cmpmem (one->data, one->size, two->data, two->size);
  }
}

/* One weight that differs by more than rounding is enough, even where products
 * of halves are allowed. */
static void
test_others (void)
{
  static const char precise[] = "PERF_COUNT=YES,EXECUTION_MODE_HINT=ACCURACY";
  static const char fast[] = "PERF_COUNT=YES,EXECUTION_MODE_HINT=PERFORMANCE";
  static const struct
  {
    double by;
    const char *config;
    gboolean fourier;
  } changes[] = {
    { 1e-7, precise, TRUE },
    { 1e-6, precise, FALSE },
    { 1e-7, fast, TRUE },
    { 1e-6, fast, FALSE },
    { NAN, precise, FALSE },
    { NAN, fast, FALSE },
    { INFINITY, precise, FALSE },
  };

  for (gsize k = 0; k < G_N_ELEMENTS (cases); k++)
    for (gsize i = 0; i < G_N_ELEMENTS (changes); i++) {
      const Case *c = &cases[k];
      g_autofree float *weights =
          make_weights (c, (n_rows (c) - 2) * c->taps - 9, changes[i].by);
      g_autofree char *kernel = NULL;
      g_autoptr (InferTensor) got =
          run_convolution (c, weights, changes[i].config, &kernel);

      g_test_message (
          "case %" G_GSIZE_FORMAT " by %g: %s", k, changes[i].by, kernel);
      g_assert_cmpuint (got->size, ==, 4 * (gsize) n_rows (c) * n_frames (c));
      g_assert_cmpint (
          g_str_equal (kernel, "fourier_f32"), ==, changes[i].fourier);
    }
}

/* A product with the weights of a case, and posts: relu (x w + bias).  A single
 * row of x is a column of another shape. */
static char *
make_product (guint frames, guint in, guint out, gboolean transposed)
{
  const gboolean column = frames == 1;
  static const char ir[] = IR_NET ("11",
      IR_PARAMETER (0, "x", "f32", "%u,%u") IR_CONST (
          1, "w", "f32", "%u,%u", "0", "%u") IR_LAYER (2, "op", "MatMul",
          "opset1", IR_DATA ("transpose_a=\"%s\" transpose_b=\"%s\""),
          IR_PORT (0) IR_PORT (1), IR_PORT (2)) IR_CONST (3, "bias", "f32",
          "1,%u", "0", "%u") IR_BINARY (4, "sum", "Add")
          IR_UNARY (5, "relu", "ReLU") IR_RESULT (6, "out"),
      IR_EDGE (0, 0, 2, 0) IR_EDGE (1, 0, 2, 1) IR_EDGE (2, 2, 4, 0)
          IR_EDGE (3, 0, 4, 1) IR_EDGE (4, 2, 5, 0) IR_EDGE (5, 1, 6, 0),
      "");

  return g_strdup_printf (ir, column ? in : frames, column ? 1 : in,
      transposed ? out : in, transposed ? in : out, 4 * in * out,
      column ? "true" : "false", transposed ? "true" : "false", out, 4 * out);
}

/* @inverse: rows of x are spectra, those of the result frames. */
static void
check_product (const Case *c, gboolean inverse, gboolean transposed)
{
  const guint rows = n_rows (c), taps = c->taps, frames = c->signal;
  const guint in = inverse ? rows : taps, out = inverse ? taps : rows;
  g_autofree float *by_rows = make_weights (c, 0, 0);
  g_autofree float *by_taps = g_new (float, (gsize) rows *taps);
  const float *weights = transposed == inverse ? by_taps : by_rows;
  g_autofree char *text = make_product (frames, in, out, transposed);
  Errors errors = { 0 }, direct_errors = { 0 };

  for (guint r = 0; r < rows; r++)
    for (guint j = 0; j < taps; j++)
      by_taps[j * rows + r] = by_rows[r * taps + j];
  g_autoptr (InferModel) model =
      ir_load_good (text, weights, 4 * (gsize) rows * taps);
  g_auto (TestSession) session = { 0 };
  test_session_open (&session, model, NULL, "CPU", "PERF_COUNT=YES");
  float *x = test_session_input (&session, 0)->data;
  test_fill (x, (gsize) frames * in, 1);
  test_session_infer (&session);
  g_autofree char *kernel = test_session_kernel (&session, "op");
  g_autoptr (InferTensor) got = test_session_output (&session, 0);
  g_assert_cmpstr (kernel, ==, inverse ? "inverse_fourier_f32" : "fourier_f32");
  for (guint i = 0; i < frames * out; i++) {
    const guint column = i % out;
    double sum = (double) weights[column];
    float direct = 0;

    for (guint j = 0; j < in; j++) {
      const gsize row = inverse ? j : column, tap = inverse ? column : j;
      const float a = x[i / out * in + j], b = by_rows[row * taps + tap];

      sum += (double) a * (double) b;
      direct = fmaf (a, b, direct);
    }
    sum = MAX (sum, 0);
    direct = MAX (direct + weights[column], 0);
    errors_add (&errors, (double) ((float *) got->data)[i] - sum);
    errors_add (&direct_errors, (double) direct - sum);
  }
  errors_check (&errors, &direct_errors, kernel);
}

static void
test_product (void)
{
  /* `signal`: rows of x */
  static const Case products[] = {
    { 512, 512, 0, 257, ALTERNATE, 0, 1, 1, 0, 0 },
    { 512, 512, 0, 257, BOTH, 0.08, 9, 1, 0, 0 },
    { 400, 512, 3, 200, BOTH, 0, 17, 1, 0, 0 },
    { 480, 480, 0, 241, BOTH, 0, 4, 1, 0, 0 },
    { 300, 300, 0, 151, ALTERNATE, 0, 2, 1, 0, 0 },
    { 1024, 1024, 0, 513, BOTH, 0, 2, 1, 0, 0 },
  };

  for (gsize k = 0; k < 4 * G_N_ELEMENTS (products); k++)
    check_product (&products[k / 4], k % 2 == 1, k / 2 % 2 == 1);
}

/* ConvolutionBackpropData: frames of spectra x [1, rows, n] that overlap. */
static char *
make_overlap (const Case *c, guint n)
{
  static const char ir[] = IR_NET ("11",
      IR_PARAMETER (0, "x", "f32", "1,%u,%u")
          IR_CONST (1, "w", "f32", "%u,1,%u", "0", "%u")
              IR_LAYER (2, "op", "ConvolutionBackpropData", "opset1",
                  IR_DATA ("strides=\"%u\" dilations=\"1\" pads_begin=\"%u\" "
                           "pads_end=\"%u\" output_padding=\"0\""),
                  IR_PORT (0) IR_PORT (1), IR_PORT (2)) IR_RESULT (3, "out"),
      IR_EDGE (0, 0, 2, 0) IR_EDGE (1, 0, 2, 1) IR_EDGE (2, 2, 3, 0), "");

  return g_strdup_printf (ir, n_rows (c), n, n_rows (c), c->taps,
      4 * n_rows (c) * c->taps, c->stride, c->before, c->after);
}

/* Element @i of it, exact, and as a sum of floats. */
static void
sum_overlap (const Case *c, const float *weights, const float *x, guint n,
    guint i, double *exact, float *direct)
{
  *exact = *direct = 0;
  for (guint frame = 0; frame < n; frame++) {
    const guint tap = i + c->before - frame * c->stride; /* may wrap */

    for (guint r = 0; r < n_rows (c) && tap < c->taps; r++) {
      const float a = x[r * n + frame], b = weights[r * c->taps + tap];

      *exact += (double) a * (double) b;
      *direct = fmaf (a, b, *direct);
    }
  }
}

static void
test_overlap (void)
{
  static const Case overlaps[] = {
    { 512, 512, 0, 257, BOTH, 0, 0, 128, 0, 0 },
    { 512, 512, 0, 257, ALTERNATE, 0.1, 0, 256, 256, 256 },
    { 400, 512, 0, 257, BOTH, 0, 0, 160, 120, 7 },
    { 320, 320, 0, 161, BOTH, 0, 0, 400, 0, 0 },
  };

  for (gsize k = 0; k < 2 * G_N_ELEMENTS (overlaps); k++) {
    const Case *c = &overlaps[k / 2];
    const guint n = k % 2 == 0 ? 2 : 11;
    const guint length = (n - 1) * c->stride + c->taps - c->before - c->after;
    g_autofree float *weights = make_weights (c, 0, 0);
    g_autofree char *ir = make_overlap (c, n);
    g_autoptr (InferModel) model =
        ir_load_good (ir, weights, 4 * (gsize) n_rows (c) * c->taps);
    g_auto (TestSession) session = { 0 };
    Errors errors = { 0 }, direct_errors = { 0 };

    test_session_open (&session, model, NULL, "CPU", "PERF_COUNT=YES");
    float *x = test_session_input (&session, 0)->data;
    test_fill (x, (gsize) n_rows (c) * n, 2);
    test_session_infer (&session);
    g_autofree char *kernel = test_session_kernel (&session, "op");
    g_autoptr (InferTensor) got = test_session_output (&session, 0);
    g_assert_cmpstr (kernel, ==, "inverse_fourier_f32");
    g_assert_cmpuint (got->size, ==, 4 * length);
    for (guint i = 0; i < length; i++) {
      double exact;
      float direct;

      sum_overlap (c, weights, x, n, i, &exact, &direct);
      errors_add (&errors, (double) ((float *) got->data)[i] - exact);
      errors_add (&direct_errors, (double) direct - exact);
    }
    errors_check (&errors, &direct_errors, kernel);
  }
}

/* Cosines and sines of the same frames, as two convolutions. */
static char *
make_pair (const Case *c)
{
  static const char ir[] = IR_NET ("11",
      IR_PARAMETER (0, "x", "f32", "1,1,%u") IR_CONST (1, "w", "f32", "%u,1,%u",
          "0", "%u") IR_CONST (2, "v", "f32", "%u,1,%u", "%u", "%u")
          IR_LAYER (3, "op", "Convolution", "opset1", IR_DATA ("%s"),
              IR_PORT (0) IR_PORT (1), IR_PORT (2)) IR_LAYER (4, "other",
              "Convolution", "opset1", IR_DATA ("%s"), IR_PORT (0) IR_PORT (1),
              IR_PORT (2)) IR_RESULT (5, "out") IR_RESULT (6, "out2"),
      IR_EDGE (0, 0, 3, 0) IR_EDGE (1, 0, 3, 1) IR_EDGE (3, 2, 5, 0)
          IR_EDGE (0, 0, 4, 0) IR_EDGE (2, 0, 4, 1) IR_EDGE (4, 2, 6, 0),
      "");
  const guint bytes = 4 * c->bins * c->taps;
  g_autofree char *attributes = g_strdup_printf (
      "strides=\"%u\" dilations=\"1\" pads_begin=\"%u\" pads_end=\"%u\"",
      c->stride, c->before, c->after);

  return g_strdup_printf (ir, c->signal, c->bins, c->taps, bytes, c->bins,
      c->taps, bytes, bytes, attributes, attributes);
}

/* Each half of the rows is one convolution: of two, the second takes what the
 * first has transformed, unless that is too much to keep. */
static void
test_shared (void)
{
  static const struct
  {
    Case of;
    gboolean sines_first, shared;
  } pairs[] = {
    { { 512, 512, 0, 257, BOTH, 0, 1760, 160, 0, 0 }, FALSE, TRUE },
    { { 512, 512, 0, 257, BOTH, 0, 1760, 160, 0, 0 }, TRUE, TRUE },
    { { 400, 512, 1, 200, BOTH, 0.08, 16000, 160, 200, 200 }, TRUE, TRUE },
    { { 400, 512, 1, 200, BOTH, 0, 160000, 160, 0, 0 }, FALSE, FALSE },
  };

  for (gsize k = 0; k < G_N_ELEMENTS (pairs); k++) {
    const Case *c = &pairs[k].of;
    const gsize half = (gsize) c->bins * c->taps,
                results = c->bins * n_frames (c);
    g_autofree float *both = make_weights (c, 0, 0);
    g_autofree float *turned = g_malloc (8 * half);
    g_autofree char *ir = make_pair (c), *alone = NULL;
    g_autoptr (InferTensor) want =
        run_convolution (c, both, "PERF_COUNT=YES", &alone);
    const float *wanted = want->data;

    memcpy (turned, both + half, 4 * half);
    memcpy (turned + half, both, 4 * half);
    g_autoptr (InferModel) model =
        ir_load_good (ir, pairs[k].sines_first ? turned : both, 8 * half);
    g_auto (TestSession) session = { 0 };
    test_session_open (&session, model, NULL, "CPU", "PERF_COUNT=YES");
    for (guint run = 0; run < 2; run++) {
      float *x = test_session_input (&session, 0)->data;
      for (guint i = 0; i < c->signal; i++)
        x[i] = run == 0 ? -1 : signal_at (c, i);
      test_session_infer (&session);
    }
    g_autofree char *first = test_session_kernel (&session, "op");
    g_autofree char *second = test_session_kernel (&session, "other");
    const guint n_shared = g_str_equal (first, "fourier_shared_f32")
                           + g_str_equal (second, "fourier_shared_f32");

    g_assert_cmpuint (n_shared, ==, pairs[k].shared ? 1 : 0);
    for (guint i = 0; i < 2; i++) {
      g_autoptr (InferTensor) got = test_session_output (&session, i);
      const gboolean sines = (i == 1) != pairs[k].sines_first;

      for (gsize j = 0; j < results; j++)
        g_assert_cmpfloat_with_epsilon ((double) ((float *) got->data)[j],
            (double) wanted[j + (sines ? results : 0)], 1e-4);
    }
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cpu/fourier/accuracy", test_accuracy);
  g_test_add_func ("/cpu/fourier/threads", test_threads);
  g_test_add_func ("/cpu/fourier/others", test_others);
  g_test_add_func ("/cpu/fourier/product", test_product);
  g_test_add_func ("/cpu/fourier/overlap", test_overlap);
  g_test_add_func ("/cpu/fourier/shared", test_shared);
  return g_test_run ();
}
