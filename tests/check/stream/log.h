/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What leaves the element, as it was or as it should have been. */

#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef enum
{
  LOG_BUFFER,
  LOG_CUSTOM, /* number in offset */
  LOG_GAP,
  LOG_EOS,
} LogKind;

typedef struct
{
  LogKind kind;
  GstClockTime pts, duration;
  guint64 offset, offset_end;
  gboolean discont;
  guint64 start, base; /* of the segment in force */
  double rate;
  char *dimensions; /* of the caps in force */
  /* Bytes, one for each state that could have been the element's at a flush;
   * what has been seen has one.  (element-type GBytes) */
  GPtrArray *values;
} LogEntry;

LogEntry *log_entry_new (LogKind kind);
void log_entry_free (LogEntry *entry);
/* Whether they are the same but for values.  */
gboolean log_entry_equal (const LogEntry *a, const LogEntry *b);
/* (transfer full) */
char *log_entry_to_string (const LogEntry *entry);

G_END_DECLS
