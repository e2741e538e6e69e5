/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Shared by the files of the HTTP front end. */

#pragma once

#include "protocol/http/stream.h"
#include "tools/serve/ports.h"
#include "tools/serve/rest/rest.h"

typedef struct _RestConnection RestConnection;

struct _ServeRest
{
  ServeServer *server;
  ServePorts *ports;
  ServeLane *lane;       /* of all connections */
  GMainContext *context; /* of the lane's thread, the front end's */
  GThreadPool *slow;
  gint open; /* atomic: exchanges that are not over */
};

/* A request that is answered later, by rest_exchange_answer. */
typedef struct
{
  ServeRest *rest;
  ServeServer *server;
  RestConnection *connection;
  int gone;         /* atomic: the client has given up */
  gboolean metrics; /* it came to the port of the metrics */
  gboolean closes;  /* nothing follows it on its connection */
  /* While rest_route runs: the request. */
  ProtocolHttp *http;
  /* Of the path. */
  char *model, *version, *verb;
  char *config; /* of a model to load; nullable */
  /* The answer. */
  guint status;
  gboolean headless;       /* HEAD: without the body */
  char *text;              /* nullable: JSON or text */
  ProtocolInfer *response; /* nullable: what `message` borrows from */
  gssize json_size;        /* of its JSON; < 0: all of it */
  ProtocolHttpMessage message;
} RestExchange;

/* Carries out the request of a path and a method: "answer" is called, at once
 * or later. */
void rest_route (RestExchange *exchange);

/* --- exchange.c --- */

RestExchange *rest_exchange_new (ServeRest *rest, RestConnection *connection);
void rest_exchange_free (RestExchange *exchange);
/* Any thread; the exchange is gone afterwards. */
void rest_exchange_answer_json (
    RestExchange *exchange, guint status, char *json);
void rest_exchange_answer_text (RestExchange *exchange, char *text);
/* @response: (transfer full) */
void rest_exchange_answer_infer (
    RestExchange *exchange, ProtocolInfer *response);
void rest_exchange_fail (RestExchange *exchange, const GError *error);
void rest_exchange_fail_status (
    RestExchange *exchange, guint status, const char *text);
/* Runs @run on a thread for what takes long. */
void rest_exchange_run_slow (
    RestExchange *exchange, void (*run) (RestExchange *exchange));
void rest_exchange_run_slow_now (gpointer slow, gpointer unused);

/* --- connection.c --- */

/* On the front end's thread.  @tls: (transfer full) (nullable) */
void rest_connection_open (
    ServeRest *rest, GSocket *socket, GIOStream *tls, gboolean metrics);
void rest_connection_close (RestConnection *connection);
/* Closes it if it says nothing for too long. */
void rest_connection_check (RestConnection *connection, gint64 now);
/* Any thread: sends the message of @exchange, which is gone afterwards. */
void rest_connection_send (RestConnection *connection, RestExchange *exchange);
