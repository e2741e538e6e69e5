/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The backend "OPENCL": its entries for the runtime. */

#include "inference/runtime/fusions.h"
#include "ocl/run/context.h"
#include "ocl/support.h"

typedef struct
{
  OclScope *scope;
  InferModel *model;
} Executable;

/* A processor as a device is slower than the CPU backend. */
static guint
rank (guint device)
{
  const OclDevice *self = ocl_device_get (device);

  if (self->cpu)
    return INFER_RANK_UNKNOWN;
  return self->unified ? INFER_RANK_INTEGRATED : INFER_RANK_DISCRETE;
}

static char *
describe (guint device)
{
  return g_strdup (ocl_device_get (device)->name);
}

static gpointer
scope_new (guint device, const InferConfig *config, GError **error)
{
  return ocl_scope_new (device, config, error);
}

static void
scope_free (gpointer scope)
{
  ocl_scope_free (scope);
}

static void
executable_free (gpointer data)
{
  Executable *executable = data;

  infer_model_unref (executable->model);
  g_free (executable);
}

static gpointer
compile (gpointer scope, const InferModel *model, GError **error)
{
  Executable *executable = g_new0 (Executable, 1);

  executable->scope = scope;
  executable->model = infer_model_ref ((InferModel *) (gsize) model);
  return executable;
}

static gpointer
context_new (gpointer data, GError **error)
{
  const Executable *executable = data;

  return ocl_context_new (executable->scope, executable->model, error);
}

static void
context_free (gpointer context)
{
  ocl_context_free (context);
}

static InferTensor *
tensor_new (
    gpointer context, InferType type, const InferShape *shape, GError **error)
{
  return ocl_context_tensor (context, type, shape, error);
}

static gboolean
upload (gpointer context, InferTensor *const *inputs, GError **error)
{
  return ocl_context_upload (context, inputs, error);
}

static gboolean
start (gpointer context, InferTensor *const *inputs, InferTensor **outputs,
    InferState *const *states, GError **error)
{
  return ocl_context_start (context, inputs, outputs, states, error);
}

static gboolean
wait_done (gpointer context, GError **error)
{
  return ocl_context_wait (context, error);
}

static gboolean
download (gpointer context, InferTensor **outputs, GError **error)
{
  return ocl_context_download (context, outputs, error);
}

static void
add_timing (
    GArray *timings, const InferOperation *op, const char *kernel, guint64 ns)
{
  InferOpTiming timing = { op->name, op->klass->type, kernel, ns, NULL };

  g_array_append_val (timings, timing);
}

static GArray *
op_timings (gpointer context)
{
  const OclPlan *plan = ocl_context_last_plan (context);
  GArray *timings = g_array_new (FALSE, FALSE, sizeof (InferOpTiming));

  for (guint i = 0; plan != NULL && i < plan->steps->len; i++) {
    const OclStep *step = plan->steps->pdata[i];

    add_timing (timings, step->op, step->kernel, step->ns);
    for (guint p = 0; p < step->n_posts; p++)
      add_timing (timings, step->posts[p].op, "optimized out", 0);
  }
  return timings;
}

static GArray *
get_fusions (gpointer context)
{
  const OclPlan *plan = ocl_context_last_plan (context);
  GArray *fusions = g_array_new (FALSE, FALSE, sizeof (InferFusion));

  for (guint i = 0; plan != NULL && i < plan->steps->len; i++) {
    const OclStep *step = plan->steps->pdata[i];

    for (guint p = 0; p < step->n_posts; p++) {
      InferFusion fusion = { step->posts[p].op, step->op };

      g_array_append_val (fusions, fusion);
    }
  }
  return fusions;
}

const InferBackend ocl_backend = {
  .name = "OPENCL",
  .n_devices = ocl_device_count,
  .rank = rank,
  .describe = describe,
  .knows = ocl_knows,
  .supports = ocl_supports,
  .scope_new = scope_new,
  .scope_free = scope_free,
  .compile = compile,
  .executable_free = executable_free,
  .context_new = context_new,
  .context_free = context_free,
  .tensor_new = tensor_new,
  .upload = upload,
  .start = start,
  .wait = wait_done,
  .download = download,
  .op_timings = op_timings,
  .fusions = get_fusions,
};
