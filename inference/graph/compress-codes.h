/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Weights as integer codes.  For compress.c. */

#pragma once

#include "inference/graph/graph.h"

/* Operations of @graph that give the values of @weights, a constant of f32,
 * from codes; NULL without an error: its readers take none, or it has an
 * infinity or a NaN.  @int4: u4 for MatMul.  The caller makes the readers read
 * the result. (transfer none) */
InferOperation *infer_compress_codes (InferGraph *graph,
    const InferOperation *weights, gboolean int4, GError **error);

/* An operation of @type over @a and, unless NULL, @b, with an attribute if
 * @attribute is not NULL; NULL: it failed, or @a is NULL.  Its name begins with
 * that of @weights. (transfer none) */
InferOperation *infer_compress_add (InferGraph *graph,
    const InferOperation *weights, const char *type, const char *attribute,
    const char *value, InferOperation *a, InferOperation *b, GError **error);
/* Consumes @value (nullable). */
InferOperation *infer_compress_constant (InferGraph *graph,
    const InferOperation *weights, const char *part, InferTensor *value,
    GError **error);
