/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One inference at a time.
 *
 * InferRequest: synchronous.  Used by one thread at a time.
 * InferAsyncRequest: the same as a pipeline of (executor, task) stages closed
 * by the callback stage.  start/wait/cancel from any thread; everything else on
 * the underlying request only while it is idle. */

#pragma once

#include "infer/api.h"
#include "infer/executor.h"
#include "infer/preprocess.h"
#include "infer/runtime.h"
#include "infer/stage.h"
#include "infer/state.h"

G_BEGIN_DECLS

typedef struct _InferRequest InferRequest;
typedef struct _InferAsyncRequest InferAsyncRequest;

INFER_API InferRequest *infer_request_new (
    InferExecutable *executable, GError **error);
INFER_API void infer_request_free (InferRequest *request); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InferRequest, infer_request_free)

INFER_API InferExecutable *infer_request_get_executable (InferRequest *request);

/* Tensors.  By index, in document order; find indices with
 * infer_model_find_input/output.
 *
 * get_input: the tensor that was set, else the request's own, made on demand
 * where the shape is whole (INFER_ERROR_INVALID_ARGUMENT where it is partial:
 * set one). set_input: type may differ from the model's (converted in
 * preprocess), the shape must match the model's; strided views are taken. The
 * request keeps a reference until the next set.  NULL: back to its own tensor.
 * set_input_batch: the same with a batch made of separate tensors, joined along
 * the first dimension; they agree in type and in all other dimensions.
 * set_input_shape: the own tensor in a given shape, for dynamic inputs; memory
 * is only allocated when it grows.  (transfer none) get_output: valid after a
 * run, (transfer none), overwritten by the next. set_output: where the result
 * goes; its shape must fit, type may differ.  It may be the tensor of an input.
 */
INFER_API InferTensor *infer_request_get_input (
    InferRequest *request, guint index, GError **error);
INFER_API InferTensor *infer_request_set_input_shape (InferRequest *request,
    guint index, const InferShape *shape, GError **error);
INFER_API gboolean infer_request_set_input (
    InferRequest *request, guint index, InferTensor *tensor, GError **error);
INFER_API gboolean infer_request_set_input_batch (InferRequest *request,
    guint index, InferTensor *const *tensors, guint n, GError **error);
/* Images of any size, u8 or f32, become what the input wants; from then on
 * set_input takes such images.  NULL: no longer.  What was set is forgotten. */
INFER_API gboolean infer_request_set_preprocess (InferRequest *request,
    guint index, const InferPreprocess *settings, GError **error);
/* @n pictures of any format (image.h), which make a batch, as the input's next
 * value, after set_preprocess; @regions: what is taken of each, NULL: all. They
 * are converted in preprocess, until when their memory must stay. */
INFER_API gboolean infer_request_set_pictures (InferRequest *request,
    guint index, const InferImage *pictures, const InferBox *regions, guint n,
    GError **error);
INFER_API InferTensor *infer_request_get_output (
    InferRequest *request, guint index, GError **error);
INFER_API gboolean infer_request_set_output (
    InferRequest *request, guint index, InferTensor *tensor, GError **error);

/* The variables: the request's own set unless another was bound.  bind NULL:
 * the own one again; a set of another model fails the next step. */
INFER_API InferStateSet *infer_request_get_states (InferRequest *request);
INFER_API void infer_request_bind_states (
    InferRequest *request, InferStateSet *states);

/* The stages one by one, in this order, or all at once. */
INFER_API gboolean infer_request_preprocess (
    InferRequest *request, GError **error);
INFER_API gboolean infer_request_upload (InferRequest *request, GError **error);
INFER_API gboolean infer_request_start (InferRequest *request, GError **error);
INFER_API gboolean infer_request_wait (InferRequest *request, GError **error);
INFER_API gboolean infer_request_download (
    InferRequest *request, GError **error);
INFER_API gboolean infer_request_postprocess (
    InferRequest *request, GError **error);
INFER_API gboolean infer_request_infer (InferRequest *request, GError **error);

/* Nanoseconds that each stage of the last run took. */
INFER_API const guint64 *infer_request_get_timings (
    const InferRequest *request);

/* Per operation, where the runtime has PERF_COUNT=YES. */
typedef struct
{
  const char *name, *type,
      *kernel; /* kernel "optimized out": fused or a view */
  guint64 ns;
  const char *device; /* "CPU"; backends leave it NULL */
} InferOpTiming;
/* (transfer full) (element-type InferOpTiming); strings live as long as the
 * request. */
INFER_API GArray *infer_request_get_op_timings (InferRequest *request);

/* @error is NULL for success, INFER_ERROR_CANCELLED after cancel. */
typedef void (*InferCallback) (
    InferAsyncRequest *request, const GError *error, gpointer data);

/* @callback_executor (nullable: the thread of the last stage) runs the callback
 * stage. */
INFER_API InferAsyncRequest *infer_async_request_new (
    InferExecutable *executable, InferExecutor *callback_executor,
    GError **error);
/* Cancels what has not begun, waits for the rest and for the callback. Not from
 * inside the callback. */
INFER_API void infer_async_request_free (InferAsyncRequest *request);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InferAsyncRequest, infer_async_request_free)

/* For tensors, states and timings while idle. */
INFER_API InferRequest *infer_async_request_get_request (
    InferAsyncRequest *request);

INFER_API void infer_async_request_set_callback (
    InferAsyncRequest *request, InferCallback callback, gpointer data);

typedef enum
{
  INFER_START_DEFAULT = 0,
  /* The caller has run infer_request_preprocess itself. */
  INFER_START_PREPROCESSED = 1 << 0,
  /* The states are reset in the order of the starts: after the steps started
   * before on this set, just before this one, and even if this one is then
   * skipped. */
  INFER_START_RESET_STATES = 1 << 1,
} InferStartFlags;

/* INFER_ERROR_BUSY where it is running.  Requests bound to one state set run in
 * the order of these calls.  From inside the callback it may be started again.
 */
INFER_API gboolean infer_async_request_start (
    InferAsyncRequest *request, InferStartFlags flags, GError **error);
/* The same with @host (nullable), an executor whose thread is awake sooner than
 * one of the executable's: where one of those is free, and for a model with
 * states the step's turn has come, @host's does its work; else it only passes
 * the request on. */
INFER_API gboolean infer_async_request_start_at (InferAsyncRequest *request,
    InferExecutor *host, InferStartFlags flags, GError **error);
/* @timeout_us < 0: for ever.  FALSE without error: it still runs; FALSE with
 * error: the run failed.  Returns after the callback has returned; hence not
 * from inside it (INFER_ERROR_BUSY). */
INFER_API gboolean infer_async_request_wait (
    InferAsyncRequest *request, gint64 timeout_us, GError **error);
/* Stages that have not begun are skipped and the callback gets
 * INFER_ERROR_CANCELLED; a cancelled step leaves no trace in the states unless
 * it had begun. */
INFER_API void infer_async_request_cancel (InferAsyncRequest *request);

G_END_DECLS
