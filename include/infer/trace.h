/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The trace of the process: named spans of time in a file that chrome://tracing
 * and Perfetto open.  Requests write a span for each of their stages; a program
 * may add its own.  The environment variable INFER_TRACE=FILE traces the whole
 * process.  Any thread. */

#pragma once

#include <glib.h>

#include "infer/api.h"

G_BEGIN_DECLS

/* Traces to the file @path until infer_trace_release was called as often; if a
 * trace is running already, that one goes on and @path is ignored.  FALSE if
 * the file cannot be written. */
INFER_API gboolean infer_trace_acquire (const char *path, GError **error);
INFER_API void infer_trace_release (void);

/* Adds the span "<label>_Req<id>_<name>", in nanoseconds of CLOCK_MONOTONIC.
 * @label and @name are static or interned strings.  Does nothing while no trace
 * is running. */
INFER_API void infer_trace_add (const char *label, guint id, const char *name,
    guint64 begin_ns, guint64 end_ns);

G_END_DECLS
