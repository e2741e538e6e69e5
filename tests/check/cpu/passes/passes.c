/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Each pass on its own: the steps and values before and after it. */

#include "tests/check/cpu/passes/planned.h"

/* --- models --- */

static void
add_filters (InferModel *net, const char *name, gsize rank, const gint64 *dims)
{
  gint64 n = 1;

  for (gsize i = 0; i < rank; i++)
    n *= dims[i];
  g_autofree float *values = g_new (float, n);
  for (gint64 i = 0; i < n; i++)
    values[i] = (float) (i % 7 - 3) * 0.25f;
  net_const_shaped (net, name, rank, dims, values);
}

static void
add_convolution (InferModel *net, const char *type, const char *name,
    const char *inputs, const char *pad)
{
  g_autofree char *pads = g_strconcat (pad, ",", pad, NULL);

  net_add (net, type, name, inputs, 1, "strides", "1,1", "dilations", "1,1",
      "pads_begin", pads, "pads_end", pads, NULL);
}

/* relu (conv (x)) */
static InferModel *
convolution_net (void)
{
  InferModel *net = net_new ();

  net_parameter (net, "x", "1,3,8,8");
  add_filters (net, "w", 4, (gint64[]){ 4, 3, 1, 1 });
  add_convolution (net, "Convolution", "conv", "x w", "0");
  net_build (net, "relu = ReLU conv; y = Result relu");
  return net;
}

static void
add_quantise (InferModel *net, const char *name, const char *input)
{
  g_autofree char *inputs = g_strdup_printf ("%s low high low high", input);

  net_add (net, "FakeQuantize", name, inputs, 1, "levels", "256", NULL);
}

/* conv (quantise (conv (quantise (x)))) */
static InferModel *
quantised_net (void)
{
  const float weights[16] = { 1, 2, 3, -4, 5, 0, -1, 2 };
  const InferShape shape = infer_shape_make (4, 4, 4, 1, 1);
  InferModel *net = net_new ();

  net_build (net, "x = Parameter 1,4,8,8; low = f32 0; high = f32 255");
  InferOperation *w = net_const_f32 (net, "w", G_N_ELEMENTS (weights), weights);
  g_assert_true (infer_tensor_reshape (w->value, INFER_TYPE_F32, &shape, NULL));
  add_quantise (net, "qx", "x");
  add_convolution (net, "Convolution", "a", "qx w", "0");
  add_quantise (net, "qa", "a");
  add_convolution (net, "Convolution", "b", "qa w", "0");
  net_result (net, "y", "b");
  return net;
}

/* pointwise (relu (depthwise (x))) */
static InferModel *
mobile_net (void)
{
  InferModel *net = net_new ();

  net_parameter (net, "x", "1,20,40,40");
  add_filters (net, "w1", 5, (gint64[]){ 20, 1, 1, 3, 3 });
  add_filters (net, "w2", 4, (gint64[]){ 28, 20, 1, 1 });
  add_convolution (net, "GroupConvolution", "depthwise", "x w1", "1");
  net_add (net, "ReLU", "relu", "depthwise", 1, NULL);
  add_convolution (net, "Convolution", "pointwise", "relu w2", "0");
  net_result (net, "y", "pointwise");
  return net;
}

/* --- cases --- */

static void
test_lower (void)
{
  Planned p;

  plan_before (&p, convolution_net (), &cpu_pass_lower, INFER_PRECISION_F32);
  g_assert_cmpuint (p.plan->n_steps, ==, 0);
  run_pass (&p, &cpu_pass_lower);
  g_assert_cmpuint (p.plan->n_steps, ==, 2);
  assert_step (&p, 0, &infer_op_convolution);
  assert_step (&p, 1, &infer_op_relu);
  const CpuPlanStep *conv = step_at (&p, 0);
  const CpuPlanStep *relu = step_at (&p, 1);
  g_assert_true (conv->s.in[1]->constant);
  g_assert_cmpint (conv->s.in[1]->desc.shape.rank, ==, 4);
  g_assert_true (cpu_plan_step_in (conv, 0) == p.plan->inputs->pdata[0]);
  g_assert_true (cpu_plan_only_use (cpu_plan_step_out (conv, 0))->step == relu);
  g_assert_true (cpu_plan_step_out (relu, 0) == p.plan->results->pdata[0]);
  g_assert_null (cpu_plan_only_use (p.plan->results->pdata[0])->step);
  planned_clear (&p);
}

