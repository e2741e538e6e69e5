/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "remote/http/call.h"

#include "protocol/rest.h"
#include "remote/http/exchange.h"

struct _RemoteCall
{
  HttpExchange exchange;
  GMutex lock; /* guards the two below */
  guint64 number;
  gboolean cancelled;
};

RemoteCall *
remote_http_call_new (RemoteClient *client)
{
  RemoteCall *self = g_new0 (RemoteCall, 1);

  self->exchange.client = client;
  g_mutex_init (&self->lock);
  return self;
}

void
remote_http_call_free (RemoteCall *self)
{
  g_mutex_clear (&self->lock);
  g_free (self);
}

static gboolean
make_message (HttpExchange *x, const ProtocolInfer *infer, GError **error)
{
  g_autofree char *path =
      remote_http_model_path (infer->model, infer->version, "/infer");
  gssize json_size;

  return protocol_rest_write_request (
             infer, &x->message.parts, &json_size, error)
         && remote_http_write_head (x->client, x->message.head, "POST", path,
             x->message.parts.size, json_size, error);
}

gboolean
remote_http_call_start (RemoteCall *self, const RemoteRequest *request,
    void (*done) (gpointer data), gpointer data, GError **error)
{
  HttpExchange *x = &self->exchange;

  remote_http_exchange_init (x, x->client);
  x->keep = request->keep;
  x->release = request->release;
  if (!make_message (x, request->infer, error)) {
    remote_http_exchange_clear (x);
    return FALSE;
  }
  /* Whether the server has taken a step of a sequence is not known. */
  x->once = protocol_infer_find (request->infer, "sequence_id") != NULL;
  x->timeout_us = request->timeout_us;
  x->delay_us = request->delay_us;
  x->done = done;
  x->data = data;
  g_mutex_lock (&self->lock);
  self->cancelled = FALSE;
  g_mutex_unlock (&self->lock);
  remote_http_exchange_start (x, &self->number);
  return TRUE;
}

void
remote_http_call_cancel (RemoteCall *self)
{
  g_mutex_lock (&self->lock);
  if (!self->cancelled)
    remote_http_exchange_cancel (self->number);
  self->cancelled = TRUE;
  g_mutex_unlock (&self->lock);
}

ProtocolInfer *
remote_http_call_finish (
    RemoteCall *self, RemoteFailure *failure, GError **error)
{
  HttpExchange *x = &self->exchange;
  ProtocolInfer *answer = NULL;

  g_mutex_lock (&self->lock);
  const gboolean cancelled = self->cancelled;
  g_mutex_unlock (&self->lock);
  *failure = REMOTE_ANSWERED;
  if (cancelled) {
    infer_fail (error, INFER_ERROR_CANCELLED, "cancelled");
  } else if (remote_http_check (
                 x->client, x->status, x->body, x->cause, failure, error)) {
    answer = protocol_rest_read_response (x->body, x->json_size, error);
    if (answer == NULL) {
      *failure = REMOTE_GARBLED;
      g_prefix_error (error, "%s: ", x->client->host);
    }
  }
  remote_http_exchange_clear (x);
  return answer;
}
