/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/plan/plan.h"
#include "inference/base/arena.h"

#define ALIGN 64

/* --- liveness --- */

static void
touch (CpuPlanValue *value, guint at)
{
  for (guint depth = 0; value != NULL && depth < 2; depth++) {
    CpuPlanValue *root = value->root;

    root->first = MIN (root->first, at);
    root->last = MAX (root->last, at);
    /* What a variable's value may lie upon lives with it. */
    value = root->keeps;
  }
}

/* What step @at reads, and the steps that it has taken over. */
static void
touch_read (const CpuPlanStep *step, guint at)
{
  for (guint k = 0; k < step->s.n_in; k++)
    touch ((CpuPlanValue *) step->s.in[k], at);
  for (guint k = 0; k < step->s.n_posts; k++)
    touch ((CpuPlanValue *) step->s.posts[k].other, at);
  for (guint k = 0; step->taken != NULL && k < step->taken->len; k++)
    touch_read (step->taken->pdata[k], at);
}

static void
find_lifetimes (CpuPlan *plan)
{
  for (guint i = 0; i < plan->values->len; i++) {
    CpuPlanValue *value = plan->values->pdata[i];

    value->first = G_MAXUINT;
    value->last = 0;
  }
  for (guint i = 0; i < plan->steps->len; i++) {
    CpuPlanStep *step = plan->steps->pdata[i];

    touch_read (step, i);
    for (guint k = 0; k < step->s.n_out; k++)
      touch ((CpuPlanValue *) step->s.out[k], i);
  }
  for (guint k = 0; k < plan->results->len; k++)
    touch (plan->results->pdata[k], plan->steps->len);
}

/* A step that resolves late may make a view of what it reads: nothing that lazy
 * steps read is given up early. */
static void
extend_for_lazy_views (CpuPlan *plan)
{
  for (guint i = 0; i < plan->steps->len; i++) {
    CpuPlanStep *step = plan->steps->pdata[i];

    if (step->lazy && (step->s.cpu_op->flags & CPU_OP_VIEW) != 0)
      touch ((CpuPlanValue *) step->s.in[0], plan->steps->len);
  }
}

/* --- in place --- */

/* How often a step, and those that it has taken over, read what @root is. */
static guint
count_reads (const CpuPlanStep *step, const CpuPlanValue *root)
{
  guint n = 0;

  for (guint k = 0; k < step->s.n_in + step->s.n_posts; k++) {
    const CpuPlanValue *value =
        k < step->s.n_in
            ? (const CpuPlanValue *) step->s.in[k]
            : (const CpuPlanValue *) step->s.posts[k - step->s.n_in].other;

    n += value != NULL && value->root == root;
  }
  for (guint k = 0; step->taken != NULL && k < step->taken->len; k++)
    n += count_reads (step->taken->pdata[k], root);
  return n;
}

/* What the output may lie upon; nullable. */
static CpuPlanValue *
in_place_input (const CpuPlanStep *step)
{
  if (step->lazy || step->s.n_out != 1)
    return NULL;
  if (step->s.overwrites != NULL)
    return (CpuPlanValue *) step->s.overwrites;
  if ((step->s.cpu_op->flags & CPU_OP_INPLACE) == 0 || step->s.n_in == 0)
    return NULL;
  return (CpuPlanValue *) step->s.in[0];
}

/* Puts the output upon the input that dies with this step. */
static void
try_in_place (CpuPlanStep *step, guint at)
{
  CpuPlanValue *in = in_place_input (step), *out, *base;

  if (in == NULL)
    return;
  out = (CpuPlanValue *) step->s.out[0];
  base = in->root;
  if (base->place != CPU_PLACE_ARENA || out->root != out
      || (out->place != CPU_PLACE_ARENA && out->place != CPU_PLACE_RESULT)
      || base->last != at || base->bytes != out->bytes
      || in->bytes != out->bytes || base->first == at
      || count_reads (step, base) != 1)
    return;
  /* The chain lives where its end must be. */
  base->last = out->last;
  base->place = out->place;
  base->index = out->index;
  for (CpuPlanValue *alias = out; alias != NULL;) {
    CpuPlanValue *next = alias->next_alias;

    alias->root = base;
    alias->place = base->place;
    alias->next_alias = base->next_alias;
    base->next_alias = alias;
    alias = next;
  }
}

/* --- places --- */

gboolean
cpu_plan_place (CpuPlan *plan, GError **error)
{
  g_autoptr (GArray) spans =
      g_array_new (FALSE, FALSE, sizeof (InferArenaSpan));
  g_autoptr (GPtrArray) roots = g_ptr_array_new ();

  find_lifetimes (plan);
  extend_for_lazy_views (plan);
  for (guint i = 0; i < plan->steps->len; i++)
    try_in_place (plan->steps->pdata[i], i);
  for (guint i = 0; i < plan->values->len; i++) {
    CpuPlanValue *value = plan->values->pdata[i];
    InferArenaSpan span = { value->bytes, value->first, value->last, 0 };

    if (value->root == value && value->place == CPU_PLACE_ARENA
        && value->first != G_MAXUINT) {
      g_ptr_array_add (roots, value);
      g_array_append_val (spans, span);
    }
  }
  if (!infer_arena_place ((InferArenaSpan *) (gpointer) spans->data, spans->len,
          ALIGN, &plan->arena_size, error))
    return FALSE;
  for (guint i = 0; i < roots->len; i++)
    ((CpuPlanValue *) roots->pdata[i])->offset =
        g_array_index (spans, InferArenaSpan, i).offset;
  plan->arena_size += ALIGN; /* kernels may read a few bytes too far */
  return TRUE;
}
