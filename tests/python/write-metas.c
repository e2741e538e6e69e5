/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* writemetas: adds metas of every kind to each frame, and writes the values
 * that the C API then reads from them to the file `location`, a line of JSON
 * for each frame. */

#include <gst/base/gstbasetransform.h>
#include <gst/infer/infer.h>
#include <math.h>

#include "tests/python/told.h"

#define WIDTH 64
#define HEIGHT 48

typedef struct
{
  GstBaseTransform parent;
  char *location;
  GString *lines;
} WriteMetas;

typedef struct
{
  GstBaseTransformClass parent;
} WriteMetasClass;

GType write_metas_get_type (void);
G_DEFINE_TYPE (WriteMetas, write_metas, GST_TYPE_BASE_TRANSFORM)

/* --- what is added --- */

static void
add_objects (GstBuffer *buffer, int frame)
{
  const GstInferBox box = { 1.25f, 2.5f, 30.75f, 40.125f },
                    part = { 4, 5, 10.5f, 12.25f };
  const GstInferLabel face = { "face", 3, 0.8125, "faces", "boxes" },
                      nose = { "nose ü", -1, 0.1, NULL, NULL };
  GstVideoRegionOfInterestMeta *roi =
      gst_infer_add_object (buffer, WIDTH, HEIGHT, &box, &face, -1);

  for (int i = 0; i < 3; i++) {
    const GstInferLabel said = { i == 1 ? "glad" : "calm", i, 0.25 + 0.1 * i,
      "moods", i == 2 ? NULL : "prob" };

    gst_infer_add_label (buffer, roi, "classification", &said);
    gst_infer_add_label (
        buffer, NULL, i == 2 ? "text" : "classification", &said);
  }
  gst_infer_set_object_id (buffer, roi, 7 + frame, 0, 0, FALSE);
  gst_infer_set_object_region (buffer, roi, WIDTH, HEIGHT, &box);
  gst_infer_add_object (buffer, WIDTH, HEIGHT, &part, &nose, roi->id);
}

static void
add_keypoints (GstBuffer *buffer, int frame)
{
  const GstInferKeypoint points[] = { { 1.1 + frame, -2.2, 0.3 },
    { 63.9, 47.000001, 1 } };

  gst_buffer_add_infer_keypoints_meta (
      buffer, GST_INFER_KEYPOINTS_POLYGON, 2, points)
      ->roi_id = 1;
  gst_buffer_add_infer_keypoints_meta (
      buffer, GST_INFER_KEYPOINTS_LOOSE, 1, points);
}

static void
add_masks (GstBuffer *buffer, int frame)
{
  guint8 data[6] = { 0, 1, 2, 255, 4, (guint8) frame };
  g_autoptr (GBytes) bytes = g_bytes_new (data, sizeof data);
  g_autoptr (GPtrArray) labels = g_ptr_array_new_with_free_func (g_free);

  g_ptr_array_add (labels, g_strdup ("road"));
  g_ptr_array_add (labels, g_strdup ("sky"));
  gst_infer_add_mask (buffer, -1, GST_INFER_MASK_CLASSES, 3, 2, bytes,
      (GstInferMap){ 0.5, 1.5, 20, 22.25 }, labels);
  gst_infer_add_mask (buffer, 1, GST_INFER_MASK_SOFT, 2, 3, bytes,
      GST_INFER_MAP_IDENTITY, NULL);
}

static InferTensor *
new_tensor (InferType type, int frame)
{
  const InferShape shape = infer_shape_make (2, (gint64) 2, (gint64) 3);
  g_autoptr (InferTensor) values =
      infer_tensor_new (INFER_TYPE_F64, &shape, NULL);
  InferTensor *tensor = infer_tensor_new (type, &shape, NULL);

  for (int i = 0; i < 6; i++)
    ((double *) values->data)[i] = i * 1.3 + frame;
  g_assert_true (infer_tensor_copy (tensor, values, NULL));
  return tensor;
}

