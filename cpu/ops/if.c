/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/ops/body.h"

typedef struct
{
  CpuBody branches[2];
} Branches;

static void
branches_free (gpointer data)
{
  Branches *branches = data;

  cpu_body_clear (&branches->branches[0]);
  cpu_body_clear (&branches->branches[1]);
  g_free (branches);
}

static gboolean
prepare (CpuStep *step, GError **error)
{
  Branches *branches = g_new0 (Branches, 1);

  step->priv = branches;
  step->kernel = "body";
  return cpu_body_init (&branches->branches[0], step, 0, error)
         && cpu_body_init (&branches->branches[1], step, 1, error);
}

static gboolean
run (CpuStep *step, GError **error)
{
  Branches *branches = step->priv;
  const guint8 condition = *(const guint8 *) step->in[0]->data;
  CpuBody *branch = &branches->branches[condition != 0 ? 0 : 1];
  const GArray *inputs = branch->body->inputs;
  const GArray *outputs = branch->body->outputs;

  for (guint i = 0; i < inputs->len; i++) {
    const InferBodyPort *port = &g_array_index (inputs, InferBodyPort, i);
    const CpuValue *value = step->in[port->external];

    branch->params[port->internal] = (CpuInput){ value->desc, value->data };
  }
  if (!cpu_body_run (branch, error))
    return FALSE;
  for (guint k = 0; k < outputs->len; k++) {
    const InferBodyPort *port = &g_array_index (outputs, InferBodyPort, k);
    const InferTensor *result = branch->results[port->internal];
    const InferDesc desc = { result->type, result->shape };

    if (!cpu_body_give (
            step, (guint) port->external, &desc, result->data, error))
      return FALSE;
  }
  return TRUE;
}

const CpuOp cpu_op_if = {
  .prepare = prepare,
  .run = run,
  .release = branches_free,
};
