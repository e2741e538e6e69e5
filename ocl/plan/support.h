/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which operations the backend takes. */

#pragma once

#include "inference/graph/op.h"

G_BEGIN_DECLS

gboolean ocl_knows (const InferOpClass *klass);
gboolean ocl_supports (const InferOperation *op, GError **error);

/* Whether @op will have been computed on the host when a plan is made, from
 * constants and shapes alone. */
gboolean ocl_is_host_known (const InferOperation *op);

G_END_DECLS
