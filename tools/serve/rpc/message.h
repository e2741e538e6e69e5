/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Messages of gRPC in a stream of bytes: each follows a byte that says whether
 * it is compressed and its size in four.  Nothing here is trusted. */

#pragma once

#include <string.h>

#include "infer/error.h"

typedef enum
{
  RPC_ENCODING_IDENTITY,
  RPC_ENCODING_GZIP,
  RPC_ENCODING_DEFLATE, /* of zlib */
  RPC_ENCODING_UNKNOWN,
} RpcEncoding;

#define RPC_ENCODINGS "identity,deflate,gzip"
#define RPC_PREFIX_BYTES 5

typedef struct
{
  GList link; /* in a queue of messages */
  guint8 *data;
  gsize size;
  gboolean compressed;
} RpcMessage;

typedef struct
{
  gsize most; /* bytes of a message */
  guint8 prefix[RPC_PREFIX_BYTES];
  guint n_prefix;      /* of which have come */
  RpcMessage *message; /* whose prefix has come; nullable */
  gsize filled, space; /* of its bytes */
} RpcReader;

void rpc_reader_init (RpcReader *reader, gsize most);
void rpc_reader_clear (RpcReader *reader);
/* The messages that @data completes are appended to @messages.  An error:
 * INFER_ERROR_NO_MEMORY if one is too large, which its prefix says; nothing
 * more can be read. */
gboolean rpc_reader_add (RpcReader *reader, const guint8 *data, gsize size,
    GQueue *messages, GError **error);
/* Whether it is between two messages. */
gboolean rpc_reader_is_empty (const RpcReader *reader);

void rpc_message_free (RpcMessage *message); /* NULL is fine */
void rpc_messages_clear (GQueue *messages);
/* The bytes of @message, which is consumed, decompressed if it says so.
 * (transfer full) */
GBytes *rpc_message_open (
    RpcMessage *message, RpcEncoding encoding, gsize most, GError **error);

/* Whether the @length bytes at @value are @text. */
static inline gboolean
rpc_is_text (const char *value, gsize length, const char *text)
{
  return length == strlen (text) && memcmp (value, text, length) == 0;
}

/* What the header grpc-encoding says. */
RpcEncoding rpc_encoding_find (const char *name, gsize length);
