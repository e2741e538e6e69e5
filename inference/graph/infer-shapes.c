/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Propagates types, shapes and small constant values in topological order.
 *
 * Values matter because shapes are often computed (ShapeOf, Gather, Concat →
 * the target of a Reshape). */

#include "inference/graph/graph.h"

#include "inference/base/tensor.h"
#include "inference/graph/evaluate.h"
#include "inference/graph/ops/body.h"
#include "inference/graph/ops/parameter.h"

#define MAX_VALUE_BYTES (64 * sizeof (gint64))
#define MAX_TENSOR_BYTES ((gsize) 1 << 40)
/* Nested bodies are inferred repeatedly: the limit keeps a small file from
 * taking hours. */
#define MAX_WORK 4000000

/* Inputs of most operations. */
#define FEW 6

/* Per thread: the nesting of bodies, and the operations inferred so far. */
static _Thread_local struct
{
  guint depth, work;
} running;

typedef struct
{
  const InferGraph *graph;
  guint *first; /* per operation: its output 0 in the arrays */
  InferDesc *descs;
  InferTensor **values; /* owned; NULL: not known */
  /* A partially known value: two guesses that differ in the unknown elements.
   * Owned, both or none. */
  InferTensor **guesses[2];
  gint64 n_unknown; /* elements guessed so far */
} Work;

static guint
count_outputs (const InferGraph *graph)
{
  guint n = 0;

  for (guint i = 0; i < graph->operations->len; i++)
    n += ((const InferOperation *) graph->operations->pdata[i])->n_outputs;
  return n;
}

/* Also after a failure, work_clear() is to be called. */
static gboolean
work_init (Work *work, const InferGraph *graph, GError **error)
{
  const guint n = count_outputs (graph), n_ops = graph->operations->len;

  *work = (Work){ .graph = graph, .first = g_try_new0 (guint, n_ops + 1) };
  work->descs = g_try_new0 (InferDesc, n + 1);
  work->values = g_try_new0 (InferTensor *, n + 1);
  for (guint g = 0; g < 2; g++)
    work->guesses[g] = g_try_new0 (InferTensor *, n + 1);
  if (work->first == NULL || work->descs == NULL || work->values == NULL
      || work->guesses[0] == NULL || work->guesses[1] == NULL)
    return infer_fail (error, INFER_ERROR_NO_MEMORY,
        "no memory to infer the shapes of %u operations", n_ops);
  for (guint i = 0, k = 0; i < n_ops; i++) {
    work->first[i] = k;
    k += ((const InferOperation *) graph->operations->pdata[i])->n_outputs;
  }
  work->first[n_ops] = n;
  return TRUE;
}

static void
work_clear (Work *work)
{
  const guint n =
      work->first != NULL ? work->first[work->graph->operations->len] : 0;

  for (guint k = 0; k < n; k++) {
    infer_tensor_unref (work->values[k]);
    for (guint g = 0; g < 2; g++)
      infer_tensor_unref (work->guesses[g][k]);
  }
  for (guint g = 0; g < 2; g++)
    g_free (work->guesses[g]);
  g_free (work->first);
  g_free (work->descs);
  g_free (work->values);
}

static guint
slot (const Work *work, const InferPort *port)
{
  return work->first[port->op->index] + port->index;
}

/* --- values --- */

static gboolean
has_small_values (const InferShapeContext *context)
{
  for (guint i = 0; i < context->n_inputs; i++)
    if (context->values[i] == NULL
        || context->values[i]->size > MAX_VALUE_BYTES)
      return FALSE;
  return TRUE;
}

static void
find_values (Work *work, const InferShapeContext *context)
{
  const InferOperation *op = context->op;
  InferTensor **outputs = &work->values[work->first[op->index]];

  if (op->value != NULL)
    outputs[0] = infer_tensor_ref (op->value);
  else if (infer_op_is (op, &infer_op_shape_of))
    outputs[0] =
        infer_evaluate_shape (&context->inputs[0].shape, &context->outputs[0]);
  else if (has_small_values (context)
           && infer_can_evaluate (op, context->outputs, MAX_VALUE_BYTES))
    infer_evaluate (op, context->values, outputs);
}

/* --- partially known values: [?, 3] is two guesses for ?, and 3 --- */

/* The inputs that may be guessed so that equal output elements are known ones:
 * those whose elements are only moved, added or multiplied.  0: none. */
