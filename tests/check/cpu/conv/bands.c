/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Blocks of mobile networks, pointwise (depthwise (pointwise (x))), whose large
 * tensors are made in bands of rows: the bits of separate steps. */

#include "cpu/base/caches.h"
#include "tests/check/support/net.h"
#include "tests/check/support/session.h"

#include <glib/gstdio.h>
#include <string.h>

typedef struct
{
  const char *name;
  gint64 batch, in, middle, out; /* out: 0: no second pointwise convolution */
  gint64 height, width, kernel, stride, dilation;
  const char *begin, *end; /* padding */
  gboolean residual;
  const char *kernel_name; /* of the last step; a caches' size suffices */
  gsize cache;             /* second-level, in KiB, from which on it is fused */
} Case;

#define ALL "inverted_bottleneck_f32"
#define TWO "pointwise_depthwise_f32"
#define PAIR "depthwise_pointwise_f32"

/* The tensor between expansion and depthwise convolution is larger than 2 MiB,
 * the largest size of a second-level cache that cpu_caches() gives. */
static const Case cases[] = {
  { "plain", 1, 16, 32, 16, 300, 60, 3, 1, 1, "1,1", "1,1", TRUE, ALL, 256 },
  { "stride", 1, 12, 48, 20, 301, 41, 3, 2, 1, "0,0", "1,1", FALSE, ALL, 256 },
  { "five", 1, 8, 32, 24, 310, 60, 5, 2, 1, "2,2", "2,2", FALSE, ALL, 512 },
  { "dilated", 1, 8, 24, 8, 1100, 23, 3, 1, 4, "4,4", "4,4", FALSE, ALL, 256 },
  { "uneven", 1, 8, 40, 9, 420, 37, 3, 1, 1, "2,0", "0,1", FALSE, ALL, 256 },
  { "far", 1, 8, 40, 9, 420, 37, 3, 2, 1, "5,4", "6,3", FALSE, ALL, 256 },
  { "no-padding", 1, 8, 40, 9, 420, 37, 3, 1, 1, "0,0", "0,0", FALSE, ALL,
      256 },
  { "skipping", 1, 8, 40, 9, 420, 37, 2, 5, 1, "0,0", "0,0", FALSE, ALL, 256 },
  { "batch", 3, 16, 40, 16, 130, 38, 3, 1, 1, "1,1", "1,1", TRUE, ALL, 256 },
  { "low-images", 90, 8, 32, 8, 2, 100, 5, 1, 1, "2,2", "2,2", FALSE, ALL,
      512 },
  { "narrow", 1, 8, 32, 8, 4500, 4, 3, 1, 1, "1,1", "1,1", FALSE, ALL, 256 },
  /* Few pixels are summed in another order than more. */
  { "few", 1, 8, 32, 8, 6000, 3, 3, 1, 1, "1,1", "1,1", FALSE, PAIR, 256 },
  { "column", 1, 8, 32, 8, 18000, 1, 3, 1, 1, "1,1", "1,1", FALSE, PAIR, 256 },
  { "few-channels", 1, 3, 8, 16, 1100, 61, 3, 1, 1, "1,1", "1,1", FALSE, ALL,
      256 },
  { "one-row-bands", 1, 8, 384, 16, 26, 60, 3, 1, 1, "1,1", "1,1", FALSE, ALL,
      2048 },
  { "two", 1, 16, 40, 0, 300, 50, 3, 1, 1, "1,1", "1,1", FALSE, TWO, 256 },
  { "two-batch", 2, 16, 40, 0, 150, 50, 5, 2, 1, "1,2", "2,1", FALSE, TWO,
      256 },
};

static void
add_filters (InferModel *net, const char *name, gsize rank, const gint64 *dims)
{
  gint64 n = 1;

  for (gsize i = 0; i < rank; i++)
    n *= dims[i];
  g_autofree float *values = g_new (float, n);
  test_fill (values, (gsize) n, (guint32) *name);
  net_const_shaped (net, name, rank, dims, values);
}

static void
add_pointwise (InferModel *net, const char *name, const char *inputs)
{
  net_add (net, "Convolution", name, inputs, 1, "strides", "1,1", "dilations",
      "1,1", "pads_begin", "0,0", "pads_end", "0,0", NULL);
}

