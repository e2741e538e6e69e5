/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Shared by the files of the oracle.
 *
 *   oracle.c         from input to what must leave
 *   oracle-windows.c windows and their inferences
 *   oracle-states.c  the states that are possible, and what has left */

#pragma once

#include "tests/check/stream/chain/twin.h"
#include "tests/check/stream/oracle.h"

enum
{
  RESET_DISCONT = 1,
  RESET_FLUSH = 2,
  RESET_SEGMENT = 4,
  RESET_STREAM_START = 8,
  RESET_GAP = 16,
};

enum
{
  TAIL_PAD,
  TAIL_DROP,
  TAIL_RUN,
};

#define REANCHOR (40 * GST_MSECOND)
#define UNIT_LENGTH (500 * GST_MSECOND)

/* A buffer of reverse playback. */
typedef struct
{
  float *values;
  gsize rows;
  GstClockTime pts;
} Part;

struct _Oracle
{
  const PlanConfig *config;
  Twin *twin; /* nullable: of several elements; then nothing else is used */
  guint width;
  guint own, hop; /* rows of a window without its context; to the next */
  char *caps;
  GstSegment segment;
  gboolean discont, reset_pending, failed;
  gboolean swap;      /* a new model is ready */
  gboolean pristine;  /* nothing inferred yet */
  gboolean confirmed; /* something inferred was seen */
  gboolean restored;  /* a state was set for the first inference */

  /* The sequence: its rows, the start of the next window, the end of the last
   * window, the last valid timestamp. */
  GArray *rows; /* (element-type float) */
  gsize next, covered;
  gsize anchor_row;
  GstClockTime anchor;
  GstClockTime after; /* without windows: the end of the last buffer */

  /* Reverse playback: parts that adjoin, in the order of time. */
  GQueue unit; /* (element-type Part) */
  GstClockTime unit_start, unit_end;
  gboolean ascending; /* they come in that order */

  GPtrArray *expected; /* (element-type LogEntry) since the last check */

  /* Possible states, NULL: reset; which of them are still possible; the
   * possible states before and after each inference since the last cut. */
  GPtrArray *states;  /* (element-type GBytes) */
  GArray *alive;      /* (element-type gboolean) */
  GPtrArray *history; /* (element-type GPtrArray) */
  GArray *resets;     /* (element-type gboolean) per inference */
  guint checked;      /* number of inferences */
  guint refused_at; /* length of the history before a buffer that may have been
                       refused; 0: none … */
  gboolean refused_reset; /* … and reset_pending then */
};

/* oracle.c */
/* Forgets what was collected of a sequence. */
void oracle_forget_rows (Oracle *o);

/* oracle-windows.c */
gsize oracle_n_rows (const Oracle *o);
GstClockTime oracle_rows_time (const Oracle *o, gsize rows);
GstClockTime oracle_row_time (const Oracle *o, gsize row);
/* Expects @entry (transfer full), unless an inference has failed. */
void oracle_emit (Oracle *o, LogEntry *entry);
/* Of the result, @keep values from number @skip on leave. */
void oracle_infer (Oracle *o, LogEntry *entry, const float *values, gsize n,
    gsize skip, gsize keep);
/* Rows from number @end on are not of the stream. */
void oracle_run_windows (Oracle *o, gsize end);
/* The last window of a sequence. */
void oracle_run_tail (Oracle *o);

/* oracle-states.c */
GPtrArray *oracle_states_new (void);
void oracle_states_add (GPtrArray *states, GBytes *state);
/* The states are reset.  With nothing inferred since the last cut, the next
 * inference sees no other. */
void oracle_forget_states (Oracle *o);
