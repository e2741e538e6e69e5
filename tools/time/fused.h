/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which step of a request computes an operation.  Steps and operations are
 * known by keys, since the timings of a request have types and names only. */

#pragma once

#include "inference/runtime/fusions.h"

/* "Type name".  (transfer full) */
char *tool_step_key (const char *type, const char *name);

/* Of the operations that are computed by the step of another: their keys → its
 * key.  (transfer full) */
GHashTable *tool_find_fused (InferRequest *request);

/* The key of the step that computes the operation @key.  (transfer none) */
const char *tool_step_of (GHashTable *fused, const char *key);
