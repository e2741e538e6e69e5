/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* URLs of models on inference servers:
 *
 *   grpc://HOST[:PORT][,HOST…]/MODEL[/VERSION][?KEY=VALUE[&…]]
 *
 * with the schemes grpc, grpcs, http, https; PORT is 8001 or 8000 by default.
 * Keys: docs/guides/remote.md. */

#pragma once

#include "remote/client.h"

typedef enum
{
  REMOTE_USE_AUTO, /* as the server says */
  REMOTE_USE_NO,
  REMOTE_USE_YES,
} RemoteUse;

typedef struct
{
  char *text;         /* the URL without its keys */
  const char *module; /* "grpc", "http" */
  GStrv hosts;        /* "host:port" */
  char *model, *version;
  RemoteTarget target; /* without host and place */
  gint64 timeout_us;   /* of an inference */
  gint64 retries;
  RemoteUse sequence;
  int stream;           /* RemoteUse: of ModelStreamInfer */
  int binary;           /* RemoteUse: of binary data, over REST */
  gboolean text_ids;    /* sequence_id is a string */
  gint64 checkpoint;    /* steps between two checkpoints; 0: none */
  gint64 checkpoint_us; /* time between two; 0: only steps count */
  gboolean restart;     /* a sequence whose state is lost begins again */
  gint64 replay_bytes;  /* most bytes of inputs kept for a replay */
} RemoteAddress;

/* NULL with INFER_ERROR_INVALID_ARGUMENT.  (transfer full) */
RemoteAddress *remote_address_parse (const char *url, GError **error);
void remote_address_free (RemoteAddress *address); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RemoteAddress, remote_address_free)
