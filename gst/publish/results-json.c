/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/publish/results-json.h"

#include <string.h>

#include "gst/common/json-check.h"
#include "gst/common/json-text.h"
#include "gst/results/kind.h"
#include "infer/error.h"

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

static gboolean
fail_memory (gsize size, GError **error)
{
  return infer_fail (error, INFER_ERROR_NO_MEMORY,
      "no memory for a line of %" G_GSIZE_FORMAT " bytes", size);
}

/* Returns the content without the space at its ends; NULL without error: not
 * readable.  (transfer full) */
static char *
read_text (GstBuffer *buffer, GError **error)
{
  GstMapInfo map;

  if (!gst_buffer_map (buffer, &map, GST_MAP_READ))
    return NULL;
  const gsize size = map.size;
  char *text = g_try_malloc (size + 1);
  if (text != NULL && size > 0) /* without bytes there is no pointer, either */
    memcpy (text, map.data, size);
  gst_buffer_unmap (buffer, &map);
  if (text == NULL) {
    fail_memory (size, error);
    return NULL;
  }
  text[size] = '\0';
  return g_strstrip (text);
}

/* @line if it has room for @n more characters, else NULL. */
static GString *
with_room (GString *line, gsize n, GError **error)
{
  if (gst_infer_json_reserve (line, n))
    return line;
  g_string_free (line, TRUE);
  fail_memory (n, error);
  return NULL;
}

#define FRAME_OF_TEXT 100 /* "duration", "text" and what is around them */

GString *
gst_infer_text_to_json (GstBuffer *buffer, const GstInferLineInfo *info,
    gboolean *empty, GError **error)
{
  GError *failure = NULL;
  g_autofree char *text = read_text (buffer, &failure);

  *empty = text == NULL || *text == '\0';
  if (failure != NULL) {
    g_propagate_error (error, failure);
    return NULL;
  }
  const gsize size = text != NULL ? strlen (text) : 0;
  GString *line = with_room (
      begin_line (info), GST_INFER_JSON_LONGEST (size) + FRAME_OF_TEXT, error);
  if (line == NULL)
    return NULL;
  gst_infer_json_key (line, "duration");
  gst_infer_json_time (line, GST_BUFFER_DURATION (buffer));
  gst_infer_json_add_string (line, "text", text);
  g_string_append_c (line, '}');
  return line;
}

GString *
gst_infer_object_to_json (
    GstBuffer *buffer, const GstInferLineInfo *info, GError **error)
{
  GError *failure = NULL;
  g_autofree char *text = read_text (buffer, &failure);

  if (failure == NULL
      && (text == NULL || *text != '{' || !gst_infer_json_is_valid (text)))
    infer_fail (&failure, INFER_ERROR_INVALID_ARGUMENT,
        "A buffer of application/json is no JSON object");
  if (failure != NULL) {
    g_propagate_error (error, failure);
    return NULL;
  }
  /* Line ends are space between tokens: strings have them escaped. */
  g_strdelimit (text, "\r\n", ' ');
  const char *members = text + 1 + strspn (text + 1, " \t");
  GString *line = with_room (begin_line (info), strlen (members) + 1, error);
  if (line == NULL)
    return NULL;
  if (*members != '}')
    g_string_append_c (line, ',');
  g_string_append (line, members);
  return line;
}
