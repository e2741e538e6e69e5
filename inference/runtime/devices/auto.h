/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* AUTO: the best device that runs the whole model.  While a thread compiles for
 * that one, requests run on the processor if it is among the devices; from then
 * on each goes over with its next run.  States are in no device's hands between
 * steps, so that nothing of a sequence is lost.  A device that is lost sends
 * requests back, with the run that it failed.
 *
 * MULTI: every device has the model, and each request one of the devices. */

#pragma once

#include "inference/runtime/runtime-private.h"

G_BEGIN_DECLS

gboolean infer_auto_compile (InferExecutable *executable, GError **error);
/* The thread has ended when it returns. */
void infer_auto_stop (InferExecutable *executable);
void infer_auto_settle (InferExecutable *executable);

/* No request is to run on @member any more, because of @cause, which is said as
 * a warning; FALSE: there is no other. */
gboolean infer_auto_leave (InferExecutable *executable,
    const InferExecutable *member, const GError *cause);

gboolean infer_multi_compile (InferExecutable *executable, GError **error);
/* The member that has the fewest requests for what it can do. */
InferExecutable *infer_multi_choose (InferExecutable *executable);

G_END_DECLS
