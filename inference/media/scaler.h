/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Scales a box of a picture, row by row and component by component.  Centres of
 * pixels are aligned; a sample of a subsampled plane lies in the middle of its
 * pixels.  One thread at a time. */

#pragma once

#include "infer/image.h"

typedef struct _InferScaler InferScaler;

InferScaler *infer_scaler_new (void);
void infer_scaler_free (InferScaler *scaler); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InferScaler, infer_scaler_free)

/* Prepares to scale the first @n components of @box (not empty) to @width ×
 * @height; beyond @image its edge is repeated.  The image must stay valid until
 * the last row.  Allocates only for more columns than before. */
void infer_scaler_begin (InferScaler *scaler, const InferImage *image,
    const InferBox *box, guint n, gint64 width, gint64 height,
    InferSampling sampling);

/* Returns row @y of each component, which the caller may change; valid until
 * the next call. */
float *const *infer_scaler_row (InferScaler *scaler, gint64 y);
