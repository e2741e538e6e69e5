/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The backend "CPU": its entries for the runtime.  A request is a user of the
 * executable's contexts (cpu/plan/contexts.h). */

#include "cpu/passes/fuse/fuse.h"
#include "cpu/kernels/isa.h"
#include "cpu/ops/op-table.h"
#include "cpu/plan/contexts.h"
#include "cpu/plan/evaluate.h"
#include "cpu/plan/joint.h"
#include "cpu/plan/runner.h"
#include "inference/runtime/fusions.h"
#include "inference/base/cancel.h"

#include <string.h>

typedef struct
{
  CpuScope *scope;
  InferModel *given; /* as passed to compile */
  InferModel *model; /* with fused operations (fuse.h) */
  CpuGraph *graph;
  CpuContexts *contexts;
} Executable;

typedef struct
{
  Executable *executable;
  CpuInput *inputs;    /* of the last run */
  CpuContext *running; /* while it runs, or as long as it is there (keeps) */
  const CpuContext *last;
  gboolean keeps; /* with PERF_COUNT: measurements are this request's */
} Request;

static guint
n_devices (void)
{
  return 1;
}

static guint
rank (guint device)
{
  return INFER_RANK_PROCESSOR;
}

static char *
describe (guint device)
{
  return g_strdup_printf ("%u processors, %s kernels", g_get_num_processors (),
      cpu_isa_name (cpu_isa_detect ()));
}

/* --- operations --- */

static gboolean
supports (const InferOperation *op, GError **error)
{
  if (cpu_graph_is_builtin (op))
    return TRUE;
  const CpuOp *cpu_op = cpu_op_find (op->klass);
  if (cpu_op == NULL)
    return infer_fail (error, INFER_ERROR_UNSUPPORTED, "no CPU kernel");
  return cpu_op->supports == NULL || cpu_op->supports (op, error);
}

static gboolean
knows (const InferOpClass *klass)
{
  return cpu_graph_is_builtin_class (klass) || cpu_op_find (klass) != NULL;
}

static gpointer
make_folding_scope (gpointer unused)
{
  InferConfig config = { .streams = 1, .threads = 1 };

  return cpu_scope_new (&config);
}

static gboolean
evaluate (const InferOperation *op, InferTensor *const *inputs,
    InferTensor **outputs, GError **error)
{
  static GOnce once = G_ONCE_INIT;

  return cpu_evaluate (
      g_once (&once, make_folding_scope, NULL), op, inputs, outputs, error);
}

static const char *
flavour (void)
{
  return cpu_isa_name (cpu_isa_detect ());
}

static const InferEvaluator evaluator = {
  .supports = supports,
  .evaluate = evaluate,
  .flavour = flavour,
};

/* --- scope and executable --- */

static gpointer
scope_new (guint device, const InferConfig *config, GError **error)
{
  return cpu_scope_new (config);
}

static void
scope_free (gpointer scope)
{
  cpu_scope_free (scope);
}

static void
executable_free (gpointer data)
{
  Executable *executable = data;

  g_clear_pointer (&executable->contexts, cpu_contexts_free);
  cpu_graph_free (executable->graph);
  if (executable->model != NULL)
    infer_model_unref (executable->model);
  infer_model_unref (executable->given);
  g_free (executable);
}

static gpointer
compile (gpointer scope, const InferModel *model, GError **error)
{
  Executable *executable = g_new0 (Executable, 1);

  executable->scope = scope;
  executable->given = infer_model_ref ((InferModel *) (gsize) model);
  executable->model = cpu_fuse (model, cpu_scope_isa (scope), error);
  if (executable->model != NULL)
    executable->graph = cpu_graph_new (scope, executable->model,
        infer_model_get_graph (executable->model), error);
  if (executable->graph == NULL) {
    executable_free (executable);
    return NULL;
  }
  executable->contexts =
      cpu_contexts_new (scope, executable->model, executable->graph);
  return executable;
}

/* --- one request --- */

static gpointer
context_new (gpointer data, GError **error)
{
  Executable *executable = data;
  Request *request = g_new0 (Request, 1);

  request->executable = executable;
  request->inputs =
      g_new0 (CpuInput, infer_model_n_inputs (executable->model) + 1);
  request->keeps = cpu_scope_perf_count (executable->scope);
  cpu_contexts_join (executable->contexts);
  return request;
}

static void
context_free (gpointer data)
{
  Request *request = data;
  CpuContexts *contexts = request->executable->contexts;

  if (request->running != NULL)
    cpu_contexts_give (contexts, request->running, request);
  cpu_contexts_leave (contexts);
  g_free (request->inputs);
  g_free (request);
}

static void
rest (gpointer data)
{
  Request *request = data;

  if (request->running != NULL)
    cpu_runner_rest (request->running->main);
  else
    cpu_contexts_rest (request->executable->contexts, request);
}

