/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The planner's passes one by one, with the fake driver: what each changes in
 * the plan of a small graph, and that readers are kept. */

#include "inference/base/pass-log.h"
#include "inference/runtime/config.h"
#include "ocl/passes/pass.h"
#include "ocl/plan/launch.h"
#include "tests/check/support/fake-icd/fake-icd.h"
#include "tests/check/support/net.h"

#include <string.h>

/* y = reshape (concat (exp (relu (x + c)), -x), shape-of), z = softmax
 * (sigmoid (x)). */
static InferModel *
make_model (void)
{
  InferModel *net = net_of (
      "x = Parameter 2,8; c = f32 1 2 3 4 5 6 7 8; sum = Add x c; "
      "relu = ReLU sum; exp = Exp relu; minus = Negative x; "
      "both = Concat exp minus axis=0; shape = ShapeOf both output_type=i64; "
      "view = Reshape both shape special_zero=false; sigmoid = Sigmoid x; "
      "softmax = SoftMax sigmoid axis=1; y = Result view; z = Result softmax");

  return net;
}

static OclStep *
find_step (const OclPlan *plan, const char *name)
{
  for (guint i = 0; i < plan->steps->len; i++) {
    OclStep *step = plan->steps->pdata[i];

    if (strcmp (step->op->name, name) == 0)
      return step;
  }
  g_assert_not_reached ();
}

/* The readers of each value are the steps that have it as an operand. */
static void
assert_readers (const OclPlan *plan)
{
  g_autoptr (GHashTable) counts = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < plan->steps->len; i++) {
    const OclStep *step = plan->steps->pdata[i];

    for (guint k = 0; k < step->n_in; k++)
      g_hash_table_insert (counts, step->in[k],
          GSIZE_TO_POINTER (
              1
              + GPOINTER_TO_SIZE (g_hash_table_lookup (counts, step->in[k]))));
    for (guint p = 0; p < step->n_posts; p++)
      for (guint k = 0; k < step->posts[p].n_others; k++) {
        OclValue *other = step->posts[p].others[k];

        g_hash_table_insert (counts, other,
            GSIZE_TO_POINTER (
                1 + GPOINTER_TO_SIZE (g_hash_table_lookup (counts, other))));
      }
    g_assert_true (step->out[0]->producer == step);
  }
  for (guint i = 0; i < plan->values->len; i++) {
    const OclValue *value = plan->values->pdata[i];

    /* A value that fusion made internal to a step keeps no reader. */
    g_assert_cmpuint (value->readers->len, ==,
        GPOINTER_TO_SIZE (g_hash_table_lookup (counts, value)));
  }
}

static void
run (gboolean (*pass) (OclPlan *plan, GError **error), OclPlan *plan)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (pass (plan, &error));
  g_assert_no_error (error);
  g_assert_no_error (plan->error);
}

static void
check_lower (OclPlan *plan)
{
  run (ocl_pass_lower, plan);
  g_assert_cmpuint (plan->steps->len, ==, 8); /* ShapeOf is folded */
  g_assert_nonnull (find_step (plan, "view")->in[1]->host);
  g_assert_cmpuint (((OclValue *) plan->inputs->pdata[0])->readers->len, ==, 3);
  g_assert_true (find_step (plan, "view")->out[0]->leaves);
  assert_readers (plan);
}

static void
check_fuse (OclPlan *plan)
{
  run (ocl_pass_fuse, plan);
  g_assert_cmpuint (plan->steps->len, ==, 6);
  const OclStep *sum = find_step (plan, "sum");
  g_assert_cmpuint (sum->n_posts, ==, 2);
  g_assert_cmpstr (sum->posts[1].op->name, ==, "exp");
  g_assert_true (find_step (plan, "both")->in[0] == sum->out[0]);
  g_assert_cmpuint (sum->out[0]->readers->len, ==, 1);
  assert_readers (plan);
}

static void
check_prepare (OclPlan *plan)
{
  static const char *const launched[] = { "sum", "minus", "sigmoid",
    "softmax" };

  run (ocl_pass_prepare, plan);
  for (guint i = 0; i < G_N_ELEMENTS (launched); i++)
    g_assert_cmpuint (find_step (plan, launched[i])->launches->len, ==, 1);
  g_assert_cmpuint (find_step (plan, "both")->launches->len, ==, 0);
  g_assert_cmpstr (find_step (plan, "view")->kernel, ==, "optimized out");
  g_assert_true (find_step (plan, "minus")->out[0]->base
                 == find_step (plan, "both")->out[0]);
}

