/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* oneDNN's convolutions compared with the portable C version. */

#include "cpu/kernels/epilogue-c.h"
#include "cpu/conv/dnn.h"
#include "tests/check/support/process.h"

#include <oneapi/dnnl/dnnl.h>

static float *
random_floats (GRand *rand, gsize n)
{
  float *data = cpu_alloc ((n + 1) * sizeof *data);

  for (gsize i = 0; i < n; i++)
    data[i] = (float) g_rand_double_range (rand, -1, 1);
  return data;
}

static void
make_geometry (GRand *rand, CpuConvGeometry *g)
{
  *g = (CpuConvGeometry){ .batch = (gsize) g_rand_int_range (rand, 1, 3),
    .groups = 1,
    .ic = (gsize) g_rand_int_range (rand, 1, 40),
    .oc = (gsize) g_rand_int_range (rand, 1, 40) };
  for (guint d = 0; d < 3; d++) {
    gint64 k =
        d == 0 && g_rand_boolean (rand) ? 1 : g_rand_int_range (rand, 1, 4);
    gint64 in = d == 0 && k == 1 ? 1 : g_rand_int_range (rand, 8, 12);

    g->stride[d] = in == 1 ? 1 : g_rand_int_range (rand, 1, 3);
    g->dilation[d] = g_rand_int_range (rand, 1, 3);
    g->pad[d] = k == 1 ? 0 : g_rand_int_range (rand, 0, 2);
    g->in[d] = (gsize) in;
    g->k[d] = (gsize) k;
    g->out[d] = (gsize) ((in + 2 * g->pad[d] - (k - 1) * g->dilation[d] - 1)
                             / g->stride[d]
                         + 1);
  }
}

/* [batch][channels][volume] → [batch][volume][channels] */
static float *
channels_last (const float *from, gsize batch, gsize channels, gsize volume)
{
  float *to = cpu_alloc ((batch * channels * volume + 1) * sizeof *to);

  for (gsize n = 0; n < batch; n++)
    for (gsize c = 0; c < channels; c++)
      for (gsize i = 0; i < volume; i++)
        to[(n * volume + i) * channels + c] =
            from[(n * channels + c) * volume + i];
  return to;
}

static void
compare (const CpuConvGeometry *g, const CpuEpilogue *e, const float *got,
    const float *sums)
{
  gsize n = g->batch * g->oc * cpu_volume (g->out);

  for (gsize i = 0; i < n; i++) {
    float want = epilogue_c (e, sums[i], i % g->oc, i);

    g_assert_cmpfloat_with_epsilon (got[i], want, 1e-3f);
  }
}

/* @sums: without epilogue, channels first.  Overwrites @out. */
static void
check_conv (const CpuConvGeometry *g, const CpuEpilogue *e, const float *data,
    const float *filters, const float *sums, float *out)
{
  CpuDnnConv *conv = cpu_dnn_conv_new (g, e, e->residual != NULL);

  if (conv == NULL)
    return;
  float *data_last = channels_last (data, g->batch, g->ic, cpu_volume (g->in));
  float *sums_last = channels_last (sums, g->batch, g->oc, cpu_volume (g->out));
  gpointer packed = cpu_alloc (cpu_dnn_conv_weights_bytes (conv) + 64);
  gpointer scratch = cpu_alloc (cpu_dnn_conv_scratch_bytes (conv) + 64);
  g_assert_true (cpu_dnn_conv_pack (conv, filters, packed));
  g_assert_true (cpu_dnn_conv_set_weights (conv, packed));
  g_assert_true (
      cpu_dnn_conv_run (conv, data_last, e->bias, e->residual, out, scratch));
  compare (g, e, out, sums_last);
  cpu_free (data_last);
  cpu_free (sums_last);
  cpu_free (packed);
  cpu_free (scratch);
  cpu_dnn_conv_free (conv);
}

