/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/plan.h"

#include "inference/ops/state.h"

#include <string.h>

/* Folding a constant expression while planning must not blow it up. */
#define MAX_FOLDED_BYTES (64u << 20)

/* --- values and steps
 * --------------------------------------------------------- */

void
cpu_value_set_desc (CpuPlanValue *value, const InferDesc *desc)
{
  value->v.desc = *desc;
  value->known =
      desc->type != INFER_TYPE_DYNAMIC && infer_shape_is_static (&desc->shape);
  value->v.n = 0;
  value->bytes = 0;
  if (value->known) {
    value->v.n = infer_shape_count (&desc->shape);
    infer_tensor_bytes (desc->type, &desc->shape, &value->bytes);
  }
}

static gboolean
check_size (const InferDesc *desc, GError **error)
{
  gsize bytes;
  g_autofree char *shape = NULL;

  if (desc->type == INFER_TYPE_DYNAMIC || !infer_shape_is_static (&desc->shape)
      || infer_tensor_bytes (desc->type, &desc->shape, &bytes))
    return TRUE;
  shape = infer_shape_to_string (&desc->shape);
  return infer_fail (error, INFER_ERROR_NO_MEMORY,
      "an output of shape %s is too large", shape);
}

CpuPlanValue *
cpu_plan_add_value (CpuPlan *plan, const InferDesc *desc)
{
  CpuPlanValue *value = g_new0 (CpuPlanValue, 1);

  value->root = value;
  value->place = CPU_PLACE_ARENA;
  cpu_value_set_desc (value, desc);
  if (!value->known)
    value->place = CPU_PLACE_OWN;
  g_ptr_array_add (plan->values, value);
  return value;
}

void
cpu_plan_alias (CpuPlanValue *value, CpuPlanValue *on)
{
  value->root = on->root;
  value->next_alias = on->root->next_alias;
  on->root->next_alias = value;
  value->place = on->root->place;
  value->v.data = on->v.data;
  value->v.constant = on->v.constant;
  if (on->tensor != NULL && value->tensor == NULL && value->known)
    value->tensor =
        infer_tensor_new_wrapped (value->v.desc.type, &value->v.desc.shape,
            on->v.data, value->bytes, infer_tensor_ref (on->tensor),
            (GDestroyNotify) infer_tensor_unref, NULL);
}

void
cpu_plan_make_constant (CpuPlanValue *value, InferTensor *tensor)
{
  InferDesc desc = { tensor->type, tensor->shape };

  cpu_value_set_desc (value, &desc);
  value->place = CPU_PLACE_CONSTANT;
  infer_tensor_unref (value->tensor);
  value->tensor = tensor;
  value->v.data = tensor->data;
  value->v.constant = TRUE;
}

static void
value_free (CpuPlanValue *value)
{
  infer_tensor_unref (value->tensor);
  g_free (value);
}

CpuPlanStep *
cpu_plan_add_step (CpuPlan *plan, const CpuNode *node, const CpuOp *cpu_op,
    guint n_in, guint n_out)
{
  CpuPlanStep *step = g_new0 (CpuPlanStep, 1);

  step->s.cpu_op = cpu_op;
  step->s.n_in = n_in;
  step->s.n_out = n_out;
  step->s.in = g_new0 (CpuValue *, n_in + 1);
  step->s.out = g_new0 (CpuValue *, n_out + 1);
  step->s.kernel = "ref";
  step->s.isa = cpu_scope_isa (plan->scope);
  step->s.kernels = cpu_scope_kernels (plan->scope);
  step->s.threads = cpu_scope_threads (plan->scope);
  step->s.plan = plan;
  step->packs = g_ptr_array_new ();
  step->node = node;
  if (node != NULL) {
    step->s.op = node->op;
    step->guard = node->guard;
  }
  g_ptr_array_add (plan->steps, step);
  return step;
}

static void
unref_packs (CpuPlan *plan, GPtrArray *packs)
{
  for (guint i = 0; i < packs->len; i++)
    cpu_pack_unref (plan->scope, packs->pdata[i]);
  g_ptr_array_unref (packs);
}

static void
release_priv (CpuPlanStep *step)
{
  if (step->s.priv == NULL)
    return;
  if (step->s.cpu_op->release != NULL)
    step->s.cpu_op->release (step->s.priv);
  else
    g_free (step->s.priv);
  step->s.priv = NULL;
}

