/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tools/top/view.h"

#include <math.h>
#include <string.h>

/* An element in the last sample and in the one before. */
typedef struct
{
  InferJsonValue now, before;
  double seconds; /* between them; 0: there is only one */
} Row;

typedef struct
{
  const char *title;
  int width;  /* negative: left-aligned */
  guint from; /* the narrowest view that has the column */
  void (*append) (GString *cell, const Row *row);
} Column;

typedef struct
{
  gboolean (*has) (const Row *row);
  const Column *columns;
  guint n_columns;
} Table;

/* --- text --- */

/* Columns of a terminal that @c takes. */
static guint
width_of (gunichar c)
{
  return g_unichar_iswide (c) ? 2 : g_unichar_iszerowidth (c) ? 0 : 1;
}

static guint
append_clipped (GString *text, const char *string, guint width)
{
  g_autofree char *valid = g_utf8_make_valid (string, -1);
  guint used = 0;

  for (char *at = valid; *at != '\0'; at = g_utf8_next_char (at)) {
    gunichar c = g_utf8_get_char (at);

    if (!g_unichar_isprint (c))
      c = '?';
    if (used + width_of (c) > width)
      break;
    used += width_of (c);
    g_string_append_unichar (text, c);
  }
  return used;
}

void
top_view_append_line (GString *text, const char *string, guint width)
{
  append_clipped (text, string, width);
  g_string_append_c (text, '\n');
}

static void
append_cell (GString *text, const char *cell, int width)
{
  guint room = (guint) ABS (width);
  g_autoptr (GString) clipped = g_string_new (NULL);
  guint used = append_clipped (clipped, cell, room);

  if (width > 0)
    g_string_append_printf (text, "%*s", (int) (room - used), "");
  g_string_append (text, clipped->str);
  if (width < 0)
    g_string_append_printf (text, "%*s", (int) (room - used), "");
}

static void
append_number (GString *cell, double number, int decimals)
{
  if (!isfinite (number) || number < 0)
    g_string_append_c (cell, '-');
  else if (number >= 99999)
    g_string_append_printf (cell, "%.2g", number);
  else
    g_string_append_printf (cell, "%.*f", decimals, number);
}

/* Milliseconds. */
static void
append_time (GString *cell, double ns)
{
  append_number (cell, ns >= 0 ? ns / 1e6 : ns, ns < 1e8 ? 2 : 0);
}

/* --- cells --- */

static InferJsonValue
stats_of (InferJsonValue element)
{
  return infer_json_find (element, "stats");
}

/* Per second. */
static double
rate (const Row *row, const char *key)
{
  double now = top_number (stats_of (row->now), key, NAN);
  double before = top_number (stats_of (row->before), key, NAN);

  return row->seconds > 0 ? (now - before) / row->seconds : NAN;
}

static double
stage (const Row *row, const char *name, const char *value)
{
  return top_number (infer_json_find (stats_of (row->now), name), value, NAN);
}

/* "/GstPipeline:p/GstBin:b/GstQueue:q" → "b/q" */
static void
append_name (GString *cell, const Row *row)
{
  const char *path = top_string (row->now, "path");
  g_auto (GStrv) parts = g_strsplit (path != NULL ? path : "", "/", 16);
  guint n = g_strv_length (parts);

  for (guint i = n > 2 ? 2 : 0; i < n; i++) {
    const char *colon = strchr (parts[i], ':');

    g_string_append (cell, colon != NULL ? colon + 1 : parts[i]);
    g_string_append (cell, i + 1 < n ? "/" : "");
  }
}

static void
append_device (GString *cell, const Row *row)
{
  const char *device = top_string (row->now, "device");

  g_string_append (cell, device != NULL ? device : "-");
}

static void
append_model (GString *cell, const Row *row)
{
  const char *model = top_string (row->now, "model");
  g_autofree char *name =
      model != NULL && *model != '\0' ? g_path_get_basename (model) : NULL;

  g_string_append (cell, name != NULL ? name : "-");
}

static void
append_rate (GString *cell, const Row *row)
{
  append_number (cell, rate (row, "inferences"), 1);
}

#define COUNT(function, key)                                                   \
  static void function (GString *cell, const Row *row)                         \
  {                                                                            \
    append_number (cell, top_number (stats_of (row->now), key, NAN), 0);       \
  }
COUNT (append_depth, "queue-depth")
COUNT (append_busy, "in-flight")
COUNT (append_dropped, "dropped")
COUNT (append_skipped, "skipped")
COUNT (append_resets, "resets")
COUNT (append_errors, "errors")
COUNT (append_utterances, "utterances")
COUNT (append_words, "words")
COUNT (append_finals, "finals")
COUNT (append_partials, "partials")
COUNT (append_partials_skipped, "partials-skipped")
COUNT (append_rendered, "rendered")
COUNT (append_events, "events")

#define STAGE(function, name, value)                                           \
  static void function (GString *cell, const Row *row)                         \
  {                                                                            \
    append_time (cell, stage (row, name, value));                              \
  }
