/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "infer/executor.h"

/* Tasks posted to a strand run one at a time, in the order of posting, each on
 * its executor (nullable: on the thread that posted it or ended the previous
 * task).  A task ends with infer_strand_done, which may be called after its
 * `run` has returned and on another thread.  infer_strand_enter waits for a
 * turn of the calling thread; infer_strand_done ends it. */
typedef struct _InferStrand InferStrand;

InferStrand *infer_strand_new (void);
void infer_strand_free (InferStrand *strand); /* must be idle */
void infer_strand_post (
    InferStrand *strand, InferExecutor *executor, InferTask *task);
void infer_strand_enter (InferStrand *strand);
void infer_strand_done (InferStrand *strand);
