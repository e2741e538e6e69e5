/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Objects as peaks of a heatmap [1,C,H,W]: CenterNet (width and height
 * [1,2,H,W] in cells, offset [1,2,H,W]: x, y) and CenterFace (heatmap of one
 * class, log sizes and offsets with y first, five landmarks [1,10,H,W] as
 * fractions of the box).  "Objects as Points" (Zhou et al., 2019); "CenterFace"
 * (Xu et al., 2019). */

#include <math.h>

#include "inference/media/vision/detect.h"

#define FACE_IOU 0.3f /* of suppression, for CenterFace */

typedef struct
{
  const InferView *heat, *size, *offset, *points;
  gsize h, w;
  guint classes;
  gboolean face, logits;
} Center;

static gboolean
same_cells (const InferView *views, guint n)
{
  for (guint i = 0; i < n; i++)
    if (views[i].shape.rank != 4 || views[i].shape.dims[0] != 1
        || views[i].shape.dims[2] != views[0].shape.dims[2]
        || views[i].shape.dims[3] != views[0].shape.dims[3])
      return FALSE;
  return TRUE;
}

/* By name, else the first without 2 channels, else the first. */
static guint
find_heatmap (const InferView *views, guint n, int points)
{
  int named = infer_view_named (views, n, "hm");

  if (named < 0)
    named = infer_view_named (views, n, "heat");
  for (guint i = 0; i < n && named < 0; i++)
    if (views[i].shape.dims[1] != 2 && (int) i != points)
      named = (int) i;
  return (guint) MAX (named, 0);
}

/* By name if the names tell, else in the order of all known exports: heatmap,
 * sizes, offsets. */
static gboolean
find_roles (const InferView *views, guint n, Center *c)
{
  int offset = infer_view_named (views, n, "off");
  int points = -1;
  const InferView *twos[2] = { NULL, NULL };
  guint n_twos = 0, heat;

  if ((n != 3 && n != 4) || !same_cells (views, n))
    return FALSE;
  if (offset < 0)
    offset = infer_view_named (views, n, "reg");
  for (guint i = 0; i < n && n == 4; i++)
    if (views[i].shape.dims[1] == 10)
      points = (int) i;
  heat = find_heatmap (views, n, points);
  for (guint i = 0; i < n; i++)
    if (views[i].shape.dims[1] == 2 && i != heat && n_twos < 2)
      twos[n_twos++] = &views[i];
  if (n_twos != 2 || (n == 4 && points < 0))
    return FALSE;
  c->heat = &views[heat];
  c->points = points >= 0 ? &views[points] : NULL;
  c->size = offset >= 0 && twos[0] == &views[offset] ? twos[1] : twos[0];
  c->offset = c->size == twos[0] ? twos[1] : twos[0];
  c->classes = (guint) c->heat->shape.dims[1];
  c->h = (gsize) c->heat->shape.dims[2];
  c->w = (gsize) c->heat->shape.dims[3];
  c->face = c->points != NULL;
  return TRUE;
}

static gboolean
suits (const InferDetectSettings *settings, const InferView *views, guint n)
{
  Center c = { 0 };

  return find_roles (views, n, &c);
}

static gboolean
is_peak (const Center *c, const float *plane, gsize y, gsize x)
{
  float value = plane[y * c->w + x];

  for (gsize j = y > 0 ? y - 1 : 0; j <= MIN (y + 1, c->h - 1); j++)
    for (gsize i = x > 0 ? x - 1 : 0; i <= MIN (x + 1, c->w - 1); i++)
      if (plane[j * c->w + i] > value)
        return FALSE;
  return TRUE;
}

static void
append (const Center *c, const InferDetectSettings *s, gsize y, gsize x,
    float score, int label, InferDetections *found)
{
  gsize at = y * c->w + x, area = c->h * c->w;
  float sx = (float) s->width / (float) c->w;
  float sy = (float) s->height / (float) c->h;
  float first = c->size->data[at], second = c->size->data[area + at];
  float w = c->face ? expf (second) * sx : first * sx;
  float h = c->face ? expf (first) * sy : second * sy;
  float ox = c->offset->data[c->face ? area + at : at];
  float oy = c->offset->data[c->face ? at : area + at];
  float half = c->face ? 0.5f : 0;
  float cx = ((float) x + ox + half) * sx, cy = ((float) y + oy + half) * sy;
  InferDetection d = { cx - w / 2, cy - h / 2, cx + w / 2, cy + h / 2, score,
    label, found->points->len };

  for (guint k = 0; k < found->points_per_item; k++) {
    const float *p = c->points->data + 2 * k * area + at;
    InferPoint point = { d.x0 + p[area] * w, d.y0 + p[0] * h, 1 };

    g_array_append_val (found->points, point);
  }
  g_array_append_val (found->items, d);
}

static gboolean
run (const InferDetectSettings *s, const InferView *views, guint n,
    InferDetections *found, GError **error)
{
  gsize cells, area;
  Center c = { 0 };

  if (!find_roles (views, n, &c))
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "center: the outputs are not a heatmap [1,C,H,W] with sizes and offsets "
        "[1,2,H,W]");
  area = c.h * c.w;
  cells = c.classes * area;
  for (gsize i = 0; i < cells && !c.logits; i++)
    c.logits = c.heat->data[i] < 0 || c.heat->data[i] > 1;
  found->points_per_item = c.face ? 5 : 0;
  for (guint k = 0; k < c.classes; k++) {
    const float *plane = c.heat->data + k * area;

    for (gsize i = 0; i < area; i++) {
      float score = c.logits ? infer_sigmoid (plane[i]) : plane[i];

      if (score >= s->threshold && is_peak (&c, plane, i / c.w, i % c.w))
        append (&c, s, i / c.w, i % c.w, score, (int) k, found);
    }
  }
  infer_detections_suppress (found,
      infer_detect_iou (s, c.face ? FACE_IOU : infer_detector_center.iou),
      FALSE, s->max);
  return TRUE;
}

const InferDetector infer_detector_center = {
  .name = "center",
  .model_types =
      (const char *const[]){ "centernet", "centerface", "heatmap_boxes", NULL },
  .iou = 0.5f,
  .suits = suits,
  .run = run,
};