STAGE (append_preprocess, "preprocess", "p50")
STAGE (append_execute, "execute", "p50")
STAGE (append_execute_95, "execute", "p95")
STAGE (append_postprocess, "postprocess", "p50")
STAGE (append_push, "push", "p50")

static void
append_frame_rate (GString *cell, const Row *row)
{
  append_number (cell, rate (row, "buffers"), 1);
}

/* From a frame's arrival to its events; -: no frame has told. */
static void
append_event_delay (GString *cell, const Row *row, const char *value)
{
  append_time (
      cell, stage (row, "delay", "n") > 0 ? stage (row, "delay", value) : NAN);
}

#define EVENT_DELAY(function, value)                                           \
  static void function (GString *cell, const Row *row)                         \
  {                                                                            \
    append_event_delay (cell, row, value);                                     \
  }
EVENT_DELAY (append_event_delay_50, "p50")
EVENT_DELAY (append_event_delay_95, "p95")
EVENT_DELAY (append_event_delay_99, "p99")
EVENT_DELAY (append_event_delay_max, "max")

static void
append_delay (GString *cell, const Row *row)
{
  append_time (cell, top_number (row->now, "max-observed-delay", NAN));
}

static void
append_states (GString *cell, const Row *row)
{
  append_number (cell, top_number (row->now, "states", NAN), 0);
}

static void
append_audio (GString *cell, const Row *row)
{
  double ns = top_number (stats_of (row->now), "audio", NAN);

  append_number (cell, ns / 1e9, 1);
}

static void
append_real_time_factor (GString *cell, const Row *row)
{
  append_number (
      cell, top_number (stats_of (row->now), "real-time-factor", NAN), 3);
}

static void
append_level (GString *cell, const Row *row)
{
  append_number (cell, top_number (row->now, "current-level-buffers", NAN), 0);
}

static void
append_level_time (GString *cell, const Row *row)
{
  append_time (cell, top_number (row->now, "current-level-time", NAN));
}

static void
append_level_bytes (GString *cell, const Row *row)
{
  append_number (
      cell, top_number (row->now, "current-level-bytes", NAN) / 1024, 0);
}

static double
part_of_limit (const Row *row, const char *level, const char *limit)
{
  double most = top_number (row->now, limit, 0);

  return most > 0 ? top_number (row->now, level, 0) / most : 0;
}

/* How full, by whichever limit is nearest. */
static void
append_fill (GString *cell, const Row *row)
{
  double part =
      part_of_limit (row, "current-level-buffers", "max-size-buffers");

  part =
      MAX (part, part_of_limit (row, "current-level-bytes", "max-size-bytes"));
  part = MAX (part, part_of_limit (row, "current-level-time", "max-size-time"));
  int bars = (int) (CLAMP (part, 0, 1) * 10 + 0.5);
  for (int i = 0; i < 10; i++)
    g_string_append_c (cell, i < bars ? '#' : '.');
}

/* --- tables --- */

static gboolean
is_inference (const Row *row)
{
  return infer_json_type (infer_json_find (stats_of (row->now), "inferences"))
         == INFER_JSON_NUMBER;
}

static gboolean
is_speech (const Row *row)
{
  return infer_json_type (infer_json_find (stats_of (row->now), "utterances"))
         == INFER_JSON_NUMBER;
}

static gboolean
is_scene (const Row *row)
{
  return infer_json_type (infer_json_find (stats_of (row->now), "events"))
         == INFER_JSON_NUMBER;
}

static gboolean
is_queue (const Row *row)
{
  return infer_json_type (infer_json_find (row->now, "current-level-buffers"))
         == INFER_JSON_NUMBER;
}

static gboolean
is_sink (const Row *row)
{
  return infer_json_type (infer_json_find (stats_of (row->now), "rendered"))
         == INFER_JSON_NUMBER;
}

static const Column inference_columns[] = {
  { "INFERENCE", -16, 0, append_name },
  { "DEVICE", -7, 0, append_device },
  { "PER SEC", 8, 0, append_rate },
  { "QUEUE", 5, 0, append_depth },
  { "BUSY", 4, 110, append_busy },
  { "PREP", 6, 0, append_preprocess },
  { "EXEC", 6, 0, append_execute },
  { "95 %", 6, 90, append_execute_95 },
  { "POST", 6, 110, append_postprocess },
  { "PUSH", 6, 0, append_push },
  { "DELAY", 6, 0, append_delay },
  { "DROP", 5, 0, append_dropped },
  { "SKIP", 5, 120, append_skipped },
  { "RESET", 5, 0, append_resets },
  { "ERR", 3, 120, append_errors },
  { "STATES", 6, 130, append_states },
  { "MODEL", -24, 115, append_model },
};

static const Column speech_columns[] = {
  { "SPEECH", -16, 0, append_name },
  { "AUDIO s", 9, 0, append_audio },
  { "RTF", 6, 0, append_real_time_factor },
  { "UTTER", 5, 0, append_utterances },
  { "WORDS", 6, 0, append_words },
  { "FINALS", 6, 0, append_finals },
  { "PARTS", 6, 0, append_partials },
  { "MISSED", 6, 90, append_partials_skipped },
  { "RESET", 5, 0, append_resets },
  { "MODEL", -24, 100, append_model },
};

