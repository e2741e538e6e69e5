/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Convolutions of random geometry, compared with the portable C version. */

#include "cpu/conv/geometry.h"
#include "cpu/plan/evaluate.h"
#include "cpu/base/scope.h"
#include "inference/graph/ops/convolution.h"

#include <float.h>
#include <math.h>

typedef struct
{
  guint n; /* spatial dimensions */
  gint64 batch, groups, ic, oc;
  gint64 in[3], k[3];
  InferConvolutionBackprop attrs; /* first members as in InferConvolution */
  gboolean transposed;
} Case;

static gint64
random_of (GRand *rand, gint64 least, gint64 most)
{
  return g_rand_int_range (rand, (gint32) least, (gint32) most + 1);
}

static void
make_case (GRand *rand, Case *c)
{
  gboolean depthwise = g_rand_int_range (rand, 0, 3) == 0;

  *c = (Case){ .n = (guint) random_of (rand, 1, 3),
    .batch = random_of (rand, 1, 2),
    .groups = depthwise ? random_of (rand, 1, 40) : random_of (rand, 1, 2),
    .ic = depthwise ? 1 : random_of (rand, 1, 20),
    .oc = depthwise ? 1 : random_of (rand, 1, 40),
    .transposed = g_rand_boolean (rand) };
  c->attrs.window.n = c->n;
  for (guint i = 0; i < c->n; i++) {
    InferWindow *w = &c->attrs.window;

    c->in[i] = random_of (rand, 1, c->n == 1 ? 60 : 9);
    c->k[i] = random_of (rand, 1, 5);
    w->strides[i] = random_of (rand, 1, 3);
    w->dilations[i] = random_of (rand, 1, 3);
    w->pads_begin[i] = random_of (rand, 0, 3);
    w->pads_end[i] = random_of (rand, 0, 3);
    if (c->transposed)
      c->attrs.output_padding[i] = random_of (rand, 0, 2);
  }
}

static InferTensor *
random_tensor (GRand *rand, const InferShape *shape)
{
  InferTensor *tensor = infer_tensor_new (INFER_TYPE_F32, shape, NULL);
  float *data = tensor->data;

  for (gsize i = 0; i < infer_shape_count (shape); i++)
    data[i] = (float) g_rand_double_range (rand, -1, 1);
  return tensor;
}

static void
make_inputs (GRand *rand, const Case *c, InferTensor **inputs)
{
  InferShape data = infer_shape_of_rank ((int) c->n + 2);
  InferShape filters = infer_shape_of_rank ((int) c->n + 3);

  data.dims[0] = c->batch;
  data.dims[1] = c->groups * c->ic;
  filters.dims[0] = c->groups;
  filters.dims[1] = c->transposed ? c->ic : c->oc;
  filters.dims[2] = c->transposed ? c->oc : c->ic;
  for (guint i = 0; i < c->n; i++) {
    data.dims[2 + i] = c->in[i];
    filters.dims[3 + i] = c->k[i];
  }
  inputs[0] = random_tensor (rand, &data);
  inputs[1] = random_tensor (rand, &filters);
}

static gboolean
make_geometry (const Case *c, CpuConvGeometry *g)
{
  InferWindowDim dims[3];
  gboolean ok = c->transposed ? infer_backprop_resolve (
                    &c->attrs, c->n, c->in, c->k, NULL, dims, NULL)
                              : infer_window_resolve_all (&c->attrs.window,
                                  c->n, c->in, c->k, dims, NULL);

  *g = (CpuConvGeometry){ .transposed = c->transposed,
    .batch = (gsize) c->batch,
    .groups = (gsize) c->groups,
    .ic = (gsize) c->ic,
    .oc = (gsize) c->oc,
    .in = { 1, 1, 1 },
    .k = { 1, 1, 1 },
    .out = { 1, 1, 1 },
    .stride = { 1, 1, 1 },
    .dilation = { 1, 1, 1 } };
  for (guint i = 0; ok && i < c->n; i++) {
    guint d = 3 - c->n + i;

    g->in[d] = (gsize) c->in[i];
    g->k[d] = (gsize) c->k[i];
    g->out[d] = (gsize) dims[i].out;
    g->stride[d] = c->attrs.window.strides[i];
    g->dilation[d] = c->attrs.window.dilations[i];
    g->pad[d] = dims[i].pad_begin;
  }
  return ok;
}

