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
