/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Shared by the files of bench/live. */

#pragma once

#include <gst/gst.h>

/* --- models.c --- */

typedef struct
{
  const char *name;
  const char *model, *weights; /* absolute, or below the shared folder; weights
                                  nullable */
  const char *properties;      /* of inferfilter, "KEY=VALUE KEY=VALUE";
                                  nullable */
  const char *caps;
  guint part_us, part_size; /* of a buffer */
  guint window_us;          /* from one result to the next */
} LiveModel;

extern const LiveModel live_models[]; /* ends with a name of NULL */

/* NULL: there is none of this name. */
const LiveModel *live_model_find (const char *name);

/* --- run.c --- */

typedef struct
{
  const LiveModel *model;
  const char *shared;      /* folder */
  char *const *properties; /* further ones, NULL-terminated */
  guint n_streams, seconds;
  gboolean fast;     /* as fast as possible, not at the pace of a clock */
  gboolean one_core; /* the whole process on one processor */
} LiveCase;

typedef struct
{
  guint window_us;
  guint results, wanted;     /* wanted: 0 where it is as fast as possible */
  guint blocked;             /* pushes that took longer than a buffer lasts */
  double p50, p95, p99, max; /* ms from the end of a window to its result */
  double pushed_p99;         /* ms from the push of its last buffer */
  double seconds;            /* that it took */
  double processors;         /* in use, mean */
  double megabytes;          /* resident, at the end */
} LiveFigures;

/* In a process of its own.  FALSE: it has failed, and said why. */
gboolean live_run (const LiveCase *c, LiveFigures *figures);