static void
add_depthwise (InferModel *net, const Case *c)
{
  g_autofree char *strides = g_strdup_printf (
      "%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT, c->stride, c->stride);
  g_autofree char *dilations = g_strdup_printf (
      "%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT, c->dilation, c->dilation);

  net_add (net, "GroupConvolution", "depthwise", "clamp wd", 1, "strides",
      strides, "dilations", dilations, "pads_begin", c->begin, "pads_end",
      c->end, NULL);
}

static InferModel *
net_of_case (const Case *c)
{
  g_autofree char *shape = g_strdup_printf ("%d,%d,%d,%d", (int) c->batch,
      (int) c->in, (int) c->height, (int) c->width);
  InferModel *net = net_new ();

  net_parameter (net, "x", shape);
  /* Not the model's input: the bands must keep this step's result, which the
   * arena would give to others once the expansion alone had read it. */
  net_build (net, "start = ReLU x");
  add_filters (net, "we", 4, (gint64[]){ c->middle, c->in, 1, 1 });
  add_filters (net, "be", 4, (gint64[]){ 1, c->middle, 1, 1 });
  add_filters (
      net, "wd", 5, (gint64[]){ c->middle, 1, 1, c->kernel, c->kernel });
  add_pointwise (net, "expansion", "start we");
  net_build (net, "bias = Add expansion be; clamp = Clamp bias min=-1 max=2");
  add_depthwise (net, c);
  net_build (net, "relu = ReLU depthwise");
  if (c->out > 0) {
    add_filters (net, "wp", 4, (gint64[]){ c->out, c->middle, 1, 1 });
    add_pointwise (net, "projection", "relu wp");
    net_build (net, c->residual ? "last = Add projection start"
                                : "last = HSwish projection");
  } else {
    net_build (net, "last = Abs relu");
  }
  net_result (net, "y", "last");
  net_settle (net);
  return net;
}

/* *@kernel: of the last convolution. */
static InferTensor *
compute (const Case *c, const char *config, char **kernel)
{
  g_autoptr (InferModel) net = net_of_case (c);
  g_auto (TestSession) session = { 0 };

  test_session_open (&session, net, NULL, "CPU", config);
  InferTensor *x = test_session_input (&session, 0);
  test_fill (x->data, x->size / sizeof (float), 3);
  /* Twice: nothing is left from one inference to the next. */
  test_session_infer (&session);
  test_session_infer (&session);
  *kernel =
      test_session_kernel (&session, c->out > 0 ? "projection" : "depthwise");
  return test_session_output (&session, 0);
}

#define CONFIG "PERF_COUNT=YES,INFERENCE_PRECISION_HINT=f32"

/* Steps of which values can be dumped are not fused. */
static InferTensor *
compute_apart (const Case *c, char **kernel)
{
  g_autofree char *dir = g_dir_make_tmp ("bands-XXXXXX", NULL);
  g_autofree char *config =
      g_strdup_printf (CONFIG ",DUMP=nothing-like-this,DUMP_DIR=%s", dir);
  InferTensor *y = compute (c, config, kernel);

  g_rmdir (dir);
  return y;
}

static void
test_case (gconstpointer data)
{
  const Case *c = data;
  g_autofree char *apart = NULL;
  g_autoptr (InferTensor) want = compute_apart (c, &apart);

  if (g_strcmp0 (apart, c->out > 0 ? "pointwise_f32" : "depthwise_f32") != 0) {
    g_test_skip ("no such kernels on this processor");
    return;
  }
  for (guint threads = 1; threads <= 3; threads++) {
    g_autofree char *config =
        g_strdup_printf (CONFIG ",INFERENCE_NUM_THREADS=%u", threads);
    g_autofree char *kernel = NULL;
    g_autoptr (InferTensor) got = compute (c, config, &kernel);

    if (cpu_caches ()->second >= c->cache << 10)
      g_assert_cmpstr (kernel, ==, c->kernel_name);
    g_assert_cmpmem (got->data, got->size, want->data, want->size);
  }
}

/* A tensor that fits into the cache is computed as a whole. */
static void
test_small (void)
{
  Case c = cases[0];
  g_autofree char *kernel = NULL;

  c.height = 20;
  g_autoptr (InferTensor) y = compute (&c, CONFIG, &kernel);
  if (g_str_has_prefix (kernel, "inverted"))
    g_test_fail ();
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *path = g_strconcat ("/cpu/bands/", cases[i].name, NULL);

    g_test_add_data_func (path, &cases[i], test_case);
  }
  g_test_add_func ("/cpu/bands/small", test_small);
  return g_test_run ();
}
