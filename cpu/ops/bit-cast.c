/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <string.h>

#include "cpu/base/step.h"

static gboolean
run (CpuStep *step, GError **error)
{
  const CpuValue *in = step->in[0];
  CpuValue *out = step->out[0];

  if (in->n > 0 && out->data != in->data)
    memcpy (out->data, in->data, in->n * infer_type_size (in->desc.type));
  return TRUE;
}

const CpuOp cpu_op_bit_cast = {
  .flags = CPU_OP_INPLACE | CPU_OP_ANY_LAYOUT,
  .run = run,
};
