/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A client of one inference server.  A module that is loaded when a URL needs
 * it implements it, since it needs libraries that the runtime must not depend
 * on: remote/grpc for grpc:// and grpcs://, remote/http for http:// and
 * https://. */

#pragma once

#include "protocol/infer.h"
#include "protocol/metadata.h"

#define REMOTE_PROTOCOL_VERSION 2
#define REMOTE_PROTOCOL_SYMBOL "infer_remote_protocol"

typedef struct _RemoteClient RemoteClient; /* any thread */
typedef struct _RemoteCall RemoteCall;     /* one thread at a time */

/* Where a server is, and how to get in.  Paths are of PEM files and nullable;
 * the token's file is read for each call. */
typedef struct
{
  char *host;  /* "host:port" */
  char *place; /* nullable: "address:port", where the host is */
  gboolean tls;
  char *ca, *certificate, *key, *token_file;
  char *authority; /* the name in its certificate; NULL: the host's */
} RemoteTarget;

/* What a failure leaves open. */
typedef enum
{
  REMOTE_ANSWERED, /* the server has refused it, and would again */
  REMOTE_MISSING,  /* the same: it has no such model, or no such sequence */
  REMOTE_NOT_DONE, /* the server has not computed it */
  REMOTE_UNKNOWN,  /* it may have computed it */
  REMOTE_GARBLED,  /* it has; the answer cannot be read */
} RemoteFailure;

typedef struct
{
  const ProtocolInfer *infer; /* until call_start returns */
  gint64 timeout_us;          /* of the whole call */
  gint64 delay_us;            /* it starts that much later: a repetition */
  gboolean stream;            /* by ModelStreamInfer; gRPC only */
  /* Keeps the tensors' memory: @release is called once nothing reads it. */
  gpointer keep;
  void (*release) (gpointer keep);
} RemoteRequest;

typedef struct
{
  guint version; /* REMOTE_PROTOCOL_VERSION */

  /* Does not connect yet. */
  RemoteClient *(*open) (const RemoteTarget *target, GError **error);
  void (*close) (RemoteClient *client); /* has no call */

  /* Both block, at most for @timeout_us; @failure: nullable. */
  ProtocolMetadata *(*describe) (RemoteClient *client, const char *model,
      const char *version, gint64 timeout_us, RemoteFailure *failure,
      GError **error);
  /* Whether the server names @extension among its own. */
  gboolean (*has_extension) (
      RemoteClient *client, const char *extension, gint64 timeout_us);

  /* Whether it has the model loaded and takes requests.  Blocks likewise. */
  gboolean (*is_ready) (RemoteClient *client, const char *model,
      const char *version, gint64 timeout_us);

  RemoteCall *(*call_new) (RemoteClient *client);
  void (*call_free) (RemoteCall *call); /* is not started */
  /* Calls @done once, on a thread of the module.  FALSE: it was not started;
   * @done is not called, @release is. */
  gboolean (*call_start) (RemoteCall *call, const RemoteRequest *request,
      void (*done) (gpointer data), gpointer data, GError **error);
  /* Any thread: a started call ends early. */
  void (*call_cancel) (RemoteCall *call);
  /* After @done, once.  (transfer full) */
  ProtocolInfer *(*call_finish) (
      RemoteCall *call, RemoteFailure *failure, GError **error);
} RemoteProtocol;
