/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Convolutions of three taps along one dimension: compared with loops here, the
 * same on several threads, errors beside those of sums of direct products. */

#include "cpu/kernels/isa.h"
#include "infer/request.h"
#include "tests/check/cpu/conv/errors.h"
#include "tests/check/support/ir.h"
#include "tests/check/support/session.h"

#include <math.h>
#include <string.h>

/* x [n, ic, h, w], taps along w, or along h if @down. */
typedef struct
{
  guint n, ic, oc, h, w, stride;
  guint before, after; /* padding */
  gboolean down;
  const char *kernel; /* NULL: another implementation */
} Case;

static const Case cases[] = {
  { 1, 80, 96, 1, 100, 1, 1, 1, FALSE, "winograd_line_f32" },
  { 2, 33, 50, 3, 61, 1, 0, 2, FALSE, "winograd_line_f32" },
  { 1, 40, 160, 90, 1, 1, 2, 0, TRUE, "winograd_line_f32" },
  { 2, 32, 35, 63, 5, 1, 1, 1, TRUE, "winograd_line_f32" },
  { 1, 96, 64, 1, 121, 2, 1, 1, FALSE, "winograd_line_2_f32" },
  { 2, 64, 70, 3, 127, 2, 0, 1, FALSE, "winograd_line_2_f32" },
  { 1, 67, 144, 120, 1, 2, 1, 0, TRUE, "winograd_line_2_f32" },
  { 2, 64, 64, 61, 4, 2, 2, 2, TRUE, "winograd_line_2_f32" },
  /* too few tiles, or channels; more weights than a cache holds */
  { 1, 80, 96, 1, 8, 1, 1, 1, FALSE, NULL },
  { 1, 16, 96, 1, 100, 1, 1, 1, FALSE, NULL },
  { 1, 512, 512, 1, 60, 1, 1, 1, FALSE, NULL },
};

#define SHAPE "%u,%u,%u,%u"

/* relu (conv (x, w) * scale + bias + r); without @posts the convolution. */
static char *
make_ir (const Case *c, gboolean posts)
{
  const guint taps = 3 * c->ic * c->oc, channels = c->oc;
  const guint h =
      c->down ? (c->h + c->before + c->after - 3) / c->stride + 1 : c->h;
  const guint w =
      c->down ? c->w : (c->w + c->before + c->after - 3) / c->stride + 1;
  g_autofree char *conv = g_strdup_printf (
      "strides=\"%u,%u\" "
      "dilations=\"1,1\" pads_begin=\"%u,%u\" "
      "pads_end=\"%u,%u\"",
      c->down ? c->stride : 1, c->down ? 1 : c->stride, c->down ? c->before : 0,
      c->down ? 0 : c->before, c->down ? c->after : 0, c->down ? 0 : c->after);
  static const char only[] = IR_NET ("11",
      IR_PARAMETER (0, "x", "f32", SHAPE) IR_CONST (1, "w", "f32", SHAPE, "0",
          "%u") IR_LAYER (2, "op", "Convolution", "opset1", IR_DATA ("%s"),
          IR_PORT (0) IR_PORT (1), IR_PORT (2)) IR_RESULT (3, "out"),
      IR_EDGE (0, 0, 2, 0) IR_EDGE (1, 0, 2, 1) IR_EDGE (2, 2, 3, 0), "");
  static const char all[] = IR_NET ("11",
      IR_PARAMETER (0, "x", "f32", SHAPE) IR_CONST (
          1, "w", "f32", SHAPE, "0", "%u") IR_LAYER (2, "op", "Convolution",
          "opset1", IR_DATA ("%s"), IR_PORT (0) IR_PORT (1),
          IR_PORT (2)) IR_CONST (3, "scale", "f32", "1,%u,1,1", "%u", "%u")
          IR_CONST (4, "bias", "f32", "1,%u,1,1", "%u", "%u") IR_BINARY (
              5, "scaled", "Multiply") IR_BINARY (6, "biased", "Add")
              IR_PARAMETER (7, "r", "f32", SHAPE) IR_BINARY (8, "sum", "Add")
                  IR_UNARY (9, "relu", "ReLU") IR_RESULT (10, "out"),
      IR_EDGE (0, 0, 2, 0) IR_EDGE (1, 0, 2, 1) IR_EDGE (2, 2, 5, 0)
          IR_EDGE (3, 0, 5, 1) IR_EDGE (5, 2, 6, 0) IR_EDGE (4, 0, 6, 1)
              IR_EDGE (6, 2, 8, 0) IR_EDGE (7, 0, 8, 1) IR_EDGE (8, 2, 9, 0)
                  IR_EDGE (9, 1, 10, 0),
      "");

  if (!posts)
    return g_strdup_printf (only, c->n, c->ic, c->h, c->w, c->oc, c->ic,
        c->down ? 3 : 1, c->down ? 1 : 3, 4 * taps, conv);
  return g_strdup_printf (all, c->n, c->ic, c->h, c->w, c->oc, c->ic,
      c->down ? 3 : 1, c->down ? 1 : 3, 4 * taps, conv, channels, 4 * taps,
      4 * channels, channels, 4 * (taps + channels), 4 * channels, c->n, c->oc,
      h, w);
}

#define MOST (3 * 512 * 512 + 1024)

typedef struct
{
  float weights[MOST];
  float x[MOST], r[MOST];
} Fixture;

