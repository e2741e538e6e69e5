/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Memory for weights and activations, aligned to 64 bytes, in huge pages where
 * the system offers them.  Any thread. */

#pragma once

#include "inference/base/tensor.h"

/* NULL if short. */
gpointer infer_pages_alloc (gsize bytes);
/* The same for what lives as long as a model: several share a huge page. */
gpointer infer_pages_alloc_part (gsize bytes);
/* About so many bytes of parts are about to be allocated: they are in huge
 * pages from the first on. */
void infer_pages_expect (gsize bytes);
void infer_pages_free (gpointer memory); /* NULL is fine */
/* Gives whole pages of [@memory, @memory + @bytes), of infer_pages_alloc, back
 * to the system; contents are lost, and the next write takes pages again. */
void infer_pages_discard (gpointer memory, gsize bytes);

/* As infer_tensor_new, for a constant that is computed while a model is loaded:
 * it is a part.  The values are not set.  (transfer full) */
InferTensor *infer_pages_tensor (
    InferType type, const InferShape *shape, GError **error);

/* As infer_tensor_new, in pages of its own, also when it is reshaped: they can
 * be given to infer_pages_discard.  (transfer full) */
InferTensor *infer_pages_tensor_mapped (
    InferType type, const InferShape *shape, GError **error);
/* infer_pages_discard for each of @tensors (element-type InferTensor;
 * nullable), which infer_pages_tensor_mapped has made. */
void infer_pages_discard_tensors (const GPtrArray *tensors);
