/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "infer/bindings.h"

const char *
infer_model_variable_name (const InferModel *model, guint index)
{
  return index < infer_model_n_variables (model)
             ? infer_model_variable (model, index)->name
             : NULL;
}

const InferDesc *
infer_model_variable_desc (const InferModel *model, guint index)
{
  return index < infer_model_n_variables (model)
             ? &infer_model_variable (model, index)->desc
             : NULL;
}

InferModel *
infer_model_reshape_input (const InferModel *model, guint index,
    const InferShape *shape, GError **error)
{
  return infer_model_reshape (model, 1, &index, shape, error);
}

/* --- states --- */

GStrv
infer_state_set_list_names (InferStateSet *set)
{
  guint n = infer_state_set_n_states (set);
  GStrv names = g_new0 (char *, n + 1);

  for (guint i = 0; i < n; i++)
    names[i] = g_strdup (infer_state_get_name (infer_state_set_get (set, i)));
  return names;
}

InferTensor *
infer_state_set_get_value (InferStateSet *set, const char *name, GError **error)
{
  InferState *state = infer_state_set_find (set, name, error);

  return state != NULL ? infer_state_get_value (state, error) : NULL;
}

gboolean
infer_state_set_set_value (InferStateSet *set, const char *name,
    const InferTensor *value, GError **error)
{
  InferState *state = infer_state_set_find (set, name, error);

  return state != NULL && infer_state_set_value (state, value, error);
}