static void
set_up (Fixture *f, gconstpointer unused)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (6);

  for (gsize i = 0; i < MOST; i++) {
    f->weights[i] = (float) g_rand_double_range (rand, -1, 1);
    f->x[i] = (float) g_rand_double_range (rand, -1, 1);
    f->r[i] = (float) g_rand_double_range (rand, -1, 1);
  }
}

static InferTensor *
run (const Fixture *f, const Case *c, gboolean posts, const char *config)
{
  g_autofree char *ir = make_ir (c, posts);
  g_autoptr (InferModel) model =
      ir_load_good (ir, f->weights, sizeof f->weights);
  g_auto (TestSession) session = { 0 };

  test_session_open (&session, model, NULL, "CPU", config);
  for (guint i = 0; i < (posts ? 2 : 1); i++) {
    InferTensor *to = test_session_input (&session, i);

    g_assert_cmpuint (to->size, <=, sizeof f->x);
    memcpy (to->data, i == 0 ? f->x : f->r, to->size);
  }
  test_session_infer (&session);
  g_autofree char *kernel = test_session_kernel (&session, "op");
  if (g_getenv ("INFER_CPU_ISA") == NULL
      && (cpu_isa_detect () & CPU_ISA_AVX2)) {
    if (c->kernel)
      g_assert_cmpstr (kernel, ==, c->kernel);
    else
      g_assert_false (g_str_has_prefix (kernel, "winograd"));
  }
  return test_session_output (&session, 0);
}

/* Output @i: exact, and as a sum of floats, tap by tap. */
static void
sum_directly (
    const Fixture *f, const Case *c, gsize i, double *exact, float *direct)
{
  const gsize in = c->down ? c->h : c->w, across = c->down ? c->w : c->h;
  const gsize out = (in + c->before + c->after - 3) / c->stride + 1;
  const gsize pixels = out * across, n = i / pixels / c->oc;
  const gsize o = i / pixels % c->oc;
  const gsize along = c->down ? i % pixels / c->w : i % out;
  const gsize other = c->down ? i % c->w : i % pixels / out;

  *exact = *direct = 0;
  for (gsize tap = 0; tap < 3; tap++) {
    const gsize at = along * c->stride + tap - c->before; /* may wrap */

    for (gsize k = 0; k < c->ic && at < in; k++) {
      const gsize plane = (n * c->ic + k) * in * across;
      const float x =
          f->x[plane + (c->down ? at * c->w + other : other * in + at)];
      const float w = f->weights[(o * c->ic + k) * 3 + tap];

      *exact += (double) x * (double) w;
      *direct = fmaf (x, w, *direct);
    }
  }
}

static void
test_values (Fixture *f, gconstpointer unused)
{
  for (gsize k = 0; k < G_N_ELEMENTS (cases); k++) {
    const Case *c = &cases[k];
    g_autoptr (InferTensor) got = run (f, c, TRUE, "PERF_COUNT=YES");
    const float *data = got->data, *scale = f->weights + 3 * c->ic * c->oc;
    const gsize n = got->size / sizeof *data, pixels = n / c->n / c->oc;

    for (gsize i = 0; i < n; i++) {
      const gsize o = i / pixels % c->oc;
      double sum;
      float direct;

      sum_directly (f, c, i, &sum, &direct);
      sum = sum * (double) scale[o] + (double) scale[c->oc + o]
            + (double) f->r[i];
      g_assert_cmpfloat_with_epsilon ((double) data[i], MAX (sum, 0), 1e-4);
    }
  }
}

static void
test_accuracy (Fixture *f, gconstpointer unused)
{
  for (gsize k = 0; k < 2 * G_N_ELEMENTS (cases); k++) {
    const Case *c = &cases[k % G_N_ELEMENTS (cases)];
    Errors errors = { 0 }, direct_errors = { 0 };

    /* then without negative inputs, as after a ReLU */
    for (gsize i = 0; i < MOST && k == G_N_ELEMENTS (cases); i++)
      f->x[i] = fabsf (f->x[i]);
    if (c->kernel == NULL)
      continue;
    g_autoptr (InferTensor) got = run (f, c, FALSE, "PERF_COUNT=YES");
    const float *data = got->data;
    for (gsize i = 0; i < got->size / sizeof *data; i++) {
      double exact;
      float direct;

      sum_directly (f, c, i, &exact, &direct);
      errors_add (&errors, (double) data[i] - exact);
      errors_add (&direct_errors, (double) direct - exact);
    }
    g_autofree char *what = g_strdup_printf ("%" G_GSIZE_FORMAT, k);
    errors_check (&errors, &direct_errors, what);
  }
}

static void
test_threads (Fixture *f, gconstpointer unused)
{
  for (gsize k = 0; k < G_N_ELEMENTS (cases); k++) {
    g_autoptr (InferTensor) one =
        run (f, &cases[k], TRUE, "PERF_COUNT=YES,INFERENCE_NUM_THREADS=1");
    g_autoptr (InferTensor) two =
        run (f, &cases[k], TRUE, "PERF_COUNT=YES,INFERENCE_NUM_THREADS=2");

    g_assert_cmpmem (one->data, one->size, two->data, two->size);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add (
      "/cpu/winograd-line/values", Fixture, NULL, set_up, test_values, NULL);
  g_test_add ("/cpu/winograd-line/accuracy", Fixture, NULL, set_up,
      test_accuracy, NULL);
  g_test_add (
      "/cpu/winograd-line/threads", Fixture, NULL, set_up, test_threads, NULL);
  return g_test_run ();
}
