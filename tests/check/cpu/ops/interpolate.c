/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Interpolate with post-ops in the same step, between Transposes and into a
 * Concat: compared with loops here, and the same bits on several threads. */

#include <math.h>

#include "tests/check/support/ir.h"
#include "tests/check/support/session.h"

#define IH 9
#define IW 40
#define OH (2 * IH)
#define OW (2 * IW)
#define C 24

#define INTERPOLATE(id, name, attributes)                                      \
  IR_LAYER (id, name, "Interpolate", "opset11",                                \
      IR_DATA (attributes " shape_calculation_mode=\"sizes\" "                 \
                          "pads_begin=\"0\" pads_end=\"0\""),                  \
      IR_PORT (0) IR_PORT (1) IR_PORT (2), IR_PORT (3))
#define LINEAR                                                                 \
  "mode=\"linear_onnx\" coordinate_transformation_mode=\"half_pixel\""
#define NEAREST                                                                \
  "mode=\"nearest\" coordinate_transformation_mode=\"asymmetric\" "            \
  "nearest_mode=\"floor\""
#define CONSTANTS                                                              \
  IR_CONST (10, "sizes", "i64", "2", "0", "16")                                \
  IR_CONST (11, "axes", "i64", "2", "16", "16")
#define TO_INTERPOLATE(from, port, id)                                         \
  IR_EDGE (from, port, id, 0) IR_EDGE (10, 0, id, 1) IR_EDGE (11, 0, id, 2)

/* relu (linear (x) + y) */
static const char linear[] = IR_NET ("11",
    IR_PARAMETER (0, "x", "f32", "1,9,40,24")
        IR_PARAMETER (1, "y", "f32", "1,18,80,24")
            CONSTANTS INTERPOLATE (2, "z", LINEAR) IR_BINARY (3, "sum", "Add")
                IR_UNARY (4, "relu", "ReLU") IR_RESULT (5, "out"),
    TO_INTERPOLATE (0, 0, 2) IR_EDGE (2, 3, 3, 0) IR_EDGE (1, 0, 3, 1)
        IR_EDGE (3, 2, 4, 0) IR_EDGE (4, 1, 5, 0),
    "");

/* The same with Transposes around it. */
static const char transposed[] = IR_NET ("11",
    IR_PARAMETER (0, "x", "f32", "1,24,9,40") IR_PARAMETER (1, "y", "f32",
        "1,24,18,80") CONSTANTS IR_CONST (12, "last", "i64", "4", "32", "32")
        IR_CONST (13, "second", "i64", "4", "64", "32")
            IR_BINARY (6, "there", "Transpose") INTERPOLATE (2, "z", LINEAR)
                IR_BINARY (7, "back", "Transpose") IR_BINARY (3, "sum", "Add")
                    IR_UNARY (4, "relu", "ReLU") IR_RESULT (5, "out"),
    IR_EDGE (0, 0, 6, 0) IR_EDGE (12, 0, 6, 1) TO_INTERPOLATE (6, 2, 2)
        IR_EDGE (2, 3, 7, 0) IR_EDGE (13, 0, 7, 1) IR_EDGE (7, 2, 3, 0)
            IR_EDGE (1, 0, 3, 1) IR_EDGE (3, 2, 4, 0) IR_EDGE (4, 1, 5, 0),
    "");

/* Concat of nearest (x), y, and nearest (w) + y */
static const char nearest[] = IR_NET ("11",
    IR_PARAMETER (0, "x", "f32", "1,9,40,24") IR_PARAMETER (
        1, "y", "f32", "1,18,80,24") IR_PARAMETER (2, "w", "f32", "1,9,40,24")
        CONSTANTS INTERPOLATE (3, "z", NEAREST) INTERPOLATE (4, "v", NEAREST)
            IR_BINARY (5, "sum", "Add") IR_LAYER (6, "concat", "Concat",
                "opset1", IR_DATA ("axis=\"3\""),
                IR_PORT (0) IR_PORT (1) IR_PORT (2), IR_PORT (3))
                IR_RESULT (7, "out"),
    TO_INTERPOLATE (0, 0, 3) TO_INTERPOLATE (2, 0, 4) IR_EDGE (4, 3, 5, 0)
        IR_EDGE (1, 0, 5, 1) IR_EDGE (3, 3, 6, 0) IR_EDGE (1, 0, 6, 1)
            IR_EDGE (5, 2, 6, 2) IR_EDGE (6, 3, 7, 0),
    "");

