/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A stream of audio without end, as fast as it goes: buffers of any size whose
 * timestamps jitter, with jumps, gaps, seeks, other caps, model swaps and
 * restarts.  Each window that leaves is compared with what must leave: its
 * times to the nanosecond, its place, and the state of the model. */

#pragma once

#include <gst/gst.h>

#include "tests/check/support/pads.h"

#define SOAK_RATE 4411 /* a row is no whole number of nanoseconds */
#define SOAK_WINDOW 4411

typedef enum
{
  SOAK_DISCONT,
  SOAK_LOST, /* a jump that no flag tells */
  SOAK_SHORT_GAP,
  SOAK_LONG_GAP,
  SOAK_SEEK,
  SOAK_SEGMENT,
  SOAK_CAPS,
  SOAK_PAUSE,
  SOAK_SWAP,
  SOAK_EOS,
  SOAK_RESTART,
  SOAK_N_EVENTS
} SoakEvent;

typedef struct
{
  TestPads pads;
  GRand *random;
  guint number, every_s; /* an event about every so many seconds */
  gboolean tail, s16;
  GstClockTime time; /* of the next row */
  guint64 rows;      /* pushed in all */
  guint64 events[SOAK_N_EVENTS];
  guint n_begun;       /* stream-starts */
  gint loaded, errors; /* atomic: messages */
  gboolean discont;    /* of the next buffer */

  GMutex lock;
  GQueue sequences;   /* (element-type Sequence) what must leave, guarded */
  guint64 taken;      /* windows of the first of them, guarded */
  double first, last; /* states of a window's first and last row, guarded */
  guint64 windows;    /* in all, guarded */
  char *wrong;        /* guarded */
} SoakStream;

void soak_stream_begin (SoakStream *stream, guint number, guint every_s);
/* Pushes @rows, with events between; stops at the first failure. */
void soak_stream_push (SoakStream *stream, guint64 rows);
/* Waits until nothing is under way, and checks that all has left. */
void soak_stream_drain (SoakStream *stream);
/* EOS, and the last windows. */
void soak_stream_end (SoakStream *stream);
