/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Sequences of one model: their state sets and the order of their steps.
 * Guarded by the model's lock. */

#pragma once

#include "infer/state.h"
#include "protocol/infer.h"

/* Shared by the sequences of all models; atomic. */
typedef struct
{
  int most_sequences;
  gsize most_bytes;
  gint64 idle_us;
  int sequences; /* that there are */
  gsize bytes;   /* of their states */
} ServeLimits;

typedef struct
{
  char *key; /* "5" of an integer, "'5'" of a string */
  InferStateSet *states;
  gsize bytes;    /* of its states, as counted in the limits */
  gboolean busy;  /* a step runs or waits for a request */
  gboolean ended; /* by sequence_end, or by a reload of the model */
  GQueue waiting; /* calls, after the one that is busy */
  gint64 used;    /* when its last step ended, µs */
} ServeSequence;

typedef struct
{
  GHashTable *table; /* key → ServeSequence */
  ServeLimits *limits;
} ServeSequences;

void serve_sequences_init (ServeSequences *sequences, ServeLimits *limits);
void serve_sequences_clear (ServeSequences *sequences);

/* What the parameters of a request say of its sequence. */
typedef struct
{
  char *key; /* NULL: none */
  gboolean start, end, checkpoint;
} ServeStep;
void serve_step_clear (ServeStep *step);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ServeStep, serve_step_clear)
gboolean serve_step_read (
    const ProtocolInfer *request, ServeStep *step, GError **error);

/* The sequence of @step, made if it starts.  INFER_ERROR_NOT_FOUND: it is not
 * known; INFER_ERROR_NO_MEMORY: there are too many. */
ServeSequence *serve_sequences_find (ServeSequences *sequences,
    const ServeStep *step, const InferModel *model, GError **error);
/* After a step: counts the bytes of the states. */
void serve_sequences_account (
    ServeSequences *sequences, ServeSequence *sequence);
void serve_sequences_remove (
    ServeSequences *sequences, ServeSequence *sequence);
/* Removes those that have been idle for too long at @now. */
void serve_sequences_expire (ServeSequences *sequences, gint64 now);
