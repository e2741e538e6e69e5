/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* An inference under way: a request, and what its result will be pushed as.
 * Owned by the streaming thread from the queue's wait_idle to put_job, then by
 * the thread that computes it, then by the source-pad task. */

#pragma once

#include "gst/common/sequence/window.h"
#include "gst/filter/output/picture.h"
#include "infer/preprocess.h"
#include "infer/request.h"

typedef struct _GstInferForm GstInferForm;

typedef struct
{
  gpointer filter;   /* the element, for the callback */
  InferModel *model; /* the request's; (transfer none) */
  InferAsyncRequest *request;
  const GstInferForm *form;
  int fps_n, fps_d; /* as negotiated when it was begun */
  GstInferSpan span;
  gsize skip, keep; /* audio output: rows to leave out, then rows to push */

  /* Video. */
  gboolean empty;         /* nothing is inferred: it only keeps the frame's
                             place in the queue */
  gboolean last_of_frame; /* and owner of the frame */
  gboolean skipped;       /* by inference-interval */
  gboolean whole_frame;   /* neither a region nor a crop */
  GstBuffer *frame;
  GstClockTime arrived; /* as in the position */
  GstEvent *model_info;
  GstInferPicture *picture;
  InferPlacement placement;
  guint input_width, input_height;
  int roi_id;
  const char *instance; /* model-instance-id, which the element owns */

  gboolean discont;
  gboolean in_unit;    /* of reverse playback: held until the unit is over */
  gboolean reset;      /* starts from fresh states */
  gint64 filling_time; /* µs to fill the inputs */
  GError *error;
} GstInferJob;

/* A job for @executable, of @model; results arrive by @done with the job as
 * data.  (transfer full) */
GstInferJob *gst_infer_job_new (gpointer filter, InferModel *model,
    InferExecutable *executable, InferExecutor *callbacks,
    InferStateSet *states, InferCallback done, GError **error);
void gst_infer_job_free (GstInferJob *job);
/* Releases the frame and what goes with it. */
void gst_infer_job_clear_frame (GstInferJob *job);
