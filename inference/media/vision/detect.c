/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/media/vision/detect.h"

#include <math.h>
#include <string.h>

static const InferDetector *const detectors[] = {
#define DETECTOR(name) &infer_detector_##name,
#include "inference/media/vision/detector-list.h"
#undef DETECTOR
};

gboolean
infer_detector_knows (const char *type)
{
  const InferDetectSettings settings = { .type = type };

  for (guint i = 0; i < G_N_ELEMENTS (detectors); i++)
    if (infer_detect_is_any (&settings, detectors[i]->model_types))
      return TRUE;
  return FALSE;
}

const InferDetector *
infer_detector_find (
    const InferDetectSettings *settings, const InferView *views, guint n)
{
  const InferDetector *named = NULL, *suits = NULL;

  for (guint i = G_N_ELEMENTS (detectors); i-- > 0;) {
    const InferDetector *detector = detectors[i];
    gboolean fits = detector->suits (settings, views, n);

    /* Several families may have one type: prefer one that suits. */
    if (infer_detect_is_any (settings, detector->model_types)
        && (fits || named == NULL || !named->suits (settings, views, n)))
      named = detector;
    if (fits)
      suits = detector;
  }
  return named != NULL ? named : suits;
}

gboolean
infer_detector_run (const InferDetector *detector,
    const InferDetectSettings *settings, const InferView *views, guint n,
    InferDetections *found, GError **error)
{
  for (guint i = 0; i < n; i++)
    if (infer_shape_count (&views[i].shape) == 0)
      return TRUE;
  return detector->run (settings, views, n, found, error);
}

void
infer_view_matrix (const InferView *view, gsize *rows, gsize *columns)
{
  int rank = view->shape.rank;

  *columns = rank > 0 ? (gsize) view->shape.dims[rank - 1] : 0;
  *rows = *columns > 0 ? infer_shape_count (&view->shape) / *columns : 0;
}

gint64
infer_view_dim (const InferView *view, int from_end)
{
  return from_end <= view->shape.rank
             ? view->shape.dims[view->shape.rank - from_end]
             : 1;
}

int
infer_view_named (const InferView *views, guint n, const char *part)
{
  for (guint i = 0; i < n; i++)
    if (views[i].name != NULL && strstr (views[i].name, part) != NULL)
      return (int) i;
  return -1;
}

gboolean
infer_detect_is (const InferDetectSettings *settings, const char *type)
{
  return settings->type != NULL
         && g_ascii_strcasecmp (settings->type, type) == 0;
}

gboolean
infer_detect_is_any (
    const InferDetectSettings *settings, const char *const *types)
{
  for (; *types != NULL; types++)
    if (infer_detect_is (settings, *types))
      return TRUE;
  return FALSE;
}

int
infer_detect_label (float label)
{
  return label >= 0 && label < 1e6f ? (int) label : -1;
}

float
infer_sigmoid (float x)
{
  return 1.0f / (1.0f + expf (-x));
}

float
infer_detect_iou (const InferDetectSettings *settings, float fallback)
{
  return settings->iou >= 0 ? settings->iou : fallback;
}
