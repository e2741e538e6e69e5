/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "ocl/passes/pass.h"

#include "ocl/plan/launch.h"

/* The offset of an argument in its buffer, or the size of local memory. */
static gboolean
set_offset (const OclLaunch *launch, const OclArg *arg, GError **error)
{
  gsize offset = 0;

  if (arg->bare)
    return TRUE;
  if (arg->local > 0)
    return ocl_check (
        ocl_api.clSetKernelArg (launch->kernel, arg->index, arg->local, NULL),
        "clSetKernelArg", error);
  if (arg->value != NULL) {
    const OclValue *root = ocl_value_root (arg->value, &offset);

    if (root->place == OCL_PLACE_ARENA)
      offset += root->offset;
  }
  cl_ulong at = offset;
  return ocl_check (
      ocl_api.clSetKernelArg (launch->kernel, arg->index + 1, sizeof at, &at),
      "clSetKernelArg", error);
}

/* All arguments but buffers, which may change from run to run. */
static gboolean
set_arguments (const OclLaunch *launch, GError **error)
{
  for (guint i = 0; i < launch->scalars->len; i++) {
    GBytes *bytes = launch->scalars->pdata[i];
    gsize size;

    if (bytes == NULL)
      continue;
    gconstpointer data = g_bytes_get_data (bytes, &size);
    if (!ocl_check (ocl_api.clSetKernelArg (launch->kernel, i, size, data),
            "clSetKernelArg", error))
      return FALSE;
  }
  for (guint i = 0; i < launch->args->len; i++)
    if (!set_offset (launch, &g_array_index (launch->args, OclArg, i), error))
      return FALSE;
  return TRUE;
}

gboolean
ocl_pass_kernels (OclPlan *plan, GError **error)
{
  g_autoptr (GPtrArray) programs = g_ptr_array_new ();

  for (guint i = 0; i < plan->steps->len; i++) {
    const OclStep *step = plan->steps->pdata[i];

    for (guint k = 0; k < step->launches->len; k++) {
      OclLaunch *launch = step->launches->pdata[k];

      if (!launch->chained
          && !g_ptr_array_find (programs, launch->program, NULL))
        g_ptr_array_add (programs, launch->program);
    }
  }
  if (!ocl_programs_build (plan->scope, programs, error))
    return FALSE;
  for (guint i = 0; i < plan->steps->len; i++) {
    const OclStep *step = plan->steps->pdata[i];

    for (guint k = 0; k < step->launches->len; k++) {
      OclLaunch *launch = step->launches->pdata[k];

      if (launch->chained)
        continue;
      launch->kernel =
          ocl_program_kernel (launch->program, launch->name, error);
      if (launch->kernel == NULL || !set_arguments (launch, error)) {
        g_prefix_error (error, "operation '%s' (%s): ", step->op->name,
            step->op->klass->type);
        return FALSE;
      }
    }
  }
  return TRUE;
}
