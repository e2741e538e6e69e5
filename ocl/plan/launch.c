/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "ocl/plan/launch.h"

#include "ocl/plan/plan.h"

/* Work-items of a group, at most. */
#define GROUP 64

static void
remember_error (OclPlan *plan, GError *error)
{
  if (plan->error == NULL)
    plan->error = error;
  else
    g_error_free (error);
}

OclLaunch *
ocl_launch_new (OclStep *step, const char *kernel, OclProgram *program)
{
  OclLaunch *launch = g_new0 (OclLaunch, 1);

  launch->step = step;
  launch->name = kernel;
  launch->program = program;
  launch->args = g_array_new (FALSE, TRUE, sizeof (OclArg));
  launch->scalars =
      g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  return launch;
}

OclLaunch *
ocl_step_launch (OclStep *step, const char *family, const char *kernel,
    const char *options, const char *generated)
{
  OclLaunch *launch = ocl_launch_new (step, kernel,
      ocl_scope_program (step->scope, family, options, generated));

  g_ptr_array_add (step->launches, launch);
  return launch;
}

void
ocl_launch_free (OclLaunch *launch)
{
  for (guint i = 0; i < launch->args->len; i++) {
    OclArg *arg = &g_array_index (launch->args, OclArg, i);

    if (arg->constant != NULL && !arg->bare)
      ocl_constant_unref (launch->step->scope, arg->constant);
  }
  if (launch->kernel != NULL)
    ocl_api.clReleaseKernel (launch->kernel);
  if (launch->event != NULL)
    ocl_api.clReleaseEvent (launch->event);
  g_array_unref (launch->args);
  g_ptr_array_unref (launch->scalars);
  g_free (launch);
}

/* A buffer and the offset in it are two arguments. */
static void
add_buffer (OclLaunch *launch, OclValue *value, OclConstant *constant)
{
  OclArg arg = {
    .value = value, .constant = constant, .index = launch->scalars->len
  };

  g_array_append_val (launch->args, arg);
  g_ptr_array_set_size (launch->scalars, (gint) launch->scalars->len + 2);
}

void
ocl_launch_pack (OclLaunch *launch, const OclValue *value, const char *kind,
    guint n_params, const gint64 *params, OclPackFunc make)
{
  GError *error = NULL;
  OclConstant *constant = ocl_scope_constant (
      launch->step->scope, value->host, kind, n_params, params, make, &error);

  if (constant == NULL)
    remember_error (launch->step->plan, error);
  add_buffer (launch, NULL, constant);
}

void
ocl_launch_table (OclLaunch *launch, InferTensor *tensor)
{
  OclValue value = { .host = tensor };
  GError *error = NULL;

  if (tensor == NULL) {
    infer_fail (&error, INFER_ERROR_NO_MEMORY, "no memory for a table");
    remember_error (launch->step->plan, error);
    add_buffer (launch, NULL, NULL);
    return;
  }
  ocl_launch_pack (launch, &value, "table", 0, NULL, NULL);
  infer_tensor_unref (tensor);
}

/* A constant is uploaded when the first kernel reads it. */
void
ocl_launch_value (OclLaunch *launch, OclValue *value)
{
  GError *error = NULL;

  if (value->host != NULL && value->constant == NULL) {
    value->constant = ocl_scope_constant (
        launch->step->scope, value->host, "plain", 0, NULL, NULL, &error);
    value->place = OCL_PLACE_CONSTANT;
    value->base = NULL;
    if (value->constant == NULL)
      remember_error (launch->step->plan, error);
  }
  add_buffer (launch, value, NULL);
}

void
ocl_launch_bytes (OclLaunch *launch, gconstpointer data, gsize size)
{
  g_ptr_array_add (launch->scalars, g_bytes_new (data, size));
}

void
ocl_launch_local (OclLaunch *launch, gsize bytes)
{
  OclArg arg = { .local = bytes, .index = launch->scalars->len };

  g_array_append_val (launch->args, arg);
  g_ptr_array_set_size (launch->scalars, (gint) launch->scalars->len + 1);
}

