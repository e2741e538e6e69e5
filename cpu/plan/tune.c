/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/plan/tune.h"

#include "cpu/plan/workspace.h"

#include "inference/base/clock.h"

#include <string.h>

/* Enough for a minimum that means something, of steps that take long too. */
#define MOST_RUNS 12
#define MOST_NS ((guint64) 60 * 1000 * 1000)
/* By so much, of 100, another way must be faster than the rule's. */
#define LEAST_GAIN 3

/* --- keys --- */

static void
append_value (GString *key, const CpuValue *value)
{
  if (value == NULL) {
    g_string_append (key, " -");
    return;
  }
  g_autofree char *shape = infer_shape_to_string (&value->desc.shape);
  g_string_append_printf (key, " %s%s%s%s", infer_type_name (value->desc.type),
      shape, value->constant ? "c" : "", value->form.quant != NULL ? "q" : "");
}

/* All that decides how long a way takes. */
static char *
make_key (const CpuStep *step)
{
  GString *key = g_string_new (NULL);
  char digits[33];

  infer_hash_to_string (&step->op->attrs_hash, digits);
  g_string_printf (key,
      "%s-%u %s %s layout %d threads %u:", step->op->klass->type,
      step->op->version, digits, cpu_isa_name (step->isa), step->layout,
      cpu_scope_threads (step->scope));
  for (guint i = 0; i < step->n_in; i++)
    append_value (key, step->in[i]);
  g_string_append (key, " ->");
  for (guint k = 0; k < step->n_out; k++)
    append_value (key, step->out[k]);
  for (guint p = 0; p < step->n_posts; p++) {
    g_string_append_printf (key, " %s", step->posts[p].op->klass->type);
    append_value (key, step->posts[p].other);
  }
  return g_string_free (key, FALSE);
}

/* --- choosing --- */

/* Each way comes with all threads and, where there are several, with one. */
static guint
n_ways (const CpuPlanStep *step)
{
  return step->n_choices * (step->max_threads > 1 ? 2 : 1);
}

static char *
way_name (const CpuPlanStep *step, guint way)
{
  return g_strdup_printf ("%s%s", step->choices[way % step->n_choices],
      way >= step->n_choices ? " one-thread" : "");
}

static guint
find_way (const CpuPlanStep *step, const char *name)
{
  for (guint way = 0; way < n_ways (step); way++) {
    g_autofree char *text = way_name (step, way);

    if (strcmp (text, name) == 0)
      return way;
  }
  g_warning ("kernel choice '%.40s' ignored: operation '%.100s' has no such",
      name, step->s.op->name);
  return 0;
}

guint
cpu_step_choose (CpuStep *step, guint n, const char *const *names)
{
  CpuPlanStep *self = (CpuPlanStep *) step;
  CpuScope *scope = step->scope;
  guint way = 0;

  g_return_val_if_fail (n > 0 && n <= CPU_MAX_IMPLS, 0);
  if (step->plan->workspace == NULL || step->op == NULL)
    return 0;
  memcpy (self->choices, names, n * sizeof *names);
  self->n_choices = n;
  self->max_threads = cpu_scope_threads (scope);
  if (self->forced > 0) {
    way = self->forced - 1;
  } else if (n_ways (self) > 1 && cpu_scope_cache (scope) != NULL) {
    g_autofree char *key = make_key (step);
    const char *chosen = cpu_scope_choice (scope, key);

    if (chosen != NULL)
      way = find_way (self, chosen);
  }
  step->threads = way >= n ? 1 : self->max_threads;
  return way % n;
}

/* --- measuring --- */

static gboolean
run_way (CpuPlan *plan, CpuPlanStep *step, guint forced, GError **error)
{
  step->forced = forced;
  if (!cpu_plan_step_renew (step, error)
      || !cpu_workspace_reserve (plan->workspace, 0, plan->scratch_size, error))
    return FALSE;
  step->s.scratch = plan->workspace->memory.scratch;
  return step->s.cpu_op->run (&step->s, error);
}

static gboolean
measure (
    CpuPlan *plan, CpuPlanStep *step, guint way, guint64 *least, GError **error)
{
  guint64 begin = infer_clock_ns ();

  *least = G_MAXUINT64;
  if (!run_way (plan, step, way + 1, error))
    return FALSE;
  for (guint i = 0; i < MOST_RUNS && infer_clock_ns () - begin < MOST_NS; i++) {
    guint64 start = infer_clock_ns ();

    if (!step->s.cpu_op->run (&step->s, error))
      return FALSE;
    *least = MIN (*least, infer_clock_ns () - start);
  }
  return TRUE;
}

static gboolean
is_stored_f16 (const CpuStep *step)
{
  return (step->n_in > 0 && step->in[0] != NULL
             && step->in[0]->form.f16 != NULL)
         || (step->n_out > 0 && step->out[0]->form.f16 != NULL);
}

gboolean
cpu_tune_step (CpuPlan *plan, CpuPlanStep *step, GError **error)
{
  const guint n = step->n_choices > 0 ? n_ways (step) : 0;
  guint64 times[2 * CPU_MAX_IMPLS];
  guint best = 0;

  /* Fused producers and values stored as f16 were arranged with the
   * implementation that it has now. */
  if (n < 2 || step->tuned || step->fused != NULL || is_stored_f16 (&step->s))
    return TRUE;
  for (guint way = 0; way < n; way++)
    if (!measure (plan, step, way, &times[way], error))
      return FALSE;
  for (guint way = 1; way < n; way++)
    if (times[way] < times[best]
        && times[way] < times[0] / 100 * (100 - LEAST_GAIN))
      best = way;
  if (cpu_scope_cache (plan->scope) != NULL) {
    g_autofree char *key = make_key (&step->s);
    g_autofree char *name = way_name (step, best);
    g_autoptr (GBytes) bytes = g_bytes_new (name, strlen (name));

    infer_cache_put (
        cpu_scope_cache (plan->scope), CPU_CHOICE_KIND, key, bytes);
  }
  step->tuned = TRUE;
  return run_way (plan, step, 0, error);
}
