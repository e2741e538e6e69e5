/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/base/unpack.h"

CpuUnpack *
cpu_unpack_new (const InferPort *port)
{
  InferCompressed stored;

  if (!port->op->kept || !infer_compressed_find (port, &stored))
    return NULL;
  CpuUnpack *unpack = g_new0 (CpuUnpack, 1);
  unpack->stored = stored;
  unpack->hash = infer_compressed_hash (&stored);
  return unpack;
}

void
cpu_unpack_free (CpuUnpack *unpack)
{
  g_free (unpack);
}

gboolean
cpu_unpack_is_for (const InferOperation *op, guint input)
{
  return op != NULL && infer_compressed_is_packed (op, input);
}

/* Smaller ones are copied when the model is compiled: they may be read for
 * other purposes. */
#define LEAST_MISALIGNED 4096

gboolean
cpu_unpack_aligns (const InferTensor *constant)
{
  return constant->size >= LEAST_MISALIGNED
         && infer_type_is_real (constant->type);
}
