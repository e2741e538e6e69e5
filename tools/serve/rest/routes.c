/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The paths of the REST interface. */

#include <string.h>

#include "inference/base/json.h"
#include "protocol/json-text.h"
#include "protocol/rest.h"
#include "tools/serve/rest/private.h"

static void
answer_text (RestExchange *exchange, GString *json)
{
  rest_exchange_answer_json (exchange, 200, g_string_free (json, FALSE));
}

/* --- health --- */

static void
answer_flag (RestExchange *exchange, const char *name, gboolean flag)
{
  GString *json = g_string_new ("{");

  if (exchange->model != NULL)
    protocol_json_add_string (json, "name", exchange->model);
  protocol_json_key (json, name);
  g_string_append (json, flag ? "true}" : "false}");
  rest_exchange_answer_json (
      exchange, flag ? 200 : 503, g_string_free (json, FALSE));
}

static void
live (RestExchange *exchange)
{
  answer_flag (exchange, "live", TRUE);
}

static void
ready (RestExchange *exchange)
{
  answer_flag (exchange, "ready", serve_server_is_ready (exchange->server));
}

static void
model_ready (RestExchange *exchange)
{
  g_autoptr (ServeModel) model = serve_repository_find (
      exchange->server->repository, exchange->model, exchange->version, NULL);

  answer_flag (exchange, "ready",
      model != NULL && serve_server_is_ready (exchange->server));
}

/* --- metadata --- */

static void
server_metadata (RestExchange *exchange)
{
  GString *json = g_string_new ("{");

  protocol_json_add_string (json, "name", SERVE_NAME);
  protocol_json_add_string (json, "version", PROJECT_VERSION);
  protocol_json_key (json, "extensions");
  g_string_append_c (json, '[');
  for (guint i = 0; serve_extensions[i] != NULL; i++) {
    protocol_json_next (json);
    protocol_json_string (json, serve_extensions[i]);
  }
  g_string_append (json, "]}");
  answer_text (exchange, json);
}

static void
describe (RestExchange *exchange,
    void (*write) (const ProtocolMetadata *metadata, GString *json))
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ProtocolMetadata) metadata = serve_server_describe (
      exchange->server, exchange->model, exchange->version, &error);

  if (metadata == NULL) {
    rest_exchange_fail (exchange, error);
    return;
  }
  GString *json = g_string_new (NULL);
  write (metadata, json);
  answer_text (exchange, json);
}

static void
model_metadata (RestExchange *exchange)
{
  describe (exchange, protocol_rest_write_metadata);
}

static void
model_config (RestExchange *exchange)
{
  describe (exchange, protocol_rest_write_config);
}

/* Statistics of one model or, without one in the path, of all. */
static void
statistics (RestExchange *exchange)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) models = NULL;
  g_autoptr (GArray) list = serve_server_statistics (exchange->server,
      exchange->model != NULL ? exchange->model : "",
      exchange->version != NULL ? exchange->version : "", &models, &error);

  if (list == NULL) {
    rest_exchange_fail (exchange, error);
    return;
  }
  GString *json = g_string_new (NULL);
  serve_statistics_to_json (
      (const ServeStatistics *) (gpointer) list->data, list->len, json);
  answer_text (exchange, json);
}

/* --- inference --- */

static void
on_infer_done (ProtocolInfer *response, const GError *error, gpointer data)
{
  if (error != NULL)
    rest_exchange_fail (data, error);
  else
    rest_exchange_answer_infer (data, response);
}

/* The size of the JSON in front of binary data; -1: all is JSON. */
static gboolean
read_json_size (const ProtocolHttp *http, gssize *size, GError **error)
{
  gint64 value;

  if (!protocol_http_header_size (http, PROTOCOL_REST_HEADER, &value))
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        PROTOCOL_REST_HEADER " is '%s', not a size",
        protocol_http_header (http, PROTOCOL_REST_HEADER));
  *size = (gssize) value;
  return TRUE;
}

