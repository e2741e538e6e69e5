/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Convolutions with rows of any number of pixels and blocks of one to four
 * vectors, cut into chunks for the first-level cache and for threads: beside
 * the portable C version, and the same bits for any number of threads. */

#include "cpu/conv/geometry.h"
#include "tests/check/support/net.h"
#include "tests/check/support/session.h"

/* 24 kB hold 20 pixels. */
#define INPUTS 300

typedef struct
{
  gsize pixels, out, taps; /* every third pixel if there are several */
} Case;

static gsize
width_of (const Case *c)
{
  return c->pixels + 3 * (c->taps - 1);
}

static InferModel *
net_of_case (const Case *c, const float *filters)
{
  const gint64 dims[] = { (gint64) c->out, INPUTS, 1, (gint64) c->taps };
  g_autofree char *shape =
      g_strdup_printf ("1,%d,1,%" G_GSIZE_FORMAT, INPUTS, width_of (c));
  InferModel *net = net_new ();

  net_parameter (net, "x", shape);
  net_const_shaped (net, "w", 4, dims, filters);
  net_add (net, "Convolution", "conv", "x w", 1, "strides", "1,1", "dilations",
      "1,3", "pads_begin", "0,0", "pads_end", "0,0", NULL);
  net_result (net, "y", "conv");
  net_settle (net);
  return net;
}

static InferTensor *
run (const Case *c, InferModel *net, guint threads)
{
  g_autofree char *config = g_strdup_printf (
      "INFERENCE_PRECISION_HINT=f32,INFERENCE_NUM_THREADS=%u,PERF_COUNT=YES",
      threads);
  g_auto (TestSession) session = { 0 };

  test_session_open (&session, net, NULL, "CPU", config);
  InferTensor *x = test_session_input (&session, 0);
  test_fill (x->data, x->size / sizeof (float), 3);
  test_session_infer (&session);
  g_autofree char *kernel = test_session_kernel (&session, "conv");
  g_assert_cmpstr (kernel, ==, c->taps > 1 ? "direct_f32" : "pointwise_f32");
  return test_session_output (&session, 0);
}

static void
check (const Case *c)
{
  const CpuConvGeometry g = { .batch = 1,
    .groups = 1,
    .ic = INPUTS,
    .oc = c->out,
    .in = { 1, 1, width_of (c) },
    .k = { 1, 1, c->taps },
    .out = { 1, 1, c->pixels },
    .stride = { 1, 1, 1 },
    .dilation = { 1, 1, 3 } };
  const gsize n = c->out * c->pixels;
  g_autofree float *filters = test_numbers (c->out * INPUTS * c->taps, 1);
  g_autofree float *x = test_numbers (INPUTS * g.in[2], 3);
  g_autofree float *want = g_new (float, n);
  g_autoptr (InferModel) net = net_of_case (c, filters);
  g_autoptr (InferTensor) one = run (c, net, 1);

  cpu_conv_ref_f32 (NULL, &g, x, filters, want);
  g_assert_cmpuint (one->size, ==, n * sizeof (float));
  for (gsize i = 0; i < n; i++)
    g_assert_cmpfloat_with_epsilon (
        ((const float *) one->data)[i], want[i], 2e-4f);
  for (guint threads = 2; threads <= 3; threads++) {
    g_autoptr (InferTensor) got = run (c, net, threads);

    g_assert_cmpmem (got->data, got->size, one->data, one->size);
  }
}

static void
test_rows (void)
{
  static const gsize more[] = { 35, 47, 50, 61, 99 };
  static const gsize channels[] = { 7, 16, 24, 32, 40, 48, 56 };

  for (guint i = 1; i < 30 + G_N_ELEMENTS (more); i++)
    for (guint j = 0; j < G_N_ELEMENTS (channels); j++) {
      const gsize pixels = i < 30 ? i : more[i - 30];

      check (&(Case){ pixels, channels[j], 1 });
      check (&(Case){ pixels, channels[j], 3 });
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cpu/rows", test_rows);
  return g_test_run ();
}