/* linear (x), quantised */
#define RANGE(id, name, offset) IR_CONST (id, name, "f32", "1", offset, "4")
static const char quantized[] = IR_NET ("11",
    IR_PARAMETER (0, "x", "f32", "1,9,40,24") CONSTANTS RANGE (12, "il", "96")
        RANGE (13, "ih", "100") RANGE (14, "ol", "104") RANGE (15, "oh", "108")
            INTERPOLATE (2, "z", LINEAR) IR_LAYER (3, "q", "FakeQuantize",
                "opset1", IR_DATA ("levels=\"256\""),
                IR_PORT (0) IR_PORT (1) IR_PORT (2) IR_PORT (3) IR_PORT (4),
                IR_PORT (5)) IR_RESULT (4, "out"),
    TO_INTERPOLATE (0, 0, 2) IR_EDGE (2, 3, 3, 0) IR_EDGE (12, 0, 3, 1)
        IR_EDGE (13, 0, 3, 2) IR_EDGE (14, 0, 3, 3) IR_EDGE (15, 0, 3, 4)
            IR_EDGE (3, 5, 4, 0),
    "");
static const char alone[] = IR_NET ("11",
    IR_PARAMETER (0, "x", "f32", "1,9,40,24")
        CONSTANTS INTERPOLATE (2, "z", LINEAR) IR_RESULT (3, "out"),
    TO_INTERPOLATE (0, 0, 2) IR_EDGE (2, 3, 3, 0), "");

/* The largest of linear (x), and of that quantised, along an axis. */
#define TOP_K(axis)                                                            \
  IR_CONST (20, "k", "i64", "", "16", "8")                                     \
  IR_LAYER (21, "best", "TopK", "opset3",                                      \
      IR_DATA ("axis=\"" axis "\" mode=\"max\" sort=\"value\" "                \
               "index_element_type=\"i64\""),                                  \
      IR_PORT (0) IR_PORT (1), IR_PORT (2) IR_PORT (3))                        \
  IR_RESULT (22, "value") IR_RESULT (23, "index")
#define TOP_K_EDGES(from, port)                                                \
  IR_EDGE (from, port, 21, 0)                                                  \
  IR_EDGE (20, 0, 21, 1) IR_EDGE (21, 2, 22, 0) IR_EDGE (21, 3, 23, 0)
#define BEST(axis)                                                             \
  IR_NET ("11",                                                                \
      IR_PARAMETER (0, "x", "f32", "1,9,40,24") CONSTANTS RANGE (              \
          12, "il", "96") RANGE (13, "ih", "100") RANGE (14, "ol", "104")      \
          RANGE (15, "oh", "108") INTERPOLATE (2, "z", LINEAR) IR_LAYER (3,    \
              "q", "FakeQuantize", "opset1", IR_DATA ("levels=\"256\""),       \
              IR_PORT (0) IR_PORT (1) IR_PORT (2) IR_PORT (3) IR_PORT (4),     \
              IR_PORT (5)) TOP_K (axis),                                       \
      TO_INTERPOLATE (0, 0, 2) IR_EDGE (2, 3, 3, 0) IR_EDGE (12, 0, 3, 1)      \
          IR_EDGE (13, 0, 3, 2) IR_EDGE (14, 0, 3, 3) IR_EDGE (15, 0, 3, 4)    \
              TOP_K_EDGES (3, 5),                                              \
      "")
#define BEST_ALONE(axis)                                                       \
  IR_NET ("11",                                                                \
      IR_PARAMETER (0, "x", "f32", "1,9,40,24")                                \
          CONSTANTS INTERPOLATE (2, "z", LINEAR) TOP_K (axis),                 \
      TO_INTERPOLATE (0, 0, 2) TOP_K_EDGES (2, 3), "")

