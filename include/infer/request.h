/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One inference at a time.
 *
 * InferRequest: synchronous, used by one thread at a time.
 * InferAsyncRequest: runs a request as a pipeline of (executor, stages) that
 * ends with the callback stage.  start, wait and cancel from any thread; the
 * underlying request may be used only while idle. */

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

/* Tensors.  By index, in document order; infer_model_find_input and
 * infer_model_find_output find indices.
 *
 * get_input: the tensor that was set, else the request's own, created on demand
 * if the shape is static (INFER_ERROR_INVALID_ARGUMENT if it is dynamic: set a
 * tensor or a shape).  (transfer none)
 * set_input: the type may differ from the model's (converted in preprocess),
 * the shape must match the model's; strided views are allowed, and elements at
 * any address (copied where that is no multiple of their size).  The request
 * holds a reference until the next set.  NULL: back to its own tensor.
 * set_input_batch: a batch of separate tensors, joined along the first
 * dimension; they have one type and equal other dimensions.
 * set_input_shape: the request's own tensor in the given shape, for dynamic
 * inputs; memory is only allocated when it grows.  (transfer none)
 * get_output: valid after a run, overwritten by the next.  (transfer none)
 * set_output: the tensor for the result; its shape must match, the type may
 * differ.  It may be the tensor of an input. */
INFER_API InferTensor *infer_request_get_input (
    InferRequest *request, guint index, GError **error);
INFER_API InferTensor *infer_request_set_input_shape (InferRequest *request,
    guint index, const InferShape *shape, GError **error);
INFER_API gboolean infer_request_set_input (
    InferRequest *request, guint index, InferTensor *tensor, GError **error);
INFER_API gboolean infer_request_set_input_batch (InferRequest *request,
    guint index, InferTensor *const *tensors, guint n, GError **error);
/* Preprocessing of images of any size, u8 or f32, which set_input then takes.
 * NULL: none.  Drops the tensor or pictures that were set. */
INFER_API gboolean infer_request_set_preprocess (InferRequest *request,
    guint index, const InferPreprocess *settings, GError **error);
/* After set_preprocess: a batch of @n pictures of any format (image.h) as the
 * input's next value.  @regions: the part of each picture that is used, NULL:
 * all of it.  The pictures' memory must stay valid until preprocess has run. */
INFER_API gboolean infer_request_set_pictures (InferRequest *request,
    guint index, const InferImage *pictures, const InferBox *regions, guint n,
    GError **error);
INFER_API InferTensor *infer_request_get_output (
    InferRequest *request, guint index, GError **error);
INFER_API gboolean infer_request_set_output (
    InferRequest *request, guint index, InferTensor *tensor, GError **error);

/* The variables: the request's own set, or the bound one.  bind NULL: back to
 * its own; a set of another model fails the next step. */
INFER_API InferStateSet *infer_request_get_states (InferRequest *request);
INFER_API void infer_request_bind_states (
    InferRequest *request, InferStateSet *states);

/* Returns a sentence that says why the last run began with the initial values
 * of the states: the server that had their values is gone.  NULL if no state
 * was lost.  Valid until the next run.
 *
 * Since: 0.2 */
INFER_API const char *infer_request_get_state_loss (
    const InferRequest *request);

/* The stages, in this order, or all in one call. */
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

/* Nanoseconds per stage of the last run. */
INFER_API const guint64 *infer_request_get_timings (
    const InferRequest *request);

/* Per operation, with PERF_COUNT=YES. */
typedef struct
{
  const char *name, *type,
      *kernel; /* kernel "optimized out": fused or a view */
  guint64 ns;
  const char *device; /* "CPU"; set by the runtime, not by backends */
} InferOpTiming;
/* (transfer full) (element-type InferOpTiming); strings live as long as the
 * request. */
INFER_API GArray *infer_request_get_op_timings (InferRequest *request);

/* @error: NULL for success, INFER_ERROR_CANCELLED after cancel. */
typedef void (*InferCallback) (
    InferAsyncRequest *request, const GError *error, gpointer data);

/* @callback_executor (nullable: the thread of the last stage) runs the
 * callback. */
INFER_API InferAsyncRequest *infer_async_request_new (
    InferExecutable *executable, InferExecutor *callback_executor,
    GError **error);
/* Cancels stages that have not started, waits for the others and for the
 * callback.  Not from inside the callback. */
INFER_API void infer_async_request_free (InferAsyncRequest *request);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InferAsyncRequest, infer_async_request_free)

/* Its tensors, states and timings; while idle. */
INFER_API InferRequest *infer_async_request_get_request (
    InferAsyncRequest *request);

/* While idle. */
INFER_API void infer_async_request_set_callback (
    InferAsyncRequest *request, InferCallback callback, gpointer data);
/* The same; @destroy (nullable) frees @data when the request is freed or its
 * callback set again.  Since: 0.2 */
INFER_API void infer_async_request_set_callback_full (
    InferAsyncRequest *request, InferCallback callback, gpointer data,
    GDestroyNotify destroy);

typedef enum
{
  INFER_START_DEFAULT = 0,
  /* The caller has run infer_request_preprocess itself. */
  INFER_START_PREPROCESSED = 1 << 0,
  /* Resets the states after the steps that were started before on this set and
   * before this one, even if this one is then skipped. */
  INFER_START_RESET_STATES = 1 << 1,
} InferStartFlags;

/* INFER_ERROR_BUSY while it runs.  Steps of requests bound to one state set run
 * in the order of these calls.  The callback may start its request again. */
INFER_API gboolean infer_async_request_start (
    InferAsyncRequest *request, InferStartFlags flags, GError **error);
/* The same with @host (nullable), an executor whose thread is awake earlier
 * than one of the executable's.  If one of those is free and, with states, it
 * is the step's turn, @host runs the request's stages in its place; else it
 * only submits them. */
INFER_API gboolean infer_async_request_start_at (InferAsyncRequest *request,
    InferExecutor *host, InferStartFlags flags, GError **error);
/* @timeout_us < 0: no timeout.  FALSE without error: still running; FALSE with
 * error: the run failed.  Returns after the callback has returned, so it must
 * not be called from inside it (INFER_ERROR_BUSY). */
INFER_API gboolean infer_async_request_wait (
    InferAsyncRequest *request, gint64 timeout_us, GError **error);
/* Stages that have not started are skipped and the callback gets
 * INFER_ERROR_CANCELLED.  An inference that runs on the CPU ends within 0.3 s
 * of computing, in the middle of an operation if that takes longer; on an
 * OpenCL device it runs to its end.  A cancelled step changes no states unless
 * it was complete. */
INFER_API void infer_async_request_cancel (InferAsyncRequest *request);

G_END_DECLS
