/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Channels of gRPC's C core, and the completion queue with its thread that all
 * channels of the process share. */

#pragma once

#include <grpc/grpc.h>

#include "remote/client.h"

/* What the queue calls when an operation is finished. */
typedef struct _GrpcTag GrpcTag;
struct _GrpcTag
{
  void (*finished) (GrpcTag *tag, gboolean ok);
};

struct _RemoteClient
{
  grpc_channel *channel;
  grpc_completion_queue *queue;
  char *host, *token_file;
};

RemoteClient *remote_channel_open (const RemoteTarget *target, GError **error);
void remote_channel_close (RemoteClient *client);

/* A call of method @name of the service.  NULL: out of memory. */
grpc_call *remote_channel_call (
    RemoteClient *client, const char *name, gint64 timeout_us);

/* The header that carries the token, read now; @metadata is an empty array of
 * one.  FALSE with an error: the file cannot be read.  Released by
 * remote_channel_release_token. */
gboolean remote_channel_token (
    RemoteClient *client, grpc_metadata *metadata, gsize *n, GError **error);
void remote_channel_release_token (grpc_metadata *metadata, gsize n);

/* The error that the status @code of a call means, and what it leaves open. */
void remote_channel_fail (const RemoteClient *client, int code,
    const grpc_slice *details, RemoteFailure *failure, GError **error);
