/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/base/unpack.h"

#include <string.h>

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

/* Files align nothing: by way of aligned memory, which the cache holds. */
#define BLOCK 1024

void
cpu_unpack_f16 (
    const CpuKernels *kernels, gconstpointer codes, gsize n, float *floats)
{
  guint16 block[BLOCK];

  if ((gsize) codes % sizeof *block == 0) {
    kernels->f16_to_f32 (floats, codes, n);
    return;
  }
  for (gsize i = 0; i < n; i += BLOCK) {
    const gsize some = MIN (n - i, BLOCK);

    memcpy (block, (const guint8 *) codes + i * sizeof *block,
        some * sizeof *block);
    kernels->f16_to_f32 (floats + i, block, some);
  }
}

void
cpu_unpack_floats (const CpuKernels *kernels, const InferCompressed *stored,
    gsize first, gsize n, float *floats)
{
  const InferTensor *codes = stored->codes;

  if (codes->type == INFER_TYPE_F16 && stored->n_terms == 0)
    cpu_unpack_f16 (kernels,
        (const guint8 *) codes->data + first * sizeof (guint16), n, floats);
  else
    infer_compressed_floats (stored, first, n, floats);
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