static void
compare (const Case *c, const CpuConvGeometry *g, const InferTensor *got,
    const float *want)
{
  const float *data = got->data;
  gsize n = infer_shape_count (&got->shape);
  /* This many products of magnitude below 1, each addition rounded; twice, in
   * different orders. */
  float limit =
      fmaxf (1e-4f, 2 * FLT_EPSILON * (float) (g->ic * cpu_volume (g->k)));

  g_assert_cmpuint (n, ==, g->batch * g->groups * g->oc * cpu_volume (g->out));
  for (gsize i = 0; i < n; i++) {
    if (!(fabsf (data[i] - want[i]) <= limit))
      g_error ("%s: batch %d groups %d ic %d oc %d, innermost: in %d k %d out "
               "%d stride %d dilation %d pad %d: [%d] is %g, not %g",
          c->transposed ? "transposed" : "forward", (int) g->batch,
          (int) g->groups, (int) g->ic, (int) g->oc, (int) g->in[2],
          (int) g->k[2], (int) g->out[2], (int) g->stride[2],
          (int) g->dilation[2], (int) g->pad[2], (int) i, (double) data[i],
          (double) want[i]);
  }
}

static gboolean
check_case (GRand *rand, CpuScope *scope)
{
  CpuConvGeometry g;
  Case c;
  InferTensor *inputs[2], *output = NULL;
  InferOutput port = { 0 };
  InferOperation op = { .name = (char *) "x",
    .version = 1,
    .n_inputs = 2,
    .n_outputs = 1,
    .outputs = &port };
  GError *error = NULL;

  make_case (rand, &c);
  if (!make_geometry (&c, &g))
    return FALSE;
  op.klass = infer_op_class_find (
      c.transposed ? "GroupConvolutionBackpropData" : "GroupConvolution");
  op.attrs = &c.attrs;
  make_inputs (rand, &c, inputs);
  g_autofree float *want =
      g_new (float, g.batch *g.groups *g.oc *cpu_volume (g.out) + 1);
  cpu_conv_ref_f32 (NULL, &g, inputs[0]->data, inputs[1]->data, want);
  cpu_evaluate (scope, &op, inputs, &output, &error);
  g_assert_no_error (error);
  compare (&c, &g, output, want);
  infer_tensor_unref (inputs[0]);
  infer_tensor_unref (inputs[1]);
  infer_tensor_unref (output);
  return TRUE;
}

static void
check_random (guint threads, guint n)
{
  InferConfig config = { .streams = 1, .threads = threads };
  CpuScope *scope = cpu_scope_new (&config);
  guint32 seed = g_test_rand_int ();
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  guint checked = 0;

  g_test_message ("seed %u", seed);
  for (guint i = 0; i < n; i++)
    checked += check_case (rand, scope) ? 1 : 0;
  g_assert_cmpuint (checked, >, n / 3);
  cpu_scope_free (scope);
}

/* ThreadSanitizer has little to say of one thread. */
#ifdef __SANITIZE_THREAD__
#define ALONE 100
#else
#define ALONE 1500
#endif

static void
test_random (void)
{
  check_random (1, ALONE);
}

/* Split into parts of any size. */
static void
test_parts (void)
{
  g_setenv ("INFER_CPU_GRAIN", "1", TRUE);
  check_random (2, 300);
  g_unsetenv ("INFER_CPU_GRAIN");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cpu/convolution/random", test_random);
  g_test_add_func ("/cpu/convolution/parts", test_parts);
  return g_test_run ();
}
