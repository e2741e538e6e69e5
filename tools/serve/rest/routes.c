/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The paths of the REST interface. */

#include <string.h>

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
live (RestExchange *exchange)
{
  rest_exchange_answer_json (exchange, 200, NULL);
}

static void
ready (RestExchange *exchange)
{
  rest_exchange_answer_json (
      exchange, serve_server_is_ready (exchange->server) ? 200 : 503, NULL);
}

static void
model_ready (RestExchange *exchange)
{
  g_autoptr (ServeModel) model = serve_repository_find (
      exchange->server->repository, exchange->model, exchange->version, NULL);

  rest_exchange_answer_json (exchange,
      model != NULL && serve_server_is_ready (exchange->server) ? 200 : 503,
      NULL);
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
  g_autoptr (ProtocolMetadata) metadata = serve_repository_describe (
      exchange->server->repository, exchange->model, exchange->version, &error);

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

/* --- inference --- */

static void
on_infer_done (ProtocolInfer *response, const GError *error, gpointer data)
{
  RestExchange *exchange = data;
  g_autoptr (GError) failed = NULL;
  g_auto (ProtocolParts) parts;

  protocol_parts_init (&parts);
  if (error != NULL) {
    rest_exchange_fail (exchange, error);
  } else if (!protocol_rest_write_response (
                 response, &parts, &exchange->json_size, &failed)) {
    exchange->json_size = -1;
    rest_exchange_fail (exchange, failed);
  } else {
    exchange->status = 200;
    exchange->body = protocol_parts_join (&parts);
    rest_exchange_answer (exchange);
  }
  protocol_infer_free (response);
}

/* The size of the JSON in front of binary data; -1: all is JSON. */
static gboolean
read_json_size (SoupServerMessage *message, gssize *size, GError **error)
{
  const char *header = soup_message_headers_get_one (
      soup_server_message_get_request_headers (message), PROTOCOL_REST_HEADER);
  guint64 value;

  *size = -1;
  if (header == NULL)
    return TRUE;
  if (!g_ascii_string_to_unsigned (header, 10, 0, G_MAXSSIZE, &value, NULL))
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        PROTOCOL_REST_HEADER " is '%s', not a size", header);
  *size = (gssize) value;
  return TRUE;
}

static void
infer (RestExchange *exchange)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) body = soup_message_body_flatten (
      soup_server_message_get_request_body (exchange->message));
  ProtocolInfer *request = NULL;
  gssize json_size;

  if (read_json_size (exchange->message, &json_size, &error))
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

static void
repository_index (RestExchange *exchange)
{
  g_autoptr (GArray) entries =
      serve_repository_list (exchange->server->repository);
  GString *json = g_string_new ("[");

  for (guint i = 0; i < entries->len; i++) {
    const ServeEntry *entry = &g_array_index (entries, ServeEntry, i);

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
      exchange->server->repository, exchange->model, &error);

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

static void
load (RestExchange *exchange)
{
  rest_exchange_run_slow (exchange, load_now);
}

static void
unload (RestExchange *exchange)
{
  rest_exchange_run_slow (exchange, unload_now);
}

/* --- routes --- */

static const struct
{
  const char *method, *path; /* of a model: what follows it */
  void (*run) (RestExchange *exchange);
} routes[] = {
  { "GET", "/v2/health/live", live },
  { "GET", "/v2/health/ready", ready },
  { "GET", "/v2", server_metadata },
  { "POST", "/v2/repository/index", repository_index },
}, model_routes[] = {
  { "GET", "", model_metadata },
  { "GET", "ready", model_ready },
  { "GET", "config", model_config },
  { "POST", "infer", infer },
}, repository_routes[] = {
  { "POST", "load", load },
  { "POST", "unload", unload },
};

/* Splits NAME[/versions/VERSION][/VERB]. */
static gboolean
split_path (RestExchange *exchange, const char *rest)
{
  g_auto (GStrv) parts = g_strsplit (rest, "/", 5);
  const guint n = g_strv_length (parts);
  guint at = 1;

  if (n == 0 || parts[0][0] == '\0')
    return FALSE;
  exchange->model = g_strdup (parts[0]);
  exchange->version = g_strdup ("");
  if (n >= 3 && strcmp (parts[1], "versions") == 0) {
    g_free (exchange->version);
    exchange->version = g_strdup (parts[2]);
    at = 3;
  }
  if (at + 1 < n)
    return FALSE;
  exchange->verb = g_strdup (at < n ? parts[at] : "");
  return TRUE;
}

static void
run_route (RestExchange *exchange, const char *method, const char *wanted,
    void (*run) (RestExchange *exchange))
{
  if (strcmp (method, wanted) == 0) {
    run (exchange);
    return;
  }
  g_autofree char *text =
      g_strdup_printf ("this path takes %s, not %s", wanted, method);
  rest_exchange_fail_status (exchange, 405, text);
}

void
rest_route (RestExchange *exchange, const char *path)
{
  const char *method = soup_server_message_get_method (exchange->message);
  static const char models[] = "/v2/models/",
                    repository[] = "/v2/repository/models/";

  for (guint i = 0; i < G_N_ELEMENTS (routes); i++)
    if (strcmp (path, routes[i].path) == 0) {
      run_route (exchange, method, routes[i].method, routes[i].run);
      return;
    }
  if (g_str_has_prefix (path, models)
      && split_path (exchange, path + sizeof models - 1)) {
    for (guint i = 0; i < G_N_ELEMENTS (model_routes); i++)
      if (strcmp (exchange->verb, model_routes[i].path) == 0) {
        run_route (
            exchange, method, model_routes[i].method, model_routes[i].run);
        return;
      }
  } else if (g_str_has_prefix (path, repository)
             && split_path (exchange, path + sizeof repository - 1)) {
    for (guint i = 0; i < G_N_ELEMENTS (repository_routes); i++)
      if (strcmp (exchange->verb, repository_routes[i].path) == 0) {
        run_route (exchange, method, repository_routes[i].method,
            repository_routes[i].run);
        return;
      }
  }
  rest_exchange_fail_status (exchange, 404, "there is no such path");
}
