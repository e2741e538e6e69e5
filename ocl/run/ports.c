/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "ocl/run/ports.h"

#include "ocl/run/enqueue.h"

#include <string.h>

void
ocl_ports_init (OclPorts *ports, OclScope *scope, cl_command_queue queue,
    guint n_inputs, guint n_outputs)
{
  ports->scope = scope;
  ports->queue = queue;
  ports->n_inputs = n_inputs;
  ports->n_outputs = n_outputs;
  ports->own_inputs = g_new0 (OclBuffer *, n_inputs + 1);
  ports->inputs = g_new0 (OclBuffer *, n_inputs + 1);
  ports->own_results = g_new0 (OclBuffer *, n_outputs + 1);
  ports->results = g_new0 (OclBuffer *, n_outputs + 1);
  ports->loans = g_new0 (OclLoan, n_inputs + n_outputs + 1);
  ports->in_place = g_new0 (gboolean, n_outputs + 1);
}

void
ocl_ports_clear (OclPorts *ports)
{
  ocl_ports_give_back (ports, NULL);
  for (guint i = 0; i < ports->n_inputs; i++)
    ocl_buffer_unref (ports->own_inputs[i]);
  for (guint k = 0; k < ports->n_outputs; k++)
    ocl_buffer_unref (ports->own_results[k]);
  g_free (ports->own_inputs);
  g_free (ports->own_results);
  g_free (ports->inputs);
  g_free (ports->results);
  g_free (ports->loans);
  g_free (ports->in_place);
}

/* --- copies --- */

/* The kind of memory for copies of inputs and outputs. */
static OclMemory
memory_of_ports (const OclPorts *ports)
{
  return ports->scope->device->unified ? OCL_MEMORY_HOST : OCL_MEMORY_DEVICE;
}

gboolean
ocl_ports_write (OclPorts *ports, OclMemory memory, OclBuffer **buffer,
    const InferTensor *tensor, GError **error)
{
  return ocl_buffer_reserve (ports->scope, memory, buffer, tensor->size, error)
         && (tensor->size == 0
             || ocl_check (
                 ocl_api.clEnqueueWriteBuffer (ports->queue, (*buffer)->mem,
                     CL_TRUE, 0, tensor->size, tensor->data, 0, NULL, NULL),
                 "clEnqueueWriteBuffer", error));
}

static gboolean
read_tensor (const OclPorts *ports, const OclBuffer *buffer,
    InferTensor *tensor, GError **error)
{
  return tensor->size == 0
         || ocl_check (
             ocl_api.clEnqueueReadBuffer (ports->queue, buffer->mem, CL_TRUE, 0,
                 tensor->size, tensor->data, 0, NULL, NULL),
             "clEnqueueReadBuffer", error);
}

static gboolean
write_input (
    OclPorts *ports, guint i, const InferTensor *tensor, GError **error)
{
  return ocl_ports_write (
      ports, memory_of_ports (ports), &ports->own_inputs[i], tensor, error);
}

/* --- lending --- */

/* NULL: not shared; a dump needs buffers to read. */
static OclHostMemory *
find_memory (const OclPorts *ports, const InferTensor *tensor)
{
  return ports->scope->config.dump == NULL && tensor->size > 0
             ? ocl_host_memory_of (tensor, ports->scope)
             : NULL;
}

/* At the end of a run the host would have to copy lent memory, which is
 * unmapped. */
static gboolean
is_hidden (
    const OclPorts *ports, const OclPlan *plan, OclPlace place, guint index)
{
  return ports->scope->device->host == OCL_HOST_SVM_COARSE
         && ocl_plan_copies_out (plan, place, index);
}

static gboolean
is_shared (const OclPorts *ports, guint k, const OclHostMemory *memory,
    InferTensor *const *inputs, InferTensor *const *outputs)
{
  for (guint i = 0; i < ports->n_inputs; i++)
    if (find_memory (ports, inputs[i]) == memory)
      return TRUE;
  for (guint j = 0; j < ports->n_outputs; j++)
    if (j != k && find_memory (ports, outputs[j]) == memory)
      return TRUE;
  return FALSE;
}

/* --- a run --- */

