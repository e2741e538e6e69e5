/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/graph/value.h"

#include "inference/base/tensor.h"

CpuPlanValue *
cpu_plan_value_new (const InferDesc *desc)
{
  CpuPlanValue *value = infer_new0 (CpuPlanValue, 1);

  value->root = value;
  value->own = &value->tensor;
  cpu_value_set_desc (&value->v, desc);
  value->place = value->v.known ? CPU_PLACE_ARENA : CPU_PLACE_OWN;
  return value;
}

void
cpu_plan_value_free (CpuPlanValue *value)
{
  infer_tensor_unref (value->tensor);
  g_free (value->uses);
  g_free (value);
}

void
cpu_value_set_desc (CpuValue *value, const InferDesc *desc)
{
  value->desc = *desc;
  value->known =
      desc->type != INFER_TYPE_DYNAMIC && infer_shape_is_static (&desc->shape);
  value->n = 0;
  value->bytes = 0;
  if (value->known) {
    value->n = infer_shape_count (&desc->shape);
    infer_tensor_bytes (desc->type, &desc->shape, &value->bytes);
  }
}

void
cpu_value_bind (CpuValue *value, gpointer data)
{
  if (value->data == data)
    return;
  for (CpuPlanValue *alias = cpu_plan_value (value); alias != NULL;
       alias = alias->next_alias)
    alias->v.data = (guint8 *) data + alias->at;
}

void
cpu_plan_value_alias (CpuPlanValue *value, CpuPlanValue *of, gsize at)
{
  CpuPlanValue *root = of->root;

  at += of->at;
  for (CpuPlanValue *alias = value, *next; alias != NULL; alias = next) {
    next = alias->next_alias;
    alias->root = root;
    alias->at += at;
    alias->place = root->place;
    alias->next_alias = root->next_alias;
    root->next_alias = alias;
  }
  value->v.data = of->v.data;
  value->v.constant = of->v.constant;
  if (of->tensor != NULL && value->tensor == NULL && value->v.known)
    value->tensor =
        infer_tensor_new_wrapped (value->v.desc.type, &value->v.desc.shape,
            of->v.data, value->v.bytes, infer_tensor_ref (of->tensor),
            (GDestroyNotify) infer_tensor_unref, NULL);
}

void
cpu_plan_value_make_constant (CpuPlanValue *value, InferTensor *tensor)
{
  const InferDesc desc = { tensor->type, tensor->shape };

  cpu_value_set_desc (&value->v, &desc);
  value->place = CPU_PLACE_CONSTANT;
  infer_tensor_unref (value->tensor);
  value->tensor = tensor;
  value->v.data = tensor->data;
  value->v.constant = TRUE;
}
