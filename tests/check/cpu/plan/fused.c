/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A block of mobile networks, relu (pointwise (relu (depthwise (a))) + pad
 * (a)), fused to one step: compared with loops here, with separate steps, and
 * with two threads. */

#include "infer/request.h"
#include "tests/check/support/ir.h"
#include "tests/check/support/session.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#define SIDE 40
#define IC 3
#define MID 20
#define OC 28
#define PIXELS (SIDE * SIDE)
/* Offsets of the filters in floats: first, depthwise, pointwise. */
#define W0 0
#define W1 (MID * IC)
#define W2 (W1 + MID * 9)
#define PADS (W2 + OC * MID)
G_STATIC_ASSERT (PADS == 800);

#define CONV(id, name, type, pad)                                              \
  IR_LAYER (id, name, type, "opset1",                                          \
      IR_DATA ("strides=\"1,1\" dilations=\"1,1\" pads_begin=\"" pad "," pad   \
               "\" pads_end=\"" pad "," pad "\""),                             \
      IR_PORT (0) IR_PORT (1), IR_PORT (2))

/* The pad precedes the sum, so it is computed when the sum is fused. */
#define PAD                                                                    \
  IR_LAYER (10, "pad", "Pad", "opset1", IR_DATA ("pad_mode=\"constant\""),     \
      IR_PORT (0) IR_PORT (1) IR_PORT (2), IR_PORT (3))
#define CONSTANTS                                                              \
  IR_CONST (1, "w0", "f32", "20,3,1,1", "0", "240")                            \
  IR_CONST (2, "w1", "f32", "20,1,1,3,3", "240", "720")                        \
  IR_CONST (3, "w2", "f32", "28,20,1,1", "960", "2240")                        \
  IR_CONST (4, "begin", "i64", "4", "3200", "32")                              \
  IR_CONST (5, "end", "i64", "4", "3232", "32")
#define CONVOLUTIONS                                                           \
  CONV (6, "a", "Convolution", "0")                                            \
  PAD CONV (7, "depthwise", "GroupConvolution", "1")                           \
      IR_UNARY (8, "relu", "ReLU") CONV (9, "pointwise", "Convolution", "0")
#define EDGES                                                                  \
  IR_EDGE (0, 0, 6, 0)                                                         \
  IR_EDGE (1, 0, 6, 1)                                                         \
  IR_EDGE (6, 2, 7, 0)                                                         \
  IR_EDGE (2, 0, 7, 1)                                                         \
  IR_EDGE (7, 2, 8, 0)                                                         \
  IR_EDGE (8, 1, 9, 0)                                                         \
  IR_EDGE (3, 0, 9, 1)                                                         \
  IR_EDGE (6, 2, 10, 0)                                                        \
  IR_EDGE (4, 0, 10, 1)                                                        \
  IR_EDGE (5, 0, 10, 2)                                                        \
  IR_EDGE (9, 2, 11, 0)                                                        \
  IR_EDGE (10, 3, 11, 1)                                                       \
  IR_EDGE (11, 2, 12, 0)                                                       \
  IR_EDGE (12, 1, 13, 0)

static const char xml[] = IR_NET ("11",
    IR_PARAMETER (0, "x", "f32", "1,3,40,40") CONSTANTS CONVOLUTIONS IR_BINARY (
        11, "sum", "Add") IR_UNARY (12, "last", "ReLU") IR_RESULT (13, "out"),
    EDGES, "");

/* relu (pointwise (tanh (a)) + a): the sum may be in place in a. */
static const char in_place_xml[] = IR_NET ("11",
    IR_PARAMETER (0, "x", "f32", "1,3,40,40") IR_CONST (1, "w0", "f32",
        "20,3,1,1", "0", "240") IR_CONST (2, "w2", "f32", "20,20,1,1", "960",
        "1600") CONV (3, "a", "Convolution", "0") IR_UNARY (4, "tanh", "Tanh")
        CONV (5, "pointwise", "Convolution", "0") IR_BINARY (6, "sum", "Add")
            IR_UNARY (7, "last", "ReLU") IR_RESULT (8, "out"),
    IR_EDGE (0, 0, 3, 0) IR_EDGE (1, 0, 3, 1) IR_EDGE (3, 2, 4, 0)
        IR_EDGE (4, 1, 5, 0) IR_EDGE (2, 0, 5, 1) IR_EDGE (5, 2, 6, 0)
            IR_EDGE (3, 2, 6, 1) IR_EDGE (6, 2, 7, 0) IR_EDGE (7, 1, 8, 0),
    "");

typedef struct
{
  float weights[PADS + 16];
  float x[IC * PIXELS];
  float want[OC * PIXELS];
} Fixture;

static float
relu (float v)
{
  return v < 0 ? 0 : v;
}

static void
pointwise (const float *w, gsize ic, gsize oc, const float *in, float *out)
{
  for (gsize o = 0; o < oc; o++)
    for (gsize p = 0; p < PIXELS; p++) {
      out[o * PIXELS + p] = 0;
      for (gsize i = 0; i < ic; i++)
        out[o * PIXELS + p] += in[i * PIXELS + p] * w[o * ic + i];
    }
}

static float
depthwise_at (const float *w, const float *in, int y, int x)
{
  float sum = 0;

  for (int ky = -1; ky <= 1; ky++)
    for (int kx = -1; kx <= 1; kx++)
      if (y + ky >= 0 && y + ky < SIDE && x + kx >= 0 && x + kx < SIDE)
        sum += in[(y + ky) * SIDE + x + kx] * w[(ky + 1) * 3 + kx + 1];
  return sum;
}

