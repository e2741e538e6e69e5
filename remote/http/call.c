/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "remote/http/call.h"

#include "protocol/rest.h"

/* --- one message --- */

static void
end_timer (HttpExchange *x)
{
  if (x->timer != NULL)
    g_source_destroy (x->timer);
  g_clear_pointer (&x->timer, g_source_unref);
}

static void
start_timer (HttpExchange *x, gint64 delay_us, GSourceFunc function)
{
  end_timer (x);
  x->timer = g_timeout_source_new ((guint) MIN (delay_us / 1000, G_MAXUINT));
  g_source_set_callback (x->timer, function, x, NULL);
  g_source_attach (x->timer, remote_http_context ());
}

static void
on_answer (GObject *session, GAsyncResult *result, gpointer data)
{
  HttpExchange *x = data;

  x->body = soup_session_send_and_read_finish (
      SOUP_SESSION (session), result, &x->cause);
  end_timer (x);
  if (x->cause != NULL && x->late) {
    g_clear_error (&x->cause);
    x->cause = g_error_new_literal (
        G_IO_ERROR, G_IO_ERROR_TIMED_OUT, "no answer in time");
  }
  x->done (x->data);
}

static gboolean
on_late (gpointer data)
{
  HttpExchange *x = data;

  x->late = TRUE;
  g_cancellable_cancel (x->cancellable);
  return G_SOURCE_REMOVE;
}

static gboolean
send_now (gpointer data)
{
  HttpExchange *x = data;

  start_timer (x, x->timeout_us, on_late);
  soup_session_send_and_read_async (x->client->session, x->message,
      G_PRIORITY_DEFAULT, x->cancellable, on_answer, x);
  return G_SOURCE_REMOVE;
}

static gboolean
begin (gpointer data)
{
  HttpExchange *x = data;

  if (x->delay_us > 0)
    start_timer (x, x->delay_us, send_now);
  else
    send_now (x);
  return G_SOURCE_REMOVE;
}

void
remote_http_exchange (HttpExchange *x)
{
  if (x->cancellable == NULL)
    x->cancellable = g_cancellable_new ();
  x->late = FALSE;
  g_main_context_invoke (remote_http_context (), begin, x);
}

void
remote_http_exchange_clear (HttpExchange *x)
{
  g_clear_object (&x->message);
  g_clear_object (&x->cancellable);
  g_clear_pointer (&x->body, g_bytes_unref);
  g_clear_error (&x->cause);
}

/* --- calls --- */

struct _RemoteCall
{
  HttpExchange exchange;
  GMutex lock; /* guards the two below */
  GCancellable *cancellable;
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

/* libsoup sends what may be repeated over connections that it keeps, and again
 * over another one if such a connection breaks.  A step of a sequence must not
 * be sent twice: it gets a connection of its own. */
static void
choose_connection (SoupMessage *message, const ProtocolInfer *infer)
{
  if (protocol_infer_find (infer, "sequence_id") == NULL)
    soup_message_add_flags (message, SOUP_MESSAGE_IDEMPOTENT);
  else
    soup_message_headers_replace (
        soup_message_get_request_headers (message), "Connection", "close");
}

static gboolean
make_message (RemoteCall *self, const RemoteRequest *request, GError **error)
{
  const ProtocolInfer *infer = request->infer;
  g_autofree char *path =
      remote_http_model_path (infer->model, infer->version, "/infer");
  g_auto (ProtocolParts) parts = { 0 };
  gssize json_size;

  protocol_parts_init (&parts);
  if (!protocol_rest_write_request (infer, &parts, &json_size, error))
    return FALSE;
  self->exchange.message =
      remote_http_message (self->exchange.client, "POST", path, error);
  if (self->exchange.message == NULL)
    return FALSE;
  choose_connection (self->exchange.message, infer);
  g_autoptr (GBytes) body = protocol_parts_join (&parts);
  soup_message_set_request_body_from_bytes (self->exchange.message,
      json_size >= 0 ? "application/octet-stream" : "application/json", body);
  if (json_size >= 0) {
    g_autofree char *size = g_strdup_printf ("%" G_GSSIZE_FORMAT, json_size);

    soup_message_headers_replace (
        soup_message_get_request_headers (self->exchange.message),
        PROTOCOL_REST_HEADER, size);
  }
  return TRUE;
}

gboolean
remote_http_call_start (RemoteCall *self, const RemoteRequest *request,
    void (*done) (gpointer data), gpointer data, GError **error)
{
  /* The body is a copy. */
  const gboolean ok = make_message (self, request, error);

  if (request->release != NULL)
    request->release (request->keep);
  if (!ok) {
    remote_http_exchange_clear (&self->exchange);
    return FALSE;
  }
  self->exchange.timeout_us = request->timeout_us;
  self->exchange.delay_us = request->delay_us;
  self->exchange.done = done;
  self->exchange.data = data;
  self->exchange.cancellable = g_cancellable_new ();
  g_mutex_lock (&self->lock);
  self->cancelled = FALSE;
  self->cancellable = g_object_ref (self->exchange.cancellable);
  g_mutex_unlock (&self->lock);
  remote_http_exchange (&self->exchange);
  return TRUE;
}

static gboolean
cancel_now (gpointer cancellable)
{
  g_cancellable_cancel (cancellable);
  return G_SOURCE_REMOVE;
}

/* On the thread: handlers of the cancellable may finish the call. */
void
remote_http_call_cancel (RemoteCall *self)
{
  g_mutex_lock (&self->lock);
  if (self->cancellable != NULL && !self->cancelled) {
    self->cancelled = TRUE;
    g_main_context_invoke_full (remote_http_context (), G_PRIORITY_DEFAULT,
        cancel_now, g_object_ref (self->cancellable), g_object_unref);
  }
  g_mutex_unlock (&self->lock);
}

static gssize
json_size_of (SoupMessage *message)
{
  const char *text = soup_message_headers_get_one (
      soup_message_get_response_headers (message), PROTOCOL_REST_HEADER);
  gint64 size;

  return text != NULL
                 && g_ascii_string_to_signed (
                     text, 10, 0, G_MAXSSIZE, &size, NULL)
             ? (gssize) size
             : -1;
}

ProtocolInfer *
remote_http_call_finish (
    RemoteCall *self, RemoteFailure *failure, GError **error)
{
  HttpExchange *x = &self->exchange;
  ProtocolInfer *answer = NULL;

  g_mutex_lock (&self->lock);
  const gboolean cancelled = self->cancelled;
  g_clear_object (&self->cancellable);
  g_mutex_unlock (&self->lock);
  *failure = REMOTE_ANSWERED;
  if (cancelled) {
    infer_fail (error, INFER_ERROR_CANCELLED, "cancelled");
  } else if (remote_http_check (
                 x->client, x->message, x->body, x->cause, failure, error)) {
    answer =
        protocol_rest_read_response (x->body, json_size_of (x->message), error);
    if (answer == NULL) {
      *failure = REMOTE_GARBLED;
      g_prefix_error (error, "%s: ", x->client->host);
    }
  }
  remote_http_exchange_clear (x);
  return answer;
}
