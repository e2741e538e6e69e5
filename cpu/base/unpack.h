/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Constants that the file stores in fewer bits (inference/graph/compressed.h).
 * A step that packs such an input, or reads it as stored, needs no floats:
 * CpuValue.data is NULL.  For other readers the floats are made once for all
 * models of a scope.
 *
 * Likewise weights that are not aligned for their type in the file: they are
 * copied for the time of packing, and once for all other readers. */

#pragma once

#include "cpu/base/step.h"
#include "inference/graph/compressed.h"

struct _CpuUnpack
{
  InferCompressed stored;
  InferHash hash; /* of all but the codes */
};

/* NULL where @port carries no such constant. */
CpuUnpack *cpu_unpack_new (const InferPort *port);
/* @n f16 numbers, which may be unaligned, as floats. */
void cpu_unpack_f16 (
    const CpuKernels *kernels, gconstpointer codes, gsize n, float *floats);

/* @n floats from @first on, as infer_compressed_floats. */
void cpu_unpack_floats (const CpuKernels *kernels,
    const InferCompressed *stored, gsize first, gsize n, float *floats);

void cpu_unpack_free (CpuUnpack *unpack); /* NULL is fine */

/* Whether a misaligned constant is copied only when it is read (not when the
 * model is compiled). */
gboolean cpu_unpack_aligns (const InferTensor *constant);

/* Whether @op reads its input @input as stored. */
gboolean cpu_unpack_is_for (const InferOperation *op, guint input);

/* In prepare: gives in[@input] its data, if it has none yet. */
gboolean cpu_step_want_data (CpuStep *step, guint input, GError **error);
