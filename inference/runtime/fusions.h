/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which operations a backend computes in the step of another one, for
 * `infer-model info --dot --steps`. */

#pragma once

#include "infer/request.h"
#include "inference/graph/operation.h"

/* Of the model as compiled; both live as long as the request. */
typedef struct
{
  const InferOperation *op, *into;
} InferFusion;

/* Of the last run; empty where the backend does not tell.  (transfer full)
 * (element-type InferFusion) */
GArray *infer_request_get_fusions (InferRequest *request);
