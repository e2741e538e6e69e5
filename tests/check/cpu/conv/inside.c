/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Convolutions with padding, of which taps are left out: between pointwise
 * ones, whose layout is channels last, beside the portable C version. */

#include "cpu/conv/geometry.h"
#include "tests/check/support/net.h"
#include "tests/check/support/session.h"

#include <math.h>

typedef struct
{
  const char *name;
  gint64 batch, groups, in, out; /* channels of a group */
  gint64 height, width, k[2], stride[2], dilation[2], begin[2], end[2];
  gboolean residual;
} Case;

static const Case cases[] = {
  { "same", 1, 1, 3, 16, 40, 50, { 3, 3 }, { 1, 1 }, { 1, 1 }, { 1, 1 },
      { 1, 1 }, FALSE },
  { "stride", 1, 1, 3, 24, 64, 96, { 3, 3 }, { 2, 2 }, { 1, 1 }, { 1, 1 },
      { 1, 1 }, FALSE },
  { "after", 1, 1, 3, 24, 64, 96, { 3, 3 }, { 2, 2 }, { 1, 1 }, { 0, 0 },
      { 1, 1 }, FALSE },
  { "before", 1, 1, 4, 12, 51, 47, { 3, 3 }, { 1, 1 }, { 1, 1 }, { 2, 1 },
      { 0, 0 }, FALSE },
  { "five", 1, 1, 4, 40, 79, 90, { 5, 5 }, { 1, 1 }, { 1, 1 }, { 2, 2 },
      { 2, 2 }, FALSE },
  { "seven", 2, 1, 3, 17, 200, 130, { 7, 7 }, { 2, 2 }, { 1, 1 }, { 3, 3 },
      { 3, 3 }, FALSE },
  { "dilated", 1, 1, 5, 9, 150, 140, { 3, 3 }, { 1, 1 }, { 4, 3 }, { 4, 3 },
      { 4, 3 }, FALSE },
  { "rows-only", 1, 1, 8, 20, 60, 21, { 3, 3 }, { 1, 1 }, { 1, 1 }, { 1, 0 },
      { 1, 0 }, FALSE },
  { "columns-only", 1, 1, 8, 20, 9, 60, { 3, 3 }, { 1, 1 }, { 1, 1 }, { 0, 1 },
      { 0, 1 }, FALSE },
  { "far", 1, 1, 3, 10, 200, 202, { 3, 3 }, { 3, 2 }, { 1, 1 }, { 5, 4 },
      { 4, 5 }, FALSE },
  { "skipping", 1, 1, 6, 33, 100, 100, { 2, 2 }, { 3, 3 }, { 1, 1 }, { 1, 2 },
      { 0, 0 }, FALSE },
  { "groups", 2, 2, 3, 12, 40, 50, { 3, 3 }, { 1, 1 }, { 1, 1 }, { 1, 1 },
      { 1, 1 }, FALSE },
  { "residual", 2, 1, 16, 16, 50, 60, { 3, 5 }, { 1, 1 }, { 1, 1 }, { 1, 2 },
      { 1, 2 }, TRUE },
  { "many-weights", 1, 1, 48, 48, 53, 55, { 3, 5 }, { 1, 1 }, { 1, 1 },
      { 1, 2 }, { 1, 2 }, TRUE },
  /* More of the edges, fewer of the inside. */
  { "small", 2, 1, 4, 24, 9, 8, { 3, 4 }, { 1, 1 }, { 1, 1 }, { 1, 1 },
      { 1, 2 }, FALSE },
  { "no-inside", 1, 1, 4, 24, 3, 12, { 5, 3 }, { 1, 1 }, { 1, 1 }, { 2, 1 },
      { 2, 1 }, FALSE },
  { "nothing-but-padding", 1, 1, 4, 24, 6, 12, { 3, 4 }, { 1, 1 }, { 1, 1 },
      { 4, 5 }, { 3, 4 }, FALSE },
  { "small-dilated", 1, 2, 4, 24, 9, 11, { 3, 3 }, { 1, 1 }, { 2, 2 }, { 2, 2 },
      { 2, 2 }, FALSE },
  { "narrow", 2, 1, 2, 64, 49, 10, { 10, 4 }, { 2, 2 }, { 1, 1 }, { 4, 1 },
      { 5, 1 }, FALSE },
  { "narrow-residual", 1, 1, 16, 16, 40, 5, { 3, 5 }, { 1, 1 }, { 1, 1 },
      { 1, 2 }, { 1, 2 }, TRUE },
  { "narrow-groups", 1, 2, 4, 32, 40, 5, { 3, 3 }, { 1, 1 }, { 1, 1 }, { 1, 1 },
      { 1, 1 }, FALSE },
};

/* Filters of a convolution, kept for the reference. */
static float *
add_filters (InferModel *net, const char *name, gsize rank, const gint64 *dims)
{
  gint64 n = 1;

  for (gsize i = 0; i < rank; i++)
    n *= dims[i];
  float *values = g_new (float, n);
  test_fill (values, (gsize) n, (guint32) *name);
  net_const_shaped (net, name, rank, dims, values);
  return values;
}

static void
add_pointwise (InferModel *net, const char *name, const char *inputs)
{
  net_add (net, "Convolution", name, inputs, 1, "strides", "1,1", "dilations",
      "1,1", "pads_begin", "0,0", "pads_end", "0,0", NULL);
}

static char *
pair_of (const gint64 *values)
{
  return g_strdup_printf ("%d,%d", (int) values[0], (int) values[1]);
}

