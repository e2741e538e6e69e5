/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Values and shapes for a model's inputs. */

#pragma once

#include "infer/request.h"

G_BEGIN_DECLS

/* A file as an input of @desc: types that NumPy lacks are read as what they are
 * stored as. */
InferTensor *tool_read_input (
    const char *path, const InferDesc *desc, GError **error);

/* The same for bytes of such a file; @name: for messages. */
InferTensor *tool_parse_input (
    const char *name, GBytes *bytes, const InferDesc *desc, GError **error);

/* A whole shape for each input: the one in @given (nullable), where texts are
 * "NAME|INDEX=1,80"; or its own, in which dynamic dims become what the model
 * says of itself (about 100 ms of samples or frames), or 1.
 * INFER_ERROR_INVALID_ARGUMENT where not even the rank is known.  Returns:
 * (transfer full) */
InferShape *tool_find_shapes (
    const InferModel *model, GStrv given, GError **error);

/* Random values, the same for the same @seed: reals in [-1, 1), bytes over
 * their range; other integers 0 or 1, since they are often indices. */
gboolean tool_fill (InferTensor *tensor, guint seed, GError **error);
/* Gives each input its shape and values, seeded by its index. */
gboolean tool_fill_inputs (InferRequest *request, const InferModel *model,
    const InferShape *shapes, GError **error);

G_END_DECLS
