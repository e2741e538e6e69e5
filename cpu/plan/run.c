/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/plan/run.h"

#include "cpu/plan/dump.h"
#include "cpu/plan/tune.h"
#include "cpu/plan/workspace.h"
#include "inference/base/cancel.h"
#include "inference/runtime/state-backend.h"

#include <string.h>
#include <time.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

/* Longer inputs that decide shapes count as changed. */
#define MAX_SEEN_BYTES 4096

static guint64
now_ns (void)
{
  struct timespec ts;

  clock_gettime (CLOCK_MONOTONIC, &ts);
  return (guint64) ts.tv_sec * G_GUINT64_CONSTANT (1000000000)
         + (guint64) ts.tv_nsec;
}

/* --- memory --- */

static void
bind_arena (CpuPlan *plan)
{
  guint8 *arena = plan->workspace->memory.arena;

  if (plan->bound_arena == arena)
    return;
  plan->bound_arena = arena;
  for (guint i = 0; i < plan->values->len; i++) {
    CpuPlanValue *value = plan->values->pdata[i];

    if (value->root == value && value->place == CPU_PLACE_ARENA)
      cpu_value_bind (&value->v, arena + value->offset);
  }
}

static gboolean
shape_result (
    InferTensor *output, const CpuPlanValue *value, guint index, GError **error)
{
  if (infer_tensor_reshape (
          output, value->v.desc.type, &value->v.desc.shape, error))
    return TRUE;
  g_prefix_error (error, "output %u: ", index);
  return FALSE;
}

/* Results are written in place by their step: those of known shape, and those
 * for which it asks for memory of its own. */
static gboolean
bind_results (CpuPlan *plan, InferTensor **outputs, GError **error)
{
  for (guint k = 0; k < plan->results->len; k++) {
    CpuPlanValue *value = plan->results->pdata[k];

    if (value->root == value && value->place == CPU_PLACE_OWN)
      value->own = &outputs[k];
    if (value->root->place != CPU_PLACE_RESULT || value->root->index != k)
      continue;
    if (outputs[k]->type != value->v.desc.type
        || !infer_shape_equal (&outputs[k]->shape, &value->v.desc.shape)) {
      if (!shape_result (outputs[k], value, k, error))
        return FALSE;
    }
    cpu_value_bind (&value->root->v, outputs[k]->data);
  }
  return TRUE;
}

/* Binds inputs of Assign steps to the memory of the variables' next values,
 * which are not read before the run has succeeded. */
static gboolean
bind_states (const CpuPlan *plan, GError **error)
{
  CpuContext *context = plan->context;

  for (guint i = 0; i < plan->assigns->len; i++) {
    CpuPlanStep *assign = plan->assigns->pdata[i];
    CpuPlanValue *value = cpu_plan_step_in (assign, 0), *root = value->root;
    InferTensor *next = infer_state_next (context->states[root->index],
        value->v.desc.type, &value->v.desc.shape, error);

    if (next == NULL)
      return cpu_plan_step_failed (assign, error);
    cpu_value_bind (&root->v, next->data);
    context->grown[root->index] = &value->v;
  }
  return TRUE;
}

/* The others are copied at the end: constants, inputs, variables, views of
 * data-dependent shape, a value that is two results. */
static gboolean
copy_results (CpuPlan *plan, InferTensor **outputs, GError **error)
{
  for (guint k = 0; k < plan->results->len; k++) {
    CpuPlanValue *value = plan->results->pdata[k];

    if (value->root->place == CPU_PLACE_RESULT && value->root->index == k)
      continue;
    if (!shape_result (outputs[k], value, k, error))
      return FALSE;
    if (value->v.bytes > 0 && value->v.data != outputs[k]->data)
      memcpy (outputs[k]->data, value->v.data, value->v.bytes);
  }
  return TRUE;
}

/* --- steps whose shapes depend on data --- */

static gboolean
needs_value (const CpuPlanStep *step, guint i)
{
  return i < 32 && (step->s.op->klass->value_inputs >> i & 1) != 0
         && step->s.in[i] != NULL && !step->s.in[i]->constant;
}

