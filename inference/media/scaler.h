/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A box of a picture, scaled to another size, row by row and component by
 * component.  Centres of pixels are aligned; samples of subsampled planes lie
 * in the middle of their pixels.  One thread at a time. */

#pragma once

#include "infer/image.h"

G_BEGIN_DECLS

typedef struct _InferScaler InferScaler;

InferScaler *infer_scaler_new (void);
void infer_scaler_free (InferScaler *scaler); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InferScaler, infer_scaler_free)

/* The first @n components of @box (not empty) to @width × @height; beyond
 * @image its edge is repeated.  The image stays valid until the last row.
 * Allocates only for more columns than before. */
void infer_scaler_begin (InferScaler *scaler, const InferImage *image,
    const InferBox *box, guint n, gint64 width, gint64 height,
    InferSampling sampling);

/* A row of each component, for the caller to use and change; valid until the
 * next call. */
float *const *infer_scaler_row (InferScaler *scaler, gint64 y);

G_END_DECLS
