/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A 3 × 3 convolution with sizes that are not multiples of a tile, asymmetric
 * padding, a scale, a bias, a residual sum and an activation: compared with
 * loops here, and the same on two threads.  Errors beside those of sums of
 * direct products. */

#include "cpu/kernels/isa.h"
#include "infer/request.h"
#include "tests/check/cpu/conv/errors.h"
#include "tests/check/support/ir.h"
#include "tests/check/support/session.h"

#include <math.h>
#include <string.h>

#define H 15
#define W 30
#define C 36
#define PIXELS (H * W)
#define WEIGHTS (C * C * 9)

static const char xml[] = IR_NET ("11",
    IR_PARAMETER (0, "x", "f32", "2,36,15,30") IR_CONST (1, "w", "f32",
        "36,36,3,3", "0", "46656") IR_CONST (2, "scale", "f32", "1,36,1,1",
        "46656", "144") IR_CONST (3, "bias", "f32", "1,36,1,1", "46800", "144")
        IR_LAYER (4, "op", "Convolution", "opset1",
            IR_DATA ("strides=\"1,1\" dilations=\"1,1\" "
                     "pads_begin=\"0,1\" pads_end=\"2,1\""),
            IR_PORT (0) IR_PORT (1), IR_PORT (2))
            IR_BINARY (5, "scaled", "Multiply") IR_BINARY (6, "biased", "Add")
                IR_BINARY (7, "sum", "Add") IR_UNARY (8, "relu", "ReLU")
                    IR_RESULT (9, "out"),
    IR_EDGE (0, 0, 4, 0) IR_EDGE (1, 0, 4, 1) IR_EDGE (4, 2, 5, 0) IR_EDGE (2,
        0, 5, 1) IR_EDGE (5, 2, 6, 0) IR_EDGE (3, 0, 6, 1) IR_EDGE (6, 2, 7, 0)
        IR_EDGE (0, 0, 7, 1) IR_EDGE (7, 2, 8, 0) IR_EDGE (8, 1, 9, 0),
    "");

/* Fewer tiles than threads: threads share output channels. */
static const char few[] = IR_NET ("11",
    IR_PARAMETER (0, "x", "f32", "1,64,8,8") IR_CONST (
        1, "w", "f32", "64,64,3,3", "0", "147456") IR_CONST (2, "bias", "f32",
        "1,64,1,1", "147456", "256") IR_LAYER (3, "op", "Convolution", "opset1",
        IR_DATA ("strides=\"1,1\" dilations=\"1,1\" "
                 "pads_begin=\"1,1\" pads_end=\"1,1\""),
        IR_PORT (0) IR_PORT (1), IR_PORT (2)) IR_BINARY (4, "biased", "Add")
        IR_BINARY (5, "sum", "Add") IR_RESULT (6, "out"),
    IR_EDGE (0, 0, 3, 0) IR_EDGE (1, 0, 3, 1) IR_EDGE (3, 2, 4, 0) IR_EDGE (2,
        0, 4, 1) IR_EDGE (4, 2, 5, 0) IR_EDGE (0, 0, 5, 1) IR_EDGE (5, 2, 6, 0),
    "");

/* Nothing but the convolution, of C × C channels and S × S pixels. */
#define ONLY(c, s, bytes)                                                      \
  IR_NET ("11",                                                                \
      IR_PARAMETER (0, "x", "f32", "1," c "," s "," s)                         \
          IR_CONST (1, "w", "f32", c "," c ",3,3", "0", bytes)                 \
              IR_LAYER (2, "op", "Convolution", "opset1",                      \
                  IR_DATA ("strides=\"1,1\" dilations=\"1,1\" "                \
                           "pads_begin=\"1,1\" pads_end=\"1,1\""),             \
                  IR_PORT (0) IR_PORT (1), IR_PORT (2)) IR_RESULT (3, "out"),  \
      IR_EDGE (0, 0, 2, 0) IR_EDGE (1, 0, 2, 1) IR_EDGE (2, 2, 3, 0), "")

static const struct
{
  const char *xml;
  gsize channels, size;
} only[] = {
  { ONLY ("16", "32", "9216"), 16, 32 },
  { ONLY ("32", "16", "36864"), 32, 16 },
  { ONLY ("64", "16", "147456"), 64, 16 },
};

typedef struct
{
  float weights[64 * 64 * 9 + 64];
  float x[2 * C * PIXELS];
} Fixture;

static void
set_up (Fixture *f, gconstpointer unused)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (6);

  for (gsize i = 0; i < G_N_ELEMENTS (f->weights); i++)
    f->weights[i] = (float) g_rand_double_range (rand, -1, 1);
  for (gsize i = 0; i < G_N_ELEMENTS (f->x); i++)
    f->x[i] = (float) g_rand_double_range (rand, -1, 1);
}