static guint32
guessable_inputs (const InferOpClass *klass)
{
  static const InferOpClass *const all[] = { &infer_op_add, &infer_op_concat,
    &infer_op_multiply, &infer_op_subtract, NULL };
  static const InferOpClass *const first[] = { &infer_op_convert,
    &infer_op_convert_like, &infer_op_gather, &infer_op_reshape,
    &infer_op_slice, &infer_op_split, &infer_op_squeeze,
    &infer_op_strided_slice, &infer_op_transpose, &infer_op_unsqueeze,
    &infer_op_variadic_split, NULL };
  static const InferOpClass *const updates[] = {
    &infer_op_scatter_elements_update, &infer_op_scatter_nd_update,
    &infer_op_scatter_update, NULL
  };

  return infer_op_class_in (klass, all)       ? G_MAXUINT32
         : infer_op_class_in (klass, first)   ? 1
         : infer_op_class_in (klass, updates) ? 1 << 0 | 1 << 2
                                              : 0;
}

/* Input values with guess @g for the unknown ones; FALSE if a value is unknown,
 * must not be guessed, or all are known. */
static gboolean
guess_inputs (const Work *work, const InferShapeContext *context, guint g,
    guint32 allowed, const InferTensor **values)
{
  gboolean guessed = FALSE;

  for (guint i = 0; i < context->n_inputs; i++) {
    const InferPort *port = &context->op->inputs[i];

    values[i] = context->values[i];
    if (values[i] == NULL && port->op != NULL && i < 32
        && (allowed >> i & 1) != 0) {
      values[i] = work->guesses[g][slot (work, port)];
      guessed = guessed || values[i] != NULL;
    }
    if (values[i] != NULL && values[i]->size > MAX_VALUE_BYTES)
      return FALSE;
  }
  return guessed;
}

/* Two guesses for the ShapeOf of a partial shape. */
static void
guess_shape (Work *work, const InferShapeContext *context, guint slot_out)
{
  const InferShape *shape = &context->inputs[0].shape;

  if (shape->rank <= 0)
    return;
  for (guint g = 0; g < 2; g++) {
    InferShape guess = *shape;

    for (int d = 0; d < shape->rank; d++)
      if (guess.dims[d] == INFER_DYNAMIC)
        guess.dims[d] = g == 0 ? 1000003 + 7919 * (work->n_unknown + d)
                               : 2000029 + 104729 * (work->n_unknown + d);
    work->guesses[g][slot_out] =
        infer_evaluate_shape (&guess, &context->outputs[0]);
  }
  work->n_unknown += shape->rank;
}

/* The values for both guesses, where all inputs are known or guessed. */
static void
evaluate_guesses (
    Work *work, const InferShapeContext *context, guint32 allowed, guint at)
{
  const InferOperation *op = context->op;
  const InferTensor *few[FEW];
  g_autofree const InferTensor **more =
      op->n_inputs > FEW ? g_new (const InferTensor *, op->n_inputs) : NULL;
  const InferTensor **values = more != NULL ? more : few;
  gboolean ok = TRUE;

  for (guint g = 0; g < 2 && ok; g++) {
    ok = guess_inputs (work, context, g, allowed, values);
    for (guint i = 0; ok && i < op->n_inputs; i++)
      ok = values[i] != NULL;
    ok = ok && infer_can_evaluate (op, context->outputs, MAX_VALUE_BYTES)
         && infer_evaluate (op, values, &work->guesses[g][at]);
  }
}

static void
find_guesses (Work *work, const InferShapeContext *context)
{
  const InferOperation *op = context->op;
  const guint at = work->first[op->index];
  const guint32 allowed = guessable_inputs (op->klass);

  if (op->n_outputs == 0 || work->values[at] != NULL)
    return;
  if (infer_op_is (op, &infer_op_shape_of))
    guess_shape (work, context, at);
  else if (allowed != 0)
    evaluate_guesses (work, context, allowed, at);
  for (guint k = 0; k < op->n_outputs; k++)
    if (work->guesses[0][at + k] == NULL || work->guesses[1][at + k] == NULL)
      for (guint g = 0; g < 2; g++)
        g_clear_pointer (&work->guesses[g][at + k], infer_tensor_unref);
}

