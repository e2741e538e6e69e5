/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* AUTO: the best device that runs the whole model.  While a thread compiles for
 * that one, requests run on the CPU if it is listed; then each moves with its
 * next run.  Between steps no device holds states, so sequences continue.  If a
 * device is lost, requests move back and repeat the failed run.
 *
 * MULTI: every device has the model; each request uses one of them. */

#pragma once

#include "inference/runtime/runtime-private.h"

gboolean infer_auto_compile (InferExecutable *executable, GError **error);
/* Returns when the thread has ended. */
void infer_auto_stop (InferExecutable *executable);
void infer_auto_settle (InferExecutable *executable);

/* Stops using @member because of @cause, with a warning.  FALSE: there is no
 * other. */
gboolean infer_auto_leave (InferExecutable *executable,
    const InferExecutable *member, const GError *cause);

gboolean infer_multi_compile (InferExecutable *executable, GError **error);
/* The member with the fewest requests relative to its optimal number. */
InferExecutable *infer_multi_choose (InferExecutable *executable);
