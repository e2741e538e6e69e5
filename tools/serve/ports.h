/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The ports of a front end, TLS on them, and the threads that its connections
 * are read on.  A connection stays on one thread, its lane. */

#pragma once

#include <gio/gio.h>

#include "tools/serve/settings.h"

typedef struct _ServePorts ServePorts;
typedef struct _ServeLane ServeLane;

/* A kind of connections.  All is called on the thread of their lane. */
typedef struct
{
  const char *name;             /* of the protocol */
  const char *const *protocols; /* its names in TLS (ALPN); nullable */
  gint64 most_handshake_us;     /* of TLS */
  /* @tls: (transfer full) (nullable), ready to be used. */
  void (*open) (gpointer front, ServeLane *lane, GSocket *socket,
      GIOStream *tls, int port);
  /* Once a second. */
  void (*check) (gpointer connection, gint64 now);
  void (*close) (gpointer connection);
} ServePortsKind;

/* Reads the certificates.  (transfer full) */
ServePorts *serve_ports_new (const ServePortsKind *kind, gpointer front,
    guint n_lanes, const ServeSettings *settings, GError **error);
void serve_ports_free (ServePorts *ports); /* NULL is fine */
/* @option names the port in errors. */
gboolean serve_ports_listen (
    ServePorts *ports, int port, const char *option, GError **error);
/* Starts the threads. */
void serve_ports_start (ServePorts *ports);
/* Accepts no more. */
void serve_ports_shut (ServePorts *ports);
/* Closes all, and ends the threads.  Blocks. */
void serve_ports_stop (ServePorts *ports);
/* After that: waits until *@open (atomic), what runs for connections that have
 * gone, is 0.  What ends may need the lanes' contexts. */
void serve_ports_await (ServePorts *ports, gint *open);

ServeLane *serve_ports_lane (ServePorts *ports, guint i);
guint serve_lane_index (const ServeLane *lane);
/* Its thread's. */
GMainContext *serve_lane_context (ServeLane *lane);

/* All on the lane's thread: the connections that "check" and "close" are called
 * for. */
void serve_lane_add (ServeLane *lane, gpointer connection);
/* FALSE: it was not there. */
gboolean serve_lane_remove (ServeLane *lane, gpointer connection);
void serve_lane_foreach (ServeLane *lane,
    void (*call) (gpointer connection, gpointer data), gpointer data);
