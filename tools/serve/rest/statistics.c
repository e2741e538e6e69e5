/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "protocol/json-text.h"
#include "tools/serve/statistics.h"

static void
add_number (GString *json, const char *key, guint64 number)
{
  protocol_json_key (json, key);
  g_string_append_printf (json, "%" G_GUINT64_FORMAT, number);
}

static void
add_duration (GString *json, const char *key, guint64 count, guint64 ns)
{
  protocol_json_key (json, key);
  g_string_append_c (json, '{');
  add_number (json, "count", count);
  add_number (json, "ns", ns);
  g_string_append_c (json, '}');
}

static void
add_model (GString *json, const ServeStatistics *from)
{
  protocol_json_next (json);
  g_string_append_c (json, '{');
  protocol_json_add_string (json, "name", from->name);
  protocol_json_add_string (json, "version", from->version);
  add_number (json, "last_inference", from->last_ms);
  add_number (json, "inference_count", from->done);
  add_number (json, "execution_count", from->done);
  protocol_json_key (json, "inference_stats");
  g_string_append_c (json, '{');
  add_duration (json, "success", from->done, from->done_ns);
  add_duration (json, "fail", from->failed, from->failed_ns);
  add_duration (json, "queue", from->done, from->queue_ns);
  add_duration (json, "compute_input", from->done, 0);
  add_duration (json, "compute_infer", from->done, from->compute_ns);
  add_duration (json, "compute_output", from->done, 0);
  g_string_append (json, "},\"batch_stats\":[]}");
}

void
serve_statistics_to_json (const ServeStatistics *models, guint n, GString *json)
{
  g_string_append (json, "{\"model_stats\":[");
  for (guint i = 0; i < n; i++)
    add_model (json, &models[i]);
  g_string_append (json, "]}");
}