static double
convolve (const Fixture *f, gsize n, gsize o, int y, int x)
{
  double sum = 0;

  for (gsize i = 0; i < C; i++) {
    const float *in = f->x + (n * C + i) * PIXELS;
    const float *w = f->weights + (o * C + i) * 9;

    for (int ky = 0; ky < 3; ky++)
      for (int kx = 0; kx < 3; kx++)
        if (y + ky < H && x + kx >= 1 && x + kx <= W)
          sum +=
              (double) in[(y + ky) * W + x + kx - 1] * (double) w[ky * 3 + kx];
  }
  return sum;
}

static InferTensor *
run (const Fixture *f, const char *ir, const char *config)
{
  g_autoptr (InferModel) model =
      ir_load_good (ir, f->weights, sizeof f->weights);
  g_auto (TestSession) session = { 0 };

  test_session_open (&session, model, NULL, "CPU", config);
  memcpy (test_session_input (&session, 0)->data, f->x,
      test_session_input (&session, 0)->size);
  test_session_infer (&session);
  g_autofree char *kernel = test_session_kernel (&session, "op");
  if (g_getenv ("INFER_CPU_ISA") == NULL && (cpu_isa_detect () & CPU_ISA_AVX2))
    g_assert_cmpstr (kernel, ==, "winograd_f32");
  return test_session_output (&session, 0);
}

static void
test_values (Fixture *f, gconstpointer unused)
{
  g_autoptr (InferTensor) got = run (f, xml, "PERF_COUNT=YES");
  const float *data = got->data;
  const float *scale = f->weights + WEIGHTS, *bias = scale + C;

  g_assert_cmpuint (got->size, ==, sizeof f->x);
  for (gsize i = 0; i < 2 * C * PIXELS; i++) {
    gsize n = i / PIXELS / C, o = i / PIXELS % C;
    double want = convolve (f, n, o, (int) (i % PIXELS / W), (int) (i % W))
                      * (double) scale[o]
                  + (double) bias[o] + (double) f->x[i];

    /* sums of 324 products of magnitude below 1 */
    g_assert_cmpfloat_with_epsilon ((double) data[i], MAX (want, 0), 1e-4);
  }
}

/* One output: exact, and as a sum of floats, tap by tap. */
static void
sum_directly (const Fixture *f, gsize channels, gsize size, gsize o, gsize at,
    double *exact, float *direct)
{
  *exact = *direct = 0;
  for (gsize tap = 0; tap < 9; tap++) {
    const gsize y = at / size + tap / 3, x = at % size + tap % 3;

    if (y < 1 || y > size || x < 1 || x > size)
      continue;
    for (gsize i = 0; i < channels; i++) {
      const float in = f->x[(i * size + y - 1) * size + x - 1];
      const float w = f->weights[(o * channels + i) * 9 + tap];

      *exact += (double) in * (double) w;
      *direct = fmaf (in, w, *direct);
    }
  }
}

static void
test_accuracy (Fixture *f, gconstpointer unused)
{
  for (guint k = 0; k < 2 * G_N_ELEMENTS (only); k++) {
    const guint which = k % G_N_ELEMENTS (only);
    const gsize channels = only[which].channels, size = only[which].size;
    const gsize pixels = size * size;
    Errors direct = { 0 }, winograd = { 0 };

    /* then without negative inputs, as after a ReLU */
    for (gsize i = 0; i < G_N_ELEMENTS (f->x) && k == G_N_ELEMENTS (only); i++)
      f->x[i] = fabsf (f->x[i]);
    g_autoptr (InferTensor) got = run (f, only[which].xml, "PERF_COUNT=YES");
    const float *data = got->data;
    for (gsize i = 0; i < channels * pixels; i++) {
      double exact;
      float sum;

      sum_directly (f, channels, size, i / pixels, i % pixels, &exact, &sum);
      errors_add (&direct, (double) sum - exact);
      errors_add (&winograd, (double) data[i] - exact);
    }
    g_autofree char *what =
        g_strdup_printf ("%" G_GSIZE_FORMAT " channels", channels);
    errors_check (&winograd, &direct, what);
  }
}

static void
test_threads (Fixture *f, gconstpointer unused)
{
  static const char *const models[] = { xml, few };

  for (gsize i = 0; i < G_N_ELEMENTS (models); i++) {
    g_autoptr (InferTensor) one =
        run (f, models[i], "PERF_COUNT=YES,INFERENCE_NUM_THREADS=1");
    g_autoptr (InferTensor) two =
        run (f, models[i], "PERF_COUNT=YES,INFERENCE_NUM_THREADS=2");

    g_assert_cmpmem (one->data, one->size, two->data, two->size);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/cpu/winograd/values", Fixture, NULL, set_up, test_values, NULL);
  g_test_add (
      "/cpu/winograd/accuracy", Fixture, NULL, set_up, test_accuracy, NULL);
  g_test_add (
      "/cpu/winograd/threads", Fixture, NULL, set_up, test_threads, NULL);
  return g_test_run ();
}