void
cpu_plan_step_free (CpuPlan *plan, CpuPlanStep *step)
{
  for (guint i = 0; step->taken != NULL && i < step->taken->len; i++)
    cpu_plan_step_free (plan, step->taken->pdata[i]);
  g_clear_pointer (&step->taken, g_ptr_array_unref);
  release_priv (step);
  unref_packs (plan, step->packs);
  g_free (step->s.in);
  g_free (step->s.out);
  g_free (step->s.posts);
  g_free (step->seen);
  g_clear_pointer (&step->seen_values, g_byte_array_unref);
  g_free (step->seen_blocks);
  g_free (step);
}

gboolean
cpu_plan_step_prepare (CpuPlan *plan, CpuPlanStep *step, GError **error)
{
  step->prepared = TRUE;
  for (guint i = 0; i < step->s.n_in; i++) {
    const gboolean sees = cpu_unpack_is_for (step->s.op, i);

    if (sees && i == 0 && step->s.in[0] != NULL
        && !cpu_plan_align (plan, (CpuPlanValue *) step->s.in[0], error))
      return FALSE; /* Gather reads what is not compressed where it lies */
    if (!sees && !cpu_step_want_data (&step->s, i, error))
      return FALSE;
  }
  if (step->s.cpu_op->prepare != NULL
      && !step->s.cpu_op->prepare (&step->s, error))
    return FALSE;
  plan->scratch_size = MAX (plan->scratch_size, step->s.scratch_size);
  return TRUE;
}

gboolean
cpu_plan_step_renew (CpuPlan *plan, CpuPlanStep *step, GError **error)
{
  GPtrArray *packs = step->packs;
  gboolean ok;

  release_priv (step);
  step->packs = g_ptr_array_new ();
  step->s.scratch_size = 0;
  ok = cpu_plan_step_prepare (plan, step, error);
  unref_packs (plan, packs);
  return ok;
}

/* --- what implementers call
 * ------------------------------------------------------ */

void
cpu_step_need_scratch (CpuStep *step, gsize bytes)
{
  step->scratch_size = bytes;
}

CpuContext *
cpu_step_context (const CpuStep *step)
{
  CpuRunner *runner = step->plan->runner;

  return runner != NULL ? cpu_runner_get_context (runner) : NULL;
}

gboolean
cpu_step_alloc_output (
    CpuStep *step, guint index, const InferShape *shape, GError **error)
{
  CpuPlanValue *value = (CpuPlanValue *) step->out[index];
  InferDesc desc = { value->v.desc.type, *shape };

  if (value->tensor == NULL)
    value->tensor = infer_tensor_new (desc.type, shape, error);
  else if (!infer_tensor_reshape (value->tensor, desc.type, shape, error))
    return FALSE;
  if (value->tensor == NULL)
    return FALSE;
  cpu_value_set_desc (value, &desc);
  value->v.data = value->tensor->data;
  return TRUE;
}

/* Of a thread's share, each of which another may take. */
#define PIECES 2

void
cpu_step_parallel (
    CpuStep *step, gsize n, gsize grain, CpuRangeFunc func, gpointer data)
{
  gsize parts, pieces;

  grain = MIN (grain, cpu_scope_most_grain (step->plan->scope));
  parts = grain > 0 ? n / grain : n;
  if (step->threads <= 1 || step->plan->team == NULL || parts <= 1) {
    if (n > 0)
      func (data, 0, n, 0);
    return;
  }
  pieces = MIN (parts / step->threads, PIECES);
  cpu_team_run (step->plan->team, n, (guint) MIN (parts, step->threads),
      (guint) MAX (pieces, 1), func, data);
}

/* --- shapes
 * ------------------------------------------------------------------------ */