/* New values may need new preparation even if no shape changes. */
static gboolean
seen_values_before (CpuPlanStep *step)
{
  GByteArray *seen = step->seen_values;
  gboolean same = TRUE;
  gsize at = 0;

  for (guint i = 0; i < step->s.n_in; i++) {
    const CpuPlanValue *value = (const CpuPlanValue *) step->s.in[i];

    if (!needs_value (step, i) || value->v.bytes == 0)
      continue;
    if (value->v.bytes > MAX_SEEN_BYTES)
      return FALSE;
    if (at + value->v.bytes > seen->len) {
      g_byte_array_set_size (seen, (guint) (at + value->v.bytes));
      same = FALSE;
    }
    same = same && memcmp (seen->data + at, value->v.data, value->v.bytes) == 0;
    memcpy (seen->data + at, value->v.data, value->v.bytes);
    at += value->v.bytes;
  }
  return same;
}

static gboolean
seen_before (CpuPlanStep *step)
{
  gboolean same = step->prepared;

  for (guint i = 0; i < step->s.n_in; i++) {
    const CpuValue *value = step->s.in[i];

    if (value == NULL)
      continue;
    same = same && step->seen[i].type == value->desc.type
           && step->seen_blocks[i] == value->block
           && infer_shape_equal (&step->seen[i].shape, &value->desc.shape);
    step->seen[i] = value->desc;
    step->seen_blocks[i] = value->block;
  }
  return same;
}

