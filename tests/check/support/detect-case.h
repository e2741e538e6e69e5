/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Hand-made tensors, and the detections expected from them. */

#pragma once

#include "inference/media/vision/detect.h"

typedef struct
{
  InferView views[4];
  guint n;
  InferDetectSettings settings;
  InferDetections found;
} DetectCase;

void detect_begin (DetectCase *c, guint width, guint height);
/* Adds a zeroed tensor of @shape; returns its data (transfer none). */
float *detect_add (DetectCase *c, const char *name, InferShape shape);
/* Runs @detector, which must be chosen for these views. */
void detect_run_views (
    DetectCase *c, const char *detector, const InferView *views, guint n);
void detect_run (DetectCase *c, const char *detector);
void detect_assert_found (
    DetectCase *c, guint i, int label, float score, const float *box);
/* Checks that there are exactly @n detections. */
void detect_end (DetectCase *c, guint n);

#define BOX(...) ((const float[4]){ __VA_ARGS__ })
#define SHAPE(...)                                                             \
  infer_shape_new (sizeof ((gint64[]){ __VA_ARGS__ }) / sizeof (gint64),       \
      (const gint64[]){ __VA_ARGS__ })
