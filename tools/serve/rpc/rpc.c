/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <grpc/grpc_security.h>
#include <grpc/support/log.h>
#include <string.h>

#include "infer/error.h"
#include "protocol/status.h"
#include "tools/serve/rpc/private.h"

/* A peer that is silent for so long is asked whether it is there, and dropped
 * if it does not answer. */
#define KEEPALIVE_MS 60000
#define KEEPALIVE_TIMEOUT_MS 20000
#define HANDSHAKE_MS 20000
/* Bytes of a message that a client may send before we ask for them: so much
 * from the first message on; gRPC's default of 64 kB grows only as it probes.
 */
#define WINDOW_BYTES (1 << 20)

/* Processors for each thread that reads and sends. */
#define PER_THREAD 4

struct _ServeRpc
{
  ServeServer *server;
  grpc_server *grpc;
  void *infer; /* gRPC's handle of ModelInfer */
  grpc_completion_queue *queue;
  GThread **threads;
  guint n_threads;
  GThreadPool *slow; /* SlowCall */
  RpcTag stopped;    /* all calls have ended */
  GMutex lock;
  GCond cond;
  gboolean all_ended;
};

typedef struct
{
  RpcCall *call;
  GBytes *message;
} SlowCall;

/* --- calls --- */

RpcCall *
rpc_call_ref (RpcCall *call)
{
  g_atomic_int_inc (&call->refs);
  return call;
}

void
rpc_call_unref (RpcCall *call)
{
  if (!g_atomic_int_dec_and_test (&call->refs))
    return;
  if (call->stream != NULL)
    rpc_stream_free (call->stream);
  if (call->has_text)
    grpc_slice_unref (call->details_text);
  if (call->payload != NULL)
    grpc_byte_buffer_destroy (call->payload);
  grpc_call_details_destroy (&call->details);
  grpc_metadata_array_destroy (&call->metadata);
  if (call->call != NULL)
    grpc_call_unref (call->call);
  g_free (call);
}

gboolean
rpc_call_claim_end (RpcCall *call)
{
  return g_atomic_int_compare_and_exchange (&call->watched, FALSE, TRUE);
}

/* The client has its answer, has given up or has gone. */
static void
on_closed (RpcCall *call, gboolean ok)
{
  if (!ok || call->cancelled)
    g_atomic_int_set (&call->gone, TRUE);
  rpc_call_unref (call);
}

static void
on_message (RpcCall *call, gboolean ok)
{
  grpc_byte_buffer *payload = g_steal_pointer (&call->payload);

  if (!ok || payload == NULL) {
    if (payload != NULL)
      grpc_byte_buffer_destroy (payload);
    rpc_call_fail_code (
        call, GRPC_STATUS_INVALID_ARGUMENT, "the call has no message");
    return;
  }
  g_autoptr (GBytes) message = rpc_buffer_read (payload);
  if (message == NULL) {
    rpc_call_fail_code (call, GRPC_STATUS_UNIMPLEMENTED,
        "the message is compressed in a way that is not supported");
  } else if (call->method->slow) {
    SlowCall *slow = g_new (SlowCall, 1);
    *slow = (SlowCall){ call, g_steal_pointer (&message) };
    g_thread_pool_push (call->grpc->slow, slow, NULL);
  } else {
    call->method->run (call, message);
  }
}

static void
run_slow (gpointer data, gpointer unused)
{
  SlowCall *slow = data;

  slow->call->method->run (slow->call, slow->message);
  g_bytes_unref (slow->message);
  g_free (slow);
}

static gboolean
is_allowed (const RpcCall *call)
{
  const char *value = NULL;
  gsize length = 0;

  for (gsize i = 0; i < call->metadata.count; i++) {
    const grpc_metadata *item = &call->metadata.metadata[i];

    if (grpc_slice_str_cmp (item->key, "authorization") == 0) {
      value = (const char *) GRPC_SLICE_START_PTR (item->value);
      length = GRPC_SLICE_LENGTH (item->value);
    }
  }
  return serve_server_allows (call->server, value, length);
}