void
ocl_launch_int (OclLaunch *launch, gint64 number)
{
  cl_int value = (cl_int) number;

  if (number < G_MININT32 || number > G_MAXINT32)
    remember_error (launch->step->plan,
        g_error_new (INFER_ERROR, INFER_ERROR_UNSUPPORTED,
            "%" G_GINT64_FORMAT " elements are more than OpenCL kernels count",
            number));
  ocl_launch_bytes (launch, &value, sizeof value);
}

void
ocl_launch_float (OclLaunch *launch, double number)
{
  cl_float value = (cl_float) number;
  const guint index = launch->scalars->len;

  if (index < 64)
    launch->reals |= G_GUINT64_CONSTANT (1) << index;
  else
    launch->unknown_scalars = TRUE;
  ocl_launch_bytes (launch, &value, sizeof value);
}

void
ocl_launch_work (OclLaunch *launch, gint64 products)
{
  launch->work = (gsize) products / 16;
}

static gsize
round_up (gsize n, gsize to)
{
  return (n + to - 1) / to * to;
}

/* Few group shapes: drivers for CPUs compile a kernel for each. */
void
ocl_launch_over (OclLaunch *launch, gsize x, gsize y, gsize z)
{
  gsize group = MIN (GROUP, launch->step->scope->device->max_group);
  gsize wide = x >= 48 ? 64 : x >= 12 ? 16 : x >= 3 ? 4 : 1;

  wide = MIN (wide, group);
  launch->local[0] = wide;
  launch->local[1] = y == 1 ? 1 : group / wide;
  launch->local[2] = 1;
  launch->global[0] = round_up (x, launch->local[0]);
  launch->global[1] = round_up (y, launch->local[1]);
  launch->global[2] = z;
}

/* Compilers for CPUs vectorise loops rather than work-items. */
void
ocl_launch_rows (OclLaunch *launch, gsize x, gsize y, gsize z)
{
  const OclDevice *device = launch->step->scope->device;

  if (device->chunk == 1) {
    ocl_launch_over (launch, x, y, z);
    return;
  }
  launch->local[0] = launch->local[2] = 1;
  launch->local[1] = y >= 8 ? 8 : 1;
  launch->global[0] = (x + device->chunk - 1) / device->chunk;
  launch->global[1] = round_up (y, launch->local[1]);
  launch->global[2] = z;
}

void
ocl_launch_tiles (OclLaunch *launch, gsize x, gsize y, gsize z)
{
  const gboolean cpu = launch->step->scope->device->cpu;
  const gsize wide = x >= 4 ? 4 : 1;

  launch->local[0] = wide;
  launch->local[1] =
      cpu || y < 4 ? 1 : MIN (4, launch->step->scope->device->max_group / wide);
  launch->local[2] = 1;
  launch->global[0] = round_up (x, launch->local[0]);
  launch->global[1] = round_up (y, launch->local[1]);
  launch->global[2] = z;
}

void
ocl_launch_each (OclLaunch *launch, gsize x, gsize y, gsize z)
{
  launch->local[0] = launch->local[1] = launch->local[2] = 1;
  launch->global[0] = x;
  launch->global[1] = y;
  launch->global[2] = z;
}

void
ocl_launch_blocks (OclLaunch *launch, gsize x, gsize y, gsize z, gsize size)
{
  launch->local[0] = size;
  launch->local[1] = launch->local[2] = 1;
  launch->global[0] = x * size;
  launch->global[1] = y;
  launch->global[2] = z;
}

void
ocl_launch_groups (OclLaunch *launch, gsize rows, gsize size)
{
  ocl_launch_blocks (launch, rows, 1, 1, size);
}

void
ocl_option_type (GString *options, const char *name, InferType type)
{
  g_string_append_printf (options, " -D%s=%s", name, infer_type_name (type));
}
