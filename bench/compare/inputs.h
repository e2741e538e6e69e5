/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a model is given, also as text for another process. */

#pragma once

#include "bench/compare/engine.h"

G_BEGIN_DECLS

/* (element-type EngineInput) */
GArray *inputs_new (void);
/* Takes @tensor. */
void inputs_add (GArray *inputs, const char *name, InferTensor *tensor);

/* "TYPE:DIMS:NAME".  Values are not in it: read back, they are zero.
 * (transfer full) */
char *input_to_text (const EngineInput *input);
gboolean inputs_add_text (GArray *inputs, const char *text, GError **error);

/* What a port of another format gets: a copy of the input of that name, else of
 * that place, where type and shape agree; else zeros, where dimensions of -1
 * are 1.  (transfer full) */
InferTensor *inputs_match (const GArray *inputs, const char *name, guint index,
    InferType type, const InferShape *shape, GError **error);

G_END_DECLS
