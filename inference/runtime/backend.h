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
#include "inference/runtime/state-backend.h"
#include "infer/request.h"
#include "inference/graph/operation.h"

/* INFERENCE_PRECISION_HINT, EXECUTION_MODE_HINT: of matrix products and
 * convolutions. */
typedef enum
{
  INFER_PRECISION_F32,
  /* They may compute where that is faster in … */
  INFER_PRECISION_F16,
  INFER_PRECISION_BF16,
  INFER_PRECISION_ANY, /* f16 or bf16: the faster one on this machine */
} InferPrecision;

typedef struct
{
  guint streams; /* NUM_STREAMS */
  gboolean streams_given;
  guint threads; /* INFERENCE_NUM_THREADS, per stream */
  gboolean perf_count;
  InferPrecision precision;
  /* DYNAMIC_QUANTIZATION_GROUP_SIZE: activations that are multiplied with 8-bit
   * weights are quantised to int8 at run time, in groups of this size; a
   * multiple of 32, 0: off. */
  guint quantized_group;
  gboolean pinning; /* ENABLE_CPU_PINNING: streams are bound to processors */
  /* CACHE_DIR; nullable; lives as long as the scope, like all of this. */
  InferCache *cache;
  gboolean no_mapping; /* ENABLE_MMAP=NO: files are read, never mapped */
  InferDump *dump;     /* DUMP and DUMP_DIR; nullable */
  gboolean tune;       /* TUNE: measured choices are cached */
  /* MEMORY_LIMIT: bytes for the values of one request; 0: none. */
  gsize memory_limit;
  const char *trace; /* TRACE; interned; nullable; handled by the runtime */
} InferConfig;

/* Preference of AUTO, best first. */
enum
{
  INFER_RANK_DISCRETE = 400,   /* has memory of its own */
  INFER_RANK_INTEGRATED = 300, /* shares the processor's memory */
  INFER_RANK_PROCESSOR = 200,
  INFER_RANK_UNKNOWN = 100,
};

/* Steps that `start_joint` runs at most. */
#define INFER_MOST_JOINT 8

/* One of several steps that run together: as the arguments of `start`. */
typedef struct
{
  gpointer context;
  InferTensor *const *inputs;
  InferTensor **outputs;
  InferState *const *states;
  const gint *cancelled; /* nullable (base/cancel.h) */
  GError *error;         /* out: NULL: it is done */
} InferJointStep;

typedef struct
{
  const char *name; /* "CPU" */

  /* Number of devices now: one is "NAME", several are "NAME.0" … */
  guint (*n_devices) (void);
  /* NULL: INFER_RANK_UNKNOWN. */
  guint (*rank) (guint device);
  /* Human-readable description; (transfer full).  NULL: the name. */
  char *(*describe) (guint device);

  /* Whether some operations of the class can run: for listings. */
  gboolean (*knows) (const InferOpClass *klass);

  /* TRUE if it can run @op, else FALSE with INFER_ERROR_UNSUPPORTED. */
  gboolean (*supports) (const InferOperation *op, GError **error);

  /* NULL: it cannot run single operations on host memory. */
  const InferEvaluator *evaluator;

  /* Shared by all models on one runtime; made and freed with the runtime. */
  gpointer (*scope_new) (
      guint device, const InferConfig *config, GError **error);
  void (*scope_free) (gpointer scope);

  /* A compiled model. */
  gpointer (*compile) (gpointer scope, const InferModel *model, GError **error);
  void (*executable_free) (gpointer executable);

  /* Per request; used by one thread at a time. */
  gpointer (*context_new) (gpointer executable, GError **error);
  void (*context_free) (gpointer context);
  /* NULL: nothing.  Between runs: gives the system memory whose contents no
   * later run needs; the next run takes it again. */
  void (*rest) (gpointer context);

  /* NULL: infer_tensor_new.  A tensor in the memory that suits the device best
   * for inputs and outputs; it may outlive context and scope. */
  InferTensor *(*tensor_new) (gpointer context, InferType type,
      const InferShape *shape, GError **error);

  /* NULL: inputs need no transfer. */
  gboolean (*upload) (
      gpointer context, InferTensor *const *inputs, GError **error);
  /* Runs the step or starts it.  @inputs: of the model's types, dense, in
   * order.  @outputs: one tensor per result, of the model's type; its shape is
   * right if it is known beforehand, else resize it with infer_tensor_reshape.
   * @states: the sequence's variables, NULL-terminated; NULL for a model
   * without. */
  gboolean (*start) (gpointer context, InferTensor *const *inputs,
      InferTensor **outputs, InferState *const *states, GError **error);
  /* NULL: one after the other.  As `start` for @n ≤ INFER_MOST_JOINT contexts
   * of one executable, where that reads weights once for all; each step gives
   * the bits that it gives alone, and fails or is cancelled alone.  Only where
   * `wait` is NULL. */
  void (*start_joint) (InferJointStep *steps, guint n);
  /* NULL: `start` returns when the step is finished. */
  gboolean (*wait) (gpointer context, GError **error);
  /* NULL: the duration of `wait` is the step's.  Else the step's duration in
   * ns, called after `wait`. */
  guint64 (*step_duration) (gpointer context);
  /* NULL: states are never lost.  After `wait`: what was lost of the states
   * before the step, which has begun anew, as a sentence; NULL: nothing. */
  const char *(*state_loss) (gpointer context);
  /* NULL: outputs are in place after `wait`. */
  gboolean (*download) (
      gpointer context, InferTensor **outputs, GError **error);

  /* It reads weights as they are stored: compressed ones (compressed.h), whose
   * decompression stays in the graph, and gates of LSTM in any order. */
  gboolean reads_stored;

  /* It accepts strided values of variables, from infer_state_grow. */
  gboolean strided_states;

  /* NULL: all waits of a device run on one thread.  Else the executor for a
   * request's `wait`, which runs it when it does not block; owned by the
   * context. */
  InferExecutor *(*wait_executor) (gpointer context);
  /* NULL: a started step cannot be stopped.  Any thread: ends a started step
   * early if possible, `wait` then fails with INFER_ERROR_CANCELLED; returns
   * the task of the request that its executor holds, for the caller to run
   * (transfer full, nullable). */
  InferTask *(*cancel) (gpointer context);

  /* NULL: no per-operation timings.  (element-type InferOpTiming) */
  GArray *(*op_timings) (gpointer context);
  /* NULL: not told.  Of the last run, operations that others' steps compute
   * (element-type InferFusion, fusions.h). */
  GArray *(*fusions) (gpointer context);
} InferBackend;

/* NULL-terminated. */
const InferBackend *const *infer_backends (void);
/* Adds a backend that is not in the list, for tests: found by name, not listed.
 * Before other threads start; at most four. */
void infer_backend_add (const InferBackend *backend);
/* "OPENCL.1" → the backend and device 1; "OPENCL:arc" → its first device with
 * "arc" in its description; "GPU.1" → the second GPU of any.  NULL with
 * INFER_ERROR_NOT_FOUND, listing all devices. */
const InferBackend *infer_backend_find (
    const char *device, guint *index, GError **error);
