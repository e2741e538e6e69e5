/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A model in use and what was made for it.  Written by the streaming thread
 * while nothing is under way, or while there is none; the element's is guarded
 * by the object lock for other threads, which read `model` and `states`. */

#pragma once

#include "gst/filter/job.h"
#include "gst/filter/model/shared-model.h"
#include "gst/filter/ordered-queue.h"

typedef struct
{
  GstInferShared *shared;      /* NULL: no model */
  InferModel *model;           /* of `shared` */
  InferExecutable *executable; /* of `shared` */
  InferStateSet *states;
  InferExecutor *callbacks; /* the queue's */
  guint n_jobs;             /* streaming thread, at any time */
  GPtrArray *jobs; /* (element-type GstInferJob) NULL while in use: the queue
                      has them */
} GstInferModelUse;

/* Takes @shared. */
void gst_infer_model_use_init (GstInferModelUse *use, GstInferShared *shared);
void gst_infer_model_use_clear (GstInferModelUse *use);

/* How many requests property `nireq` stands for. */
guint gst_infer_model_use_count_requests (
    const GstInferModelUse *use, guint nireq);
/* Makes @n jobs for @filter, idle in @queue; as in gst_infer_job_new. */
gboolean gst_infer_model_use_make_jobs (GstInferModelUse *use, guint n,
    GstInferQueue *queue, gpointer filter, InferCallback done, GError **error);
/* One more, at any time. */
gboolean gst_infer_model_use_add_job (GstInferModelUse *use,
    GstInferQueue *queue, gpointer filter, InferCallback done, GError **error);