static void
infer (RestExchange *exchange)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) body = protocol_http_take_body (exchange->http);
  ProtocolInfer *request = NULL;
  gssize json_size = -1;

  if (read_json_size (exchange->http, &json_size, &error))
    request = protocol_rest_read_request (body, json_size, &error);
  if (request == NULL) {
    rest_exchange_fail (exchange, error);
    return;
  }
  protocol_infer_set (&request->model, exchange->model, NULL);
  protocol_infer_set (&request->version, exchange->version, NULL);
  serve_server_infer (
      exchange->server, request, &exchange->gone, on_infer_done, exchange);
}

/* --- repository --- */

/* {"ready":true}: only those that are. */
static gboolean
read_ready (RestExchange *exchange, gboolean *ready, GError **error)
{
  g_autoptr (GBytes) body = protocol_http_take_body (exchange->http);
  gsize size;
  const char *data = g_bytes_get_data (body, &size);

  if (size == 0)
    return TRUE;
  g_autoptr (InferJson) json =
      infer_json_parse ("the request", data, size, error);
  return json != NULL
         && (infer_json_type (infer_json_root (json)) == INFER_JSON_OBJECT
             || infer_json_fail (
                 infer_json_root (json), error, "an object was expected"))
         && infer_json_opt_bool (infer_json_root (json), "ready", ready, error);
}

static void
repository_index (RestExchange *exchange)
{
  g_autoptr (GError) error = NULL;
  gboolean only_ready = FALSE;

  if (!read_ready (exchange, &only_ready, &error)) {
    rest_exchange_fail_status (exchange, 400, error->message);
    return;
  }
  g_autoptr (GArray) entries =
      serve_repository_list (exchange->server->repository);
  GString *json = g_string_new ("[");

  for (guint i = 0; i < entries->len; i++) {
    const ServeEntry *entry = &g_array_index (entries, ServeEntry, i);

    if (only_ready && !entry->ready)
      continue;
    protocol_json_next (json);
    g_string_append_c (json, '{');
    protocol_json_add_string (json, "name", entry->name);
    protocol_json_add_string (json, "version", entry->version);
    protocol_json_add_string (
        json, "state", entry->ready ? "READY" : "UNAVAILABLE");
    if (!entry->ready)
      protocol_json_add_string (
          json, "reason", entry->reason != NULL ? entry->reason : "unloaded");
    g_string_append_c (json, '}');
  }
  g_string_append_c (json, ']');
  answer_text (exchange, json);
}

static void
finish_change (RestExchange *exchange, gboolean done, const GError *error)
{
  if (done)
    rest_exchange_answer_json (exchange, 200, NULL);
  else
    rest_exchange_fail (exchange, error);
}

static void
load_now (RestExchange *exchange)
{
  g_autoptr (GError) error = NULL;
  const gboolean done = serve_repository_load (
      exchange->server->repository, exchange->model, exchange->config, &error);

  finish_change (exchange, done, error);
}

static void
unload_now (RestExchange *exchange)
{
  g_autoptr (GError) error = NULL;
  const gboolean done = serve_repository_unload (
      exchange->server->repository, exchange->model, &error);

  finish_change (exchange, done, error);
}

/* {"parameters":{"config":"…"}} */
static gboolean
read_load_parameters (RestExchange *exchange, GError **error)
{
  g_autoptr (GBytes) body = protocol_http_take_body (exchange->http);
  InferJsonValue parameters = { 0 };
  gsize size;
  const char *data = g_bytes_get_data (body, &size), *config;

  if (size == 0)
    return TRUE;
  g_autoptr (InferJson) json =
      infer_json_parse ("the request", data, size, error);
  if (json == NULL
      || !infer_json_opt_object (
          infer_json_root (json), "parameters", &parameters, error))
    return FALSE;
  for (guint i = 0; i < infer_json_length (parameters); i++) {
    if (!serve_model_settings_check_key (
            infer_json_key (parameters, i, NULL), error)
        || !infer_json_to_string (
            infer_json_at (parameters, i), &config, NULL, error))
      return FALSE;
    g_free (exchange->config);
    exchange->config = g_strdup (config);
  }
  return TRUE;
}

