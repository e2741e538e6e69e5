/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/plan/dump.h"

#include "cpu/passes/reorder.h"

#include <string.h>

struct _CpuDump
{
  CpuPlan *plan;
  InferDumpRun *run;
  GPtrArray *views; /* (element-type InferOperation) in order */
  char *stem;       /* of the step that runs; NULL where it is not wanted */
};

/* --- values --- */

/* Elements in the order of the shape, whatever order the value has. */
static void
copy_plain (const CpuValue *value, InferTensor *tensor)
{
  const InferShape *shape = &value->desc.shape;
  const gsize size = infer_type_size (tensor->type);
  gsize channels = (gsize) shape->dims[1];
  gsize spatial = infer_shape_count_range (shape, 2, shape->rank);
  const char *from = value->data;
  char *to = tensor->data;

  for (gsize n = 0; n < (gsize) shape->dims[0]; n++)
    for (gsize c = 0; c < channels; c++)
      for (gsize s = 0; s < spatial; s++, to += size)
        memcpy (to, from + ((n * spatial + s) * channels + c) * size, size);
}

/* Without the gaps. */
static void
copy_blocks (const CpuValue *value, InferTensor *tensor)
{
  const InferShape *shape = &value->desc.shape;
  const gsize size = infer_type_size (tensor->type);
  gsize n = infer_shape_count_range (shape, 0, shape->rank - 2);
  gsize bytes =
      infer_shape_count_range (shape, shape->rank - 2, shape->rank) * size;

  for (gsize i = 0; i < n && bytes > 0; i++)
    memcpy ((char *) tensor->data + i * bytes,
        (const char *) value->data + i * value->block * size, bytes);
}

/* The floats of a quantised value; @quantised: memory for its elements,
 * consumed. */
static InferTensor *
floats_of (const CpuValue *value, InferTensor *quantised, GError **error)
{
  InferTensor *floats =
      infer_tensor_new (INFER_TYPE_F32, &value->desc.shape, error);

  if (value->form.layout == CPU_LAYOUT_NSPC
      && !cpu_layouts_coincide (&value->desc.shape))
    copy_plain (value, quantised);
  else if (value->n > 0)
    memcpy (quantised->data, value->data, value->n);
  if (floats != NULL)
    cpu_dequantize_u8_c (
        floats->data, quantised->data, value->n, value->form.quant);
  infer_tensor_unref (quantised);
  return floats;
}

static gboolean
write_value (const char *stem, const char *port, guint index,
    const CpuValue *value, GError **error)
{
  g_autoptr (InferTensor) tensor = NULL;

  if (value == NULL || !value->known)
    return TRUE;
  if (value->form.quant != NULL) {
    tensor = infer_tensor_new (value->desc.type, &value->desc.shape, error);
    tensor = tensor != NULL ? floats_of (value, tensor, error) : NULL;
  } else if (value->block > 0) {
    tensor = infer_tensor_new (value->desc.type, &value->desc.shape, error);
    if (tensor != NULL)
      copy_blocks (value, tensor);
  } else if (value->form.layout == CPU_LAYOUT_NSPC
             && !cpu_layouts_coincide (&value->desc.shape)) {
    tensor = infer_tensor_new (value->desc.type, &value->desc.shape, error);
    if (tensor != NULL)
      copy_plain (value, tensor);
  } else {
    tensor = infer_tensor_new_wrapped (value->desc.type, &value->desc.shape,
        value->data, value->bytes, NULL, NULL, error);
  }
  return tensor != NULL && infer_dump_write (stem, port, index, tensor, error);
}

static gboolean
is_wanted (const CpuDump *dump, const InferOperation *op)
{
  return infer_dump_run_matches (dump->run, op->name);
}

static CpuPlanValue *
port_value (const CpuDump *dump, const InferPort *port)
{
  return port->op != NULL ? dump->plan->ports[port->op->index][port->index]
                          : NULL;
}

/* --- operations without a step of their own --- */

/* Operations whose result shares the memory of their input: views, renamed
 * layouts. */
static void
find_views (CpuDump *dump)
{
  const CpuGraph *graph = dump->plan->graph;

  for (guint i = 0; i < graph->n_nodes; i++) {
    const InferOperation *op = graph->nodes[i].op;
    const CpuPlanValue *in, *out;

    if (!graph->nodes[i].needed || graph->nodes[i].cpu_op == NULL
        || op->n_outputs == 0 || op->n_inputs == 0)
      continue;
    in = port_value (dump, op->inputs);
    out = dump->plan->ports[i][0];
    if (in != NULL && out != NULL && in != out && !out->v.constant
        && out->root != out && out->maker == NULL)
      g_ptr_array_add (dump->views, (gpointer) (gsize) op);
  }
}

static gboolean
write_view (CpuDump *dump, const InferOperation *op, GError **error)
{
  if (!is_wanted (dump, op))
    return TRUE;
  g_autofree char *stem = infer_dump_stem (dump->run, op->name);
  for (guint k = 0; k < op->n_inputs; k++) {
    CpuPlanValue *in = port_value (dump, &op->inputs[k]);

    if (in != NULL && !write_value (stem, "in", k, &in->v, error))
      return FALSE;
  }
  return write_value (
      stem, "out", 0, &dump->plan->ports[op->index][0]->v, error);
}