static const struct
{
  gint64 ints[12];
  float range[4];
} constants = { { OH, OW, 1, 2, 0, 2, 3, 1, 0, 3, 1, 2 },
  { -0.5f, 0.5f, -1, 2 } };

/* Elements from one channel, row and column to the next. */
typedef struct
{
  gsize c, h, w;
} Strides;

static const Strides in_last = { 1, IW *C, C }, out_last = { 1, OW *C, C };
static const Strides in_first = { IH * IW, IW, 1 };
static const Strides out_first = { OH * OW, OW, 1 };

static float
at (const float *data, const Strides *s, gsize c, gsize h, gsize w)
{
  return data[c * s->c + h * s->h + w * s->w];
}

static float
linear_at (const float *x, const Strides *s, gsize c, gsize h, gsize w)
{
  const float fy = CLAMP (((float) h - 0.5f) / 2, 0, IH - 1);
  const float fx = CLAMP (((float) w - 0.5f) / 2, 0, IW - 1);
  const gsize y0 = (gsize) fy, x0 = (gsize) fx;
  const gsize y1 = MIN (y0 + 1, IH - 1), x1 = MIN (x0 + 1, IW - 1);
  const float y = fy - (float) y0, t = fx - (float) x0;

  return (at (x, s, c, y0, x0) * (1 - t) + at (x, s, c, y0, x1) * t) * (1 - y)
         + (at (x, s, c, y1, x0) * (1 - t) + at (x, s, c, y1, x1) * t) * y;
}

static void
assert_kernel (TestSession *session, const char *name, const char *want)
{
  g_autofree char *kernel = test_session_kernel (session, name);

  g_assert_cmpstr (kernel, ==, want);
}

static InferTensor *
run (TestSession *session, InferModel *model, guint threads)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);
  g_autofree char *config =
      g_strdup_printf ("PERF_COUNT=YES,INFERENCE_NUM_THREADS=%u", threads);

  test_session_open (session, model, NULL, "CPU", config);
  for (guint i = 0; i < infer_model_n_inputs (model); i++) {
    InferTensor *input = test_session_input (session, i);
    float *data = input->data;

    for (gsize k = 0; k < input->size / sizeof *data; k++)
      data[k] = (float) g_rand_double_range (rand, -1, 1);
  }
  test_session_infer (session);
  return test_session_output (session, 0);
}

/* On one thread in @session, then on others. */
static InferTensor *
run_all (TestSession *session, const char *xml)
{
  g_autoptr (InferModel) model =
      ir_load_good (xml, &constants, sizeof constants);
  InferTensor *want = run (session, model, 1);

  for (guint threads = 2; threads <= 3; threads++) {
    g_auto (TestSession) other = { 0 };
    g_autoptr (InferTensor) got = run (&other, model, threads);

    g_assert_cmpmem (got->data, got->size, want->data, want->size);
  }
  return want;
}

static void
check_linear (const char *xml, const Strides *in, const Strides *out)
{
  g_auto (TestSession) session = { 0 };
  g_autoptr (InferTensor) got = run_all (&session, xml);
  const float *x = test_session_input (&session, 0)->data;
  const float *y = test_session_input (&session, 1)->data;

  assert_kernel (&session, "z", "rows");
  assert_kernel (&session, "sum", "optimized out");
  g_assert_cmpuint (got->size, ==, OH * OW * C * sizeof (float));
  for (gsize c = 0; c < C; c++)
    for (gsize h = 0; h < OH; h++)
      for (gsize w = 0; w < OW; w++) {
        const float sum = linear_at (x, in, c, h, w) + at (y, out, c, h, w);

        g_assert_cmpfloat_with_epsilon (
            at (got->data, out, c, h, w), MAX (sum, 0), 1e-6f);
      }
}

static void
test_linear (void)
{
  check_linear (linear, &in_last, &out_last);
}

