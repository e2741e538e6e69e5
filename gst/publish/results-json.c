/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/publish/results-json.h"

#include <string.h>

#include "gst/common/json-check.h"
#include "gst/common/json-text.h"
#include "gst/results/kind.h"

static GString *
begin_line (const GstInferLineInfo *info)
{
  GString *line = g_string_new ("{");

  gst_infer_json_key (line, "timestamp");
  gst_infer_json_time (line, info->time);
  gst_infer_json_add_string (line, "source", info->source);
  if (info->tags != NULL) {
    gst_infer_json_key (line, "tags");
    g_string_append (line, info->tags);
  }
  return line;
}

GString *
gst_infer_results_to_json (GstBuffer *buffer, const GstVideoInfo *video,
    const GstInferLineInfo *info, gboolean *empty)
{
  GString *line = begin_line (info);

  gst_infer_json_begin (line, "resolution", '{');
  gst_infer_json_add_int (line, "width", GST_VIDEO_INFO_WIDTH (video));
  gst_infer_json_add_int (line, "height", GST_VIDEO_INFO_HEIGHT (video));
  g_string_append_c (line, '}');
  *empty = gst_infer_results_add_json (line, buffer, NULL) == 0;
  g_string_append_c (line, '}');
  return line;
}

GString *
gst_infer_scene_to_json (
    const GstStructure *events, const GstInferLineInfo *info)
{
  GString *line = begin_line (info);
  const GValue *list = gst_structure_get_value (events, "events");
  const guint n = list != NULL && G_VALUE_HOLDS (list, GST_TYPE_LIST)
                      ? gst_value_list_get_size (list)
                      : 0;

  gst_infer_json_begin (line, "events", '[');
  for (guint i = 0; i < n; i++) {
    const GValue *item = gst_value_list_get_value (list, i);

    if (G_VALUE_HOLDS (item, GST_TYPE_STRUCTURE))
      gst_infer_scene_event_add_json (line, gst_value_get_structure (item));
  }
  g_string_append (line, "]}");
  return line;
}

/* Returns the content without the space at its ends; NULL: not readable.
 * (transfer full) */
static char *
read_text (GstBuffer *buffer)
{
  GstMapInfo map;
  char *text;

  if (!gst_buffer_map (buffer, &map, GST_MAP_READ))
    return NULL;
  /* Without bytes there is no pointer, either. */
  text = g_strndup (map.size > 0 ? (const char *) map.data : "", map.size);
  gst_buffer_unmap (buffer, &map);
  return g_strstrip (text);
}

GString *
gst_infer_text_to_json (
    GstBuffer *buffer, const GstInferLineInfo *info, gboolean *empty)
{
  GString *line = begin_line (info);
  g_autofree char *text = read_text (buffer);

  gst_infer_json_key (line, "duration");
  gst_infer_json_time (line, GST_BUFFER_DURATION (buffer));
  *empty = text == NULL || *text == '\0';
  gst_infer_json_add_string (line, "text", text);
  g_string_append_c (line, '}');
  return line;
}

GString *
gst_infer_object_to_json (GstBuffer *buffer, const GstInferLineInfo *info)
{
  g_autofree char *text = read_text (buffer);

  if (text == NULL || *text != '{' || !gst_infer_json_is_valid (text))
    return NULL;
  /* Line ends are space between tokens: strings have them escaped. */
  g_strdelimit (text, "\r\n", ' ');
  const char *members = text + 1 + strspn (text + 1, " \t");
  GString *line = begin_line (info);
  if (*members != '}')
    g_string_append_c (line, ',');
  g_string_append (line, members);
  return line;
}
