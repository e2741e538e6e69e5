/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tools/serve/rest/private.h"

#define MOST_HANDSHAKE_US (10 * G_USEC_PER_SEC)

static void
open_connection (
    gpointer front, ServeLane *lane, GSocket *socket, GIOStream *tls, int port)
{
  ServeRest *rest = front;

  rest_connection_open (
      rest, socket, tls, port == rest->server->settings->metrics_port);
}

static void
check_connection (gpointer connection, gint64 now)
{
  rest_connection_check (connection, now);
}

static void
close_connection (gpointer connection)
{
  rest_connection_close (connection);
}

static const ServePortsKind kind = {
  .name = "HTTP",
  .most_handshake_us = MOST_HANDSHAKE_US,
  .open = open_connection,
  .check = check_connection,
  .close = close_connection,
};

static gboolean
open_ports (ServeRest *rest, GError **error)
{
  const ServeSettings *settings = rest->server->settings;

  rest->ports = serve_ports_new (&kind, rest, 1, settings, error);
  return rest->ports != NULL
         && (settings->http_port == 0
             || serve_ports_listen (
                 rest->ports, settings->http_port, "--http-port", error))
         && (settings->metrics_port == 0
             || serve_ports_listen (
                 rest->ports, settings->metrics_port, "--metrics-port", error));
}

ServeRest *
serve_rest_new (ServeServer *server, GError **error)
{
  ServeRest *rest = g_new0 (ServeRest, 1);

  rest->server = server;
  rest->slow =
      g_thread_pool_new (rest_exchange_run_slow_now, NULL, 1, FALSE, NULL);
  if (open_ports (rest, error)) {
    rest->lane = serve_ports_lane (rest->ports, 0);
    rest->context = serve_lane_context (rest->lane);
    serve_ports_start (rest->ports);
    return rest;
  }
  serve_rest_free (rest, 0);
  return NULL;
}

void
serve_rest_free (ServeRest *rest, double seconds)
{
  if (rest == NULL)
    return;
  const gint64 until =
      g_get_monotonic_time () + (gint64) (seconds * G_USEC_PER_SEC);
  while (g_atomic_int_get (&rest->open) > 0 && g_get_monotonic_time () < until)
    g_usleep (5000);
  if (rest->ports != NULL)
    serve_ports_stop (rest->ports);
  g_thread_pool_free (rest->slow, FALSE, TRUE);
  serve_ports_await (rest->ports, &rest->open);
  serve_ports_free (rest->ports);
  g_free (rest);
}