/* What keeps the call from being served; NULL: nothing. */
static const char *
find_fault (RpcCall *call, grpc_status_code *code)
{
  if (call->method == NULL)
    call->method = rpc_method_find (
        (const char *) GRPC_SLICE_START_PTR (call->details.method),
        GRPC_SLICE_LENGTH (call->details.method));
  if (call->method == NULL) {
    *code = GRPC_STATUS_UNIMPLEMENTED;
    return "there is no such method on this server";
  }
  if (!call->method->open && !is_allowed (call)) {
    *code = GRPC_STATUS_UNAUTHENTICATED;
    return "the header 'authorization' must be 'Bearer TOKEN', with the "
           "server's token";
  }
  return NULL;
}

static void
watch_end (RpcCall *call)
{
  grpc_op close = { .op = GRPC_OP_RECV_CLOSE_ON_SERVER };

  if (!rpc_call_claim_end (call))
    return;
  close.data.recv_close_on_server.cancelled = &call->cancelled;
  call->closed = (RpcTag){ on_closed, rpc_call_ref (call) };
  if (grpc_call_start_batch (call->call, &close, 1, &call->closed, NULL)
      != GRPC_CALL_OK)
    rpc_call_unref (call);
}

static void accept_next (ServeRpc *grpc);
static void accept_infer (ServeRpc *grpc);

/* Any method but ModelInfer. */
static void
on_arrived (RpcCall *call, gboolean ok)
{
  grpc_op read = { .op = GRPC_OP_RECV_MESSAGE };
  grpc_status_code code;

  if (!ok) { /* the server shuts down */
    rpc_call_unref (call);
    return;
  }
  accept_next (call->grpc);
  watch_end (call);
  const char *fault = find_fault (call, &code);
  if (fault != NULL) {
    rpc_call_fail_code (call, code, fault);
    return;
  }
  if (call->method->run == NULL) {
    rpc_stream_begin (call);
    return;
  }
  read.data.recv_message.recv_message = &call->payload;
  call->read = (RpcTag){ on_message, call };
  if (grpc_call_start_batch (call->call, &read, 1, &call->read, NULL)
      != GRPC_CALL_OK)
    rpc_call_unref (call);
}

/* ModelInfer, with its message.  The answer of a quick inference is sent before
 * on_message returns, and that batch watches the end, too. */
static void
on_infer (RpcCall *call, gboolean ok)
{
  grpc_status_code code;

  if (!ok) { /* the server shuts down */
    rpc_call_unref (call);
    return;
  }
  accept_infer (call->grpc);
  rpc_call_ref (call);
  const char *fault = find_fault (call, &code);
  if (fault != NULL)
    rpc_call_fail_code (call, code, fault);
  else
    on_message (call, TRUE);
  watch_end (call);
  rpc_call_unref (call);
}

static RpcCall *
call_new (ServeRpc *grpc, void (*arrived) (RpcCall *call, gboolean ok))
{
  RpcCall *call = g_new0 (RpcCall, 1);

  call->grpc = grpc;
  call->server = grpc->server;
  call->refs = 1;
  grpc_call_details_init (&call->details);
  grpc_metadata_array_init (&call->metadata);
  call->arrived = (RpcTag){ arrived, call };
  return call;
}

static void
accept_next (ServeRpc *grpc)
{
  RpcCall *call = call_new (grpc, on_arrived);

  if (grpc_server_request_call (grpc->grpc, &call->call, &call->details,
          &call->metadata, grpc->queue, grpc->queue, &call->arrived)
      != GRPC_CALL_OK)
    rpc_call_unref (call);
}

