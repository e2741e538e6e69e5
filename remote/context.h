/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One request: its call, what is repeated after a failure, and who waits. */

#pragma once

#include "inference/runtime/backend.h"
#include "remote/sequence.h"

/* A compiled model. */
typedef struct
{
  RemoteServers *servers;
  const InferOperation *call;
  guint n_inputs, n_outputs; /* the model's: without the variable's value */
  GStrv input_names;         /* of the model's inputs; NULL-terminated */
  guint *outputs;            /* per output of the model: the call's output */
  gboolean sequences, checkpoints, stream;
  gboolean rest, binary; /* over REST, with binary data */
  const char *place;     /* interned: where states are */
} RemoteExecutable;

typedef struct _RemoteContext RemoteContext;

RemoteContext *remote_context_new (const RemoteExecutable *executable);
void remote_context_free (RemoteContext *context);
gboolean remote_context_start (RemoteContext *context,
    InferTensor *const *inputs, InferState *const *states, GError **error);
gboolean remote_context_wait (RemoteContext *context, GError **error);
gboolean remote_context_download (
    RemoteContext *context, InferTensor **outputs, GError **error);
/* NULL: nothing was lost of the state before the step. */
const char *remote_context_lost (const RemoteContext *context);
guint64 remote_context_duration (const RemoteContext *context);
InferExecutor *remote_context_executor (RemoteContext *context);
InferTask *remote_context_cancel (RemoteContext *context);
