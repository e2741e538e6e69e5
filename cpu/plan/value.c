/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/plan/plan.h"

void
cpu_value_set_desc (CpuPlanValue *value, const InferDesc *desc)
{
  value->v.desc = *desc;
  value->known =
      desc->type != INFER_TYPE_DYNAMIC && infer_shape_is_static (&desc->shape);
  value->v.n = 0;
  value->bytes = 0;
  if (value->known) {
    value->v.n = infer_shape_count (&desc->shape);
    infer_tensor_bytes (desc->type, &desc->shape, &value->bytes);
  }
}

CpuPlanValue *
cpu_plan_add_value (CpuPlan *plan, const InferDesc *desc)
{
  CpuPlanValue *value = g_new0 (CpuPlanValue, 1);

  value->root = value;
  value->place = CPU_PLACE_ARENA;
  cpu_value_set_desc (value, desc);
  if (!value->known)
    value->place = CPU_PLACE_OWN;
  g_ptr_array_add (plan->values, value);
  return value;
}

void
cpu_plan_alias (CpuPlanValue *value, CpuPlanValue *on)
{
  value->root = on->root;
  value->next_alias = on->root->next_alias;
  on->root->next_alias = value;
  value->place = on->root->place;
  value->v.data = on->v.data;
  value->v.constant = on->v.constant;
  if (on->tensor != NULL && value->tensor == NULL && value->known)
    value->tensor =
        infer_tensor_new_wrapped (value->v.desc.type, &value->v.desc.shape,
            on->v.data, value->bytes, infer_tensor_ref (on->tensor),
            (GDestroyNotify) infer_tensor_unref, NULL);
}

void
cpu_plan_make_constant (CpuPlanValue *value, InferTensor *tensor)
{
  InferDesc desc = { tensor->type, tensor->shape };

  cpu_value_set_desc (value, &desc);
  value->place = CPU_PLACE_CONSTANT;
  infer_tensor_unref (value->tensor);
  value->tensor = tensor;
  value->v.data = tensor->data;
  value->v.constant = TRUE;
}

void
cpu_value_free (CpuPlanValue *value)
{
  infer_tensor_unref (value->tensor);
  g_free (value);
}
