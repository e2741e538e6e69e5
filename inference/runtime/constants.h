/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The constants of all models on one runtime, equal ones once: what a scope's
 * parameters are.  Any thread. */

#pragma once

#include "infer/model.h"

G_BEGIN_DECLS

typedef struct _InferConstants InferConstants;

InferConstants *infer_constants_new (void);
void infer_constants_free (InferConstants *constants); /* nothing is shared */

/* Constants of @model, which nobody else sees yet, become those of equal type,
 * shape and content that are there already, or are there from now on.  What was
 * shared is given back later by infer_constants_release.
 * (transfer full) (element-type InferTensor) */
GPtrArray *infer_constants_share (InferConstants *constants, InferModel *model);
void infer_constants_release (InferConstants *constants, GPtrArray *shared);

/* Bytes of all that are shared now, each counted once. */
gsize infer_constants_bytes (InferConstants *constants);

G_END_DECLS
