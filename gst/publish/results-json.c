/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/publish/results-json.h"

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
gst_infer_text_to_json (
    GstBuffer *buffer, const GstInferLineInfo *info, gboolean *empty)
{
  GString *line = begin_line (info);
  g_autofree char *text = NULL;
  GstMapInfo map;

  gst_infer_json_key (line, "duration");
  gst_infer_json_time (line, GST_BUFFER_DURATION (buffer));
  *empty = TRUE;
  if (gst_buffer_map (buffer, &map, GST_MAP_READ)) {
    text = g_strndup ((const char *) map.data, map.size);
    gst_buffer_unmap (buffer, &map);
    g_strchomp (text);
    gst_infer_json_add_string (line, "text", text);
    *empty = *text == '\0';
  }
  g_string_append_c (line, '}');
  return line;
}
