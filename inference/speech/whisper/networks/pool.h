/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Requests that hold nothing of a stream are shared by the streams of a model,
 * since their working memory is large. */

#pragma once

#include <glib.h>

typedef struct
{
  GMutex lock;
  GCond given_back;
  GPtrArray *idle; /* nobody uses them */
  guint n;         /* that there are */
  guint most;      /* with more, streams would only take memory */
} WhisperPool;

/* @owner: as given to whisper_pool_take.  (transfer full) */
typedef gpointer (*WhisperPoolMake) (gconstpointer owner, GError **error);

void whisper_pool_init (WhisperPool *pool, guint most, GDestroyNotify free);
/* All are given back.  Nothing for a pool of zeros. */
void whisper_pool_clear (WhisperPool *pool);
/* An idle one, or a new one; where there are as many as there may be, waits for
 * one.  NULL: it cannot be made, or the run is cancelled (base/cancel.h).  Any
 * thread.  (transfer full) */
gpointer whisper_pool_take (WhisperPool *pool, WhisperPoolMake make,
    gconstpointer owner, GError **error);
/* @taken: (transfer full) */
void whisper_pool_give_back (WhisperPool *pool, gpointer taken);
