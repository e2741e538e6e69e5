/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The variables of one sequence, in the model's order. */

#include <string.h>

#include "inference/graph/op.h"
#include "inference/graph/ops/state.h"
#include "inference/runtime/state-private.h"

struct _InferStateSet
{
  gint refs;
  InferStrand *strand;
  guint n_states;
  InferState **list; /* NULL-terminated */
};

/* The initial value if no evaluation is needed, else NULL. */
static InferTensor *
find_initial (const InferModel *model, const InferVariable *variable)
{
  const GPtrArray *operations = infer_model_get_graph (model)->operations;

  for (guint i = 0; i < operations->len; i++) {
    const InferOperation *op = g_ptr_array_index (operations, i);

    if (!infer_op_is (op, &infer_op_read_value)
        || strcmp (infer_op_variable_id (op), variable->name) != 0)
      continue;
    const InferOperation *source = op->n_inputs > 0 ? op->inputs[0].op : NULL;
    if (source != NULL)
      return source->value != NULL ? infer_tensor_ref (source->value) : NULL;
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

  InferStateSet *set = g_new0 (InferStateSet, 1);
  set->refs = 1;
  set->strand = infer_strand_new ();
  set->n_states = infer_model_n_variables (model);
  set->list = g_new0 (InferState *, set->n_states + 1);
  for (guint i = 0; i < set->n_states; i++) {
    const InferVariable *variable = infer_model_variable (model, i);

    set->list[i] = infer_state_new (variable, find_initial (model, variable));
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
  for (guint i = 0; i < set->n_states; i++)
    infer_state_free (set->list[i]);
  infer_strand_free (set->strand);
  g_free (set->list);
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
  return set->list[index];
}

InferState *
infer_state_set_find (InferStateSet *set, const char *name, GError **error)
{
  g_autoptr (GString) known = g_string_new (NULL);

  for (guint i = 0; i < set->n_states; i++) {
    if (strcmp (infer_state_get_name (set->list[i]), name) == 0)
      return set->list[i];
    g_string_append_printf (known, "%s'%s'", i > 0 ? ", " : "",
        infer_state_get_name (set->list[i]));
  }
  infer_fail (error, INFER_ERROR_NOT_FOUND, "no variable '%s'; there %s%s",
      name, set->n_states > 0 ? "are: " : "is none", known->str);
  return NULL;
}

void
infer_state_set_reset (InferStateSet *set)
{
  for (guint i = 0; i < set->n_states; i++)
    infer_state_reset (set->list[i]);
}

InferStrand *
infer_state_set_strand (InferStateSet *set)
{
  return set->strand;
}

InferState *const *
infer_state_set_list (const InferStateSet *set)
{
  return set->list;
}

void
infer_state_set_take_resets (InferStateSet *set, gboolean *resets)
{
  for (guint i = 0; i < set->n_states; i++) {
    if (infer_state_take_reset (set->list[i]))
      resets[i] = TRUE;
  }
}

void
infer_state_set_apply_resets (InferStateSet *set, gboolean *resets)
{
  for (guint i = 0; i < set->n_states; i++) {
    if (resets[i])
      infer_state_clear (set->list[i]);
    resets[i] = FALSE;
  }
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
    if (strcmp (infer_state_get_name (a->list[i]),
            infer_state_get_name (b->list[i]))
        != 0)
      return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
          "the sets are of different models: variable %u is '%s' and '%s'", i,
          infer_state_get_name (a->list[i]), infer_state_get_name (b->list[i]));
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
  /* First into the spare tensors, so that a failure changes nothing. */
  for (guint i = 0; i < src->n_states; i++)
    if (!infer_state_copy_begin (dst->list[i], src->list[i], error))
      return FALSE;
  for (guint i = 0; i < src->n_states; i++)
    infer_state_copy_end (dst->list[i], src->list[i]);
  return TRUE;
}
