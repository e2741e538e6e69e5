/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/plan/plan.h"

/* Who reads a value; something else than a step that could read halves is no
 * step at all. */
typedef struct
{
  GPtrArray *steps; /* (element-type CpuPlanStep) */
  gboolean others;
} Readers;

static void
readers_free (gpointer data)
{
  Readers *readers = data;

  g_ptr_array_unref (readers->steps);
  g_free (readers);
}

static Readers *
readers_of (GHashTable *all, const CpuValue *value)
{
  Readers *readers = g_hash_table_lookup (all, value);

  if (readers == NULL) {
    readers = g_new0 (Readers, 1);
    readers->steps = g_ptr_array_new ();
    g_hash_table_insert (all, (gpointer) (gsize) value, readers);
  }
  return readers;
}

/* @owner runs what @step does. */
static void
add_step (GHashTable *all, const CpuPlanStep *step, const CpuPlanStep *owner)
{
  for (guint k = 0; k < step->s.n_in; k++) {
    Readers *readers = readers_of (all, step->s.in[k]);

    if (k > 0 || owner->lazy || owner->s.cpu_op->reads_f16 == NULL)
      readers->others = TRUE;
    g_ptr_array_add (readers->steps, (gpointer) (gsize) owner);
  }
  for (guint k = 0; k < step->s.n_posts; k++)
    readers_of (all, step->s.posts[k].other)->others = TRUE;
  for (guint k = 0; step->taken != NULL && k < step->taken->len; k++)
    add_step (all, step->taken->pdata[k], owner);
}

static GHashTable *
find_readers (const CpuPlan *plan)
{
  GHashTable *all = g_hash_table_new_full (NULL, NULL, NULL, readers_free);

  for (guint i = 0; i < plan->steps->len; i++)
    add_step (all, plan->steps->pdata[i], plan->steps->pdata[i]);
  for (guint k = 0; k < plan->results->len; k++)
    readers_of (all, &((CpuPlanValue *) plan->results->pdata[k])->v)->others =
        TRUE;
  return all;
}

static gboolean
can_be_halves (
    GHashTable *all, const CpuPlanStep *maker, const CpuPlanValue *value)
{
  const Readers *readers = readers_of (all, &value->v);

  if (value->v.desc.type != INFER_TYPE_F32 || value->root != value
      || value->next_alias != NULL || value->keeps != NULL
      || value->place != CPU_PLACE_ARENA || value->v.form.quant != NULL
      || readers->others || readers->steps->len == 0
      || !maker->s.cpu_op->gives_f16 (&maker->s))
    return FALSE;
  for (guint i = 0; i < readers->steps->len; i++) {
    const CpuPlanStep *reader = readers->steps->pdata[i];

    if (!reader->s.cpu_op->reads_f16 (&reader->s, &value->v))
      return FALSE;
  }
  return TRUE;
}

static gboolean
reads_some (const CpuPlanStep *step)
{
  if (step->s.n_in > 0 && step->s.in[0] != NULL
      && step->s.in[0]->form.f16 != NULL)
    return TRUE;
  for (guint k = 0; step->taken != NULL && k < step->taken->len; k++)
    if (reads_some (step->taken->pdata[k]))
      return TRUE;
  return FALSE;
}

gboolean
cpu_plan_keep_halves (CpuPlan *plan, GError **error)
{
  g_autoptr (GHashTable) all = NULL;

  if (cpu_scope_precision (plan->scope) != INFER_PRECISION_F16
      || !(cpu_scope_isa (plan->scope) & CPU_ISA_FP16)
      || cpu_scope_dump (plan->scope) != NULL)
    return TRUE;
  all = find_readers (plan);
  for (guint i = 0; i < plan->steps->len; i++) {
    CpuPlanStep *step = plan->steps->pdata[i];
    CpuPlanValue *value;

    if (step->lazy || step->s.n_out != 1 || step->s.cpu_op->gives_f16 == NULL)
      continue;
    value = (CpuPlanValue *) step->s.out[0];
    if (can_be_halves (all, step, value)) {
      value->v.form.f16 = &value->halves;
      value->bytes /= 2;
    }
    if (value->v.form.f16 == NULL && !reads_some (step))
      continue;
    if (!step->s.cpu_op->use_f16 (&step->s))
      return infer_fail (
          error, INFER_ERROR_NO_MEMORY, "no memory to pack the weights");
    plan->scratch_size = MAX (plan->scratch_size, step->s.scratch_size);
  }
  return TRUE;
}
