/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/check/support/detect-case.h"

void
detect_begin (DetectCase *c, guint width, guint height)
{
  *c = (DetectCase){ .settings = { .threshold = 0.5f,
                         .iou = -1,
                         .max = 100,
                         .width = width,
                         .height = height } };
  infer_detections_init (&c->found);
}

float *
detect_add (DetectCase *c, const char *name, InferShape shape)
{
  float *data = g_new0 (float, infer_shape_count (&shape));

  c->views[c->n++] = (InferView){ name, shape, data };
  return data;
}

void
detect_run_views (
    DetectCase *c, const char *detector, const InferView *views, guint n)
{
  const InferDetector *d = infer_detector_find (&c->settings, views, n);
  g_autoptr (GError) error = NULL;

  g_assert_nonnull (d);
  g_assert_cmpstr (d->name, ==, detector);
  infer_detector_run (d, &c->settings, views, n, &c->found, &error);
  g_assert_no_error (error);
}

void
detect_run (DetectCase *c, const char *detector)
{
  detect_run_views (c, detector, c->views, c->n);
}

void
detect_assert_found (
    DetectCase *c, guint i, int label, float score, const float *box)
{
  g_assert_cmpuint (i, <, c->found.items->len);
  const InferDetection *d = infer_detections_get (&c->found, i);
  g_assert_cmpint (d->label, ==, label);
  g_assert_cmpfloat_with_epsilon (d->score, score, 1e-5);
  g_assert_cmpfloat_with_epsilon (d->x0, box[0], 1e-3);
  g_assert_cmpfloat_with_epsilon (d->y0, box[1], 1e-3);
  g_assert_cmpfloat_with_epsilon (d->x1, box[2], 1e-3);
  g_assert_cmpfloat_with_epsilon (d->y1, box[3], 1e-3);
}

void
detect_end (DetectCase *c, guint n)
{
  g_assert_cmpuint (c->found.items->len, ==, n);
  for (guint i = 0; i < c->n; i++)
    g_free ((gpointer) (gsize) c->views[i].data);
  infer_detections_clear (&c->found);
}
