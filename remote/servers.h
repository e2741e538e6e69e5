/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The servers of one URL: which one gets a request.  A name with several
 * addresses is several servers; watch.h follows its records, and asks servers
 * that are down whether they are there again. */

#pragma once

#include "remote/address.h"

typedef struct
{
  gatomicrefcount refs;
  const RemoteProtocol *protocol;
  char *name; /* "host:port" or "address:port"; gives it its rank */
  char *host; /* of the URL, "host:port" */
  RemoteClient *client;
  /* Atomic. */
  gint running;  /* calls */
  gint down;     /* others are preferred until it answers again */
  gint draining; /* it says that it is about to end */
  gint gone;     /* its name does not have it any more */
} RemoteServer;

typedef struct
{
  gatomicrefcount users;
  gatomicrefcount refs; /* of all users together, and of who watches */
  RemoteAddress *address;
  const RemoteProtocol *protocol;
  GMutex lock;
  GPtrArray *list; /* RemoteServer; with the lock held */
  gint epoch;      /* atomic; changes when sequences may belong elsewhere */
} RemoteServers;

/* Connects when it is first needed. */
RemoteServers *remote_servers_open (const char *url, GError **error);
RemoteServers *remote_servers_ref (RemoteServers *servers);
void remote_servers_unref (RemoteServers *servers);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RemoteServers, remote_servers_unref)

/* For watch.c: a reference that does not make it a user. */
gpointer remote_servers_hold (RemoteServers *servers);
void remote_servers_release (gpointer servers);

RemoteServer *remote_server_ref (RemoteServer *server);
void remote_server_unref (RemoteServer *server); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RemoteServer, remote_server_unref)

guint remote_servers_count (RemoteServers *servers);

/* For a stateless request: the least loaded one of those that are up; @avoid
 * (nullable) only if no other one is.  (transfer full) */
RemoteServer *remote_servers_choose (
    RemoteServers *servers, const RemoteServer *avoid);
/* For a sequence: the one that ranks highest for @key of those that are up; the
 * same for each caller, and a server that comes or goes moves only the
 * sequences that it gets or had.  (transfer full) */
RemoteServer *remote_servers_choose_for (
    RemoteServers *servers, guint64 key, const RemoteServer *avoid);
guint remote_servers_epoch (RemoteServers *servers);

void remote_servers_mark_down (RemoteServers *servers, RemoteServer *server);
void remote_servers_mark_up (RemoteServers *servers, RemoteServer *server);
void remote_servers_mark_draining (
    RemoteServers *servers, RemoteServer *server);

/* Looks up names again: servers come and go. */
void remote_servers_resolve (RemoteServers *servers);
/* Asks those that are down or draining.  TRUE: all are up. */
gboolean remote_servers_probe (RemoteServers *servers);
/* Whether records of names may change. */
gboolean remote_servers_have_names (const RemoteServers *servers);

/* Asks one server after the other until one answers. */
ProtocolMetadata *remote_servers_describe (
    RemoteServers *servers, GError **error);
/* Whether one of those that can be reached has it. */
gboolean remote_servers_have_extension (
    RemoteServers *servers, const char *extension);