/* The shape of NonZero depends on data, and so does all that reads it. */
static void
test_lazy (void)
{
  InferModel *net = net_new ();
  Planned p;

  net_build (net, "x = Parameter 2,3; found = NonZero x output_type=i64; "
                  "abs = Abs found; y = Result abs");
  plan_before (&p, net, &cpu_pass_quantise_inputs, INFER_PRECISION_F32);
  g_assert_true (step_at (&p, 0)->s.lazy);
  g_assert_true (step_at (&p, 1)->s.lazy);
  g_assert_cmpint (
      cpu_plan_step_out (step_at (&p, 0), 0)->place, ==, CPU_PLACE_OWN);
  planned_clear (&p);
}

static gboolean
has (CpuIsa isa)
{
  if (g_getenv ("INFER_CPU_ISA") == NULL && (cpu_isa_detect () & isa) == isa)
    return TRUE;
  g_test_skip ("needs other instructions than this machine has");
  return FALSE;
}

static void
test_quantise_inputs (void)
{
  Planned p;

  if (!has (CPU_ISA_AVXVNNI))
    return;
  plan_before (
      &p, quantised_net (), &cpu_pass_quantise_inputs, INFER_PRECISION_F32);
  g_assert_cmpuint (p.plan->n_steps, ==, 4);
  run_pass (&p, &cpu_pass_quantise_inputs);
  g_assert_cmpuint (p.plan->n_steps, ==, 6);
  assert_step (&p, 0, &infer_op_fake_quantize);
  assert_conversion (&p, 1);
  assert_step (&p, 2, &infer_op_convolution);
  assert_conversion (&p, 4);
  for (guint i = 2; i <= 5; i += 3) {
    const CpuValue *in = step_at (&p, i)->s.in[0];

    g_assert_cmpint (in->desc.type, ==, INFER_TYPE_U8);
    g_assert_cmpfloat (in->form.quant->step, ==, 1);
  }
  planned_clear (&p);
}

static void
test_quantise_outputs (void)
{
  Planned p;

  if (!has (CPU_ISA_AVXVNNI))
    return;
  plan_before (
      &p, quantised_net (), &cpu_pass_quantise_outputs, INFER_PRECISION_F32);
  run_pass (&p, &cpu_pass_quantise_outputs);
  g_assert_cmpuint (p.plan->n_steps, ==, 3);
  assert_step (&p, 0, &infer_op_fake_quantize);
  g_assert_cmpint (step_at (&p, 0)->s.out[0]->desc.type, ==, INFER_TYPE_U8);
  assert_step (&p, 1, &infer_op_convolution);
  g_assert_true (
      infer_op_is (step_at (&p, 1)->s.quantizer, &infer_op_fake_quantize));
  g_assert_true (step_at (&p, 2)->s.in[0] == step_at (&p, 1)->s.out[0]);
  g_assert_cmpint (step_at (&p, 2)->s.out[0]->desc.type, ==, INFER_TYPE_F32);
  planned_clear (&p);
}

