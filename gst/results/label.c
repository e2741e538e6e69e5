/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Classes and texts: params of a region, or custom metas of the frame.  Those
 * of the frame are drawn below each other in its left upper corner, those of a
 * region by object.c. */

#include "gst/common/json-text.h"
#include "gst/draw/text.h"
#include "gst/results/kind.h"

static GType
label_api (void)
{
  static gsize type = 0;

  if (g_once_init_enter (&type)) {
    gst_infer_results_init ();
    g_once_init_leave (&type, gst_meta_get_info (GST_INFER_LABEL_META)->api);
  }
  return type;
}

char *
gst_infer_label_to_text (const GstStructure *s, int object_id)
{
  GstInferLabel label = gst_infer_read_label (s);
  GString *text = g_string_new (label.label);

  if (label.label == NULL && label.label_id >= 0)
    g_string_append_printf (text, "%d", label.label_id);
  if (object_id > 0)
    g_string_append_printf (text, "%s#%d", text->len > 0 ? " " : "", object_id);
  if (!gst_structure_has_name (s, "text")
      && g_strcmp0 (gst_structure_get_string (s, "name"), "text") != 0)
    g_string_append_printf (
        text, "%s%.2f", text->len > 0 ? " " : "", label.confidence);
  char *valid = g_utf8_make_valid (text->str, (gssize) text->len);
  g_string_free (text, TRUE);
  return valid;
}

static void
draw_frame_labels (GstInferDrawing *d, GstBuffer *buffer)
{
  gpointer state = NULL;
  int y = 2 * d->scale, i = 0;
  GstMeta *meta;

  while ((
      meta = gst_buffer_iterate_meta_filtered (buffer, &state, label_api ()))) {
    GstStructure *s =
        gst_custom_meta_get_structure ((GstCustomMeta *) (gpointer) meta);
    g_autofree char *text = gst_infer_label_to_text (s, 0);

    y += gst_infer_text_draw_plate (
        d->canvas, text, 2 * d->scale, y, d->scale, gst_infer_palette (i++));
  }
}

/* --- JSON --- */

void
gst_infer_label_add_json (GString *line, const GstInferLabel *label)
{
  gst_infer_json_add_real (line, "confidence", label->confidence);
  gst_infer_json_add_string (line, "label", label->label);
  if (label->label_id >= 0)
    gst_infer_json_add_int (line, "label_id", label->label_id);
  gst_infer_json_add_string (line, "layer", label->layer_name);
  if (label->model_name == NULL)
    return;
  gst_infer_json_begin (line, "model", '{');
  gst_infer_json_add_string (line, "name", label->model_name);
  g_string_append_c (line, '}');
}

static gboolean
is_further_label (const GstStructure *s, const char *name)
{
  return gst_structure_has_field (s, "confidence")
         && !gst_structure_has_name (s, "detection")
         && (name == NULL || gst_structure_has_name (s, name));
}

/* Appends all params called @name: an object, or a list of objects. */
static guint
add_further (GString *line, const GList *params, const char *name)
{
  guint n = 0;

  for (const GList *l = params; l != NULL; l = l->next)
    n += is_further_label (l->data, name);
  gst_infer_json_key (line, name);
  if (n > 1)
    g_string_append_c (line, '[');
  for (const GList *l = params; l != NULL; l = l->next) {
    if (!is_further_label (l->data, name))
      continue;
    GstInferLabel label = gst_infer_read_label (l->data);
    if (n > 1)
      gst_infer_json_begin_item (line, '{');
    else
      g_string_append_c (line, '{');
    gst_infer_label_add_json (line, &label);
    g_string_append_c (line, '}');
  }
  if (n > 1)
    g_string_append_c (line, ']');
  return n;
}

/* Whether @at is the first param of its name. */
static gboolean
is_first (const GList *params, const GList *at)
{
  const char *name = gst_structure_get_name (at->data);

  for (const GList *l = params; l != at; l = l->next)
    if (is_further_label (l->data, name))
      return FALSE;
  return TRUE;
}

static guint
add_region_labels (GString *line, const GstVideoRegionOfInterestMeta *roi)
{
  guint n = 0;

  for (const GList *l = roi->params; l != NULL; l = l->next)
    if (is_further_label (l->data, NULL) && is_first (roi->params, l))
      n += add_further (line, roi->params, gst_structure_get_name (l->data));
  return n;
}

static guint
add_labels (GString *line, GstBuffer *buffer, GstVideoRegionOfInterestMeta *roi)
{
  gpointer state = NULL;
  GstMeta *meta;
  guint n = 0;

  if (roi != NULL)
    return add_region_labels (line, roi);
  while ((
      meta = gst_buffer_iterate_meta_filtered (buffer, &state, label_api ()))) {
    const GstStructure *s =
        gst_custom_meta_get_structure ((GstCustomMeta *) (gpointer) meta);
    GstInferLabel label = gst_infer_read_label (s);

    if (n++ == 0)
      gst_infer_json_begin (line, "tensors", '[');
    gst_infer_json_begin_item (line, '{');
    gst_infer_json_add_string (
        line, "name", gst_structure_get_string (s, "name"));
    gst_infer_label_add_json (line, &label);
    g_string_append_c (line, '}');
  }
  if (n > 0)
    g_string_append_c (line, ']');
  return n;
}

const GstInferResultKind gst_infer_result_label = {
  .api = label_api,
  .draw_texts = draw_frame_labels,
  .add_json = add_labels,
};
