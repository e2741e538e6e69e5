/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Shared by the files of the HTTP front end. */

#pragma once

#include <libsoup/soup.h>

#include "tools/serve/rest/rest.h"

/* A request that is answered later, by rest_exchange_answer. */
typedef struct
{
  ServeRest *rest;
  ServeServer *server;
  SoupServerMessage *message;
  int gone; /* atomic: the client has given up */
  /* Of the path. */
  char *model, *version, *verb;
  /* Filled on any thread, sent on the front end's. */
  guint status;
  GBytes *body;
  gssize json_size; /* < 0: all of it */
} RestExchange;

/* What a path and a method stand for.  Both: "answer" is called, at once or
 * later. */
void rest_route (RestExchange *exchange, const char *path);

/* Any thread; the exchange is gone afterwards. */
void rest_exchange_answer (RestExchange *exchange);
void rest_exchange_answer_json (
    RestExchange *exchange, guint status, char *json);
void rest_exchange_fail (RestExchange *exchange, const GError *error);
void rest_exchange_fail_status (
    RestExchange *exchange, guint status, const char *text);
/* Runs @run on a thread for what takes long. */
void rest_exchange_run_slow (
    RestExchange *exchange, void (*run) (RestExchange *exchange));
