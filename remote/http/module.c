/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The client for REST: what the module exports. */

#include <string.h>

#include "remote/http/call.h"
#include "remote/http/exchange.h"

typedef struct
{
  GMutex lock;
  GCond changed;
  gboolean finished;
} Waiter;

static void
wake (gpointer data)
{
  Waiter *waiter = data;

  g_mutex_lock (&waiter->lock);
  waiter->finished = TRUE;
  g_cond_signal (&waiter->changed);
  g_mutex_unlock (&waiter->lock);
}

/* NULL on failure.  (transfer full) */
static GBytes *
ask (RemoteClient *client, const char *path, gint64 timeout_us,
    RemoteFailure *failure, GError **error)
{
  RemoteFailure what = REMOTE_ANSWERED;
  Waiter waiter = { .finished = FALSE };
  HttpExchange x;
  GBytes *body = NULL;

  remote_http_exchange_init (&x, client);
  x.timeout_us = timeout_us;
  x.done = wake;
  x.data = &waiter;
  if (remote_http_write_head (
          client, x.message.head, "GET", path, 0, -1, error)) {
    g_mutex_init (&waiter.lock);
    g_cond_init (&waiter.changed);
    remote_http_exchange_start (&x, NULL);
    g_mutex_lock (&waiter.lock);
    while (!waiter.finished)
      g_cond_wait (&waiter.changed, &waiter.lock);
    g_mutex_unlock (&waiter.lock);
    g_mutex_clear (&waiter.lock);
    g_cond_clear (&waiter.changed);
    if (remote_http_check (client, x.status, x.body, x.cause, &what, error))
      body = g_steal_pointer (&x.body);
  }
  remote_http_exchange_clear (&x);
  if (failure != NULL)
    *failure = what;
  return body;
}

static ProtocolMetadata *
describe (RemoteClient *client, const char *model, const char *version,
    gint64 timeout_us, RemoteFailure *failure, GError **error)
{
  g_autofree char *path = remote_http_model_path (model, version, "");
  g_autofree char *config = remote_http_model_path (model, version, "/config");
  g_autoptr (GBytes) answer = ask (client, path, timeout_us, failure, error);

  if (answer == NULL)
    return NULL;
  g_autoptr (ProtocolMetadata) metadata =
      protocol_rest_read_metadata (answer, error);
  /* Only servers of Triton's kind have configurations. */
  g_autoptr (GBytes) more =
      metadata != NULL ? ask (client, config, timeout_us, NULL, NULL) : NULL;
  if (metadata != NULL
      && (more == NULL || protocol_rest_read_config (more, metadata, error)))
    return g_steal_pointer (&metadata);
  g_prefix_error (error, "%s: ", client->host);
  return NULL;
}

/* The name, in quotes, is nowhere else in a server's metadata. */
static gboolean
has_extension (RemoteClient *client, const char *extension, gint64 timeout_us)
{
  g_autoptr (GBytes) answer = ask (client, "", timeout_us, NULL, NULL);
  g_autofree char *quoted = g_strdup_printf ("\"%s\"", extension);
  gsize size;

  if (answer == NULL)
    return FALSE;
  const char *text = g_bytes_get_data (answer, &size);
  return text != NULL && g_strstr_len (text, (gssize) size, quoted) != NULL;
}

static gboolean
is_ready (RemoteClient *client, const char *model, const char *version,
    gint64 timeout_us)
{
  g_autofree char *path = remote_http_model_path (model, version, "/ready");
  g_autoptr (GBytes) answer = ask (client, path, timeout_us, NULL, NULL);

  return answer != NULL;
}

extern __attribute__ ((visibility ("default")))
const RemoteProtocol infer_remote_protocol;

const RemoteProtocol infer_remote_protocol = {
  .version = REMOTE_PROTOCOL_VERSION,
  .open = remote_http_open,
  .close = remote_http_close,
  .describe = describe,
  .has_extension = has_extension,
  .is_ready = is_ready,
  .call_new = remote_http_call_new,
  .call_free = remote_http_call_free,
  .call_start = remote_http_call_start,
  .call_cancel = remote_http_call_cancel,
  .call_finish = remote_http_call_finish,
};
