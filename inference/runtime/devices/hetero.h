/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Running a model that was split: one part after the other, tensors between
 * them in host memory.  To requests it is one more backend, which begins and
 * ends in `start`. */

#pragma once

#include "inference/runtime/devices/split.h"

G_BEGIN_DECLS

extern const InferBackend infer_hetero_backend;

/* What infer_hetero_backend has for an executable.  @places: copied; what they
 * hold must outlive it, as must @dump (nullable), which they have, too. */
gpointer infer_hetero_compile (const InferModel *model,
    const InferPlace *places, guint n_places, InferDump *dump, GError **error);

/* The parts, in the order of running; and the name of a part's place. */
const InferSplitModel *infer_hetero_get_split (gpointer executable);
const char *infer_hetero_place_name (gpointer executable, guint part);

G_END_DECLS
