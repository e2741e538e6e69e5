/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Tracking: gives an object the same number on every frame.
 *
 * Each track predicts the box of its object (Kalman filters of constant
 * velocity for its centre and size, "Simple Online and Realtime Tracking",
 * Bewley et al., 2016).  Detections are assigned to predictions by overlap:
 * those of high score first, then those of low score to the remaining tracks
 * ("ByteTrack", Zhang et al., 2022), then those of high score to where objects
 * were last seen ("OC-SORT", Cao et al., 2023).  A lost track is kept for a
 * while.  One thread at a time. */

#pragma once

#include "inference/media/vision/detection.h"
#include "inference/media/track/gallery.h"

typedef struct
{
  float sure;         /* least score of a sure detection */
  float fresh;        /* least score to begin a track */
  float overlap;      /* least IoU of a detection and a prediction */
  float keep;         /* frames for which a lost track is kept */
  guint min_hits;     /* detections before a track gets its id */
  gboolean any_label; /* labels may change along a track */
  guint max_tracks;   /* the longest lost are given up beyond that */
} InferTrackSettings;

#define INFER_TRACK_OVERLAP 0.2
#define INFER_TRACK_DEFAULTS                                                   \
  ((InferTrackSettings){                                                       \
      0.5f, 0.5f, (float) INFER_TRACK_OVERLAP, 30, 1, FALSE, 1000 })

typedef struct
{
  int id;              /* from 1; never reused */
  guint64 first, last; /* times of its first and last detection */
  InferDetection box;  /* predicted for now; the last score and label */
  float missed;        /* frames since its last detection */
  guint hits;
} InferTrack;

typedef struct _InferTracker InferTracker;

InferTracker *infer_tracker_new (const InferTrackSettings *settings);
void infer_tracker_free (InferTracker *tracker); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InferTracker, infer_tracker_free)

/* From now on the tracker knows objects by their looks, too: a detection is an
 * object that was lost, or that @gallery knows and that was seen at most @keep
 * (of the clock of times) ago, if their cosine distance is at most @distance.
 * Ids are the gallery's.  Keeps @gallery; before the first frame.
 * (transfer full) */
void infer_tracker_set_gallery (
    InferTracker *tracker, InferGallery *gallery, float distance, guint64 keep);
/* The looks of the detections of the next update, each [size], of length 1, or
 * NULL; borrowed until then. */
void infer_tracker_set_looks (
    InferTracker *tracker, const float *const *looks, guint size);

/* Takes the @detections [n] of a frame, @frames (may be a fraction) after the
 * previous one, at @time (of any clock).  Sets @tracks [n], valid until the
 * next call; NULL: not tracked, or not yet. */
void infer_tracker_update (InferTracker *tracker, float frames, guint64 time,
    const InferDetection *detections, guint n, const InferTrack **tracks);

/* Takes a frame without detections: only predicts. */
void infer_tracker_skip (InferTracker *tracker, float frames);

/* Returns all tracks that have an id, lost ones too; valid until the next call.
 * (transfer none) (element-type InferTrack) */
const GArray *infer_tracker_list (InferTracker *tracker);

/* Ends all tracks; ids are not reused. */
void infer_tracker_reset (InferTracker *tracker);
