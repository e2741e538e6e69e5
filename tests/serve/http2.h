/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A client of HTTP/2 that shows what a server answers, frame by frame, and can
 * do what clients of gRPC do not.  What must not fail ends the test. */

#pragma once

#include <gio/gio.h>
#include <nghttp2/nghttp2.h>

typedef struct
{
  int fd;
  nghttp2_session *session;
  guint32 settings[NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES + 1];
  gboolean settled; /* the server's settings have come */
  gboolean closed;  /* by the server */
  gboolean goaway;
  guint32 goaway_error;
  char *goaway_text; /* nullable */
  guint pongs;
} Client;

/* A call, as far as it has come. */
typedef struct
{
  Client *client;
  gint32 id;
  GByteArray *out; /* to be sent */
  gboolean ends;   /* behind it */
  gboolean waits;
  GHashTable *headers; /* of all blocks: text of text */
  guint n_blocks;
  GByteArray *data;
  gboolean over;
  guint32 error; /* of RST_STREAM */
} Call;

/* @window: what the server may send of a stream before it is read. */
Client *client_new (guint port, guint32 window);
void client_free (Client *client);
/* Opens a call with the headers of gRPC, then pairs of a name and a value that
 * replace or follow them; a value of "" leaves a header out.  @n bytes of @body
 * are sent; the call stays open unless @ends. */
Call *client_call (Client *client, const char *path, gconstpointer body,
    gsize n, gboolean ends, const char *const *headers);
void call_write (Call *call, gconstpointer data, gsize n, gboolean ends);
void call_free (Call *call);
/* NULL: there is none. */
const char *call_header (const Call *call, const char *name);

/* Sends and receives until *@flag is set, @seconds at most.  FALSE: it is
 * not. */
gboolean client_run (Client *client, const gboolean *flag, double seconds);
void call_finish (Call *call);