/* gRPC tells of it when the message is there: one event less for each call. */
static void
accept_infer (ServeRpc *grpc)
{
  RpcCall *call = call_new (grpc, on_infer);

  call->method = rpc_method_find (RPC_MODEL_INFER, strlen (RPC_MODEL_INFER));
  if (grpc_server_request_registered_call (grpc->grpc, grpc->infer, &call->call,
          &call->deadline, &call->metadata, &call->payload, grpc->queue,
          grpc->queue, &call->arrived)
      != GRPC_CALL_OK)
    rpc_call_unref (call);
}

/* --- threads --- */

static gpointer
serve (gpointer data)
{
  ServeRpc *grpc = data;

  for (;;) {
    const grpc_event event = grpc_completion_queue_next (
        grpc->queue, gpr_inf_future (GPR_CLOCK_REALTIME), NULL);

    if (event.type == GRPC_QUEUE_SHUTDOWN)
      return NULL;
    if (event.type != GRPC_OP_COMPLETE)
      continue;
    const RpcTag *tag = event.tag;
    if (tag == &grpc->stopped) {
      g_mutex_lock (&grpc->lock);
      grpc->all_ended = TRUE;
      g_cond_broadcast (&grpc->cond);
      g_mutex_unlock (&grpc->lock);
    } else {
      tag->event (tag->call, event.success != 0);
    }
  }
}

/* --- credentials --- */

static gboolean
read_pem (const char *path, char **text, GError **error)
{
  g_autoptr (GError) failed = NULL;

  if (path == NULL || g_file_get_contents (path, text, NULL, &failed))
    return TRUE;
  return infer_fail (error, INFER_ERROR_NOT_FOUND, "TLS: %s", failed->message);
}

static grpc_server_credentials *
make_credentials (const ServeSettings *settings, GError **error)
{
  g_autofree char *certificate = NULL, *key = NULL, *ca = NULL;

  if (settings->certificate == NULL)
    return grpc_insecure_server_credentials_create ();
  if (!read_pem (settings->certificate, &certificate, error)
      || !read_pem (settings->key, &key, error)
      || !read_pem (settings->client_ca, &ca, error))
    return NULL;
  grpc_ssl_pem_key_cert_pair pair = { key, certificate };
  grpc_server_credentials *credentials = grpc_ssl_server_credentials_create_ex (
      ca, &pair, 1,
      ca != NULL ? GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY
                 : GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE,
      NULL);
  if (credentials == NULL)
    infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "TLS: %s and %s are no certificate and its key", settings->certificate,
        settings->key);
  return credentials;
}

/* --- lifetime --- */

static grpc_arg
integer (const char *key, int value)
{
  grpc_arg arg = { .type = GRPC_ARG_INTEGER };

  /* It is only read. */
  arg.key = (char *) (guintptr) key;
  arg.value.integer = value;
  return arg;
}

static grpc_server *
make_server (const ServeSettings *settings)
{
  grpc_arg args[] = {
    integer (
        GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH, settings->max_message_mb << 20),
    integer (GRPC_ARG_MAX_SEND_MESSAGE_LENGTH, -1),
    /* A second server on the same port is an error. */
    integer (GRPC_ARG_ALLOW_REUSEPORT, 0),
    integer (GRPC_ARG_MAX_CONCURRENT_STREAMS, 1000),
    integer (GRPC_ARG_KEEPALIVE_TIME_MS, KEEPALIVE_MS),
    integer (GRPC_ARG_KEEPALIVE_TIMEOUT_MS, KEEPALIVE_TIMEOUT_MS),
    integer (GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1),
    integer (GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 5000),
    integer (GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, HANDSHAKE_MS),
    integer (GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, WINDOW_BYTES),
  };
  const grpc_channel_args list = { G_N_ELEMENTS (args), args };

  return grpc_server_create (&list, NULL);
}

