/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Speech in a stream of probabilities: where it starts and ends, by the rules
 * that silero-vad's utilities apply to a whole recording, as soon as they are
 * decided.
 *
 *  - Speech begins with the first window of at least `threshold`; it ends with
 *    the first of those below `neg_threshold` after which none reaches
 *    `threshold` for `min_silence`.
 *  - Speech that is not longer than `min_speech` is dropped.
 *  - Both ends are moved outwards by `pad`; where two would meet, to the middle
 *    between them; never beyond the stream.
 *
 * Times are in any one unit.  One thread at a time. */

#pragma once

#include <glib.h>

typedef struct
{
  double threshold, neg_threshold; /* 0 … 1 */
  guint64 min_speech, min_silence, pad;
} InferVadConfig;

typedef struct
{
  gboolean speech; /* it starts; FALSE: it ends */
  guint64 time;
  float probability; /* of the window that decided it */
} InferVadEvent;

typedef struct
{
  InferVadConfig config;
  gboolean begun;
  guint64 base, now; /* of the stream: its start, and how far it is known */
  float latest;      /* probability */

  /* Speech that may be too short, and speech that was reported (`told`). */
  gboolean speaking, told;
  guint64 start;
  float start_probability;
  gboolean silent; /* below neg_threshold since `silence` */
  guint64 silence;

  /* An end that the next start may move. */
  gboolean ending;
  guint64 end;
  float end_probability;
} InferVad;

/* Forgets the stream. */
void infer_vad_reset (InferVad *vad);

/* Takes the probability of the window from @begin to @end, and appends what is
 * decided to @events (element-type InferVadEvent). */
void infer_vad_push (InferVad *vad, float probability, guint64 begin,
    guint64 end, GArray *events);
/* The stream ends here; resets. */
void infer_vad_finish (InferVad *vad, GArray *events);

/* No event to come is before this. */
guint64 infer_vad_decided (const InferVad *vad);
/* How long after its time an event is decided, in windows of @step, unless
 * silences shorter than `min_silence` delay it. */
guint64 infer_vad_delay (const InferVadConfig *config, guint64 step);
