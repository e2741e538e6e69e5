/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tools/serve/server.h"

#include <string.h>

#include "protocol/json-text.h"

const char *const serve_extensions[] = { PROTOCOL_BINARY_EXTENSION,
  "model_configuration", "model_repository",
  "model_repository(unload_dependents)", "sequence", "statistics",
  PROTOCOL_STATE_EXTENSION, NULL };

gboolean
serve_server_is_ready (ServeServer *server)
{
  return g_atomic_int_get (&server->ready)
         && !g_atomic_int_get (&server->draining);
}

/* A client that is told that there is no such model gives up; one that is told
 * to come later does. */
static void
say_loading (ServeServer *server, GError **error)
{
  if (*error == NULL || g_atomic_int_get (&server->ready)
      || !g_error_matches (*error, INFER_ERROR, INFER_ERROR_NOT_FOUND))
    return;
  (*error)->code = INFER_ERROR_BUSY;
  g_prefix_error (error, "the server is still loading its models: ");
}

ServeModel *
serve_server_find (
    ServeServer *server, const char *name, const char *version, GError **error)
{
  GError *bad = NULL;
  ServeModel *model =
      serve_repository_find (server->repository, name, version, &bad);

  say_loading (server, &bad);
  if (bad != NULL)
    g_propagate_error (error, bad);
  return model;
}

ProtocolMetadata *
serve_server_describe (
    ServeServer *server, const char *name, const char *version, GError **error)
{
  GError *bad = NULL;
  ProtocolMetadata *metadata =
      serve_repository_describe (server->repository, name, version, &bad);

  say_loading (server, &bad);
  if (bad != NULL)
    g_propagate_error (error, bad);
  return metadata;
}

void
serve_server_infer (ServeServer *server, ProtocolInfer *request, int *cancelled,
    ServeDone done, gpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ServeModel) model =
      serve_server_find (server, request->model, request->version, &error);
  const ServeReply reply = { done, data, cancelled,
    g_atomic_int_get (&server->draining) };

  if (model != NULL) {
    serve_model_infer (model, request, &reply);
    return;
  }
  protocol_infer_free (request);
  done (NULL, error, data);
}

void
serve_server_load (ServeServer *server, guint *sequences, guint *calls)
{
  g_autoptr (GPtrArray) models = serve_repository_models (server->repository);

  *sequences = *calls = 0;
  for (guint i = 0; i < models->len; i++) {
    guint s, c;

    serve_model_load (models->pdata[i], &s, &c);
    *sequences += s;
    *calls += c;
  }
}

void
serve_server_expire (ServeServer *server)
{
  g_autoptr (GPtrArray) models = serve_repository_models (server->repository);

  for (guint i = 0; i < models->len; i++)
    serve_model_expire (models->pdata[i]);
}

/* --- statistics --- */

static gboolean
is_asked_for (const ServeModel *model, const char *name, const char *version)
{
  return (name[0] == '\0' || g_str_equal (name, serve_model_name (model)))
         && (version[0] == '\0'
             || g_str_equal (version, serve_model_version (model)));
}

GArray *
serve_server_statistics (ServeServer *server, const char *name,
    const char *version, GPtrArray **models, GError **error)
{
  g_autoptr (GArray) list = g_array_new (FALSE, TRUE, sizeof (ServeStatistics));

  *models = serve_repository_models (server->repository);
  for (guint i = 0; i < (*models)->len; i++) {
    ServeModel *model = (*models)->pdata[i];
    ServeStatistics one = { .name = serve_model_name (model),
      .version = serve_model_version (model) };

    if (!is_asked_for (model, name, version))
      continue;
    serve_counters_read (serve_model_counters (model), &one);
    g_array_append_val (list, one);
  }
  if (list->len > 0 || name[0] == '\0')
    return g_steal_pointer (&list);
  serve_model_unref (serve_server_find (server, name, version, error));
  g_clear_pointer (models, g_ptr_array_unref);
  return NULL;
}

/* In as many steps for every text of the token's length. */
gboolean
serve_server_allows (
    const ServeServer *server, const char *authorization, gsize length)
{
  const char *token = server->settings->token;
  static const char bearer[] = "Bearer ";
  const gsize prefix = sizeof bearer - 1;
  guint8 differences = 0;

  if (token == NULL)
    return TRUE;
  if (authorization == NULL || length != prefix + strlen (token)
      || g_ascii_strncasecmp (authorization, bearer, prefix) != 0)
    return FALSE;
  for (gsize i = 0; token[i] != '\0'; i++)
    differences |= (guint8) (token[i] ^ authorization[prefix + i]);
  return differences == 0;
}

/* --- metrics --- */

static void
gauge (GString *text, const char *name, const char *help, guint64 value)
{
  g_string_append_printf (text,
      "# HELP %s %s\n# TYPE %s gauge\n%s %" G_GUINT64_FORMAT "\n", name, help,
      name, name, value);
}

static void
add_label (GString *labels, const char *name, const char *value)
{
  g_string_append_printf (labels, "%s%s=", labels->len > 0 ? "," : "", name);
  protocol_json_string (labels, value);
}

char *
serve_server_metrics (ServeServer *server)
{
  GString *text = g_string_new (NULL);
  g_autoptr (GPtrArray) models = serve_repository_models (server->repository);
  const ServeLimits *limits = serve_repository_limits (server->repository);
  guint sequences, calls;

  serve_server_load (server, &sequences, &calls);
  gauge (text, "infer_ready", "Whether requests are taken.",
      serve_server_is_ready (server));
  gauge (text, "infer_sequences", "Sequences that have states.", sequences);
  gauge (text, "infer_state_bytes", "Bytes of the states of all sequences.",
      __atomic_load_n (&limits->bytes, __ATOMIC_RELAXED));
  gauge (text, "infer_requests_pending", "Requests that run or wait.", calls);
  g_autoptr (GPtrArray) labels = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) counters = g_ptr_array_new ();
  for (guint i = 0; i < models->len; i++) {
    GString *label = g_string_new (NULL);

    add_label (label, "model", serve_model_name (models->pdata[i]));
    add_label (label, "version", serve_model_version (models->pdata[i]));
    g_ptr_array_add (labels, g_string_free (label, FALSE));
    g_ptr_array_add (counters, serve_model_counters (models->pdata[i]));
  }
  serve_counters_write ((ServeCounters *const *) counters->pdata,
      (char *const *) labels->pdata, models->len, text);
  return g_string_free (text, FALSE);
}
