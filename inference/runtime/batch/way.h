/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* How the requests of a batch are computed. */

#pragma once

#include "infer/request.h"
#include "inference/runtime/backend.h"

/* One request of a batch: the arguments of InferBackend.start. */
typedef struct
{
  gpointer context; /* of the executable below; NULL where the way has none */
  InferTensor *const *inputs;
  InferTensor **outputs;
  InferState *const *states;
  const gint *cancelled; /* nullable (base/cancel.h) */
  GError *error;         /* out: NULL: it is done */
} InferBatchRow;

typedef struct
{
  /* Makes the state of one worker thread; NULL with an error.  @axes:
   * infer_model_open_batch; NULL where the way has none. */
  gpointer (*worker_new) (InferExecutable *inner, GArray *axes, GError **error);
  void (*worker_free) (gpointer worker);
  /* NULL: any can.  Whether both can be in one batch. */
  gboolean (*fit) (
      gpointer worker, const InferBatchRow *a, const InferBatchRow *b);
  /* Each row ends by itself: with an error, or without. */
  void (*compute) (gpointer worker, InferBatchRow *const *rows, guint n);

  gboolean own_contexts; /* rows have contexts of the executable below */
  guint most;            /* rows of one batch; 0: any number */
} InferBatchWay;

/* As rows of one inference: the values of variables are gathered before it and
 * scattered after it, and the caller commits them. */
extern const InferBatchWay infer_batch_merged;
/* Operation by operation, where the device can (InferBackend.start_joint): each
 * row gives the bits that it gives alone, and its variables are committed. */
extern const InferBatchWay infer_batch_joint;
