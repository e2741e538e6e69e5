/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/scene/objects.h"

#include "gst/scene/masks.h"
#include "gst/scene/pose.h"

#include <gst/video/gstvideometa.h>
#include <math.h>

/* Params and fields by quark: this is done for each object of each frame. */
typedef struct
{
  GQuark detection, object_id, id, confidence, text, label, sides[4];
} Names;

static const Names *
names_of (void)
{
  static gsize done = 0;
  static Names names;

  if (g_once_init_enter (&done)) {
    names = (Names){
      g_quark_from_static_string ("detection"),
      g_quark_from_static_string ("object_id"),
      g_quark_from_static_string ("id"),
      g_quark_from_static_string ("confidence"),
      g_quark_from_static_string ("text"),
      g_quark_from_static_string ("label"),
      { g_quark_from_static_string ("x_min"),
          g_quark_from_static_string ("y_min"),
          g_quark_from_static_string ("x_max"),
          g_quark_from_static_string ("y_max") },
    };
    g_once_init_leave (&done, 1);
  }
  return &names;
}

static gboolean
read_double (const GstStructure *s, GQuark name, double *to)
{
  const GValue *value = gst_structure_id_get_value (s, name);

  if (value == NULL || !G_VALUE_HOLDS_DOUBLE (value))
    return FALSE;
  *to = g_value_get_double (value);
  return TRUE;
}

/* The fractions of "detection" are exact, but stay what they were where the
 * frame is cropped: then the whole pixels of the meta are right. */
static void
refine_box (const Names *names, const GstStructure *s, const double size[4],
    double box[4])
{
  double exact[4];

  for (guint i = 0; i < 4; i++)
    if (!read_double (s, names->sides[i], &exact[i])
        || !(fabs (exact[i] - box[i]) * size[i] < 2))
      return;
  for (guint i = 0; i < 4; i++)
    box[i] = exact[i];
}

/* FALSE: it is no object, or (*@untracked counts them) has no identity. */
static gboolean
read_object (const Names *names, const GstVideoRegionOfInterestMeta *roi,
    const GstVideoInfo *video, GstInferSceneObject *object, guint *untracked)
{
  const double w = GST_VIDEO_INFO_WIDTH (video);
  const double h = GST_VIDEO_INFO_HEIGHT (video);
  const double size[4] = { w, h, w, h };
  double box[4] = { roi->x / w, roi->y / h, ((double) roi->x + roi->w) / w,
    ((double) roi->y + roi->h) / h };
  gboolean found = FALSE;

  *object = (GstInferSceneObject){
    .label = roi->roi_type, .confidence = 1, .roi_id = roi->id
  };
  for (const GList *l = roi->params; l != NULL; l = l->next) {
    const GstStructure *s = l->data;
    const GQuark name = gst_structure_get_name_id (s);
    const GValue *id;

    if (name == names->detection) {
      found = TRUE;
      refine_box (names, s, size, box);
      read_double (s, names->confidence, &object->confidence);
    } else if (name == names->object_id) {
      id = gst_structure_id_get_value (s, names->id);
      if (id != NULL && G_VALUE_HOLDS_INT (id))
        object->id = g_value_get_int (id);
    }
  }
  object->x0 = box[0], object->y0 = box[1];
  object->x1 = box[2], object->y1 = box[3];
  *untracked += found && object->id == 0;
  return object->id != 0;
}

/* Of those with the keypoints of a body. */
static void
read_poses (GstBuffer *buffer, const GstVideoInfo *video, GArray *objects)
{
  const double width = (double) GST_VIDEO_INFO_PAR_N (video)
                       / MAX (GST_VIDEO_INFO_PAR_D (video), 1);
  gpointer state = NULL;
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta_filtered (
              buffer, &state, GST_INFER_KEYPOINTS_META_API_TYPE))) {
    const GstInferKeypointsMeta *body =
        (const GstInferKeypointsMeta *) (gpointer) meta;

    if (body->kind != GST_INFER_KEYPOINTS_BODY || body->roi_id == -1)
      continue;
    for (guint i = 0; i < objects->len; i++) {
      GstInferSceneObject *object =
          &g_array_index (objects, GstInferSceneObject, i);

      if (object->roi_id == body->roi_id && object->pose == 0)
        object->pose = gst_infer_pose_of (body->points, body->n, width);
    }
  }
}

static const GstStructure *
find_text (const Names *names, const GstVideoRegionOfInterestMeta *roi)
{
  for (const GList *l = roi->params; l != NULL; l = l->next)
    if (gst_structure_get_name_id (l->data) == names->text)
      return l->data;
  return NULL;
}

/* The text of an object's own region, or of one that was found in it: the plate
 * of a car. */
static void
read_texts (GstBuffer *buffer, const Names *names, GArray *objects)
{
  gpointer state = NULL;
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta_filtered (
              buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE))) {
    const GstVideoRegionOfInterestMeta *roi =
        (const GstVideoRegionOfInterestMeta *) (gpointer) meta;
    const GstStructure *s = find_text (names, roi);
    const GValue *label =
        s != NULL ? gst_structure_id_get_value (s, names->label) : NULL;

    if (label == NULL || !G_VALUE_HOLDS_STRING (label))
      continue;
    for (guint i = 0; i < objects->len; i++) {
      GstInferSceneObject *object =
          &g_array_index (objects, GstInferSceneObject, i);

      if (object->text != NULL
          || (object->roi_id != roi->id && object->roi_id != roi->parent_id))
        continue;
      object->text = g_value_get_string (label);
      object->text_confidence = 1;
      read_double (s, names->confidence, &object->text_confidence);
    }
  }
}

void
gst_infer_scene_read_objects (GstBuffer *buffer, const GstVideoInfo *video,
    GstInferSceneState *scene, GArray *objects, guint *untracked)
{
  const guint wants = gst_infer_scene_state_wants (scene);
  const Names *names = names_of ();
  gpointer state = NULL;
  GstInferSceneObject object;
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta_filtered (
              buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)))
    if (read_object (names,
            (const GstVideoRegionOfInterestMeta *) (gpointer) meta, video,
            &object, untracked))
      g_array_append_val (objects, object);
  if ((wants & GST_INFER_SCENE_WANTS_POSES) != 0)
    read_poses (buffer, video, objects);
  if ((wants & GST_INFER_SCENE_WANTS_MASKS) != 0)
    gst_infer_scene_read_masks (buffer, video, objects);
  if ((wants & GST_INFER_SCENE_WANTS_TEXTS) != 0)
    read_texts (buffer, names, objects);
  gst_infer_scene_read_areas (buffer, video, scene);
}
