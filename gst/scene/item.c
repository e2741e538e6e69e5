/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <string.h>

#include "gst/scene/settings.h"

void
gst_infer_scene_item_clear (gpointer data)
{
  GstInferSceneItem *item = data;

  g_clear_pointer (&item->id, g_ref_string_release);
  g_free (item->points);
  g_free (item->metres);
  g_strfreev (item->labels);
  g_strfreev (item->masks);
  g_free (item->samples);
}

GstInferSceneSettings *
gst_infer_scene_settings_ref (GstInferSceneSettings *settings)
{
  return g_atomic_rc_box_acquire (settings);
}

static void
clear_settings (gpointer data)
{
  GstInferSceneSettings *settings = data;

  for (guint i = 0; i < settings->n; i++)
    gst_infer_scene_item_clear (&settings->items[i]);
  g_free (settings->items);
}

void
gst_infer_scene_settings_unref (GstInferSceneSettings *settings)
{
  g_atomic_rc_box_release_full (settings, clear_settings);
}

/* --- comparison --- */

static gboolean
are_labels_equal (GStrv a, GStrv b)
{
  return a == NULL || b == NULL
             ? a == b
             : g_strv_equal ((const char *const *) a, (const char *const *) b);
}

gboolean
gst_infer_scene_item_equal (
    const GstInferSceneItem *a, const GstInferSceneItem *b)
{
  return a->kind == b->kind && g_str_equal (a->id, b->id) && a->n == b->n
         && memcmp (a->points, b->points, a->n * sizeof *a->points) == 0
         && are_labels_equal (a->labels, b->labels)
         && a->min_confidence == b->min_confidence && a->anchor == b->anchor
         && a->margin == b->margin && a->loitering == b->loitering
         && a->left == b->left && a->removed == b->removed
         && a->still == b->still && a->object_threshold == b->object_threshold
         && a->time_threshold == b->time_threshold && a->directed == b->directed
         && memcmp (a->direction, b->direction, sizeof a->direction) == 0
         && a->distance == b->distance && a->poses == b->poses
         && a->pose_time == b->pose_time && a->overlap == b->overlap
         && are_labels_equal (a->masks, b->masks) && a->covered == b->covered
         && a->covered_time == b->covered_time && a->reading == b->reading
         && a->reading_votes == b->reading_votes
         && a->reading_share == b->reading_share && a->allowed == b->allowed
         && (a->metres == NULL
             || memcmp (a->metres, b->metres, a->n * sizeof *a->metres) == 0)
         && a->width == b->width && a->limit == b->limit;
}

guint
gst_infer_scene_item_wants (const GstInferSceneItem *item)
{
  return (item->poses != 0 ? GST_INFER_SCENE_WANTS_POSES : 0)
         | (item->anchor == GST_INFER_SCENE_MASK ? GST_INFER_SCENE_WANTS_MASKS
                                                 : 0)
         | (item->reading != GST_INFER_READING_OFF ? GST_INFER_SCENE_WANTS_TEXTS
                                                   : 0);
}
