/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Steps of several streams that are ready at the same time are computed in step
 * on one thread, so that weights are read once for all of them.  Unlike the
 * rows of a batch (infer/batch.h), they may differ in all shapes, as sequences
 * of different lengths do; nothing is copied, no thread is added, and each step
 * gives the bits that it gives alone.
 *
 * A step waits only while another one is computed, or while a stream is known
 * to be about to bring its own. */

#pragma once

#include "infer/request.h"

typedef struct _InferJoint InferJoint;

/* @patience_us: how long a step waits for those of streams that are between two
 * of theirs. */
InferJoint *infer_joint_new (gint64 patience_us);
void infer_joint_free (InferJoint *joint); /* NULL is fine */

/* A stream begins, or ends, to bring one step after the other.  Any thread. */
void infer_joint_enter (InferJoint *joint);
void infer_joint_leave (InferJoint *joint);

/* infer_request_infer; all requests of @joint are on one executable.  Any
 * thread; cancelled by the flag of base/cancel.h. */
gboolean infer_joint_infer (
    InferJoint *joint, InferRequest *request, GError **error);

/* Steps so far, and how often some of them were computed, alone or together. */
void infer_joint_count (InferJoint *joint, guint64 *steps, guint64 *runs);