static void
check_places (OclPlan *plan)
{
  gsize offset;

  run (ocl_pass_outputs, plan);
  const OclValue *root =
      ocl_value_root (find_step (plan, "minus")->out[0], &offset);
  g_assert_cmpuint (root->place, ==, OCL_PLACE_RESULT);
  g_assert_cmpuint (root->index, ==, 0);
  g_assert_cmpuint (offset, ==, 2 * 8 * sizeof (float));
  run (ocl_pass_memory, plan);
  /* Only the result of Sigmoid lies in the arena. */
  root = find_step (plan, "sigmoid")->out[0];
  g_assert_cmpuint (root->place, ==, OCL_PLACE_ARENA);
  g_assert_cmpuint (plan->arena_size, >=, root->bytes);
  g_assert_cmpuint (plan->arena_size, <, 2 * 128);
}

static void
check_kernels (OclPlan *plan)
{
  run (ocl_pass_chain, plan); /* the fake device is a GPU: nothing to do */
  run (ocl_pass_kernels, plan);
  for (guint i = 0; i < plan->steps->len; i++) {
    const OclStep *step = plan->steps->pdata[i];

    for (guint k = 0; k < step->launches->len; k++) {
      const OclLaunch *launch = step->launches->pdata[k];

      g_assert_false (launch->chained);
      g_assert_nonnull (launch->kernel);
    }
  }
}

static void
check_log (OclPlan *plan)
{
  g_auto (GStrv) lines = NULL;

  infer_pass_log_start ();
  run (ocl_passes_run, plan);
  g_autofree char *text = infer_pass_log_end ();
  lines = g_strsplit (text, "\n", -1);
  g_assert_cmpuint (g_strv_length (lines), ==, 8);
  g_assert_true (g_str_has_prefix (
      lines[0], "ocl lower       8 steps,    0 post-ops,    0 launches"));
  g_assert_true (g_str_has_prefix (
      lines[6], "ocl kernels     6 steps,    2 post-ops,    4 launches"));
}

/* Constants that are too large to be folded need a kernel like any others, and
 * there is none for 4 bits. */
static void
check_unfoldable (OclScope *scope)
{
  g_autoptr (InferModel) model = net_of (
      "c = f32 1; d = Convert c destination_type=u4; n = i64 200000000; "
      "b = Broadcast d n mode=numpy; f = Convert b destination_type=f32; "
      "x = Parameter 1; s = Add x f; y = Result s");
  InferDesc desc = *infer_model_input_desc (model, 0);
  OclKey key = { 1, &desc };
  g_autoptr (GError) error = NULL;
  guint texts_left = 1;
  OclPlan *plan = ocl_plan_new (scope, model, &key, &texts_left);

  g_assert_false (ocl_passes_run (plan, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_UNSUPPORTED);
  g_assert_nonnull (
      strstr (error->message, " of type u4 has no OpenCL kernel"));
  ocl_plan_free (plan);
}

/* No string of a model gets into what is compiled. */
static void
check_text (OclScope *scope)
{
  g_autoptr (InferModel) model = net_of (
      "injected_x = Parameter 4,8; injected_w = f32 2; "
      "injected_a = Add injected_x injected_w; injected_b = Tanh injected_a; "
      "injected_m = SoftMax injected_b axis=1; injected_y = Result injected_m");
  InferDesc desc = *infer_model_input_desc (model, 0);
  OclKey key = { 1, &desc };
  g_autoptr (GError) error = NULL;
  guint texts_left = 1;
  GHashTableIter iter;
  gpointer text;
  OclPlan *plan = ocl_plan_new (scope, model, &key, &texts_left);

  g_assert_true (ocl_passes_run (plan, &error));
  g_assert_no_error (error);
  g_hash_table_iter_init (&iter, scope->programs);
  while (g_hash_table_iter_next (&iter, &text, NULL))
    g_assert_null (strstr (text, "injected"));
  g_assert_cmpuint (g_hash_table_size (scope->programs), >, 0);
  ocl_plan_free (plan);
}

int
main (void)
{
  g_autoptr (InferModel) model = make_model ();
  g_autoptr (GError) error = NULL;
  InferConfig config = { 0 };
  InferDesc desc = *infer_model_input_desc (model, 0);
  OclKey key = { 1, &desc };
  guint texts_left = 1;

  fake_icd_announce ("pinned");
  g_assert_true (infer_config_parse (NULL, &config, &error));
  OclScope *scope = ocl_scope_new (0, &config, &error);
  g_assert_no_error (error);
  OclPlan *plan = ocl_plan_new (scope, model, &key, &texts_left);
  check_lower (plan);
  check_fuse (plan);
  check_prepare (plan);
  check_places (plan);
  check_kernels (plan);
  ocl_plan_free (plan);
  plan = ocl_plan_new (scope, model, &key, &texts_left);
  check_log (plan);
  ocl_plan_free (plan);
  check_unfoldable (scope);
  check_text (scope);
  ocl_scope_free (scope);
  infer_config_clear (&config);
  return 0;
}
