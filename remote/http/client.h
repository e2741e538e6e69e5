/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The session of libsoup, and the thread whose main context all sessions of the
 * process share. */

#pragma once

#include <libsoup/soup.h>

#include "remote/client.h"

struct _RemoteClient
{
  SoupSession *session; /* the thread's only */
  char *base;           /* "http://host:8000/v2" */
  char *host, *token_file;
  GTlsCertificate *certificate; /* nullable */
};

RemoteClient *remote_http_open (const RemoteTarget *target, GError **error);
void remote_http_close (RemoteClient *client);

/* The context of the thread. */
GMainContext *remote_http_context (void);

/* A message for @path below /v2, with the token.  (transfer full) */
SoupMessage *remote_http_message (
    RemoteClient *client, const char *method, const char *path, GError **error);
/* "models/NAME/versions/VERSION".  (transfer full) */
char *remote_http_model_path (
    const char *model, const char *version, const char *tail);

/* TRUE: @message was answered with success.  @cause: of libsoup (nullable),
 * @body nullable. */
gboolean remote_http_check (const RemoteClient *client, SoupMessage *message,
    GBytes *body, const GError *cause, RemoteFailure *failure, GError **error);