static void
set_up (Fixture *f, gconstpointer unused)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (5);
  g_autofree float *a = g_new (float, MID *PIXELS);
  g_autofree float *b = g_new (float, MID *PIXELS);
  gint64 pads[8] = { 0, 0, 0, 0, 0, OC - MID, 0, 0 };

  for (gsize i = 0; i < PADS; i++)
    f->weights[i] = (float) g_rand_double_range (rand, -1, 1);
  memcpy (f->weights + PADS, pads, sizeof pads);
  for (gsize i = 0; i < IC * PIXELS; i++)
    f->x[i] = (float) g_rand_double_range (rand, -1, 1);
  pointwise (f->weights + W0, IC, MID, f->x, a);
  for (gsize c = 0; c < MID; c++)
    for (int i = 0; i < PIXELS; i++)
      b[c * PIXELS + (gsize) i] = relu (depthwise_at (
          f->weights + W1 + c * 9, a + c * PIXELS, i / SIDE, i % SIDE));
  pointwise (f->weights + W2, MID, OC, b, f->want);
  for (gsize i = 0; i < OC * PIXELS; i++)
    f->want[i] = relu (f->want[i] + (i < MID * PIXELS ? a[i] : 0));
}

static void
assert_kernel (TestSession *session, const char *name, const char *want)
{
  g_autofree char *kernel = test_session_kernel (session, name);

  g_assert_cmpstr (kernel, ==, want);
}

static void
compute (
    const Fixture *f, const char *net, const char *config, TestSession *session)
{
  g_autoptr (InferModel) model =
      ir_load_good (net, f->weights, sizeof f->weights);

  test_session_open (session, model, NULL, "CPU", config);
  memcpy (test_session_input (session, 0)->data, f->x, sizeof f->x);
  test_session_infer (session);
}

/* Checks whether it was one step. */
static InferTensor *
run (const Fixture *f, const char *config, gboolean fused)
{
  g_auto (TestSession) session = { 0 };

  compute (f, xml, config, &session);
  assert_kernel (&session, "pointwise",
      fused ? "depthwise_pointwise_f32" : "pointwise_f32");
  assert_kernel (
      &session, "depthwise", fused ? "optimized out" : "depthwise_f32");
  g_autofree char *pad = test_session_kernel (&session, "pad");
  g_assert_true ((strcmp (pad, "optimized out") == 0) == fused);
  return test_session_output (&session, 0);
}

static void
test_values (Fixture *f, gconstpointer unused)
{
  g_autoptr (InferTensor) got = run (f, "PERF_COUNT=YES", TRUE);
  const float *data = got->data;

  g_assert_cmpuint (got->size, ==, sizeof f->want);
  for (gsize i = 0; i < OC * PIXELS; i++)
    g_assert_cmpfloat_with_epsilon (data[i], f->want[i], 1e-4f);
}

/* A dumped value must be computed. */
static void
test_apart (Fixture *f, gconstpointer unused)
{
  g_autofree char *dir = g_dir_make_tmp ("fused-XXXXXX", NULL);
  g_autofree char *config = g_strdup_printf (
      "PERF_COUNT=YES,DUMP=nothing-like-this,DUMP_DIR=%s", dir);
  g_autoptr (InferTensor) got = run (f, config, FALSE);
  const float *data = got->data;

  for (gsize i = 0; i < OC * PIXELS; i++)
    g_assert_cmpfloat_with_epsilon (data[i], f->want[i], 1e-4f);
  g_rmdir (dir);
}

static void
test_threads (Fixture *f, gconstpointer unused)
{
  g_autoptr (InferTensor) one =
      run (f, "PERF_COUNT=YES,INFERENCE_NUM_THREADS=1", TRUE);
  g_autoptr (InferTensor) two =
      run (f, "PERF_COUNT=YES,INFERENCE_NUM_THREADS=2", TRUE);

  g_assert_cmpmem (one->data, one->size, two->data, two->size);
}

static void
test_in_place (Fixture *f, gconstpointer unused)
{
  g_auto (TestSession) session = { 0 };
  g_autofree float *a = g_new (float, MID *PIXELS);
  g_autofree float *t = g_new (float, MID *PIXELS);
  g_autofree float *want = g_new (float, MID *PIXELS);

  compute (f, in_place_xml, NULL, &session);
  g_autoptr (InferTensor) got = test_session_output (&session, 0);
  pointwise (f->weights + W0, IC, MID, f->x, a);
  for (gsize i = 0; i < MID * PIXELS; i++)
    t[i] = tanhf (a[i]);
  pointwise (f->weights + W2, MID, MID, t, want);
  g_assert_cmpuint (got->size, ==, MID * PIXELS * sizeof *want);
  for (gsize i = 0; i < MID * PIXELS; i++)
    g_assert_cmpfloat_with_epsilon (
        ((float *) got->data)[i], relu (want[i] + a[i]), 1e-4f);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define TEST(name, func)                                                       \
  g_test_add ("/cpu/fused/" name, Fixture, NULL, set_up, func, NULL)
  TEST ("values", test_values);
  TEST ("apart", test_apart);
  TEST ("threads", test_threads);
  TEST ("in-place", test_in_place);
  return g_test_run ();
}
