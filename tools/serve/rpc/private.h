/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Shared by the files of the gRPC front end.
 *
 *   socket ─► connection ─► session (nghttp2) ─► call ─► method, stream
 *   socket ◄─ connection ◄─ session ◄─ answer ◄───┘ (any thread)
 *
 * The thread of a connection's lane reads: with the connection's lock it gives
 * the session what has come, without it it runs the calls that have a message
 * then. Whoever has an answer takes the lock, hands the answer to the session
 * and sends what the socket takes; the lane's thread sends the rest, and all
 * that goes through TLS.  No other lock is taken while a connection's is held.
 */

#pragma once

#include <nghttp2/nghttp2.h>

#include "protocol/http/stream.h"
#include "protocol/infer.h"
#include "protocol/status.h"
#include "tools/serve/ports.h"
#include "tools/serve/rpc/message.h"
#include "tools/serve/rpc/rpc.h"

typedef struct _RpcConnection RpcConnection;
typedef struct _RpcCall RpcCall;
typedef struct _RpcStream RpcStream;
typedef struct _RpcMethod RpcMethod;
typedef struct _RpcAnswer RpcAnswer;

#define RPC_SPACE_BYTES (256 << 10)

/* A thread that reads.  All is its own. */
typedef struct
{
  ServeRpc *rpc;
  ServeLane *lane;
  GMainContext *context;
  guint8 *space;     /* RPC_SPACE_BYTES, to receive into */
  GSource *deadline; /* of the next call that has one */
  gint64 next_deadline;
  gboolean draining;
} RpcLane;

struct _ServeRpc
{
  ServeServer *server;
  ServePorts *ports;
  RpcLane *lanes;
  guint n_lanes;
  nghttp2_session_callbacks *callbacks;
  nghttp2_option *options;
  GThreadPool *slow;
  gint open;   /* atomic: calls that are not over */
  gint unsent; /* atomic: connections whose socket does not take all */
};

/* A front end without a port or threads.  (transfer full) */
ServeRpc *rpc_front_new (ServeServer *server, GError **error);

/* --- methods.c --- */

#define RPC_SERVICE "/inference.GRPCInferenceService/"

struct _RpcMethod
{
  const char *name;
  /* Ends in rpc_call_reply, at once or later, on any thread.  NULL: it is the
   * stream. */
  void (*run) (RpcCall *call, GBytes *message);
  gboolean open; /* needs no token */
  gboolean slow; /* runs on a thread of its own */
};

/* "/service/name".  NULL: there is none. */
const RpcMethod *rpc_method_find (const char *path, gsize length);

/* --- connection.c --- */

struct _RpcConnection
{
  gatomicrefcount refs;
  ServeRpc *rpc;
  RpcLane *lane;
  ProtocolHttpStream stream;
  /* The thread's. */
  GSource *reading, *writing; /* nullable */
  GQueue ready;               /* RpcCall, with a reference: to be run */
  gint64 opened;
  gint64 used;       /* when something has come last, µs */
  gint64 asked;      /* when it was asked whether it is there; 0: it was not */
  gboolean settled;  /* it has sent its settings */
  gboolean farewell; /* what comes is dropped */

  GMutex lock;
  nghttp2_session *session; /* NULL: closed */
  GQueue calls;             /* RpcCall, each with a reference: open streams */
  ProtocolHttpMessage out;  /* frames on their way to the socket */
  GQueue held;              /* RpcAnswer, whose memory is part of `out` */
  gboolean waits;           /* the thread will send */
  gboolean broken;          /* nothing more can be sent */
  gint64 pinged;            /* when the client has asked last, µs */
  guint strikes;            /* of such questions that came too early */
  guint resets;             /* of streams, those of late */
};

/* All on the lane's thread.  @tls: (transfer full) (nullable) */
void rpc_connection_open (RpcLane *lane, GSocket *socket, GIOStream *tls);
void rpc_connection_close (RpcConnection *self);
/* Asks clients that are silent whether they are there. */
void rpc_connection_check (RpcConnection *self, gint64 now);
/* Tells the client to open no further streams. */
void rpc_connection_drain (RpcConnection *self);
/* Ends the calls that still run. */
void rpc_connection_cancel (RpcConnection *self);
/* Ends the calls whose deadline is over, and notes the next deadline. */
void rpc_connection_expire (RpcConnection *self, gint64 now);

RpcConnection *rpc_connection_ref (RpcConnection *self);
void rpc_connection_unref (gpointer self);
/* Any thread.  "unlock" sends what the session has. */
void rpc_connection_lock (RpcConnection *self);
void rpc_connection_unlock (RpcConnection *self);

/* --- session.c --- */

/* Of the headers of a call, as HTTP/2 counts them. */
#define RPC_HEADER_BYTES (32 << 10)
/* What a client may have on its way before it is read. */
#define RPC_WINDOW_BYTES (1 << 20)