/* conv (x) * sigmoid (conv (x)), each of them quantised. */
static void
test_tabulate (void)
{
  InferModel *net = net_new ();
  Planned p;

  if (!has (CPU_ISA_AVXVNNI)) {
    infer_model_unref (net);
    return;
  }
  net_parameter (net, "x", "1,3,8,8");
  net_const_f32 (net, "low", 1, (float[]){ -128 });
  net_const_f32 (net, "high", 1, (float[]){ 127 });
  add_quantise (net, "q", "x");
  add_filters (net, "w", 4, (gint64[]){ 3, 3, 1, 1 });
  add_convolution (net, "Convolution", "conv", "q w", "0");
  add_quantise (net, "a", "conv");
  net_add (net, "Sigmoid", "s", "a", 1, NULL);
  add_quantise (net, "b", "s");
  net_add (net, "Multiply", "m", "a b", 1, "auto_broadcast", "numpy", NULL);
  add_quantise (net, "c", "m");
  add_convolution (net, "Convolution", "last", "c w", "0");
  net_result (net, "y", "last");
  plan_before (&p, net, &cpu_pass_tabulate, INFER_PRECISION_F32);
  run_pass (&p, &cpu_pass_tabulate);
  /* q, u8, conv, a, u8, table, last */
  g_assert_cmpuint (p.plan->n_steps, ==, 7);
  assert_step (&p, 3, &infer_op_fake_quantize);
  assert_conversion (&p, 4);
  assert_conversion (&p, 5);
  g_assert_cmpstr (step_at (&p, 5)->s.kernel, ==, "lookup_u8");
  g_assert_true (step_at (&p, 6)->s.in[0] == step_at (&p, 5)->s.out[0]);
  run_pass (&p, &cpu_pass_fuse_post_ops);
  run_pass (&p, &cpu_pass_quantise_outputs);
  /* The convolution gives what the table reads. */
  g_assert_cmpuint (p.plan->n_steps, ==, 5);
  assert_step (&p, 2, &infer_op_convolution);
  g_assert_true (step_at (&p, 3)->s.in[0] == step_at (&p, 2)->s.out[0]);
  planned_clear (&p);
}

static void
test_fuse_post_ops (void)
{
  Planned p;

  plan_before (
      &p, convolution_net (), &cpu_pass_fuse_post_ops, INFER_PRECISION_F32);
  run_pass (&p, &cpu_pass_fuse_post_ops);
  g_assert_cmpuint (p.plan->n_steps, ==, 1);
  const CpuStep *conv = &step_at (&p, 0)->s;
  g_assert_cmpuint (conv->n_posts, ==, 1);
  g_assert_true (infer_op_is (conv->posts[0].op, &infer_op_relu));
  g_assert_true (p.plan->results->pdata[0] == (gpointer) conv->out[0]);
  planned_clear (&p);
}

/* A second reader needs the value in between. */
static void
test_two_readers (void)
{
  InferModel *net = convolution_net ();
  Planned p;

  net_result (net, "z", "conv");
  plan_before (&p, net, &cpu_pass_fuse_post_ops, INFER_PRECISION_F32);
  run_pass (&p, &cpu_pass_fuse_post_ops);
  g_assert_cmpuint (p.plan->n_steps, ==, 2);
  g_assert_cmpuint (step_at (&p, 0)->s.n_posts, ==, 0);
  planned_clear (&p);
}

static void
test_layout (void)
{
  Planned p;

  plan_before (&p, convolution_net (), &cpu_pass_layout, INFER_PRECISION_F32);
  run_pass (&p, &cpu_pass_layout);
  g_assert_cmpuint (p.plan->n_steps, ==, 3);
  assert_conversion (&p, 0);
  assert_step (&p, 1, &infer_op_convolution);
  assert_conversion (&p, 2);
  g_assert_cmpint (step_at (&p, 1)->s.in[0]->form.layout, ==, CPU_LAYOUT_NSPC);
  g_assert_cmpint (step_at (&p, 1)->s.out[0]->form.layout, ==, CPU_LAYOUT_NSPC);
  g_assert_cmpint (((CpuPlanValue *) p.plan->results->pdata[0])->v.form.layout,
      ==, CPU_LAYOUT_PLAIN);
  planned_clear (&p);
}

/* An Unsqueeze between a convolution and the Transpose that puts channels last:
 * they are last already. */
static void
test_unconverted (void)
{
  InferModel *net = net_new ();
  Planned p;

  net_parameter (net, "x", "1,3,8");
  add_filters (net, "w", 3, (gint64[]){ 4, 3, 1 });
  net_build (net,
      "c = Convolution x w strides=1 dilations=1 pads_begin=0 pads_end=0; "
      "axes = i64 1; u = Unsqueeze c axes; order = i64 0 1 3 2; "
      "t = Transpose u order; y = Result t");
  plan_before (&p, net, &cpu_pass_layout, INFER_PRECISION_F32);
  run_pass (&p, &cpu_pass_layout);
  g_assert_cmpuint (p.plan->n_steps, ==, 3);
  assert_conversion (&p, 0);
  assert_step (&p, 1, &infer_op_convolution);
  assert_step (&p, 2, &infer_op_transpose);
  g_assert_true (step_at (&p, 2)->view);
  g_assert_true (step_at (&p, 2)->s.in[0] == step_at (&p, 1)->s.out[0]);
  planned_clear (&p);
}