/* The dims of an output that do not depend on the guess. */
static void
infer_with_guesses (Work *work, InferShapeContext *context)
{
  static const InferOpClass *const readers[] = { &infer_op_broadcast,
    &infer_op_reshape, &infer_op_tile, NULL };
  const InferOperation *op = context->op;
  InferDesc outputs[2];

  if (!infer_op_class_in (op->klass, readers) || op->n_outputs != 1)
    return;
  g_autofree const InferTensor **values =
      infer_new0 (const InferTensor *, op->n_inputs + 1);
  for (guint g = 0; g < 2; g++) {
    InferShapeContext guess = *context;

    outputs[g] = (InferDesc){ INFER_TYPE_DYNAMIC, infer_shape_dynamic () };
    guess.values = values;
    guess.outputs = &outputs[g];
    if (!guess_inputs (work, context, g, 1 << 1, values)
        || !op->klass->infer_shapes (&guess, NULL))
      return;
  }
  if (outputs[0].shape.rank < 0
      || outputs[0].shape.rank != outputs[1].shape.rank)
    return;
  for (int d = 0; d < outputs[0].shape.rank; d++)
    if (outputs[0].shape.dims[d] != outputs[1].shape.dims[d])
      outputs[0].shape.dims[d] = INFER_DYNAMIC;
  context->outputs[0].shape = outputs[0].shape;
}

/* --- one operation --- */

static gboolean
fail_in (GError **error, const InferOperation *op)
{
  g_autofree char *name = infer_operation_describe (op);

  g_prefix_error (error, "operation %s: ", name);
  return FALSE;
}

static gboolean
check_output (const InferDesc *desc, guint k, GError **error)
{
  gsize bytes;

  if (desc->type == INFER_TYPE_DYNAMIC || !infer_shape_is_static (&desc->shape)
      || (infer_tensor_bytes (desc->type, &desc->shape, &bytes)
          && bytes <= MAX_TENSOR_BYTES))
    return TRUE;
  g_autofree char *text = infer_shape_to_string (&desc->shape);
  return infer_fail (error, INFER_ERROR_NO_MEMORY,
      "output %u of %s and shape %s is too large", k,
      infer_type_name (desc->type), text);
}

/* Importers and edits may leave out inputs that a class can do without. */
static gboolean
check_connected (const InferOperation *op, GError **error)
{
  const guint needed = op->n_bodies > 0 || op->klass->max_inputs == G_MAXUINT
                           ? op->n_inputs
                           : MIN (op->klass->min_inputs, op->n_inputs);

  for (guint i = 0; i < needed; i++)
    if (op->inputs[i].op == NULL)
      return infer_fail (
          error, INFER_ERROR_INVALID_MODEL, "input %u is not connected", i);
  return TRUE;
}

static void
gather_inputs (const Work *work, InferShapeContext *context, InferDesc *descs,
    const InferTensor **values)
{
  for (guint i = 0; i < context->n_inputs; i++) {
    const InferPort *port = &context->op->inputs[i];

    if (port->op == NULL) {
      descs[i] = (InferDesc){ INFER_TYPE_DYNAMIC, infer_shape_dynamic () };
      values[i] = NULL;
      continue;
    }
    descs[i] = work->descs[slot (work, port)];
    values[i] = work->values[slot (work, port)];
  }
}

static gboolean store_bodies (const InferShapeContext *context, GError **error);

static gboolean
infer_operation (
    Work *work, const InferOperation *op, gboolean store, GError **error)
{
  InferDesc few[FEW];
  const InferTensor *few_values[FEW];
  const gboolean many = op->n_inputs > FEW;
  g_autofree InferDesc *more = many ? g_new (InferDesc, op->n_inputs) : NULL;
  g_autofree const InferTensor **more_values =
      many ? g_new (const InferTensor *, op->n_inputs) : NULL;
  InferDesc *descs = many ? more : few;
  const InferTensor **values = many ? more_values : few_values;
  InferShapeContext context = { op, op->n_inputs, descs, values, op->n_outputs,
    &work->descs[work->first[op->index]] };

  for (guint k = 0; k < op->n_outputs; k++)
    context.outputs[k].shape = infer_shape_dynamic ();
  gather_inputs (work, &context, descs, values);
  if (++running.work > MAX_WORK)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "bodies are nested too deeply: shape inference would take too long");
  if (!check_connected (op, error)
      || !op->klass->infer_shapes (&context, error))
    return FALSE;
  infer_with_guesses (work, &context);
  for (guint k = 0; k < op->n_outputs; k++)
    if (!check_output (&context.outputs[k], k, error))
      return FALSE;
  find_values (work, &context);
  find_guesses (work, &context);
  return !store || op->n_bodies == 0 || store_bodies (&context, error);
}

