/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A served model: its requests, those that wait for one, and its sequences. */

#pragma once

#include "infer/request.h"
#include "protocol/infer.h"
#include "protocol/metadata.h"
#include "tools/serve/counters.h"
#include "tools/serve/model-settings.h"
#include "tools/serve/sequences.h"
#include "tools/serve/settings.h"

typedef struct _ServeModel ServeModel;

/* @response: (transfer full), NULL with @error.  On any thread, also inside
 * serve_model_infer. */
typedef void (*ServeDone) (
    ProtocolInfer *response, const GError *error, gpointer data);

/* What all models share. */
typedef struct
{
  const ServeSettings *settings;
  ServeLimits limits;
  InferExecutor *awake; /* the thread that starts a request */
  /* Frees models that the callback of one of their own requests has let go. */
  GThreadPool *reaper;
} ServeShared;

void serve_shared_init (ServeShared *shared, const ServeSettings *settings);
/* Waits until all models are freed. */
void serve_shared_clear (ServeShared *shared);

/* Loads and compiles @path.  (transfer full) */
ServeModel *serve_model_new (const char *name, const char *version,
    const char *path, const ServeModelSettings *settings, InferRuntime *runtime,
    ServeShared *shared, GError **error);
ServeModel *serve_model_ref (ServeModel *model);
void serve_model_unref (ServeModel *model); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ServeModel, serve_model_unref)

const char *serve_model_name (const ServeModel *model);
const char *serve_model_version (const ServeModel *model);
ServeCounters *serve_model_counters (ServeModel *model);
/* (transfer full); the versions are only its own. */
ProtocolMetadata *serve_model_describe (const ServeModel *model);
/* Sequences, and requests that run or wait. */
void serve_model_load (ServeModel *model, guint *sequences, guint *calls);

/* What a request is answered with, and by whom it may be given up. */
typedef struct
{
  ServeDone done;
  gpointer data;
  int *cancelled;    /* nullable, atomic: the client has gone */
  gboolean draining; /* no sequence may begin; answers say so */
} ServeReply;

/* Runs @request (transfer full).  Never blocks. */
void serve_model_infer (
    ServeModel *model, ProtocolInfer *request, const ServeReply *reply);
void serve_model_expire (ServeModel *model);