static const Column scene_columns[] = {
  { "SCENE", -16, 0, append_name },
  { "PER SEC", 8, 0, append_frame_rate },
  { "EVENTS", 7, 0, append_events },
  { "MEDIAN", 7, 0, append_event_delay_50 },
  { "95 %", 7, 0, append_event_delay_95 },
  { "99 %", 7, 0, append_event_delay_99 },
  { "MAX", 7, 0, append_event_delay_max },
};

static const Column queue_columns[] = {
  { "QUEUE", -16, 0, append_name },
  { "BUFFERS", 8, 0, append_level },
  { "KIB", 8, 0, append_level_bytes },
  { "TIME ms", 8, 0, append_level_time },
  { "FULL", -10, 0, append_fill },
};

static const Column sink_columns[] = {
  { "SINK", -16, 0, append_name },
  { "RENDERED", 9, 0, append_rendered },
  { "DROP", 8, 0, append_dropped },
};

static const Table tables[] = {
  { is_inference, inference_columns, G_N_ELEMENTS (inference_columns) },
  { is_speech, speech_columns, G_N_ELEMENTS (speech_columns) },
  { is_scene, scene_columns, G_N_ELEMENTS (scene_columns) },
  { is_queue, queue_columns, G_N_ELEMENTS (queue_columns) },
  { is_sink, sink_columns, G_N_ELEMENTS (sink_columns) },
};

static void
end_line (GString *text)
{
  while (text->len > 0 && text->str[text->len - 1] == ' ')
    g_string_truncate (text, text->len - 1);
  g_string_append_c (text, '\n');
}

/* @row NULL: the titles. */
static void
append_row (GString *text, const Table *table, const Row *row, guint width)
{
  g_autoptr (GString) line = g_string_new (NULL);

  for (guint i = 0; i < table->n_columns; i++) {
    const Column *column = &table->columns[i];
    g_autoptr (GString) cell = g_string_new (NULL);

    if (column->from > width)
      continue;
    if (row != NULL)
      column->append (cell, row);
    append_cell (line, row != NULL ? cell->str : column->title, column->width);
    g_string_append_c (line, ' ');
  }
  append_clipped (text, line->str, width);
  end_line (text);
}

static InferJsonValue
elements_of (const InferJson *json)
{
  InferJsonValue none = { NULL, NULL };

  return json != NULL ? infer_json_find (infer_json_root (json), "elements")
                      : none;
}

/* The element of the same path; mostly at the same place. */
static InferJsonValue
find_before (InferJsonValue before, guint place, InferJsonValue now)
{
  const char *path = top_string (now, "path");
  guint n = infer_json_length (before);
  InferJsonValue none = { NULL, NULL };

  for (guint k = 0; path != NULL && k < n; k++) {
    InferJsonValue element = infer_json_at (before, (place + k) % n);

    if (g_strcmp0 (top_string (element, "path"), path) == 0)
      return element;
  }
  return none;
}

static double
seconds_between (const TopSource *source)
{
  if (source->before == NULL)
    return 0;
  return (top_number (infer_json_root (source->now), "time", 0)
             - top_number (infer_json_root (source->before), "time", 0))
         / 1e9;
}

static void
append_table (
    GString *text, const Table *table, const TopSource *source, guint width)
{
  InferJsonValue now = elements_of (source->now);
  InferJsonValue before = elements_of (source->before);
  gboolean titled = FALSE;

  for (guint i = 0; i < infer_json_length (now); i++) {
    Row row = { infer_json_at (now, i), { NULL, NULL },
      seconds_between (source) };

    if (infer_json_type (row.now) != INFER_JSON_OBJECT || !table->has (&row))
      continue;
    row.before = find_before (before, i, row.now);
    if (!titled) {
      g_string_append_c (text, '\n');
      append_row (text, table, NULL, width);
    }
    titled = TRUE;
    append_row (text, table, &row, width);
  }
}

static void
append_heading (GString *text, const TopSource *source, guint width)
{
  InferJsonValue now = infer_json_root (source->now);
  const char *program = top_string (now, "program");
  double seconds = seconds_between (source);
  double cpu = NAN;
  g_autoptr (GString) line = g_string_new (NULL);

  if (seconds > 0)
    cpu = (top_number (now, "cpu", 0)
              - top_number (infer_json_root (source->before), "cpu", 0))
          / 1e9 / seconds * 100;
  g_string_append_printf (line, "%s (process %ld)   processor ",
      program != NULL ? program : "?", source->pid);
  append_number (line, cpu, 0);
  g_string_append (line, " %   memory ");
  append_number (line, top_number (now, "rss-kb", NAN) / 1024, 0);
  g_string_append (line, " MiB");
  top_view_append_line (text, line->str, width);
}

void
top_view_append (GString *text, const TopSource *source, guint width)
{
  append_heading (text, source, width);
  for (guint i = 0; i < G_N_ELEMENTS (tables); i++)
    append_table (text, &tables[i], source, width);
}