static void
begin_inputs (Request *request, InferTensor *const *inputs)
{
  const guint n = infer_model_n_inputs (request->executable->model);

  for (guint i = 0; i < n; i++) {
    request->inputs[i].desc = (InferDesc){ inputs[i]->type, inputs[i]->shape };
    request->inputs[i].data = inputs[i]->data;
  }
}

static void
begin_states (CpuContext *context, InferState *const *states)
{
  context->states = states;
  for (guint i = 0; i < context->n_variables; i++) {
    guint64 bit = G_GUINT64_CONSTANT (1) << (i % 64);
    gboolean reset = infer_state_peek (states[i]) == NULL;

    if (context->spares[i] != NULL
        && infer_state_give_spare (states[i], context->spares[i]))
      context->spares[i] = NULL;
    context->assigned[i] = FALSE;
    context->grown[i] = NULL;
    if (reset)
      context->reset[i / 64] |= bit;
    else
      context->reset[i / 64] &= ~bit;
  }
}

/* Only a complete run changes variables. */
static void
commit_states (CpuContext *context)
{
  for (guint i = 0; i < context->n_variables; i++)
    if (context->assigned[i])
      infer_state_commit (context->states[i]);
}

/* The sequence that runs next on this processor writes to memory in the caches.
 */
static void
take_spares (CpuContext *context)
{
  for (guint i = 0; i < context->n_variables; i++)
    if (context->spares[i] == NULL)
      context->spares[i] = infer_state_take_spare (context->states[i]);
}

static CpuContext *
begin_run (Request *request, InferTensor *const *inputs,
    InferState *const *states, const gint *cancelled)
{
  begin_inputs (request, inputs);
  if (request->running == NULL)
    request->running = cpu_contexts_take (
        request->executable->contexts, request->inputs, request->last);
  CpuContext *context = request->running;
  begin_states (context, states);
  context->cancelled = cancelled;
  context->team = cpu_scope_take_team (context->scope);
  return context;
}

static void
end_run (Request *request, gboolean ok)
{
  CpuContext *context = request->running;

  cpu_runner_end (context->main);
  cpu_scope_give_team (context->scope, context->team);
  context->team = NULL;
  if (ok)
    commit_states (context);
  take_spares (context);
  context->states = NULL;
  context->cancelled = NULL;
  request->last = context;
  if (request->keeps)
    return;
  request->running = NULL;
  cpu_contexts_give (request->executable->contexts, context, request);
}

static gboolean
start (gpointer data, InferTensor *const *inputs, InferTensor **outputs,
    InferState *const *states, GError **error)
{
  Request *request = data;
  CpuContext *context =
      begin_run (request, inputs, states, infer_cancel_flag ());

  if (G_UNLIKELY (cpu_scope_dump (context->scope) != NULL))
    context->dump = infer_dump_begin (cpu_scope_dump (context->scope));
  gboolean ok = cpu_runner_run (context->main, request->inputs, outputs, error);
  g_clear_pointer (&context->dump, infer_dump_end);
  end_run (request, ok);
  return ok;
}

/* Counters, measurements and dumps belong to single runs. */
static gboolean
can_be_joint (CpuScope *scope)
{
  return cpu_scope_dump (scope) == NULL && !cpu_scope_tunes (scope)
         && !cpu_scope_perf_count (scope);
}

static void
start_one_by_one (InferJointStep *steps, guint n)
{
  for (guint i = 0; i < n; i++) {
    InferJointStep *step = &steps[i];
    const gint *before = infer_cancel_enter (step->cancelled);

    start (
        step->context, step->inputs, step->outputs, step->states, &step->error);
    infer_cancel_enter (before);
  }
}

static void
start_joint (InferJointStep *steps, guint n)
{
  CpuJointRun runs[INFER_MOST_JOINT] = { { .plan = NULL } };
  guint of[INFER_MOST_JOINT], n_runs = 0;

  if (!can_be_joint (((const Request *) steps[0].context)->executable->scope)) {
    start_one_by_one (steps, n);
    return;
  }
  for (guint i = 0; i < n; i++) {
    Request *request = steps[i].context;
    CpuContext *context = begin_run (
        request, steps[i].inputs, steps[i].states, steps[i].cancelled);
    CpuPlan *plan =
        cpu_runner_plan (context->main, request->inputs, &steps[i].error);

    if (plan == NULL)
      continue;
    of[n_runs] = i;
    runs[n_runs++] = (CpuJointRun){
      .plan = plan, .inputs = request->inputs, .outputs = steps[i].outputs
    };
  }
  cpu_joint_run (runs, n_runs);
  for (guint i = 0; i < n_runs; i++)
    steps[of[i]].error = runs[i].error;
  for (guint i = 0; i < n; i++)
    end_run (steps[i].context, steps[i].error == NULL);
}

