/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "ocl/passes/pass.h"

#include "inference/base/arena.h"
#include "inference/runtime/config.h"
#include "ocl/plan/launch.h"

/* Bytes; the widest vector type of OpenCL. */
#define ALIGN 128

static void
touch (OclValue *value, guint at)
{
  gsize offset;
  OclValue *root = ocl_value_root (value, &offset);

  root->first = MIN (root->first, at);
  root->last = MAX (root->last, at);
}

/* Only launches read and write: views and folded values need no memory. */
static void
find_lifetimes (OclPlan *plan)
{
  const guint n_variables = infer_model_n_variables (plan->model);

  for (guint i = 0; i < plan->values->len; i++) {
    OclValue *value = plan->values->pdata[i];

    value->first = G_MAXUINT;
    value->last = 0;
  }
  for (guint i = 0; i < plan->steps->len; i++) {
    const OclStep *step = plan->steps->pdata[i];

    for (guint k = 0; k < step->launches->len; k++) {
      const OclLaunch *launch = step->launches->pdata[k];

      for (guint a = 0; a < launch->args->len; a++) {
        const OclArg *arg = &g_array_index (launch->args, OclArg, a);

        if (arg->value != NULL)
          touch (arg->value, i);
      }
    }
  }
  for (guint k = 0; k < plan->results->len; k++)
    touch (plan->results->pdata[k], plan->steps->len);
  for (guint v = 0; v < n_variables; v++)
    if (plan->next[v] != NULL)
      touch (plan->next[v], plan->steps->len);
}

/* Inputs, results and next values lie outside the arena. */
static gsize
plan_bytes (const OclPlan *plan)
{
  const GPtrArray *const ports[] = { plan->inputs, plan->results };
  const guint n_variables = infer_model_n_variables (plan->model);
  gsize sum = plan->arena_size;
  gboolean ok = TRUE;

  for (guint p = 0; p < G_N_ELEMENTS (ports); p++)
    for (guint i = 0; i < ports[p]->len; i++) {
      const OclValue *value = ports[p]->pdata[i];

      ok = ok && g_size_checked_add (&sum, sum, value->bytes);
    }
  for (guint v = 0; v < n_variables; v++)
    if (plan->next[v] != NULL)
      ok = ok && g_size_checked_add (&sum, sum, plan->next[v]->bytes);
  return ok ? sum : G_MAXSIZE;
}

gboolean
ocl_pass_memory (OclPlan *plan, GError **error)
{
  g_autoptr (GArray) spans =
      g_array_new (FALSE, FALSE, sizeof (InferArenaSpan));
  g_autoptr (GPtrArray) roots = g_ptr_array_new ();

  find_lifetimes (plan);
  for (guint i = 0; i < plan->values->len; i++) {
    OclValue *value = plan->values->pdata[i];
    InferArenaSpan span = { value->bytes, value->first, value->last, 0 };

    if (value->base == NULL && value->place == OCL_PLACE_ARENA
        && value->host == NULL && ocl_value_is_live (value)) {
      g_ptr_array_add (roots, value);
      g_array_append_val (spans, span);
    }
  }
  if (!infer_arena_place ((InferArenaSpan *) (gpointer) spans->data, spans->len,
          ALIGN, &plan->arena_size, error)
      || !infer_config_allows (
          &plan->scope->config, plan_bytes (plan), "values", error))
    return FALSE;
  for (guint i = 0; i < roots->len; i++)
    ((OclValue *) roots->pdata[i])->offset =
        g_array_index (spans, InferArenaSpan, i).offset;
  return TRUE;
}