static void
add_tensors (GstBuffer *buffer, int frame)
{
  static const InferType types[] = { INFER_TYPE_BOOLEAN, INFER_TYPE_F64,
    INFER_TYPE_F32, INFER_TYPE_F16, INFER_TYPE_BF16, INFER_TYPE_I64,
    INFER_TYPE_I32, INFER_TYPE_I16, INFER_TYPE_I8, INFER_TYPE_U64,
    INFER_TYPE_U32, INFER_TYPE_U16, INFER_TYPE_U8 };
  InferTensor *tensors[G_N_ELEMENTS (types)];
  const char *names[] = { "first", "second", NULL };
  g_autoptr (GstEvent) info =
      gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM_STICKY,
          gst_structure_new ("infer-model", "model", G_TYPE_STRING, "/m.xml",
              "outputs", G_TYPE_STRV, names, "model_type", G_TYPE_STRING, "ssd",
              "labels", G_TYPE_STRING, "a b", NULL));

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    tensors[i] = new_tensor (types[i], frame);
  GstInferTensorMeta *meta = gst_buffer_add_infer_tensor_meta (
      buffer, G_N_ELEMENTS (types), tensors, info);
  meta->model_instance_id = g_strdup ("one");
  meta->map = (GstInferMap){ -1.5, 2, 0.5, 0.25 };
  meta->input_width = 320;
  meta->input_height = 200;
  meta->roi_id = 1;
  meta->age = (guint) frame;
  meta->decoded = TRUE;
  gst_buffer_add_infer_tensor_meta (buffer, 1, tensors, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    infer_tensor_unref (tensors[i]);
}

/* --- what the C API reads --- */

static void
tell_map (GString *line, const GstInferMap *map)
{
  told_reals (line, "map", 4,
      (const double[]){ map->x, map->y, map->scale_x, map->scale_y });
}

static void
tell_object (GString *line, GstVideoRegionOfInterestMeta *roi)
{
  const GstInferLabel label = gst_infer_object_label (roi);
  const GstInferBox box = gst_infer_object_box (roi, WIDTH, HEIGHT);

  gst_infer_json_begin_item (line, '{');
  gst_infer_json_add_int (line, "id", roi->id);
  gst_infer_json_add_int (line, "parent_id", roi->parent_id);
  gst_infer_json_add_int (line, "track_id", gst_infer_object_id (roi));
  gst_infer_json_add_string (line, "label", label.label);
  told_reals (line, "confidence", 1, &label.confidence);
  told_reals (
      line, "box", 4, (const double[]){ box.x0, box.y0, box.x1, box.y1 });
  gst_infer_json_begin (line, "params", '[');
  for (const GList *l = roi->params; l != NULL; l = l->next) {
    gst_infer_json_begin_item (line, '{');
    told_structure (line, gst_structure_get_name (l->data), l->data);
    g_string_append_c (line, '}');
  }
  g_string_append (line, "]}");
}

static void
tell_keypoints (GString *line, const GstInferKeypointsMeta *meta)
{
  gst_infer_json_begin_item (line, '{');
  gst_infer_json_add_int (line, "kind", meta->kind);
  gst_infer_json_add_int (line, "roi_id", meta->roi_id);
  told_reals (line, "points", meta->n * 3, (const double *) meta->points);
  g_string_append_c (line, '}');
}

static void
tell_mask (GString *line, const GstInferMaskMeta *meta)
{
  gst_infer_json_begin_item (line, '{');
  gst_infer_json_add_int (line, "kind", meta->kind);
  gst_infer_json_add_int (line, "roi_id", meta->roi_id);
  gst_infer_json_add_int (line, "width", meta->width);
  gst_infer_json_add_int (line, "height", meta->height);
  told_bytes (line, "data", g_bytes_get_data (meta->data, NULL),
      g_bytes_get_size (meta->data));
  tell_map (line, &meta->map);
  gst_infer_json_begin (line, "labels", '[');
  for (guint i = 0; meta->labels != NULL && i < meta->labels->len; i++) {
    if (i > 0)
      g_string_append_c (line, ',');
    gst_infer_json_string (line, meta->labels->pdata[i]);
  }
  g_string_append (line, "]}");
}