gboolean
cpu_plan_step_infer (const CpuPlanStep *step, gboolean use_values,
    InferDesc *out, GError **error)
{
  const InferOperation *op = step->s.op;
  const guint n_in = step->s.n_in;
  g_autofree InferDesc *in = g_new0 (InferDesc, n_in + 1);
  g_autofree const InferTensor **values =
      g_new0 (const InferTensor *, n_in + 1);
  g_autoptr (GPtrArray) wrapped =
      g_ptr_array_new_with_free_func ((GDestroyNotify) infer_tensor_unref);
  InferInference inference = { op, n_in, in, values, step->s.n_out, out };

  for (guint i = 0; i < n_in; i++) {
    const CpuPlanValue *value = (const CpuPlanValue *) step->s.in[i];
    InferTensor *tensor = NULL;

    in[i] = (InferDesc){ INFER_TYPE_DYNAMIC, infer_shape_dynamic () };
    if (value == NULL)
      continue;
    in[i] = value->v.desc;
    if (value->v.constant)
      values[i] = value->tensor;
    else if (use_values && i < 32 && (op->klass->value_inputs >> i & 1) != 0
             && value->known)
      tensor = infer_tensor_new_wrapped (in[i].type, &in[i].shape,
          value->v.data, value->bytes, NULL, NULL, NULL);
    if (tensor != NULL) {
      g_ptr_array_add (wrapped, tensor);
      values[i] = tensor;
    }
  }
  for (guint k = 0; k < step->s.n_out; k++)
    out[k] = (InferDesc){ INFER_TYPE_DYNAMIC, infer_shape_dynamic () };
  if (!op->klass->infer (&inference, error))
    return FALSE;
  for (guint k = 0; k < step->s.n_out; k++)
    if (!check_size (&out[k], error))
      return FALSE;
  return TRUE;
}

static gboolean
prefix_operation (GError **error, const InferOperation *op)
{
  g_autofree char *name = infer_operation_describe (op);

  g_prefix_error (error, "operation %s: ", name);
  return FALSE;
}

/* --- folding
 * ------------------------------------------------------------------------- */

static gboolean
can_fold (const CpuPlanStep *step)
{
  const InferOpClass *klass = step->s.op->klass;
  gsize bytes = 0;

  if ((klass->flags & (INFER_OP_STATEFUL | INFER_OP_IMPURE)) != 0
      || step->s.op->n_bodies > 0 || step->s.n_out == 0)
    return FALSE;
  for (guint k = 0; k < step->s.n_out; k++)
    bytes += ((const CpuPlanValue *) step->s.out[k])->bytes;
  if (bytes > MAX_FOLDED_BYTES)
    return FALSE;
  if ((klass->flags & INFER_OP_SHAPE_ONLY) != 0)
    return ((const CpuPlanValue *) step->s.in[0])->known;
  for (guint i = 0; i < step->s.n_in; i++)
    if (step->s.in[i] != NULL && !step->s.in[i]->constant)
      return FALSE;
  return TRUE;
}

/* Runs a step on the spot; its outputs get memory of their own. */
static gboolean
run_now (CpuPlan *plan, CpuPlanStep *step, GError **error)
{
  g_autofree gpointer scratch_memory = NULL;
  gboolean ok;

  for (guint k = 0; k < step->s.n_out; k++) {
    CpuPlanValue *value = (CpuPlanValue *) step->s.out[k];

    if (value->known
        && !cpu_step_alloc_output (&step->s, k, &value->v.desc.shape, error))
      return FALSE;
  }
  if ((step->s.cpu_op->flags & CPU_OP_VIEW) != 0) {
    const CpuPlanValue *in = (const CpuPlanValue *) step->s.in[0];

    if (in->bytes > 0)
      memcpy (step->s.out[0]->data, in->v.data, in->bytes);
    return TRUE;
  }
  if (!cpu_plan_step_prepare (plan, step, error))
    return FALSE;
  if (step->s.scratch_size > 0) {
    scratch_memory = g_try_malloc (step->s.scratch_size + 64);
    if (scratch_memory == NULL)
      return infer_fail (error, INFER_ERROR_NO_MEMORY,
          "%" G_GSIZE_FORMAT " bytes of working memory", step->s.scratch_size);
    step->s.scratch = (gpointer) (((gsize) scratch_memory + 63) & ~(gsize) 63);
  }
  ok = step->s.cpu_op->run (&step->s, error);
  step->s.scratch = NULL;
  return ok;
}

static gboolean
fold (CpuPlan *plan, CpuPlanStep *step, GError **error)
{
  for (guint i = 0; i < step->s.n_in; i++)
    if (!cpu_step_want_data (&step->s, i, error))
      return FALSE;
  if (!run_now (plan, step, error))
    return FALSE;
  for (guint k = 0; k < step->s.n_out; k++) {
    CpuPlanValue *value = (CpuPlanValue *) step->s.out[k];

    cpu_plan_make_constant (value, g_steal_pointer (&value->tensor));
  }
  return TRUE;
}