/* Views of @value, and views of these, exist as soon as it does. */
static gboolean
write_views_of (CpuDump *dump, const CpuPlanValue *value, GError **error)
{
  g_autoptr (GPtrArray) found = g_ptr_array_new ();

  g_ptr_array_add (found, (gpointer) (gsize) value);
  for (guint i = 0; i < dump->views->len; i++) {
    const InferOperation *op = dump->views->pdata[i];

    if (!g_ptr_array_find (found, port_value (dump, op->inputs), NULL))
      continue;
    g_ptr_array_add (found, dump->plan->ports[op->index][0]);
    if (!write_view (dump, op, error))
      return FALSE;
  }
  return TRUE;
}

/* Computed while planning. */
static gboolean
write_folded (CpuDump *dump, const CpuNode *node, GError **error)
{
  CpuPlanValue **outs = dump->plan->ports[node->op->index];

  if (node->op->n_outputs == 0 || outs[0] == NULL || !outs[0]->v.constant
      || !is_wanted (dump, node->op))
    return TRUE;
  g_autofree char *stem = infer_dump_stem (dump->run, node->op->name);
  for (guint k = 0; k < node->op->n_outputs; k++)
    if (!write_value (stem, "out", k, &outs[k]->v, error))
      return FALSE;
  return TRUE;
}

static gboolean
write_begin (CpuDump *dump, GError **error)
{
  const CpuGraph *graph = dump->plan->graph;
  const GPtrArray *parameters = graph->graph->parameters;

  for (guint i = 0; i < parameters->len; i++) {
    const InferOperation *op = parameters->pdata[i];
    CpuPlanValue *value = dump->plan->ports[op->index][0];

    if (value == NULL)
      continue;
    if (is_wanted (dump, op)) {
      g_autofree char *stem = infer_dump_stem (dump->run, op->name);
      if (!write_value (stem, "out", 0, &value->v, error))
        return FALSE;
    }
    if (!write_views_of (dump, value, error))
      return FALSE;
  }
  for (guint i = 0; i < graph->n_nodes; i++)
    if (graph->nodes[i].needed && graph->nodes[i].cpu_op != NULL
        && !write_folded (dump, &graph->nodes[i], error))
      return FALSE;
  return TRUE;
}

CpuDump *
cpu_dump_begin (CpuPlan *plan, InferDumpRun *run, GError **error)
{
  CpuDump *dump = g_new0 (CpuDump, 1);

  dump->plan = plan;
  dump->run = run;
  dump->views = g_ptr_array_new ();
  find_views (dump);
  if (!write_begin (dump, error))
    g_clear_pointer (&dump, cpu_dump_end);
  return dump;
}

void
cpu_dump_end (CpuDump *dump)
{
  if (dump == NULL)
    return;
  g_ptr_array_unref (dump->views);
  g_free (dump->stem);
  g_free (dump);
}

/* --- steps --- */

/* The operation whose result a step writes: the last one it has absorbed. */
static const InferOperation *
last_operation (const CpuStep *step)
{
  if (step->quantizer != NULL)
    return step->quantizer;
  return step->n_posts > 0 ? step->posts[step->n_posts - 1].op : step->op;
}

gboolean
cpu_dump_before (CpuDump *dump, const CpuPlanStep *step, GError **error)
{
  g_clear_pointer (&dump->stem, g_free);
  if (step->s.op == NULL || !is_wanted (dump, step->s.op))
    return TRUE;
  dump->stem = infer_dump_stem (dump->run, step->s.op->name);
  for (guint k = 0; k < step->s.n_in; k++)
    if (!write_value (dump->stem, "in", k, step->s.in[k], error))
      return FALSE;
  return TRUE;
}

static gboolean
write_outputs (CpuDump *dump, const CpuStep *step, GError **error)
{
  const InferOperation *last = last_operation (step);

  if (step->op == NULL)
    return TRUE;
  if (last != step->op) {
    g_clear_pointer (&dump->stem, g_free);
    if (is_wanted (dump, last))
      dump->stem = infer_dump_stem (dump->run, last->name);
  }
  for (guint k = 0; dump->stem != NULL && k < step->n_out; k++)
    if (!write_value (dump->stem, "out", k, step->out[k], error))
      return FALSE;
  return TRUE;
}

gboolean
cpu_dump_after (CpuDump *dump, const CpuPlanStep *step, GError **error)
{
  if (!write_outputs (dump, &step->s, error))
    return FALSE;
  for (guint k = 0; k < step->s.n_out; k++)
    if (!write_views_of (dump, (const CpuPlanValue *) step->s.out[k], error))
      return FALSE;
  return TRUE;
}

gboolean
cpu_dump_results (CpuDump *dump, GError **error)
{
  const GPtrArray *results = dump->plan->graph->graph->results;

  for (guint k = 0; k < results->len; k++) {
    const InferOperation *op = results->pdata[k];
    const CpuPlanValue *value = dump->plan->results->pdata[k];

    if (!is_wanted (dump, op))
      continue;
    g_autofree char *stem = infer_dump_stem (dump->run, op->name);
    if (!write_value (stem, "in", 0, &value->v, error))
      return FALSE;
  }
  return TRUE;
}