static void
add_tested (InferModel *net, const Case *c)
{
  g_autofree char *strides = pair_of (c->stride);
  g_autofree char *dilations = pair_of (c->dilation);
  g_autofree char *begin = pair_of (c->begin), *end = pair_of (c->end);

  net_add (net, "GroupConvolution", "conv", "first w", 1, "strides", strides,
      "dilations", dilations, "pads_begin", begin, "pads_end", end, NULL);
}

/* Filters: of the first pointwise convolution, of the tested one and the last.
 */
static InferModel *
net_of_case (const Case *c, float *filters[3])
{
  const gint64 in = c->groups * c->in, out = c->groups * c->out;
  g_autofree char *shape = g_strdup_printf (
      "%d,%d,%d,%d", (int) c->batch, (int) in, (int) c->height, (int) c->width);
  InferModel *net = net_new ();

  net_parameter (net, "x", shape);
  filters[0] = add_filters (net, "a", 4, (gint64[]){ in, in, 1, 1 });
  filters[1] = add_filters (
      net, "w", 5, (gint64[]){ c->groups, c->out, c->in, c->k[0], c->k[1] });
  filters[2] = add_filters (net, "p", 4, (gint64[]){ out, out, 1, 1 });
  add_pointwise (net, "first", "x a");
  add_tested (net, c);
  net_build (net, c->residual ? "sum = Add conv first; relu = ReLU sum"
                              : "relu = ReLU conv");
  add_pointwise (net, "last", "relu p");
  net_result (net, "y", "last");
  net_settle (net);
  return net;
}

static CpuConvGeometry
geometry_of (const Case *c)
{
  CpuConvGeometry g = { .batch = (gsize) c->batch,
    .groups = (gsize) c->groups,
    .ic = (gsize) c->in,
    .oc = (gsize) c->out,
    .in = { 1, (gsize) c->height, (gsize) c->width },
    .k = { 1, (gsize) c->k[0], (gsize) c->k[1] },
    .out = { 1 },
    .stride = { 1, c->stride[0], c->stride[1] },
    .dilation = { 1, c->dilation[0], c->dilation[1] },
    .pad = { 0, c->begin[0], c->begin[1] } };

  for (guint d = 0; d < 2; d++) {
    const gint64 in = d == 0 ? c->height : c->width;
    const gint64 tall = (c->k[d] - 1) * c->dilation[d] + 1;

    g.out[1 + d] =
        (gsize) ((in + c->begin[d] + c->end[d] - tall) / c->stride[d]) + 1;
  }
  return g;
}

static float *
run_pointwise (const CpuConvGeometry *of, gsize channels, const gsize *size,
    const float *data, const float *filters)
{
  const CpuConvGeometry g = { .batch = of->batch,
    .groups = 1,
    .ic = channels,
    .oc = channels,
    .in = { size[0], size[1], size[2] },
    .k = { 1, 1, 1 },
    .out = { size[0], size[1], size[2] },
    .stride = { 1, 1, 1 },
    .dilation = { 1, 1, 1 } };
  float *out = g_new (float, g.batch *channels *cpu_volume (size));

  cpu_conv_ref_f32 (NULL, &g, data, filters, out);
  return out;
}

/* The output of the network for @x, computed by the portable version. */
static float *
reference (const Case *c, const float *x, float *const filters[3])
{
  const CpuConvGeometry g = geometry_of (c);
  const gsize n = g.batch * g.groups * g.oc * cpu_volume (g.out);
  g_autofree float *first =
      run_pointwise (&g, g.groups * g.ic, g.in, x, filters[0]);
  g_autofree float *conv = g_new (float, n);

  cpu_conv_ref_f32 (NULL, &g, first, filters[1], conv);
  for (gsize i = 0; i < n; i++)
    conv[i] = fmaxf (conv[i] + (c->residual ? first[i] : 0), 0);
  return run_pointwise (&g, g.groups * g.oc, g.out, conv, filters[2]);
}

static void
check (const Case *c, guint threads)
{
  g_autofree char *config = g_strdup_printf (
      "INFERENCE_PRECISION_HINT=f32,INFERENCE_NUM_THREADS=%u", threads);
  float *filters[3];
  g_autoptr (InferModel) net = net_of_case (c, filters);
  g_auto (TestSession) session = { 0 };
  float most = 0;

  test_session_open (&session, net, NULL, "CPU", config);
  InferTensor *x = test_session_input (&session, 0);
  test_fill (x->data, x->size / sizeof (float), 3);
  /* Twice: nothing is left from one inference to the next. */
  test_session_infer (&session);
  test_session_infer (&session);
  g_autoptr (InferTensor) y = test_session_output (&session, 0);
  g_autofree float *want = reference (c, x->data, filters);
  const gsize n = y->size / sizeof (float);
  for (gsize i = 0; i < n; i++)
    most = fmaxf (most, fabsf (want[i]));
  g_assert_cmpfloat (most, >, 0);
  for (gsize i = 0; i < n; i++)
    g_assert_cmpfloat_with_epsilon (
        ((const float *) y->data)[i], want[i], 1e-5f * most);
  for (guint i = 0; i < 3; i++)
    g_free (filters[i]);
}

static void
test_case (gconstpointer data)
{
  for (guint threads = 1; threads <= 3; threads++)
    check (data, threads);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *path = g_strconcat ("/cpu/inside/", cases[i].name, NULL);

    g_test_add_data_func (path, &cases[i], test_case);
  }
  return g_test_run ();
}