static void
drop_last_step (CpuPlan *plan, CpuPlanStep *step)
{
  g_assert (plan->steps->pdata[plan->steps->len - 1] == step);
  g_ptr_array_set_size (plan->steps, (gint) plan->steps->len - 1);
  cpu_plan_step_free (plan, step);
}

/* --- absorbing
 * ---------------------------------------------------------------------------
 */

static CpuPlanValue *
port_value (const CpuPlan *plan, const InferPort *port)
{
  return port->op != NULL ? plan->ports[port->op->index][port->index] : NULL;
}

/* The operand of @reader other than @from; FALSE where it has more than one, or
 * it is not computed yet. */
static gboolean
find_other (CpuPlan *plan, const InferOperation *reader, guint from,
    CpuPlanValue **other)
{
  *other = NULL;
  if (reader->n_inputs > 2 || reader->n_outputs != 1)
    return FALSE;
  if (reader->n_inputs == 1)
    return TRUE;
  *other = port_value (plan, &reader->inputs[1 - from]);
  cpu_plan_make_floats (plan, *other);
  return *other != NULL && cpu_plan_unpack (plan, *other, NULL)
         && (*other)->known && (*other)->place != CPU_PLACE_RUN;
}

static gboolean
keeps_desc (const CpuPlan *plan, const CpuPlanStep *step,
    const InferOperation *reader, guint from, CpuPlanValue *other)
{
  CpuValue *in[2] = { step->s.out[0], step->s.out[0] };
  CpuPlanStep probe = { 0 };
  InferDesc out;

  if (other != NULL)
    in[1 - from] = &other->v;
  probe.s.op = reader;
  probe.s.n_in = reader->n_inputs;
  probe.s.in = in;
  probe.s.n_out = 1;
  return cpu_plan_step_infer (&probe, FALSE, &out, NULL)
         && out.type == step->s.out[0]->desc.type
         && infer_shape_equal (&out.shape, &step->s.out[0]->desc.shape);
}

/* Returns the last operation that is done. */
static const CpuNode *
absorb_readers (CpuPlan *plan, CpuPlanStep *step)
{
  const CpuNode *last = step->node;

  while (step->s.cpu_op->absorb != NULL && last->n_readers == 1
         && last->op->n_outputs == 1) {
    const InferOperation *reader = last->reader;
    const guint from = last->reader_input;
    const CpuNode *node = &plan->graph->nodes[reader->index];
    CpuPlanValue *other;
    CpuPost *post;

    if (node->cpu_op == NULL || node->guard != last->guard
        || !find_other (plan, reader, from, &other)
        || !keeps_desc (plan, step, reader, from, other)
        || !step->s.cpu_op->absorb (
            &step->s, reader, from, other != NULL ? &other->v : NULL))
      return last;
    step->s.posts = g_renew (CpuPost, step->s.posts, step->s.n_posts + 1);
    post = &step->s.posts[step->s.n_posts++];
    *post = (CpuPost){ reader, from, other != NULL ? &other->v : NULL };
    plan->ports[reader->index][0] = (CpuPlanValue *) step->s.out[0];
    last = node;
  }
  return last;
}

/* --- from operations to steps
 * ------------------------------------------------------------- */

static gboolean
plan_builtin (CpuPlan *plan, const CpuNode *node, const InferDesc *inputs)
{
  const InferOperation *op = node->op;
  CpuPlanValue *value;

  if (op->value != NULL) {
    InferDesc desc = { node->value->type, node->value->shape };

    value = cpu_plan_add_value (plan, &desc);
    cpu_plan_make_constant (value, infer_tensor_ref (node->value));
    plan->ports[op->index][0] = value;
    return TRUE;
  }
  for (guint i = 0; i < plan->n_inputs; i++)
    if (plan->graph->graph->parameters->pdata[i] == op) {
      value = cpu_plan_add_value (plan, &inputs[i]);
      value->place = CPU_PLACE_INPUT;
      value->index = i;
      plan->inputs->pdata[i] = value;
      plan->ports[op->index][0] = value;
    }
  return TRUE;
}

/* Its floats are made by those who want them: all do where values are dumped.
 */
static gboolean
plan_weights (CpuPlan *plan, const CpuNode *node, GError **error)
{
  const InferDesc desc = { INFER_TYPE_F32, node->unpack->stored.shape };
  CpuPlanValue *value = cpu_plan_add_value (plan, &desc);

  value->place = CPU_PLACE_CONSTANT;
  value->v.constant = TRUE;
  value->v.unpack = node->unpack;
  plan->ports[node->op->index][0] = value;
  return cpu_scope_dump (plan->scope) == NULL
         || cpu_plan_unpack (plan, value, error);
}