nghttp2_session_callbacks *rpc_session_callbacks_new (void);
nghttp2_option *rpc_session_options_new (void);
/* With our settings to be sent.  (transfer full) */
nghttp2_session *rpc_session_new (RpcConnection *connection);
/* With the lock held: tells the client @reason and ends the session. */
void rpc_session_complain (RpcConnection *connection, const char *reason);

/* --- call.c --- */

struct _RpcCall
{
  gatomicrefcount refs; /* of the open stream, and of who works on it */
  RpcConnection *connection;
  ServeServer *server;
  const RpcMethod *method;
  int gone; /* atomic: the client has given up */
  gint32 id;
  GList link; /* in its connection's calls */

  /* Of the headers; the thread's. */
  guint http_status; /* not 200: no gRPC is spoken */
  gsize header_bytes;
  gboolean is_grpc, allowed;
  gint64 deadline; /* µs; 0: none */
  RpcEncoding encoding;

  /* With the lock, all on the thread but `stream`. */
  RpcReader reader;
  GQueue messages;   /* RpcMessage, to be run */
  gboolean queued;   /* it is in its connection's queue `ready` */
  gboolean taken;    /* a unary call: its message was taken */
  gboolean ended;    /* the client sends no more */
  gsize unconsumed;  /* bytes whose place the client gets later */
  RpcStream *stream; /* NULL: a unary call */

  /* With the lock. */
  gboolean begun;    /* its header is submitted */
  gboolean finished; /* its status is known */
  gboolean deferred; /* the session waits for an answer */
  gboolean closed;   /* the stream is over */
  ProtocolGrpcCode code;
  char *text;     /* nullable: of the status */
  GQueue answers; /* RpcAnswer, not sent */
  gsize unsent;   /* bytes of them */
};

/* With the lock held, on the thread.  The reference belongs to the stream. */
RpcCall *rpc_call_new (RpcConnection *connection, gint32 id);
RpcCall *rpc_call_ref (RpcCall *call);
void rpc_call_unref (RpcCall *call);
void rpc_call_add_header (RpcCall *call, const char *name, gsize name_length,
    const char *value, gsize value_length);
/* The headers are whole: refuses what cannot be served. */
void rpc_call_begin (RpcCall *call);
/* Bytes of messages. */
void rpc_call_add (RpcCall *call, const guint8 *data, gsize size);
/* The client sends no more. */
void rpc_call_end (RpcCall *call);
/* The stream is over; drops its reference. */
void rpc_call_close (RpcCall *call);

/* On the thread, without the lock: takes what has come. */
void rpc_call_run (RpcCall *call);
void rpc_call_run_slow (gpointer slow, gpointer unused);

/* Answers a unary call and drops the reference of who works on it.  Takes what
 * is in @parts, and @response (nullable), which has memory that they borrow. */
void rpc_call_reply (
    RpcCall *call, ProtocolParts *parts, ProtocolInfer *response);
void rpc_call_fail (RpcCall *call, const GError *error);
void rpc_call_fail_code (
    RpcCall *call, ProtocolGrpcCode code, const char *text);

/* --- answer.c --- */

/* A message on its way to the client. */
struct _RpcAnswer
{
  GList link;
  guint8 prefix[RPC_PREFIX_BYTES];
  ProtocolParts parts;
  ProtocolInfer *response; /* nullable; has what `parts` borrows */
  gsize sent;              /* also of the prefix */
  guint part;              /* that is sent next, from */
  gsize offset;
  gboolean borrowed; /* `out` of the connection points to it */
};

/* As rpc_call_reply.  (transfer full) */
RpcAnswer *rpc_answer_new (ProtocolParts *parts, ProtocolInfer *response);
void rpc_answer_free (RpcAnswer *answer);
void rpc_answers_clear (GQueue *answers);

/* All with the lock held.  They do nothing where the stream is over.
 * Submits the header of the response. */
void rpc_answer_begin (RpcCall *call);
/* @answer: (transfer full) */
void rpc_answer_push (RpcCall *call, RpcAnswer *answer);
/* The status: nothing follows. */
void rpc_answer_finish (RpcCall *call, ProtocolGrpcCode code, const char *text);
/* An answer of HTTP instead of gRPC's. */
void rpc_answer_http (RpcCall *call, guint status);
/* nghttp2's callback: a frame of @length bytes of the call's answers. */
int rpc_answer_send (nghttp2_session *session, nghttp2_frame *frame,
    const guint8 *head, size_t length, nghttp2_data_source *source,
    void *connection);

/* --- stream.c --- */

/* ModelStreamInfer. */
void rpc_stream_begin (RpcCall *call);
void rpc_stream_free (RpcStream *stream);
/* With the lock held: whether the next request is taken. */
gboolean rpc_stream_reads (const RpcCall *call);
/* With the lock held: an answer has been sent. */
void rpc_stream_sent (RpcCall *call);
/* On the thread, without the lock. */
void rpc_stream_run (RpcCall *call);
