/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Writes inputs and outputs of operations to files, to find where a result goes
 * wrong.  Configuration: DUMP (a regular expression, matched anywhere in an
 * operation's name) and DUMP_DIR (a folder, created when needed).
 *
 * FOLDER/<inference>_<operation>_in<k>.npy and …_out<k>.npy; <inference> counts
 * the runtime's inferences from 000000, in the order in which steps start;
 * characters of a name other than letters, digits, '.' and '-' become '_'.
 * Repeated executions in one inference (in a body, or of another operation of
 * the same name) are <operation>.1, .2 …
 *
 * For backends: memory is reused, so write inputs just before an operation and
 * outputs just after it, with the device's queue finished.  A fused operation
 * has no values of its own and is not written; timings list it as "optimized
 * out".  InferDump: any thread; InferDumpRun: one thread. */

#pragma once

#include "infer/tensor.h"

typedef struct _InferDump InferDump;
typedef struct _InferDumpRun InferDumpRun;

/* INFER_ERROR_INVALID_ARGUMENT if @pattern is not a regular expression. */
InferDump *infer_dump_new (
    const char *pattern, const char *folder, GError **error);
InferDump *infer_dump_ref (InferDump *dump);
void infer_dump_unref (InferDump *dump);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InferDump, infer_dump_unref)

/* One inference: takes the next number; holds a reference to @dump.  End it on
 * the same thread. */
InferDumpRun *infer_dump_begin (InferDump *dump);
void infer_dump_end (InferDumpRun *run); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InferDumpRun, infer_dump_end)

/* Until @run ends, runs begun on this thread with the same dump are part of it:
 * for models in parts. */
void infer_dump_enter (InferDumpRun *run);

gboolean infer_dump_run_matches (
    const InferDumpRun *run, const char *operation);
/* The start of the file names for one execution of @operation; call it once per
 * execution.  (transfer full) */
char *infer_dump_stem (InferDumpRun *run, const char *operation);
/* @port: "in" or "out".  FALSE if the file cannot be written. */
gboolean infer_dump_write (const char *stem, const char *port, guint index,
    const InferTensor *tensor, GError **error);
