/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Turns pairs of a state input and a state output into variables. */

#include "inference/passes/state-names.h"
#include "inference/passes/tie-private.h"

#include <string.h>

#define AUTO "auto"

/* --- which pairs --- */

static gboolean
check_pair (const InferDesc *input, const InferDesc *output, GError **error)
{
  g_autofree char *in = infer_shape_to_string (&input->shape);
  g_autofree char *out = infer_shape_to_string (&output->shape);

  return infer_state_pair_fits (input, output)
         || infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
             "the input is %s %s, the output %s %s",
             infer_type_name (input->type), in, infer_type_name (output->type),
             out);
}

static gboolean
add_pair (
    const InferModel *model, const char *text, GArray *pairs, GError **error)
{
  const char *equals = strchr (text, '=');
  InferStatePair pair = { 0 };

  if (equals == NULL)
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "%s: '%.200s' is not a pair 'input=output' and not 'auto'", model->path,
        text);
  g_autofree char *input = g_strndup (text, (gsize) (equals - text));
  const int in = infer_model_find_input (model, input, error);
  const int out =
      in < 0 ? -1 : infer_model_find_output (model, equals + 1, error);
  if (out < 0)
    return FALSE;
  pair.input = (guint) in;
  pair.output = (guint) out;
  if (!check_pair (infer_model_input_desc (model, pair.input),
          infer_model_output_desc (model, pair.output), error))
    return FALSE;
  for (guint i = 0; i < pairs->len; i++) {
    const InferStatePair *other = &g_array_index (pairs, InferStatePair, i);

    if (other->input == pair.input || other->output == pair.output)
      return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
          "its %s is that of another pair",
          other->input == pair.input ? "input" : "output");
  }
  g_array_append_val (pairs, pair);
  return TRUE;
}

/* Explicit pairs first: those are not looked for. */
static gboolean
read_pairs (const InferModel *model, const char *const *texts, GArray *pairs,
    GError **error)
{
  for (guint i = 0; texts[i] != NULL; i++)
    if (!g_str_equal (texts[i], AUTO)
        && !add_pair (model, texts[i], pairs, error)) {
      g_prefix_error (error, "state pair '%.200s': ", texts[i]);
      return FALSE;
    }
  return !g_strv_contains (texts, AUTO)
         || infer_state_pairs_find (model, pairs, error);
}

/* --- values --- */

static InferOperation *
add_constant (
    InferGraph *graph, const char *name, InferTensor *value, GError **error)
{
  g_autoptr (InferTensor) owned = value;
  InferOperation *op =
      value != NULL ? infer_operation_make_const (name, value, error) : NULL;

  if (op != NULL)
    infer_graph_add (graph, op);
  return op;
}

/* A ReadValue of the parameter's name in place of it; zeros of the shape
 * @initial before the first step. */
static InferOperation *
read_instead (InferGraph *graph, InferOperation *parameter,
    const InferShape *initial, GError **error)
{
  const InferDesc *desc = &parameter->outputs[0].desc;
  const gboolean open = !infer_shape_is_static (&desc->shape);
  const char *name = parameter->outputs[0].names[0] != NULL
                         ? parameter->outputs[0].names[0]
                         : parameter->name;
  InferOperation *zeros = NULL;

  if (open && desc->shape.rank >= 0) {
    zeros = add_constant (
        graph, name, infer_tensor_new (desc->type, initial, error), error);
    if (zeros == NULL)
      return NULL;
  }
  InferOperation *read =
      infer_operation_make_read (name, desc, zeros != NULL ? 1 : 0, error);
  if (read == NULL)
    return NULL;
  if (zeros != NULL)
    infer_operation_connect (read, 0, (InferPort){ zeros, 0 });
  infer_graph_add (graph, read);
  infer_port_replace ((InferPort){ parameter, 0 }, (InferPort){ read, 0 });
  return read;
}

static gboolean
assign (InferGraph *graph, const char *name, const char *variable,
    InferPort value, GError **error)
{
  InferOperation *op = infer_operation_make_assign (name, variable, error);

  if (op == NULL)
    return FALSE;
  infer_operation_connect (op, 0, value);
  infer_graph_add (graph, op);
  return TRUE;
}

/* --- merged decoders --- */

/* A body that gives its only input. */
static gboolean
init_branch (InferBody *body, int input, const InferDesc *desc, GError **error)
{
  const InferBodyPort in = { .external = input };
  const InferBodyPort out = { .external = 0 };
  InferOperation *parameter =
      infer_operation_make ("Parameter", "value", 0, 1, error, "element_type",
          infer_type_name (desc->type), "shape", "...", NULL);
  InferOperation *result = infer_operation_make (
      "Result", "value", 1, 1, parameter != NULL ? error : NULL, NULL);

  body->graph = infer_graph_new ();
  body->inputs = g_array_new (FALSE, TRUE, sizeof (InferBodyPort));
  body->outputs = g_array_new (FALSE, TRUE, sizeof (InferBodyPort));
  body->back_edges = g_array_new (FALSE, TRUE, sizeof (InferBackEdge));
  body->iteration_parameter = body->condition_result = -1;
  if (parameter != NULL)
    infer_graph_add (body->graph, parameter);
  if (result != NULL)
    infer_graph_add (body->graph, result);
  if (parameter == NULL || result == NULL)
    return FALSE;
  infer_operation_connect (result, 0, (InferPort){ parameter, 0 });
  g_array_append_val (body->inputs, in);
  g_array_append_val (body->outputs, out);
  return TRUE;
}

