/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Tracking: the same object keeps its number from frame to frame.
 *
 * Each track predicts where its object is (a Kalman filter of constant velocity
 * for either side of the box, "Simple Online and Realtime Tracking", Bewley et
 * al., 2016); detections are assigned to predictions by overlap, sure ones
 * first, then unsure ones to what is left ("ByteTrack", Zhang et al., 2022);
 * what was not seen is kept for a while, and found again near to where it
 * should be. */

#pragma once

#include "inference/media/vision/detection.h"

G_BEGIN_DECLS

typedef struct
{
  float sure;         /* score of a sure detection; 0.5 */
  float fresh;        /* score to begin a track; 0.5 */
  float overlap;      /* least IoU; 0.2 */
  float keep;         /* frames that a lost object is waited for; 30 */
  guint min_hits;     /* detections before it is given out; 1 */
  gboolean any_label; /* labels may change along a track */
} InferTrackSettings;

#define INFER_TRACK_DEFAULTS                                                   \
  ((InferTrackSettings){ 0.5f, 0.5f, 0.2f, 30, 1, FALSE })

typedef struct
{
  int id;             /* from 1; never used again */
  InferDetection box; /* where it should be now; the last score and label */
  float missed;       /* frames since it was seen */
  guint hits;
} InferTrack;

typedef struct _InferTracker InferTracker;

InferTracker *infer_tracker_new (const InferTrackSettings *settings);
void infer_tracker_free (InferTracker *tracker); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InferTracker, infer_tracker_free)

/* The next frame, @frames (may be a fraction) after the one before.
 * @detections [n]; @ids [n] are set: 0: not tracked (yet). */
void infer_tracker_update (InferTracker *tracker, float frames,
    const InferDetection *detections, guint n, int *ids);

/* A frame that nobody looked at: predictions only. */
void infer_tracker_skip (InferTracker *tracker, float frames);

/* All tracks that are given out, lost ones too.  (transfer none) (element-type
 * InferTrack); until the next call. */
const GArray *infer_tracker_list (InferTracker *tracker);

/* Forgets all tracks; numbers go on. */
void infer_tracker_reset (InferTracker *tracker);

G_END_DECLS
