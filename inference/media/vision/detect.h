/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Detectors: tensors of the model families that people use → boxes. */

#pragma once

#include "infer/error.h"
#include "inference/media/vision/detection.h"

G_BEGIN_DECLS

/* A result as floats, dense. */
typedef struct
{
  const char *name; /* NULL: not known */
  InferShape shape;
  const float *data;
} InferView;

typedef struct
{
  const char *type;     /* model_type; NULL: by names and shapes */
  float threshold;      /* least score */
  float iou;            /* of suppression; < 0: the family's */
  guint max;            /* boxes at most */
  guint classes;        /* how many labels there are; 0: not known */
  guint width, height;  /* of the model's input */
  const float *anchors; /* width, height, in pixels of the input; NULL: own */
  guint n_anchors;      /* pairs */
} InferDetectSettings;

/* A family of models whose outputs have the same form. */
typedef struct
{
  const char *name;
  const char *const *model_types; /* NULL-terminated, lower case */
  float iou; /* of suppression unless the settings say; 0: none is needed */
  /* Whether the outputs have this form; data of @views is NULL. */
  gboolean (*suits) (
      const InferDetectSettings *settings, const InferView *views, guint n);
  /* Appends; boxes may reach beyond the input.  No view is empty. */
  gboolean (*run) (const InferDetectSettings *settings, const InferView *views,
      guint n, InferDetections *found, GError **error);
} InferDetector;

#define DETECTOR(name) extern const InferDetector infer_detector_##name;
#include "inference/media/vision/detector-list.h"
#undef DETECTOR

/* The first that settings->type names and that suits, else the first that it
 * names, else the first that suits.  NULL: none. */
const InferDetector *infer_detector_find (
    const InferDetectSettings *settings, const InferView *views, guint n);
/* detector->run, for tensors of nothing too: nothing is found. */
gboolean infer_detector_run (const InferDetector *detector,
    const InferDetectSettings *settings, const InferView *views, guint n,
    InferDetections *found, GError **error);
/* TRUE where `infer_detector_find` knows @type (any case). */
gboolean infer_detector_knows (const char *type);

/* --- for families --- */

/* The shape without leading ones, as (rows, columns): rows are all dimensions
 * but the last.  Columns is 0 for a scalar. */
void infer_view_matrix (const InferView *view, gsize *rows, gsize *columns);
/* A dimension counted from the last (1: the last); 1 where there is none. */
gint64 infer_view_dim (const InferView *view, int from_end);
/* The view that has @part in its name; -1: none. */
int infer_view_named (const InferView *views, guint n, const char *part);
/* TRUE where settings->type is @type, in any case. */
gboolean infer_detect_is (
    const InferDetectSettings *settings, const char *type);

/* A label that comes as a float; -1 where it is none. */
int infer_detect_label (float label);
float infer_sigmoid (float x);
/* Returns settings->iou if that is set, @fallback otherwise. */
float infer_detect_iou (const InferDetectSettings *settings, float fallback);

G_END_DECLS
