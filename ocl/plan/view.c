/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Placement of outputs, as `prepare` of a step decides it (step.h). */

#include "ocl/plan/plan.h"

void
ocl_step_view (OclStep *step, guint index, OclValue *in, gsize offset)
{
  OclValue *out = step->out[index];

  out->base = in;
  out->offset = offset;
  if (in->host != NULL && in->bytes >= offset + out->bytes)
    out->host = infer_tensor_new_wrapped (out->desc.type, &out->desc.shape,
        (char *) in->host->data + offset, out->bytes,
        infer_tensor_ref (in->host), (GDestroyNotify) infer_tensor_unref, NULL);
}

gboolean
ocl_step_join (OclStep *step, guint index, OclValue *in, gsize offset)
{
  OclValue *out = step->out[index];
  gsize at;
  OclValue *root = ocl_value_root (in, &at);

  if (root->place != OCL_PLACE_ARENA || root == out || root->host != NULL
      || root->bytes != in->bytes)
    return FALSE;
  root->base = out;
  root->offset = offset;
  return TRUE;
}

gboolean
ocl_step_is_read (const OclStep *step, guint index)
{
  return step->out[index]->readers->len > 0 || step->out[index]->leaves;
}

OclValue *
ocl_step_scratch (OclStep *step, InferType type, gsize n)
{
  InferDesc desc = { type, infer_shape_make (1, (gint64) n) };

  return ocl_plan_add_value (step->plan, &desc);
}
