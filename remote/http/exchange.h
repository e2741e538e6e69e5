/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One request and its response.
 *
 * A request goes out at once, on the thread that starts it, if a connection is
 * idle; else, and where TLS is in between, on the thread of the module, which
 * opens connections, reads responses and watches deadlines. */

#pragma once

#include "protocol/http/stream.h"
#include "remote/http/client.h"

typedef struct _HttpConnection HttpConnection;

typedef struct
{
  RemoteClient *client;
  /* Set by the caller. */
  ProtocolHttpMessage message;
  gboolean once; /* must not be sent twice */
  gint64 timeout_us, delay_us;
  void (*done) (gpointer data); /* on the thread */
  gpointer data;
  gpointer keep; /* the memory of `message`; released before @done */
  void (*release) (gpointer keep);

  /* Its own: of the thread, once it is started. */
  GList link; /* of those that run */
  guint64 number;
  gint64 begin, deadline; /* monotonic; @begin 0: has begun */
  gboolean ends;          /* cancelled, or too late */
  GCancellable *connecting;
  HttpConnection *connection; /* that it was sent over */

  /* The outcome. */
  gboolean late;
  GError *cause; /* NULL: there is a response */
  guint status;
  GBytes *body;
  gssize json_size; /* < 0: the header is not there */
} HttpExchange;

void remote_http_exchange_init (HttpExchange *exchange, RemoteClient *client);
void remote_http_exchange_clear (HttpExchange *exchange);
/* Any thread.  @number: nullable, for remote_http_exchange_cancel. */
void remote_http_exchange_start (HttpExchange *exchange, guint64 *number);
/* Any thread; nothing happens if it is over. */
void remote_http_exchange_cancel (guint64 number);

/* --- between exchange.c and connection.c; on the thread --- */

/* The exchange belongs to its caller again. */
void remote_http_exchange_finish (HttpExchange *exchange);
/* @cause: (transfer full) */
void remote_http_exchange_fail (HttpExchange *exchange, GError *cause);

/* Adds it to those that run; any thread. */
void remote_http_exchange_list (HttpExchange *exchange);
/* Sends it over an idle connection, on any thread; @listed: it runs already.
 * FALSE: none is idle. */
gboolean remote_http_connection_send (HttpExchange *exchange, gboolean listed);
/* Sends it over a new connection. */
void remote_http_connection_open (HttpExchange *exchange);
/* Closes the one that it was sent over. */
void remote_http_connection_abort (HttpExchange *exchange);
/* Closes all that are idle. */
void remote_http_connections_close (RemoteClient *client);
