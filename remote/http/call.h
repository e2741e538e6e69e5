/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "remote/http/client.h"

/* A message of the thread's session, with its time limit. */
typedef struct
{
  RemoteClient *client;
  SoupMessage *message;
  gint64 timeout_us, delay_us;
  GCancellable *cancellable;
  gboolean late;
  GSource *timer;
  GBytes *body;
  GError *cause;
  void (*done) (gpointer data); /* on the thread */
  gpointer data;
} HttpExchange;

/* Any thread. */
void remote_http_exchange (HttpExchange *exchange);
void remote_http_exchange_clear (HttpExchange *exchange);

/* The entries `call_…` of RemoteProtocol. */
RemoteCall *remote_http_call_new (RemoteClient *client);
void remote_http_call_free (RemoteCall *call);
gboolean remote_http_call_start (RemoteCall *call, const RemoteRequest *request,
    void (*done) (gpointer data), gpointer data, GError **error);
void remote_http_call_cancel (RemoteCall *call);
ProtocolInfer *remote_http_call_finish (
    RemoteCall *call, RemoteFailure *failure, GError **error);
