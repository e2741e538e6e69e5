/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The trace, for the runtime.  Each thread collects spans in its own buffer;
 * while tracing is off, a span costs one relaxed atomic load.  If built with
 * <sys/sdt.h>, every span is also the USDT probe inferfilter:span (label, id,
 * name, begin_ns, end_ns).  Any thread. */

#pragma once

#include "infer/trace.h"

/* Returns FALSE if the file cannot be written or a trace is running. */
gboolean infer_trace_start (const char *path, GError **error);
/* Writes the remaining spans and closes the file; FALSE if writing failed. */
gboolean infer_trace_stop (GError **error);
/* Starts the trace that INFER_TRACE asks for, once per process; runtimes call
 * it. */
void infer_trace_init (void);

/*< private >*/
extern int infer_trace_on;
void infer_trace_record (const char *label, guint id, const char *name,
    guint64 begin_ns, guint64 end_ns);

#ifdef INFER_HAVE_SDT
#include <sys/sdt.h>
#define INFER_TRACE_PROBE(label, id, name, begin, end)                         \
  DTRACE_PROBE5 (inferfilter, span, label, id, name, begin, end)
#else
#define INFER_TRACE_PROBE(label, id, name, begin, end)
#endif

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic" /* clang, of sdt.h's macros */
/* infer_trace_add, inline. */
static inline void
infer_trace_span (const char *label, guint id, const char *name,
    guint64 begin_ns, guint64 end_ns)
{
  INFER_TRACE_PROBE (label, id, name, begin_ns, end_ns);
  if (G_UNLIKELY (__atomic_load_n (&infer_trace_on, __ATOMIC_RELAXED)))
    infer_trace_record (label, id, name, begin_ns, end_ns);
}
#pragma GCC diagnostic pop
