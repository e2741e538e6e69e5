/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where models run: a place (device), a scope (parameters shared by all its
 * models) and executors; and models compiled for it.  Any thread. */

#pragma once

#include "infer/api.h"
#include "infer/model.h"

G_BEGIN_DECLS

typedef struct _InferRuntime InferRuntime;
typedef struct _InferExecutable InferExecutable;

/* @device: NULL is "CPU".
 *   CPU, OPENCL, OPENCL.1  operations it does not support run on the CPU
 *   OPENCL:text            the first device with this text in its description,
 *                          case-insensitive
 *   GPU, GPU.1             the first GPU that OpenCL has, the second (Since:
 *                          0.2)
 *   AUTO, AUTO:a,b         the first in the list that runs the whole model;
 *                          while it is compiled, the CPU, if listed
 *   MULTI:a,b              requests are distributed over all
 *   HETERO:a,b             each operation on the first that supports it
 * INFER_ERROR_NOT_FOUND, listing all devices, for others.
 *
 * @config (nullable): OpenVINO's property keys, "KEY=value,KEY=value":
 *   NUM_STREAMS            requests computed at the same time, default 1
 *   INFERENCE_NUM_THREADS  threads of each stream, default 1
 *   ENABLE_CPU_PINNING     YES: each stream is bound to as many processors as
 *                          it has threads; asynchronous requests only
 *   PERF_COUNT             YES: timings per operation
 *   TRACE                  a file for spans of the whole process, while a
 *                          runtime with this setting exists (trace.h)
 *   CACHE_DIR              a folder for packed weights, compiled programs …
 *   DUMP, DUMP_DIR         a regular expression and a folder for inputs and
 *                          outputs of operations with matching names
 *   TUNE                   YES: the first run of each shape measures the
 *                          implementations of each operation; later runtimes
 *                          use the fastest, from CACHE_DIR
 * docs/guides/configuration.md has the others.  An unknown key or value is
 * INFER_ERROR_INVALID_ARGUMENT.  (transfer full) */
INFER_API InferRuntime *infer_runtime_new (
    const char *device, const char *config, GError **error);
/* Appends "KEY=value", with a separator and backslashes if needed. */
INFER_API void infer_config_append (
    GString *config, const char *key, const char *value);
INFER_API InferRuntime *infer_runtime_ref (InferRuntime *runtime);
INFER_API void infer_runtime_unref (InferRuntime *runtime);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InferRuntime, infer_runtime_unref)

INFER_API const char *infer_runtime_get_device (const InferRuntime *runtime);

/* Like infer_model_load, faster if CACHE_DIR holds the parsed file. */
INFER_API InferModel *infer_runtime_load (InferRuntime *runtime,
    const char *path, const char *weights_path, GError **error);

/* Compiles.  A model that the device cannot run is refused with one error that
 * lists all its unsupported operations.  If the thread's current GCancellable
 * (g_cancellable_push_current) is cancelled meanwhile, it ends at the next pass
 * with INFER_ERROR_CANCELLED (Since: 0.2). */
INFER_API InferExecutable *infer_executable_new (
    InferModel *model, InferRuntime *runtime, GError **error);
/* The same model on another runtime: @executable itself if it is on @runtime,
 * else a newly compiled one.  Both can run at the same time; requests stay with
 * their executable.  (transfer full) */
INFER_API InferExecutable *infer_executable_for_runtime (
    InferExecutable *executable, InferRuntime *runtime, GError **error);
INFER_API InferExecutable *infer_executable_ref (InferExecutable *executable);
INFER_API void infer_executable_unref (InferExecutable *executable);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InferExecutable, infer_executable_unref)

INFER_API InferModel *infer_executable_get_model (InferExecutable *executable);
INFER_API InferRuntime *infer_executable_get_runtime (
    InferExecutable *executable);
/* Number of existing requests. */
INFER_API guint infer_executable_n_requests (InferExecutable *executable);
/* Announces @n independent sequences: unless NUM_STREAMS is given, up to as
 * many requests run at the same time, on one processor each. */
INFER_API void infer_executable_expect_sequences (
    InferExecutable *executable, guint n);
/* Its device: with AUTO the current one, with MULTI and for a split model the
 * runtime's name. */
INFER_API const char *infer_executable_get_device (InferExecutable *executable);
/* Waits until AUTO has chosen its final device. */
INFER_API void infer_executable_settle (InferExecutable *executable);
/* Number of requests that keep the device busy. */
INFER_API guint infer_executable_optimal_requests (InferExecutable *executable);
/* Number of host threads that could run stages now
 * (infer_async_request_start_at); < 0: never any. */
INFER_API int infer_executable_guest_room (InferExecutable *executable);
/* Started requests that wait for a host thread, without @own ones, divided by
 * such threads: from 1 on, these are busy for as long as an inference takes,
 * whatever the owner of the @own does (Since: 0.2). */
INFER_API guint infer_executable_get_backlog (
    InferExecutable *executable, guint own);

/* An operation after the passes, and its device. */
typedef struct
{
  const char *name, *type;
  const char *device; /* "CPU" */
  guint part;         /* of a split model, in execution order; else 0 */
} InferPlacedOperation;
/* Without inputs, results and constants.  Strings live as long as @executable.
 * (transfer full) (element-type InferPlacedOperation) */
INFER_API GArray *infer_executable_get_operations (InferExecutable *executable);

/* Names of all available devices; (transfer full). */
INFER_API GStrv infer_runtime_list_devices (void);
/* Human-readable description; (transfer full).  INFER_ERROR_NOT_FOUND if there
 * is no such device. */
INFER_API char *infer_runtime_describe_device (
    const char *device, GError **error);

/* Operations of the model that @device cannot run after the passes, as "Type
 * opset (reason)", each kind once; empty: none.  (transfer full) */
INFER_API GStrv infer_runtime_query (
    const char *device, InferModel *model, GError **error);

G_END_DECLS
