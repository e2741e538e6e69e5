/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The servers of one URL: which one gets a request. */

#pragma once

#include "remote/address.h"

typedef struct
{
  char *host;
  RemoteClient *client;
  gint running; /* calls; atomic */
  gint64
      down_until; /* monotonic time until which others are preferred; atomic */
} RemoteServer;

typedef struct
{
  gatomicrefcount refs;
  RemoteAddress *address;
  const RemoteProtocol *protocol;
  guint n;
  RemoteServer *servers;
} RemoteServers;

/* Connects when it is first needed. */
RemoteServers *remote_servers_open (const char *url, GError **error);
RemoteServers *remote_servers_ref (RemoteServers *servers);
void remote_servers_unref (RemoteServers *servers);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RemoteServers, remote_servers_unref)

/* For a stateless request: the least loaded one of those that are up. */
guint remote_servers_choose (RemoteServers *servers);
/* For a sequence: the one that ranks highest for @id of those that are up; the
 * same for each caller, and a server that comes or goes moves only the
 * sequences that it gets or had. */
guint remote_servers_choose_for (RemoteServers *servers, guint64 id);

void remote_servers_mark_down (RemoteServers *servers, guint index);
void remote_servers_mark_up (RemoteServers *servers, guint index);

/* Asks one server after the other until one answers. */
ProtocolMetadata *remote_servers_describe (
    RemoteServers *servers, GError **error);
/* Whether one of those that can be reached has it. */
gboolean remote_servers_have_extension (
    RemoteServers *servers, const char *extension);