static gboolean
inputs_known (const CpuPlanStep *step)
{
  for (guint i = 0; i < step->s.n_in; i++)
    if (step->s.in[i] != NULL && !((CpuPlanValue *) step->s.in[i])->known)
      return FALSE;
  return TRUE;
}

static gboolean
outputs_known (const CpuPlanStep *step)
{
  for (guint k = 0; k < step->s.n_out; k++)
    if (!((CpuPlanValue *) step->s.out[k])->known)
      return FALSE;
  return TRUE;
}

static gboolean
all_plain (CpuPlan *plan, CpuPlanStep *step, GError **error)
{
  for (guint i = 0; i < step->s.n_in; i++) {
    CpuPlanValue *value = (CpuPlanValue *) step->s.in[i];

    if (value == NULL)
      continue;
    value = cpu_plan_in_layout (plan, value, CPU_LAYOUT_PLAIN, error);
    if (value == NULL)
      return FALSE;
    step->s.in[i] = &value->v;
  }
  return TRUE;
}

/* Reorders were appended after @step: it goes to the end again. */
static void
move_to_end (CpuPlan *plan, CpuPlanStep *step)
{
  if (plan->steps->pdata[plan->steps->len - 1] == step)
    return;
  g_ptr_array_remove (plan->steps, step);
  g_ptr_array_add (plan->steps, step);
}

static void
make_inputs (CpuPlan *plan, CpuPlanStep *step)
{
  for (guint i = 0; i < step->s.n_in; i++)
    cpu_plan_make_floats (plan, (CpuPlanValue *) step->s.in[i]);
}

static gboolean
finish_known_step (CpuPlan *plan, CpuPlanStep *step, GError **error)
{
  const CpuNode *last;
  CpuLayout layout;

  if (cpu_plan_add_of_levels (plan, step))
    return cpu_plan_step_prepare (plan, step, error);
  if (!cpu_plan_take_levels (plan, step))
    make_inputs (plan, step);
  move_to_end (plan, step);
  if (cpu_layout_of_transpose (step, &layout)) {
    CpuPlanValue *out = (CpuPlanValue *) step->s.out[0];

    out->v.layout = layout;
    cpu_plan_alias (out, (CpuPlanValue *) step->s.in[0]);
    drop_last_step (plan, step);
    return TRUE;
  }
  if (!cpu_plan_choose_layout (plan, step, error))
    return FALSE;
  move_to_end (plan, step);
  if ((step->s.cpu_op->flags & CPU_OP_VIEW) != 0) {
    cpu_plan_alias (
        (CpuPlanValue *) step->s.out[0], (CpuPlanValue *) step->s.in[0]);
    drop_last_step (plan, step);
    return TRUE;
  }
  if (cpu_plan_quantize (plan, step))
    return cpu_plan_step_prepare (plan, step, error);
  last = absorb_readers (plan, step);
  cpu_plan_absorb_quantize (plan, step, last);
  for (guint p = 0; p < step->s.n_posts; p++) {
    CpuPost *post = &step->s.posts[p];
    CpuPlanValue *other = (CpuPlanValue *) post->other;

    if (other == NULL)
      continue;
    if (infer_shape_equal (&other->v.desc.shape, cpu_out_shape (&step->s, 0)))
      other = cpu_plan_in_layout (plan, other, step->s.layout, error);
    else
      other = cpu_plan_in_layout (plan, other, CPU_LAYOUT_PLAIN, error);
    if (other == NULL)
      return FALSE;
    post->other = &other->v;
  }
  move_to_end (plan, step);
  return cpu_plan_step_prepare (plan, step, error);
}

/* Another step may have given the variable another shape. */
static gboolean
variable_is_static (const CpuPlan *plan, const InferOperation *op)
{
  const InferModel *model = plan->graph->model;
  int index = infer_model_find_variable (model, infer_op_variable_id (op));
  const InferDesc *desc = &infer_model_variable (model, (guint) index)->desc;

  return desc->type != INFER_TYPE_DYNAMIC
         && infer_shape_is_static (&desc->shape);
}

