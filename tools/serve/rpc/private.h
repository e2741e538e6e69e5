/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Shared by the files of the gRPC front end. */

#pragma once

#include <grpc/grpc.h>

#include "protocol/parts.h"
#include "tools/serve/rpc/rpc.h"

typedef struct _RpcCall RpcCall;
typedef struct _RpcStream RpcStream;
typedef struct _RpcMethod RpcMethod;

/* What a completion queue returns.  @ok: the operation succeeded. */
typedef struct
{
  void (*event) (RpcCall *call, gboolean ok);
  RpcCall *call;
} RpcTag;

#define RPC_SERVICE "/inference.GRPCInferenceService/"
#define RPC_MODEL_INFER RPC_SERVICE "ModelInfer"

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

struct _RpcCall
{
  ServeRpc *grpc;
  ServeServer *server;
  const RpcMethod *method;
  grpc_call *call;
  grpc_call_details details;
  gpr_timespec deadline; /* of ModelInfer */
  grpc_metadata_array metadata;
  gint refs;     /* of the end of the call, and of who works on it */
  int cancelled; /* written by gRPC when the call ends */
  int gone;      /* atomic: the client has given up */
  int watched;   /* atomic: some batch watches the end of the call */
  grpc_byte_buffer *payload;
  grpc_slice details_text; /* of the status */
  gboolean has_text;
  RpcTag arrived, read, written, closed;
  RpcStream *stream; /* NULL: a unary call */
};

RpcCall *rpc_call_ref (RpcCall *call);
void rpc_call_unref (RpcCall *call);
/* TRUE for the first caller, which has to watch the end. */
gboolean rpc_call_claim_end (RpcCall *call);

/* Answers a unary call and drops the reference of who works on it.  @response
 * (nullable) owns memory of tensors in @parts, which is taken out of it. */
void rpc_call_reply (
    RpcCall *call, const ProtocolParts *parts, ProtocolInfer *response);
void rpc_call_fail (RpcCall *call, const GError *error);
void rpc_call_fail_code (
    RpcCall *call, grpc_status_code code, const char *text);

/* Sets @op to the status, whose text the call keeps. */
void rpc_call_set_status (
    RpcCall *call, grpc_op *op, grpc_status_code code, const char *text);
/* (transfer full) */
grpc_byte_buffer *rpc_buffer_new (
    const ProtocolParts *parts, ProtocolInfer *response);
/* Without a copy if the message came in one piece.  Takes @buffer.
 * (transfer full); NULL: it is compressed in a way that cannot be read. */
GBytes *rpc_buffer_read (grpc_byte_buffer *buffer);

/* ModelStreamInfer; takes the reference of who works on the call. */
void rpc_stream_begin (RpcCall *call);
void rpc_stream_free (RpcStream *stream);
