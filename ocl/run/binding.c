/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "ocl/run/binding.h"

static OclBuffer *
root_buffer (const OclValue *root, const OclBinding *binding)
{
  switch (root->place) {
    case OCL_PLACE_ARENA:
      return binding->stream->arena;
    case OCL_PLACE_CONSTANT:
      return ocl_constant_buffer (root->constant);
    case OCL_PLACE_INPUT:
      return binding->inputs[root->index];
    case OCL_PLACE_RESULT:
      return binding->results[root->index];
    case OCL_PLACE_STATE:
      return binding->states[root->index];
    case OCL_PLACE_NEXT:
      return binding->next[root->index];
  }
  g_return_val_if_reached (NULL);
}

OclBuffer *
ocl_value_buffer (OclValue *value, const OclBinding *binding, gsize *offset)
{
  const OclValue *root = ocl_value_root (value, offset);

  if (root->place == OCL_PLACE_ARENA)
    *offset += root->offset;
  return root_buffer (root, binding);
}

gboolean
ocl_value_is_made_in (OclValue *value, OclPlace place, guint index)
{
  gsize offset;
  const OclValue *root = ocl_value_root (value, &offset);

  return value->host == NULL && root->place == place && root->index == index;
}

static OclBuffer *
buffer_of (const OclArg *arg, const OclBinding *binding)
{
  gsize offset;

  return arg->value != NULL ? ocl_value_buffer (arg->value, binding, &offset)
                            : ocl_constant_buffer (arg->constant);
}

gboolean
ocl_launch_bind (OclLaunch *launch, const OclBinding *binding, GError **error)
{
  for (guint i = 0; i < launch->args->len; i++) {
    OclArg *arg = &g_array_index (launch->args, OclArg, i);

    if (arg->local > 0)
      continue;
    const OclBuffer *buffer = buffer_of (arg, binding);
    if (arg->serial == buffer->serial)
      continue;
    if (!ocl_buffer_set_argument (buffer, launch->step->scope->device,
            launch->kernel, arg->index, error))
      return FALSE;
    arg->serial = buffer->serial;
  }
  return TRUE;
}

void
ocl_launch_prefix_error (const OclLaunch *launch, GError **error)
{
  const InferOperation *op = launch->step->op;

  g_prefix_error (error, "operation '%s' (%s): ", op->name, op->klass->type);
}
