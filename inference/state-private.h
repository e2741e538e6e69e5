/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What requests need of a state set besides state.h. */

#pragma once

#include "inference/state.h"

G_BEGIN_DECLS

/* TRUE where somebody besides the caller holds a reference. */
gboolean infer_state_set_is_shared (const InferStateSet *set);

/* Values that were grown become dense. */
gboolean infer_state_set_make_dense (InferStateSet *set, GError **error);

/* When a request is started: the resets asked for so far become this step's;
 * sets entries of @resets (one per state), clears none. */
void infer_state_set_take_resets (InferStateSet *set, gboolean *resets);

/* Just before the step, in its turn; clears @resets. */
void infer_state_set_apply_resets (InferStateSet *set, gboolean *resets);

G_END_DECLS
