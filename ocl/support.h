/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which operations the backend runs. */

#pragma once

#include "inference/graph/op.h"

gboolean ocl_knows (const InferOpClass *klass);
gboolean ocl_supports (const InferOperation *op, GError **error);
