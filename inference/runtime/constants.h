/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Shares equal constants of all models on one runtime.  Any thread. */

#pragma once

#include "infer/model.h"

typedef struct _InferConstants InferConstants;

InferConstants *infer_constants_new (void);
void infer_constants_free (
    InferConstants *constants); /* nothing may be shared any more */

/* Replaces constants of @model by shared ones of equal type, shape and content.
 * Nobody else may use @model yet.  Give the result to infer_constants_release
 * later.  (transfer full) */
GPtrArray *infer_constants_share (InferConstants *constants, InferModel *model);
void infer_constants_release (InferConstants *constants, GPtrArray *shared);

/* Bytes of all shared constants, each counted once. */
gsize infer_constants_bytes (InferConstants *constants);