static gboolean
listen_on (ServeRpc *grpc, GError **error)
{
  const ServeSettings *settings = grpc->server->settings;
  g_autofree char *address =
      strchr (settings->listen, ':') != NULL
          ? g_strdup_printf ("[%s]:%d", settings->listen, settings->grpc_port)
          : g_strdup_printf ("%s:%d", settings->listen, settings->grpc_port);
  grpc_server_credentials *credentials = make_credentials (settings, error);

  if (credentials == NULL)
    return FALSE;
  const int port =
      grpc_server_add_http2_port (grpc->grpc, address, credentials);
  grpc_server_credentials_release (credentials);
  return port != 0
         || infer_fail (error, INFER_ERROR_FAILED,
             "gRPC: cannot listen on %s: is the port in use? (--grpc-port)",
             address);
}

/* What matters to users is in our own errors. */
static void
log_debug (gpr_log_func_args *args)
{
  g_debug ("gRPC: %s:%d: %s", args->file, args->line, args->message);
}

ServeRpc *
serve_rpc_new (ServeServer *server, GError **error)
{
  ServeRpc *grpc = g_new0 (ServeRpc, 1);

  gpr_set_log_function (log_debug);
  grpc_init ();
  grpc->server = server;
  g_mutex_init (&grpc->lock);
  g_cond_init (&grpc->cond);
  grpc->grpc = make_server (server->settings);
  grpc->infer = grpc_server_register_method (grpc->grpc, RPC_MODEL_INFER, NULL,
      GRPC_SRM_PAYLOAD_READ_INITIAL_BYTE_BUFFER, 0);
  grpc->queue = grpc_completion_queue_create_for_next (NULL);
  grpc->slow = g_thread_pool_new (run_slow, NULL, 1, FALSE, NULL);
  grpc_server_register_completion_queue (grpc->grpc, grpc->queue, NULL);
  const gboolean listens = listen_on (grpc, error);
  grpc_server_start (grpc->grpc);
  /* Threads that wait for events wake each other in turn. */
  grpc->n_threads = MAX (g_get_num_processors () / PER_THREAD, 1);
  grpc->threads = g_new (GThread *, grpc->n_threads);
  for (guint i = 0; i < grpc->n_threads; i++) {
    accept_next (grpc);
    accept_infer (grpc);
    grpc->threads[i] = g_thread_new ("grpc", serve, grpc);
  }
  if (listens)
    return grpc;
  serve_rpc_free (grpc, 0);
  return NULL;
}

/* FALSE: calls still run after @seconds; < 0: waits for ever. */
static gboolean
wait_ended (ServeRpc *grpc, double seconds)
{
  const gint64 until =
      g_get_monotonic_time () + (gint64) (seconds * G_USEC_PER_SEC);

  while (!grpc->all_ended)
    if (seconds < 0)
      g_cond_wait (&grpc->cond, &grpc->lock);
    else if (!g_cond_wait_until (&grpc->cond, &grpc->lock, until))
      return grpc->all_ended;
  return TRUE;
}

void
serve_rpc_free (ServeRpc *grpc, double seconds)
{
  if (grpc == NULL)
    return;
  grpc_server_shutdown_and_notify (grpc->grpc, grpc->queue, &grpc->stopped);
  g_mutex_lock (&grpc->lock);
  if (!wait_ended (grpc, seconds)) {
    grpc_server_cancel_all_calls (grpc->grpc);
    wait_ended (grpc, -1);
  }
  g_mutex_unlock (&grpc->lock);
  g_thread_pool_free (grpc->slow, FALSE, TRUE);
  grpc_server_destroy (grpc->grpc);
  grpc_completion_queue_shutdown (grpc->queue);
  for (guint i = 0; i < grpc->n_threads; i++)
    g_thread_join (grpc->threads[i]);
  grpc_completion_queue_destroy (grpc->queue);
  grpc_shutdown ();
  g_mutex_clear (&grpc->lock);
  g_cond_clear (&grpc->cond);
  g_free (grpc->threads);
  g_free (grpc);
}