static void
test_transposed (void)
{
  check_linear (transposed, &in_first, &out_first);
}

static void
test_nearest (void)
{
  g_auto (TestSession) session = { 0 };
  g_autoptr (InferTensor) got = run_all (&session, nearest);
  const float *x = test_session_input (&session, 0)->data;
  const float *y = test_session_input (&session, 1)->data;
  const float *w = test_session_input (&session, 2)->data;
  const float *data = got->data;

  assert_kernel (&session, "z", "optimized out");
  assert_kernel (&session, "v", "nearest");
  assert_kernel (&session, "sum", "optimized out");
  g_assert_cmpuint (got->size, ==, OH * OW * 3 * C * sizeof (float));
  for (gsize p = 0; p < OH * OW; p++)
    for (gsize c = 0; c < C; c++) {
      const gsize from = (p / OW / 2 * IW + p % OW / 2) * C + c;

      g_assert_cmpfloat (data[p * 3 * C + c], ==, x[from]);
      g_assert_cmpfloat (data[p * 3 * C + C + c], ==, y[p * C + c]);
      g_assert_cmpfloat (
          data[p * 3 * C + 2 * C + c], ==, w[from] + y[p * C + c]);
    }
}

static void
test_quantized (void)
{
  g_auto (TestSession) session = { 0 }, other = { 0 };
  g_autoptr (InferTensor) got = run_all (&session, quantized);
  g_autoptr (InferTensor) floats = run_all (&other, alone);
  const float *v = floats->data, *data = got->data;

  assert_kernel (&session, "z", "optimized out");
  assert_kernel (&other, "z", "rows");
  for (gsize i = 0; i < OH * OW * C; i++) {
    const float level = rintf ((CLAMP (v[i], -0.5f, 0.5f) + 0.5f) * 255);

    g_assert_cmpfloat_with_epsilon (data[i], level * (3.0f / 255) - 1, 1e-6f);
  }
}

/* @from has the values that @xml compares, @length of them, @inner apart;
 * @fused: names of steps that others run. */
static void
check_best (const char *xml, const char *from, gsize length, gsize inner,
    const char *const *fused)
{
  g_auto (TestSession) session = { 0 }, other = { 0 };
  g_autoptr (InferTensor) value = run_all (&session, xml);
  g_autoptr (InferTensor) index = test_session_output (&session, 1);
  g_autoptr (InferTensor) all = run_all (&other, from);
  const float *v = all->data;

  for (; *fused != NULL; fused++)
    assert_kernel (&session, *fused, "optimized out");
  g_assert_cmpuint (value->size * length, ==, all->size);
  for (gsize i = 0; i < value->size / sizeof (float); i++) {
    const float *column = v + i / inner * length * inner + i % inner;
    gsize best = 0;

    for (gsize k = 1; k < length; k++)
      if (column[k * inner] > column[best * inner])
        best = k;
    g_assert_cmpint (((const gint64 *) index->data)[i], ==, (gint64) best);
    g_assert_cmpfloat (
        ((const float *) value->data)[i], ==, column[best * inner]);
  }
}

/* TopK searches rows of others while they are in the cache, if they hold all
 * that it compares. */
static void
test_best (void)
{
  static const char *const both[] = { "z", "q", NULL }, *const one[] = { "z",
    NULL };

  check_best (BEST ("3"), quantized, C, 1, both);
  check_best (BEST ("2"), quantized, OW, C, both);
  check_best (BEST ("1"), quantized, OH, OW * C, one);
  check_best (BEST_ALONE ("3"), alone, C, 1, one);
  check_best (BEST_ALONE ("2"), alone, OW, C, one);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cpu/interpolate/linear", test_linear);
  g_test_add_func ("/cpu/interpolate/transposed", test_transposed);
  g_test_add_func ("/cpu/interpolate/nearest", test_nearest);
  g_test_add_func ("/cpu/interpolate/quantized", test_quantized);
  g_test_add_func ("/cpu/interpolate/best", test_best);
  return g_test_run ();
}