static gboolean
give_outputs_memory (CpuPlanStep *step, GError **error)
{
  for (guint k = 0; k < step->s.n_out; k++) {
    CpuPlanValue *value = (CpuPlanValue *) step->s.out[k];

    if (value->v.known && value->place == CPU_PLACE_OWN
        && !cpu_step_alloc_output (&step->s, k, &value->v.desc.shape, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
resolve_now (CpuPlan *plan, CpuPlanStep *step, GError **error)
{
  gboolean view = (step->s.cpu_op->flags & CPU_OP_VIEW) != 0;
  gboolean changed = !seen_before (step);

  changed = !seen_values_before (step) || changed;
  if (!changed)
    return give_outputs_memory (step, error);

  g_autofree InferDesc *out = g_new0 (InferDesc, step->s.n_out + 1);
  if (!cpu_plan_step_infer (step, TRUE, out, error))
    return FALSE;
  for (guint k = 0; k < step->s.n_out; k++) {
    CpuPlanValue *value = (CpuPlanValue *) step->s.out[k];

    changed = changed || value->v.desc.type != out[k].type
              || !infer_shape_equal (&value->v.desc.shape, &out[k].shape);
    cpu_value_set_desc (&value->v, &out[k]);
  }
  if (view) {
    step->prepared = TRUE;
    return TRUE;
  }
  if (!give_outputs_memory (step, error))
    return FALSE;
  if (cpu_plan_step_is_idle (step)) {
    step->prepared = FALSE;
    return TRUE;
  }
  if (!changed)
    return TRUE;
  return cpu_plan_step_renew (step, error)
         && cpu_workspace_reserve (
             plan->workspace, 0, plan->scratch_size, error);
}

static gboolean
resolve (CpuPlan *plan, CpuPlanStep *step, GError **error)
{
  if (G_LIKELY (resolve_now (plan, step, error)))
    return TRUE;
  /* The same inputs have been noted, but what follows from them has not been
   * done. */
  step->prepared = FALSE;
  return FALSE;
}

static gboolean
run_lazy (CpuPlan *plan, CpuPlanStep *step, GError **error)
{
  if (!resolve (plan, step, error))
    return FALSE;
  if ((step->s.cpu_op->flags & CPU_OP_VIEW) != 0) {
    step->s.out[0]->data = step->s.in[0]->data;
    return TRUE;
  }
  if (G_UNLIKELY (!step->prepared))
    return TRUE; /* it has no work */
  step->s.scratch = plan->workspace->memory.scratch;
  return step->s.cpu_op->run (&step->s, error);
}

/* --- running --- */

gboolean
cpu_plan_wants_step (const CpuPlan *plan, const CpuPlanStep *step)
{
  for (guint w = 0; w < plan->graph->n_guard_words; w++)
    if ((step->guard[w] & plan->context->reset[w]) != 0)
      return TRUE;
  return FALSE;
}

gboolean
cpu_plan_run_step (CpuPlan *plan, CpuPlanStep *step, GError **error)
{
  step->s.scratch = plan->workspace->memory.scratch;
  return G_LIKELY (!step->s.lazy) ? step->s.cpu_op->run (&step->s, error)
                                  : run_lazy (plan, step, error);
}

static gboolean
run_steps (CpuPlan *plan, CpuPlanStep *first, CpuDump *dump, GError **error)
{
  const CpuContext *context = plan->context;
  const gboolean count = cpu_scope_perf_count (plan->scope);
  const gboolean tunes = cpu_scope_tunes (plan->scope);
  guint64 start = count ? now_ns () : 0;

  for (CpuPlanStep *step = first; step != NULL; step = step->next) {
    const char *next = (const char *) step->next;
    gboolean ok = TRUE;

    /* Large weights push the steps of a plan out of the nearer caches. */
    for (gsize at = 0; next != NULL && at < sizeof *step; at += 64)
      __builtin_prefetch (next + at);
    if (G_UNLIKELY (step->guard != NULL) && !cpu_plan_wants_step (plan, step)) {
      step->ns = 0;
      continue;
    }
    if (G_UNLIKELY (infer_cancel_is_set (context->cancelled)))
      return infer_cancel_check (context->cancelled, error);
    if (G_UNLIKELY (dump != NULL))
      ok = cpu_dump_before (dump, step, error);
    ok = ok && cpu_plan_run_step (plan, step, error);
    if (G_UNLIKELY (tunes))
      ok = ok && cpu_tune_step (plan, step, error);
    if (G_UNLIKELY (dump != NULL))
      ok = ok && cpu_dump_after (dump, step, error);
    if (G_UNLIKELY (!ok))
      return cpu_plan_step_failed (step, error);
    if (count) {
      guint64 end = now_ns ();

      step->ns = end - start;
      start = end;
    }
  }
  /* The last step may have ended early. */
  return infer_cancel_check (context->cancelled, error);
}

static gboolean
run_dumped (
    CpuPlan *plan, InferDumpRun *run, InferTensor **outputs, GError **error)
{
  g_autoptr (CpuDump) dump = cpu_dump_begin (plan, run, error);

  return dump != NULL && run_steps (plan, plan->first, dump, error)
         && cpu_dump_results (dump, error)
         && copy_results (plan, outputs, error);
}

static void
forget_packed (const CpuPlanStep *step)
{
  for (guint k = 0; k < step->packs->len; k++)
    cpu_pack_forget (step->packs->pdata[k]);
  for (guint k = 0; step->fused != NULL && k < step->fused->len; k++)
    forget_packed (step->fused->pdata[k]);
}

/* The sources of packs are not read again, and preparing has fragmented the
 * heap. */
static void
tidy_up (CpuPlan *plan)
{
  for (const CpuPlanStep *step = plan->first; step != NULL; step = step->next)
    forget_packed (step);
  plan->packed = FALSE;
#ifdef __GLIBC__
  malloc_trim (0);
#endif
}

gboolean
cpu_plan_begin (CpuPlan *plan, const CpuInput *inputs, InferTensor **outputs,
    GError **error)
{
  const CpuContext *context = plan->context;

  /* A body without steps may be run for ever. */
  if (!infer_cancel_check (context->cancelled, error))
    return FALSE;
  bind_arena (plan);
  for (guint i = 0; i < plan->n_inputs; i++)
    cpu_value_bind (plan->inputs->pdata[i], inputs[i].data);
  plan->team = context->team;
  return bind_states (plan, error) && bind_results (plan, outputs, error);
}

gboolean
cpu_plan_end (
    CpuPlan *plan, CpuPlanStep *from, InferTensor **outputs, GError **error)
{
  if (!run_steps (plan, from, NULL, error)
      || !copy_results (plan, outputs, error))
    return FALSE;
  if (G_UNLIKELY (plan->packed))
    tidy_up (plan);
  return TRUE;
}

gboolean
cpu_plan_run (CpuPlan *plan, const CpuInput *inputs, InferTensor **outputs,
    GError **error)
{
  InferDumpRun *dump = plan->context->dump;

  if (!cpu_plan_begin (plan, inputs, outputs, error))
    return FALSE;
  return G_UNLIKELY (dump != NULL)
             ? run_dumped (plan, dump, outputs, error)
             : cpu_plan_end (plan, plan->first, outputs, error);
}