static void
tell_tensors (GString *line, const GstInferTensorMeta *meta)
{
  gst_infer_json_begin_item (line, '{');
  tell_map (line, &meta->map);
  told_structure (line, "model_info", gst_infer_tensor_meta_model_info (meta));
  gst_infer_json_key (line, "model_instance_id");
  gst_infer_json_string (line, meta->model_instance_id);
  gst_infer_json_add_int (line, "input_width", meta->input_width);
  gst_infer_json_add_int (line, "input_height", meta->input_height);
  gst_infer_json_add_int (line, "roi_id", meta->roi_id);
  gst_infer_json_add_int (line, "age", meta->age);
  gst_infer_json_add_int (line, "decoded", meta->decoded);
  gst_infer_json_begin (line, "tensors", '[');
  for (guint i = 0; i < meta->n; i++) {
    g_autofree char *shape = infer_shape_to_string (&meta->tensors[i]->shape);

    gst_infer_json_begin_item (line, '{');
    gst_infer_json_key (line, "name");
    gst_infer_json_string (line, gst_infer_tensor_meta_name (meta, i));
    gst_infer_json_add_string (
        line, "type", infer_type_name (meta->tensors[i]->type));
    gst_infer_json_add_string (line, "shape", shape);
    gst_infer_json_add_int (
        line, "address", (gint64) (gsize) meta->tensors[i]->data);
    told_bytes (line, "data", meta->tensors[i]->data, meta->tensors[i]->size);
    g_string_append_c (line, '}');
  }
  g_string_append (line, "]}");
}

#define TELL_ALL(line, name, buffer, api, tell, Type)                          \
  G_STMT_START                                                                 \
  {                                                                            \
    gpointer state = NULL;                                                     \
    GstMeta *found;                                                            \
                                                                               \
    gst_infer_json_begin (line, name, '[');                                    \
    while ((found = gst_buffer_iterate_meta_filtered (buffer, &state, api)))   \
      tell (line, (Type *) found);                                             \
    g_string_append_c (line, ']');                                             \
  }                                                                            \
  G_STMT_END

static void
tell_label (GString *line, GstCustomMeta *meta)
{
  gst_infer_json_begin_item (line, '{');
  told_structure (line, "label", gst_custom_meta_get_structure (meta));
  g_string_append_c (line, '}');
}

static void
add_scene (GstBuffer *buffer, int frame)
{
  char *id = g_ref_string_new ("door ü");
  char *text = g_ref_string_new ("MÜ-X 42");
  GstInferScenePoint points[] = { { 1.5, 2 }, { 60, 2.25 + frame },
    { 30, 40 } };
  const GstInferSceneShape shapes[] = {
    { GST_INFER_SCENE_ZONE, id, 3, points, 2, 5, 3, 0.25 },
    { GST_INFER_SCENE_TRIPWIRE, id, 2, points, 0, 7, (guint64) 1 << 40, -1 },
  };
  const GstInferSceneEvent events[] = {
    { .type = GST_INFER_SCENE_EXIT,
        .id = id,
        .object_id = 7 + frame,
        .label = "person",
        .time = GST_SECOND,
        .duration = 5,
        .reason = GST_INFER_SCENE_LOST },
    { .type = GST_INFER_SCENE_SPEED,
        .kind = GST_INFER_SCENE_SPEED_LINE,
        .id = id,
        .duration = GST_CLOCK_TIME_NONE,
        .speed = -1.5 },
    { .type = GST_INFER_SCENE_READING,
        .id = id,
        .object_id = 7,
        .duration = GST_CLOCK_TIME_NONE,
        .text = text,
        .confidence = 0.75 },
  };

  gst_buffer_add_infer_scene_meta (
      buffer, 2, shapes, G_N_ELEMENTS (events), events);
  g_ref_string_release (text);
  g_ref_string_release (id);
}

static void
tell_scene (GString *line, const GstInferSceneMeta *meta)
{
  gst_infer_json_begin_item (line, '{');
  gst_infer_json_begin (line, "shapes", '[');
  for (guint i = 0; i < meta->n_shapes; i++) {
    const GstInferSceneShape *shape = &meta->shapes[i];

    gst_infer_json_begin_item (line, '{');
    gst_infer_json_add_string (
        line, "kind", gst_infer_scene_kind_name (shape->kind));
    gst_infer_json_add_string (line, "id", shape->id);
    told_reals (line, "points", shape->n * 2, (const double *) shape->points);
    gst_infer_json_add_int (line, "count", shape->count);
    gst_infer_json_add_int (line, "in", (gint64) shape->in);
    gst_infer_json_add_int (line, "out", (gint64) shape->out);
    gst_infer_json_add_real (line, "area", shape->area);
    g_string_append_c (line, '}');
  }
  g_string_append_c (line, ']');
  gst_infer_json_begin (line, "events", '[');
  for (guint i = 0; i < meta->n_events; i++) {
    const GstInferSceneEvent *event = &meta->events[i];

    gst_infer_json_begin_item (line, '{');
    gst_infer_json_add_string (
        line, "type", gst_infer_scene_event_name (event->type));
    gst_infer_json_add_string (line, "id", event->id);
    gst_infer_json_add_int (line, "time", (gint64) event->time);
    gst_infer_json_add_int (line, "object_id", event->object_id);
    told_reals (line, "speed", 1, &event->speed);
    gst_infer_json_add_string (line, "text", event->text);
    g_string_append_c (line, '}');
  }
  g_string_append (line, "]}");
}

