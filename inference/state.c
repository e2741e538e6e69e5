/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/state-private.h"

#include <string.h>

#include "inference/op.h"
#include "inference/ops/state.h"

struct _InferState
{
  char *name;
  InferDesc desc;
  InferTensor *initial; /* nullable: not known without evaluating */
  /* Asked for from outside; taken over by the next started step. */
  gint reset_asked;
  gboolean has_value; /* else reset */
  guint current;      /* which of the two is the value */
  InferTensor *values[2];
};

struct _InferStateSet
{
  gint refs;
  InferStrand *strand;
  guint n_states;
  InferState states[];
};

/* The value of a reset variable where it needs no evaluation. */
static InferTensor *
find_initial (const InferModel *model, const InferVariable *variable)
{
  const GPtrArray *operations = infer_model_get_graph (model)->operations;

  for (guint i = 0; i < operations->len; i++) {
    const InferOperation *op = g_ptr_array_index (operations, i);

    if (strcmp (op->klass->type, "ReadValue") != 0
        || strcmp (infer_op_variable_id (op), variable->name) != 0)
      continue;
    const InferOperation *source = op->n_inputs > 0 ? op->inputs[0].op : NULL;
    if (source)
      return source->value ? infer_tensor_ref (source->value) : NULL;
    if (variable->desc.type == INFER_TYPE_DYNAMIC
        || !infer_shape_is_static (&variable->desc.shape))
      return NULL;
    return infer_tensor_new (variable->desc.type, &variable->desc.shape, NULL);
  }
  return NULL;
}

InferStateSet *
infer_state_set_new (const InferModel *model)
{
  g_return_val_if_fail (model != NULL, NULL);

  guint n = infer_model_n_variables (model);
  InferStateSet *set = (InferStateSet *) g_malloc0 (
      sizeof (InferStateSet) + n * sizeof (InferState));
  set->refs = 1;
  set->strand = infer_strand_new ();
  set->n_states = n;
  for (guint i = 0; i < n; i++) {
    const InferVariable *variable = infer_model_variable (model, i);
    InferState *state = &set->states[i];

    state->name = g_strdup (variable->name);
    state->desc = variable->desc;
    state->initial = find_initial (model, variable);
  }
  return set;
}

InferStateSet *
infer_state_set_ref (InferStateSet *set)
{
  g_return_val_if_fail (set != NULL, NULL);
  g_atomic_int_inc (&set->refs);
  return set;
}

void
infer_state_set_unref (InferStateSet *set)
{
  g_return_if_fail (set != NULL);
  if (!g_atomic_int_dec_and_test (&set->refs))
    return;
  for (guint i = 0; i < set->n_states; i++) {
    InferState *state = &set->states[i];

    g_free (state->name);
    g_clear_pointer (&state->initial, infer_tensor_unref);
    g_clear_pointer (&state->values[0], infer_tensor_unref);
    g_clear_pointer (&state->values[1], infer_tensor_unref);
  }
  infer_strand_free (set->strand);
  g_free (set);
}

gboolean
infer_state_set_is_shared (const InferStateSet *set)
{
  return __atomic_load_n (&set->refs, __ATOMIC_SEQ_CST) > 1;
}

guint
infer_state_set_n_states (const InferStateSet *set)
{
  return set->n_states;
}

InferState *
infer_state_set_get (InferStateSet *set, guint index)
{
  g_return_val_if_fail (index < set->n_states, NULL);
  return &set->states[index];
}

InferState *
infer_state_set_find (InferStateSet *set, const char *name, GError **error)
{
  g_autoptr (GString) known = g_string_new (NULL);

  for (guint i = 0; i < set->n_states; i++) {
    if (strcmp (set->states[i].name, name) == 0)
      return &set->states[i];
    g_string_append_printf (
        known, "%s'%s'", i > 0 ? ", " : "", set->states[i].name);
  }
  infer_fail (error, INFER_ERROR_NOT_FOUND, "no variable '%s'; there %s%s",
      name, set->n_states > 0 ? "are: " : "is none", known->str);
  return NULL;
}

void
infer_state_set_reset (InferStateSet *set)
{
  for (guint i = 0; i < set->n_states; i++)
    infer_state_reset (&set->states[i]);
}

InferStrand *
infer_state_set_strand (InferStateSet *set)
{
  return set->strand;
}

void
infer_state_set_take_resets (InferStateSet *set, gboolean *resets)
{
  for (guint i = 0; i < set->n_states; i++) {
    if (g_atomic_int_get (&set->states[i].reset_asked)
        && g_atomic_int_compare_and_exchange (
            &set->states[i].reset_asked, TRUE, FALSE))
      resets[i] = TRUE;
  }
}

