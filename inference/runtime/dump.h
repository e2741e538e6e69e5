/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What operations read and write, as files: for finding out where a result goes
 * wrong.  The configuration's DUMP (a regular expression that is to match
 * somewhere in an operation's name) and DUMP_DIR (a folder, made when needed).
 *
 * FOLDER/<inference>_<operation>_in<k>.npy and …_out<k>.npy; <inference> counts
 * from 000000 what a runtime runs, in the order in which steps begin; what is
 * no letter, digit, '.', '-' in a name becomes '_'.  An operation that runs
 * several times in one inference (in a body, or that shares its name with
 * another) is <operation>.1, .2 … from the second time on.
 *
 * For backends: a value is written at the only time it exists, since memory is
 * used again: inputs just before an operation, outputs just after it, with the
 * device's queue finished.  What was fused into another operation never exists
 * and is not written; timings list it as "optimized out".  InferDump: any
 * thread; InferDumpRun: one. */

#pragma once

#include "infer/tensor.h"

G_BEGIN_DECLS

typedef struct _InferDump InferDump;
typedef struct _InferDumpRun InferDumpRun;

/* INFER_ERROR_INVALID_ARGUMENT where @pattern is no regular expression. */
InferDump *infer_dump_new (
    const char *pattern, const char *folder, GError **error);
InferDump *infer_dump_ref (InferDump *dump);
void infer_dump_unref (InferDump *dump);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InferDump, infer_dump_unref)

/* One inference: its number is taken here.  It keeps @dump.  Ended on the
 * thread that began it. */
InferDumpRun *infer_dump_begin (InferDump *dump);
void infer_dump_end (InferDumpRun *run); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InferDumpRun, infer_dump_end)

/* Until @run ends, what begins on this thread with the same dump is part of it:
 * for models in parts. */
void infer_dump_enter (InferDumpRun *run);

gboolean infer_dump_run_matches (
    const InferDumpRun *run, const char *operation);
/* What the file names of one execution of @operation begin with; call it once
 * for each.  (transfer full) */
char *infer_dump_stem (InferDumpRun *run, const char *operation);
/* @port: "in" or "out".  FALSE where the file cannot be written. */
gboolean infer_dump_write (const char *stem, const char *port, guint index,
    const InferTensor *tensor, GError **error);

G_END_DECLS