static GstFlowReturn
write_metas (GstBaseTransform *base, GstBuffer *buffer)
{
  WriteMetas *self = (WriteMetas *) base;
  GString *line = self->lines;
  int frame = (int) GST_BUFFER_OFFSET (buffer);

  add_objects (buffer, frame);
  add_keypoints (buffer, frame);
  add_masks (buffer, frame);
  add_tensors (buffer, frame);
  add_scene (buffer, frame);
  g_string_append_c (line, '{');
  TELL_ALL (line, "objects", buffer, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE,
      tell_object, GstVideoRegionOfInterestMeta);
  TELL_ALL (line, "labels", buffer,
      gst_meta_get_info (GST_INFER_LABEL_META)->api, tell_label, GstCustomMeta);
  TELL_ALL (line, "keypoints", buffer, GST_INFER_KEYPOINTS_META_API_TYPE,
      tell_keypoints, const GstInferKeypointsMeta);
  TELL_ALL (line, "masks", buffer, GST_INFER_MASK_META_API_TYPE, tell_mask,
      const GstInferMaskMeta);
  TELL_ALL (line, "inferences", buffer, GST_INFER_TENSOR_META_API_TYPE,
      tell_tensors, const GstInferTensorMeta);
  TELL_ALL (line, "scenes", buffer, GST_INFER_SCENE_META_API_TYPE, tell_scene,
      const GstInferSceneMeta);
  g_string_append (line, "}\n");
  return GST_FLOW_OK;
}

/* --- the element --- */

static gboolean
stop (GstBaseTransform *base)
{
  WriteMetas *self = (WriteMetas *) base;

  return g_file_set_contents (
      self->location, self->lines->str, (gssize) self->lines->len, NULL);
}

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  ((WriteMetas *) object)->location = g_value_dup_string (value);
}

static void
finalize (GObject *object)
{
  g_free (((WriteMetas *) object)->location);
  g_string_free (((WriteMetas *) object)->lines, TRUE);
  G_OBJECT_CLASS (write_metas_parent_class)->finalize (object);
}

static void
write_metas_class_init (WriteMetasClass *klass)
{
  static GstStaticPadTemplate sink = GST_STATIC_PAD_TEMPLATE (
      "sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);
  static GstStaticPadTemplate src = GST_STATIC_PAD_TEMPLATE (
      "src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

  G_OBJECT_CLASS (klass)->set_property = set_property;
  G_OBJECT_CLASS (klass)->finalize = finalize;
  g_object_class_install_property (G_OBJECT_CLASS (klass), 1,
      g_param_spec_string ("location", "location", "The file to write", NULL,
          G_PARAM_WRITABLE | G_PARAM_STATIC_STRINGS));
  gst_element_class_set_static_metadata (GST_ELEMENT_CLASS (klass),
      "Writer of metas", "Filter", "Adds metas of every kind", "Test");
  gst_element_class_add_static_pad_template (GST_ELEMENT_CLASS (klass), &sink);
  gst_element_class_add_static_pad_template (GST_ELEMENT_CLASS (klass), &src);
  klass->parent.transform_ip = write_metas;
  klass->parent.stop = stop;
}

static void
write_metas_init (WriteMetas *self)
{
  self->lines = g_string_new (NULL);
}

static gboolean
plugin_init (GstPlugin *plugin)
{
  return gst_element_register (
      plugin, "writemetas", GST_RANK_NONE, write_metas_get_type ());
}

#define PACKAGE "inferfilter-tests"
GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, writemetas,
    "Writer of metas", plugin_init, "0", "LGPL", PACKAGE,
    "https://example.org/")
