/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Values and shapes for a model's inputs. */

#pragma once

#include "infer/request.h"

/* Reads a file as an input of @desc; types that NumPy lacks are stored as
 * others. */
InferTensor *tool_read_input (
    const char *path, const InferDesc *desc, GError **error);

/* The same for the bytes of such a file; @name: for messages. */
InferTensor *tool_parse_input (
    const char *name, GBytes *bytes, const InferDesc *desc, GError **error);

/* A static shape for each input: the one in @given (nullable), texts like
 * "NAME|INDEX=1,80"; or its own, with dynamic dimensions from the model's
 * metadata (about 100 ms of samples or frames), else 1.
 * INFER_ERROR_INVALID_ARGUMENT if the rank is unknown.  (transfer full) */
InferShape *tool_find_shapes (
    const InferModel *model, GStrv given, GError **error);

/* Random values, reproducible by @seed: real numbers in [-1, 1), bytes over
 * their range; other integers 0 or 1, since they are often indices. */
gboolean tool_fill (InferTensor *tensor, guint seed, GError **error);
/* Sets the shape and values of each input, seeded by its index. */
gboolean tool_fill_inputs (InferRequest *request, const InferModel *model,
    const InferShape *shapes, GError **error);