static gboolean
set_parameter (Work *work, const InferOperation *op, const InferDesc *desc,
    const InferTensor *value, GError **error)
{
  const InferParameterAttrs *attrs = op->attrs;
  const guint k = work->first[op->index];
  InferType type;

  work->descs[k] = desc != NULL ? *desc : attrs->desc;
  if (value != NULL)
    work->values[k] = infer_tensor_ref ((InferTensor *) (gsize) value);
  if (!infer_type_merge (attrs->desc.type, work->descs[k].type, &type))
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "it is of type %s, but is given %s", infer_type_name (attrs->desc.type),
        infer_type_name (work->descs[k].type));
  work->descs[k].type = type;
  return check_output (&work->descs[k], 0, error);
}

static gboolean
infer_all (Work *work, const InferDesc *params,
    const InferTensor *const *values, gboolean store, GError **error)
{
  const InferGraph *graph = work->graph;

  for (guint i = 0; i < graph->parameters->len; i++) {
    const InferOperation *op = graph->parameters->pdata[i];

    if (!set_parameter (work, op, params != NULL ? &params[i] : NULL,
            values != NULL ? values[i] : NULL, error))
      return fail_in (error, op);
  }
  for (guint i = 0; i < graph->operations->len; i++) {
    const InferOperation *op = graph->operations->pdata[i];

    if (!infer_op_is (op, &infer_op_parameter)
        && !infer_operation (work, op, store, error))
      return fail_in (error, op);
  }
  return TRUE;
}

/* --- whole graphs --- */

static gboolean
enter (GError **error)
{
  if (running.depth == 0)
    running.work = 0;
  if (running.depth >= INFER_MAX_NESTING)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "bodies are nested more than %d deep", INFER_MAX_NESTING);
  running.depth++;
  return TRUE;
}

static void
store_outputs (const Work *work)
{
  for (guint i = 0; i < work->graph->operations->len; i++) {
    InferOperation *op = work->graph->operations->pdata[i];

    for (guint k = 0; k < op->n_outputs; k++)
      op->outputs[k].desc = work->descs[work->first[i] + k];
  }
}

static gboolean
infer_and_store (InferGraph *graph, const InferDesc *params,
    const InferTensor *const *values, GError **error)
{
  Work work;

  if (!enter (error))
    return FALSE;
  gboolean ok = work_init (&work, graph, error)
                && infer_all (&work, params, values, TRUE, error);
  if (ok)
    store_outputs (&work);
  work_clear (&work);
  running.depth--;
  return ok;
}

static gboolean
store_bodies (const InferShapeContext *context, GError **error)
{
  const InferOperation *op = context->op;

  for (guint b = 0; b < op->n_bodies; b++) {
    InferGraph *graph = op->bodies[b].graph;
    g_autofree InferDesc *params =
        infer_new0 (InferDesc, graph->parameters->len + 1);
    g_autofree InferDesc *results =
        infer_new0 (InferDesc, graph->results->len + 1);

    g_autoptr (GError) problem = NULL;

    if (!infer_body_may_run (context, b)
        || (infer_body_infer (context, b, params, results, &problem)
            && infer_and_store (graph, params, NULL, &problem)))
      continue;
    /* A branch that these inputs do not allow fails if it is taken. */
    if (infer_op_is (op, &infer_op_if))
      continue;
    g_propagate_error (error, g_steal_pointer (&problem));
    return FALSE;
  }
  return TRUE;
}

gboolean
infer_graph_infer (InferGraph *graph, GError **error)
{
  return infer_and_store (graph, NULL, NULL, error);
}

static gboolean
is_whole (const InferOperation *op)
{
  if (op->n_bodies > 0 || !check_connected (op, NULL))
    return FALSE;
  for (guint k = 0; k < op->n_outputs; k++) {
    const InferDesc *desc = &op->outputs[k].desc;

    if (desc->type == INFER_TYPE_DYNAMIC
        || !infer_shape_is_static (&desc->shape)
        || !check_output (desc, k, NULL))
      return FALSE;
  }
  return TRUE;
}

gboolean
infer_graph_is_whole (const InferGraph *graph)
{
  for (guint i = 0; i < graph->operations->len; i++)
    if (!is_whole (graph->operations->pdata[i]))
      return FALSE;
  return TRUE;
}

gboolean
infer_graph_infer_with (const InferGraph *graph, const InferDesc *params,
    const InferTensor *const *values, InferDesc *results, GError **error)
{
  Work work;

  if (!enter (error))
    return FALSE;
  gboolean ok = work_init (&work, graph, error)
                && infer_all (&work, params, values, FALSE, error);
  for (guint k = 0; ok && k < graph->results->len; k++) {
    const InferOperation *op = graph->results->pdata[k];

    results[k] = work.descs[work.first[op->index]];
  }
  work_clear (&work);
  running.depth--;
  return ok;
}
