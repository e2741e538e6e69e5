/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Runs a split model part after part, with the tensors between them in host
 * memory.  For requests it is another backend, which computes in `start`. */

#pragma once

#include "inference/runtime/devices/split.h"

extern const InferBackend infer_hetero_backend;

/* The `code` of an infer_hetero_backend executable.  @places: copied; their
 * contents and @dump (nullable, passed on to them) must outlive it. */
gpointer infer_hetero_compile (const InferModel *model,
    const InferPlace *places, guint n_places, InferDump *dump, GError **error);

/* The parts in execution order; the name of a part's place. */
const InferSplitModel *infer_hetero_get_split (gpointer executable);
const char *infer_hetero_place_name (gpointer executable, guint part);
