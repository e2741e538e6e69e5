/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A process with the tracer infertop: it sends lines of JSON through its socket
 * in $XDG_RUNTIME_DIR/infer-top.  They are not trusted. */

#pragma once

#include "inference/base/json.h"

typedef struct
{
  long pid;
  int fd;                  /* -1: not connected */
  GString *line;           /* the last one as received */
  InferJson *before, *now; /* nullable: the last two, objects */
} TopSource;

TopSource *top_source_new (long pid);
void top_source_free (TopSource *source); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TopSource, top_source_free)

/* Numbers of the processes with a socket, ascending; sockets of processes that
 * have ended are removed.  (transfer full) (element-type glong) */
GArray *top_list_processes (void);

/* Asks for the next line, at most half a second.  INFER_ERROR_NOT_FOUND: it has
 * ended, or has no tracer. */
gboolean top_source_sample (TopSource *source, GError **error);

/* Member @key as a number; @absent where it is none. */
double top_number (InferJsonValue object, const char *key, double absent);
/* … as a string; NULL where it is none. */
const char *top_string (InferJsonValue object, const char *key);
