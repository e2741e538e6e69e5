/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/plan/plan.h"

typedef struct
{
  CpuPlanStep *maker;
  guint readers;
} Use;

static Use *
use_of (GHashTable *uses, CpuValue *value)
{
  Use *use = g_hash_table_lookup (uses, value);

  if (use == NULL) {
    use = g_new0 (Use, 1);
    g_hash_table_insert (uses, value, use);
  }
  return use;
}

static GHashTable *
find_uses (const CpuPlan *plan)
{
  GHashTable *uses = g_hash_table_new_full (NULL, NULL, NULL, g_free);

  for (guint i = 0; i < plan->steps->len; i++) {
    CpuPlanStep *step = plan->steps->pdata[i];

    for (guint k = 0; k < step->s.n_in; k++)
      use_of (uses, step->s.in[k])->readers++;
    for (guint k = 0; k < step->s.n_posts; k++)
      use_of (uses, step->s.posts[k].other)->readers++;
    for (guint k = 0; k < step->s.n_out; k++)
      use_of (uses, step->s.out[k])->maker = step;
  }
  for (guint k = 0; k < plan->results->len; k++)
    use_of (uses, &((CpuPlanValue *) plan->results->pdata[k])->v)->readers++;
  return uses;
}

/* The step that makes @value for one reader alone; NULL: not so. */
static CpuPlanStep *
sole_maker (GHashTable *uses, const CpuValue *v)
{
  const CpuPlanValue *value = (const CpuPlanValue *) v;
  const Use *use = value != NULL ? g_hash_table_lookup (uses, value) : NULL;

  if (use == NULL || use->readers != 1 || use->maker == NULL
      || value->root != value || value->next_alias != NULL
      || value->keeps != NULL || value->place != CPU_PLACE_ARENA)
    return NULL;
  return use->maker;
}

static gboolean
try_take (CpuPlan *plan, GHashTable *uses, CpuPlanStep *step, guint input)
{
  const guint n_in = step->s.n_in;
  CpuPlanStep *earlier = sole_maker (uses,
      input < n_in ? step->s.in[input] : step->s.posts[input - n_in].other);

  if (earlier == NULL || earlier->lazy || earlier->s.n_out != 1
      || earlier->guard != step->guard || earlier->taken != NULL
      || !step->s.cpu_op->fuse_producer (&step->s, &earlier->s, input))
    return FALSE;
  if (step->taken == NULL)
    step->taken = g_ptr_array_new ();
  g_ptr_array_add (step->taken, earlier);
  /* Nobody asks for its memory. */
  ((CpuPlanValue *) earlier->s.out[0])->place = CPU_PLACE_OWN;
  g_ptr_array_remove (plan->steps, earlier);
  plan->scratch_size = MAX (plan->scratch_size, step->s.scratch_size);
  return TRUE;
}

void
cpu_plan_take_over (CpuPlan *plan)
{
  g_autoptr (GHashTable) uses = NULL;

  /* What would be missing then. */
  if (cpu_scope_dump (plan->scope) != NULL)
    return;
  uses = find_uses (plan);
  for (guint i = 0; i < plan->steps->len; i++) {
    CpuPlanStep *step = plan->steps->pdata[i];

    if (step->lazy || step->s.cpu_op->fuse_producer == NULL)
      continue;
    for (guint k = 0; k < step->s.n_in + step->s.n_posts; k++)
      if (try_take (plan, uses, step, k))
        i--;
  }
}
