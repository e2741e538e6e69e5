/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A server, the connections to it that are idle, and what requests to it
 * begin with. */

#pragma once

#include <gio/gio.h>

#include "protocol/parts.h"
#include "remote/client.h"

struct _RemoteClient
{
  char *host, *name; /* "host:port": for errors, and as in the URL */
  char *token_file;  /* nullable */
  gboolean tls;
  GSocketConnectable *address, *identity; /* where it is, and its name */
  GSocketClient *connector;
  GTlsDatabase *ca;             /* nullable */
  GTlsCertificate *certificate; /* nullable */
  GMutex lock;
  GQueue idle; /* HttpConnection; with the lock held */
};

RemoteClient *remote_http_open (const RemoteTarget *target, GError **error);
void remote_http_close (RemoteClient *client);

/* The context of the module's thread. */
GMainContext *remote_http_context (void);

/* "models/NAME/versions/VERSION".  (transfer full) */
char *remote_http_model_path (
    const char *model, const char *version, const char *tail);
/* Writes the head of a request for @path below /v2, with the token, and a body
 * of @size bytes, of which @json_size are JSON; < 0: all. */
gboolean remote_http_write_head (RemoteClient *client, GString *head,
    const char *method, const char *path, gsize size, gssize json_size,
    GError **error);

/* TRUE: it was answered with success.  @cause: why there is no response
 * (nullable), @body nullable. */
gboolean remote_http_check (const RemoteClient *client, guint status,
    GBytes *body, const GError *cause, RemoteFailure *failure, GError **error);