static void
check (GRand *rand)
{
  static const CpuAct acts[] = { { .kind = CPU_ACT_NONE },
    { .kind = CPU_ACT_RELU },
    { .kind = CPU_ACT_CLAMP, .alpha = -0.5f, .beta = 1 },
    { .kind = CPU_ACT_SIGMOID }, { .kind = CPU_ACT_SWISH, .alpha = 1 },
    { .kind = CPU_ACT_HSWISH },
    { .kind = CPU_ACT_HSWISH_AFFINE, .alpha = 1.5f, .beta = -0.25f } };
  CpuConvGeometry g;
  float *data, *filters, *sums, *bias, *residual, *out;
  CpuEpilogue e = { 0 };

  make_geometry (rand, &g);
  gsize n_in = g.batch * g.ic * cpu_volume (g.in);
  gsize n_out = g.batch * g.oc * cpu_volume (g.out);
  gsize n_weights = g.oc * g.ic * cpu_volume (g.k);
  data = random_floats (rand, n_in);
  filters = random_floats (rand, n_weights);
  bias = random_floats (rand, g.oc);
  residual = random_floats (rand, n_out);
  sums = random_floats (rand, n_out);
  out = random_floats (rand, n_out);
  cpu_conv_ref_f32 (NULL, &g, data, filters, sums);
  e.act = acts[g_rand_int_range (rand, 0, G_N_ELEMENTS (acts))];
  if (g_rand_boolean (rand))
    e.bias = bias;
  if (g_rand_boolean (rand)) {
    e.residual = residual;
    e.last_act = acts[g_rand_int_range (rand, 0, G_N_ELEMENTS (acts))];
  }
  check_conv (&g, &e, data, filters, sums, out);
  cpu_free (data);
  cpu_free (filters);
  cpu_free (bias);
  cpu_free (residual);
  cpu_free (sums);
  cpu_free (out);
}

static void
test_random (void)
{
  guint32 seed = g_test_rand_int ();
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);

  g_test_message ("seed %u", seed);
  for (guint i = 0; i < 60; i++)
    check (rand);
}

/* Large enough for many threads, but it must run on the calling thread only. */
static void
test_alone (void)
{
  const CpuConvGeometry g = { .batch = 1,
    .groups = 1,
    .ic = 64,
    .oc = 64,
    .in = { 1, 32, 32 },
    .out = { 1, 32, 32 },
    .k = { 1, 3, 3 },
    .stride = { 1, 1, 1 },
    .dilation = { 1, 1, 1 },
    .pad = { 0, 1, 1 } };
  const CpuEpilogue e = { 0 };
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  const guint before = test_count_threads ();
  CpuDnnConv *conv = cpu_dnn_conv_new (&g, &e, FALSE);

  if (conv == NULL) {
    g_test_skip ("not by oneDNN");
    return;
  }
  float *data = random_floats (rand, 64 * 32 * 32);
  float *filters = random_floats (rand, 64 * 64 * 9);
  float *out = random_floats (rand, 64 * 32 * 32);
  gpointer packed = cpu_alloc (cpu_dnn_conv_weights_bytes (conv));
  gpointer scratch = cpu_alloc (cpu_dnn_conv_scratch_bytes (conv) + 64);
  g_assert_true (cpu_dnn_conv_pack (conv, filters, packed));
  g_assert_true (cpu_dnn_conv_set_weights (conv, packed));
  g_assert_true (cpu_dnn_conv_run (conv, data, NULL, NULL, out, scratch));
  g_assert_cmpuint (test_count_threads (), ==, before);
  cpu_free (data);
  cpu_free (filters);
  cpu_free (out);
  cpu_free (packed);
  cpu_free (scratch);
  cpu_dnn_conv_free (conv);
}

static void
test_capped (void)
{
  const CpuConvGeometry g = { .batch = 1,
    .groups = 1,
    .ic = 16,
    .oc = 16,
    .in = { 1, 8, 8 },
    .out = { 1, 8, 8 },
    .k = { 1, 1, 1 },
    .stride = { 1, 1, 1 },
    .dilation = { 1, 1, 1 } };
  const CpuEpilogue e = { 0 };

  if (!g_test_subprocess ()) {
    g_test_trap_subprocess (NULL, 0, 0);
    g_test_trap_assert_passed ();
    return;
  }
  g_setenv ("INFER_CPU_ISA", "avx2", TRUE);
  cpu_dnn_conv_free (cpu_dnn_conv_new (&g, &e, FALSE));
  g_assert_cmphex (
      (guint) dnnl_get_effective_cpu_isa () & ~(guint) dnnl_cpu_isa_avx2, ==,
      0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cpu/onednn/alone", test_alone);
  g_test_add_func ("/cpu/onednn/capped", test_capped);
  g_test_add_func ("/cpu/onednn/random", test_random);
  return g_test_run ();
}
