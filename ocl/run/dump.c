/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "ocl/run/dump.h"

struct _OclDump
{
  OclPlan *plan;
  const OclBinding *binding;
  InferDumpRun *run;
  char *stem; /* of the step that runs; NULL: it does not match */
};

static gboolean
is_placed (OclValue *value)
{
  gsize offset;

  return ocl_value_is_live (ocl_value_root (value, &offset));
}

static InferTensor *
read_value (const OclDump *dump, OclValue *value, GError **error)
{
  g_autoptr (InferTensor) tensor =
      infer_tensor_new (value->desc.type, &value->desc.shape, error);
  gsize offset;
  const OclBuffer *buffer = ocl_value_buffer (value, dump->binding, &offset);

  if (tensor == NULL)
    return NULL;
  if (value->bytes > 0
      && !ocl_check (
          ocl_api.clEnqueueReadBuffer (dump->binding->stream->run, buffer->mem,
              CL_TRUE, offset, value->bytes, tensor->data, 0, NULL, NULL),
          "clEnqueueReadBuffer", error))
    return NULL;
  return g_steal_pointer (&tensor);
}

static gboolean
write_value (const OclDump *dump, const char *stem, const char *port,
    guint index, OclValue *value, GError **error)
{
  if (value == NULL || (value->host == NULL && !is_placed (value)))
    return TRUE;
  g_autoptr (InferTensor) tensor = value->host != NULL
                                       ? infer_tensor_ref (value->host)
                                       : read_value (dump, value, error);
  return tensor != NULL && infer_dump_write (stem, port, index, tensor, error);
}

static gboolean
is_wanted (const OclDump *dump, const InferOperation *op)
{
  return infer_dump_run_matches (dump->run, op->name);
}

/* Inputs are written on the copy queue. */
static gboolean
finish (const OclDump *dump, GError **error)
{
  const OclStream *stream = dump->binding->stream;

  return ocl_check (ocl_api.clFinish (stream->copy), "clFinish", error)
         && ocl_check (ocl_api.clFinish (stream->run), "clFinish", error);
}

static gboolean
write_parameters (OclDump *dump, GError **error)
{
  const GPtrArray *parameters = dump->plan->graph->parameters;

  for (guint i = 0; i < parameters->len; i++) {
    const InferOperation *op = parameters->pdata[i];

    if (!is_wanted (dump, op))
      continue;
    g_autofree char *stem = infer_dump_stem (dump->run, op->name);
    if (!write_value (
            dump, stem, "out", 0, dump->plan->inputs->pdata[i], error))
      return FALSE;
  }
  return TRUE;
}

OclDump *
ocl_dump_begin (OclPlan *plan, const OclBinding *binding, GError **error)
{
  OclDump *dump = g_new0 (OclDump, 1);

  dump->plan = plan;
  dump->binding = binding;
  dump->run = infer_dump_begin (plan->scope->config.dump);
  if (!finish (dump, error) || !write_parameters (dump, error))
    g_clear_pointer (&dump, ocl_dump_end);
  return dump;
}

void
ocl_dump_end (OclDump *dump)
{
  if (dump == NULL)
    return;
  infer_dump_end (dump->run);
  g_free (dump->stem);
  g_free (dump);
}

gboolean
ocl_dump_before (OclDump *dump, const OclStep *step, GError **error)
{
  g_clear_pointer (&dump->stem, g_free);
  if (!is_wanted (dump, step->op))
    return TRUE;
  dump->stem = infer_dump_stem (dump->run, step->op->name);
  if (!finish (dump, error))
    return FALSE;
  for (guint k = 0; k < step->n_in; k++)
    if (!write_value (dump, dump->stem, "in", k, step->in[k], error))
      return FALSE;
  return TRUE;
}

gboolean
ocl_dump_after (OclDump *dump, const OclStep *step, GError **error)
{
  /* The output is that of the last post-op. */
  if (step->n_posts > 0) {
    const InferOperation *last = step->posts[step->n_posts - 1].op;

    g_clear_pointer (&dump->stem, g_free);
    if (is_wanted (dump, last))
      dump->stem = infer_dump_stem (dump->run, last->name);
  }
  if (dump->stem == NULL)
    return TRUE;
  if (!finish (dump, error))
    return FALSE;
  for (guint k = 0; k < step->n_out; k++)
    if (!write_value (dump, dump->stem, "out", k, step->out[k], error))
      return FALSE;
  return TRUE;
}

gboolean
ocl_dump_results (OclDump *dump, GError **error)
{
  const GPtrArray *results = dump->plan->graph->results;

  for (guint k = 0; k < results->len; k++) {
    const InferOperation *op = results->pdata[k];

    if (!is_wanted (dump, op))
      continue;
    g_autofree char *stem = infer_dump_stem (dump->run, op->name);
    if (!finish (dump, error)
        || !write_value (
            dump, stem, "in", 0, dump->plan->results->pdata[k], error))
      return FALSE;
  }
  return TRUE;
}
