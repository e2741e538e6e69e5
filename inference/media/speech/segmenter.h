/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Utterances in a stream of probabilities of speech: by the rules of
 * media/vad.h, and cut where they become too long.
 *
 * A cut lies at the quietest place of the utterance's last part.  Both sides
 * get the samples around it, so that no word is lost; media/speech/agree.h
 * joins their words.
 *
 * Times are in any one unit.  One thread at a time. */

#pragma once

#include "inference/media/vad.h"

typedef struct
{
  InferVadConfig vad;
  /* Longest utterance; 0: any.  While it has been silent for less than
   * `min_silence` it may still end by itself, and is not cut. */
  guint64 max_speech;
  guint64 search; /* how much of its end is searched for the cut */
  /* Twice of what the second utterance has of the sound before the cut; the
   * first has all that came until it was decided. */
  guint64 overlap;
  /* Silence after which INFER_SEGMENT_SILENCE is told, again and again; 0:
   * never. */
  guint64 max_silence;
} InferSegmenterConfig;

typedef enum
{
  INFER_SEGMENT_START,   /* an utterance begins at `time` */
  INFER_SEGMENT_END,     /* it ends at `time`, which may be its beginning */
  INFER_SEGMENT_CUT,     /* it goes on as another one; they meet at `time` */
  INFER_SEGMENT_SILENCE, /* nothing was said from `begin` to `time` */
} InferSegmentEventType;

typedef struct
{
  InferSegmentEventType type;
  guint64 time;
  /* CUT: what both have in common, from where the second begins to where the
   * first ends; begin ≤ time ≤ end. */
  guint64 begin, end;
  float probability; /* of the window that decided it */
} InferSegmentEvent;

typedef struct _InferSegmenter InferSegmenter;

/* max_speech must be 0 or more than `search` and `overlap`, else both are
 * shortened to half of it.  (transfer full) */
InferSegmenter *infer_segmenter_new (const InferSegmenterConfig *config);
void infer_segmenter_free (InferSegmenter *segmenter); /* NULL is fine */
/* Forgets the stream. */
void infer_segmenter_reset (InferSegmenter *segmenter);
/* Changes the thresholds from the next window on. */
void infer_segmenter_set_thresholds (
    InferSegmenter *segmenter, double threshold, double neg_threshold);

/* Takes the window from @begin to @end with the probability of speech and its
 * @energy (mean square), and appends what is decided to @events (element-type
 * InferSegmentEvent). */
void infer_segmenter_push (InferSegmenter *segmenter, float probability,
    float energy, guint64 begin, guint64 end, GArray *events);
/* The stream ends here; resets. */
void infer_segmenter_finish (InferSegmenter *segmenter, GArray *events);

/* An utterance has begun and not ended; *@start (nullable): where. */
gboolean infer_segmenter_is_open (
    const InferSegmenter *segmenter, guint64 *start);
/* Where the open utterance ends if the silence in which it is goes on; 0: it is
 * in none. */
guint64 infer_segmenter_expected_end (const InferSegmenter *segmenter);
/* No event to come is before this, and none but CUT and END of the open
 * utterance: nothing begins before it. */
guint64 infer_segmenter_decided (const InferSegmenter *segmenter);
/* The longest time from a sample to the decision whether it belongs to an
 * utterance, for windows of @step, unless the probability stays between the
 * thresholds. */
guint64 infer_segmenter_delay (
    const InferSegmenterConfig *config, guint64 step);
