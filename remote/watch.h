/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One thread for the process that looks after the servers of URLs with several:
 * whether those that are down are there again, and what names stand for now. */

#pragma once

#include "remote/servers.h"

/* Watches @servers until remote_watch_remove.  INFER_ERROR_NO_MEMORY: no thread
 * can be started. */
gboolean remote_watch_add (RemoteServers *servers, GError **error);
/* Never blocks for long; does nothing for those that are not watched. */
void remote_watch_remove (RemoteServers *servers);
/* One of its servers is down or draining: it is asked soon. */
void remote_watch_wake (void);
