/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A clock that can be halted, in nanoseconds.  One thread at a time. */

#pragma once

#include <glib.h>

typedef struct
{
  guint64 lost;      /* while it was halted */
  guint64 halted_at; /* 0: it goes */
} GstInferHaltingClock;

/* @now: of gst_util_get_timestamp(). */
static inline guint64
gst_infer_halting_clock_get (const GstInferHaltingClock *clock, guint64 now)
{
  return clock->halted_at > 0 ? clock->halted_at - clock->lost
                              : now - clock->lost;
}

static inline void
gst_infer_halting_clock_set (
    GstInferHaltingClock *clock, guint64 now, gboolean halted)
{
  if (clock->halted_at > 0)
    clock->lost += now - clock->halted_at;
  clock->halted_at = halted ? now : 0;
}