static void
load (RestExchange *exchange)
{
  g_autoptr (GError) error = NULL;

  if (read_load_parameters (exchange, &error))
    rest_exchange_run_slow (exchange, load_now);
  else
    rest_exchange_fail_status (exchange, 400, error->message);
}

static void
unload (RestExchange *exchange)
{
  rest_exchange_run_slow (exchange, unload_now);
}

/* --- metrics --- */

static void
metrics (RestExchange *exchange)
{
  rest_exchange_answer_text (exchange, serve_server_metrics (exchange->server));
}

/* --- routes --- */

typedef struct
{
  const char *method, *path; /* of a model: what follows it */
  void (*run) (RestExchange *exchange);
} Route;

static const Route routes[] = {
  { "GET", "/v2/health/live", live },
  { "GET", "/v2/health/ready", ready },
  { "GET", "/v2", server_metadata },
  { "GET", "/v2/models/stats", statistics },
  { "POST", "/v2/repository/index", repository_index },
},
                   metrics_routes[] = {
  { "GET", "/metrics", metrics },
},
                   model_routes[] = {
  { "GET", "", model_metadata },
  { "GET", "ready", model_ready },
  { "GET", "config", model_config },
  { "GET", "stats", statistics },
  { "POST", "infer", infer },
},
                   repository_routes[] = {
  { "POST", "load", load },
  { "POST", "unload", unload },
};

/* Splits NAME[/versions/VERSION][/VERB]; "%2F" is no slash that splits. */
static gboolean
split_path (RestExchange *exchange, const char *rest)
{
  g_auto (GStrv) parts = g_strsplit (rest, "/", 5);
  const guint n = g_strv_length (parts);
  guint at = 1;

  if (n == 0 || parts[0][0] == '\0')
    return FALSE;
  exchange->model = g_uri_unescape_string (parts[0], NULL);
  if (n >= 3 && strcmp (parts[1], "versions") == 0) {
    exchange->version = g_uri_unescape_string (parts[2], NULL);
    at = 3;
  } else {
    exchange->version = g_strdup ("");
  }
  if (at + 1 < n || exchange->model == NULL || exchange->version == NULL
      || !g_utf8_validate (exchange->model, -1, NULL)
      || !g_utf8_validate (exchange->version, -1, NULL))
    return FALSE;
  exchange->verb = g_strdup (at < n ? parts[at] : "");
  return TRUE;
}

static void
run_route (RestExchange *exchange, const Route *route)
{
  const char *method = protocol_http_method (exchange->http);

  if (strcmp (method, route->method) == 0) {
    route->run (exchange);
    return;
  }
  g_autofree char *text =
      g_strdup_printf ("this path takes %s, not %s", route->method, method);
  rest_exchange_fail_status (exchange, 405, text);
}

/* FALSE: there is none for @path. */
static gboolean
find_route (
    RestExchange *exchange, const char *path, const Route *list, guint n)
{
  for (guint i = 0; i < n; i++)
    if (strcmp (path, list[i].path) == 0) {
      run_route (exchange, &list[i]);
      return TRUE;
    }
  return FALSE;
}

static gboolean
find_model_route (RestExchange *exchange, const char *path, const char *prefix,
    const Route *list, guint n)
{
  return g_str_has_prefix (path, prefix)
         && split_path (exchange, path + strlen (prefix))
         && find_route (exchange, exchange->verb, list, n);
}

void
rest_route (RestExchange *exchange)
{
  const char *path = protocol_http_path (exchange->http);
  const gboolean found =
      exchange->metrics
          ? find_route (
              exchange, path, metrics_routes, G_N_ELEMENTS (metrics_routes))
          : find_route (exchange, path, routes, G_N_ELEMENTS (routes))
                || find_model_route (exchange, path, "/v2/models/",
                    model_routes, G_N_ELEMENTS (model_routes))
                || find_model_route (exchange, path, "/v2/repository/models/",
                    repository_routes, G_N_ELEMENTS (repository_routes));

  if (!found)
    rest_exchange_fail_status (exchange, 404,
        exchange->metrics ? "metrics are at /metrics"
                          : "there is no such path");
}
