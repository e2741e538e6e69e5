/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Constants that the file stores in fewer bits (inference/graph/compressed.h).
 * A step that packs such an input, or reads it as stored, never sees the
 * floats: CpuValue.data is NULL.  For all others they are made, once for all
 * models of a scope.
 *
 * Likewise weights that lie askew in the file: what packs them sees them in
 * place while it does, for all others there is one copy. */

#pragma once

#include "cpu/base/step.h"
#include "inference/graph/compressed.h"

G_BEGIN_DECLS

struct _CpuUnpack
{
  InferCompressed stored;
  InferHash hash; /* of all but the codes */
};

/* NULL where @port carries no such constant. */
CpuUnpack *cpu_unpack_new (const InferPort *port);
void cpu_unpack_free (CpuUnpack *unpack); /* NULL is fine */

/* Whether a constant that lies askew is left as it is until somebody wants it.
 */
gboolean cpu_unpack_aligns (const InferTensor *constant);

/* Whether @op sees to its input @input by itself. */
gboolean cpu_unpack_is_for (const InferOperation *op, guint input);

/* In prepare, of an input that was so far not needed: gives it its data.  Fine
 * for all inputs. */
gboolean cpu_step_want_data (CpuStep *step, guint input, GError **error);

G_END_DECLS
