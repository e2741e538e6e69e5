/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "bench/compare/engine.h"
#include "infer/error.h"
#include "infer/request.h"

typedef struct
{
  InferModel *model;
  InferRuntime *runtime;
  InferExecutable *executable;
  InferRequest *request; /* for latency */
  GPtrArray *lanes;      /* for throughput: (element-type InferAsyncRequest) */
  EnginePrecision precision;
} Loaded;

static void
unload (gpointer data)
{
  Loaded *self = data;
  if (self == NULL)
    return;
  g_clear_pointer (&self->lanes, g_ptr_array_unref);
  infer_request_free (self->request);
  g_clear_pointer (&self->executable, infer_executable_unref);
  g_clear_pointer (&self->runtime, infer_runtime_unref);
  g_clear_pointer (&self->model, infer_model_unref);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Loaded, unload)

static gpointer
open_library (const char *peers, char **version, GError **error)
{
  *version = g_strdup ("");
  return *version; /* linked in: nothing to open */
}

static void
close_library (gpointer library)
{
}

static char *
configuration (const EngineSettings *settings)
{
  GString *config = g_string_new (NULL);
  if (settings->throughput)
    /* One thread per stream. */
    g_string_printf (
        config, "INFERENCE_NUM_THREADS=1,NUM_STREAMS=%d", settings->threads);
  else
    g_string_printf (config, "INFERENCE_NUM_THREADS=%d", settings->threads);
  if (settings->precision == ENGINE_F32)
    g_string_append (config, ",INFERENCE_PRECISION_HINT=f32");
  else /* OpenVINO's default */
    g_string_append (config, ",EXECUTION_MODE_HINT=PERFORMANCE");
  if (settings->cache_dir != NULL)
    g_string_append_printf (config, ",CACHE_DIR=%s", settings->cache_dir);
  return g_string_free (config, FALSE);
}

static InferRequest *
lane (Loaded *self, guint index)
{
  return self->request != NULL ? self->request
                               : infer_async_request_get_request (
                                   g_ptr_array_index (self->lanes, index));
}

static gboolean
add_request (gpointer model, GError **error)
{
  Loaded *self = model;
  InferAsyncRequest *request =
      infer_async_request_new (self->executable, NULL, error);
  if (request != NULL)
    g_ptr_array_add (self->lanes, request);
  return request != NULL;
}

static void
free_lane (gpointer data)
{
  infer_async_request_free (data);
}

static gpointer
load (gpointer library, const EngineSettings *settings, GError **error)
{
  g_autoptr (Loaded) self = g_new0 (Loaded, 1);
  g_autofree char *config = configuration (settings);
  self->precision = settings->precision;
  self->lanes = g_ptr_array_new_with_free_func (free_lane);
  self->runtime = infer_runtime_new ("CPU", config, error);
  if (self->runtime == NULL)
    return NULL;
  self->model = infer_runtime_load (
      self->runtime, settings->model, settings->weights, error);
  if (self->model == NULL)
    return NULL;
  self->executable = infer_executable_new (self->model, self->runtime, error);
  if (self->executable == NULL)
    return NULL;
  if (settings->throughput)
    return add_request (self, error) ? g_steal_pointer (&self) : NULL;
  self->request = infer_request_new (self->executable, error);
  return self->request != NULL ? g_steal_pointer (&self) : NULL;
}

static gboolean
set_inputs (gpointer model, guint request, const GArray *inputs, GError **error)
{
  Loaded *self = model;
  for (guint i = 0; i < inputs->len; i++) {
    if (!infer_request_set_input (lane (self, request), i,
            g_array_index (inputs, EngineInput, i).tensor, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
infer (gpointer model, GError **error)
{
  return infer_request_infer (((Loaded *) model)->request, error);
}

static gboolean
get_output (gpointer model, guint index, EngineOutput *output, GError **error)
{
  InferTensor *tensor =
      infer_request_get_output (lane (model, 0), index, error);
  if (tensor == NULL)
    return FALSE;
  *output = (EngineOutput){ tensor->data, tensor->size,
    tensor->type == INFER_TYPE_F32 };
  return TRUE;
}

static guint
optimal_requests (gpointer model)
{
  return infer_executable_optimal_requests (((Loaded *) model)->executable);
}

static gboolean
start (gpointer model, guint request, GError **error)
{
  return infer_async_request_start (
      g_ptr_array_index (((Loaded *) model)->lanes, request),
      INFER_START_DEFAULT, error);
}

static gboolean
wait_for (gpointer model, guint request, GError **error)
{
  return infer_async_request_wait (
      g_ptr_array_index (((Loaded *) model)->lanes, request), -1, error);
}

#define FUNCTIONS                                                              \
  .ours = TRUE, .open = open_library, .close = close_library, .load = load,    \
  .unload = unload, .set_inputs = set_inputs, .infer = infer,                  \
  .get_output = get_output, .optimal_requests = optimal_requests,              \
  .add_request = add_request, .start = start, .wait = wait_for

const Engine engine_inferfilter = {
  .name = "inferfilter",
  .key = "inferfilter",
  .suffix = ".xml",
  FUNCTIONS,
};

/* The ONNX file itself, beside its IR. */
const Engine engine_direct = {
  .name = "inferfilter, ONNX",
  .key = "direct",
  .suffix = ".onnx",
  .on_request = TRUE,
  FUNCTIONS,
};