static gboolean
plan_operation (CpuPlan *plan, const CpuNode *node, GError **error)
{
  const InferOperation *op = node->op;
  /* What an Assign gives is what it takes, and seldom read. */
  const gboolean unread =
      strcmp (op->klass->type, "Assign") == 0 && node->n_readers == 0;
  const guint n_outputs = unread ? 0 : op->n_outputs;
  CpuPlanStep *step =
      cpu_plan_add_step (plan, node, node->cpu_op, op->n_inputs, n_outputs);
  g_autofree InferDesc *out = g_new0 (InferDesc, op->n_outputs + 1);

  for (guint i = 0; i < op->n_inputs; i++)
    step->s.in[i] = (CpuValue *) port_value (plan, &op->inputs[i]);
  if (!cpu_plan_step_infer (step, FALSE, out, error))
    return FALSE;
  for (guint k = 0; k < n_outputs; k++) {
    CpuPlanValue *value = cpu_plan_add_value (plan, &out[k]);

    plan->ports[op->index][k] = value;
    step->s.out[k] = &value->v;
  }
  if (can_fold (step)) {
    if (!all_plain (plan, step, error))
      return FALSE;
    move_to_end (plan, step);
    if (!fold (plan, step, error))
      return FALSE;
    drop_last_step (plan, step);
    return TRUE;
  }
  if (strcmp (op->klass->type, "ReadValue") == 0) {
    CpuPlanValue *value = plan->ports[op->index][0];

    value->place = CPU_PLACE_RUN;
    value->keeps = step->s.n_in > 0 ? (CpuPlanValue *) step->s.in[0] : NULL;
    if (!variable_is_static (plan, op))
      value->known = FALSE;
  }
  if (node->grows || node->picks) {
    plan->ports[op->index][0]->place = CPU_PLACE_RUN;
    plan->ports[op->index][0]->known = FALSE;
  }
  if (inputs_known (step) && outputs_known (step))
    return finish_known_step (plan, step, error);

  for (guint k = 0; k < n_outputs; k++) {
    CpuPlanValue *value = plan->ports[op->index][k];

    if (value->place == CPU_PLACE_ARENA)
      value->place = CPU_PLACE_OWN;
    value->known = FALSE;
  }
  step->lazy = TRUE;
  make_inputs (plan, step);
  step->seen = g_new0 (InferDesc, op->n_inputs + 1);
  step->seen_values = g_byte_array_new ();
  step->seen_blocks = g_new0 (gsize, op->n_inputs + 1);
  if (!all_plain (plan, step, error))
    return FALSE;
  move_to_end (plan, step);
  return TRUE;
}

static gboolean
plan_results (CpuPlan *plan, GError **error)
{
  const GPtrArray *results = plan->graph->graph->results;

  for (guint k = 0; k < results->len; k++) {
    const InferOperation *op = results->pdata[k];
    CpuPlanValue *value = port_value (plan, &op->inputs[0]);

    cpu_plan_make_floats (plan, value);
    if (!cpu_plan_unpack (plan, value, error))
      return FALSE;
    value = cpu_plan_in_layout (plan, value, CPU_LAYOUT_PLAIN, error);
    if (value == NULL)
      return FALSE;
    if (value->known && value->root->place == CPU_PLACE_ARENA
        && value->root->bytes == value->bytes) {
      value->root->place = CPU_PLACE_RESULT;
      value->root->index = k;
    }
    g_ptr_array_add (plan->results, value);
  }
  return TRUE;
}

static gboolean
plan_operations (CpuPlan *plan, const InferDesc *inputs, GError **error)
{
  for (guint i = 0; i < plan->graph->n_nodes; i++) {
    const CpuNode *node = &plan->graph->nodes[i];

    plan->ports[i] = g_new0 (CpuPlanValue *, node->op->n_outputs + 1);
  }
  /* All constants first: a file may list them behind what absorbs them. */
  for (guint i = 0; i < plan->graph->n_nodes; i++) {
    const CpuNode *node = &plan->graph->nodes[i];

    if (node->needed && node->op->value != NULL)
      plan_builtin (plan, node, inputs);
  }
  for (guint i = 0; i < plan->graph->n_nodes; i++) {
    const CpuNode *node = &plan->graph->nodes[i];
    gboolean parameter = strcmp (node->op->klass->type, "Parameter") == 0;

    if ((!node->needed && !parameter) || node->unpacks)
      continue;
    if (node->unpack != NULL) {
      if (!plan_weights (plan, node, error))
        return prefix_operation (error, node->op);
      continue;
    }
    if (node->op->n_outputs == 1 && plan->ports[i][0] != NULL)
      continue; /* absorbed */
    if (cpu_graph_is_builtin (node->op)) {
      plan_builtin (plan, node, inputs);
      continue;
    }
    if (!plan_operation (plan, node, error))
      return prefix_operation (error, node->op);
  }
  return plan_results (plan, error);
}

