/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Output of the element, seen or expected. */

#pragma once

#include <gst/gst.h>

typedef enum
{
  LOG_BUFFER,
  LOG_CUSTOM, /* the number is in offset */
  LOG_GAP,
  LOG_SEGMENT_DONE,
  LOG_EOS,
} LogKind;

typedef struct
{
  LogKind kind;
  GstClockTime pts, duration;
  guint64 offset, offset_end;
  gboolean discont;
  guint64 start, base; /* of the current segment */
  double rate;
  char *dimensions; /* of the current caps … */
  int fps_n, fps_d; /* … and their frame rate */
  guint inferences; /* expected: how many there were up to its own */
  /* One value per state that the element may have had after a flush; an entry
   * that was seen has one.  (element-type GBytes) */
  GPtrArray *values;
} LogEntry;

LogEntry *log_entry_new (LogKind kind);
void log_entry_free (LogEntry *entry);
/* Compares everything but values. */
gboolean log_entry_equal (const LogEntry *a, const LogEntry *b);
/* (transfer full) */
char *log_entry_to_string (const LogEntry *entry);
