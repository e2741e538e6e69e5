/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What both front ends serve: a repository, and whether the server is ready. */

#pragma once

#include "tools/serve/repository.h"

typedef struct
{
  const ServeSettings *settings;
  ServeRepository *repository;
  gint ready;    /* atomic: all models have been tried */
  gint draining; /* atomic */
} ServeServer;

#define SERVE_NAME "infer-serve"

/* Extensions of the protocol, NULL-terminated. */
extern const char *const serve_extensions[];

gboolean serve_server_is_ready (ServeServer *server);
/* Sends @request (transfer full) to its model; @done as in model.h. */
void serve_server_infer (ServeServer *server, ProtocolInfer *request,
    int *cancelled, ServeDone done, gpointer data);
/* The loaded model.  INFER_ERROR_BUSY while the server still loads the folder:
 * it may come.  (transfer full) */
ServeModel *serve_server_find (
    ServeServer *server, const char *name, const char *version, GError **error);
/* (transfer full): all versions, highest first, are listed. */
ProtocolMetadata *serve_server_describe (
    ServeServer *server, const char *name, const char *version, GError **error);
/* Statistics of a model, of all versions if @version is "", of all models if
 * @name is "".  *@models (transfer full) keeps their texts.  NULL: there is
 * none.  (element-type ServeStatistics) */
GArray *serve_server_statistics (ServeServer *server, const char *name,
    const char *version, GPtrArray **models, GError **error);
/* Sequences, and requests that run or wait, of all models. */
void serve_server_load (ServeServer *server, guint *sequences, guint *calls);
/* Ends sequences that have been idle for too long. */
void serve_server_expire (ServeServer *server);
/* All metrics, as Prometheus reads them.  (transfer full) */
char *serve_server_metrics (ServeServer *server);

/* Whether @authorization (nullable), the value of the header, has the token, if
 * there is one. */
gboolean serve_server_allows (
    const ServeServer *server, const char *authorization, gsize length);
