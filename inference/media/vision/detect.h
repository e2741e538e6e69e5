/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Detectors: from the tensors of a model family to boxes. */

#pragma once

#include "infer/error.h"
#include "inference/media/vision/detection.h"

/* An output of the model as dense floats. */
typedef struct
{
  const char *name; /* nullable */
  InferShape shape;
  const float *data;
} InferView;

typedef struct
{
  const char *type;     /* model_type; NULL: not known */
  float threshold;      /* least score */
  float iou;            /* of suppression; < 0: the family's */
  guint max;            /* most boxes */
  guint classes;        /* number of labels; 0: not known */
  guint width, height;  /* of the model's input */
  const float *anchors; /* width, height in pixels of the input; NULL:
                         * the family's */
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
  /* Appends to @found; boxes may reach beyond the input.  No view is empty. */
  gboolean (*run) (const InferDetectSettings *settings, const InferView *views,
      guint n, InferDetections *found, GError **error);
} InferDetector;

#define DETECTOR(name) extern const InferDetector infer_detector_##name;
#include "inference/media/vision/detector-list.h"
#undef DETECTOR

/* Returns the first family that settings->type names and that suits, else the
 * first that it names, else the first that suits, else NULL. */
const InferDetector *infer_detector_find (
    const InferDetectSettings *settings, const InferView *views, guint n);
/* Calls detector->run unless a view is empty: then nothing is found. */
gboolean infer_detector_run (const InferDetector *detector,
    const InferDetectSettings *settings, const InferView *views, guint n,
    InferDetections *found, GError **error);
/* Whether a family has @type, in any case. */
gboolean infer_detector_knows (const char *type);

/* --- for families --- */

/* Gets the shape as a matrix: columns is the last dimension, rows the product
 * of the others.  Columns is 0 for a scalar. */
void infer_view_matrix (const InferView *view, gsize *rows, gsize *columns);
/* Returns a dimension counted from the last (1: the last), 1 if there is none.
 */
gint64 infer_view_dim (const InferView *view, int from_end);
/* Returns the first view with @part in its name, -1 if there is none. */
int infer_view_named (const InferView *views, guint n, const char *part);
/* Whether settings->type is @type, in any case. */
gboolean infer_detect_is (
    const InferDetectSettings *settings, const char *type);
/* The same for any of @types, NULL-terminated. */
gboolean infer_detect_is_any (
    const InferDetectSettings *settings, const char *const *types);

/* Converts a label that is stored as a float; -1 if it is not a label. */
int infer_detect_label (float label);
float infer_sigmoid (float x);
/* Returns settings->iou if that is set, @fallback otherwise. */
float infer_detect_iou (const InferDetectSettings *settings, float fallback);
