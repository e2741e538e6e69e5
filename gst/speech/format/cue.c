/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/speech/format/cue.h"

#include "gst/common/json-text.h"

static const char *const media_types[] = {
  [GST_INFER_CUE_PLAIN] = "text/x-raw, format = (string) utf8",
  [GST_INFER_CUE_SRT] = "application/x-subtitle",
  [GST_INFER_CUE_VTT] = "application/x-subtitle-vtt",
  [GST_INFER_CUE_JSON] = "application/json",
};

GstCaps *
gst_infer_cue_caps (GstInferCueFormat format)
{
  return gst_caps_from_string (media_types[format]);
}

GstInferCueFormat
gst_infer_cue_choose (const GstCaps *allowed)
{
  for (guint i = 0; allowed != NULL && i < G_N_ELEMENTS (media_types); i++) {
    g_autoptr (GstCaps) caps = gst_infer_cue_caps ((GstInferCueFormat) i);

    if (gst_caps_can_intersect (allowed, caps))
      return (GstInferCueFormat) i;
  }
  return GST_INFER_CUE_PLAIN;
}

static void
append_time (GString *cue, GstClockTime time, char point)
{
  guint64 ms = time / GST_MSECOND;

  g_string_append_printf (cue, "%02" G_GUINT64_FORMAT ":%02u:%02u%c%03u",
      ms / 3600000, (guint) (ms / 60000 % 60), (guint) (ms / 1000 % 60), point,
      (guint) (ms % 1000));
}

static void
append_times (GString *cue, GstClockTime begin, GstClockTime end, char point)
{
  append_time (cue, begin, point);
  g_string_append (cue, " --> ");
  append_time (cue, end, point);
  g_string_append_c (cue, '\n');
}

/* A cue's text has tags and character references. */
static void
append_escaped (GString *cue, const char *text)
{
  for (; *text != '\0'; text++)
    if (*text == '<')
      g_string_append (cue, "&lt;");
    else if (*text == '>')
      g_string_append (cue, "&gt;");
    else if (*text == '&')
      g_string_append (cue, "&amp;");
    else
      g_string_append_c (cue, *text);
}

char *
gst_infer_cue_write (GstInferCueFormat format, guint64 index,
    GstClockTime begin, GstClockTime end, const char *text)
{
  GString *cue = g_string_new (NULL);

  switch (format) {
    case GST_INFER_CUE_PLAIN:
      g_string_append (cue, text);
      break;
    case GST_INFER_CUE_SRT:
      g_string_append_printf (cue, "%" G_GUINT64_FORMAT "\n", index + 1);
      append_times (cue, begin, end, ',');
      g_string_append_printf (cue, "%s\n\n", text);
      break;
    case GST_INFER_CUE_VTT:
      if (index == 0)
        g_string_append (cue, "WEBVTT\n\n");
      append_times (cue, begin, end, '.');
      append_escaped (cue, text);
      g_string_append (cue, "\n\n");
      break;
    case GST_INFER_CUE_JSON:
      g_string_append_c (cue, '{');
      gst_infer_json_key (cue, "pts");
      gst_infer_json_time (cue, begin);
      gst_infer_json_key (cue, "duration");
      gst_infer_json_time (cue, end - begin);
      gst_infer_json_add_string (cue, "text", text);
      g_string_append (cue, "}\n");
      break;
  }
  return g_string_free (cue, FALSE);
}
