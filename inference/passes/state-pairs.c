/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Finds the inputs and outputs of a model that are states, by name, type and
 * shape. */

#include "inference/passes/state-names.h"
#include "inference/passes/tie-private.h"

gboolean
infer_state_pair_fits (const InferDesc *input, const InferDesc *output)
{
  InferType type;
  InferShape shape;

  return infer_type_merge (input->type, output->type, &type)
         && infer_shape_merge (&input->shape, &output->shape, &shape);
}

/* --- names --- */

static void
add_names (GPtrArray *names, const InferOperation *op, guint port)
{
  g_ptr_array_add (names, op->name);
  for (guint i = 0; op->outputs[port].names[i] != NULL; i++)
    g_ptr_array_add (names, op->outputs[port].names[i]);
}

/* All names of an input or output.  (element-type utf8), borrowed */
static GPtrArray *
names_of (const InferOperation *op)
{
  GPtrArray *names = g_ptr_array_new ();

  add_names (names, op, 0);
  /* Outputs of equal value may have one producer. */
  if (infer_op_is (op, &infer_op_result) && op->outputs[0].names[0] == NULL
      && op->inputs[0].op != NULL)
    add_names (names, op->inputs[0].op, op->inputs[0].index);
  return names;
}

static InferStateMatch
match (const InferOperation *parameter, const InferOperation *result)
{
  g_autoptr (GPtrArray) in = names_of (parameter), out = names_of (result);
  InferStateMatch best = INFER_STATE_NO;

  for (guint i = 0; i < in->len; i++)
    for (guint k = 0; k < out->len; k++)
      best = MAX (best, infer_state_names_match (in->pdata[i], out->pdata[k]));
  return best;
}

/* --- pairs --- */

static gboolean
is_taken (const GArray *pairs, guint input, guint output)
{
  for (guint i = 0; i < pairs->len; i++) {
    const InferStatePair *pair = &g_array_index (pairs, InferStatePair, i);

    if (pair->input == input || pair->output == output)
      return TRUE;
  }
  return FALSE;
}

static gboolean
fail_ambiguous (const InferModel *model, const char *what, const char *name,
    const char *a, const char *b, GError **error)
{
  return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
      "%s: the state of %s '%.200s' may be '%.200s' or '%.200s': give its "
      "pair as INPUT=OUTPUT",
      model->path, what, name, a, b);
}

static gboolean
fail_shape (const InferModel *model, guint input, guint output, GError **error)
{
  g_autofree char *a =
      infer_shape_to_string (&infer_model_input_desc (model, input)->shape);
  g_autofree char *b =
      infer_shape_to_string (&infer_model_output_desc (model, output)->shape);

  return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
      "%s: by their names '%.200s' and '%.200s' are a state, but the input is "
      "%s %s, the output %s %s: give the pairs of states as INPUT=OUTPUT",
      model->path, infer_model_input_name (model, input),
      infer_model_output_name (model, output),
      infer_type_name (infer_model_input_desc (model, input)->type), a,
      infer_type_name (infer_model_output_desc (model, output)->type), b);
}

/* The output that is the next value of @input, -1: none.  @pairs: given. */
static gboolean
find_output (const InferModel *model, guint input, const GArray *pairs,
    int *found, GError **error)
{
  InferStateMatch best = INFER_STATE_NO;
  int other = -1;

  *found = -1;
  for (guint k = 0; k < infer_model_n_outputs (model); k++) {
    InferStateMatch m = is_taken (pairs, input, k)
                            ? INFER_STATE_NO
                            : match (model->graph->parameters->pdata[input],
                                model->graph->results->pdata[k]);

    if (m == INFER_STATE_NO || m < best)
      continue;
    if (!infer_state_pair_fits (infer_model_input_desc (model, input),
            infer_model_output_desc (model, k))) {
      if (m == INFER_STATE_SURE)
        return fail_shape (model, input, k, error);
      continue;
    }
    other = m == best ? *found : -1;
    best = m;
    *found = (int) k;
  }
  return other < 0
         || fail_ambiguous (model, "input",
             infer_model_input_name (model, input),
             infer_model_output_name (model, (guint) other),
             infer_model_output_name (model, (guint) *found), error);
}

static char *
list_names (const InferModel *model, guint n,
    const char *(*name) (const InferModel *model, guint index))
{
  GString *list = g_string_new (NULL);

  for (guint i = 0; i < n && list->len < 1000; i++)
    g_string_append_printf (
        list, "%s'%.200s'", i > 0 ? ", " : "", name (model, i));
  return g_string_free (list, FALSE);
}

static gboolean
fail_none (const InferModel *model, GError **error)
{
  g_autofree char *inputs =
      list_names (model, infer_model_n_inputs (model), infer_model_input_name);
  g_autofree char *outputs = list_names (
      model, infer_model_n_outputs (model), infer_model_output_name);

  return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
      "%s: no input and output have names of a state, such as 'h' and 'hn'; "
      "inputs: %s; outputs: %s: give the pairs of states as INPUT=OUTPUT",
      model->path, inputs, outputs);
}

gboolean
infer_state_pairs_find (const InferModel *model, GArray *pairs, GError **error)
{
  const guint given = pairs->len;
  g_autoptr (GArray) found = g_array_copy (pairs);

  for (guint i = 0; i < infer_model_n_inputs (model); i++) {
    int output;

    if (!find_output (model, i, pairs, &output, error))
      return FALSE;
    if (output < 0)
      continue;
    for (guint k = given; k < found->len; k++) {
      const InferStatePair *other = &g_array_index (found, InferStatePair, k);

      if (other->output == (guint) output)
        return fail_ambiguous (model, "output",
            infer_model_output_name (model, (guint) output),
            infer_model_input_name (model, other->input),
            infer_model_input_name (model, i), error);
    }
    InferStatePair pair = { .input = i, .output = (guint) output };
    g_array_append_val (found, pair);
  }
  if (found->len == 0)
    return fail_none (model, error);
  g_array_append_vals (
      pairs, &g_array_index (found, InferStatePair, given), found->len - given);
  return TRUE;
}