static void
test_alias_views (void)
{
  InferModel *net = net_new ();
  Planned p;

  net_build (net,
      "x = Parameter 2,3; shape = i64 3 2; "
      "r = Reshape x shape special_zero=false; relu = ReLU r; y = Result relu");
  plan_before (&p, net, &cpu_pass_alias_views, INFER_PRECISION_F32);
  g_assert_cmpuint (p.plan->n_steps, ==, 2);
  run_pass (&p, &cpu_pass_alias_views);
  g_assert_cmpuint (p.plan->n_steps, ==, 1);
  const CpuPlanValue *in = cpu_plan_step_in (step_at (&p, 0), 0);
  g_assert_true (in->root == p.plan->inputs->pdata[0]);
  g_assert_cmpint (in->v.desc.shape.dims[0], ==, 3);
  planned_clear (&p);
}

/* A Transpose that moves dims of 1 only is a view; any other one is a step. */
static void
test_alias_transposes (void)
{
  static const struct
  {
    const char *net;
    guint n_steps;
  } cases[] = {
    { "x = Parameter 1,2,1,3; order = i64 2 1 0 3; t = Transpose x order; "
      "relu = ReLU t; y = Result relu",
        1 },
    { "x = Parameter 2,1,3; order = i64 0 2 1; t = Transpose x order; "
      "relu = ReLU t; y = Result relu",
        1 },
    { "x = Parameter 1,2,1,3; order = i64 3 1 0 2; t = Transpose x order; "
      "relu = ReLU t; y = Result relu",
        2 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    InferModel *net = net_new ();
    Planned p;

    net_build (net, cases[i].net);
    plan_before (&p, net, &cpu_pass_alias_views, INFER_PRECISION_F32);
    g_assert_cmpuint (p.plan->n_steps, ==, 2);
    run_pass (&p, &cpu_pass_alias_views);
    g_assert_cmpuint (p.plan->n_steps, ==, cases[i].n_steps);
    planned_clear (&p);
  }
}

static void
test_prepare (void)
{
  Planned p;

  plan_before (&p, convolution_net (), &cpu_pass_prepare, INFER_PRECISION_F32);
  const CpuPlanStep *conv = step_at (&p, 1);
  g_assert_false (conv->prepared);
  run_pass (&p, &cpu_pass_prepare);
  g_assert_true (conv->prepared);
  g_assert_nonnull (conv->s.priv);
  g_assert_cmpstr (conv->s.kernel, !=, "ref");
  g_assert_cmpuint (p.plan->scratch_size, >=, conv->s.scratch_size);
  planned_clear (&p);
}

static void
test_fuse_producers (void)
{
  Planned p;

  if (!has (CPU_ISA_AVX2))
    return;
  plan_before (
      &p, mobile_net (), &cpu_pass_fuse_producers, INFER_PRECISION_F32);
  g_assert_cmpuint (p.plan->n_steps, ==, 4);
  run_pass (&p, &cpu_pass_fuse_producers);
  g_assert_cmpuint (p.plan->n_steps, ==, 3);
  const CpuPlanStep *pointwise = step_at (&p, 1);
  g_assert_cmpuint (pointwise->fused->len, ==, 1);
  g_assert_true (
      ((CpuPlanStep *) pointwise->fused->pdata[0])->consumer == pointwise);
  planned_clear (&p);
}

/* pointwise (depthwise (pointwise (x))): what is in the middle is larger than
 * any second-level cache counts as. */
static void
test_fuse_chain (void)
{
  InferModel *net = net_new ();
  Planned p;

  if (!has (CPU_ISA_AVX2))
    return;
  net_parameter (net, "x", "1,8,300,60");
  add_filters (net, "w1", 4, (gint64[]){ 32, 8, 1, 1 });
  add_filters (net, "w2", 5, (gint64[]){ 32, 1, 1, 3, 3 });
  add_filters (net, "w3", 4, (gint64[]){ 16, 32, 1, 1 });
  add_convolution (net, "Convolution", "expansion", "x w1", "0");
  add_convolution (net, "GroupConvolution", "depthwise", "expansion w2", "1");
  add_convolution (net, "Convolution", "projection", "depthwise w3", "0");
  net_result (net, "y", "projection");
  plan_before (&p, net, &cpu_pass_fuse_producers, INFER_PRECISION_F32);
  g_assert_cmpuint (p.plan->n_steps, ==, 5);
  run_pass (&p, &cpu_pass_fuse_producers);
  g_assert_cmpuint (p.plan->n_steps, ==, 3);
  const CpuPlanStep *last = step_at (&p, 1);
  g_assert_cmpuint (last->fused->len, ==, 1);
  const CpuPlanStep *depthwise = last->fused->pdata[0];
  g_assert_cmpuint (depthwise->fused->len, ==, 1);
  const CpuPlanStep *first = depthwise->fused->pdata[0];
  g_assert_true (first->consumer == depthwise);
  /* Neither is in memory as a whole; the input lives as long as it is read. */
  g_assert_cmpint (cpu_plan_step_out (first, 0)->place, ==, CPU_PLACE_OWN);
  run_pass (&p, &cpu_pass_reuse_inputs);
  g_assert_cmpuint (cpu_plan_step_in (first, 0)->last, ==, 1);
  planned_clear (&p);
}

/* Two convolutions in a row that are not fused. */
static InferModel *
two_convolutions_net (void)
{
  InferModel *net = net_new ();

  net_parameter (net, "x", "1,3,50,61");
  add_filters (net, "w1", 4, (gint64[]){ 16, 3, 3, 3 });
  add_filters (net, "w2", 4, (gint64[]){ 40, 16, 1, 1 });
  add_convolution (net, "Convolution", "first", "x w1", "1");
  add_convolution (net, "Convolution", "second", "first w2", "0");
  net_result (net, "y", "second");
  return net;
}

static void
test_f16_storage (void)
{
  Planned p;

  if (!has (CPU_ISA_FP16))
    return;
  plan_before (
      &p, two_convolutions_net (), &cpu_pass_f16_storage, INFER_PRECISION_F16);
  const CpuPlanValue *between = cpu_plan_step_out (step_at (&p, 1), 0);
  g_assert_null (between->v.form.f16);
  run_pass (&p, &cpu_pass_f16_storage);
  g_assert_true (between->v.form.f16 == &between->f16);
  g_assert_cmpuint (between->v.bytes, ==, between->v.n * 2);
  planned_clear (&p);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cpu/passes/lower", test_lower);
  g_test_add_func ("/cpu/passes/lazy", test_lazy);
  g_test_add_func ("/cpu/passes/quantise-inputs", test_quantise_inputs);
  g_test_add_func ("/cpu/passes/tabulate", test_tabulate);
  g_test_add_func ("/cpu/passes/fuse-post-ops", test_fuse_post_ops);
  g_test_add_func ("/cpu/passes/two-readers", test_two_readers);
  g_test_add_func ("/cpu/passes/quantise-outputs", test_quantise_outputs);
  g_test_add_func ("/cpu/passes/layout", test_layout);
  g_test_add_func ("/cpu/passes/layout/unconverted", test_unconverted);
  g_test_add_func ("/cpu/passes/alias-views", test_alias_views);
  g_test_add_func ("/cpu/passes/alias-views/transpose", test_alias_transposes);
  g_test_add_func ("/cpu/passes/prepare", test_prepare);
  g_test_add_func ("/cpu/passes/fuse-producers", test_fuse_producers);
  g_test_add_func ("/cpu/passes/fuse-producers/chain", test_fuse_chain);
  g_test_add_func ("/cpu/passes/f16-storage", test_f16_storage);
  return g_test_run ();
}
