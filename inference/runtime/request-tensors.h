/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The tensors of one request: the user's, its own, and those that the backend
 * gets. */

#pragma once

#include "inference/runtime/request-staging.h"

/* @model must outlive it. */
void infer_request_tensors_init (
    InferRequestTensors *tensors, const InferModel *model);
void infer_request_tensors_clear (InferRequestTensors *tensors);
/* Later tensors are allocated by @tensor_new with @context (nullable); existing
 * ones are kept, users may hold them. */
void infer_request_tensors_set_maker (InferRequestTensors *tensors,
    InferTensor *(*tensor_new) (gpointer context, InferType type,
        const InferShape *shape, GError **error),
    gpointer context);

InferTensor *infer_request_tensors_get_input (
    InferRequestTensors *tensors, guint index, GError **error);
InferTensor *infer_request_tensors_shape_input (InferRequestTensors *tensors,
    guint index, const InferShape *shape, GError **error);
/* @n 0: back to the request's own; > 1: joined along the first dimension. */
gboolean infer_request_tensors_set_input (InferRequestTensors *tensors,
    guint index, InferTensor *const *given, guint n, GError **error);
/* @settings NULL: no preprocessing. */
gboolean infer_request_tensors_set_preprocess (InferRequestTensors *tensors,
    guint index, const InferPreprocess *settings, GError **error);
/* @regions nullable. */
gboolean infer_request_tensors_set_pictures (InferRequestTensors *tensors,
    guint index, const InferImage *pictures, const InferBox *regions, guint n,
    GError **error);
InferTensor *infer_request_tensors_get_output (
    InferRequestTensors *tensors, guint index, GError **error);
InferTensor *infer_request_tensors_take_output (
    InferRequestTensors *tensors, guint index, GError **error);
gboolean infer_request_tensors_set_output (InferRequestTensors *tensors,
    guint index, InferTensor *given, GError **error);

/* Before a run: checks and converts inputs, fills `in` and `out`. */
gboolean infer_request_tensors_bind (
    InferRequestTensors *tensors, GError **error);
/* After a run: copies outputs to the user's tensors. */
gboolean infer_request_tensors_deliver (
    InferRequestTensors *tensors, GError **error);