void
infer_state_set_apply_resets (InferStateSet *set, gboolean *resets)
{
  for (guint i = 0; i < set->n_states; i++) {
    if (resets[i])
      set->states[i].has_value = FALSE;
    resets[i] = FALSE;
  }
}

/* --- one state -------------------------------------------------------------
 */

const char *
infer_state_get_name (const InferState *state)
{
  return state->name;
}

gboolean
infer_state_is_reset (const InferState *state)
{
  return __atomic_load_n (&state->reset_asked, __ATOMIC_SEQ_CST)
         || !state->has_value;
}

void
infer_state_reset (InferState *state)
{
  g_atomic_int_set (&state->reset_asked, TRUE);
}

static InferTensor *
duplicate (const InferTensor *value, GError **error)
{
  g_autoptr (InferTensor) copy =
      infer_tensor_new (value->type, &value->shape, error);
  if (!copy || !infer_tensor_copy (copy, value, error))
    return NULL;
  return g_steal_pointer (&copy);
}

InferTensor *
infer_state_get_value (InferState *state, GError **error)
{
  if (!infer_state_is_reset (state))
    return duplicate (state->values[state->current], error);
  if (state->initial)
    return duplicate (state->initial, error);
  infer_fail (error, INFER_ERROR_NOT_FOUND,
      "variable '%s' is reset and its initial value not known before the next "
      "step",
      state->name);
  return NULL;
}

/* Copies a value that is known to fit. */
static gboolean
assign (InferState *state, const InferTensor *value, GError **error)
{
  InferTensor *next =
      infer_state_next (state, value->type, &value->shape, error);
  if (!next || !infer_tensor_copy (next, value, error))
    return FALSE;
  infer_state_commit (state);
  g_atomic_int_set (&state->reset_asked, FALSE);
  return TRUE;
}

gboolean
infer_state_set_value (
    InferState *state, const InferTensor *value, GError **error)
{
  g_return_val_if_fail (value != NULL, FALSE);

  if (state->desc.type != INFER_TYPE_DYNAMIC && state->desc.type != value->type)
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "variable '%s' is of %s, not %s", state->name,
        infer_type_name (state->desc.type), infer_type_name (value->type));
  if (!infer_shape_matches (&state->desc.shape, &value->shape)) {
    g_autofree char *wanted = infer_shape_to_string (&state->desc.shape);
    g_autofree char *given = infer_shape_to_string (&value->shape);
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "variable '%s' has the shape %s: a value of shape %s does not fit",
        state->name, wanted, given);
  }
  return assign (state, value, error);
}

static gboolean
check_same_variables (
    const InferStateSet *a, const InferStateSet *b, GError **error)
{
  if (a->n_states != b->n_states)
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "the sets are of different models: %u variables and %u", a->n_states,
        b->n_states);
  for (guint i = 0; i < a->n_states; i++) {
    if (strcmp (a->states[i].name, b->states[i].name) != 0)
      return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
          "the sets are of different models: variable %u is '%s' and '%s'", i,
          a->states[i].name, b->states[i].name);
  }
  return TRUE;
}

gboolean
infer_state_set_copy (InferStateSet *dst, InferStateSet *src, GError **error)
{
  if (dst == src)
    return TRUE;
  if (!check_same_variables (dst, src, error))
    return FALSE;
  /* Into the spare buffers first, so that a failure changes nothing. */
  for (guint i = 0; i < src->n_states; i++) {
    InferState *from = &src->states[i];
    const InferTensor *value = from->values[from->current];

    if (infer_state_is_reset (from))
      continue;
    InferTensor *next =
        infer_state_next (&dst->states[i], value->type, &value->shape, error);
    if (!next || !infer_tensor_copy (next, value, error))
      return FALSE;
  }
  for (guint i = 0; i < src->n_states; i++) {
    gboolean reset = infer_state_is_reset (&src->states[i]);

    if (!reset)
      infer_state_commit (&dst->states[i]);
    dst->states[i].has_value = !reset;
    g_atomic_int_set (&dst->states[i].reset_asked, FALSE);
  }
  return TRUE;
}

/* --- for backends ----------------------------------------------------------
 */

InferTensor *
infer_state_peek (InferState *state)
{
  return state->has_value ? state->values[state->current] : NULL;
}

InferTensor *
infer_state_next (
    InferState *state, InferType type, const InferShape *shape, GError **error)
{
  InferTensor **next = &state->values[!state->current];

  if (!*next)
    *next = infer_tensor_new (type, shape, error);
  else if (((*next)->type != type
               || !infer_shape_equal (&(*next)->shape, shape))
           && !infer_tensor_reshape (*next, type, shape, error))
    return NULL;
  return *next;
}

void
infer_state_commit (InferState *state)
{
  state->current = !state->current;
  state->has_value = TRUE;
}
