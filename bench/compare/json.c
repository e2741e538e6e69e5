/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <math.h>

#include "bench/compare/report.h"
#include "tools/tool.h"

static const char *const mode_names[] = {
  [MODE_F32] = "f32",
  [MODE_PERFORMANCE] = "performance",
  [MODE_STORED_F32] = "stored_f32",
  [MODE_PUBLISHED] = "published",
};

/* --- values --- */

static void
begin (GString *json, char bracket)
{
  g_string_append_c (json, bracket);
}

/* Removes a trailing comma. */
static void
end (GString *json, const char *bracket)
{
  if (g_str_has_suffix (json->str, ", "))
    g_string_truncate (json, json->len - 2);
  g_string_append_printf (json, "%s, ", bracket);
}

static void
add_key (GString *json, const char *key)
{
  tool_json_string (json, key);
  g_string_append (json, ": ");
}

static void
add_number (GString *json, const char *key, double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  add_key (json, key);
  g_string_append_printf (json, "%s, ",
      isfinite (value) ? g_ascii_formatd (text, sizeof text, "%.6g", value)
                       : "null");
}

static void
add_text (GString *json, const char *key, const char *value)
{
  add_key (json, key);
  if (value != NULL)
    tool_json_string (json, value);
  else
    g_string_append (json, "null");
  g_string_append (json, ", ");
}

static void
add_texts (GString *json, const char *key, char *const *values)
{
  add_key (json, key);
  begin (json, '[');
  for (guint i = 0; values[i] != NULL; i++) {
    tool_json_string (json, values[i]);
    g_string_append (json, ", ");
  }
  end (json, "]");
}

/* --- figures --- */

static void
add_latency (GString *json, const Latency *latency)
{
  begin (json, '{');
  add_text (json, "engine", latency->engine->key);
  add_text (json, "mode", mode_names[latency->mode]);
  if (latency->error != NULL) {
    add_text (json, "error", latency->error);
  } else {
    add_number (json, "median_us", latency->median_us);
    add_number (json, "min_us", latency->min_us);
    add_number (json, "runs", latency->runs);
    add_text (json, "precision", latency->precision);
    if (latency->difference >= 0)
      add_number (json, "difference", latency->difference);
  }
  end (json, "}");
}

static void
add_throughput (GString *json, const Throughput *throughput)
{
  begin (json, '{');
  add_text (json, "engine", throughput->engine->key);
  if (throughput->error != NULL) {
    add_text (json, "error", throughput->error);
  } else {
    add_number (json, "per_s", throughput->per_s);
    add_number (json, "requests", throughput->requests);
  }
  end (json, "}");
}

static void
add_run (GString *json, const char *key, const ProcessRun *run)
{
  add_key (json, key);
  begin (json, '{');
  add_number (json, "open_ms", run->open_ms);
  add_number (json, "load_ms", run->load_ms);
  add_number (json, "cpu_ms", run->cpu_ms);
  add_number (json, "first_ms", run->first_ms);
  add_number (json, "again_ms", run->again_ms);
  add_number (json, "rss_kb", run->rss_kb);
  add_number (json, "peak_kb", run->peak_kb);
  add_number (json, "private_kb", run->private_kb);
  add_number (json, "shared_kb", run->shared_kb);
  end (json, "}");
}

static void
add_process (GString *json, const Process *process)
{
  begin (json, '{');
  add_text (json, "engine", process->engine->key);
  if (process->error != NULL) {
    add_text (json, "error", process->error);
  } else {
    add_run (json, "plain", &process->plain);
    if (process->has_cache)
      add_run (json, "cached", &process->cached);
  }
  end (json, "}");
}

static void
add_ratios (GString *json, const char *key, const double *ratios)
{
  add_key (json, key);
  begin (json, '{');
  for (guint i = 0; i < N_RATIOS; i++)
    if (ratios[i] > 0)
      add_number (json, ratio_names[i], ratios[i]);
  end (json, "}");
}

static void
add_published (GString *json, const Row *row)
{
  add_key (json, "published");
  begin (json, '[');
  for (guint i = 0; i < N_RATIOS; i++)
    if (row->published[i]) {
      tool_json_string (json, ratio_names[i]);
      g_string_append (json, ", ");
    }
  end (json, "]");
}

static void
add_row (GString *json, const Row *row)
{
  g_string_append (json, "\n  ");
  begin (json, '{');
  add_text (json, "model", row->entry->name);
  add_texts (json, "groups", row->entry->groups);
  if (row->error != NULL) {
    add_text (json, "error", row->error->message);
    end (json, "}");
    return;
  }
  if (row->difference >= 0)
    add_number (json, "max_difference", row->difference);
  add_ratios (json, "ratios", row->ratios);
  add_published (json, row);
  add_key (json, "latency");
  begin (json, '[');
  for (guint i = 0; i < row->latencies->len; i++)
    add_latency (json, &g_array_index (row->latencies, Latency, i));
  end (json, "]");
  add_key (json, "throughput");
  begin (json, '[');
  for (guint i = 0; i < row->throughputs->len; i++)
    add_throughput (json, &g_array_index (row->throughputs, Throughput, i));
  end (json, "]");
  add_key (json, "processes");
  begin (json, '[');
  for (guint i = 0; i < row->processes->len; i++)
    add_process (json, &g_array_index (row->processes, Process, i));
  end (json, "]");
  end (json, "}");
}

static void
add_group (GString *json, const Group *group)
{
  g_string_append (json, "\n  ");
  begin (json, '{');
  add_text (json, "group", group->group);
  add_number (json, "models", group->models);
  add_ratios (json, "means", group->means);
  add_ratios (json, "least", group->least);
  end (json, "}");
}

static void
add_head (GString *json, const ReportHead *head)
{
  add_key (json, "engines");
  begin (json, '{');
  for (guint i = 0; i < head->engines->len; i++) {
    const OpenEngine *open = &g_array_index (head->engines, OpenEngine, i);
    add_text (json, open->engine->key, open->version);
  }
  end (json, "}");
  add_number (json, "threads", head->threads);
  add_number (json, "processors", g_get_num_processors ());
  add_number (json, "seconds", head->seconds);
}

gboolean
report_write_json (const char *path, const ReportHead *head, const GArray *rows,
    GError **error)
{
  g_autoptr (GArray) groups = rows_group (rows);
  g_autoptr (GString) json = g_string_new (NULL);
  begin (json, '{');
  add_head (json, head);
  g_string_append_c (json, '\n');
  add_key (json, "groups");
  begin (json, '[');
  for (guint i = 0; i < groups->len; i++)
    add_group (json, &g_array_index (groups, Group, i));
  end (json, "]");
  g_string_append_c (json, '\n');
  add_key (json, "models");
  begin (json, '[');
  for (guint i = 0; i < rows->len; i++)
    add_row (json, &g_array_index (rows, Row, i));
  end (json, "]");
  end (json, "}");
  g_string_truncate (json, json->len - 2);
  g_string_append_c (json, '\n');
  return g_file_set_contents (path, json->str, (gssize) json->len, error);
}
