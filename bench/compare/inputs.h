/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Inputs of a model, also as text for another process. */

#pragma once

#include "bench/compare/engine.h"

/* (element-type EngineInput) */
GArray *inputs_new (void);
/* @tensor: (transfer full) */
void inputs_add (GArray *inputs, const char *name, InferTensor *tensor);

/* "TYPE:DIMS:NAME", without values: zeros when read back, of memory that has
 * been written to, as that of real inputs.  (transfer full) */
char *input_to_text (const EngineInput *input);
gboolean inputs_add_text (GArray *inputs, const char *text, GError **error);

/* The value for a port of another format: the input with that name, else at
 * that place, if type and shape agree; else zeros, with 1 for dimensions of -1.
 * (transfer full) */
InferTensor *inputs_match (const GArray *inputs, const char *name, guint index,
    InferType type, const InferShape *shape, GError **error);