/* --- reports --- */

/* A context whose last plan is as that of @request: its own, while no other
 * request runs.  (nullable), to be given back.  *@plan: that plan; NULL: none.
 */
static CpuContext *
begin_report (Request *request, const CpuPlan **plan)
{
  CpuContext *context = request->running;

  if (context == NULL)
    context =
        cpu_contexts_take_used (request->executable->contexts, request->last);
  *plan = context != NULL ? cpu_runner_last_plan (context->main) : NULL;
  return context;
}

static void
end_report (Request *request, CpuContext *context)
{
  if (context != NULL && context != request->running)
    cpu_contexts_give (request->executable->contexts, context, context->user);
}

static void
add_timing (
    GArray *timings, const InferOperation *op, const char *kernel, guint64 ns)
{
  InferOpTiming timing = { "", "Reorder", kernel, ns, NULL };

  if (op != NULL) {
    timing.name = op->name;
    timing.type = op->klass->type;
  }
  g_array_append_val (timings, timing);
}

/* Operations that were fused into others. */
static void
add_fused (GArray *timings, const Executable *executable)
{
  const InferGraph *given = infer_model_get_graph (executable->given);
  const CpuGraph *graph = executable->graph;

  if (executable->given == executable->model)
    return;
  g_autoptr (GHashTable) left =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < graph->n_nodes; i++) {
    const InferOperation *op = graph->nodes[i].op;

    g_hash_table_add (left, g_strconcat (op->klass->type, " ", op->name, NULL));
  }
  for (guint i = 0; i < given->operations->len; i++) {
    const InferOperation *op = given->operations->pdata[i];
    g_autofree char *key = g_strconcat (op->klass->type, " ", op->name, NULL);

    if (!cpu_graph_is_builtin (op) && !g_hash_table_contains (left, key))
      add_timing (timings, op, "optimized out", 0);
  }
}

static void
add_steps (GArray *timings, const CpuPlan *plan, const CpuGraph *graph)
{
  g_autofree gboolean *has_step = g_new0 (gboolean, graph->n_nodes + 1);

  for (const CpuPlanStep *step = plan->first; step; step = step->next) {
    add_timing (timings, step->s.op, step->s.kernel, step->ns);
    if (step->s.op != NULL)
      has_step[step->s.op->index] = TRUE;
  }
  for (guint i = 0; i < graph->n_nodes; i++)
    if (!has_step[i] && graph->nodes[i].cpu_op != NULL)
      add_timing (timings, graph->nodes[i].op, "optimized out", 0);
}

static GArray *
op_timings (gpointer data)
{
  Request *request = data;
  const CpuPlan *plan;
  CpuContext *context = begin_report (request, &plan);
  GArray *timings = g_array_new (FALSE, FALSE, sizeof (InferOpTiming));

  if (plan != NULL) {
    add_steps (timings, plan, request->executable->graph);
    add_fused (timings, request->executable);
  }
  end_report (request, context);
  return timings;
}

static void
add_fusion (
    GArray *fusions, const InferOperation *op, const InferOperation *into)
{
  InferFusion fusion = { op, into };

  if (op != NULL && op != into)
    g_array_append_val (fusions, fusion);
}

/* What @step computes in the step of @into. */
static void
add_fusions (
    GArray *fusions, const CpuPlanStep *step, const InferOperation *into)
{
  add_fusion (fusions, step->s.op, into);
  for (guint i = 0; i < step->s.n_posts; i++)
    add_fusion (fusions, step->s.posts[i].op, into);
  add_fusion (fusions, step->s.quantizer, into);
  for (guint i = 0; step->fused != NULL && i < step->fused->len; i++)
    add_fusions (fusions, step->fused->pdata[i], into);
}

static GArray *
get_fusions (gpointer data)
{
  Request *request = data;
  const CpuPlan *plan;
  CpuContext *context = begin_report (request, &plan);
  GArray *fusions = g_array_new (FALSE, FALSE, sizeof (InferFusion));

  for (const CpuPlanStep *step = plan != NULL ? plan->first : NULL;
       step != NULL; step = step->next)
    if (step->s.op != NULL)
      add_fusions (fusions, step, step->s.op);
  end_report (request, context);
  return fusions;
}

const InferBackend cpu_backend = {
  .name = "CPU",
  .n_devices = n_devices,
  .rank = rank,
  .describe = describe,
  .knows = knows,
  .supports = supports,
  .evaluator = &evaluator,
  .scope_new = scope_new,
  .scope_free = scope_free,
  .compile = compile,
  .executable_free = executable_free,
  .context_new = context_new,
  .context_free = context_free,
  .rest = rest,
  .start = start,
  .start_joint = start_joint,
  .reads_stored = TRUE,
  .strided_states = TRUE,
  .op_timings = op_timings,
  .fusions = get_fusions,
};
