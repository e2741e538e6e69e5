/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* For implementers of backends.  The runtime checks all arguments; a backend
 * trusts its input.
 *
 * To add a backend: a folder NAME with `const InferBackend NAME_backend` and a
 * meson.build that sets NAME_lib, and its name in the list of the root
 * meson.build.  A dependency gets an option in meson_options.txt; without it,
 * the folder's meson.build ends with subdir_done() before NAME_lib is set. */

#pragma once

#include "inference/base/cache.h"
#include "inference/graph/evaluate.h"
#include "inference/runtime/dump.h"
#include "infer/request.h"
#include "inference/graph/operation.h"

G_BEGIN_DECLS

/* Of sums of products: INFERENCE_PRECISION_HINT, EXECUTION_MODE_HINT. */
typedef enum
{
  INFER_PRECISION_F32,
  INFER_PRECISION_F16, /* may be of half floats, where that is faster */
} InferPrecision;

typedef struct
{
  guint streams; /* NUM_STREAMS */
  gboolean streams_given;
  guint threads; /* INFERENCE_NUM_THREADS, per stream */
  gboolean perf_count;
  InferPrecision precision;
  /* DYNAMIC_QUANTIZATION_GROUP_SIZE: so many numbers that meet weights of 8
   * bits are made 8 bits together when running; a multiple of 32, or 0: none
   * are. */
  guint quantized_group;
  gboolean pinning; /* ENABLE_CPU_PINNING: streams keep to their processors */
  /* CACHE_DIR; nullable; lives as long as the scope, as all of this does. */
  InferCache *cache;
  InferDump *dump;   /* DUMP and DUMP_DIR; nullable */
  gboolean tune;     /* TUNE: what is measured goes into the cache */
  const char *trace; /* TRACE; interned; nullable; the runtime sees to it */
} InferConfig;

/* What AUTO prefers, from the best. */
enum
{
  INFER_RANK_DISCRETE = 400,   /* a device with memory of its own */
  INFER_RANK_INTEGRATED = 300, /* one that shares the processor's */
  INFER_RANK_PROCESSOR = 200,
  INFER_RANK_UNKNOWN = 100,
};

typedef struct
{
  const char *name; /* "CPU" */

  /* How many devices there are now: "NAME", or "NAME.0" … */
  guint (*n_devices) (void);
  /* Nullable: INFER_RANK_UNKNOWN. */
  guint (*rank) (guint device);
  /* What the device calls itself; (transfer full).  Nullable. */
  char *(*describe) (guint device);

  /* Whether operations of the class can run at all: for lists. */
  gboolean (*knows) (const InferOpClass *klass);

  /* TRUE where it can run @op; else FALSE with INFER_ERROR_UNSUPPORTED. */
  gboolean (*supports) (const InferOperation *op, GError **error);

  /* Nullable: it cannot run single operations on host memory. */
  const InferEvaluator *evaluator;

  /* What models on one runtime share; made and freed with the runtime. */
  gpointer (*scope_new) (
      guint device, const InferConfig *config, GError **error);
  void (*scope_free) (gpointer scope);

  /* A compiled model. */
  gpointer (*compile) (gpointer scope, const InferModel *model, GError **error);
  void (*executable_free) (gpointer executable);

  /* What one request needs; used by one thread at a time. */
  gpointer (*context_new) (gpointer executable, GError **error);
  void (*context_free) (gpointer context);

  /* Nullable: infer_tensor_new.  A tensor in memory that suits the device best
   * for inputs and outputs; it may outlive context and scope. */
  InferTensor *(*tensor_new) (gpointer context, InferType type,
      const InferShape *shape, GError **error);

  /* Nullable: inputs need no transfer. */
  gboolean (*upload) (
      gpointer context, InferTensor *const *inputs, GError **error);
  /* Runs or begins to run.  @inputs: of the model's types, dense, in order.
   * @outputs: per result a tensor to write to, of the model's type, whose shape
   * fits if it is known before (reshape it with infer_tensor_reshape
   * otherwise).
   * @states: the sequence's variables, NULL-terminated; NULL for a model
   * without. */
  gboolean (*start) (gpointer context, InferTensor *const *inputs,
      InferTensor **outputs, InferState *const *states, GError **error);
  /* Nullable: `start` returns when all is done. */
  gboolean (*wait) (gpointer context, GError **error);
  /* Nullable: a step lasts from the beginning of `wait` to its end.  Else how
   * long it did, ns, after that. */
  guint64 (*step_duration) (gpointer context);
  /* Nullable: outputs are in place after `wait`. */
  gboolean (*download) (
      gpointer context, InferTensor **outputs, GError **error);

  /* It reads weights as the file stores them (compressed.h): what unpacks
   * them stays in the graph. */
  gboolean unpacks_weights;

  /* Values of variables may come strided: it uses infer_state_grow. */
  gboolean strided_states;

  /* Nullable: all waits of a device are on one thread.  Else the executor that
   * a request's `wait` goes to, which runs it once that does not block; owned
   * by the context. */
  InferExecutor *(*wait_executor) (gpointer context);
  /* Nullable: what has been started cannot be stopped.  Any thread: ends a
   * started step early if that is possible, with INFER_ERROR_CANCELLED from
   * `wait`; gives what its executor holds of the request, to be run (transfer
   * full, nullable). */
  InferTask *(*cancel) (gpointer context);

  /* Nullable: no per-operation timings.  (element-type InferOpTiming) */
  GArray *(*op_timings) (gpointer context);
} InferBackend;

/* NULL-terminated. */
const InferBackend *const *infer_backends (void);
/* For a backend that is not in the list, as tests have: from now on it is found
 * by its name, though not listed.  Before other threads begin; four at most. */
void infer_backend_add (const InferBackend *backend);
/* "OPENCL.1" → the backend and device 1, "OPENCL:arc" → its first device with
 * "arc" in what it calls itself; NULL with INFER_ERROR_NOT_FOUND,
 * listing what there is. */
const InferBackend *infer_backend_find (
    const char *device, guint *index, GError **error);

G_END_DECLS