static CpuPlan *
plan_alloc (CpuScope *scope)
{
  CpuPlan *plan = g_new0 (CpuPlan, 1);

  plan->scope = scope;
  plan->values = g_ptr_array_new_with_free_func ((GDestroyNotify) value_free);
  plan->steps = g_ptr_array_new ();
  plan->packs = g_ptr_array_new ();
  plan->inputs = g_ptr_array_new ();
  plan->results = g_ptr_array_new ();
  return plan;
}

CpuPlan *
cpu_plan_new (CpuRunner *runner, const CpuGraph *graph, const InferDesc *inputs,
    GError **error)
{
  CpuPlan *plan = plan_alloc (graph->scope);

  plan->runner = runner;
  plan->graph = graph;
  plan->n_inputs = graph->graph->parameters->len;
  plan->key = g_memdup2 (inputs, plan->n_inputs * sizeof *inputs);
  g_ptr_array_set_size (plan->inputs, (gint) plan->n_inputs);
  plan->ports = g_new0 (CpuPlanValue **, graph->n_nodes + 1);
  if (!plan_operations (plan, inputs, error)
      || (cpu_plan_take_over (plan), !cpu_plan_place (plan, error))
      || !cpu_runner_reserve (
          runner, plan->arena_size, plan->scratch_size, error)) {
    cpu_plan_free (plan);
    return NULL;
  }
  return plan;
}

void
cpu_plan_free (CpuPlan *plan)
{
  if (plan == NULL)
    return;
  for (guint i = 0; i < plan->steps->len; i++)
    cpu_plan_step_free (plan, plan->steps->pdata[i]);
  for (guint i = 0; plan->ports != NULL && i < plan->graph->n_nodes; i++)
    g_free (plan->ports[i]);
  g_free (plan->ports);
  g_ptr_array_unref (plan->steps);
  g_ptr_array_unref (plan->values);
  unref_packs (plan, plan->packs);
  g_ptr_array_unref (plan->inputs);
  g_ptr_array_unref (plan->results);
  g_free (plan->key);
  g_free (plan);
}

gboolean
cpu_evaluate (CpuScope *scope, const InferOperation *op,
    InferTensor *const *inputs, InferTensor **outputs, GError **error)
{
  CpuPlan *plan = plan_alloc (scope);
  const CpuOp *cpu_op = cpu_op_find (op->klass->type);
  g_autofree InferDesc *out = g_new0 (InferDesc, op->n_outputs + 1);
  CpuPlanStep *step;
  gboolean ok;

  if (cpu_op == NULL || op->n_bodies > 0) {
    cpu_plan_free (plan);
    return infer_fail (error, INFER_ERROR_UNSUPPORTED, "cannot be folded");
  }
  step = cpu_plan_add_step (plan, NULL, cpu_op, op->n_inputs, op->n_outputs);
  step->s.op = op;
  for (guint i = 0; i < op->n_inputs; i++) {
    InferDesc desc;
    CpuPlanValue *value;

    if (inputs[i] == NULL)
      continue;
    desc = (InferDesc){ inputs[i]->type, inputs[i]->shape };
    value = cpu_plan_add_value (plan, &desc);
    cpu_plan_make_constant (value, infer_tensor_ref (inputs[i]));
    step->s.in[i] = &value->v;
  }
  ok = cpu_plan_step_infer (step, TRUE, out, error);
  for (guint k = 0; ok && k < op->n_outputs; k++)
    step->s.out[k] = &cpu_plan_add_value (plan, &out[k])->v;
  plan->team = cpu_scope_take_team (scope);
  ok = ok && run_now (plan, step, error);
  cpu_scope_give_team (scope, plan->team);
  for (guint k = 0; ok && k < op->n_outputs; k++)
    outputs[k] = g_steal_pointer (&((CpuPlanValue *) step->s.out[k])->tensor);
  cpu_plan_free (plan);
  return ok;
}
