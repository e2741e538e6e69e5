/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "ocl/plan.h"

/* Enough for the widest vector of any device. */
#define ALIGN 128

static void
touch (OclValue *value, guint at)
{
  gsize offset;
  OclValue *root = ocl_value_root (value, &offset);

  root->first = MIN (root->first, at);
  root->last = MAX (root->last, at);
}

static void
find_lifetimes (OclPlan *plan)
{
  guint n_variables = infer_model_n_variables (plan->model);

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
    if (plan->assigned[v] != NULL)
      touch (plan->assigned[v], plan->steps->len);
}

static int
by_size (gconstpointer pa, gconstpointer pb)
{
  const OclValue *a = *(const OclValue *const *) pa;
  const OclValue *b = *(const OclValue *const *) pb;

  if (a->bytes != b->bytes)
    return a->bytes < b->bytes ? 1 : -1;
  return a->first < b->first ? -1 : a->first > b->first;
}

static int
by_offset (gconstpointer pa, gconstpointer pb)
{
  const OclValue *a = *(const OclValue *const *) pa;
  const OclValue *b = *(const OclValue *const *) pb;

  return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* The lowest gap between those placed values that live at the same time. */
static gsize
lowest_gap (const OclValue *value, const GPtrArray *placed)
{
  gsize offset = 0;

  for (guint i = 0; i < placed->len; i++) {
    const OclValue *other = placed->pdata[i];

    if (value->first > other->last || other->first > value->last)
      continue;
    if (offset + value->bytes <= other->offset)
      break;
    offset = MAX (offset,
        (other->offset + other->bytes + ALIGN - 1) & ~(gsize) (ALIGN - 1));
  }
  return offset;
}

gboolean
ocl_plan_place (OclPlan *plan, GError **error)
{
  g_autoptr (GPtrArray) roots = g_ptr_array_new ();
  g_autoptr (GPtrArray) placed = g_ptr_array_new ();

  find_lifetimes (plan);
  for (guint i = 0; i < plan->values->len; i++) {
    OclValue *value = plan->values->pdata[i];

    if (value->base == NULL && value->place == OCL_PLACE_ARENA
        && value->host == NULL && value->first != G_MAXUINT)
      g_ptr_array_add (roots, value);
  }
  g_ptr_array_sort (roots, by_size);
  for (guint i = 0; i < roots->len; i++) {
    OclValue *value = roots->pdata[i];

    value->offset = lowest_gap (value, placed);
    if (value->bytes > G_MAXSIZE / 4 - value->offset)
      return infer_fail (
          error, INFER_ERROR_NO_MEMORY, "the activations are too large");
    plan->arena_size = MAX (plan->arena_size, value->offset + value->bytes);
    g_ptr_array_add (placed, value);
    g_ptr_array_sort (placed, by_offset);
  }
  return TRUE;
}
