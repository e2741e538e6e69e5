/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/graph/constants.h"

#include "cpu/graph/plan.h"

#include <string.h>

static gboolean
is_misaligned (const CpuPlanValue *value)
{
  const gsize size = infer_type_size (value->v.desc.type);

  return value->v.constant && size > 1 && (gsize) value->v.data % size != 0;
}

static gpointer
copy_constant (const CpuStep *step, guint input, gpointer data, gsize *bytes)
{
  const InferTensor *constant = data;
  gpointer copy = cpu_alloc (constant->size);

  *bytes = constant->size;
  if (copy != NULL)
    memcpy (copy, constant->data, constant->size);
  return copy;
}

gboolean
cpu_plan_align (CpuPlan *plan, CpuPlanValue *value, GError **error)
{
  if (!is_misaligned (value))
    return TRUE;
  CpuPack *pack = cpu_scope_pack (plan->scope, NULL, 0, value->tensor,
      CPU_PACK_FLOATS, 0, NULL, copy_constant, value->tensor);
  if (pack == NULL)
    return infer_fail (error, INFER_ERROR_NO_MEMORY,
        "no memory for a constant of %" G_GSIZE_FORMAT " bytes",
        value->v.bytes);
  g_ptr_array_add (plan->packs, pack);
  InferTensor *aligned = infer_tensor_new_wrapped (value->v.desc.type,
      &value->v.desc.shape, (gpointer) (gsize) cpu_pack_data (pack),
      value->v.bytes, NULL, NULL, error);
  if (aligned == NULL)
    return FALSE;
  cpu_plan_value_make_constant (value, aligned);
  return TRUE;
}

/* --- packing --- */

typedef struct
{
  CpuPackFunc make;
  gpointer data;
} Packing;

/* The floats are returned after packing. */
static gpointer
make_from_floats (const CpuStep *step, guint input, gpointer data, gsize *bytes)
{
  const Packing *packing = data;
  CpuValue *value = step->in[input];
  float *floats = cpu_borrow (value->n * sizeof *floats);

  if (floats == NULL)
    return NULL;
  cpu_unpack_floats (
      step->kernels, &value->unpack->stored, 0, value->n, floats);
  value->data = floats;
  gpointer packed = packing->make (step, input, packing->data, bytes);
  value->data = NULL;
  cpu_return (floats);
  return packed;
}

/* The copy is returned after packing. */
static gpointer
make_from_misaligned (
    const CpuStep *step, guint input, gpointer data, gsize *bytes)
{
  const Packing *packing = data;
  CpuPlanValue *value = (CpuPlanValue *) step->in[input];
  gpointer misaligned = value->v.data;
  gpointer copy = cpu_borrow (value->v.bytes), packed;

  if (copy == NULL)
    return NULL;
  value->v.data = memcpy (copy, misaligned, value->v.bytes);
  packed = packing->make (step, input, packing->data, bytes);
  value->v.data = misaligned;
  cpu_return (copy);
  return packed;
}

static gconstpointer
step_pack (CpuStep *step, guint input, const char *kind, guint n_params,
    const gint64 *params, CpuPackFunc make, gpointer data)
{
  CpuPlanStep *self = (CpuPlanStep *) step;
  const CpuPlanValue *value = (const CpuPlanValue *) step->in[input];
  const CpuUnpack *unpack = value->v.unpack;
  gint64 all[CPU_MAX_PACK_PARAMS] = { 0 };
  InferTensor *constant = value->tensor;

  g_return_val_if_fail (
      value->v.constant && n_params + 2 <= CPU_MAX_PACK_PARAMS, NULL);
  if (n_params > 0)
    memcpy (all, params, n_params * sizeof *params);
  if (unpack != NULL) {
    memcpy (all + n_params, unpack->hash.words, 2 * sizeof *all);
    n_params += 2;
    constant = unpack->stored.codes;
  }
  CpuPack *pack = cpu_scope_pack (
      step->scope, step, input, constant, kind, n_params, all, make, data);
  if (pack == NULL)
    return NULL;
  g_ptr_array_add (self->packs, pack);
  step->plan->packed = TRUE;
  return cpu_pack_data (pack);
}

gconstpointer
cpu_step_pack_stored (CpuStep *step, guint input, const char *kind,
    guint n_params, const gint64 *params, CpuPackFunc make, gpointer data)
{
  return step_pack (step, input, kind, n_params, params, make, data);
}

gconstpointer
cpu_step_pack_loose (CpuStep *step, guint input, const char *kind,
    guint n_params, const gint64 *params, CpuPackFunc make, gpointer data)
{
  Packing packing = { make, data };

  if (step->in[input]->data != NULL || step->in[input]->unpack == NULL)
    return step_pack (step, input, kind, n_params, params, make, data);
  return step_pack (
      step, input, kind, n_params, params, make_from_floats, &packing);
}

gconstpointer
cpu_step_pack (CpuStep *step, guint input, const char *kind, guint n_params,
    const gint64 *params, CpuPackFunc make, gpointer data)
{
  Packing packing = { make, data };

  if (is_misaligned ((const CpuPlanValue *) step->in[input]))
    return step_pack (
        step, input, kind, n_params, params, make_from_misaligned, &packing);
  return cpu_step_pack_loose (step, input, kind, n_params, params, make, data);
}

/* --- floats --- */

static gpointer
make_floats (const CpuStep *step, guint input, gpointer data, gsize *bytes)
{
  const InferCompressed *stored = data;
  float *floats;

  *bytes = stored->n * sizeof *floats;
  floats = cpu_alloc (*bytes);
  if (floats != NULL)
    infer_compressed_floats (stored, 0, stored->n, floats);
  return floats;
}

gboolean
cpu_plan_unpack (CpuPlan *plan, CpuPlanValue *value, GError **error)
{
  CpuUnpack *unpack = value != NULL ? value->v.unpack : NULL;
  InferTensor *floats;
  gint64 params[2];

  if (value != NULL && value->v.data != NULL)
    return cpu_plan_align (plan, value, error);
  if (unpack == NULL)
    return TRUE;
  memcpy (params, unpack->hash.words, sizeof params);
  CpuPack *pack = cpu_scope_pack (plan->scope, NULL, 0, unpack->stored.codes,
      CPU_PACK_FLOATS, G_N_ELEMENTS (params), params, make_floats,
      &unpack->stored);
  if (pack == NULL)
    return infer_fail (error, INFER_ERROR_NO_MEMORY,
        "%" G_GSIZE_FORMAT " weights as floats are too many", unpack->stored.n);
  g_ptr_array_add (plan->packs, pack);
  floats = infer_tensor_new_wrapped (INFER_TYPE_F32, &unpack->stored.shape,
      (gpointer) (gsize) cpu_pack_data (pack),
      unpack->stored.n * sizeof (float), NULL, NULL, error);
  if (floats == NULL)
    return FALSE;
  cpu_plan_value_make_constant (value, floats);
  return TRUE;
}

gboolean
cpu_step_want_data (CpuStep *step, guint input, GError **error)
{
  return cpu_plan_unpack (step->plan, (CpuPlanValue *) step->in[input], error);
}