gboolean
ocl_ports_upload (OclPorts *ports, InferTensor *const *inputs, GError **error)
{
  for (guint i = 0; i < ports->n_inputs; i++)
    if (find_memory (ports, inputs[i]) == NULL
        && !write_input (ports, i, inputs[i], error))
      return FALSE;
  return TRUE;
}

static gboolean
lend (OclLoan *loan, OclHostMemory *memory, InferTensor *tensor,
    OclBuffer **buffer, GError **error)
{
  if (!ocl_host_memory_lend (memory, tensor, error))
    return FALSE;
  loan->memory = memory;
  loan->tensor = tensor;
  *buffer = ocl_host_memory_buffer (memory);
  return TRUE;
}

static gboolean
lend_input (OclPorts *ports, const OclPlan *plan, guint i, InferTensor *tensor,
    GError **error)
{
  OclHostMemory *memory = find_memory (ports, tensor);

  if (memory != NULL && !is_hidden (ports, plan, OCL_PLACE_INPUT, i))
    return lend (&ports->loans[i], memory, tensor, &ports->inputs[i], error);
  if (memory != NULL && !write_input (ports, i, tensor, error))
    return FALSE;
  ports->inputs[i] = ports->own_inputs[i];
  return TRUE;
}

static gboolean
lend_output (OclPorts *ports, const OclPlan *plan, guint k,
    InferTensor *const *inputs, InferTensor *const *outputs, GError **error)
{
  OclValue *value = plan->results->pdata[k];
  OclHostMemory *memory = find_memory (ports, outputs[k]);

  ports->in_place[k] = memory != NULL
                       && ocl_value_is_made_in (value, OCL_PLACE_RESULT, k)
                       && !is_hidden (ports, plan, OCL_PLACE_RESULT, k)
                       && !is_shared (ports, k, memory, inputs, outputs);
  if (ports->in_place[k])
    return lend (&ports->loans[ports->n_inputs + k], memory, outputs[k],
        &ports->results[k], error);
  if (!ocl_buffer_reserve (ports->scope, memory_of_ports (ports),
          &ports->own_results[k], value->bytes, error))
    return FALSE;
  ports->results[k] = ports->own_results[k];
  return TRUE;
}

static gboolean
shape_output (const OclValue *value, InferTensor *output, GError **error)
{
  return (output->type == value->desc.type
             && infer_shape_equal (&output->shape, &value->desc.shape))
         || infer_tensor_reshape (
             output, value->desc.type, &value->desc.shape, error);
}

gboolean
ocl_ports_lend (OclPorts *ports, const OclPlan *plan,
    InferTensor *const *inputs, InferTensor **outputs, GError **error)
{
  for (guint k = 0; k < ports->n_outputs; k++)
    if (!shape_output (plan->results->pdata[k], outputs[k], error))
      return FALSE;
  for (guint i = 0; i < ports->n_inputs; i++)
    if (!lend_input (ports, plan, i, inputs[i], error))
      return FALSE;
  for (guint k = 0; k < ports->n_outputs; k++)
    if (!lend_output (ports, plan, k, inputs, outputs, error))
      return FALSE;
  return TRUE;
}

gboolean
ocl_ports_give_back (OclPorts *ports, GError **error)
{
  gboolean ok = TRUE;

  for (guint i = 0; i < ports->n_inputs + ports->n_outputs; i++) {
    OclLoan *loan = &ports->loans[i];
    OclHostMemory *memory = g_steal_pointer (&loan->memory);

    if (memory != NULL
        && !ocl_host_memory_give_back (memory, loan->tensor, ok ? error : NULL))
      ok = FALSE;
  }
  return ok;
}

gboolean
ocl_ports_download (
    OclPorts *ports, const OclPlan *plan, InferTensor **outputs, GError **error)
{
  for (guint k = 0; k < ports->n_outputs; k++) {
    const OclValue *value = plan->results->pdata[k];

    if (value->host != NULL && value->bytes > 0)
      memcpy (outputs[k]->data, value->host->data, value->bytes);
    if (value->host == NULL && !ports->in_place[k]
        && !read_tensor (ports, ports->results[k], outputs[k], error))
      return FALSE;
  }
  return TRUE;
}
