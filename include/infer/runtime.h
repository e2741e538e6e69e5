/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where models run: a place (device), a scope (parameters shared by every model
 * on it) and executors; and models compiled for it.  Any thread. */

#pragma once

#include "infer/api.h"
#include "infer/model.h"

G_BEGIN_DECLS

typedef struct _InferRuntime InferRuntime;
typedef struct _InferExecutable InferExecutable;

/* @device: NULL is "CPU".
 *   CPU, OPENCL, OPENCL.1  what such a device does not know goes to the CPU
 *   OPENCL:part of a name  the first whose own name has it; in whatever case
 *   AUTO, AUTO:a,b         the best that runs the whole model, from the first
 *                          in the list; until it is compiled the CPU, if listed
 *   MULTI:a,b              requests are spread over all
 *   HETERO:a,b             each operation on the first that knows it
 * INFER_ERROR_NOT_FOUND, listing what there is, for others.
 *
 * @config (nullable): OpenVINO's property keys, "KEY=value,KEY=value":
 *   NUM_STREAMS            requests computed at the same time, default 1
 *   INFERENCE_NUM_THREADS  threads of each stream, default 1
 *   ENABLE_CPU_PINNING     YES: each stream stays on as many processors as it
 *                          has threads; asynchronous requests only
 *   PERF_COUNT             YES: timings per operation
 *   TRACE                  a file for spans of the whole process, while there
 *                          is such a runtime (trace.h)
 *   CACHE_DIR              a folder for what is expensive to make (cache.h)
 *   DUMP, DUMP_DIR         a regular expression and a folder: what operations
 *                          of matching names read and write (dump.h)
 *   TUNE                   YES: the first run of each shape measures how each
 *                          operation is computed fastest and keeps that in
 *                          CACHE_DIR, for runtimes that are made later
 * An unknown key or value is INFER_ERROR_INVALID_ARGUMENT. */
INFER_API InferRuntime *infer_runtime_new (
    const char *device, const char *config, GError **error);
/* Appends "KEY=value" to a @config, with a comma and backslashes where they are
 * needed. */
INFER_API void infer_config_append (
    GString *config, const char *key, const char *value);
INFER_API InferRuntime *infer_runtime_ref (InferRuntime *runtime);
INFER_API void infer_runtime_unref (InferRuntime *runtime);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InferRuntime, infer_runtime_unref)

INFER_API const char *infer_runtime_get_device (const InferRuntime *runtime);

/* infer_model_load, sooner where CACHE_DIR has seen the file. */
INFER_API InferModel *infer_runtime_load (InferRuntime *runtime,
    const char *path, const char *weights_path, GError **error);

/* Compiles; refuses a model that the device cannot run with one error that
 * lists all its unsupported operations. */
INFER_API InferExecutable *infer_executable_new (
    InferModel *model, InferRuntime *runtime, GError **error);
/* The same model on another runtime: @executable itself where it is there
 * already, else compiled anew.  Both can run at the same time; requests stay
 * with the executable that they were made from.  (transfer full) */
INFER_API InferExecutable *infer_executable_for_runtime (
    InferExecutable *executable, InferRuntime *runtime, GError **error);
INFER_API InferExecutable *infer_executable_ref (InferExecutable *executable);
INFER_API void infer_executable_unref (InferExecutable *executable);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InferExecutable, infer_executable_unref)

INFER_API InferModel *infer_executable_get_model (InferExecutable *executable);
INFER_API InferRuntime *infer_executable_get_runtime (
    InferExecutable *executable);
/* Requests that exist now. */
INFER_API guint infer_executable_n_requests (InferExecutable *executable);
/* So many independent sequences use it: unless NUM_STREAMS was given, up to as
 * many requests are computed at the same time, a processor each. */
INFER_API void infer_executable_expect_sequences (
    InferExecutable *executable, guint n);
/* The device that it is on: of AUTO the present one, of MULTI, and of a model
 * in parts, the name that the runtime has. */
INFER_API const char *infer_executable_get_device (InferExecutable *executable);
/* Waits until AUTO is on the device where it will stay. */
INFER_API void infer_executable_settle (InferExecutable *executable);
/* How many requests keep the device busy. */
INFER_API guint infer_executable_optimal_requests (InferExecutable *executable);
/* How many more threads could stand for its own now: with
 * infer_async_request_start_at they compute in place of those.  < 0: none ever.
 */
INFER_API int infer_executable_guest_room (InferExecutable *executable);

/* An operation that is left after the passes, and where it runs. */
typedef struct
{
  const char *name, *type;
  const char *device; /* "CPU" */
  guint part; /* counted from 0 in the order of running, where a model is split
               * because no device runs all of it */
} InferPlacedOperation;
/* Inputs, results and constants are not listed.  Strings live as long as
 * @executable.  (transfer full) (element-type InferPlacedOperation) */
INFER_API GArray *infer_executable_get_operations (InferExecutable *executable);

/* "CPU"-style names of all devices that can be used now; (transfer full). */
INFER_API GStrv infer_runtime_list_devices (void);
/* What such a device calls itself; (transfer full).  INFER_ERROR_NOT_FOUND
 * where it is not there. */
INFER_API char *infer_runtime_describe_device (
    const char *device, GError **error);

/* Operations of the model that @device cannot run even after the passes, as
 * "Type opset (reason)", each kind once; empty: all can be.  (transfer full) */
INFER_API GStrv infer_runtime_query (
    const char *device, InferModel *model, GError **error);

G_END_DECLS
