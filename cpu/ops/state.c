/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* ReadValue and Assign. */

#include "cpu/base/context.h"
#include "cpu/ops/grow.h"
#include "inference/graph/ops/state.h"

#include <string.h>

typedef struct
{
  guint variable;
  InferTensor *zeros; /* the initial value if the operation has no input */
} Access;

static void
access_free (gpointer data)
{
  Access *access = data;

  infer_tensor_unref (access->zeros);
  g_free (access);
}

static gboolean
prepare (CpuStep *step, GError **error)
{
  const CpuContext *context = cpu_step_context (step);
  Access *access = g_new0 (Access, 1);

  step->priv = access;
  int index = infer_model_find_variable (
      context->model, infer_op_variable_id (step->op));
  access->variable = (guint) index;
  step->kernel = "copy";
  return TRUE;
}

static InferState *
state_of (const CpuStep *step)
{
  const Access *access = step->priv;

  return cpu_step_context (step)->states[access->variable];
}

/* The value to be assigned is the variable's own memory. */
static gboolean
is_present (InferState *state, const CpuValue *value)
{
  const InferTensor *present = infer_state_peek (state);

  return present != NULL && present->data == value->data && present->dense
         && value->block == 0 && present->type == value->desc.type
         && infer_shape_equal (&present->shape, &value->desc.shape);
}

static gboolean
keep (CpuStep *step, const CpuValue *value, GError **error)
{
  const Access *access = step->priv;

  if (is_present (state_of (step), value))
    return TRUE;
  InferTensor *next = infer_state_next (
      state_of (step), value->desc.type, &value->desc.shape, error);
  if (next == NULL)
    return FALSE;
  if (value->bytes > 0)
    memcpy (next->data, value->data, value->bytes);
  cpu_step_context (step)->assigned[access->variable] = TRUE;
  return TRUE;
}

static void
read_from (
    CpuValue *out, InferType type, const InferShape *shape, gpointer data)
{
  InferDesc desc = { type, *shape };

  if (!infer_shape_equal (&out->desc.shape, shape) || out->desc.type != type)
    cpu_value_set_desc (out, &desc);
  out->known = TRUE;
  cpu_value_bind (out, data);
}

static gboolean
read_zeros (CpuStep *step, CpuValue *out, GError **error)
{
  Access *access = step->priv;

  if (access->zeros == NULL) {
    const InferVariable *variable =
        infer_model_variable (cpu_step_context (step)->model, access->variable);
    InferShape shape = variable->desc.shape;

    if (shape.rank < 0 || variable->desc.type == INFER_TYPE_DYNAMIC)
      return infer_fail (error, INFER_ERROR_INVALID_DATA,
          "variable '%s' has no value: no initialiser, no shape",
          variable->name);
    for (int i = 0; i < shape.rank; i++)
      shape.dims[i] = MAX (shape.dims[i], 0);
    access->zeros = infer_tensor_new (variable->desc.type, &shape, error);
    if (access->zeros == NULL)
      return FALSE;
  }
  read_from (
      out, access->zeros->type, &access->zeros->shape, access->zeros->data);
  return TRUE;
}

static gboolean
read_run (CpuStep *step, GError **error)
{
  CpuValue *out = step->out[0];
  const InferTensor *value = infer_state_peek (state_of (step));

  if (value != NULL)
    return cpu_value_read (step, 0, value, error);
  out->block = 0;
  if (!cpu_has_in (step, 0))
    return read_zeros (step, out, error);
  const CpuValue *initial = step->in[0];
  read_from (out, initial->desc.type, &initial->desc.shape, initial->data);
  /* A computed initial value becomes the variable's value, assigned or not: the
   * initialiser runs once after a reset. */
  return initial->constant || keep (step, initial, error);
}

static gboolean
assign_run (CpuStep *step, GError **error)
{
  const CpuValue *value = step->in[0];
  const Access *access = step->priv;
  CpuContext *context = cpu_step_context (step);

  if (step->n_out > 0 && value->bytes > 0)
    memcpy (step->out[0]->data, value->data, value->bytes);
  if (context->grown[access->variable] == step->in[0]) {
    context->assigned[access->variable] = TRUE;
    return TRUE;
  }
  return keep (step, value, error);
}

const CpuOp cpu_op_read_value = {
  .prepare = prepare,
  .run = read_run,
  .release = access_free,
};

const CpuOp cpu_op_assign = {
  .prepare = prepare,
  .run = assign_run,
  .release = access_free,
};
