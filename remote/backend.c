/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The backend "REMOTE": models on servers that speak the Open Inference
 * Protocol.  It runs one operation, ModelCall, which is a whole model. */

#include "inference/graph/op.h"
#include "inference/graph/ops/model-call.h"
#include "remote/context.h"

static guint
n_devices (void)
{
  return 1;
}

static char *
describe (guint device)
{
  return g_strdup ("servers of the Open Inference Protocol");
}

static gboolean
knows (const InferOpClass *klass)
{
  return klass == &infer_op_model_call;
}

static gboolean
is_call (const InferOperation *op)
{
  return infer_op_is (op, &infer_op_model_call);
}

/* Variables are those of a call's sequence. */
static gboolean
supports (const InferOperation *op, GError **error)
{
  if (is_call (op) || infer_op_is (op, &infer_op_parameter)
      || infer_op_is (op, &infer_op_result)
      || (infer_op_is (op, &infer_op_read_value) && op->n_uses == 1
          && is_call (op->uses[0].op))
      || (infer_op_is (op, &infer_op_assign) && is_call (op->inputs[0].op)))
    return TRUE;
  return infer_fail (error, INFER_ERROR_UNSUPPORTED,
      "a server runs whole models: load the model from its URL, as "
      "grpc://host:8001/name");
}

static gpointer
scope_new (guint device, const InferConfig *config, GError **error)
{
  return g_new0 (char, 1);
}

static void
executable_free (gpointer data)
{
  RemoteExecutable *executable = data;

  g_strfreev (executable->input_names);
  g_free (executable->outputs);
  g_clear_pointer (&executable->servers, remote_servers_unref);
  g_free (executable);
}

/* --- compiling --- */

static const InferOperation *
find_call (const InferGraph *graph, GError **error)
{
  const InferOperation *call = NULL;

  for (guint i = 0; i < graph->operations->len; i++) {
    const InferOperation *op = graph->operations->pdata[i];

    if (is_call (op) && call != NULL) {
      infer_fail (error, INFER_ERROR_UNSUPPORTED,
          "the model calls two others: a server runs one");
      return NULL;
    }
    call = is_call (op) ? op : call;
  }
  if (call == NULL)
    infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "nothing of this part of the model runs on a server");
  return call;
}

/* The call must take the model's inputs as they come. */
static gboolean
map_inputs (
    RemoteExecutable *executable, const InferGraph *graph, GError **error)
{
  const InferOperation *call = executable->call;

  executable->n_inputs = graph->parameters->len;
  executable->input_names = g_new0 (char *, executable->n_inputs + 1);
  for (guint i = 0; i < executable->n_inputs; i++) {
    const InferOperation *parameter = graph->parameters->pdata[i];

    if (parameter->n_uses != 1 || parameter->uses[0].op != call)
      return infer_fail (error, INFER_ERROR_UNSUPPORTED,
          "input '%.200s' does not go to the server as it is", parameter->name);
    executable->input_names[i] = g_strdup (parameter->name);
  }
  return TRUE;
}

static gboolean
map_outputs (
    RemoteExecutable *executable, const InferGraph *graph, GError **error)
{
  executable->n_outputs = graph->results->len;
  executable->outputs = g_new0 (guint, MAX (executable->n_outputs, 1));
  for (guint i = 0; i < executable->n_outputs; i++) {
    const InferPort *from =
        &((const InferOperation *) graph->results->pdata[i])->inputs[0];

    if (from->op != executable->call)
      return infer_fail (error, INFER_ERROR_UNSUPPORTED,
          "output %u does not come from the server as it is", i);
    executable->outputs[i] = from->index;
  }
  return TRUE;
}

static gpointer
compile (gpointer scope, const InferModel *model, GError **error)
{
  const InferGraph *graph = infer_model_get_graph (model);
  RemoteExecutable *executable = g_new0 (RemoteExecutable, 1);

  executable->call = find_call (graph, error);
  if (executable->call != NULL && map_inputs (executable, graph, error)
      && map_outputs (executable, graph, error)) {
    const char *url = infer_op_model_call_address (executable->call);

    executable->place = g_intern_string (url);
    executable->servers = remote_servers_open (url, error);
  }
  if (executable->servers == NULL) {
    executable_free (executable);
    return NULL;
  }
  const RemoteAddress *address = executable->servers->address;
  executable->sequences = graph->assigns->len > 0;
  executable->stream = address->stream == REMOTE_USE_YES;
  executable->rest = g_str_equal (address->module, "http");
  executable->binary = !executable->rest || address->binary == REMOTE_USE_YES
                       || (address->binary == REMOTE_USE_AUTO
                           && remote_servers_have_extension (
                               executable->servers, PROTOCOL_BINARY_EXTENSION));
  executable->checkpoints = executable->sequences && address->checkpoint > 0
                            && remote_servers_have_extension (
                                executable->servers, PROTOCOL_STATE_EXTENSION);
  return executable;
}

/* --- requests --- */

static gpointer
context_new (gpointer executable, GError **error)
{
  return remote_context_new (executable);
}

static void
context_free (gpointer context)
{
  remote_context_free (context);
}

static gboolean
start (gpointer context, InferTensor *const *inputs, InferTensor **outputs,
    InferState *const *states, GError **error)
{
  return remote_context_start (context, inputs, states, error);
}

static gboolean
wait_done (gpointer context, GError **error)
{
  return remote_context_wait (context, error);
}

static gboolean
download (gpointer context, InferTensor **outputs, GError **error)
{
  return remote_context_download (context, outputs, error);
}

static const char *
state_loss (gpointer context)
{
  return remote_context_lost (context);
}

static guint64
step_duration (gpointer context)
{
  return remote_context_duration (context);
}

static InferExecutor *
wait_executor (gpointer context)
{
  return remote_context_executor (context);
}

static InferTask *
cancel (gpointer context)
{
  return remote_context_cancel (context);
}

const InferBackend remote_backend = {
  .name = "REMOTE",
  .n_devices = n_devices,
  .describe = describe,
  .knows = knows,
  .supports = supports,
  .scope_new = scope_new,
  .scope_free = g_free,
  .compile = compile,
  .executable_free = executable_free,
  .context_new = context_new,
  .context_free = context_free,
  .start = start,
  .wait = wait_done,
  .step_duration = step_duration,
  .state_loss = state_loss,
  .download = download,
  .strided_states = TRUE, /* values are never read */
  .wait_executor = wait_executor,
  .cancel = cancel,
};
