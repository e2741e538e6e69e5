/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Answers. */

#include <string.h>
#include <time.h>

#include "protocol/rest.h"
#include "protocol/status.h"
#include "tools/serve/rest/private.h"

typedef struct
{
  RestExchange *exchange;
  void (*run) (RestExchange *exchange);
} SlowExchange;

RestExchange *
rest_exchange_new (ServeRest *rest, RestConnection *connection)
{
  RestExchange *exchange = g_new0 (RestExchange, 1);

  g_atomic_int_inc (&rest->open);
  exchange->rest = rest;
  exchange->server = rest->server;
  exchange->connection = connection;
  exchange->json_size = -1;
  protocol_http_message_init (&exchange->message);
  return exchange;
}

void
rest_exchange_free (RestExchange *exchange)
{
  g_atomic_int_add (&exchange->rest->open, -1);
  protocol_http_message_clear (&exchange->message);
  protocol_infer_free (exchange->response);
  g_free (exchange->text);
  g_free (exchange->model);
  g_free (exchange->version);
  g_free (exchange->verb);
  g_free (exchange->config);
  g_free (exchange);
}

/* As RFC 9110 writes it, in no other language. */
static void
add_date (GString *head)
{
  static const char days[][4] = { "Sun", "Mon", "Tue", "Wed", "Thu", "Fri",
    "Sat" },
                    months[][4] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun",
                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };
  const time_t now = time (NULL);
  struct tm t;

  if (gmtime_r (&now, &t) != NULL)
    g_string_append_printf (head, "Date: %s, %02d %s %d %02d:%02d:%02d GMT\r\n",
        days[t.tm_wday], t.tm_mday, months[t.tm_mon], t.tm_year + 1900,
        t.tm_hour, t.tm_min, t.tm_sec);
}

static void
answer (RestExchange *exchange, const char *content_type)
{
  GString *head = exchange->message.head;
  ProtocolParts *parts = &exchange->message.parts;

  if (exchange->text != NULL)
    protocol_parts_append_borrowed (
        parts, exchange->text, strlen (exchange->text), 0);
  g_string_append_printf (head,
      "HTTP/1.1 %u %s\r\nServer: " SERVE_NAME "\r\nContent-Type: %s\r\n"
      "Content-Length: %zu\r\n",
      exchange->status, protocol_status_phrase (exchange->status), content_type,
      parts->size);
  add_date (head);
  if (exchange->json_size >= 0)
    g_string_append_printf (head,
        PROTOCOL_REST_HEADER ": %" G_GSSIZE_FORMAT "\r\n", exchange->json_size);
  if (exchange->closes)
    g_string_append (head, "Connection: close\r\n");
  g_string_append (head, "\r\n");
  if (exchange->headless) {
    protocol_parts_clear (parts);
    protocol_parts_init (parts);
  }
  rest_connection_send (exchange->connection, exchange);
}

void
rest_exchange_answer_json (RestExchange *exchange, guint status, char *json)
{
  exchange->status = status;
  exchange->text = json;
  answer (exchange, "application/json");
}

void
rest_exchange_answer_text (RestExchange *exchange, char *text)
{
  exchange->status = 200;
  exchange->text = text;
  answer (exchange, "text/plain; version=0.0.4");
}

void
rest_exchange_answer_infer (RestExchange *exchange, ProtocolInfer *response)
{
  g_autoptr (GError) failed = NULL;

  exchange->response = response;
  if (!protocol_rest_write_response (
          response, &exchange->message.parts, &exchange->json_size, &failed)) {
    exchange->json_size = -1;
    protocol_parts_clear (&exchange->message.parts);
    protocol_parts_init (&exchange->message.parts);
    rest_exchange_fail (exchange, failed);
    return;
  }
  exchange->status = 200;
  answer (exchange, exchange->json_size < 0 ? "application/json"
                                            : "application/octet-stream");
}

void
rest_exchange_fail_status (
    RestExchange *exchange, guint status, const char *text)
{
  rest_exchange_answer_json (
      exchange, status, protocol_rest_write_error (text));
}

void
rest_exchange_fail (RestExchange *exchange, const GError *error)
{
  rest_exchange_fail_status (
      exchange, protocol_status_to_http (error), error->message);
}

/* --- what takes long --- */

void
rest_exchange_run_slow_now (gpointer data, gpointer unused)
{
  SlowExchange *slow = data;

  slow->run (slow->exchange);
  g_free (slow);
}

void
rest_exchange_run_slow (
    RestExchange *exchange, void (*run) (RestExchange *exchange))
{
  SlowExchange *slow = g_new (SlowExchange, 1);

  *slow = (SlowExchange){ exchange, run };
  g_thread_pool_push (exchange->rest->slow, slow, NULL);
}
