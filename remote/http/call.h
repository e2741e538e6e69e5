/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The entries `call_…` of RemoteProtocol. */

#pragma once

#include "remote/client.h"

RemoteCall *remote_http_call_new (RemoteClient *client);
void remote_http_call_free (RemoteCall *call);
gboolean remote_http_call_start (RemoteCall *call, const RemoteRequest *request,
    void (*done) (gpointer data), gpointer data, GError **error);
void remote_http_call_cancel (RemoteCall *call);
ProtocolInfer *remote_http_call_finish (
    RemoteCall *call, RemoteFailure *failure, GError **error);
