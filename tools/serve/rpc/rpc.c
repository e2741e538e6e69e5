/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The front end: its port, deadlines, and how it ends. */

#include "tools/serve/rpc/private.h"

#define MOST_HANDSHAKE_US (20 * G_USEC_PER_SEC)
/* Processors for each thread that reads. */
#define PER_LANE 4

static void
open_connection (
    gpointer front, ServeLane *lane, GSocket *socket, GIOStream *tls, int port)
{
  ServeRpc *rpc = front;

  rpc_connection_open (&rpc->lanes[serve_lane_index (lane)], socket, tls);
}

static void
check_connection (gpointer connection, gint64 now)
{
  rpc_connection_check (connection, now);
}

static void
close_connection (gpointer connection)
{
  rpc_connection_close (connection);
}

static const char *const tls_protocols[] = { "h2", NULL };

static const ServePortsKind kind = {
  .name = "gRPC",
  .protocols = tls_protocols,
  .most_handshake_us = MOST_HANDSHAKE_US,
  .open = open_connection,
  .check = check_connection,
  .close = close_connection,
};

/* --- deadlines --- */

static void
expire (gpointer connection, gpointer now)
{
  rpc_connection_expire (connection, *(const gint64 *) now);
}

/* Looks at all calls, so that the many that end in time cost nothing. */
static gboolean
on_deadline (gpointer data)
{
  RpcLane *lane = data;
  gint64 now = g_get_monotonic_time ();

  lane->next_deadline = G_MAXINT64;
  serve_lane_foreach (lane->lane, expire, &now);
  g_source_set_ready_time (lane->deadline,
      lane->next_deadline < G_MAXINT64 ? lane->next_deadline : -1);
  return G_SOURCE_CONTINUE;
}

static gboolean
dispatch (GSource *source, GSourceFunc call, gpointer data)
{
  return call (data);
}

static GSourceFuncs deadline_kind = { NULL, NULL, dispatch, NULL, NULL, NULL };

/* --- the end --- */

static void
drain_connection (gpointer connection, gpointer data)
{
  rpc_connection_drain (connection);
}

static gboolean
drain (gpointer data)
{
  RpcLane *lane = data;

  lane->draining = TRUE;
  serve_lane_foreach (lane->lane, drain_connection, NULL);
  return G_SOURCE_REMOVE;
}

static void
cancel_connection (gpointer connection, gpointer data)
{
  rpc_connection_cancel (connection);
}

static gboolean
cancel (gpointer data)
{
  RpcLane *lane = data;

  serve_lane_foreach (lane->lane, cancel_connection, NULL);
  return G_SOURCE_REMOVE;
}

static void
on_lanes (ServeRpc *rpc, GSourceFunc call)
{
  for (guint i = 0; i < rpc->n_lanes; i++)
    g_main_context_invoke (rpc->lanes[i].context, call, &rpc->lanes[i]);
}

static gboolean
is_busy (ServeRpc *rpc)
{
  return g_atomic_int_get (&rpc->open) > 0
         || g_atomic_int_get (&rpc->unsent) > 0;
}

static void
end_calls (ServeRpc *rpc, double seconds)
{
  const gint64 until =
      g_get_monotonic_time () + (gint64) (seconds * G_USEC_PER_SEC);

  serve_ports_shut (rpc->ports);
  on_lanes (rpc, drain);
  while (is_busy (rpc) && g_get_monotonic_time () < until)
    g_usleep (5000);
  on_lanes (rpc, cancel);
}

/* --- lifetime --- */

static void
make_lanes (ServeRpc *rpc)
{
  rpc->lanes = g_new (RpcLane, rpc->n_lanes);
  for (guint i = 0; i < rpc->n_lanes; i++) {
    RpcLane *lane = &rpc->lanes[i];

    *lane = (RpcLane){ .rpc = rpc,
      .lane = serve_ports_lane (rpc->ports, i),
      .space = g_malloc (RPC_SPACE_BYTES),
      .deadline = g_source_new (&deadline_kind, sizeof (GSource)),
      .next_deadline = G_MAXINT64 };
    lane->context = serve_lane_context (lane->lane);
    g_source_set_callback (lane->deadline, on_deadline, lane, NULL);
    g_source_attach (lane->deadline, lane->context);
  }
}

static void
free_lanes (ServeRpc *rpc)
{
  for (guint i = 0; i < rpc->n_lanes; i++) {
    g_source_destroy (rpc->lanes[i].deadline);
    g_source_unref (rpc->lanes[i].deadline);
    g_free (rpc->lanes[i].space);
  }
  g_free (rpc->lanes);
}

ServeRpc *
rpc_front_new (ServeServer *server, GError **error)
{
  ServeRpc *rpc = g_new0 (ServeRpc, 1);

  rpc->server = server;
  rpc->n_lanes = MAX (g_get_num_processors () / PER_LANE, 1);
  rpc->ports =
      serve_ports_new (&kind, rpc, rpc->n_lanes, server->settings, error);
  if (rpc->ports == NULL) {
    g_free (rpc);
    return NULL;
  }
  rpc->callbacks = rpc_session_callbacks_new ();
  rpc->options = rpc_session_options_new ();
  rpc->slow = g_thread_pool_new (rpc_call_run_slow, NULL, 1, FALSE, NULL);
  make_lanes (rpc);
  return rpc;
}

ServeRpc *
serve_rpc_new (ServeServer *server, GError **error)
{
  ServeRpc *rpc = rpc_front_new (server, error);

  if (rpc == NULL)
    return NULL;
  if (serve_ports_listen (
          rpc->ports, server->settings->grpc_port, "--grpc-port", error)) {
    serve_ports_start (rpc->ports);
    return rpc;
  }
  serve_rpc_free (rpc, 0);
  return NULL;
}

void
serve_rpc_free (ServeRpc *rpc, double seconds)
{
  if (rpc == NULL)
    return;
  end_calls (rpc, seconds);
  serve_ports_stop (rpc->ports);
  g_thread_pool_free (rpc->slow, FALSE, TRUE);
  serve_ports_await (rpc->ports, &rpc->open);
  free_lanes (rpc);
  serve_ports_free (rpc->ports);
  nghttp2_session_callbacks_del (rpc->callbacks);
  nghttp2_option_del (rpc->options);
  g_free (rpc);
}