/* @before if @branch is true, else @next. */
static InferOperation *
choose (InferGraph *graph, const char *name, InferOperation *branch,
    InferOperation *before, InferPort next, GError **error)
{
  const guint version = infer_op_class_version (&infer_op_if, G_MAXUINT);
  g_autofree char *opset = g_strdup_printf ("opset%u", version);
  const InferDesc desc = { before->outputs[0].desc.type,
    infer_shape_dynamic () };
  g_autoptr (InferOperation) op =
      infer_operation_new (&infer_op_if, version, opset, name, 3, 1);

  op->n_bodies = 2;
  op->bodies = g_new0 (InferBody, 2);
  for (guint b = 0; b < 2; b++)
    if (!init_branch (&op->bodies[b], (int) b + 1, &desc, error))
      return NULL;
  infer_operation_connect (op, 0, (InferPort){ branch, 0 });
  infer_operation_connect (op, 1, (InferPort){ before, 0 });
  infer_operation_connect (op, 2, next);
  infer_graph_add (graph, op);
  return g_steal_pointer (&op);
}

static InferOperation *
find_branch (const InferModel *model)
{
  for (guint i = 0; i < infer_model_n_inputs (model); i++) {
    const InferDesc *desc = infer_model_input_desc (model, i);

    if (g_str_equal (infer_model_input_name (model, i), INFER_STATE_BRANCH)
        && desc->type == INFER_TYPE_BOOLEAN && desc->shape.rank <= 1)
      return model->graph->parameters->pdata[i];
  }
  return NULL;
}

/* The input that tells the first step from the others becomes a variable: false
 * at first, true from then on. */
static InferOperation *
tie_branch (InferGraph *graph, InferOperation *parameter, GError **error)
{
  InferShape shape = parameter->outputs[0].desc.shape.rank == 1
                         ? infer_shape_make (1, (gint64) 1)
                         : infer_shape_scalar ();
  InferTensor *value = infer_tensor_new (INFER_TYPE_BOOLEAN, &shape, error);

  if (value == NULL)
    return NULL;
  *(guint8 *) value->data = 1;
  InferOperation *yes =
      add_constant (graph, INFER_STATE_BRANCH "/next", value, error);
  InferOperation *read =
      yes != NULL ? read_instead (graph, parameter, &shape, error) : NULL;
  if (read == NULL
      || !assign (graph, INFER_STATE_BRANCH "/assign", INFER_STATE_BRANCH,
          (InferPort){ yes, 0 }, error))
    return NULL;
  infer_graph_remove (graph, parameter);
  return read;
}

/* --- tying --- */

/* @branch: nullable. */
static gboolean
tie (InferGraph *graph, InferOperation *parameter, InferOperation *result,
    const InferShape *initial, InferOperation *branch, GError **error)
{
  g_autofree char *name = g_strdup (parameter->name);
  InferOperation *read = read_instead (graph, parameter, initial, error);

  if (read == NULL)
    return FALSE;
  InferPort next = result->inputs[0];
  if (branch != NULL && strstr (name, INFER_STATE_ONCE) != NULL) {
    next.op = choose (graph, name, branch, read, next, error);
    next.index = 0;
  }
  if (next.op == NULL || !assign (graph, result->name, read->name, next, error))
    return FALSE;
  infer_graph_remove (graph, parameter);
  infer_graph_remove (graph, result);
  return TRUE;
}

/* "h=hn,c=cn" */
static void
note_pairs (InferModel *copy, const InferModel *model, const GArray *pairs)
{
  g_autoptr (GString) text =
      g_string_new (infer_model_get_rt_info (model, INFER_INFO_STATE_PAIRS));

  for (guint i = 0; i < pairs->len; i++) {
    const InferStatePair *pair = &g_array_index (pairs, InferStatePair, i);

    g_string_append_printf (text, "%s%s=%s", text->len > 0 ? "," : "",
        infer_model_input_name (model, pair->input),
        infer_model_output_name (model, pair->output));
  }
  infer_model_put_rt_info (copy, INFER_INFO_STATE_PAIRS, text->str);
}

static gboolean
tie_all (InferModel *copy, const GArray *pairs, gboolean merged, GError **error)
{
  InferGraph *graph = copy->graph;
  g_autoptr (GPtrArray) ends = g_ptr_array_new ();
  InferOperation *branch = merged ? find_branch (copy) : NULL;

  /* Indices change as ports go. */
  for (guint i = 0; i < pairs->len; i++) {
    const InferStatePair *pair = &g_array_index (pairs, InferStatePair, i);

    g_ptr_array_add (ends, graph->parameters->pdata[pair->input]);
    g_ptr_array_add (ends, graph->results->pdata[pair->output]);
  }
  if (branch != NULL && (branch = tie_branch (graph, branch, error)) == NULL)
    return FALSE;
  for (guint i = 0; i < pairs->len; i++)
    if (!tie (graph, ends->pdata[2 * i], ends->pdata[2 * i + 1],
            &g_array_index (pairs, InferStatePair, i).initial, branch, error))
      return FALSE;
  return TRUE;
}

InferModel *
infer_model_tie_states (
    const InferModel *model, const char *const *pairs, GError **error)
{
  g_autoptr (InferModel) copy = infer_model_copy (model);
  g_autoptr (GArray) found = g_array_new (FALSE, TRUE, sizeof (InferStatePair));

  if (!read_pairs (model, pairs, found, error))
    return NULL;
  infer_state_pairs_set_shapes (model, found);
  if (tie_all (copy, found, g_strv_contains (pairs, AUTO), error)
      && infer_model_settle (copy, error)) {
    note_pairs (copy, model, found);
    return g_steal_pointer (&copy);
  }
  g_prefix_error (error, "%s: ", model->path);
  return NULL;
}
